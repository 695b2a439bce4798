#include "app/window/main_menus.h"

#include "app/window/graph_edits.h"
#include "app/window/graph_windows.h"
#include "app/window/help_window.h"
#include "app/window/layouts.h"
#include "app/window/library_boxes.h"
#include "app/window/main_bar.h"
#include "views/common/node_finder.h"
#include "views/common/text.h"

#include <QActionGroup>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QInputDialog>
#include <QMainWindow>
#include <QMenuBar>
#include <QMessageBox>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

void addShortcuts(const QString& title, const QMenu& menu,
                  std::vector<HelpWindow::Shortcut>& list) {
    for (const QAction* action : menu.actions())
        if (action->menu())
            addShortcuts(title, *action->menu(), list);
        else if (!action->shortcut().isEmpty())
            list.push_back({title, action->text().remove(u'&'),
                            action->shortcut().toString(QKeySequence::NativeText)});
}

} // namespace

MainMenus::MainMenus(const WindowParts& parts)
    : QObject(&parts.window), m_parts(parts), m_bar(parts.window.menuBar()),
      m_nodes(new QMenu(&parts.window)) {
    m_nodes->setObjectName(u"nodeMenu"_s);
    addFile();
    addEdit();
    const QMenu* edit = m_menu;
    addView();
    const QMenu* view = m_menu;
    addGraph();
    const QMenu* graph = m_menu;
    addRules();
    const QMenu* rules = m_menu;
    menu(u"&Book"_s);
    addCommands(MenuPlace::Begin);
    addCommands(MenuPlace::Text);
    addTarget();
    menu(u"&Compile"_s);
    addForModel(u"&Compile and run once"_s, "Ctrl+F9",
                [this] { m_parts.document.tasks().compile(); });
    m_stop = add(u"&Stop"_s, "Shift+F9", [this] { Q_EMIT requested(Request::Stop); });
    addProfile();
    const QMenu* times = m_menu;
    for (const QMenu* one : {graph, rules, times, edit, view})
        addNodeActions(*one);
    addHelp();
}

void MainMenus::addNodeActions(const QMenu& menu) {
    for (QAction* action : menu.actions())
        if (action->property("ofNodes").toBool())
            m_nodes->addAction(action);
        else if (action->menu())
            addNodeActions(*action->menu());
}

QMenu* MainMenus::menu(const QString& title) {
    return m_menu = m_bar->addMenu(title);
}

QAction* MainMenus::add(const QString& text, const char* keys, const Do& act) {
    QAction* action = m_menu->addAction(text);
    action->setShortcut(QKeySequence(QString::fromLatin1(keys)));
    connect(action, &QAction::triggered, this, act);
    return action;
}

QAction* MainMenus::addForModel(const QString& text, const char* keys, const Do& act) {
    return m_needModel.emplace_back(add(text, keys, act));
}

void MainMenus::addRequest(const QString& text, const char* keys, Request request) {
    add(text, keys, [this, request] { Q_EMIT requested(request); });
}

void MainMenus::addCommands(MenuPlace place) {
    for (const ViewDocks::Shown& shown : m_parts.views)
        for (const Command& command : shown.view->commands()) {
            if (command.place != place)
                continue;
            if (!command.action) {
                m_menu->addSeparator();
                continue;
            }
            m_menu->addAction(command.action);
            if (command.needs == Needs::Model)
                m_needModel.push_back(command.action);
            command.action->setProperty("ofNodes", command.ofNodes == OfNodes::Yes);
        }
}

