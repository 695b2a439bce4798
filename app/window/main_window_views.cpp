// The views: made from their rows, put into docks or the middle, and told what concerns them.
#include "app/window/drafts.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/palette.h"
#include "app/window/welcome_view.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>

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

template <class... Each>
struct Handlers : Each... {
    using Each::operator()...;
};
template <class... Each>
Handlers(Each...) -> Handlers<Each...>;

} // namespace

void MainWindow::buildViews() {
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const bool remember = m_memory == Memory::Remember;
    const ViewSources sources{m_document, m_answers, [remember] {
                                  return remember ? std::make_unique<Drafts>() : nullptr;
                              }};
    for (const ViewRow& row : m_rows)
        m_views.push_back({row, row.make(sources)});
    for (ShownView& shown : m_views) {
        shown.view->attach(m_document, m_selection);
        place(shown);
        connectView(shown);
    }
    m_work->setStretchFactor(0, 5);
    m_work->setStretchFactor(1, 6);
    m_work->setSizes({500, 600});
    connectSelection();
}

void MainWindow::place(ShownView& shown) {
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
    auto* dock = new QDockWidget(row.title, this);
    shown.dock = dock;
    dock->setObjectName(row.name);
    dock->setWidget(shown.view);
    addDockWidget(dockArea(row.area), dock);
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

void MainWindow::connectView(ShownView& shown) {
    View* view = shown.view;
    connect(view, &View::asked, this, [this, &shown](const Intent& intent) { act(shown, intent); });
    connect(view, &View::busyChanged, &m_idleCheck, qOverload<>(&QTimer::start));
    connect(view, &View::filesChanged, this, &MainWindow::updateActions);
    connect(view, &View::filled, this,
            [this, view](bool something) { layOutTexts(view, something); });
    connect(view, &View::statusChanged, this, [this, &shown](const QString& text) {
        if (!shown.status) {
            shown.status = new QLabel(statusBar());
            shown.status->setTextFormat(Qt::PlainText);
            if (shown.dock) // before the worker's
                statusBar()->insertPermanentWidget(m_statusItems - 1, shown.status);
            else // behind what is selected
                statusBar()->insertWidget(3, shown.status);
            ++m_statusItems;
        }
        shown.status->setText(text);
    });
}

// What people do in a view: a handler for each intent.
void MainWindow::act(const ShownView& shown, const Intent& intent) {
    std::visit(
        Handlers{
            [this](Request request) { serve(request); },
            [this](const EditInputs& asked) { m_document.edit(asked.edit); },
            [this](const WantPart& asked) { m_document.want(asked.part, asked.about); },
            [this](const WantState& asked) { m_document.wantState(asked.state); },
            [this](const WantDetails&) { m_details.start(); },
            [this](const OpenPlace& place) { editBook(place.book, place.line, place.column); },
            [this](const WriteText& text) {
                for (const ShownView& other : m_views)
                    if (other.view->takeText(text.declarations))
                        return;
            },
            [this](const ShowCounterexample& of) { openCounterexample(of.book, of.rule); },
            [this](const SelectNode& node) { selectByName(node.name); },
            [this](const ShowInside& node) { openBodies(node.imported); },
            [this](const ShowNodeMenu& menu) {
                if (m_document.isOpen())
                    m_nodeMenu->popup(menu.global);
            },
            [this](const SavePicture& save) { savePictureDialog(save.picture, save.title); },
            [&](ComeToFront) {
                if (shown.dock)
                    shown.dock->raise();
            },
            [&](Appear) {
                if (shown.dock) {
                    shown.dock->show();
                    shown.dock->raise();
                }
            },
            [this](const Say& note) { say(note.text); },
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

void MainWindow::connectSelection() {
    connect(&m_selection, &Selection::changed, this, [this](const QObject* origin) {
        for (const ShownView& shown : m_views)
            shown.view->selectionChanged(origin);
        m_details.start();
        m_idleCheck.start();
        updateStatus();
    });
    connect(&m_selection, &Selection::pointed, this, [this](GraphSide side, qint64 node) {
        for (const ShownView& shown : m_views)
            shown.view->nodePointed(side, node);
    });
    connect(&m_selection, &Selection::placeChanged, this, [this] {
        for (const ShownView& shown : m_views)
            shown.view->placeChanged();
    });
    connect(&m_selection, &Selection::stepChanged, this, [this] {
        for (const ShownView& shown : m_views)
            shown.view->stepChanged();
    });
    connect(&m_selection, &Selection::revealed, this,
            [this](GraphSide side, qint64 node, Selection::Reveal how) {
                for (const ShownView& shown : m_views)
                    shown.view->revealed(side, node, how);
            });
    connect(&m_details, &QTimer::timeout, this, [this] {
        for (const ShownView& shown : m_views)
            shown.view->selectionSettled();
        m_idleCheck.start();
    });
}

void MainWindow::documentChanged(Parts parts) {
    if (parts.has(Part::Info) && m_document.state(Part::Info) == State::Error)
        m_welcome->setBusy({});
    if (parts.has(Part::Fused) && m_document.state(Part::Fused) == State::Ready) {
        m_selection.follow(snapshot::Provenance(*m_document.fused()));
        if (!m_selection.picked().empty())
            m_details.start();
    }
    if (parts.hasAny({Part::Inputs, Part::Doctor}))
        inputsChanged();
    if (parts.has(Part::Plan))
        showLibraries();
    if (parts.hasAny({Part::Inputs, Part::Checks}))
        showTargets();
    for (const ShownView& shown : m_views) {
        if (shown.row.shows.hasAny(parts))
            shown.view->documentChanged(parts);
        if (shown.dock && parts.has(Part::Info))
            for (StateOverlay* overlay : shown.view->findChildren<StateOverlay*>())
                overlay->setQuiet(!m_document.isOpen());
    }
    updateStatus();
}

// What a view is asked for is done by the view that can do it, else by the window. False: by
// neither.
bool MainWindow::serve(Request request) {
    for (const ShownView& shown : m_views)
        if (shown.view->serve(request))
            return true;
    switch (request) {
    case Request::OpenBook:
        openBookDialog();
        return true;
    case Request::OpenAgain:
        if (!m_wanted.isEmpty())
            openModel(m_wanted);
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
        return saveDocument();
    case Request::SaveAs:
        return saveDocumentAs();
    case Request::Find:
        m_find->setFocus(Qt::ShortcutFocusReason);
        m_find->selectAll();
        return true;
    case Request::FindNext:
        findNext(+1);
        return true;
    case Request::FindPrevious:
        findNext(-1);
        return true;
    case Request::NewBook:
    case Request::NextChange:
    case Request::PreviousChange:
        break;
    }
    return false;
}

void MainWindow::editBook(const QString& file, int line, int column) {
    for (const ShownView& shown : m_views)
        if (shown.view->openPlace(file, line, column))
            return;
}

View* MainWindow::viewNamed(const QString& row) const {
    for (const ShownView& shown : m_views)
        if (shown.row.name == row)
            return shown.view;
    return nullptr;
}

void MainWindow::bringToFront(const View* view) {
    for (const ShownView& shown : m_views)
        if (shown.view == view && shown.dock)
            shown.dock->raise();
}

// --- commands of views

void MainWindow::addViewCommands(MenuPlace place, QMenu* menu) {
    for (const ShownView& shown : m_views)
        for (const Command& command : shown.view->commands()) {
            if (command.place != place)
                continue;
            if (!command.action) {
                menu->addSeparator();
                continue;
            }
            menu->addAction(command.action);
            if (command.needs == Needs::Model)
                m_needModel.push_back(command.action);
            command.action->setProperty("ofNodes", command.ofNodes == OfNodes::Yes);
        }
}

void MainWindow::addBarCommands(QToolBar* bar) {
    for (const ShownView& shown : m_views)
        for (const Command& command : shown.view->commands())
            if (command.place == MenuPlace::Bar) {
                auto* button = barButton(bar, command.action->text(), command.action->toolTip());
                connect(button, &QPushButton::clicked, command.action, &QAction::trigger);
            }
}

// --- layout

void MainWindow::defaultLayout() {
    QList<QDockWidget*> below;
    // A dock that is added where it is already leaves its neighbours' tabs without a bar.
    for (const ShownView& shown : m_views)
        if (shown.dock) {
            shown.dock->setFloating(false);
            removeDockWidget(shown.dock);
        }
    m_hiddenForTexts.clear();
    for (const ShownView& shown : m_views) {
        if (!shown.dock)
            continue;
        addDockWidget(dockArea(shown.row.area), shown.dock);
        shown.dock->show();
        if (shown.row.area == Area::Below) {
            if (!below.isEmpty())
                tabifyDockWidget(below.front(), shown.dock);
            below << shown.dock;
        }
    }
    if (!below.isEmpty())
        below.front()->raise();
    QList<QDockWidget*> columns;
    QList<int> widths;
    for (const auto& [area, width] : {std::pair(Area::Left, 260), std::pair(Area::Right, 440)})
        for (const ShownView& shown : m_views)
            if (shown.row.area == area) {
                columns << shown.dock;
                widths << width;
                break;
            }
    resizeDocks(columns, widths, Qt::Horizontal);
    for (const Area area : {Area::Left, Area::Right}) {
        QList<QDockWidget*> docks;
        QList<int> heights;
        for (const ShownView& shown : m_views)
            if (shown.row.area == area) {
                docks << shown.dock;
                heights << shown.row.share;
            }
        resizeDocks(docks, heights, Qt::Vertical);
    }
    if (!below.isEmpty())
        resizeDocks({below.front()}, {230}, Qt::Vertical);
    layout()->activate();
    // What the docks had before stays behind, empty, and may lie over their new tabs.
    for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (bar->count() == 0)
            bar->hide();
}

// The room is shared: while there are texts in a small window, the docks on the right make place.
void MainWindow::layOutTexts(View* view, bool something) {
    if (something == view->isVisibleTo(this))
        return;
    view->setVisible(something);
    if (!something) {
        showHiddenDocks();
        focusCentre();
        return;
    }
    if (m_centre->width() >= roomForTexts)
        return;
    for (const ShownView& shown : m_views)
        if (shown.row.area == Area::Right && shown.dock->isVisibleTo(this) &&
            !shown.dock->isFloating()) {
            m_hiddenWidth = shown.dock->width();
            shown.dock->hide();
            m_hiddenForTexts.push_back(shown.dock);
        }
}

void MainWindow::focusCentre() {
    for (const ShownView& shown : m_views)
        if (shown.row.area == Area::Centre)
            return shown.view->setFocus();
}

// As wide as they were: by itself a dock comes back at its smallest.
void MainWindow::showHiddenDocks() {
    const QList<QDockWidget*> docks = std::exchange(m_hiddenForTexts, {});
    if (docks.isEmpty())
        return;
    for (QDockWidget* dock : docks)
        dock->show();
    m_work->refresh(); // the middle needs less at once
    centralWidget()->layout()->activate();
    layout()->activate();
    resizeDocks(docks, QList<int>(docks.size(), m_hiddenWidth), Qt::Horizontal);
}

// From the middle round the docks, column by column.
void MainWindow::cyclePanes(int step) {
    std::vector<QWidget*> stops, last;
    for (const Area area : {Area::Text, Area::Centre, Area::Left, Area::Right, Area::Below})
        for (const ShownView& shown : m_views)
            if (shown.row.area == area)
                for (QWidget* stop : shown.view->stops())
                    (area == Area::Text && stop != shown.view->stops().front() ? last : stops)
                        .push_back(stop);
    stops.insert(stops.end(), last.begin(), last.end()); // what stands below a text
    // What is hidden, or behind another tab, takes no keys.
    std::erase_if(stops, [this](const QWidget* stop) {
        const QWidget* there = childAt(stop->mapTo(this, stop->rect().center()));
        return !there || !(there == stop || stop->isAncestorOf(there));
    });
    if (stops.empty())
        return;
    std::ptrdiff_t at = -1;
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (focusWidget() && (stops[i] == focusWidget() || stops[i]->isAncestorOf(focusWidget())))
            at = std::ptrdiff_t(i);
    }
    const auto count = std::ptrdiff_t(stops.size());
    for (std::ptrdiff_t i = 1; i <= count; ++i) {
        if (QWidget* target = keysOf(stops[std::size_t(((at + step * i) % count + count) % count)]))
            return target->setFocus(Qt::TabFocusReason);
    }
}

} // namespace fw::ui
