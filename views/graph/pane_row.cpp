#include "views/graph/pane_row.h"

#include <algorithm>
#include <numeric>

namespace fw::ui {

PaneRow::PaneRow(QWidget* parent) : QSplitter(Qt::Horizontal, parent), m_step(new StepPane) {
    setObjectName(QStringLiteral("panes"));
    addWidget(m_step);
    m_step->hide();
}

void PaneRow::add(GraphPane* pane) {
    insertWidget(count() - 1, pane); // in front of the application
    pane->setVisible(!showsStep());
    layOut();
}

void PaneRow::layOut() {
    setSizes(QList<int>(count(), std::max(width(), count()) / count()));
}

bool PaneRow::hasKeys(int at) const {
    return widget(at)->isAncestorOf(window()->focusWidget());
}

void PaneRow::setStepShown(bool shown) {
    const int last = count() - 1;
    const bool appears = shown && m_step->isHidden(), ends = !shown && !m_step->isHidden();
    const bool hadKeys = hasKeys(last);
    if (appears)
        m_sizesApart = sizes();
    m_step->setVisible(shown);
    for (int i = 1; appears && i < last; ++i)
        if (hasKeys(i)) { // and is hidden now
            m_step->setFocus();
            break;
        }
    for (int i = 1; i < last; ++i)
        widget(i)->setVisible(!shown);
    if (appears) {
        QList<int> halves(count(), 0);
        const int all = std::accumulate(m_sizesApart.begin(), m_sizesApart.end(), 0);
        halves.first() = all / 2;
        halves.last() = all - all / 2;
        setSizes(halves);
    } else if (ends && m_sizesApart.size() == count()) {
        setSizes(m_sizesApart);
    }
    if (!shown && hadKeys)
        widget(1)->setFocus();
}

} // namespace fw::ui
