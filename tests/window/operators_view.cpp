#include "operators_view.h"

#include "views/common/numbers.h"
#include "views/common/state_overlay.h"

#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// Of a type's text: "f32[1,64,56,56]"; free dimensions count as one.
double elementsOf(const std::string& type) {
    const QString text = QString::fromStdString(type);
    const QString sizes = text.section(u'[', 1).section(u']', 0, 0);
    double out = 1;
    for (const QString& size : sizes.split(u',', Qt::SkipEmptyParts))
        out *= std::max(1, size.toInt());
    return out;
}

struct Row {
    int count = 0;
    double elements = 0; // of all results
};

} // namespace

OperatorsView::OperatorsView(QWidget* parent) : View(parent), m_table(new QTreeWidget(this)) {
    setOverlay(new StateOverlay(m_table));
    m_table->setObjectName(u"operatorsTable"_s);
    m_table->setRootIsDecorated(false);
    m_table->setHeaderLabels({u"operator"_s, u"count"_s, u"elements"_s});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
    connect(m_table, &QTreeWidget::itemClicked, this, &OperatorsView::pickCurrent);
    addCommand(MenuPlace::Walk, u"Select the operator's no&des"_s, u"Ctrl+Alt+J"_s,
               [this] { pickCurrent(); });
}

void OperatorsView::documentChanged(Parts) {
    if (document().imported())
        overlay()->setReady();
    else
        overlay()->setEmpty(u"No operators yet"_s, u"Open a model first."_s);
    fill();
}

void OperatorsView::fill() {
    std::map<std::string, Row> rows;
    if (const auto& graph = document().imported())
        for (const auto& node : graph->nodes) {
            if (node.constant || node.op == "input")
                continue;
            Row& row = rows[node.op];
            ++row.count;
            for (const auto& output : node.outputs)
                row.elements += elementsOf(output.type);
        }
    m_table->clear();
    for (const auto& [op, row] : rows) {
        auto* item = new QTreeWidgetItem(m_table);
        item->setText(Operator, QString::fromStdString(op));
        item->setText(Count, QString::number(row.count));
        item->setText(Elements, QString::number(row.elements, 'g', 3));
    }
    setDetail(countOf(std::int64_t(rows.size()), u"operator"_s));
}

void OperatorsView::pickCurrent() {
    const QTreeWidgetItem* current = m_table->currentItem();
    if (!current || !document().imported())
        return;
    snapshot::NodeSet nodes;
    for (const auto& node : document().imported()->nodes)
        if (node.op == current->text(Operator).toStdString())
            nodes.insert(node.id);
    selection().pick(selection().ofImported(nodes), this);
}

void OperatorsView::selectionChanged(const QObject* origin) {
    if (origin == this)
        return;
    const auto& picked = selection().picked().imported;
    const auto* node =
        picked.empty() ? nullptr : nodeOf(document().imported().get(), *picked.begin());
    const auto found =
        node ? m_table->findItems(QString::fromStdString(node->op), Qt::MatchExactly, Operator)
             : QList<QTreeWidgetItem*>();
    m_table->setCurrentItem(found.isEmpty() ? nullptr : found.front());
}

} // namespace fw::ui
