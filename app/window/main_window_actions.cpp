// Menus, tool bar and dialogs. Every action stands in a menu and has a shortcut.
#include "app/window/books_area.h"
#include "app/window/graph_pane.h"
#include "app/window/help_window.h"
#include "app/window/library_boxes.h"
#include "app/window/main_window.h"
#include "app/window/picture_file.h"
#include "app/window/welcome_view.h"
#include "views/authoring/rules_view.h"
#include "views/common/combo_box.h"
#include "views/common/theme.h"
#include "views/compare/changes_view.h"
#include "views/editor/find_bar.h"
#include "views/explain/explain_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QThread>
#include <QToolBar>
#include <QToolButton>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QStringList targetPresets() {
    const int threads = std::max(1, QThread::idealThreadCount());
    QStringList out = {u"x86-64 -mcpu=native -threads=%1"_s.arg(threads)};
    if (threads != 1)
        out << u"x86-64 -mcpu=native -threads=1"_s;
    out << u"x86-64 -mcpu=x86-64-v3 -threads=%1"_s.arg(threads)
        << u"x86-64 -mcpu=x86-64-v4 -threads=%1"_s.arg(threads);
    return out;
}

// What the menu of a node offers, of all that the menu bar has.
const QStringList ofNodes = {u"Select the &whole group"_s, u"Keep selected &together"_s,
                             u"Keep selected &apart"_s,    u"Clear the pins of the &group"_s,
                             u"Copy &explanation"_s,       u"Fit &selection"_s};

} // namespace

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& keys,
                               const std::function<void()>& slot) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, slot);
    return action;
}

