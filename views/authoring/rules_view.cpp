#include "views/authoring/rules_view.h"

#include "views/common/flow_layout.h"
#include "views/common/numbers.h"
#include "views/common/state_overlay.h"

#include <QAction>
#include <QHeaderView>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <set>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int leastColumn = 60; // pixels of what is said of a rule

// Pins of the document are no file.
bool isBookFile(const QString& file) {
    return file.endsWith(u".fw"_s);
}

// The row of the book.
QModelIndex topOf(QModelIndex index) {
    while (index.parent().isValid())
        index = index.parent();
    return index.siblingAtColumn(0);
}

} // namespace

RulesView::RulesView(QWidget* parent)
    : View(parent), m_lists(new QStackedWidget(this)), m_tree(new QTreeView),
      m_order(new QTreeView), m_new(new QPushButton(u"New"_s, this)),
      m_open(new QPushButton(u"Open…"_s, this)), m_close(new QPushButton(u"Close"_s, this)),
      m_inOrder(new QPushButton(u"In order"_s, this)) {
    setPlanOverlay(new StateOverlay(m_lists));
    m_lists->addWidget(m_tree);
    m_lists->addWidget(m_order);
    m_tree->setObjectName(u"rules"_s);
    m_tree->setAccessibleName(u"Rule books"_s);
    m_tree->setModel(&m_model);
    m_tree->setHeaderHidden(true);
    prepare(m_tree);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(RulesModel::Name, QHeaderView::Stretch);
    for (const int column : {RulesModel::Verdict, RulesModel::Detail})
        m_tree->header()->setSectionResizeMode(column, QHeaderView::Fixed);
    m_order->setObjectName(u"rulesInOrder"_s);
    m_order->setAccessibleName(u"Rules in order"_s);
    m_order->setModel(&m_orderModel);
    prepare(m_order);
    m_order->setExpandsOnDoubleClick(false);
    m_order->setSelectionMode(QAbstractItemView::SingleSelection);
    // In a narrow dock the book is what is scrolled to.
    m_order->setTextElideMode(Qt::ElideRight);
    m_order->header()->resizeSection(OrderModel::Name, 142);
    for (const int column : {OrderModel::Count, OrderModel::Time})
        m_order->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_order->header()->resizeSection(OrderModel::Book, 130);
    m_inOrder->setCheckable(true);
    m_inOrder->setToolTip(
        u"Everything that is declared, shipped too, in the order in which it is asked (Ctrl+Alt+U)"_s);
    m_new->setToolTip(u"Begin a rule book (Ctrl+Shift+N)"_s);
    m_open->setToolTip(u"Open a rule book (Ctrl+Shift+O); it takes part in the plan at once"_s);
    m_close->setToolTip(u"Take the selected book out of the document"_s);
    auto* buttons = new FlowLayout(6);
    buttons->setContentsMargins(8, 6, 8, 6);
    buttons->addWidget(m_new);
    buttons->addWidget(m_open);
    buttons->addWidget(m_close);
    buttons->addWidget(m_inOrder);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_lists, 1);
    layout->addLayout(buttons);
    connect(m_new, &QPushButton::clicked, this, [this] { Q_EMIT asked(Request::NewBook); });
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT asked(Request::OpenBook); });
    connect(m_tree, &QTreeView::doubleClicked, this, &RulesView::editCurrent);
    connect(m_order, &QTreeView::doubleClicked, this, &RulesView::editCurrent);
    connect(m_inOrder, &QPushButton::toggled, this, &RulesView::showOrder);
    connect(m_close, &QPushButton::clicked, this, &RulesView::closeCurrent);
    // Queued: what hears it fills the model again.
    connect(
        &m_model, &RulesModel::bookSwitched, this,
        [this](const QString& path, bool on) {
            Q_EMIT asked(EditInputs{snapshot::SwitchBook{
                path.toStdString(), on ? snapshot::Enabled::Yes : snapshot::Enabled::No}});
        },
        Qt::QueuedConnection);
    connect(
        &m_model, &RulesModel::shippedSwitched, this,
        [this](const QString& file, bool on) {
            Q_EMIT asked(EditInputs{snapshot::SwitchShipped{
                file.toStdString(), on ? snapshot::Enabled::Yes : snapshot::Enabled::No}});
        },
        Qt::QueuedConnection);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                m_close->setEnabled(!currentBook().isEmpty());
                const auto nodes = current.data(RulesModel::NodesRole).value<QList<qint64>>();
                if (!nodes.isEmpty() && !m_filling)
                    selection().pick(selection().of(current.data(RulesModel::RewrittenRole).toBool()
                                                        ? GraphSide::Fused
                                                        : GraphSide::Imported,
                                                    {nodes.begin(), nodes.end()}));
            });
    connect(m_order->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { m_close->setEnabled(!currentBook().isEmpty()); });
    m_tree->setDragDropMode(QAbstractItemView::InternalMove);
    m_tree->setDropIndicatorShown(true);
    connect(&m_model, &RulesModel::bookMoved, this, &RulesView::moveBook, Qt::QueuedConnection);
    connect(m_tree, &QTreeView::expanded, this, &RulesView::fitDetail);
    connect(m_tree, &QTreeView::collapsed, this, &RulesView::fitDetail);
    m_close->setEnabled(false);
    addCommand(MenuPlace::Books, u"&Close book"_s, u"Ctrl+Shift+W"_s, [this] { closeCurrent(); });
    addCommand(MenuPlace::Books, u"Move the book &up"_s, u"Alt+Shift+Up"_s,
               [this] { moveCurrent(-1); });
    addCommand(MenuPlace::Books, u"Move the book &down"_s, u"Alt+Shift+Down"_s,
               [this] { moveCurrent(+1); });
    addCommand(MenuPlace::Books, u"&Switch the book on or off"_s, u"Ctrl+Alt+K"_s,
               [this] { switchCurrent(); });
    m_inOrderCommand = addCommand(
        MenuPlace::Books, u"All rules in o&rder"_s, u"Ctrl+Alt+U"_s,
        [this] { showOrder(!orderShown()); }, Needs::Nothing);
    m_inOrderCommand->setCheckable(true);
    addCommand(
        MenuPlace::Begin, u"&Edit the selected book"_s, u"Ctrl+E"_s, [this] { editCurrent(); },
        Needs::Nothing);
}

