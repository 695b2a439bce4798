#include "app/window/view_docks.h"

#include "app/window/column_widths.h"
#include "app/window/document.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// Below this texts beside the graphs leave too little of them.
constexpr int roomForTexts = 1150;

Qt::DockWidgetArea dockArea(Area area) {
    switch (area) {
    case Area::Left:
        return Qt::LeftDockWidgetArea;
    case Area::Right:
        return Qt::RightDockWidgetArea;
    case Area::Below:
        return Qt::BottomDockWidgetArea;
    case Area::Text:
    case Area::Centre:
        break;
    }
    return Qt::NoDockWidgetArea;
}

// What takes the keys in a view: itself, or what Tab comes to first in it. Null: nothing does. The
// chain has the order in which widgets were made, so what follows a view may lie in another one.
QWidget* keysOf(QWidget* view) {
    QWidget* at = view;
    do {
        if ((at == view || view->isAncestorOf(at)) && (at->focusPolicy() & Qt::TabFocus) &&
            at->isEnabled() && at->isVisible())
            return at;
        at = at->nextInFocusChain();
    } while (at != view);
    return nullptr;
}

} // namespace

ViewDocks::ViewDocks(QMainWindow& window, const ViewRows& rows, const ViewSources& sources,
                     Selection& selection, QWidget* welcome)
    : QObject(&window), m_window(window), m_centre(new QStackedWidget),
      m_work(new QSplitter(Qt::Horizontal)), m_columns(new ColumnWidths(window)) {
    m_details.setSingleShot(true);
    m_details.setInterval(120);
    m_centre->addWidget(welcome);
    m_work->setObjectName(u"work"_s);
    m_work->setChildrenCollapsible(false);
    m_work->addWidget(m_centre);
    m_window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    m_window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    for (const ViewRow& row : rows)
        m_shown.push_back({row, row.make(sources)});
    for (Shown& shown : m_shown) {
        shown.view->attach(sources.document, selection);
        place(shown);
        connect(shown.view, &View::busyChanged, this, &ViewDocks::busyChanged);
        connect(shown.view, &View::filled, this,
                [this, view = shown.view](bool something) { layOutTexts(view, something); });
    }
    m_work->setStretchFactor(0, 5);
    m_work->setStretchFactor(1, 6);
    m_work->setSizes({500, 600});
    listen(selection);
}

void ViewDocks::leaveWelcome() {
    m_centre->setCurrentIndex(1);
}

void ViewDocks::place(Shown& shown) {
    const ViewRow& row = shown.row;
    if (row.area == Area::Text) {
        m_work->insertWidget(m_work->indexOf(m_centre), shown.view);
        shown.view->hide();
        return;
    }
    if (row.area == Area::Centre) {
        m_centre->addWidget(shown.view);
        return;
    }
    putIntoDock(shown);
}

void ViewDocks::putIntoDock(Shown& shown) {
    const ViewRow& row = shown.row;
    auto* dock = new QDockWidget(row.title, &m_window);
    shown.dock = dock;
    dock->setObjectName(row.name);
    shown.view->setMinimumWidth(ColumnWidths::least); // whatever it says
    dock->setWidget(shown.view);
    m_window.addDockWidget(dockArea(row.area), dock);
    m_columns->add(row.area, dock);
    connect(shown.view, &View::titleChanged, dock, &QDockWidget::setWindowTitle);
    connect(dock, &QDockWidget::visibilityChanged, shown.view, &View::setInFront);
    PaneHeader* header = PaneHeader::install(dock);
    connect(shown.view, &View::detailChanged, header, &PaneHeader::setDetail);
    if (row.area != Area::Below)
        return;
    // Tabs name the docks below; a title bar would say it twice.
    auto* none = new QWidget(dock);
    dock->setTitleBarWidget(none);
    connect(dock, &QDockWidget::topLevelChanged, dock, [dock, header, none](bool floating) {
        dock->setTitleBarWidget(floating ? static_cast<QWidget*>(header) : none);
    });
}