void MainWindow::buildActions() {
    const auto keys = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    const auto canvas = [this] { return currentPane()->canvas(); };
    const auto needsModel = [this](QAction* action) { m_needModel.push_back(action); };

    QMenu* file = menuBar()->addMenu(u"&File"_s);
    addAction(file, u"&Open…"_s, keys("Ctrl+O"), [this] { openDialog(); });
    m_recentMenu = file->addMenu(u"Open &recent"_s);
    needsModel(addAction(file, u"Re&load"_s, keys("F5"), [this] { m_document.reload(); }));
    file->addSeparator();
    // Of what the keys go to: a book, or the document.
    m_saveAction = addAction(file, u"&Save"_s, keys("Ctrl+S"), [this] {
        inBook() ? saveBook(m_books->currentPath()) : saveDocument();
    });
    m_saveAsAction = addAction(file, u"Save &as…"_s, keys("Ctrl+Shift+S"), [this] {
        inBook() ? saveBookAs(m_books->currentPath()) : saveDocumentAs();
    });
    file->addSeparator();
    needsModel(
        addAction(file, u"&Export module…"_s, keys("Ctrl+Shift+E"), [this] { exportDialog(); }));
    needsModel(
        addAction(file, u"Save &picture…"_s, keys("Ctrl+Alt+E"), [this] { savePictureDialog(); }));
    file->addSeparator();
    addAction(file, u"&Quit"_s, keys("Ctrl+Q"), [this] { close(); });

    QMenu* edit = menuBar()->addMenu(u"&Edit"_s);
    m_undoAction = addAction(edit, u"&Undo"_s, keys("Ctrl+Z"), [this] { m_document.undo(); });
    m_redoAction = addAction(edit, u"&Redo"_s, keys("Ctrl+Shift+Z"), [this] { m_document.redo(); });
    edit->addSeparator();
    addAction(edit, u"&Find"_s, keys("Ctrl+F"), [this] {
        if (inBook())
            return m_books->current()->findBar()->open(FindBar::Row::Find);
        m_find->setFocus(Qt::ShortcutFocusReason);
        m_find->selectAll();
    });
    addAction(edit, u"Find &next"_s, keys("F3"),
              [this] { inBook() ? stepMatch(+1) : findNext(+1); });
    addAction(edit, u"Find &previous"_s, keys("Shift+F3"),
              [this] { inBook() ? stepMatch(-1) : findNext(-1); });
    edit->addSeparator();
    addAction(edit, u"Copy &explanation"_s, keys("Ctrl+Shift+C"),
              [this] { QApplication::clipboard()->setText(m_explain->asText()); });
    addAction(edit, u"Copy &values"_s, keys("Ctrl+Shift+V"),
              [this] { QApplication::clipboard()->setText(m_properties->values()->asText()); });
    addAction(edit, u"Copy op &times"_s, keys("Ctrl+Shift+T"),
              [this] { QApplication::clipboard()->setText(m_profile->asText()); });
    edit->addSeparator();
    addAction(edit, u"Select n&othing"_s, keys("Ctrl+Shift+A"), [this] { select({}); });

    edit->addSeparator();
    addAction(edit, u"Co&mmands…"_s, keys("Ctrl+Shift+P"), [this] { openCommands(); });
    addAction(edit, u"&Quick open…"_s, keys("Ctrl+P"), [this] { openQuickly(); });

    QMenu* view = menuBar()->addMenu(u"&View"_s);
    int number = 1;
    for (const Dock& entry : m_docks) {
        QDockWidget* dock = entry.widget;
        QAction* toggle = dock->toggleViewAction();
        toggle->setShortcut(QKeySequence(u"Alt+%1"_s.arg(number++ % 10)));
        view->addAction(toggle);
        // A tab that is shown again comes to the front.
        connect(toggle, &QAction::triggered, dock, [dock](bool shown) {
            if (shown)
                dock->raise();
        });
    }
    view->addSeparator();
    needsModel(addAction(view, u"&Fit"_s, keys("Ctrl+9"), [canvas] { canvas()->fitAll(); }));
    needsModel(addAction(view, u"Fit &selection"_s, keys("Ctrl+8"),
                         [canvas] { canvas()->fitSelection(); }));
    needsModel(addAction(view, u"&100 %"_s, keys("Ctrl+0"), [canvas] { canvas()->setScale(1); }));
    needsModel(addAction(view, u"Zoom &in"_s, keys("Ctrl++"),
                         [canvas] { canvas()->setScale(canvas()->scale() * 1.25); }));
    needsModel(addAction(view, u"Zoom &out"_s, keys("Ctrl+-"),
                         [canvas] { canvas()->setScale(canvas()->scale() / 1.25); }));
    QAction* minimap = addAction(view, u"&Minimap"_s, keys("Ctrl+M"), [] {});
    minimap->setCheckable(true);
    minimap->setChecked(true);
    connect(minimap, &QAction::toggled, this, [this](bool on) {
        m_importedPane->canvas()->setMinimapShown(on);
        m_fusedPane->canvas()->setMinimapShown(on);
    });
    view->addSeparator();
    auto* heats = new QActionGroup(this);
    const auto heat = [&](const QString& name, const char* shortcut, Heat choice) {
        QAction* action = addAction(view, name, keys(shortcut), [this, choice] {
            m_heat = choice;
            showHeat();
        });
        action->setCheckable(true);
        action->setChecked(choice == m_heat);
        heats->addAction(action);
    };
    heat(u"No &heat"_s, "Ctrl+H", Heat::None);
    heat(u"Heat by &time"_s, "Ctrl+Shift+H", Heat::Time);
    heat(u"Heat by time &per operation"_s, "Ctrl+Alt+H", Heat::Slowness);
    view->addSeparator();
    auto* themes = new QActionGroup(this);
    const auto theme = [&](const QString& name, const char* shortcut, ThemeChoice choice) {
        QAction* action = addAction(view, name, keys(shortcut), [this, choice] {
            applyTheme(choice);
            if (m_memory == Memory::Remember)
                m_settings.setTheme(choice);
        });
        action->setCheckable(true);
        action->setChecked(m_memory == Memory::Remember ? m_settings.theme() == choice
                                                        : choice == ThemeChoice::System);
        themes->addAction(action);
    };
    theme(u"Theme of the s&ystem"_s, "Ctrl+Alt+Y", ThemeChoice::System);
    theme(u"&Light theme"_s, "Ctrl+Alt+L", ThemeChoice::Light);
    theme(u"&Dark theme"_s, "Ctrl+Alt+D", ThemeChoice::Dark);
    view->addSeparator();
    addAction(view, u"&Reset layout"_s, keys("Ctrl+Alt+R"), [this] { defaultLayout(); });
    addAction(view, u"F&ull screen"_s, keys("F11"),
              [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });

    QMenu* graph = menuBar()->addMenu(u"&Graph"_s);
    m_backAction = addAction(graph, u"&Back"_s, keys("Alt+Left"), [this] { goHistory(-1); });
    m_forwardAction = addAction(graph, u"&Forward"_s, keys("Alt+Right"), [this] { goHistory(+1); });
    graph->addSeparator();
    needsModel(addAction(graph, u"&Next operator"_s, keys("Ctrl+]"), [this] { walk(+1); }));
    needsModel(addAction(graph, u"&Previous operator"_s, keys("Ctrl+["), [this] { walk(-1); }));
    needsModel(
        addAction(graph, u"Next &group"_s, keys("Ctrl+Shift+Down"), [this] { walkGroups(+1); }));
    needsModel(
        addAction(graph, u"Previous g&roup"_s, keys("Ctrl+Shift+Up"), [this] { walkGroups(-1); }));
    needsModel(addAction(graph, u"Select the &whole group"_s, keys("Alt+Up"), [this] {
        if (!m_selection.fused.empty())
            if (const int group = m_provenance.groupOf(*m_selection.fused.begin()); group >= 0)
                select(fromGroup(group));
    }));
    needsModel(addAction(graph, u"Free &dimensions…"_s, keys("Ctrl+D"), [this] { askDims(); }));
    needsModel(addAction(graph, u"Go &to…"_s, keys("Ctrl+G"), [this] { goTo(); }));
    graph->addSeparator();
    needsModel(addAction(graph, u"Next &change"_s, keys("F4"), [this] { m_changes->step(+1); }));
    needsModel(
        addAction(graph, u"Previous chan&ge"_s, keys("Shift+F4"), [this] { m_changes->step(-1); }));
    graph->addSeparator();
    addAction(graph, u"Ne&xt pane"_s, keys("F6"), [this] { cyclePanes(+1); });
    addAction(graph, u"Pre&vious pane"_s, keys("Shift+F6"), [this] { cyclePanes(-1); });

    QMenu* rules = menuBar()->addMenu(u"&Rules"_s);
    needsModel(
        addAction(rules, u"&Open book…"_s, keys("Ctrl+Shift+O"), [this] { openBookDialog(); }));
    needsModel(addAction(rules, u"&Close book"_s, keys("Ctrl+Shift+W"), [this] {
        if (const QString book = m_rules->currentBook(); !book.isEmpty())
            m_document.edit(snapshot::RemoveBook{book.toStdString()});
    }));
    needsModel(addAction(rules, u"Move the book &up"_s, keys("Alt+Shift+Up"),
                         [this] { m_rules->moveCurrent(-1); }));
    needsModel(addAction(rules, u"Move the book &down"_s, keys("Alt+Shift+Down"),
                         [this] { m_rules->moveCurrent(+1); }));
    needsModel(addAction(rules, u"&Switch the book on or off"_s, keys("Ctrl+Alt+K"),
                         [this] { m_rules->switchCurrent(); }));
    m_inOrderAction = addAction(rules, u"All rules in o&rder"_s, keys("Ctrl+Alt+U"),
                                [this] { m_rules->showOrder(!m_rules->orderShown()); });
    m_inOrderAction->setCheckable(true);
    connect(m_rules, &RulesView::orderShownChanged, m_inOrderAction, &QAction::setChecked);
    rules->addSeparator();
    needsModel(addAction(rules, u"Keep selected &together"_s, keys("Ctrl+T"),
                         [this] { pinSelection(snapshot::PinKind::Together); }));
    needsModel(addAction(rules, u"Keep selected &apart"_s, keys("Ctrl+Shift+K"),
                         [this] { pinSelection(snapshot::PinKind::Apart); }));
    needsModel(addAction(rules, u"&Pin the candidate"_s, keys("Ctrl+I"),
                         [this] { m_implementations->pinCurrent(); }));
    needsModel(addAction(rules, u"A&void the candidate"_s, keys("Ctrl+Alt+I"),
                         [this] { m_implementations->avoidCurrent(); }));
    needsModel(addAction(rules, u"Clear the pins of the &group"_s, keys("Ctrl+Shift+I"),
                         [this] { m_implementations->unpinCurrent(); }));
    m_clearPinsAction = addAction(rules, u"Clear a&ll pins"_s, keys("Ctrl+Alt+P"),
                                  [this] { m_document.edit(snapshot::ClearPins{}); });

    buildBookActions(menuBar()->addMenu(u"&Book"_s));

    QMenu* target = menuBar()->addMenu(u"&Target"_s);
    number = 1;
    for (const QString& preset : targetPresets())
        addAction(target, preset, QKeySequence(u"Ctrl+%1"_s.arg(number++)),
                  [this, preset] { setTargetText(preset); });
    target->addSeparator();
    addAction(target, u"&Edit target"_s, keys("Ctrl+L"), [this] {
        m_target->setFocus(Qt::ShortcutFocusReason);
        m_target->lineEdit()->selectAll();
    });
    target->addSeparator();
    m_libraries = new LibraryBoxes(this);
    for (QAction* library : m_libraries->actions())
        target->addAction(library);
    connect(m_libraries, &LibraryBoxes::switched, this, &MainWindow::switchLibrary);

    QMenu* compile = menuBar()->addMenu(u"&Compile"_s);
    needsModel(addAction(compile, u"&Compile and run once"_s, keys("Ctrl+F9"),
                         [this] { m_document.compile(); }));
    m_stopAction = addAction(compile, u"&Stop"_s, keys("Shift+F9"), [this] { m_document.stop(); });

    QMenu* profile = menuBar()->addMenu(u"&Profile"_s);
    needsModel(addAction(profile, u"Compile and &profile"_s, keys("Ctrl+F10"),
                         [this] { m_document.profile(); }));
    profile->addSeparator();
    needsModel(addAction(profile, u"&Measure the candidates…"_s, keys("Ctrl+Shift+F10"),
                         [this] { tuneDialog(); }));
    needsModel(addAction(profile, u"&Verify the candidates"_s, keys("Ctrl+Shift+F11"),
                         [this] { verifyCandidates(); }));
    needsModel(addAction(profile, u"&Open measurements…"_s, keys("Ctrl+Alt+O"),
                         [this] { openLogDialog(); }));
    m_closeLogAction = addAction(profile, u"&Close measurements"_s, keys("Ctrl+Alt+W"),
                                 [this] { m_document.edit(snapshot::SetLog{}); });

    m_nodeMenu = new QMenu(this);
    m_nodeMenu->setObjectName(u"nodeMenu"_s);
    for (const QMenu* menu : {graph, rules, edit, view})
        for (QAction* action : menu->actions())
            if (ofNodes.contains(action->text()))
                m_nodeMenu->addAction(action);

    QMenu* help = menuBar()->addMenu(u"&Help"_s);
    addAction(help, u"&Documentation"_s, keys("F1"), [this] { showDocumentation(); });
    addAction(help, u"&Keyboard shortcuts"_s, keys("Ctrl+/"), [this] { showShortcuts(); });
    addAction(help, u"&About Fusewright"_s, keys("Shift+F1"), [this] { showAbout(); });
}

