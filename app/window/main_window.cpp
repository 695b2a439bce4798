#include "app/window/main_window.h"

#include "app/window/bookmarks.h"
#include "app/window/drafts.h"
#include "app/window/find_box.h"
#include "app/window/graph_edits.h"
#include "app/window/layouts.h"
#include "app/window/library_boxes.h"
#include "app/window/main_bar.h"
#include "app/window/main_menus.h"
#include "app/window/message_bar.h"
#include "app/window/model_watch.h"
#include "app/window/palette.h"
#include "app/window/quick_choices.h"
#include "app/window/status_line.h"
#include "app/window/welcome_view.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QStatusBar>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

template <class... Each>
struct Handlers : Each... {
    using Each::operator()...;
};
template <class... Each>
Handlers(Each...) -> Handlers<Each...>;

} // namespace

MainWindow::MainWindow(const QString& workerProgram, Memory memory, const ViewRows& rows)
    : m_memory(memory), m_layoutVersion(layoutVersion(rows)), m_worker(workerProgram),
      m_document(m_worker) {
    setObjectName(u"mainWindow"_s);
    setWindowTitle(u"Fusewright"_s);
    setAcceptDrops(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setDocumentMode(true);
    resize(1440, 900);
    const bool remembers = memory == Memory::Remember;
    applyTheme(remembers ? m_settings.theme() : ThemeChoice::System);
    m_idleCheck.setSingleShot(true);
    m_idleCheck.setInterval(0);
    connect(&m_idleCheck, &QTimer::timeout, this, &MainWindow::checkIdle);

    buildCentre(rows);
    buildBars();
    connectViews();
    connectFiles();
    connectDocument();
    m_layouts->begin();
    if (remembers)
        fillRecent();
    const QString target = remembers ? m_settings.target() : QString();
    setTargetText(target.isEmpty() ? MainBar::targetPresets().front() : target);
    documentChanged(Parts::all());
    if (remembers && !m_settings.problem().isEmpty())
        (m_offer->text().isEmpty() ? m_offer : m_message)->tell(m_settings.problem());
}

MainWindow::~MainWindow() {
    // Views hear nothing while they are destroyed.
    m_document.disconnect(this);
    m_worker.disconnect(this);
    m_worker.disconnect(&m_document);
}

// --- what there is

void MainWindow::buildCentre(const ViewRows& rows) {
    m_message = new MessageBar;
    m_offer = new MessageBar;
    m_offer->setObjectName(u"noteBar"_s); // nothing went wrong here
    m_welcome = new WelcomeView;
    m_welcome->setSamples(shippedSamples());
    const bool remembers = m_memory == Memory::Remember;
    const ViewSources sources{m_document, m_answers, m_finder, [remembers] {
                                  return remembers ? std::make_unique<Drafts>() : nullptr;
                              }};
    m_views = new ViewDocks(*this, rows, sources, m_selection, m_welcome);
    auto* all = new QWidget;
    auto* layout = new QVBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    layout->addWidget(m_offer);
    layout->addWidget(m_views->middle(), 1);
    setCentralWidget(all);
    m_palette = new Palette(this);
}

void MainWindow::buildBars() {
    const auto inBooks = [this] {
        const View* books = m_views->named(u"booksView"_s);
        return books != nullptr && books->isAncestorOf(focusWidget());
    };
    m_bookmarks = new Bookmarks(m_document, m_selection, inBooks, this);
    m_files = new DocumentFiles(*this, m_document, *m_views, *m_bookmarks, m_settings, m_memory,
                                m_answers);
    m_dialogs = new DocumentDialogs(*this, m_document, m_settings, m_memory, m_answers);
    m_layouts = new Layouts(*this, *m_views, m_settings, m_memory, m_layoutVersion);
    m_bar = new MainBar(m_document, *m_views, m_finder,
                        m_memory == Memory::Remember ? &m_settings : nullptr);
    auto* edits = new GraphEdits(*this, m_document, m_selection);
    m_menus =
        new MainMenus({*this, m_settings, m_memory, m_document, m_selection, *m_views, *m_files,
                       *m_dialogs, m_finder, m_graphWindows, *edits, *m_bar, *m_layouts});
    addToolBar(m_bar);
    m_status = new StatusLine(statusBar(), m_document, m_worker, m_selection);
    connect(edits, &GraphEdits::written, m_views, [this](const QString& rule) {
        m_views->write(rule, QString::fromLatin1(GraphEdits::book));
    });
    connect(edits, &GraphEdits::said, m_status, &StatusLine::say);
    connect(edits, &GraphEdits::refused, this, &MainWindow::showProblem);
    connect(m_views, &ViewDocks::said, m_status, &StatusLine::say);
    connect(m_layouts, &Layouts::said, m_status, &StatusLine::say);
    connect(m_bar, &MainBar::requested, this, &MainWindow::serve);
    connect(m_status, &StatusLine::stopWanted, this, [this] { serve(Request::Stop); });
    connect(m_bar, &MainBar::openWanted, m_files, &DocumentFiles::openByDialog);
    connect(m_bar, &MainBar::targetChosen, this, &MainWindow::setTargetText);
    connect(m_bar->find(), &FindBox::stepWanted, this, &MainWindow::find);
    connect(m_bar->find(), &FindBox::allWanted, this,
            [this] { m_views->open(m_views->named(u"found"_s)); });
    connect(m_bar->find(), &FindBox::left, m_views, &ViewDocks::focusCentre);
    connect(m_bar->libraries(), &LibraryBoxes::switched, this, &MainWindow::switchLibrary);
    connect(m_menus, &MainMenus::requested, this, &MainWindow::serve);
    connect(m_menus, &MainMenus::targetChosen, this, &MainWindow::setTargetText);
    connect(m_menus, &MainMenus::placeWanted, this, &MainWindow::goTo);
    connect(m_menus, &MainMenus::bookmarkUsed, m_bookmarks, &Bookmarks::use);
    connect(m_menus, &MainMenus::placesWanted, this,
            [this] { m_palette->open(u"A place …"_s, m_bookmarks->choices()); });
    connect(m_bookmarks, &Bookmarks::said, m_status, &StatusLine::say);
    connect(m_bookmarks, &Bookmarks::wanted, this, [this](const Bookmarks::Place& place) {
        if (place.node.isEmpty())
            editBook(place.book, place.line, place.column);
        else if (!selectByName(place.node))
            m_status->say(u"there is no operator %1 any more"_s.arg(place.node));
    });
    connect(m_menus, &MainMenus::commandsWanted, this, &MainWindow::openCommands);
    connect(m_menus, &MainMenus::quickOpenWanted, this, &MainWindow::openQuickly);
    connect(m_menus, &MainMenus::themeChosen, this, [this](ThemeChoice choice) {
        applyTheme(choice);
        if (m_memory == Memory::Remember)
            m_settings.setTheme(choice);
    });
}

// --- who hears of what

void MainWindow::connectViews() {
    for (const ViewDocks::Shown& shown : *m_views) {
        const View* view = shown.view;
        connect(view, &View::asked, this,
                [this, view](const Intent& intent) { act(view, intent); });
        connect(view, &View::filesChanged, this, &MainWindow::showNow);
        connect(
            view, &View::statusChanged, m_status,
            [this, view, place = shown.dock ? StatusLine::Place::Right : StatusLine::Place::Left](
                const QString& text) { m_status->setText(view, place, text); });
    }
    connect(m_views, &ViewDocks::busyChanged, &m_idleCheck, qOverload<>(&QTimer::start));
    connect(&m_selection, &Selection::changed, this, &MainWindow::showNow);
}

void MainWindow::connectFiles() {
    connect(m_welcome, &WelcomeView::openRequested, m_files, &DocumentFiles::openByDialog);
    connect(m_welcome, &WelcomeView::modelRequested, m_files, &DocumentFiles::open);
    connect(m_files, &DocumentFiles::opening, this, [this](const QString& path) {
        m_message->clear();
        if (!m_document.isOpen())
            m_welcome->setBusy(u"Opening %1 …"_s.arg(QFileInfo(path).fileName()));
    });
    connect(m_files, &DocumentFiles::bookGiven, this, [this](const QString& path) {
        openBook(path);
        editBook(path, 0);
    });
    connect(m_files, &DocumentFiles::recentChanged, this, &MainWindow::fillRecent);
    connect(m_files, &DocumentFiles::said, m_status, &StatusLine::say);
    connect(m_files, &DocumentFiles::failed, this, &MainWindow::showProblem);
    connect(m_dialogs, &DocumentDialogs::said, m_status, &StatusLine::say);
    connect(m_dialogs, &DocumentDialogs::failed, this, &MainWindow::showProblem);
}

void MainWindow::connectDocument() {
    connect(&m_document, &Document::modelChanged, this, &MainWindow::modelChanged);
    connect(&m_document, &Document::fileChanged, this, &MainWindow::showNow);
    connect(&m_document, &Document::changed, this, &MainWindow::documentChanged);
    connect(&m_document, &Document::problem, this, &MainWindow::showProblem);
    connect(&m_document, &Document::note, this, [this](const QString& line) {
        log(line);
        m_status->say(line);
    });
    connect(&m_document.tasks(), &Tasks::changed, this, &MainWindow::showNow);
    connect(&m_document, &Document::idleChanged, this, [this] {
        m_idleCheck.start();
        showNow();
    });
    connect(&m_worker, &WorkerClient::stateChanged, this, &MainWindow::showNow);
    connect(
        &m_worker, &WorkerClient::progressed, this,
        [this](qint64, const snapshot::Progress& progress) { m_status->showProgress(progress); });
    connect(&m_worker, &WorkerClient::logged, this, &MainWindow::log);
    auto* watch = new ModelWatch(m_document, this);
    connect(watch, &ModelWatch::said, this, [this](const QString& line) {
        log(line);
        m_status->say(line);
    });
    connect(watch, &ModelWatch::offered, this, [this](const QString& line) {
        m_offer->offer(line, u"Read again"_s, [this] { serve(Request::Reload); });
    });
}

// What people do in a view: a handler for each intent.
void MainWindow::act(const View* view, const Intent& intent) {
    std::visit(
        Handlers{
            [this](Request request) { serve(request); },
            [this](const EditInputs& asked) { m_document.edit(asked.edit); },
            [this](const WantPart& asked) { m_document.want(asked.part, asked.about); },
            [this](const WantState& asked) { m_document.wantState(asked.state); },
            [this](const WantDetails&) { m_views->settleSoon(); },
            [this](const OpenPlace& place) { editBook(place.book, place.line, place.column); },
            [this](const ChangeText& change) {
                if (!m_views->changeText(change.book, change.edit))
                    m_status->say(u"%1 cannot be changed: Edit a copy (Ctrl+Alt+C) makes a book "
                                  "that can"_s.arg(QFileInfo(change.book).fileName()));
            },
            [this](const WriteText& text) { m_views->write(text.declarations); },
            [this](const ShowCounterexample& of) {
                m_graphWindows.openCounterexample(of.book, of.rule);
            },
            [this](const SelectNode& node) { selectByName(node.name); },
            [this](const ShowInside& node) { m_graphWindows.openBodies(node.imported); },
            [this](const ShowNodeMenu& menu) { m_menus->popUpNodeMenu(menu.global); },
            [this](const SavePicture& save) { m_dialogs->savePicture(save); },
            [this](const SaveTensor& save) { m_dialogs->saveTensor(save); },
            [&](ComeToFront) { m_views->bringToFront(view); },
            [&](Appear) { m_views->open(view); },
            [this](const Say& note) { m_status->say(note.text); },
            [this](const Log& note) { log(note.line); },
            [this](const TellProblem& problem) { showProblem(problem.diag); },
            [this](const OfferChoice& offer) { m_palette->open(offer.title, offer.choices); },
            [this](const Offer& offer) {
                m_offer->offer(offer.text, offer.action, offer.accept, offer.decline);
            },
            [this](TakeOffer) { m_offer->action()->click(); },
        },
        intent);
}

// What a view is asked for is done by the view that can do it, else by the window. False: by
// neither.
bool MainWindow::serve(Request request) {
    if (m_views->serve(request))
        return true;
    switch (request) {
    case Request::OpenBook:
        m_dialogs->openBook();
        return true;
    case Request::OpenAgain:
        m_files->openAgain();
        return true;
    case Request::Reload:
        m_message->clear();
        m_document.reload();
        return true;
    case Request::Profile:
        m_document.tasks().profile();
        return true;
    case Request::Stop:
        m_document.stop();
        return true;
    case Request::Save:
        return m_files->save();
    case Request::SaveAs:
        return m_files->saveAs();
    case Request::Find:
        m_bar->find()->edit();
        return true;
    case Request::FindNext:
        find(+1);
        return true;
    case Request::FindPrevious:
        find(-1);
        return true;
    case Request::Back:
    case Request::Forward:
        m_selection.go(request == Request::Back ? -1 : +1);
        return true;
    case Request::NewBook:
    case Request::NextChange:
    case Request::PreviousChange:
        break;
    }
    return false;
}

void MainWindow::modelChanged() {
    m_message->clear();
    m_welcome->setBusy({});
    m_views->leaveWelcome();
    m_selection.reset();
    m_files->opened();
    log(u"opened "_s +
        (m_document.documentPath().isEmpty() ? m_document.path() : m_document.documentPath()));
}

void MainWindow::documentChanged(Parts parts) {
    m_message->follow(m_document);
    if (parts.has(Part::Info) && m_document.state(Part::Info) == State::Error)
        m_welcome->setBusy({});
    if (parts.has(Part::Fused) && m_document.state(Part::Fused) == State::Ready) {
        m_selection.follow(snapshot::Provenance(*m_document.fused()));
        if (!m_selection.picked().empty())
            m_views->settleSoon();
    }
    if (parts.hasAny({Part::Inputs, Part::Doctor})) {
        m_bar->showInputs();
        if (m_memory == Memory::Remember)
            m_settings.setTarget(text(m_document.inputs().target)); // libraries are the document's
    }
    if (parts.hasAny({Part::Inputs, Part::Doctor, Part::Plan}))
        m_bar->showLibraries();
    if (parts.hasAny({Part::Inputs, Part::Checks}))
        m_bar->showTargets();
    m_views->documentChanged(m_document, parts);
    showNow();
}

// What can be done now, and what is said of it.
void MainWindow::showNow() {
    setWindowTitle(!m_document.isOpen() ? u"Fusewright"_s
                                        : (m_document.unsaved() ? u"● "_s : QString()) +
                                              m_document.fileName() + u" – Fusewright"_s);
    m_menus->update();
    m_bar->updateButtons(idle() ? MainBar::Working::No : MainBar::Working::Yes);
    m_status->update();
}

void MainWindow::showProblem(const Diag& diag) {
    log(text(diag.text()));
    if (diag.code == DiagCode::Cancelled)
        return;
    for (const ViewDocks::Shown& shown : *m_views)
        shown.view->problemAppeared(diag);
    if (diag.severity == Severity::Error || diag.code == DiagCode::WorkerDied)
        m_message->tell(diag, m_document);
    showNow();
}

void MainWindow::log(const QString& line) {
    for (const ViewDocks::Shown& shown : *m_views)
        shown.view->lineLogged(line);
}

void MainWindow::fillRecent() {
    m_welcome->setRecent(m_menus->fillRecent());
}

void MainWindow::checkIdle() {
    // Told again when nothing changed: what was pending may have come and gone between two checks.
    const bool now = idle();
    const bool changed = std::exchange(m_wasIdle, now) != now;
    if (changed)
        showNow(); // what can be stopped
    if (changed || now)
        Q_EMIT idleChanged();
}

// --- what people do

void MainWindow::setTargetText(const QString& target) {
    m_document.setTarget(target);
    m_bar->setTarget(text(m_document.inputs().target));
}

LibraryBoxes* MainWindow::libraries() const {
    return m_bar->libraries();
}

void MainWindow::switchLibrary(const QString& name, bool on) {
    m_dialogs->switchLibrary(name, on);
    m_bar->showLibraries(); // a box that cannot change anything jumps back
}

void MainWindow::openBook(const QString& path) {
    m_document.edit(snapshot::AddBook{QFileInfo(path).absoluteFilePath().toStdString()});
}

void MainWindow::applyTheme(ThemeChoice choice) {
    static const ThemeKind ofSystem = Theme::systemKind(); // before the first apply()
    const ThemeKind kind = choice == ThemeChoice::Light  ? ThemeKind::Light
                           : choice == ThemeChoice::Dark ? ThemeKind::Dark
                                                         : ofSystem;
    Theme::instance().apply(kind);
}

void MainWindow::find(int step) {
    if (m_finder.query().isEmpty())
        return m_bar->find()->edit();
    m_finder.step(step);
    m_status->say(m_finder.countText());
}

void MainWindow::goTo() {
    bool ok = false;
    const QString name = QInputDialog::getText(this, u"Go to"_s, u"Node or group, or #id:"_s,
                                               QLineEdit::Normal, {}, &ok);
    if (!ok || name.trimmed().isEmpty() || selectByName(name.trimmed()))
        return;
    m_bar->find()->lookFor(name);
    find(+1);
}

void MainWindow::openCommands() {
    m_palette->open(u"A command …"_s, menuChoices(*menuBar()));
}

void MainWindow::openQuickly() {
    QStringList books;
    for (const ViewDocks::Shown& shown : *m_views)
        books += shown.view->openBooks();
    m_palette->open(u"A book, group, operator or recent file …"_s,
                    quickChoices(m_document, books,
                                 m_memory == Memory::Remember ? m_settings.recent() : QStringList(),
                                 {[this](const QString& book) { editBook(book, 0); },
                                  [this](const QString& name) { selectByName(name); },
                                  [this](const QString& path) { openModel(path); }}));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton)
        serve(Request::Back);
    else if (event->button() == Qt::ForwardButton)
        serve(Request::Forward);
    else
        QMainWindow::mousePressEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls[0].isLocalFile()) {
        event->acceptProposedAction();
        openModel(urls[0].toLocalFile());
    }
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        QMetaObject::invokeMethod(&Theme::instance(), &Theme::followFont, Qt::QueuedConnection);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_files->keep();
    if (!m_views->mayClose() || !m_files->mayDiscard()) {
        event->ignore();
        return;
    }
    m_views->close();
    m_layouts->end();
    event->accept();
}

} // namespace fw::ui
