// Books as text: tabs, files, and what is shown in them.
#include "app/window/books_area.h"
#include "app/window/graph_pane.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/palette.h"
#include "app/window/problems_view.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
#include "views/editor/find_bar.h"

#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLayout>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// Below this a book beside the graphs leaves too little of them.
constexpr int roomForBooks = 1150;

// A remark is no mark: that a book takes the place of another one, for instance.
std::vector<MarkRecord> marksOf(const snapshot::CheckDocument& check) {
    std::vector<MarkRecord> out = check.marks;
    std::erase_if(out, [](const MarkRecord& mark) { return mark.diag.severity == Severity::Note; });
    return out;
}

QString newBookText() {
    return u"# What this book is about.\n\n"_s;
}

} // namespace

// `use` gets the answer while its book is open.
template <class Use>
void MainWindow::askAssist(const QString& path, const Caret& at, Use use) {
    m_document.assist(path, m_books->text(path), at.line, at.column,
                      [this, path, use](std::shared_ptr<const snapshot::AssistDocument> found) {
                          if (BookPage* page = m_books->page(path))
                              use(page->editor(), *found);
                      });
}

void MainWindow::connectBooks() {
    connect(
        m_books, &BooksArea::textSettled, this, [this](const QString& path, const QString& text) {
            if (m_books->isShipped(path))
                return m_document.showShipped(path);
            const bool same = m_books->saysWhatIsOnDisk(path);
            m_document.setText(path, text, same ? Document::OnDisk::Same : Document::OnDisk::Other);
            m_idleCheck.start();
        });
    connect(m_books, &BooksArea::textEdited, &m_document, &Document::textEdited);
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
    connect(m_books, &BooksArea::definitionAsked, this, &MainWindow::goToDefinition);
    connect(m_books, &BooksArea::savedAs, this, [this](const QString& path, const QString& before) {
        if (path != before) {
            m_document.renameText(before, path);
            // What was being answered is of the other name.
            m_document.setText(path, m_books->text(path), Document::OnDisk::Same);
            m_document.edit(snapshot::RenameBook{before.toStdString(), path.toStdString()});
        }
        showBook(path);
    });
    connect(m_books, &BooksArea::fileChanged, this, [this](const QString& path) {
        const QString line = u"%1 was changed by another program"_s.arg(path);
        m_log->add(line);
        say(line);
        m_document.rereadBook(path);
    });
    connect(m_books, &BooksArea::currentChanged, this, [this] {
        layOutBooks();
        showBook(m_books->currentPath());
        updateActions();
    });
    connect(m_books, &BooksArea::changedChanged, this, &MainWindow::updateActions);
    connect(m_books, &BooksArea::closeRequested, this, &MainWindow::closeBook);
    connect(m_books, &BooksArea::copyRequested, this, &MainWindow::copyShipped);
    connect(m_books, &BooksArea::problem, this, &MainWindow::showProblem);
    connect(&m_document, &Document::textChecked, this, &MainWindow::showBook);
    connect(&m_document, &Document::rulesChanged, this,
            [this] { showBook(m_books->currentPath()); });
    connect(m_rules, &RulesView::newRequested, this, &MainWindow::newBook);
    connect(m_rules, &RulesView::editRequested, this,
            [this](const QString& file, int line) { editBook(file, line); });
}

