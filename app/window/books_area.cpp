#include "app/window/books_area.h"

#include "app/window/text_parts.h"
#include "views/editor/book_text.h"

#include <QFileInfo>
#include <QTabBar>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int draftPause = 1000; // ms

QString nameOf(const QString& path) {
    return QFileInfo(path).fileName();
}

} // namespace

BooksArea::BooksArea(std::unique_ptr<Drafts> drafts, QWidget* parent)
    : QWidget(parent), m_tabs(new QTabWidget(this)), m_parts(new TextParts(this)),
      m_drafts(std::move(drafts)) {
    m_tabs->setDocumentMode(true);
    m_tabs->setTabsClosable(true);
    m_tabs->setMovable(true);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setObjectName(u"books"_s);
    m_tabs->tabBar()->setAccessibleName(u"Open books"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_parts->setObjectName(u"bookParts"_s);
    m_parts->addWidget(m_tabs);
    layout->addWidget(m_parts);
    connect(m_tabs, &QTabWidget::currentChanged, this, &BooksArea::currentChanged);
    connect(m_tabs, &QTabWidget::tabCloseRequested, this, [this](int index) {
        Q_EMIT closeRequested(pathOf(qobject_cast<BookPage*>(m_tabs->widget(index))));
    });
    m_pause.setSingleShot(true);
    m_pause.setInterval(pause);
    connect(&m_pause, &QTimer::timeout, this, &BooksArea::settleNow);
    m_draftPause.setSingleShot(true);
    m_draftPause.setInterval(draftPause);
    connect(&m_draftPause, &QTimer::timeout, this, &BooksArea::keepDrafts);
    connect(&m_watch, &FileWatch::changed, this, &BooksArea::onDisk);
}

BooksArea::~BooksArea() {
    keepDrafts();
}

BooksArea::Book* BooksArea::find(const QString& path) {
    return const_cast<Book*>(std::as_const(*this).find(path));
}

const BooksArea::Book* BooksArea::find(const QString& path) const {
    for (const auto& book : m_books)
        if (book->path == path)
            return book.get();
    return nullptr;
}

BooksArea::Book& BooksArea::add(const QString& path, Origin origin, const BookFile& disk) {
    m_books.push_back(std::make_unique<Book>());
    Book& book = *m_books.back();
    book.path = path;
    book.origin = origin;
    book.disk = disk;
    book.page = new BookPage;
    BookPage* page = book.page;
    page->editor()->setWholeText(disk.text);
    page->editor()->document()->setModified(false);
    if (origin == Origin::Shipped) {
        page->editor()->setReadOnly(true);
        page->editor()->setTextInteractionFlags(Qt::TextSelectableByMouse |
                                                Qt::TextSelectableByKeyboard);
        page->setBanner(BookPage::Banner::ReadOnly);
    }
    connect(page->editor(), &BookEditor::edited, this, [this, page] { edited(page); });
    connect(page->editor(), &BookEditor::caretMoved, this, [this, page] {
        if (page == current())
            Q_EMIT caretMoved();
    });
    connect(page->editor(), &BookEditor::completionAsked, this,
            [this, page](const Caret& at, int revision) {
                Q_EMIT completionAsked(pathOf(page), at, revision);
            });
    connect(page->editor(), &BookEditor::hoverAsked, this,
            [this, page](const Caret& at, const QPoint& global) {
                Q_EMIT hoverAsked(pathOf(page), at, global);
            });
    connect(page->editor(), &BookEditor::definitionAsked, this,
            [this, page](const Caret& at) { Q_EMIT definitionAsked(pathOf(page), at); });
    connect(page->editor(), &BookEditor::noteActivated, this, &BooksArea::noteActivated);
    connect(page, &BookPage::copyRequested, this,
            [this, page] { Q_EMIT copyRequested(pathOf(page)); });
    connect(page, &BookPage::reloadRequested, this, [this, page] {
        Book* mine = find(pathOf(page));
        if (!mine)
            return;
        if (auto file = readBookFile(mine->path))
            reload(*mine, *file);
        else
            Q_EMIT problem(file.diag());
    });
    // The file as it is counts as seen: only its next change asks again.
    connect(page, &BookPage::keepRequested, this, [this, page] {
        page->setBanner(BookPage::Banner::None);
        showTitles();
    });
    m_tabs->addTab(page, nameOf(path));
    watchAgain();
    showTitles();
    m_tabs->setCurrentWidget(page);
    page->editor()->setFocus();
    book.told = false;
    m_pause.start();
    return book;
}

Status BooksArea::open(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!find(absolute)) {
        FW_TRY(const BookFile file, readBookFile(absolute));
        add(absolute, Origin::File, file);
    }
    show(absolute);
    return {};
}

