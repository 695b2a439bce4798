// The Book menu.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "views/authoring/match_panel.h"
#include "views/editor/find_bar.h"

#include <QAction>
#include <QMenu>
#include <QPointer>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

void BooksView::addCommands() {
    const auto add = [this](const QString& text, const QString& keys,
                            const std::function<void()>& run) {
        return addCommand(MenuPlace::Text, text, keys, run, Needs::Nothing);
    };
    const auto needsBook = [this](QAction* action) {
        m_needBook.push_back(action);
        return action;
    };
    const auto editor = [this] { return m_books->current()->editor(); };
    addCommand(
        MenuPlace::Begin, u"&New book"_s, u"Ctrl+Shift+N"_s, [this] { newBook(); }, Needs::Nothing);
    m_shipped = new QMenu(u"S&hipped books"_s, this);
    addCommand({MenuPlace::Text, m_shipped->menuAction()});
    connect(m_shipped, &QMenu::aboutToShow, this, &BooksView::fillShipped);
    needsBook(
        add(u"Edit a &copy"_s, u"Ctrl+Alt+C"_s, [this] { copyShipped(m_books->currentPath()); }));
    addSeparator(MenuPlace::Text);
    needsBook(add(u"&Save book"_s, u"Ctrl+Alt+S"_s, [this] { saveBook(m_books->currentPath()); }));
    needsBook(
        add(u"Save book &as…"_s, u"Ctrl+Alt+A"_s, [this] { saveBookAs(m_books->currentPath()); }));
    needsBook(add(u"Close &tab"_s, u"Ctrl+W"_s, [this] { closeBook(m_books->currentPath()); }));
    m_takesPart = needsBook(
        add(u"Takes &part in the plan"_s, u"Ctrl+Alt+B"_s, [this] { switchCurrentBook(); }));
    m_takesPart->setCheckable(true);
    // The button above the graphs, for the keyboard.
    add(u"Restore &unsaved books"_s, u"Ctrl+Alt+N"_s, [this] {
        if (!m_offering)
            return Q_EMIT asked(Say{u"no books were left unsaved"_s});
        Q_EMIT asked(TakeOffer{});
    });
    needsBook(add(u"Take what is on dis&k"_s, u"Ctrl+Shift+F5"_s,
                  [this] { answerBanner(BookPage::Answer::Reload); }));
    needsBook(add(u"Keep &what is here"_s, u"Ctrl+Alt+F5"_s,
                  [this] { answerBanner(BookPage::Answer::Keep); }));
    addSeparator(MenuPlace::Text);
    needsBook(add(u"&Replace…"_s, u"Ctrl+R"_s,
                  [this] { m_books->current()->findBar()->open(FindBar::Row::Replace); }));
    needsBook(add(u"La&y out"_s, u"Ctrl+Shift+Y"_s, [this] { layOutCurrent(); }));
    needsBook(add(u"Decla&rations…"_s, u"Ctrl+Alt+G"_s, [this] { showDeclarations(); }));
    needsBook(add(u"Go to &line…"_s, u"Ctrl+Shift+G"_s, [this] { goToLine(); }));
    needsBook(add(u"Next pro&blem"_s, u"Ctrl+F8"_s, [editor] { editor()->goToMark(+1); }));
    needsBook(
        add(u"Previous proble&m"_s, u"Ctrl+Shift+F8"_s, [editor] { editor()->goToMark(-1); }));
    needsBook(add(u"C&omplete"_s, u"Ctrl+Space"_s, [editor] { editor()->complete(); }));
    needsBook(
        add(u"Tell a&bout the word"_s, u"Ctrl+Shift+Space"_s, [editor] { editor()->askHover(); }));
    needsBook(
        add(u"Who &uses it…"_s, u"Shift+F12"_s, [this] { showPlaces(m_books->currentPath()); }));
    needsBook(add(u"Go to the &definition"_s, u"F12"_s,
                  [this, editor] { goToDefinition(m_books->currentPath(), editor()->caret()); }));
    addSeparator(MenuPlace::Text);
    needsBook(add(u"Ne&xt match"_s, u"Ctrl+F3"_s, [this] { stepMatch(+1); }));
    needsBook(add(u"Pre&vious match"_s, u"Ctrl+Shift+F3"_s, [this] { stepMatch(-1); }));
    needsBook(
        add(u"Rela&x the clause"_s, u"Ctrl+Shift+R"_s, [this] { m_matches->relaxCurrent(); }));
    needsBook(add(u"Show the counterexamp&le"_s, u"Ctrl+Alt+X"_s,
                  [this, editor] { openCounterexample(editor()->caret().line); }));
    needsBook(add(u"Apply the &fix"_s, u"Ctrl+."_s, [this, editor] {
        if (!editor()->applyFix())
            Q_EMIT asked(Say{u"there is no fix for this line"_s});
    }));
}

void BooksView::fillShipped() {
    if (!m_shipped->isEmpty())
        return;
    m_shipped->addAction(u"asking …"_s)->setEnabled(false);
    m_document.books().askShipped({}, [this](std::shared_ptr<const snapshot::BookDocument> list) {
        m_shipped->clear();
        // What a copy can take the place of comes first.
        for (const bool library : {false, true}) {
            for (const auto& book : list->books) {
                if (book.library != library)
                    continue;
                const QString file = QString::fromStdString(book.file);
                QAction* action =
                    m_shipped->addAction(file, this, [this, file] { openPlace(file, 0, 1); });
                action->setToolTip(QString::fromStdString(book.title));
            }
            m_shipped->addSeparator();
        }
    });
}

// Undone as one step. A book with errors, and one that was changed meanwhile, is left alone.
void BooksView::layOutCurrent() {
    BookEditor* editor = m_books->current()->editor();
    if (editor->isReadOnly())
        return Q_EMIT asked(Say{u"a shipped book stays as it is; edit a copy"_s});
    const QString text = editor->wholeText();
    m_document.books().askFormat(
        m_books->currentPath(), text,
        [this, text, page = QPointer<BookEditor>(editor)](
            const std::shared_ptr<const snapshot::FormatDocument>& answer) {
            if (!page || page->wholeText() != text)
                return;
            if (!answer->changed)
                return Q_EMIT asked(Say{u"the book is laid out already"_s});
            const Caret before = page->caret();
            const Caret end = page->placeOf(page->document()->characterCount() - 1);
            page->apply({between({1, 1}, end), answer->text, "lay out"});
            page->goTo(before);
        });
}

void BooksView::showDeclarations() {
    std::vector<Choice> entries;
    for (const DeclarationLine& one : m_books->current()->declarations())
        entries.push_back(
            {one.keyword + u' ' + one.name, u"line %1"_s.arg(one.line), [this, line = one.line] {
                 m_books->current()->editor()->goTo({line, 1});
             }});
    Q_EMIT asked(OfferChoice{u"A declaration of this book …"_s, std::move(entries)});
}

void BooksView::updateCommands() {
    for (QAction* action : m_needBook)
        action->setEnabled(m_books->current() != nullptr);
    const auto books = m_document.inputs().enabledBooks();
    m_takesPart->setChecked(
        std::find(books.begin(), books.end(), m_books->currentPath().toStdString()) != books.end());
    Q_EMIT filesChanged();
}

} // namespace fw::ui
