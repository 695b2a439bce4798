#include "views/graph/step_pane.h"

#include "picture/graph_diagram.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double readable = 0.45;  // scale at which names can still be read
constexpr double likeBefore = 1.6; // as much larger a picture may be shown than it has to be

} // namespace

StepPane::StepPane(QWidget* parent) : GraphPane(u"Application"_s, parent) {
    connect(this, &GraphPane::busyChanged, this, [this] {
        if (!busy())
            showMatch();
    });
}

void StepPane::show(const Shared<snapshot::StepDocument>& step, StepPhase phase) {
    if (!step || !step->application) {
        m_step = nullptr;
        return clear();
    }
    if (step != m_step) {
        m_step = step;
        m_scaleBefore = canvas()->picture() ? canvas()->scale() : 0;
        setDiagram([step] { return picture::diagramOf(step->graph); });
    }
    showPhase(phase);
}

// All of it, at the scale of the application before if it has room so, or what the application is
// about if all of it would be too small to read.
void StepPane::showMatch() {
    canvas()->fitAll();
    const double whole = canvas()->scale();
    if (whole >= readable) {
        if (m_scaleBefore >= readable && m_scaleBefore <= whole &&
            m_scaleBefore * likeBefore >= whole)
            canvas()->setScale(m_scaleBefore);
        return;
    }
    Ids about;
    for (std::size_t i = 0; m_step && i < m_step->nodes.size(); ++i)
        if (const snapshot::SteppedNode& node = m_step->nodes[i];
            node.matched || (!node.mark.empty() && node.mark != snapshot::NodeMark("kept")))
            about.push_back(node.node);
    canvas()->fitBoxes(about, readable);
}

void StepPane::showPhase(StepPhase phase) {
    const bool inFront = phase == StepPhase::Match, behind = phase == StepPhase::Result;
    std::vector<Halo> halos;
    GraphCanvas::Hidden hidden;
    for (std::size_t i = 0; i < m_step->nodes.size(); ++i) {
        const snapshot::SteppedNode& node = m_step->nodes[i];
        const bool created = node.mark == "created", erased = node.mark == "erased";
        if ((created && inFront) || (erased && behind))
            hidden.boxes.insert(node.node);
        if (inFront && node.matched)
            halos.push_back({{node.node}, Halo::Look::Match, {}});
        if (!inFront && created)
            halos.push_back({{node.node}, Halo::Look::Created, u"+"_s});
        if (!inFront && !behind && erased)
            halos.push_back({{node.node}, Halo::Look::Erased, u"−"_s});
        if (!inFront && node.mark == "changed")
            halos.push_back({{node.node}, Halo::Look::Changed, u"~"_s});
        const auto hide = [&](const std::vector<std::int64_t>& operands) {
            for (const std::int64_t operand : operands)
                if (const auto& inputs = m_step->graph.nodes[i].inputs;
                    std::size_t(operand) < inputs.size())
                    hidden.edges.emplace(inputs[std::size_t(operand)].node, node.node);
        };
        if (inFront)
            hide(node.behind);
        if (behind)
            hide(node.before);
    }
    // Results that hang on what is hidden.
    std::int64_t box = picture::firstResultBox;
    for (const snapshot::InputRef& result : m_step->graph.results) {
        if (hidden.boxes.contains(result.node))
            hidden.boxes.insert(box);
        --box;
    }
    canvas()->setHidden(std::move(hidden));
    canvas()->setHalos(std::move(halos));
    const QString names[] = {u"match"_s, u"change"_s, u"result"_s};
    setDetail(u"%1 of %2, %3"_s.arg(m_step->application->number)
                  .arg(m_step->total)
                  .arg(names[int(phase)]));
}

} // namespace fw::ui
