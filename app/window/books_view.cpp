#include "app/window/books_view.h"

#include "app/window/books_area.h"
#include "base/declaration_kind.h"
#include "views/authoring/match_panel.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/editor/find_bar.h"

#include <QAction>
#include <QFileInfo>
#include <QInputDialog>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// A remark is no mark: that a book takes the place of another one, for instance.
std::vector<MarkRecord> marksOf(const snapshot::CheckDocument& check) {
    std::vector<MarkRecord> out = check.marks;
    std::erase_if(out, [](const MarkRecord& mark) { return mark.diag.severity == Severity::Note; });
    return out;
}

// Steps of schedules that a group of the model refused, where they stand.
void addRefusedSteps(const TextMatches& matches, std::vector<MarkRecord>& marks) {
    if (matches.state != State::Ready || matches.rewrittenOld || !matches.rewritten)
        return;
    for (const snapshot::RuleMatches& rule : matches.rewritten->rules)
        if (fits(rule.kind, FitsIn::Plan))
            for (const snapshot::NearMissRecord& miss : rule.nearMisses) {
                MarkRecord mark;
                static_cast<TextRange&>(mark) =
                    miss.range.line > 0 ? miss.range : static_cast<const TextRange&>(rule);
                if (miss.range.line == 0)
                    mark.endLine = mark.line, mark.endColumn = mark.column;
                mark.diag = makeDiag(DiagCode::ScheduleIllegal, miss.root + ": " + miss.found,
                                     {rule.file, {}, mark.line, mark.column});
                marks.push_back(std::move(mark));
            }
}

} // namespace

BooksView::BooksView(Document& document, const Answers& answers, std::unique_ptr<Drafts> drafts)
    : m_document(document), m_answers(answers), m_books(new BooksArea(std::move(drafts))),
      m_matches(new MatchPanel) {
    m_matches->hide();
    m_books->setBelow(m_matches);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_books);
    if (m_books->drafts()) {
        m_draft = new DocumentDraft(m_document, *m_books->drafts(), this);
        connect(m_draft, &DocumentDraft::problem, this,
                [this](const Diag& diag) { Q_EMIT asked(TellProblem{diag}); });
    }
    addCommands();
    connectBooks();
    connectMatches();
}

void BooksView::documentChanged(Parts parts) {
    if (parts == Parts::all() && !m_model)
        offerDrafts();
    if (parts.has(Part::Inputs)) {
        QStringList books;
        for (const auto& book : m_document.inputs().books)
            books << QString::fromStdString(book.path);
        m_books->watch(books);
    }
    if (m_model != m_document.info()) {
        m_model = m_document.info();
        m_liveRule.clear();
        m_liveMatch = -1;
        m_books->tellAgain(); // another model is another question
    }
    if (parts.hasAny({Part::Checks, Part::TextMatches}))
        for (int i = 0; i < m_books->tabs()->count(); ++i)
            showBook(m_books->pathAt(i));
    if (parts.hasAny({Part::Info, Part::TextMatches, Part::Checks, Part::Rewrite, Part::Bisected,
                      Part::Plan}))
        showMatches();
    if (parts.has(Part::Profile)) {
        m_cameOf = {};
        askCame();
    }
    updateCommands();
}

std::vector<QWidget*> BooksView::stops() {
    if (BookPage* book = m_books->current())
        return {book->editor(), m_matches->table()};
    return {};
}

bool BooksView::settled() const {
    return m_books->settled();
}

bool BooksView::serve(Request request) {
    if (request == Request::NewBook) {
        newBook();
        return true;
    }
    if (!inBook())
        return false;
    switch (request) {
    case Request::Back:
        return jump(-1);
    case Request::Forward:
        return jump(+1);
    case Request::Save:
        saveBook(m_books->currentPath());
        return true;
    case Request::SaveAs:
        saveBookAs(m_books->currentPath());
        return true;
    case Request::Find:
        m_books->current()->findBar()->open(FindBar::Row::Find);
        return true;
    case Request::FindNext:
        stepMatch(+1);
        return true;
    case Request::FindPrevious:
        stepMatch(-1);
        return true;
    default:
        return false;
    }
}

QStringList BooksView::openBooks() const {
    return m_books->paths();
}

bool BooksView::holdsFiles() const {
    return !m_books->isEmpty();
}

bool BooksView::mayClose() {
    return mayDiscardBooks(m_books->changed());
}

void BooksView::closing() {
    for (const QString& path : m_books->changed()) // as was answered
        m_books->close(path);
    if (m_draft)
        m_draft->forget();
}

