// Menus, tool bar and dialogs. Every action stands in a menu and has a shortcut.
#include "app/window/help_window.h"
#include "app/window/library_boxes.h"
#include "app/window/main_window.h"
#include "app/window/welcome_view.h"
#include "views/common/combo_box.h"
#include "views/common/theme.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
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
    const auto needsModel = [this](QAction* action) { m_needModel.push_back(action); };

    QMenu* file = menuBar()->addMenu(u"&File"_s);
    addAction(file, u"&Open…"_s, keys("Ctrl+O"), [this] { openDialog(); });
    m_recentMenu = file->addMenu(u"Open &recent"_s);
    needsModel(addAction(file, u"Re&load"_s, keys("F5"), [this] { serve(Request::Reload); }));
    file->addSeparator();
    // Of what the keys go to: a book, or the document.
    m_saveAction = addAction(file, u"&Save"_s, keys("Ctrl+S"), [this] { serve(Request::Save); });
    m_saveAsAction =
        addAction(file, u"Save &as…"_s, keys("Ctrl+Shift+S"), [this] { serve(Request::SaveAs); });
    file->addSeparator();
    needsModel(
        addAction(file, u"&Export module…"_s, keys("Ctrl+Shift+E"), [this] { exportDialog(); }));
    needsModel(addAction(file, u"Export the re&written model…"_s, keys("Ctrl+Alt+F"),
                         [this] { exportRewrittenDialog(); }));
    addViewCommands(MenuPlace::Picture, file);
    file->addSeparator();
    addAction(file, u"&Quit"_s, keys("Ctrl+Q"), [this] { close(); });

    QMenu* edit = menuBar()->addMenu(u"&Edit"_s);
    m_undoAction = addAction(edit, u"&Undo"_s, keys("Ctrl+Z"), [this] { m_document.undo(); });
    m_redoAction = addAction(edit, u"&Redo"_s, keys("Ctrl+Shift+Z"), [this] { m_document.redo(); });
    edit->addSeparator();
    addAction(edit, u"&Find"_s, keys("Ctrl+F"), [this] { serve(Request::Find); });
    addAction(edit, u"Find &next"_s, keys("F3"), [this] { serve(Request::FindNext); });
    addAction(edit, u"Find &previous"_s, keys("Shift+F3"),
              [this] { serve(Request::FindPrevious); });
    edit->addSeparator();
    addViewCommands(MenuPlace::Copy, edit);
    edit->addSeparator();
    addAction(edit, u"Select n&othing"_s, keys("Ctrl+Shift+A"), [this] { select({}); });

    edit->addSeparator();
    addAction(edit, u"Co&mmands…"_s, keys("Ctrl+Shift+P"), [this] { openCommands(); });
    addAction(edit, u"&Quick open…"_s, keys("Ctrl+P"), [this] { openQuickly(); });

    QMenu* view = menuBar()->addMenu(u"&View"_s);
    int number = 1;
    for (const ShownView& shown : m_views) {
        QDockWidget* dock = shown.dock;
        if (!dock)
            continue;
        QAction* toggle = view->addAction(dock->windowTitle());
        toggle->setCheckable(true);
        // Behind the tenth once more, with Shift.
        toggle->setShortcut(
            QKeySequence((number <= 10 ? u"Alt+%1"_s : u"Alt+Shift+%1"_s).arg(number % 10)));
        ++number;
        // Checked while it can be seen, so that a tab behind another one comes to the front.
        connect(dock, &QDockWidget::visibilityChanged, toggle, &QAction::setChecked);
        connect(dock, &QDockWidget::windowTitleChanged, toggle, &QAction::setText);
        connect(toggle, &QAction::triggered, dock, [dock](bool visible) {
            dock->setVisible(visible);
            if (visible)
                dock->raise();
        });
    }
    view->addSeparator();
    addViewCommands(MenuPlace::View, view);
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
    m_backAction = addAction(graph, u"&Back"_s, keys("Alt+Left"), [this] { m_selection.go(-1); });
    m_forwardAction =
        addAction(graph, u"&Forward"_s, keys("Alt+Right"), [this] { m_selection.go(+1); });
    graph->addSeparator();
    addViewCommands(MenuPlace::Walk, graph);
    needsModel(
        addAction(graph, u"Next &group"_s, keys("Ctrl+Shift+Down"), [this] { walkGroups(+1); }));
    needsModel(
        addAction(graph, u"Previous g&roup"_s, keys("Ctrl+Shift+Up"), [this] { walkGroups(-1); }));
    QAction* whole = addAction(graph, u"Select the &whole group"_s, keys("Alt+Up"), [this] {
        if (const int group = m_selection.group(); group >= 0)
            m_selection.pick(m_selection.ofGroup(group));
    });
    whole->setProperty("ofNodes", true);
    needsModel(whole);
    buildBodies(graph);
    needsModel(addAction(graph, u"Free &dimensions…"_s, keys("Ctrl+D"), [this] { askDims(); }));
    needsModel(
        addAction(graph, u"T&ypes of values…"_s, keys("Ctrl+Shift+D"), [this] { askTypes(); }));
    needsModel(addAction(graph, u"Go &to…"_s, keys("Ctrl+G"), [this] { goTo(); }));
    graph->addSeparator();
    addViewCommands(MenuPlace::Changes, graph);
    graph->addSeparator();
    addAction(graph, u"&Menu of what has the keys"_s, keys("Shift+F10"), [this] { openMenu(); });
    addAction(graph, u"Ne&xt pane"_s, keys("F6"), [this] { cyclePanes(+1); });
    addAction(graph, u"Pre&vious pane"_s, keys("Shift+F6"), [this] { cyclePanes(-1); });

    QMenu* rules = menuBar()->addMenu(u"&Rules"_s);
    needsModel(
        addAction(rules, u"&Open book…"_s, keys("Ctrl+Shift+O"), [this] { openBookDialog(); }));
    addViewCommands(MenuPlace::Books, rules);
    rules->addSeparator();
    addViewCommands(MenuPlace::Pins, rules);
    needsModel(addAction(rules, u"Check every applica&tion"_s, keys("Ctrl+Shift+F9"),
                         [this] { m_document.tasks().bisect(); }));
    needsModel(addAction(rules, u"What each book &won"_s, keys("Ctrl+Alt+V"),
                         [this] { m_document.tasks().weighBooks(); }));
    rules->addSeparator();
    m_clearPinsAction = addAction(rules, u"Clear a&ll pins"_s, keys("Ctrl+Alt+P"),
                                  [this] { m_document.edit(snapshot::ClearPins{}); });

    QMenu* book = menuBar()->addMenu(u"&Book"_s);
    addViewCommands(MenuPlace::Begin, book);
    addViewCommands(MenuPlace::Text, book);

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
    connect(m_libraries, &LibraryBoxes::added, target,
            [target](QAction* library) { target->addAction(library); });
    connect(m_libraries, &LibraryBoxes::switched, this, &MainWindow::switchLibrary);

    QMenu* compile = menuBar()->addMenu(u"&Compile"_s);
    needsModel(addAction(compile, u"&Compile and run once"_s, keys("Ctrl+F9"),
                         [this] { m_document.tasks().compile(); }));
    m_stopAction = addAction(compile, u"&Stop"_s, keys("Shift+F9"), [this] { m_document.stop(); });

    QMenu* profile = menuBar()->addMenu(u"&Profile"_s);
    needsModel(addAction(profile, u"Compile and &profile"_s, keys("Ctrl+F10"),
                         [this] { m_document.tasks().profile(); }));
    profile->addSeparator();
    needsModel(addAction(profile, u"&Measure the candidates…"_s, keys("Ctrl+Shift+F10"),
                         [this] { tuneDialog(); }));
    addAction(profile, u"Measure this mac&hine"_s, keys("Ctrl+Alt+M"),
              [this] { m_document.measureMachine(); });
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
            if (action->property("ofNodes").toBool())
                m_nodeMenu->addAction(action);

    QMenu* help = menuBar()->addMenu(u"&Help"_s);
    addAction(help, u"&Documentation"_s, keys("F1"), [this] { showDocumentation(); });
    addAction(help, u"&Keyboard shortcuts"_s, keys("Ctrl+/"), [this] { showShortcuts(); });
    addAction(help, u"&About Fusewright"_s, keys("Shift+F1"), [this] { showAbout(); });
}