void ViewDocks::listen(Selection& selection) {
    connect(&selection, &Selection::changed, this, [this](const QObject* origin) {
        for (const Shown& shown : m_shown)
            shown.view->selectionChanged(origin);
        m_details.start();
        Q_EMIT busyChanged();
    });
    connect(&selection, &Selection::pointed, this, [this](GraphSide side, qint64 node) {
        for (const Shown& shown : m_shown)
            shown.view->nodePointed(side, node);
    });
    connect(&selection, &Selection::placeChanged, this, [this] {
        for (const Shown& shown : m_shown)
            shown.view->placeChanged();
    });
    connect(&selection, &Selection::stepChanged, this, [this] {
        for (const Shown& shown : m_shown)
            shown.view->stepChanged();
    });
    connect(&selection, &Selection::litChanged, this, [this] {
        for (const Shown& shown : m_shown)
            shown.view->litChanged();
    });
    connect(&selection, &Selection::filtersChanged, this, [this] {
        for (const Shown& shown : m_shown)
            shown.view->filtersChanged();
    });
    connect(&selection, &Selection::revealed, this,
            [this](GraphSide side, qint64 node, Selection::Reveal how) {
                for (const Shown& shown : m_shown)
                    shown.view->revealed(side, node, how);
            });
    connect(&m_details, &QTimer::timeout, this, [this] {
        for (const Shown& shown : m_shown)
            shown.view->selectionSettled();
        Q_EMIT busyChanged();
    });
}

bool ViewDocks::serve(Request request) const {
    return std::any_of(m_shown.begin(), m_shown.end(),
                       [&](const Shown& shown) { return shown.view->serve(request); });
}

void ViewDocks::openPlace(const QString& book, int line, int column) const {
    for (const Shown& shown : m_shown)
        if (shown.view->openPlace(book, line, column))
            return;
}

bool ViewDocks::changeText(const QString& book, const snapshot::Fix& edit) const {
    return std::any_of(m_shown.begin(), m_shown.end(),
                       [&](const Shown& shown) { return shown.view->changeText(book, edit); });
}

void ViewDocks::write(const QString& declarations, const QString& book) const {
    for (const Shown& shown : m_shown)
        if (shown.view->takeText(declarations, book))
            return;
}

void ViewDocks::documentChanged(const DocumentParts& document, Parts parts) const {
    for (const Shown& shown : m_shown) {
        if (shown.row.shows.hasAny(parts))
            shown.view->documentChanged(parts);
        if (shown.dock && parts.has(Part::Info))
            for (StateOverlay* overlay : shown.view->findChildren<StateOverlay*>())
                overlay->setQuiet(!document.isOpen());
    }
}

bool ViewDocks::settled() const {
    return !m_details.isActive() &&
           std::all_of(m_shown.begin(), m_shown.end(),
                       [](const Shown& shown) { return shown.view->settled(); });
}

bool ViewDocks::mayClose() const {
    return std::all_of(m_shown.begin(), m_shown.end(),
                       [](const Shown& shown) { return shown.view->mayClose(); });
}

void ViewDocks::close() {
    for (const Shown& shown : m_shown)
        shown.view->closing();
    showHidden();
}

View* ViewDocks::named(const QString& row) const {
    for (const Shown& shown : m_shown)
        if (shown.row.name == row)
            return shown.view;
    return nullptr;
}

void ViewDocks::bringToFront(const View* view) const {
    for (const Shown& shown : m_shown)
        if (shown.view == view && shown.dock)
            shown.dock->raise();
}

void ViewDocks::showOrHide(QDockWidget* dock) const {
    const QWidget* keys = m_window.focusWidget();
    const bool hasKeys = keys && dock->isAncestorOf(keys);
    const auto* view = static_cast<const View*>(dock->widget());
    if (dock->isVisible() && view->inFront() && (hasKeys || !keysOf(dock->widget()))) {
        focusCentre(); // first: the keys would go to some other list, which selects its first row
        return dock->hide();
    }
    dock->show();
    dock->raise();
    if (QWidget* target = keysOf(dock->widget()))
        target->setFocus(Qt::ShortcutFocusReason);
}

void ViewDocks::open(const View* view) const {
    for (const Shown& shown : m_shown)
        if (shown.view == view && shown.dock)
            shown.dock->show();
    bringToFront(view);
}

// --- layout