// `use` gets the answer while its book is open.
template <class Use>
void BooksView::askAssist(const QString& path, const Caret& at, Use use) {
    m_document.books().assist(
        path, m_books->text(path), at.line, at.column,
        [this, path, use](std::shared_ptr<const snapshot::AssistDocument> found) {
            if (BookPage* page = m_books->page(path))
                use(page->editor(), *found);
        });
}

void BooksView::connectBooks() {
    connect(m_books, &BooksArea::textSettled, this,
            [this](const QString& path, const QString& text) {
                if (m_books->isShipped(path))
                    return m_document.books().showShipped(path);
                const bool same = m_books->saysWhatIsOnDisk(path);
                m_document.books().setText(
                    path, text, same ? DocumentBooks::OnDisk::Same : DocumentBooks::OnDisk::Other);
                Q_EMIT busyChanged();
            });
    connect(m_books, &BooksArea::textEdited, &m_document.books(), &DocumentBooks::textEdited);
    connect(m_books, &BooksArea::completionAsked, this,
            [this](const QString& path, const Caret& at, int revision) {
                askAssist(path, at,
                          [revision](BookEditor* editor, const snapshot::AssistDocument& found) {
                              editor->showCompletions(found.completions, found.replace, revision);
                          });
            });
    connect(m_books, &BooksArea::hoverAsked, this,
            [this](const QString& path, const Caret& at, const QPoint& global) {
                askAssist(path, at,
                          [global](BookEditor* editor, const snapshot::AssistDocument& found) {
                              QStringList lines;
                              if (found.hover)
                                  for (const std::string& line : found.hover->lines)
                                      lines << QString::fromStdString(line);
                              editor->showHover(lines.join(u'\n'), global);
                          });
            });
    connect(m_books, &BooksArea::definitionAsked, this, &BooksView::goToDefinition);
    connect(m_books, &BooksArea::savedAs, this, [this](const QString& path, const QString& before) {
        if (path != before) {
            m_document.books().renameText(before, path);
            // What was being answered is of the other name.
            m_document.books().setText(path, m_books->text(path), DocumentBooks::OnDisk::Same);
            edit(snapshot::RenameBook{before.toStdString(), path.toStdString()});
        }
        showBook(path);
    });
    connect(m_books, &BooksArea::fileChanged, this, [this](const QString& path) {
        const QString line = u"%1 was changed by another program"_s.arg(path);
        Q_EMIT asked(Log{line});
        Q_EMIT asked(Say{line});
        m_document.books().reread(path);
    });
    connect(m_books, &BooksArea::currentChanged, this, [this] {
        Q_EMIT filled(!m_books->isEmpty());
        showBook(m_books->currentPath());
        updateCommands();
    });
    connect(m_books, &BooksArea::changedChanged, this, &BooksView::updateCommands);
    connect(m_books, &BooksArea::closeRequested, this, &BooksView::closeBook);
    connect(m_books, &BooksArea::copyRequested, this, &BooksView::copyShipped);
    connect(m_books, &BooksArea::problem, this,
            [this](const Diag& diag) { Q_EMIT asked(TellProblem{diag}); });
}

bool BooksView::inBook() const {
    const QWidget* keys = window()->focusWidget();
    return keys && m_books->current() && m_books->isAncestorOf(keys);
}

void BooksView::offerDrafts() {
    if (!m_books->drafts())
        return;
    std::vector<Draft> left = m_books->drafts()->leftOver();
    // One document at a time: others stay for the next window.
    const auto isDocument = [](const Draft& draft) { return draft.kind == Draft::Kind::Document; };
    const auto first = std::find_if(left.begin(), left.end(), isDocument);
    if (first != left.end())
        left.erase(std::remove_if(first + 1, left.end(), isDocument), left.end());
    if (left.empty())
        return;
    QStringList names;
    for (const Draft& draft : left)
        names << QFileInfo(draft.path).fileName();
    m_offering = true;
    Q_EMIT asked(
        Offer{u"The last window ended with what was not saved: %1"_s.arg(names.join(u", "_s)),
              u"Restore"_s, [this, left] { restore(left); },
              [this, left] {
                  m_offering = false;
                  m_books->drafts()->forgetLeftOver(left);
              }});
}

void BooksView::restore(const std::vector<Draft>& left) {
    m_offering = false;
    const Draft* document = nullptr;
    for (const Draft& draft : left)
        if (draft.kind == Draft::Kind::Document)
            document = &draft;
        else
            m_books->restore(draft);
    m_books->drafts()->forgetLeftOver(left);
    // A document that names a book without a file could not be opened.
    for (const Draft& draft : left)
        if (draft.kind == Draft::Kind::Book && m_books->isNew(draft.path) &&
            !m_document.books().actingText(draft.path))
            m_document.books().beginText(draft.path, {}); // until it was read
    if (document)
        DocumentDraft::restore(*document, m_document);
    else if (!m_document.isOpen())
        Q_EMIT asked(Request::OpenAgain);
}