void MainWindow::buildToolBar() {
    QToolBar* bar = addToolBar(u"Main bar"_s);
    bar->setObjectName(u"mainBar"_s);
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const auto button = [&](const QString& text, const QString& tip,
                            const std::function<void()>& slot) {
        auto* out = new QPushButton(text, bar);
        out->setToolTip(tip);
        out->setAccessibleName(tip);
        out->setFocusPolicy(Qt::TabFocus); // a click leaves the keys where they are
        connect(out, &QPushButton::clicked, this, slot);
        bar->addWidget(out);
        return out;
    };
    button(u"Open"_s, u"Open a model (Ctrl+O)"_s, [this] { openDialog(); });
    button(u"◀"_s, u"Back (Alt+Left)"_s, [this] { goHistory(-1); });
    button(u"▶"_s, u"Forward (Alt+Right)"_s, [this] { goHistory(+1); });
    button(u"Fit"_s, u"Fit both graphs"_s, [this] {
        m_importedPane->canvas()->fitAll();
        m_fusedPane->canvas()->fitAll();
    });
    bar->addSeparator();
    auto* label = new QLabel(u"Target"_s, bar);
    label->setProperty("muted", true);
    bar->addWidget(label);
    m_target = new ComboBox(bar);
    m_target->setObjectName(u"target"_s);
    m_target->setAccessibleName(u"Target"_s);
    m_target->setEditable(true);
    m_target->setInsertPolicy(QComboBox::NoInsert);
    m_target->lineEdit()->setPlaceholderText(u"x86-64 -mcpu=native"_s);
    m_target->addItems(targetPresets());
    m_target->setMinimumWidth(270);
    m_target->setToolTip(u"What the plan is made for; Enter plans again (Ctrl+L)"_s);
    label->setBuddy(m_target);
    bar->addWidget(m_target);
    connect(m_target, &QComboBox::activated, this,
            [this](int index) { setTargetText(m_target->itemText(index)); });
    connect(m_target->lineEdit(), &QLineEdit::returnPressed, this,
            [this] { setTargetText(m_target->currentText()); });
    bar->addWidget(m_libraries);
    bar->addSeparator();
    m_profileButton = button(u"Compile && profile"_s, u"Compile and profile (Ctrl+F10)"_s,
                             [this] { m_document.profile(); });
    m_profileButton->setProperty("primary", true);
    m_profileButton->setObjectName(u"profileButton"_s);
    m_stopButton = button(u"Stop"_s, u"Stop (Shift+F9)"_s, [this] { m_document.stop(); });
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    m_find = new QLineEdit(bar);
    m_find->setObjectName(u"find"_s);
    m_find->setAccessibleName(u"Find"_s);
    m_find->setPlaceholderText(u"⌕ Find op, name, value, shape …"_s);
    m_find->setClearButtonEnabled(true);
    m_find->setFixedWidth(250);
    connect(m_find, &QLineEdit::returnPressed, this, [this] { findNext(+1); });
    auto* leave = new QAction(m_find);
    leave->setShortcut(QKeySequence(Qt::Key_Escape));
    leave->setShortcutContext(Qt::WidgetShortcut);
    m_find->QWidget::addAction(leave);
    connect(leave, &QAction::triggered, this, [this] {
        m_find->clear();
        m_fusedPane->canvas()->setFocus();
    });
    bar->addWidget(m_find);
}

