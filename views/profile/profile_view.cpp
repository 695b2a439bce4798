#include "views/profile/profile_view.h"

#include "views/common/chip.h"
#include "views/common/state_strip.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// Paints the share as a bar and the implementation as a chip.
class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() == ProfileModel::Bar) {
            const double share = std::clamp(index.data(ProfileModel::ShareRole).toDouble(), 0., 1.);
            const bool estimated = index.data(ProfileModel::EstimatedRole).toBool();
            const QRectF room = option.rect.adjusted(4, 0, -4, 0);
            // Bars are relative to the whole, so they compare between runs; a full cell is the
            // model.
            const QRectF bar(room.x(), room.center().y() - 4,
                             share > 0 ? std::max(1.5, room.width() * share) : 0, 9);
            const QColor fill = Theme::instance().colour(Colour::Bar);
            painter->setPen(Qt::NoPen);
            painter->setBrush(estimated ? QBrush(fill, Qt::Dense4Pattern) : QBrush(fill));
            painter->drawRect(bar);
        } else if (index.column() == ProfileModel::Implementation) {
            const auto implementation =
                picture::Implementation(index.data(ProfileModel::ImplementationRole).toInt());
            paintChip(*painter, option.rect.adjusted(4, 0, 0, 0), implementation);
        }
    }
};

} // namespace

ProfileView::ProfileView(QWidget* parent)
    : QWidget(parent), m_strip(new StateStrip(this)), m_table(new QTreeView(this)),
      m_footer(new QLabel(this)), m_footerRight(new QLabel(this)) {
    m_sorted.setSourceModel(&m_model);
    m_sorted.setSortRole(ProfileModel::SortRole);
    m_table->setObjectName(u"opTimes"_s);
    m_table->setAccessibleName(u"Op times"_s);
    m_table->setModel(&m_sorted);
    m_table->setItemDelegate(new CellDelegate(m_table));
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(ProfileModel::Median, Qt::DescendingOrder);
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(ProfileModel::Name, QHeaderView::Interactive);
    m_table->header()->setSectionResizeMode(ProfileModel::Bar, QHeaderView::Stretch);
    const int widths[] = {260, 44, 92, 0, 76, 84, 70, 56};
    for (int column = 0; column < ProfileModel::ColumnCount; ++column) {
        if (widths[column] > 0)
            m_table->header()->resizeSection(column, widths[column]);
    }
    for (QLabel* label : {m_footer, m_footerRight}) {
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* footer = new QHBoxLayout;
    footer->setContentsMargins(10, 4, 10, 5);
    footer->addWidget(m_footer, 1);
    footer->addWidget(m_footerRight);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_table, 1);
    layout->addLayout(footer);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_selecting && current.isValid())
                    Q_EMIT activated(current.data(ProfileModel::GroupRole).toInt(),
                                     current.data(ProfileModel::NodeRole).toLongLong());
            });
}

void ProfileView::setProfile(std::shared_ptr<const snapshot::ProfileDocument> profile) {
    m_selecting = true;
    m_model.setProfile(profile);
    m_selecting = false;
    m_footer->clear();
    m_footerRight->clear();
    if (!profile)
        return;
    const double noise = profile->iqrPercent;
    m_footer->setText(
        u"sum of groups %1 ms · end to end %2 ms (not instrumented) · %3 runs, %4 threads, IQR %5 %%6"_s
            .arg(millisecondsText(profile->sumMs), millisecondsText(profile->endToEndMs))
            .arg(profile->runs)
            .arg(profile->threads)
            .arg(noise, 0, 'f', 1)
            .arg(noise > 5 ? u" – noisy"_s : QString()));
    m_footerRight->setText(profile->randomInputs ? u"random inputs"_s : QString());
}

void ProfileView::selectGroup(int group) {
    m_selecting = true;
    const QModelIndex index = m_sorted.mapFromSource(m_model.indexOfGroup(group));
    if (index.isValid())
        m_table->setCurrentIndex(index);
    else
        m_table->clearSelection();
    m_selecting = false;
}

QString ProfileView::footerText() const {
    return m_footer->text();
}

QString ProfileView::asText() const {
    QString out;
    for (int column = 0; column < ProfileModel::ColumnCount; ++column)
        if (column != ProfileModel::Bar && column != ProfileModel::Implementation)
            out += (column ? u"\t"_s : QString()) +
                   m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    for (int row = 0; row < m_sorted.rowCount(); ++row) {
        out += u'\n';
        for (int column = 0; column < ProfileModel::ColumnCount; ++column)
            if (column != ProfileModel::Bar && column != ProfileModel::Implementation)
                out +=
                    (column ? u"\t"_s : QString()) + m_sorted.index(row, column).data().toString();
    }
    return out + u'\n' + m_footer->text() + u'\n';
}

} // namespace fw::ui
