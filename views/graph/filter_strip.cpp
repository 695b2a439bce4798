#include "views/graph/filter_strip.h"

#include "views/common/flow_layout.h"
#include "views/common/tool_tip.h"

#include <QToolButton>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widest = 340; // pixels of a text

} // namespace

FilterStrip::FilterStrip(QWidget* parent)
    : QWidget(parent), m_flow(new FlowLayout(4)), m_everything(new QToolButton(this)) {
    setObjectName(u"filterStrip"_s);
    setAccessibleName(u"Filters of the graphs"_s);
    m_flow->setContentsMargins(6, 2, 6, 2);
    setLayout(m_flow);
    m_everything->setText(u"Show everything"_s);
    m_everything->setToolTip(toolTipOf(u"Takes all filters out (Shift+H)"_s));
    m_everything->setAutoRaise(true);
    connect(m_everything, &QToolButton::clicked, this, &FilterStrip::everythingWanted);
    hide();
}

QToolButton* FilterStrip::button(std::size_t row) const {
    return m_buttons.at(row);
}

void FilterStrip::setRows(const std::vector<Row>& rows) {
    if (rows == m_rows)
        return;
    m_rows = rows;
    while (QLayoutItem* item = m_flow->takeAt(0))
        delete item;
    for (QToolButton* button : m_buttons) {
        button->hide();
        button->deleteLater(); // it may be the one that was clicked
    }
    m_buttons.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto* button = m_buttons.emplace_back(new QToolButton(this));
        const QString sign = u" ✕"_s;
        button->setText(button->fontMetrics()
                            .elidedText(rows[i].text, Qt::ElideMiddle, widest)
                            .replace(u'&', u"&&"_s) +
                        sign);
        button->setAccessibleName(u"Take out: %1"_s.arg(rows[i].text));
        button->setToolTip(toolTipOf(rows[i].tip));
        QFont font = button->font();
        font.setItalic(!rows[i].acts);
        button->setFont(font);
        connect(button, &QToolButton::clicked, this, [this, i] { Q_EMIT takenOut(i); });
        m_flow->addWidget(button);
    }
    m_flow->addWidget(m_everything);
    setVisible(!rows.empty());
    updateGeometry();
}

} // namespace fw::ui