void MainWindow::updateActions() {
    const bool open = m_document.isOpen();
    for (QAction* action : m_needModel)
        action->setEnabled(open);
    m_saveAction->setEnabled(open || !m_books->isEmpty());
    m_saveAsAction->setEnabled(open || !m_books->isEmpty());
    for (QAction* action : m_needBook)
        action->setEnabled(m_books->current() != nullptr);
    const auto books = m_document.inputs().enabledBooks();
    m_takesPartAction->setChecked(
        std::find(books.begin(), books.end(), m_books->currentPath().toStdString()) != books.end());
    const bool busy = !m_document.idle();
    m_profileButton->setEnabled(open && !m_document.taskRunning());
    m_stopButton->setEnabled(busy);
    m_stopAction->setEnabled(busy);
    m_backAction->setEnabled(m_historyAt > 0);
    m_forwardAction->setEnabled(m_historyAt + 1 < m_history.size());
}

void MainWindow::applyTheme(ThemeChoice choice) {
    static const ThemeKind ofSystem = Theme::systemKind(); // before the first apply()
    const ThemeKind kind = choice == ThemeChoice::Light  ? ThemeKind::Light
                           : choice == ThemeChoice::Dark ? ThemeKind::Dark
                                                         : ofSystem;
    Theme::instance().apply(kind);
}