QPushButton* MainWindow::barButton(QToolBar* bar, const QString& text, const QString& tip) {
    auto* out = new QPushButton(text, bar);
    out->setToolTip(tip);
    out->setAccessibleName(tip);
    out->setFocusPolicy(Qt::TabFocus); // a click leaves the keys where they are
    bar->addWidget(out);
    return out;
}

void MainWindow::buildToolBar() {
    QToolBar* bar = addToolBar(u"Main bar"_s);
    bar->setObjectName(u"mainBar"_s);
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const auto button = [&](const QString& text, const QString& tip,
                            const std::function<void()>& slot) {
        QPushButton* out = barButton(bar, text, tip);
        connect(out, &QPushButton::clicked, this, slot);
        return out;
    };
    button(u"Open"_s, u"Open a model (Ctrl+O)"_s, [this] { openDialog(); });
    button(u"◀"_s, u"Back (Alt+Left)"_s, [this] { m_selection.go(-1); });
    button(u"▶"_s, u"Forward (Alt+Right)"_s, [this] { m_selection.go(+1); });
    addBarCommands(bar);
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
    m_targetPresets = m_target->count();
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
                             [this] { m_document.tasks().profile(); });
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
        focusCentre();
    });
    bar->addWidget(m_find);
}

void MainWindow::updateActions() {
    const bool open = m_document.isOpen();
    for (QAction* action : m_needModel)
        action->setEnabled(open);
    const bool files =
        open || std::any_of(m_views.begin(), m_views.end(),
                            [](const ShownView& shown) { return shown.view->holdsFiles(); });
    m_saveAction->setEnabled(files);
    m_saveAsAction->setEnabled(files);
    const bool busy = !m_document.idle();
    m_profileButton->setEnabled(open && !m_document.tasks().running());
    m_stopButton->setEnabled(busy);
    m_stopAction->setEnabled(busy);
    m_backAction->setEnabled(m_selection.canGo(-1));
    m_forwardAction->setEnabled(m_selection.canGo(+1));
}

// As the menu key does, which not every keyboard has.
void MainWindow::openMenu() {
    QWidget* at = focusWidget();
    if (!at)
        return;
    const QPoint middle = at->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, middle, at->mapToGlobal(middle));
    QApplication::sendEvent(at, &event);
}

void MainWindow::applyTheme(ThemeChoice choice) {
    static const ThemeKind ofSystem = Theme::systemKind(); // before the first apply()
    const ThemeKind kind = choice == ThemeChoice::Light  ? ThemeKind::Light
                           : choice == ThemeChoice::Dark ? ThemeKind::Dark
                                                         : ofSystem;
    Theme::instance().apply(kind);
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