void RulesView::documentChanged(Parts parts) {
    const auto& rewrite = document().rewrite();
    if (parts.hasAny({Part::Info, Part::Inputs, Part::Checks, Part::Rewrite, Part::Matches,
                      Part::Bisected, Part::Order}))
        setContent({document().inputs().books, document().inputs().without, document().checks(),
                    rewrite, document().matches(), document().bisected(), document().order()});
    if (parts.has(Part::Order))
        setOrder(document().order());
    setDetail(
        rewrite ? u"%1 → %2"_s.arg(rewrite->nodesBefore).arg(countOf(rewrite->nodesAfter, u"op"_s))
                : QString());
    if (document().isOpen())
        showPlanState(*overlay(), document(), true);
    else
        overlay()->setEmpty(u"No rules yet"_s, u"Open a model first."_s);
}

void RulesView::closeCurrent() {
    if (const QString path = currentBook(); !path.isEmpty())
        Q_EMIT asked(EditInputs{snapshot::RemoveBook{path.toStdString()}});
}

void RulesView::moveBook(const QString& path, int to) {
    Q_EMIT asked(EditInputs{snapshot::MoveBook{path.toStdString(), std::size_t(to)}});
}

void RulesView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitDetail();
}

void RulesView::fitDetail() {
    const QAbstractItemView* tree = m_tree;
    const int verdict = tree->sizeHintForColumn(RulesModel::Verdict);
    const int detail = tree->sizeHintForColumn(RulesModel::Detail);
    // In a narrow dock the name keeps its part, and what is said of it shares the rest.
    const int name = verdict > 0 ? m_lists->width() * 2 / 5 : m_lists->width() / 2;
    const int rest = std::max(m_lists->width() - name, 2 * leastColumn);
    const int narrow = std::min(verdict, std::max(rest - detail, rest / 2));
    m_tree->header()->resizeSection(RulesModel::Verdict, narrow);
    m_tree->header()->resizeSection(RulesModel::Detail, std::min(detail, rest - narrow));
}