void MainWindow::buildBookActions(QMenu* menu) {
    const auto keys = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    const auto needsBook = [this](QAction* action) {
        m_needBook.push_back(action);
        return action;
    };
    const auto editor = [this] { return m_books->current()->editor(); };
    addAction(menu, u"&New book"_s, keys("Ctrl+Shift+N"), [this] { newBook(); });
    addAction(menu, u"&Edit the selected book"_s, keys("Ctrl+E"),
              [this] { m_rules->editCurrent(); });
    m_shippedMenu = menu->addMenu(u"S&hipped books"_s);
    connect(m_shippedMenu, &QMenu::aboutToShow, this, &MainWindow::fillShipped);
    needsBook(addAction(menu, u"Edit a &copy"_s, keys("Ctrl+Alt+C"),
                        [this] { copyShipped(m_books->currentPath()); }));
    menu->addSeparator();
    needsBook(addAction(menu, u"&Save book"_s, keys("Ctrl+Alt+S"),
                        [this] { saveBook(m_books->currentPath()); }));
    needsBook(addAction(menu, u"Save book &as…"_s, keys("Ctrl+Alt+A"),
                        [this] { saveBookAs(m_books->currentPath()); }));
    needsBook(addAction(menu, u"Close &tab"_s, keys("Ctrl+W"),
                        [this] { closeBook(m_books->currentPath()); }));
    m_takesPartAction = needsBook(addAction(menu, u"Takes &part in the plan"_s, keys("Ctrl+Alt+B"),
                                            [this] { switchCurrentBook(); }));
    m_takesPartAction->setCheckable(true);
    // The button above the graphs, for the keyboard.
    addAction(menu, u"Restore &unsaved books"_s, keys("Ctrl+Alt+N"), [this] {
        if (m_offer->text().isEmpty())
            return say(u"no books were left unsaved"_s);
        m_offer->action()->click();
    });
    needsBook(addAction(menu, u"Take what is on dis&k"_s, keys("Ctrl+Shift+F5"),
                        [this] { answerBanner(BookPage::Answer::Reload); }));
    needsBook(addAction(menu, u"Keep &what is here"_s, keys("Ctrl+Alt+F5"),
                        [this] { answerBanner(BookPage::Answer::Keep); }));
    menu->addSeparator();
    needsBook(addAction(menu, u"&Replace…"_s, keys("Ctrl+R"),
                        [this] { m_books->current()->findBar()->open(FindBar::Row::Replace); }));
    needsBook(addAction(menu, u"Decla&rations…"_s, keys("Ctrl+Alt+G"), [this] {
        std::vector<PaletteEntry> entries;
        for (const DeclarationLine& one : m_books->current()->declarations())
            entries.push_back({one.keyword + u' ' + one.name, u"line %1"_s.arg(one.line),
                               [this, line = one.line] {
                                   m_books->current()->editor()->goTo({line, 1});
                               }});
        m_palette->open(u"A declaration of this book …"_s, std::move(entries));
    }));
    needsBook(addAction(menu, u"Go to &line…"_s, keys("Ctrl+Shift+G"), [this] { goToLine(); }));
    needsBook(
        addAction(menu, u"Next pro&blem"_s, keys("Ctrl+F8"), [editor] { editor()->goToMark(+1); }));
    needsBook(addAction(menu, u"Previous proble&m"_s, keys("Ctrl+Shift+F8"),
                        [editor] { editor()->goToMark(-1); }));
    needsBook(
        addAction(menu, u"C&omplete"_s, keys("Ctrl+Space"), [editor] { editor()->complete(); }));
    needsBook(addAction(menu, u"Tell a&bout the word"_s, keys("Ctrl+Shift+Space"),
                        [editor] { editor()->askHover(); }));
    needsBook(addAction(menu, u"Places of the &name…"_s, keys("Shift+F12"),
                        [this] { showPlaces(m_books->currentPath()); }));
    needsBook(addAction(menu, u"Go to the &definition"_s, keys("F12"), [this, editor] {
        goToDefinition(m_books->currentPath(), editor()->caret());
    }));
    menu->addSeparator();
    needsBook(addAction(menu, u"Ne&xt match"_s, keys("Ctrl+F3"), [this] { stepMatch(+1); }));
    needsBook(
        addAction(menu, u"Pre&vious match"_s, keys("Ctrl+Shift+F3"), [this] { stepMatch(-1); }));
    needsBook(addAction(menu, u"Rela&x the clause"_s, keys("Ctrl+Shift+R"),
                        [this] { m_matches->relaxCurrent(); }));
    needsBook(addAction(menu, u"Apply the &fix"_s, keys("Ctrl+."), [this, editor] {
        if (!editor()->applyFix())
            say(u"there is no fix for this line"_s);
    }));
}

