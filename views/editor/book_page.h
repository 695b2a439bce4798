// BookPage: one book in the window: its outline above, the text, find and replace, and one line
// that says what is wrong where the caret stands. A banner asks what only the user can decide (the
// file changed on disk, a shipped book is read-only).
#pragma once

#include "views/editor/book_editor.h"
#include "views/editor/book_text.h"

#include <QTimer>
#include <QWidget>

#include <array>

class QComboBox;
class QFrame;
class QLabel;
class QPushButton;

namespace fw::ui {

class FindBar;

class BookPage : public QWidget {
    Q_OBJECT

public:
    explicit BookPage(QWidget* parent = nullptr);

    BookEditor* editor() const { return m_editor; }
    FindBar* findBar() const { return m_find; }
    QComboBox* outline() const { return m_outline; }
    const std::vector<DeclarationLine>& declarations() const { return m_declarations; }
    const DeclarationLine* declarationAtCaret() const; // null before the first one
    void setDetail(const QString& text);               // right of the outline: state of the book

    enum class Banner : std::uint8_t { None, ReadOnly, ChangedOnDisk, Gone };
    void setBanner(Banner banner);
    Banner banner() const { return m_banner; }
    // What the buttons of the banner say about the file; false: it was not asked.
    enum class Answer : std::uint8_t { Reload, Keep };
    bool answer(Answer answer);
    QPushButton* bannerButton(int index) const { return m_bannerButtons[std::size_t(index)]; }

    QString statusText() const; // of the line below the text

Q_SIGNALS:
    void copyRequested();   // "Edit a copy"
    void reloadRequested(); // takes what is on disk
    void keepRequested();   // keeps what is here

private:
    void fillOutline();
    void showCaret();

    BookEditor* m_editor;
    FindBar* m_find;
    QComboBox* m_outline;
    QLabel* m_detail;
    QFrame* m_bannerRow;
    QLabel* m_bannerText;
    std::array<QPushButton*, 2> m_bannerButtons;
    QLabel* m_status;
    QPushButton* m_fix;
    std::vector<DeclarationLine> m_declarations;
    QTimer m_outlineDelay;
    Banner m_banner = Banner::None;
};

} // namespace fw::ui
