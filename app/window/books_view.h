// Books as text in the window: their tabs and files, what is shown in them, what the declaration at
// the caret finds, and the commands of the Book menu.
//   books_view.cpp          what it hears and shows
//   books_view_files.cpp    opening, saving, closing
//   books_view_commands.cpp the menu
//   books_view_matches.cpp  what the declaration at the caret finds
#pragma once

#include "app/window/answers.h"
#include "app/window/document.h"
#include "app/window/document_draft.h"
#include "app/window/settings.h"
#include "app/window/text_jumps.h"
#include "views/common/view.h"
#include "views/editor/book_page.h"

#include <memory>
#include <optional>

class QMenu;

namespace fw::ui {

class BooksArea;
class Drafts;
class MatchPanel;

// What came of a declaration is asked again if one of these is another one.
struct CameQuestion {
    QString book;
    int line = 0; // 0: none
    QString declared;
    std::uint64_t generation = 0; // of the inputs
    const void* plan = nullptr;

    bool operator==(const CameQuestion&) const = default;
};

class BooksView : public View {
    Q_OBJECT

public:
    // Without drafts nothing is kept from a crash.
    BooksView(Document& document, const Answers& answers, std::unique_ptr<Drafts> drafts);

    void documentChanged(Parts parts) override;
    void nodePointed(GraphSide side, snapshot::NodeId node) override;
    void selectionSettled() override { askProbe(); }
    std::vector<QWidget*> stops() override;
    bool settled() const override;
    bool serve(Request request) override;
    // A path, or the name of a shipped book; line 0: where it was left.
    bool openPlace(const QString& file, int line, int column) override;
    bool takeText(const QString& declarations, const QString& book) override;
    bool changeText(const QString& book, const snapshot::Fix& edit) override;
    void saving() override;
    QStringList openBooks() const override;
    bool holdsFiles() const override;
    bool mayClose() override;
    void closing() override;

    BooksArea* area() const { return m_books; }
    MatchPanel* matches() const { return m_matches; }

private:
    void connectBooks();
    void edit(const snapshot::Edit& edit) { m_document.edit(edit); }
    void showBook(const QString& path);
    void updateCommands();
    bool inBook() const; // the keys go to a book
    void offerDrafts();
    void restore(const std::vector<Draft>& left);
    template <class Use>
    void askAssist(const QString& path, const Caret& at, Use use);
    void goToDefinition(const QString& path, const Caret& at);
    void showPlaces(const QString& path);
    void offerUses(const QString& path, const Caret& at, std::vector<Choice> places);
    void goToLine();

    // books_view_files.cpp
    void newBook();
    void beginBook(const QString& path, const QString& text);
    void showOwn(const QString& stem); // of the document, in front of its other books
    bool saveBook(const QString& path);
    bool saveBookAs(const QString& path);
    void closeBook(const QString& path);
    bool mayDiscardBooks(const QStringList& paths);
    QString bookFolder() const; // of new ones
    void copyShipped(const QString& file);
    void switchCurrentBook();
    void answerBanner(BookPage::Answer answer);

    // books_view_commands.cpp
    void addCommands();
    void fillShipped();
    void layOutCurrent();
    void showDeclarations();

    // books_view_matches.cpp
    void connectMatches();
    const snapshot::RuleMatches* ruleAtCaret() const;
    void showMatches();
    void caretMoved();
    void showRule(const snapshot::RuleMatches* rule); // null: none at the caret
    void askProbe();                                  // of the selected operator
    void askCame();                                   // of the declaration at the caret
    void showCame(Shared<snapshot::UsesDocument> came);
    void showPlace(const snapshot::CameRecord& came);
    void showHalos();
    void tellPlace(std::vector<Halo> frames, GraphSide side);
    void openCounterexample(int line); // of the declaration there
    void stepMatch(int step);
    void showMiss(const snapshot::NearMissRecord& miss);
    void showNodes(const std::vector<snapshot::NodeId>& nodes, snapshot::NodeId root,
                   bool imported);

    TextJumps::Place here() const;
    void leave(); // for another place, from where Back leads here
    bool jump(int step);

    Document& m_document;
    const Answers& m_answers;
    TextJumps m_jumps;
    Settings m_settings;
    BooksArea* m_books;
    DocumentDraft* m_draft = nullptr; // null: nothing is kept
    MatchPanel* m_matches;
    Shared<snapshot::InfoDocument> m_model; // that was asked about
    QString m_liveRule;                     // at the caret
    CameQuestion m_cameOf;                  // that was asked last
    int m_liveMatch = -1;                   // of its matches
    snapshot::NodeId m_shownMiss = snapshot::noNode;
    bool m_offering = false;
    std::vector<QAction*> m_needBook;
    QAction* m_takesPart = nullptr;
    QMenu* m_shipped = nullptr;
};

} // namespace fw::ui
