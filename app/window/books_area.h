// The books that are open as text: a tab each, their files, what was changed and not saved, and
// what other programs do to the files meanwhile.
//
// A book is known by its path, whether a file is there yet or not; a shipped book by its bare name.
// Closing and discarding never ask here: the window does.
#pragma once

#include "app/window/book_file.h"
#include "app/window/drafts.h"
#include "app/window/file_watch.h"
#include "views/editor/book_page.h"

#include <QTabWidget>
#include <QTimer>

#include <memory>
#include <vector>

class QSplitter;

namespace fw::ui {

class BooksArea : public QWidget {
    Q_OBJECT

public:
    // Without drafts nothing is kept from a crash.
    explicit BooksArea(std::unique_ptr<Drafts> drafts, QWidget* parent = nullptr);
    ~BooksArea() override;

    Status open(const QString& path);                     // a file, or shows it
    void begin(const QString& path, const QString& text); // nothing is on disk yet
    void showShipped(const QString& file, const QString& text);
    void restore(const Draft& draft); // changed, whatever is on disk
    Status save(const QString& path, const QString& as = {});
    void close(const QString& path);

    void show(const QString& path);
    bool isEmpty() const { return m_books.empty(); }
    QString currentPath() const; // empty: none
    QString pathAt(int tab) const;
    BookPage* current() const;
    BookPage* page(const QString& path) const; // null if it is not open
    QStringList paths() const;                 // of all but shipped ones, in the order of the tabs
    QStringList changed() const;               // that would be lost
    bool isShipped(const QString& path) const;
    bool saysWhatIsOnDisk(const QString& path) const; // comments aside
    bool isNew(const QString& path) const;            // never saved
    QString text(const QString& path) const;
    bool settled() const; // every text was told
    void settleNow();
    void tellAgain(); // every text, as if it was typed now
    void setBelow(QWidget* widget);

    // Files that are in use without being open here.
    void watch(const QStringList& paths);
    Drafts* drafts() const { return m_drafts.get(); }
    QTabWidget* tabs() const { return m_tabs; }

    static constexpr int pause = 150; // ms behind the last key press

Q_SIGNALS:
    void textSettled(const QString& path, const QString& text);
    void textEdited(const QString& path); // at every key press
    void savedAs(const QString& path, const QString& before);
    void fileChanged(const QString& path); // and what is here is that, or it is not open here
    void currentChanged();
    void caretMoved(); // in the current book
    void completionAsked(const QString& path, const fw::ui::Caret& at, int revision);
    void hoverAsked(const QString& path, const fw::ui::Caret& at, const QPoint& global);
    void definitionAsked(const QString& path, const fw::ui::Caret& at);
    void noteActivated(int line); // of the current book
    void changedChanged();        // what would be lost
    void closeRequested(const QString& path);
    void copyRequested(const QString& path);
    void problem(const fw::Diag& diag);

private:
    enum class Origin : std::uint8_t { File, New, Shipped };
    struct Book {
        QString path;
        Origin origin = Origin::File;
        BookFile disk; // as it was read or written last
        BookPage* page = nullptr;
        bool told = true; // textSettled was said of this text
    };
    QString pathOf(const BookPage* page) const;
    Book* find(const QString& path);
    const Book* find(const QString& path) const;
    Book& add(const QString& path, Origin origin, const BookFile& disk);
    bool isChanged(const Book& book) const;
    void edited(BookPage* page);
    void keepDrafts();
    void onDisk(const QString& path);
    void reload(Book& book, const BookFile& file);
    void showTitles();
    void watchAgain();

    std::vector<std::unique_ptr<Book>> m_books;
    QTabWidget* m_tabs;
    QSplitter* m_parts;
    std::unique_ptr<Drafts> m_drafts;
    FileWatch m_watch;
    QStringList m_others; // watched, not open
    QTimer m_pause;
    QTimer m_draftPause;
    QStringList m_undrafted; // edited since the last draft
};

} // namespace fw::ui