void RulesView::setContent(RulesContent content) {
    // What was open and what was current stay so, by name. Books of which something may act are
    // open at first, rules closed.
    const auto nameOf = [](const QModelIndex& index) {
        const QModelIndex first = index.siblingAtColumn(0);
        return first.parent().data().toString() + u'/' + first.data().toString();
    };
    std::set<QString> closed, opened;
    const auto forAll = [&](const auto& visit) {
        for (int row = 0; row < m_model.rowCount(); ++row) {
            const QModelIndex book = m_model.index(row, 0);
            visit(book);
            for (int below = 0; below < m_model.rowCount(book); ++below)
                visit(m_model.index(below, 0, book));
        }
    };
    forAll([&](const QModelIndex& index) {
        (m_tree->isExpanded(index) ? opened : closed).insert(nameOf(index));
    });
    const QModelIndex before = m_tree->currentIndex();
    const QString current = before.isValid() ? nameOf(before) : QString();
    m_model.setContent(std::move(content));
    m_filling = true;
    forAll([&](const QModelIndex& index) {
        const QString name = nameOf(index);
        m_tree->setExpanded(index, opened.contains(name) ||
                                       (!closed.contains(name) && !index.parent().isValid() &&
                                        !index.data(RulesModel::ClosedRole).toBool()));
        if (!current.isEmpty() && nameOf(index) == current)
            m_tree->setCurrentIndex(index);
    });
    m_filling = false;
    fitDetail();
    m_close->setEnabled(!currentBook().isEmpty());
}

void RulesView::setOrder(const Shared<snapshot::OrderDocument>& order) {
    // Phases are open at first; the row that was current stays the current one by its place.
    std::set<QString> closed;
    for (int row = 0; row < m_orderModel.rowCount(); ++row)
        if (const QModelIndex phase = m_orderModel.index(row, 0); !m_order->isExpanded(phase))
            closed.insert(phase.data().toString());
    const QModelIndex before = m_order->currentIndex().siblingAtColumn(OrderModel::Book);
    const QString place = before.data().toString();
    m_orderModel.setOrder(order);
    for (int row = 0; row < m_orderModel.rowCount(); ++row) {
        const QModelIndex phase = m_orderModel.index(row, 0);
        m_order->setExpanded(phase, !closed.contains(phase.data().toString()));
        for (int entry = 0; !place.isEmpty() && entry < m_orderModel.rowCount(phase); ++entry)
            if (m_orderModel.index(entry, OrderModel::Book, phase).data().toString() == place)
                m_order->setCurrentIndex(m_orderModel.index(entry, 0, phase));
    }
}

void RulesView::showOrder(bool shown) {
    if (shown == orderShown())
        return;
    m_lists->setCurrentWidget(shown ? m_order : m_tree);
    m_inOrder->setChecked(shown);
    m_close->setEnabled(!currentBook().isEmpty());
    m_inOrderCommand->setChecked(shown);
}

bool RulesView::orderShown() const {
    return m_lists->currentWidget() == m_order;
}

void RulesView::switchCurrent() {
    const QString file = orderShown()
                             ? m_order->currentIndex().data(OrderModel::FileRole).toString()
                             : topOf(m_tree->currentIndex()).data(RulesModel::FileRole).toString();
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (const QModelIndex book = m_model.index(row, 0);
            !file.isEmpty() && book.data(RulesModel::FileRole).toString() == file)
            m_model.setData(book,
                            book.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked
                                                                                 : Qt::Checked,
                            Qt::CheckStateRole);
}

void RulesView::moveCurrent(int step) {
    const QString path = currentBook();
    for (int row = 0; row < m_model.bookCount(); ++row)
        if (!path.isEmpty() &&
            m_model.index(row, 0).data(RulesModel::PathRole).toString() == path) {
            if (const int to = row + step; to >= 0 && to < m_model.bookCount())
                moveBook(path, to);
            return;
        }
}

void RulesView::editCurrent() {
    if (orderShown()) {
        const QModelIndex current = m_order->currentIndex();
        if (const QString file = current.data(OrderModel::FileRole).toString(); isBookFile(file))
            Q_EMIT asked(OpenPlace{file, current.data(OrderModel::LineRole).toInt(), 1});
        return;
    }
    const QModelIndex current = m_tree->currentIndex().siblingAtColumn(0);
    // A match is read where its rule is written.
    for (QModelIndex index = current; index.isValid(); index = index.parent())
        if (const QString file = index.data(RulesModel::FileRole).toString(); !file.isEmpty()) {
            Q_EMIT asked(OpenPlace{file, index.data(RulesModel::LineRole).toInt(), 1});
            return;
        }
}

// In the order, the book of the current row if it is the user's.
QString RulesView::currentBook() const {
    if (orderShown()) {
        const QString file = m_order->currentIndex().data(OrderModel::FileRole).toString();
        return file.contains(u'/') ? file : QString();
    }
    return topOf(m_tree->currentIndex()).data(RulesModel::PathRole).toString();
}

} // namespace fw::ui