bool MainWindow::inBook() const {
    return focusWidget() && m_books->current() && m_books->isAncestorOf(focusWidget());
}

// The room is shared: while books are open in a small window, the docks on the right make place.
void MainWindow::layOutBooks() {
    const bool shown = !m_books->isEmpty();
    if (shown == m_books->isVisibleTo(this))
        return;
    m_books->setVisible(shown);
    if (shown) {
        if (m_centre->width() < roomForBooks)
            for (const Dock& dock : m_docks)
                if (dock.area == Qt::RightDockWidgetArea && dock.widget->isVisibleTo(this) &&
                    !dock.widget->isFloating()) {
                    m_hiddenWidth = dock.widget->width();
                    dock.widget->hide();
                    m_hiddenForBooks.push_back(dock.widget);
                }
    } else {
        showHiddenDocks();
        m_fusedPane->setFocus();
    }
}

// As wide as they were: by itself a dock comes back at its smallest.
void MainWindow::showHiddenDocks() {
    const QList<QDockWidget*> docks = std::exchange(m_hiddenForBooks, {});
    if (docks.isEmpty())
        return;
    for (QDockWidget* dock : docks)
        dock->show();
    layout()->activate();
    resizeDocks(docks, QList<int>(docks.size(), m_hiddenWidth), Qt::Horizontal);
}

// The buttons above a text whose file others changed, by keyboard.
void MainWindow::answerBanner(BookPage::Answer answer) {
    if (!m_books->current()->answer(answer))
        say(u"the file is as this window left it"_s);
}

// --- opening

// Beside the model, or in its folder.
QString MainWindow::bookFolder() const {
    const QFileInfo model(m_document.path());
    if (!m_document.isOpen())
        return m_settings.folder();
    return model.isDir() ? model.absoluteFilePath() : model.absolutePath();
}

void MainWindow::newBook() {
    const QString folder = bookFolder();
    const QString path = freeBookPath(folder, u"book"_s, m_books->paths());
    m_books->begin(path, newBookText());
    m_document.beginText(path, newBookText());
    m_books->current()->editor()->moveCursor(QTextCursor::End);
    if (m_document.isOpen())
        m_document.edit(snapshot::AddBook{path.toStdString()});
}

void MainWindow::editBook(const QString& file, int line, int column) {
    const auto go = [this, line, column] {
        if (line <= 0 || !m_books->current())
            return;
        m_books->current()->editor()->goTo({line, column});
        m_books->current()->editor()->setFocus();
    };
    if (file.contains(u'/')) {
        if (m_books->page(file))
            m_books->show(file);
        else if (const Status opened = m_books->open(file); !opened)
            return showProblem(opened.diag());
        return go();
    }
    if (m_books->page(file)) {
        m_books->show(file);
        return go();
    }
    m_document.askBook(file, [this, go](std::shared_ptr<const snapshot::BookDocument> book) {
        m_books->showShipped(QString::fromStdString(book->file),
                             QString::fromStdString(book->text));
        go();
    });
}

// A book of that file name takes the place of the shipped one.
void MainWindow::copyShipped(const QString& file) {
    if (!m_books->isShipped(file))
        return;
    const QString folder = bookFolder();
    const QString path = QDir(folder).absoluteFilePath(file);
    const int line = m_books->page(file)->editor()->caret().line;
    if (QFileInfo::exists(path) || m_books->page(path)) {
        say(u"%1 is there already"_s.arg(path));
        editBook(path, line);
    } else {
        m_books->begin(path, m_books->text(file));
        m_document.beginText(path, m_books->text(file));
        m_books->current()->editor()->goTo({line, 1});
    }
    m_books->close(file);
    if (m_document.isOpen())
        m_document.edit(snapshot::AddBook{path.toStdString()});
}