void MainMenus::addFile() {
    menu(u"&File"_s);
    add(u"&Open…"_s, "Ctrl+O", [this] { m_parts.files.openByDialog(); });
    m_recent = m_menu->addMenu(u"Open &recent"_s);
    addForModel(u"Re&load"_s, "F5", [this] { Q_EMIT requested(Request::Reload); });
    m_menu->addSeparator();
    // Of what the keys go to: a book, or the document.
    m_save = {add(u"&Save"_s, "Ctrl+S", [this] { Q_EMIT requested(Request::Save); }),
              add(u"Save &as…"_s, "Ctrl+Shift+S", [this] { Q_EMIT requested(Request::SaveAs); })};
    m_menu->addSeparator();
    addForModel(u"&Export module…"_s, "Ctrl+Shift+E", [this] { m_parts.dialogs.exportModule(); });
    addForModel(u"Export the re&written model…"_s, "Ctrl+Alt+F",
                [this] { m_parts.dialogs.exportRewritten(); });
    addCommands(MenuPlace::Picture);
    m_menu->addSeparator();
    add(u"&Quit"_s, "Ctrl+Q", [this] { m_parts.window.close(); });
}

void MainMenus::addEdit() {
    menu(u"&Edit"_s);
    m_undo = add(u"&Undo"_s, "Ctrl+Z", [this] { m_parts.document.undo(); });
    m_redo = add(u"&Redo"_s, "Ctrl+Shift+Z", [this] { m_parts.document.redo(); });
    m_menu->addSeparator();
    addRequest(u"&Find"_s, "Ctrl+F", Request::Find);
    addRequest(u"Find &next"_s, "F3", Request::FindNext);
    addRequest(u"Find &previous"_s, "Shift+F3", Request::FindPrevious);
    m_menu->addSeparator();
    addCommands(MenuPlace::Copy);
    m_menu->addSeparator();
    add(u"Select n&othing"_s, "Ctrl+Shift+A", [this] { m_parts.selection.pick({}); });
    m_menu->addSeparator();
    add(u"Co&mmands…"_s, "Ctrl+Shift+P", [this] { Q_EMIT commandsWanted(); });
    add(u"&Quick open…"_s, "Ctrl+P", [this] { Q_EMIT quickOpenWanted(); });
}

void MainMenus::addView() {
    QMenu* view = menu(u"&View"_s);
    inside(u"&Docks"_s);
    addDocks();
    m_menu = view;
    m_layouts = inside(u"&Layouts"_s);
    m_menu = view;
    fillLayouts();
    connect(&m_parts.layouts, &Layouts::changed, this, &MainMenus::fillLayouts,
            Qt::QueuedConnection); // the action that was chosen is made anew
    add(u"&Reset layout"_s, "Ctrl+Alt+R", [this] { m_parts.layouts.reset(); });
    m_menu->addSeparator();
    constexpr std::pair<const char16_t*, MenuPlace> groups[] = {
        {u"&Zoom", MenuPlace::Zoom},
        {u"&Panes and layouts of graphs", MenuPlace::Panes},
        {u"&Blocks", MenuPlace::Blocks},
        {u"&Filters", MenuPlace::Filters},
        {u"Bo&xes and edges", MenuPlace::Boxes},
        {u"&Heat", MenuPlace::Heat}};
    for (const auto& [title, place] : groups) {
        inside(QString::fromUtf16(title));
        addCommands(place);
        m_menu = view;
    }
    m_menu->addSeparator();
    inside(u"&Theme"_s);
    addThemes();
    m_menu = view;
    add(u"F&ull screen"_s, "F11", [this] {
        m_parts.window.setWindowState(m_parts.window.windowState() ^ Qt::WindowFullScreen);
    });
}

QMenu* MainMenus::inside(const QString& title) {
    return m_menu = m_menu->addMenu(title);
}

void MainMenus::fillLayouts() {
    QMenu* before = std::exchange(m_menu, m_layouts);
    m_layouts->clear();
    for (const Layouts::Named& one : m_parts.layouts.all()) {
        QString title = one.title;
        QAction* action = add(title.replace(u'&', u"&&"_s), qPrintable(one.keys),
                              [this, title = one.title] { m_parts.layouts.choose(title); });
        action->setCheckable(true);
        action->setChecked(one.title == m_parts.layouts.current());
    }
    m_layouts->addSeparator();
    add(u"&Save this layout as …"_s, "Ctrl+Alt+Shift+R", [this] { saveLayout(); });
    m_menu = before;
}

