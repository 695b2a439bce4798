// Opening, saving and closing books.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "app/window/graph_edits.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QTextBlock>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString newBookText() {
    return u"# What this book is about.\n\n"_s;
}

// "edits.fw", "edits-1.fw"
bool isOwn(const QString& path, const QString& stem) {
    const QString name = QFileInfo(path).completeBaseName();
    return name == stem || name.startsWith(stem + u'-');
}

} // namespace

// Beside the model, or in its folder.
QString BooksView::bookFolder() const {
    const QFileInfo model(m_document.path());
    if (!m_document.isOpen())
        return m_settings.folder();
    return model.isDir() ? model.absoluteFilePath() : model.absolutePath();
}

void BooksView::newBook() {
    beginBook(freeBookPath(bookFolder(), u"book"_s, m_books->paths()), newBookText());
}

void BooksView::beginBook(const QString& path, const QString& text) {
    m_books->begin(path, text);
    m_document.books().beginText(path, text);
    m_books->current()->editor()->moveCursor(QTextCursor::End);
    if (m_document.isOpen())
        edit(snapshot::AddBook{path.toStdString()});
}

void BooksView::showOwn(const QString& stem) {
    for (const snapshot::Book& book : m_document.inputs().books)
        if (const QString path = QString::fromStdString(book.path); isOwn(path, stem)) {
            edit(snapshot::AddBook{book.path}); // it may be switched off
            openPlace(path, 0, 1);
            return;
        }
    QString path = QDir(bookFolder()).absoluteFilePath(stem + u".fw"_s);
    if (QFileInfo::exists(path) || m_books->paths().contains(path))
        path = freeBookPath(bookFolder(), stem, m_books->paths());
    beginBook(path,
              u"# Edits of the graph, each at one operator: rules, undone like any text.\n\n"_s);
    edit(snapshot::MoveBook{path.toStdString(), 0});
}

// A document without the edits that were made in it would be another one.
void BooksView::saving() {
    for (const QString& path : m_books->changed())
        if (isOwn(path, QString::fromLatin1(GraphEdits::book)))
            if (const Status saved = m_books->save(path); !saved)
                Q_EMIT asked(TellProblem{saved.diag()});
}

// Behind the current book, or the last one of the document, as one step of undo; a shipped one is
// not changed.
bool BooksView::takeText(const QString& declarations, const QString& book) {
    if (!book.isEmpty())
        showOwn(book);
    else if (const auto books = m_document.inputs().enabledBooks();
             m_books->currentPath().isEmpty() && !books.empty())
        if (const Status opened = m_books->open(QString::fromStdString(books.back())); !opened)
            Q_EMIT asked(TellProblem{opened.diag()});
    if (m_books->currentPath().isEmpty() || m_books->isShipped(m_books->currentPath()))
        newBook();
    BookEditor* editor = m_books->current()->editor();
    QTextCursor end(editor->document());
    end.movePosition(QTextCursor::End);
    end.beginEditBlock();
    if (!end.block().text().isEmpty())
        end.insertBlock();
    if (end.blockNumber() > 0 && !end.block().previous().text().isEmpty())
        end.insertBlock();
    const int line = end.blockNumber() + 1;
    end.insertText(declarations);
    end.endEditBlock();
    editor->goTo({line, 1});
    editor->setFocus(Qt::OtherFocusReason);
    return true;
}

bool BooksView::changeText(const QString& book, const snapshot::Fix& edit) {
    const BookPage* page = m_books->page(book);
    if (page == nullptr || page->editor()->isReadOnly())
        return false;
    page->editor()->apply(edit);
    page->editor()->goTo(startOf(edit));
    return true;
}

bool BooksView::openPlace(const QString& file, int line, int column) {
    const auto go = [this, line, column] {
        if (line <= 0 || !m_books->current())
            return;
        m_books->current()->editor()->goTo({line, column});
        m_books->current()->editor()->setFocus();
    };
    if (m_books->page(file)) {
        m_books->show(file);
        go();
    } else if (file.contains(u'/')) {
        if (const Status opened = m_books->open(file); opened)
            go();
        else
            Q_EMIT asked(TellProblem{opened.diag()});
    } else {
        m_document.books().askShipped(file, [this, go](const Shared<snapshot::BookDocument>& book) {
            m_books->showShipped(QString::fromStdString(book->file),
                                 QString::fromStdString(book->text));
            go();
        });
    }
    return true;
}