void MainWindow::fillShipped() {
    if (!m_shippedMenu->isEmpty())
        return;
    m_shippedMenu->addAction(u"asking …"_s)->setEnabled(false);
    m_document.askBook({}, [this](std::shared_ptr<const snapshot::BookDocument> list) {
        m_shippedMenu->clear();
        // What a copy can take the place of comes first.
        for (const bool library : {false, true}) {
            for (const auto& book : list->books) {
                if (book.library != library)
                    continue;
                const QString file = QString::fromStdString(book.file);
                QAction* action =
                    m_shippedMenu->addAction(file, this, [this, file] { editBook(file, 0); });
                action->setToolTip(QString::fromStdString(book.title));
            }
            m_shippedMenu->addSeparator();
        }
    });
}

// --- saving and closing

bool MainWindow::saveBook(const QString& path) {
    if (m_books->isShipped(path) || path.isEmpty())
        return false;
    if (m_books->isNew(path))
        return saveBookAs(path);
    if (const Status saved = m_books->save(path); !saved) {
        showProblem(saved.diag()); // the text is still here
        return false;
    }
    say(u"saved "_s + path);
    return true;
}

bool MainWindow::saveBookAs(const QString& path) {
    if (m_books->isShipped(path) || path.isEmpty())
        return false;
    QString file = m_askSaveName ? m_askSaveName(path)
                                 : QFileDialog::getSaveFileName(this, u"Save the book"_s, path,
                                                                u"Rule books (*.fw)"_s);
    if (file.isEmpty())
        return false;
    if (QFileInfo(file).suffix().isEmpty())
        file += u".fw"_s;
    if (const Status saved = m_books->save(path, file); !saved) {
        showProblem(saved.diag());
        return false;
    }
    say(u"saved "_s + file);
    return true;
}

