#include "views/compare/changes_view.h"

#include "views/common/pane.h"
#include "views/common/state_overlay.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

ChangesView::ChangesView(QWidget* parent)
    : QWidget(parent), m_table(new QTreeView(this)), m_overlay(new StateOverlay(m_table)),
      m_footer(new QLabel(this)) {
    m_table->setObjectName(u"changes"_s);
    m_table->setAccessibleName(u"Changes"_s);
    m_table->setModel(&m_model);
    prepare(m_table);
    m_table->setRootIsDecorated(false);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ChangesModel::What, QHeaderView::Stretch);
    m_table->header()->resizeSection(ChangesModel::Kind, 124);
    m_table->header()->resizeSection(ChangesModel::Before, 96);
    m_table->header()->resizeSection(ChangesModel::After, 104);
    m_footer->setTextFormat(Qt::PlainText);
    m_footer->setProperty("muted", true);
    m_footer->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_footer->setContentsMargins(10, 4, 10, 5);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_footer);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                const auto* change = m_model.change(current.isValid() ? current.row() : -1);
                if (change && !change->after.empty())
                    Q_EMIT activated({change->nodes.begin(), change->nodes.end()});
            });
    setChanges(nullptr);
}

void ChangesView::setChanges(std::shared_ptr<const snapshot::DiffDocument> changes) {
    m_model.setChanges(changes);
    m_footer->setVisible(changes != nullptr);
    if (!changes) {
        m_footer->clear();
        return m_overlay->setEmpty(u"No changes yet"_s,
                                   u"Switch a library, choose another target or open a rule book: "
                                   "what that changes in the plan stands here."_s);
    }
    const QString between = u"%1  →  %2"_s.arg(QString::fromStdString(changes->before),
                                               QString::fromStdString(changes->after));
    if (changes->empty()) {
        m_footer->setText(between);
        return m_overlay->setEmpty(u"Nothing changed"_s,
                                   u"The plan has the same groups and implementations."_s);
    }
    m_footer->setText(m_model.summary() + u" · "_s + between);
    m_overlay->setReady();
}

void ChangesView::step(int by) {
    const int rows = m_model.rowCount();
    if (!rows)
        return;
    const QModelIndex now = m_table->currentIndex();
    const int row = now.isValid() ? std::clamp(now.row() + by, 0, rows - 1) : by > 0 ? 0 : rows - 1;
    m_table->setCurrentIndex(m_model.index(row, 0));
}

QString ChangesView::footerText() const {
    return m_footer->text();
}

} // namespace fw::ui
