// What room the columns of the implementations have.
#include "views/common/fitted_columns.h"
#include "views/common/theme.h"
#include "views/implementations/implementations_view.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTreeView>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int leastName = 110; // its icon, and what tells it from others
constexpr int cellBorder = 18; // of both sides
constexpr int shownRows = 500; // whose widths count

} // namespace

// The priority is in the reason as well: in a narrow view its room is the reason's.
void ImplementationsView::hideColumns() {
    m_columns->setHidden(ImplementationsModel::Verified, !m_model.isVerified());
    m_columns->setHidden(ImplementationsModel::Difference, !m_model.isCompared());
    m_columns->setHidden(ImplementationsModel::Priority,
                         width() < Theme::scaled(520 + (m_model.isVerified() ? 80 : 0) +
                                                 (m_model.isCompared() ? 130 : 0)));
    fitColumns();
    fitNames();
}

void ImplementationsView::fitColumns() {
    const QFontMetrics metrics = m_table->fontMetrics();
    int time = metrics.horizontalAdvance(u"12.3 µs"_s);
    for (int row = 0; row < std::min(m_model.rowCount(), shownRows); ++row)
        for (const int column : {ImplementationsModel::Estimate, ImplementationsModel::Measured})
            time = std::max(
                time, metrics.horizontalAdvance(m_model.index(row, column).data().toString()));
    time += cellBorder;
    const int difference = metrics.horizontalAdvance(u"− 12.3 µs (12 %)"_s) + cellBorder;
    const int widths[] = {Theme::scaled(leastName), 0, time, time, difference, Theme::scaled(72),
                          Theme::scaled(48)};
    static_assert(std::size(widths) == ImplementationsModel::ColumnCount);
    for (int column = 0; column < ImplementationsModel::ColumnCount; ++column)
        if (widths[column] > 0)
            m_columns->fit(column, widths[column]);
}

// Who computes a group can be read first, then its name; what is left over is for the reasons.
void ImplementationsView::fitNames() {
    const QFontMetrics metrics = m_table->fontMetrics();
    int name = leastName, chosen = 0;
    for (int row = 0; row < std::min(m_model.rowCount(), shownRows); ++row) {
        const auto cell = [&](int column) { return m_model.index(row, column).data().toString(); };
        const QModelIndex index = m_model.index(row, ImplementationsModel::Name);
        name = std::max(name, m_table->indentation() + m_table->sizeHintForIndex(index).width());
        chosen = std::max(chosen,
                          metrics.horizontalAdvance(
                              cell(ImplementationsModel::Verdict).section(u':', 0, 0) + u": …"_s));
    }
    int room = m_table->width() - m_table->verticalScrollBar()->sizeHint().width();
    for (int column = 0; column < ImplementationsModel::ColumnCount; ++column)
        if (column != ImplementationsModel::Name && column != ImplementationsModel::Verdict &&
            !m_table->isColumnHidden(column))
            room -= m_table->columnWidth(column);
    m_columns->fit(ImplementationsModel::Name,
                   std::clamp(room - chosen - cellBorder, leastName, name));
}

} // namespace fw::ui
