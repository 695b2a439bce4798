#include "views/graph/trail.h"

#include "snapshot/insides.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"
#include "views/graph/graph_panes.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestStep = 190, leastStep = 24; // pixels
constexpr std::size_t mostOnTrail = 5;

// Of a long way the begin and the end.
std::vector<Trail::Step> shortened(const std::vector<Trail::Step>& steps) {
    if (steps.size() <= mostOnTrail)
        return steps;
    std::vector<Trail::Step> out(steps.begin(), steps.begin() + 2);
    out.push_back({u"…"_s, steps[steps.size() - 3].container});
    out.insert(out.end(), steps.end() - 2, steps.end());
    return out;
}

} // namespace

Trail::Trail(QWidget* parent) : QWidget(parent) {
    setObjectName(u"trail"_s);
    setAccessibleName(u"Graphs around what is selected"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 1, 6, 1);
    layout->setSpacing(2);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    hide();
}

void Trail::setSteps(std::vector<Step> steps) {
    if (steps == m_steps)
        return;
    m_steps = std::move(steps);
    m_buttons.clear();
    while (QLayoutItem* item = layout()->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater(); // it may be the one that was clicked
        }
        delete item;
    }
    auto* row = static_cast<QHBoxLayout*>(layout());
    for (const Step& step : shortened(m_steps)) {
        if (row->count() > 0)
            row->addWidget(new QLabel(u"›"_s, this));
        auto* button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setAccessibleName(step.text);
        button->setToolTip(toolTipOf(step.container == -1 ? u"Show all of %1"_s.arg(step.text)
                                                          : u"Show %1"_s.arg(step.text)));
        connect(button, &QToolButton::clicked, this,
                [this, to = step.container] { Q_EMIT followed(to); });
        row->addWidget(button);
        m_buttons.push_back(button);
    }
    row->addStretch(1);
    fit();
    setVisible(!m_steps.empty());
}

void Trail::fit() {
    constexpr int around = 26; // of a button, with the sign in front of it
    const int count = std::max(int(m_buttons.size()), 1);
    const int room = std::clamp(width() / count - around, leastStep, widestStep);
    for (QToolButton* button : m_buttons)
        button->setText(button->fontMetrics()
                            .elidedText(button->accessibleName(), Qt::ElideMiddle, room)
                            .replace(u'&', u"&&"_s));
}

void Trail::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

QString Trail::text() const {
    QStringList out;
    for (const Step& step : m_steps)
        out << step.text;
    return out.join(u" › "_s);
}

void showTrails(const GraphPanes& panes) {
    const Picked& picked = panes.selection().picked();
    for (std::size_t i = 0; i < panes.size(); ++i) {
        std::vector<Trail::Step> steps;
        const auto graph = panes.graphOf(i);
        const auto* blocks = panes.collapse().blocks(panes.pane(i));
        if (graph && blocks && !graph->insides.empty() && !panes.joint().stateOf(panes.pane(i))) {
            steps.push_back({graph->name.empty() ? u"model"_s : ui::text(graph->name), -1});
            const auto subject =
                panes.sideOf(i) == GraphSide::Fused ? picked.fusedSubject : picked.importedSubject;
            for (const snapshot::InsideRecord* body : snapshot::bodiesAround(*graph, subject))
                for (const snapshot::Block& block : blocks->blocks)
                    if (block.path == blockPathOf(*body))
                        steps.push_back({ui::text(block.title), block.id});
        }
        panes.pane(i)->trail()->setSteps(std::move(steps));
    }
}

} // namespace fw::ui