void MainMenus::saveLayout() {
    bool given = false;
    const QString title = QInputDialog::getText(&m_parts.window, u"Save this layout"_s, u"Name:"_s,
                                                QLineEdit::Normal, {}, &given);
    if (given)
        m_parts.layouts.saveAs(title.simplified().left(40));
}

void MainMenus::addDocks() {
    int number = 1;
    for (const ViewDocks::Shown& shown : m_parts.views) {
        QDockWidget* dock = shown.dock;
        if (!dock)
            continue;
        QAction* toggle = m_menu->addAction(dock->windowTitle());
        toggle->setCheckable(true);
        // Behind the tenth once more, with Shift.
        toggle->setShortcut(
            QKeySequence((number <= 10 ? u"Alt+%1"_s : u"Alt+Shift+%1"_s).arg(number % 10)));
        ++number;
        connect(dock, &QDockWidget::visibilityChanged, toggle, &QAction::setChecked);
        connect(dock, &QDockWidget::windowTitleChanged, toggle, &QAction::setText);
        connect(toggle, &QAction::triggered, dock, [this, dock, toggle] {
            m_parts.views.showOrHide(dock);
            toggle->setChecked(dock->isVisible());
        });
    }
}

void MainMenus::addThemes() {
    auto* themes = new QActionGroup(this);
    const bool remembers = m_parts.memory == Memory::Remember;
    const ThemeChoice now = remembers ? m_parts.settings.theme() : ThemeChoice::System;
    const auto theme = [&](const QString& name, const char* keys, ThemeChoice choice) {
        QAction* action = add(name, keys, [this, choice] { Q_EMIT themeChosen(choice); });
        action->setCheckable(true);
        action->setChecked(now == choice);
        themes->addAction(action);
    };
    theme(u"Theme of the s&ystem"_s, "Ctrl+Alt+Y", ThemeChoice::System);
    theme(u"&Light theme"_s, "Ctrl+Alt+L", ThemeChoice::Light);
    theme(u"&Dark theme"_s, "Ctrl+Alt+D", ThemeChoice::Dark);
}

void MainMenus::addGraph() {
    Selection& selection = m_parts.selection;
    QMenu* graph = menu(u"&Graph"_s);
    m_back = add(u"&Back"_s, "Alt+Left", [this] { Q_EMIT requested(Request::Back); });
    m_forward = add(u"&Forward"_s, "Alt+Right", [this] { Q_EMIT requested(Request::Forward); });
    m_menu->addSeparator();
    inside(u"Wal&k"_s);
    addCommands(MenuPlace::Walk);
    addForModel(u"Next &group"_s, "Ctrl+Shift+Down", [this] { m_parts.finder.walkGroups(+1); });
    addForModel(u"Previous g&roup"_s, "Ctrl+Shift+Up", [this] { m_parts.finder.walkGroups(-1); });
    m_menu = graph;
    inside(u"&Changes"_s);
    addCommands(MenuPlace::Changes);
    m_menu = graph;
    m_menu->addSeparator();
    addForModel(u"Select the &whole group"_s, "Alt+Up", [&selection] {
        if (const int group = selection.group(); group >= 0)
            selection.pick(selection.ofGroup(group));
    })->setProperty("ofNodes", true);
    m_bodies = add(u"&Open bodies"_s, "Alt+Down", [this] {
        const snapshot::NodeSet& picked = m_parts.selection.picked().imported;
        if (!picked.empty())
            m_parts.graphs.openBodies(*picked.begin());
    });
    m_bodies->setProperty("ofNodes", true);
    addForModel(u"Free &dimensions…"_s, "Ctrl+D", [this] { m_parts.dialogs.setDims(); });
    addForModel(u"T&ypes of values…"_s, "Ctrl+Shift+D", [this] { m_parts.dialogs.setTypes(); });
    addForModel(u"Go &to…"_s, "Ctrl+G", [this] { Q_EMIT placeWanted(); });
    addBookmarks();
    addEdits();
    m_menu->addSeparator();
    add(u"&Menu of what has the keys"_s, "Shift+F10", [this] { openMenu(); });
    add(u"Ne&xt pane"_s, "F6", [this] { m_parts.views.cyclePanes(+1); });
    add(u"Pre&vious pane"_s, "Shift+F6", [this] { m_parts.views.cyclePanes(-1); });
}