void BooksArea::begin(const QString& path, const QString& text) {
    Book& book = add(path, Origin::New, {});
    book.page->editor()->setWholeText(text);
    book.page->editor()->document()->setModified(true);
    edited(book.page);
}

void BooksArea::showShipped(const QString& file, const QString& text) {
    if (!find(file))
        add(file, Origin::Shipped, {text, false});
    show(file);
}

void BooksArea::restore(const Draft& draft) {
    Book* book = find(draft.path);
    if (!book) {
        const auto file = readBookFile(draft.path);
        book = &add(draft.path, file ? Origin::File : Origin::New, file ? *file : BookFile{});
    }
    if (text(draft.path) != draft.text)
        book->page->editor()->replaceWholeText(draft.text);
    if (book->origin == Origin::New)
        book->page->editor()->document()->setModified(true);
    edited(book->page);
    keepDrafts(); // the one it came from may go
}

Status BooksArea::save(const QString& path, const QString& as) {
    Book* book = find(path);
    if (!book || book->origin == Origin::Shipped)
        return {};
    settleNow();
    const QString target = as.isEmpty() ? path : QFileInfo(as).absoluteFilePath();
    const BookFile file{text(path), book->disk.carriageReturns};
    FW_CHECK(writeBookFile(target, file));
    if (m_drafts)
        m_drafts->forget({path, {}});
    m_undrafted.removeAll(path);
    // A tab of the file that was replaced would show what is no longer there.
    if (target != path && find(target))
        close(target);
    book->path = target;
    book->origin = Origin::File;
    book->disk = file;
    book->page->editor()->document()->setModified(false);
    book->page->setBanner(BookPage::Banner::None);
    watchAgain();
    m_watch.known(target);
    showTitles();
    Q_EMIT savedAs(target, path);
    return {};
}

void BooksArea::close(const QString& path) {
    const auto found = std::find_if(m_books.begin(), m_books.end(),
                                    [&](const auto& book) { return book->path == path; });
    if (found == m_books.end())
        return;
    if (m_drafts)
        m_drafts->forget({path, {}});
    m_undrafted.removeAll(path);
    BookPage* page = (*found)->page;
    m_books.erase(found);
    m_tabs->removeTab(m_tabs->indexOf(page));
    page->deleteLater();
    if (BookPage* next = current()) // and not its tab
        next->editor()->setFocus();
    watchAgain();
    Q_EMIT changedChanged();
    Q_EMIT currentChanged();
}

void BooksArea::show(const QString& path) {
    if (const Book* book = find(path)) {
        m_tabs->setCurrentWidget(book->page);
        book->page->editor()->setFocus();
    }
}

BookPage* BooksArea::current() const {
    return qobject_cast<BookPage*>(m_tabs->currentWidget());
}

QString BooksArea::pathOf(const BookPage* page) const {
    for (const auto& book : m_books)
        if (book->page == page)
            return book->path;
    return {};
}

QString BooksArea::currentPath() const {
    return pathOf(current());
}

QString BooksArea::pathAt(int tab) const {
    return pathOf(qobject_cast<BookPage*>(m_tabs->widget(tab)));
}

BookPage* BooksArea::page(const QString& path) const {
    const Book* book = find(path);
    return book ? book->page : nullptr;
}

QStringList BooksArea::paths() const {
    QStringList out;
    for (int i = 0; i < m_tabs->count(); ++i) {
        const QString path = pathOf(qobject_cast<BookPage*>(m_tabs->widget(i)));
        if (!isShipped(path))
            out << path;
    }
    return out;
}

bool BooksArea::isChanged(const Book& book) const {
    const QTextDocument* document = book.page->editor()->document();
    return book.origin != Origin::Shipped && document->isModified() &&
           !(book.origin == Origin::New && document->isEmpty());
}

QStringList BooksArea::changed() const {
    QStringList out;
    for (const auto& book : m_books)
        if (isChanged(*book))
            out << book->path;
    return out;
}

bool BooksArea::isShipped(const QString& path) const {
    const Book* book = find(path);
    return book && book->origin == Origin::Shipped;
}

bool BooksArea::isNew(const QString& path) const {
    const Book* book = find(path);
    return book && book->origin == Origin::New;
}