void BooksView::goToDefinition(const QString& path, const Caret& at) {
    askAssist(path, at, [this](BookEditor*, const snapshot::AssistDocument& found) {
        if (!found.definition)
            return Q_EMIT asked(Say{u"nothing is known of where this is defined"_s});
        leave();
        openPlace(QString::fromStdString(found.definition->file), found.definition->line,
                  found.definition->column);
    });
}

// The places of the name at the caret in all books that are open or take part: framed in this one,
// and in a list to choose from.
void BooksView::showPlaces(const QString& path) {
    std::vector<snapshot::BookSource> open;
    for (int i = 0; i < m_books->tabs()->count(); ++i) {
        const QString other = m_books->pathAt(i);
        open.push_back({other.toStdString(), m_books->text(other).toStdString()});
    }
    const Caret at = m_books->current()->editor()->caret();
    m_document.books().assist(
        path, m_books->text(path), at.line, at.column,
        [this, path, at](std::shared_ptr<const snapshot::AssistDocument> found) {
            if (path != m_books->currentPath())
                return;
            std::vector<Choice> entries;
            std::vector<TextRange> here;
            for (const snapshot::LocationRecord& place : found->references) {
                const QString file = QString::fromStdString(place.file);
                if (file == path)
                    here.push_back(place);
                const BookPage* page = m_books->page(file);
                const QString line = page ? page->editor()->lineText(place.line).trimmed() : file;
                entries.push_back({u"%1:%2"_s.arg(QFileInfo(file).fileName()).arg(place.line),
                                   line.left(200), [this, file, place] {
                                       leave();
                                       openPlace(file, place.line, place.column);
                                   }});
            }
            m_books->current()->editor()->setTints(std::move(here));
            offerUses(path, at, std::move(entries));
        },
        open);
}

// Behind the places of the name stands what came of the declaration in the model.
void BooksView::offerUses(const QString& path, const Caret& at, std::vector<Choice> places) {
    m_document.books().askUses(
        path, at.line, at.column, [=, this](std::shared_ptr<const snapshot::UsesDocument> uses) {
            std::vector<Choice> entries = places;
            if (uses)
                for (const snapshot::UseRecord& use : uses->uses)
                    if (places.empty())
                        entries.push_back(
                            {text(use.kind + ' ' + use.name), text(use.how),
                             [this, use] { openPlace(text(use.file), use.line, use.column); }});
            if (uses)
                for (const snapshot::CameRecord& came : uses->came)
                    entries.push_back({(came.group ? u"group "_s : QString()) + text(came.what),
                                       text(came.how.str() + ": " + came.why),
                                       [this, came] { showPlace(came); }});
            if (entries.empty())
                return Q_EMIT asked(
                    Say{uses ? u"nobody uses %1"_s.arg(QString::fromStdString(uses->name))
                             : u"there is no name at the caret"_s});
            const std::size_t others = entries.size() - places.size();
            QString title = places.empty()
                                ? QString()
                                : countOf(qint64(places.size()), u"place"_s) + u" of the name"_s;
            if (others > 0)
                title += (title.isEmpty() ? QString() : u", "_s) +
                         u"%1 used by %2"_s.arg(QString::fromStdString(uses->name)).arg(others);
            Q_EMIT asked(OfferChoice{title, std::move(entries)});
        });
}

void BooksView::goToLine() {
    BookEditor* editor = m_books->current()->editor();
    bool ok = false;
    const int line = QInputDialog::getInt(this, u"Go to line"_s, u"Line:"_s, editor->caret().line,
                                          1, editor->document()->blockCount(), 1, &ok);
    if (ok)
        editor->goTo({line, 1});
}

// --- what is shown in a book

void BooksView::showBook(const QString& path) {
    BookPage* page = m_books->page(path);
    if (!page)
        return;
    const auto& checks = m_document.checks();
    const auto check = checks.find(path.toStdString());
    std::vector<MarkRecord> marks =
        check == checks.end() ? std::vector<MarkRecord>() : marksOf(*check->second);
    if (const TextMatches* matches = m_document.textMatchesOf(path))
        addRefusedSteps(*matches, marks);
    page->editor()->setMarks(std::move(marks));
}

} // namespace fw::ui