void MainMenus::addBookmarks() {
    QMenu* graph = m_menu;
    inside(u"Book&marks"_s);
    for (int number = 1; number <= 9; ++number)
        add(u"Bookmark &%1: go there, or put it here"_s.arg(number),
            qPrintable(u"Ctrl+B, %1"_s.arg(number)),
            [this, number] { Q_EMIT bookmarkUsed(number); });
    m_menu = graph;
    add(u"&Places …"_s, "Ctrl+B, L", [this] { Q_EMIT placesWanted(); });
}

void MainMenus::addEdits() {
    QMenu* graph = m_menu;
    inside(u"&Edit the operator"_s)->menuAction()->setProperty("ofNodes", true);
    constexpr const char* keys[] = {"Ctrl+J, D", "Ctrl+J, I", "Ctrl+J, W", "Ctrl+J, A",
                                    "Ctrl+J, N"};
    const char* const* next = keys;
    for (const GraphEdit& edit : graphEdits)
        addForModel(QString::fromUtf8(edit.title), *next++,
                    [this, &edit] { m_parts.edits.begin(edit); });
    m_menu = graph;
}

void MainMenus::addRules() {
    menu(u"&Rules"_s);
    addForModel(u"&Open book…"_s, "Ctrl+Shift+O", [this] { m_parts.dialogs.openBook(); });
    addCommands(MenuPlace::Books);
    m_menu->addSeparator();
    addCommands(MenuPlace::Pins);
    addForModel(u"Check every applica&tion"_s, "Ctrl+Shift+F9",
                [this] { m_parts.document.tasks().bisect(); });
    addForModel(u"What each book &won"_s, "Ctrl+Alt+V",
                [this] { m_parts.document.tasks().weighBooks(); });
    m_menu->addSeparator();
    m_clearPins = add(u"Clear a&ll pins"_s, "Ctrl+Alt+P",
                      [this] { m_parts.document.edit(snapshot::ClearPins{}); });
}

void MainMenus::addTarget() {
    QMenu* target = menu(u"&Target"_s);
    int number = 1;
    for (const QString& preset : MainBar::targetPresets())
        add(preset, qPrintable(u"Ctrl+%1"_s.arg(number++)),
            [this, preset] { Q_EMIT targetChosen(preset); });
    target->addSeparator();
    add(u"&Edit target"_s, "Ctrl+L", [this] { m_parts.bar.editTarget(); });
    target->addSeparator();
    const LibraryBoxes* libraries = m_parts.bar.libraries();
    for (QAction* library : libraries->actions())
        target->addAction(library);
    connect(libraries, &LibraryBoxes::added, target,
            [target](QAction* library) { target->addAction(library); });
}

void MainMenus::addProfile() {
    menu(u"&Profile"_s);
    addForModel(u"Compile and &profile"_s, "Ctrl+F10",
                [this] { m_parts.document.tasks().profile(); });
    m_pin = add(u"P&in these times as baseline"_s, "Ctrl+Alt+Shift+B",
                [this] { m_parts.document.pinBaseline(); });
    m_unpin = add(u"&Unpin the baseline"_s, "Ctrl+Alt+Shift+U",
                  [this] { m_parts.document.unpinBaseline(); });
    addCommands(MenuPlace::Times);
    m_menu->addSeparator();
    addForModel(u"&Measure the candidates…"_s, "Ctrl+Shift+F10",
                [this] { m_parts.dialogs.tune(); });
    add(u"Measure this mac&hine"_s, "Ctrl+Alt+M", [this] { m_parts.document.measureMachine(); });
    addForModel(u"&Verify the candidates"_s, "Ctrl+Shift+F11",
                [this] { m_parts.dialogs.verify(); });
    addForModel(u"&Open measurements…"_s, "Ctrl+Alt+O",
                [this] { m_parts.dialogs.openMeasurements(); });
    m_closeLog = add(u"&Close measurements"_s, "Ctrl+Alt+W",
                     [this] { m_parts.document.edit(snapshot::SetLog{}); });
}