void MainWindow::savePictureDialog() {
    const GraphSide side = currentPane() == m_importedPane ? GraphSide::Imported : GraphSide::Fused;
    const QString file = QFileDialog::getSaveFileName(
        this,
        side == GraphSide::Imported ? u"Save the imported graph"_s : u"Save the fused graph"_s,
        m_settings.folder(), u"SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"_s);
    if (file.isEmpty())
        return;
    if (const Status saved = savePicture(file, side); !saved)
        showProblem(saved.diag());
    else
        say(u"saved "_s + file);
}

Status MainWindow::savePicture(const QString& file, GraphSide side) {
    const auto picture = pane(side)->canvas()->picture();
    if (!picture)
        return makeDiag(DiagCode::Usage, "there is no picture yet", {}, "open a model first");
    return writePicture(picture, file, Theme::instance().kind());
}

void MainWindow::showDocumentation() {
    (new HelpWindow(this))->show();
}

void MainWindow::showShortcuts() {
    std::vector<HelpWindow::Shortcut> list;
    for (const QAction* menu : menuBar()->actions()) {
        for (const QAction* action : menu->menu()->actions()) {
            if (!action->shortcut().isEmpty())
                list.push_back({menu->text().remove(u'&'), action->text().remove(u'&'),
                                action->shortcut().toString(QKeySequence::NativeText)});
        }
    }
    HelpWindow::showShortcuts(this, list);
}

void MainWindow::showAbout() {
    QMessageBox box(QMessageBox::NoIcon, u"About Fusewright"_s,
                    u"Fusewright %1\n\nOpens a deep-learning operator graph, shows what fuses and "
                    "why, compiles it through its own tensor expressions and LLVM, times every "
                    "group and exports a module that runs on its own.\n\nApache License 2.0"_s.arg(
                        QApplication::applicationVersion()),
                    QMessageBox::Close, this);
    box.setTextFormat(Qt::PlainText);
    box.exec();
}

} // namespace fw::ui