bool BooksArea::saysWhatIsOnDisk(const QString& path) const {
    const Book* book = find(path);
    return book &&
           (!isChanged(*book) || (book->origin == Origin::File &&
                                  withoutComments(text(path)) == withoutComments(book->disk.text)));
}

QString BooksArea::text(const QString& path) const {
    const Book* book = find(path);
    return book ? book->page->editor()->wholeText() : QString();
}

// --- edits

void BooksArea::edited(BookPage* page) {
    for (const auto& book : m_books)
        if (book->page == page && book->origin != Origin::Shipped) {
            book->told = false;
            if (!m_undrafted.contains(book->path))
                m_undrafted << book->path;
            m_pause.start();
            if (!m_draftPause.isActive()) // a text that is typed without a pause is kept, too
                m_draftPause.start();
            showTitles();
            Q_EMIT textEdited(book->path);
        }
}

bool BooksArea::settled() const {
    return std::all_of(m_books.begin(), m_books.end(), [](const auto& book) { return book->told; });
}

void BooksArea::settleNow() {
    m_pause.stop();
    std::vector<std::pair<QString, QString>> news;
    for (const auto& book : m_books)
        if (!std::exchange(book->told, true))
            news.emplace_back(book->path, text(book->path));
    for (const auto& [path, now] : news)
        Q_EMIT textSettled(path, now);
}

void BooksArea::tellAgain() {
    for (const auto& book : m_books)
        book->told = false;
    m_pause.start();
}

void BooksArea::setBelow(QWidget* widget) {
    m_parts->addWidget(widget);
}

void BooksArea::keepDrafts() {
    m_draftPause.stop();
    for (const QString& path : std::exchange(m_undrafted, {})) {
        const Book* book = find(path);
        if (!m_drafts || !book)
            continue;
        if (!isChanged(*book)) {
            m_drafts->forget({path, {}});
            continue;
        }
        if (const Status kept = m_drafts->keep({path, text(path)}); !kept)
            Q_EMIT problem(kept.diag());
    }
}

// --- files

void BooksArea::watch(const QStringList& paths) {
    if (paths == m_others)
        return;
    m_others = paths;
    watchAgain();
}

void BooksArea::watchAgain() {
    QStringList all = m_others;
    for (const auto& book : m_books)
        if (book->origin == Origin::File && !all.contains(book->path))
            all << book->path;
    m_watch.setPaths(all);
}

void BooksArea::reload(Book& book, const BookFile& file) {
    book.disk = file;
    book.page->editor()->replaceWholeText(file.text);
    book.page->editor()->document()->setModified(false);
    book.page->setBanner(BookPage::Banner::None);
    Q_EMIT fileChanged(book.path);
    edited(book.page);
    settleNow();
}

void BooksArea::onDisk(const QString& path) {
    Book* book = find(path);
    if (!book)
        return Q_EMIT fileChanged(path);
    if (book->origin != Origin::File)
        return;
    if (!QFileInfo::exists(path)) {
        book->page->setBanner(BookPage::Banner::Gone);
        book->page->editor()->document()->setModified(true); // what is here is all there is
        showTitles();
        return;
    }
    const auto file = readBookFile(path);
    if (!file)
        return Q_EMIT problem(file.diag());
    if (file->text == text(path)) {
        book->disk = *file;
        book->page->editor()->document()->setModified(false);
        book->page->setBanner(BookPage::Banner::None);
        return showTitles();
    }
    if (isChanged(*book)) {
        book->disk = *file;
        return book->page->setBanner(BookPage::Banner::ChangedOnDisk);
    }
    reload(*book, *file);
}

void BooksArea::showTitles() {
    for (const auto& book : m_books) {
        const int tab = m_tabs->indexOf(book->page);
        const bool changed = isChanged(*book);
        QString name = nameOf(book->path);
        name.replace(u'&', u"&&"_s);
        m_tabs->setTabText(tab, (changed ? u"● "_s : QString()) + name);
        m_tabs->setTabToolTip(tab, book->origin == Origin::Shipped ? u"shipped with Fusewright"_s
                                                                   : book->path);
        book->page->setDetail(book->origin == Origin::Shipped ? u"read-only"_s
                              : book->origin == Origin::New   ? u"never saved"_s
                              : changed                       ? u"not saved"_s
                                                              : u"saved"_s);
    }
    Q_EMIT changedChanged();
}

} // namespace fw::ui
