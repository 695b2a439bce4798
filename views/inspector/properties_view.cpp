#include "views/inspector/properties_view.h"

#include "views/common/state_overlay.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

PropertiesModel::PropertiesModel(QObject* parent) : QAbstractTableModel(parent) {}

void PropertiesModel::setProperties(Properties properties) {
    beginResetModel();
    m_properties = std::move(properties);
    endResetModel();
}

int PropertiesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_properties.size());
}

int PropertiesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 2;
}

QVariant PropertiesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Property& property = m_properties[size_t(index.row())];
    const QString& text = index.column() == 0 ? property.name : property.value;
    if (role == Qt::DisplayRole)
        return text;
    if (role == Qt::ToolTipRole)
        return toolTipOf(property.name + u": "_s + property.value);
    return {};
}

PropertiesView::PropertiesView(QWidget* parent)
    : QWidget(parent), m_values(new ValuePanel(this)), m_table(new QTableView(this)),
      m_overlay(new StateOverlay(m_table)) {
    m_table->setObjectName(u"properties"_s);
    m_table->setAccessibleName(u"Properties"_s);
    m_table->setModel(&m_model);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setWordWrap(true);
    m_table->horizontalHeader()->hide();
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->resizeSection(0, 120);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(u"Copy value"_s, m_table);
    m_table->addAction(copy);
    connect(copy, &QAction::triggered, this, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            QApplication::clipboard()->setText(current.siblingAtColumn(1).data().toString());
    });
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(u"propertiesSplitter"_s);
    splitter->addWidget(m_table);
    splitter->addWidget(m_values);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({150, 150});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    setProperties({});
    connect(m_values, &ValuePanel::requested, this, &PropertiesView::valueRequested);
}

void PropertiesView::setProperties(Properties properties) {
    if (properties.empty())
        m_overlay->setEmpty(u"Nothing to show"_s, u"Open a model, or select something."_s);
    else
        m_overlay->setReady();
    m_model.setProperties(std::move(properties));
}

} // namespace fw::ui