void ViewDocks::layOut(const DockLayout& layout) {
    // A dock that is added where it is already leaves its neighbours' tabs without a bar.
    for (const Shown& shown : m_shown)
        if (shown.dock) {
            shown.dock->setFloating(false);
            m_window.removeDockWidget(shown.dock);
        }
    m_hiddenForTexts.clear();
    const auto isSeen = [&](const Shown& shown) {
        return layout.docks.empty() || std::find(layout.docks.begin(), layout.docks.end(),
                                                 shown.row.name) != layout.docks.end();
    };
    QList<QDockWidget*> below;
    QDockWidget* front = nullptr;
    for (const Shown& shown : m_shown) {
        if (!shown.dock)
            continue;
        m_window.addDockWidget(dockArea(shown.row.area), shown.dock);
        shown.dock->setVisible(isSeen(shown));
        if (shown.row.area != Area::Below)
            continue;
        if (!below.isEmpty())
            m_window.tabifyDockWidget(below.front(), shown.dock);
        below << shown.dock;
        if (!front && isSeen(shown))
            front = shown.dock;
    }
    if (front)
        front->raise();
    shareRoom(layout, front);
    m_window.layout()->activate();
    // What the docks had before stays behind, empty, and may lie over their new tabs.
    for (QTabBar* bar : m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (bar->count() == 0)
            bar->hide();
    for (const Shown& shown : m_shown)
        shown.view->layOut();
    makeRoom();
}

void ViewDocks::shareRoom(const DockLayout& layout, QDockWidget* below) {
    const int all = m_window.width();
    m_columns->set(Area::Left, std::min(layout.left, all / 5));
    m_columns->set(Area::Right, std::min(layout.right, all * 3 / 10));
    for (const Area area : {Area::Left, Area::Right}) {
        QList<QDockWidget*> docks;
        QList<int> heights;
        for (const Shown& shown : m_shown)
            if (shown.row.area == area && shown.dock->isVisibleTo(&m_window)) {
                docks << shown.dock;
                heights << shown.row.share;
            }
        m_window.resizeDocks(docks, heights, Qt::Vertical);
    }
    if (below)
        m_window.resizeDocks({below}, {std::min(layout.below, m_window.height() * 2 / 5)},
                             Qt::Vertical);
    const int middle = m_work->width();
    const int text = middle * layout.text / (layout.text + layout.graphs);
    m_work->setSizes({text, middle - text});
}

void ViewDocks::restored() {
    m_hiddenForTexts.clear();
    m_columns->adopt();
    makeRoom();
}

// Texts stand beside the graphs: in a small window the docks on the left make place, and say so.
void ViewDocks::layOutTexts(View* view, bool something) {
    if (something == view->isVisibleTo(&m_window))
        return;
    view->setVisible(something);
    if (something)
        return makeRoom();
    showHidden();
    focusCentre();
}

void ViewDocks::makeRoom() {
    const bool texts = std::any_of(m_shown.begin(), m_shown.end(), [&](const Shown& shown) {
        return shown.row.area == Area::Text && shown.view->isVisibleTo(&m_window);
    });
    if (!texts || m_centre->width() >= roomForTexts)
        return;
    QStringList names;
    for (const Shown& shown : m_shown)
        if (shown.row.area == Area::Left && shown.dock->isVisibleTo(&m_window) &&
            !shown.dock->isFloating()) {
            shown.dock->hide();
            m_hiddenForTexts.push_back(shown.dock);
            names << shown.row.title;
        }
    if (!names.isEmpty())
        Q_EMIT said(u"%1 made place for the text, and come back when it is closed"_s.arg(
            names.join(u" and "_s)));
}

void ViewDocks::focusCentre() const {
    for (const Shown& shown : m_shown)
        if (shown.row.area == Area::Centre)
            return shown.view->setFocus();
}

void ViewDocks::showHidden() {
    for (QDockWidget* dock : std::exchange(m_hiddenForTexts, {}))
        dock->show();
}

// From the middle round the docks, column by column.
std::vector<QWidget*> ViewDocks::stops() const {
    std::vector<QWidget*> out, last;
    for (const Area area : {Area::Text, Area::Centre, Area::Left, Area::Right, Area::Below})
        for (const Shown& shown : m_shown)
            if (shown.row.area == area)
                for (QWidget* stop : shown.view->stops())
                    (area == Area::Text && stop != shown.view->stops().front() ? last : out)
                        .push_back(stop);
    out.insert(out.end(), last.begin(), last.end()); // what stands below a text
    // What is hidden, or behind another tab, takes no keys.
    std::erase_if(out, [this](const QWidget* stop) {
        const QWidget* there = m_window.childAt(stop->mapTo(&m_window, stop->rect().center()));
        return !there || !(there == stop || stop->isAncestorOf(there));
    });
    return out;
}

void ViewDocks::cyclePanes(int step) {
    const std::vector<QWidget*> stops = this->stops();
    if (stops.empty())
        return;
    std::ptrdiff_t at = -1;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (m_window.focusWidget() &&
            (stops[i] == m_window.focusWidget() || stops[i]->isAncestorOf(m_window.focusWidget())))
            at = std::ptrdiff_t(i);
    }
    const auto count = std::ptrdiff_t(stops.size());
    for (std::ptrdiff_t i = 1; i <= count; ++i) {
        if (QWidget* target = keysOf(stops[std::size_t(((at + step * i) % count + count) % count)]))
            return target->setFocus(Qt::TabFocusReason);
    }
}

} // namespace fw::ui