bool MainWindow::mayDiscardBooks(const QStringList& paths) {
    QStringList names;
    for (const QString& path : paths)
        names << QFileInfo(path).fileName();
    if (paths.isEmpty())
        return true;
    Unsaved answer = Unsaved::Cancel;
    if (m_askUnsaved) {
        answer = m_askUnsaved();
    } else {
        QMessageBox box(
            QMessageBox::NoIcon, u"Fusewright"_s,
            u"%1 %2 not saved."_s.arg(names.join(u", "_s), names.size() == 1 ? u"is"_s : u"are"_s),
            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
        box.setTextFormat(Qt::PlainText);
        box.setDefaultButton(QMessageBox::Save);
        const int pressed = box.exec();
        answer = pressed == QMessageBox::Save      ? Unsaved::Save
                 : pressed == QMessageBox::Discard ? Unsaved::Discard
                                                   : Unsaved::Cancel;
    }
    if (answer == Unsaved::Cancel)
        return false;
    return answer == Unsaved::Discard ||
           std::all_of(paths.begin(), paths.end(),
                       [this](const QString& path) { return saveBook(path); });
}

void MainWindow::closeBook(const QString& path) {
    const QString before = path;
    const bool wasNew = m_books->isNew(path);
    const bool changed = m_books->changed().contains(path);
    if (path.isEmpty() || (changed && !mayDiscardBooks({path})))
        return;
    // Saving may have given it another name.
    const QString now = m_books->page(path) ? path : m_books->currentPath();
    const bool discarded = m_books->changed().contains(now) || (wasNew && m_books->isNew(now));
    m_books->close(now);
    if (!discarded)
        return m_document.releaseText(now);
    m_document.dropText(now);
    if (wasNew) // there is nothing left of it
        m_document.edit(snapshot::RemoveBook{now.toStdString()});
}

void MainWindow::switchCurrentBook() {
    const std::string path = m_books->currentPath().toStdString();
    const auto books = m_document.inputs().enabledBooks();
    if (m_books->isShipped(m_books->currentPath()))
        return updateActions();
    if (std::find(books.begin(), books.end(), path) == books.end()) {
        // Without a file, a text that was never right acts as an empty one.
        if (m_books->isNew(m_books->currentPath()) &&
            !m_document.actingText(m_books->currentPath()))
            m_document.beginText(m_books->currentPath(), {});
        m_document.edit(snapshot::AddBook{path});
    } else {
        m_document.edit(snapshot::SwitchBook{path, snapshot::Enabled::No});
    }
    updateActions();
}

void MainWindow::offerDrafts() {
    if (!m_books->drafts())
        return;
    const std::vector<Draft> left = m_books->drafts()->leftOver();
    if (left.empty())
        return;
    QStringList names;
    for (const Draft& draft : left)
        names << QFileInfo(draft.path).fileName();
    m_offer->offer(
        u"The last window ended with books that were not saved: %1"_s.arg(names.join(u", "_s)),
        u"Restore"_s,
        [this, left] {
            for (const Draft& draft : left)
                m_books->restore(draft);
            m_books->drafts()->forgetLeftOver(left);
            // A document that names a book without a file could not be opened.
            for (const Draft& draft : left)
                if (m_books->isNew(draft.path) && !m_document.actingText(draft.path))
                    m_document.beginText(draft.path, {}); // until it was read
            if (!m_document.isOpen() && !m_wanted.isEmpty())
                openModel(m_wanted);
        },
        [this, left] { m_books->drafts()->forgetLeftOver(left); });
}

void MainWindow::goToDefinition(const QString& path, const Caret& at) {
    askAssist(path, at, [this](BookEditor*, const snapshot::AssistDocument& found) {
        if (!found.definition)
            return say(u"nothing is known of where this is defined"_s);
        editBook(QString::fromStdString(found.definition->file), found.definition->line,
                 found.definition->column);
    });
}

// The places of the name at the caret in all books that are open or take part: framed in this one,
// and in a list to choose from.
void MainWindow::showPlaces(const QString& path) {
    std::vector<snapshot::BookSource> open;
    for (int i = 0; i < m_books->tabs()->count(); ++i) {
        const QString other = m_books->pathAt(i);
        open.push_back({other.toStdString(), m_books->text(other).toStdString()});
    }
    const Caret at = m_books->current()->editor()->caret();
    m_document.assist(
        path, m_books->text(path), at.line, at.column,
        [this, path](std::shared_ptr<const snapshot::AssistDocument> found) {
            if (path != m_books->currentPath())
                return;
            if (found->references.empty())
                return say(u"there is no name at the caret"_s);
            std::vector<PaletteEntry> entries;
            std::vector<TextRange> here;
            for (const snapshot::LocationRecord& place : found->references) {
                const QString file = QString::fromStdString(place.file);
                if (file == path)
                    here.push_back(place);
                const BookPage* page = m_books->page(file);
                const QString line = page ? page->editor()->lineText(place.line).trimmed() : file;
                entries.push_back(
                    {u"%1:%2"_s.arg(QFileInfo(file).fileName()).arg(place.line), line.left(200),
                     [this, file, place] { editBook(file, place.line, place.column); }});
            }
            m_palette->open(u"%1 places of the name"_s.arg(entries.size()), std::move(entries));
            m_books->current()->editor()->setTints(std::move(here));
        },
        open);
}

void MainWindow::goToLine() {
    BookEditor* editor = m_books->current()->editor();
    bool ok = false;
    const int line = QInputDialog::getInt(this, u"Go to line"_s, u"Line:"_s, editor->caret().line,
                                          1, editor->document()->blockCount(), 1, &ok);
    if (ok)
        editor->goTo({line, 1});
}

// --- what is shown in a book

void MainWindow::showBook(const QString& path) {
    BookPage* page = m_books->page(path);
    if (!page)
        return;
    const auto& checks = m_document.checks();
    const auto check = checks.find(path.toStdString());
    page->editor()->setMarks(check == checks.end() ? std::vector<MarkRecord>()
                                                   : marksOf(*check->second));
    updateActions();
}

} // namespace fw::ui