TextJumps::Place BooksView::here() const {
    if (!m_books->current())
        return {};
    const Caret caret = m_books->current()->editor()->caret();
    return {m_books->currentPath(), caret.line, caret.column};
}

void BooksView::leave() {
    m_jumps.left(here());
}

bool BooksView::jump(int step) {
    const auto place = m_jumps.go(step, here());
    return place && openPlace(place->book, place->line, place->column);
}

// A book of that file name takes the place of the shipped one.
void BooksView::copyShipped(const QString& file) {
    if (!m_books->isShipped(file))
        return;
    const QString folder = bookFolder();
    const QString path = QDir(folder).absoluteFilePath(file);
    const int line = m_books->page(file)->editor()->caret().line;
    if (QFileInfo::exists(path) || m_books->page(path)) {
        Q_EMIT asked(Say{u"%1 is there already"_s.arg(path)});
        openPlace(path, line, 1);
    } else {
        m_books->begin(path, m_books->text(file));
        m_document.books().beginText(path, m_books->text(file));
        m_books->current()->editor()->goTo({line, 1});
    }
    m_books->close(file);
    if (m_document.isOpen())
        edit(snapshot::AddBook{path.toStdString()});
}

bool BooksView::saveBook(const QString& path) {
    if (m_books->isShipped(path) || path.isEmpty())
        return false;
    if (m_books->isNew(path))
        return saveBookAs(path);
    if (const Status saved = m_books->save(path); !saved) {
        Q_EMIT asked(TellProblem{saved.diag()}); // the text is still here
        return false;
    }
    Q_EMIT asked(Say{u"saved "_s + path});
    return true;
}

bool BooksView::saveBookAs(const QString& path) {
    if (m_books->isShipped(path) || path.isEmpty())
        return false;
    QString file = m_answers.saveName ? m_answers.saveName(path)
                                      : QFileDialog::getSaveFileName(this, u"Save the book"_s, path,
                                                                     u"Rule books (*.fw)"_s);
    if (file.isEmpty())
        return false;
    if (QFileInfo(file).suffix().isEmpty())
        file += u".fw"_s;
    if (const Status saved = m_books->save(path, file); !saved) {
        Q_EMIT asked(TellProblem{saved.diag()});
        return false;
    }
    Q_EMIT asked(Say{u"saved "_s + file});
    return true;
}

bool BooksView::mayDiscardBooks(const QStringList& paths) {
    QStringList names;
    for (const QString& path : paths)
        names << QFileInfo(path).fileName();
    if (paths.isEmpty())
        return true;
    Unsaved answer = Unsaved::Cancel;
    if (m_answers.unsaved) {
        answer = m_answers.unsaved();
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

void BooksView::closeBook(const QString& path) {
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
        return m_document.books().releaseText(now);
    m_document.books().dropText(now);
    if (wasNew) // there is nothing left of it
        edit(snapshot::RemoveBook{now.toStdString()});
}

void BooksView::switchCurrentBook() {
    const std::string path = m_books->currentPath().toStdString();
    const auto books = m_document.inputs().enabledBooks();
    if (m_books->isShipped(m_books->currentPath()))
        return updateCommands();
    if (std::find(books.begin(), books.end(), path) == books.end()) {
        // Without a file, a text that was never right acts as an empty one.
        if (m_books->isNew(m_books->currentPath()) &&
            !m_document.books().actingText(m_books->currentPath()))
            m_document.books().beginText(m_books->currentPath(), {});
        edit(snapshot::AddBook{path});
    } else {
        edit(snapshot::SwitchBook{path, snapshot::Enabled::No});
    }
    updateCommands();
}

// The buttons above a text whose file others changed, by keyboard.
void BooksView::answerBanner(BookPage::Answer answer) {
    if (!m_books->current()->answer(answer))
        Q_EMIT asked(Say{u"the file is as this window left it"_s});
}

} // namespace fw::ui