void MainMenus::addHelp() {
    menu(u"&Help"_s);
    add(u"&Documentation"_s, "F1", [this] { (new HelpWindow(&m_parts.window))->show(); });
    add(u"&Keyboard shortcuts"_s, "Ctrl+/", [this] { showShortcuts(); });
    add(u"&About Fusewright"_s, "Shift+F1", [this] { showAbout(); });
}

void MainMenus::update() {
    const Document& document = m_parts.document;
    const bool open = document.isOpen();
    for (QAction* action : m_needModel)
        action->setEnabled(open);
    const bool files =
        open || std::any_of(m_parts.views.begin(), m_parts.views.end(),
                            [](const ViewDocks::Shown& shown) { return shown.view->holdsFiles(); });
    for (QAction* action : m_save)
        action->setEnabled(files);
    m_stop->setEnabled(!document.idle() || !m_parts.views.settled());
    const snapshot::NodeSet& picked = m_parts.selection.picked().imported;
    const auto* node =
        picked.empty() ? nullptr : nodeOf(document.imported().get(), *picked.begin());
    m_bodies->setEnabled(node && !node->bodies.empty());
    m_back->setEnabled(files || m_parts.selection.canGo(-1));
    m_forward->setEnabled(files || m_parts.selection.canGo(+1));
    m_clearPins->setEnabled(!document.inputs().pins.empty());
    m_closeLog->setEnabled(!document.inputs().log.empty());
    m_pin->setEnabled(open && document.state(Part::Profile) == State::Ready);
    m_unpin->setEnabled(document.baseline() != nullptr);
    const auto& history = document.history();
    m_undo->setEnabled(history.canUndo());
    m_undo->setText(history.canUndo() ? u"&Undo: "_s + text(history.undoText()) : u"&Undo"_s);
    m_redo->setEnabled(history.canRedo());
    m_redo->setText(history.canRedo() ? u"&Redo: "_s + text(history.redoText()) : u"&Redo"_s);
}

QStringList MainMenus::fillRecent() {
    m_recent->clear();
    QStringList existing;
    for (const QString& path : m_parts.settings.recent()) {
        QString name = path;
        m_recent->addAction(name.replace(u'&', u"&&"_s), this,
                            [this, path] { m_parts.files.open(path); });
        if (QFileInfo::exists(path))
            existing << path;
    }
    m_recent->addSeparator();
    m_recent->addAction(u"Clear"_s, this, [this] { m_parts.files.clearRecent(); });
    return existing;
}

void MainMenus::popUpNodeMenu(const QPoint& at) const {
    if (m_parts.document.isOpen())
        m_nodes->popup(at);
}

// As the menu key does, which not every keyboard has.
void MainMenus::openMenu() {
    QWidget* at = m_parts.window.focusWidget();
    if (!at)
        return;
    const QPoint middle = at->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, middle, at->mapToGlobal(middle));
    QApplication::sendEvent(at, &event);
}

void MainMenus::showShortcuts() {
    std::vector<HelpWindow::Shortcut> list;
    for (const QAction* menu : m_bar->actions())
        addShortcuts(menu->text().remove(u'&'), *menu->menu(), list);
    HelpWindow::showShortcuts(&m_parts.window, list);
}

void MainMenus::showAbout() {
    QMessageBox box(QMessageBox::NoIcon, u"About Fusewright"_s,
                    u"Fusewright %1\n\nOpens a deep-learning operator graph, shows what fuses and "
                    "why, compiles it through its own tensor expressions and LLVM, times every "
                    "group and exports a module that runs on its own.\n\nApache License 2.0"_s.arg(
                        QApplication::applicationVersion()),
                    QMessageBox::Close, &m_parts.window);
    box.setTextFormat(Qt::PlainText);
    box.exec();
}

} // namespace fw::ui
