#include "views/common/fitted_columns.h"

#include <QDataStream>
#include <QHeaderView>
#include <QIODevice>
#include <QScopedValueRollback>

namespace fw::ui {

FittedColumns::FittedColumns(QHeaderView* header) : QObject(header), m_header(header) {
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        // A stretched column changes with its neighbour, which is the one that was dragged.
        if (!m_fitting && width > 0 &&
            m_header->sectionResizeMode(column) == QHeaderView::Interactive)
            m_set[column] = width;
    });
}

void FittedColumns::fit(int column, int width) {
    const QScopedValueRollback fitting(m_fitting, true);
    if (!isSet(column))
        m_header->resizeSection(column, width);
}

void FittedColumns::setHidden(int column, bool hidden) {
    const QScopedValueRollback fitting(m_fitting, true);
    m_header->setSectionHidden(column, hidden);
}

QByteArray FittedColumns::saveState() const {
    QByteArray out;
    QDataStream stream(&out, QIODevice::WriteOnly);
    stream << m_set;
    return out;
}

bool FittedColumns::restoreState(const QByteArray& state) {
    QMap<int, int> set;
    m_set.clear();
    QDataStream in(state);
    in >> set;
    if (in.status() != QDataStream::Ok)
        return false;
    m_set = set;
    const QScopedValueRollback fitting(m_fitting, true);
    for (auto one = m_set.cbegin(); one != m_set.cend(); ++one)
        if (one.key() >= 0 && one.key() < m_header->count() && one.value() > 0)
            m_header->resizeSection(one.key(), one.value());
    return true;
}

} // namespace fw::ui
