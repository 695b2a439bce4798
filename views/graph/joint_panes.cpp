#include "views/graph/joint_panes.h"

#include "views/graph/collapse.h"

#include <QScopedValueRollback>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using picture::JointSide;
using snapshot::JointNode;

namespace {

constexpr JointSide sides[] = {JointSide::Left, JointSide::Right};

bool isAbsent(const JointNode& node, JointSide side) {
    return (side == JointSide::Left ? node.left : node.right) == snapshot::noNode;
}

} // namespace

JointPanes::JointPanes(GraphPane* left, GraphPane* right, QObject* parent)
    : QObject(parent), m_left(left), m_right(right) {
    for (const JointSide side : sides) {
        connect(pane(side), &GraphPane::busyChanged, this, [this, side] {
            if (pane(side)->busy())
                return;
            hideAbsent(side);
            follow(JointSide::Left);
        });
        connect(pane(side)->canvas(), &GraphCanvas::moved, this, [this, side] { follow(side); });
    }
}

void JointPanes::show(const Graph& left, const Graph& right, const picture::DiagramOptions& options,
                      Collapse& collapse) {
    const auto joint = std::make_shared<const snapshot::JointGraph>(joined(*left, *right));
    m_joint = joint;
    m_collapse = &collapse;
    picture::DiagramOptions all = options;
    all.blocks = std::make_shared<const snapshot::Hierarchy>(hierarchyOf(joint->graph));
    all.view = collapse.view();
    for (const JointSide side : sides) {
        std::vector<snapshot::NodeId> nodes;
        for (const JointNode& node : joint->nodes)
            nodes.push_back(side == JointSide::Left ? node.left : node.right);
        collapse.showOthers(side == JointSide::Left ? GraphSide::Imported : GraphSide::Fused,
                            all.blocks, std::move(nodes));
        pane(side)->setDiagram(
            [joint, side, all] { return picture::diagramOf(*joint, side, all); });
    }
}

void JointPanes::clear() {
    m_joint = nullptr;
}

const JointNode* JointPanes::find(JointSide side, snapshot::NodeId node) const {
    if (!m_joint)
        return nullptr;
    const auto found =
        std::find_if(m_joint->nodes.begin(), m_joint->nodes.end(), [&](const JointNode& one) {
            return (side == JointSide::Left ? one.left : one.right) == node;
        });
    return found == m_joint->nodes.end() ? nullptr : &*found;
}

std::vector<const JointNode*> JointPanes::changes() const {
    std::vector<std::pair<QPointF, const JointNode*>> placed;
    for (std::size_t i = 0; m_joint && i < m_joint->nodes.size(); ++i) {
        const JointNode& node = m_joint->nodes[i];
        if (node.mark == JointNode::Mark::Kept || m_joint->graph.nodes[i].constant)
            continue;
        const QRectF box = m_left->canvas()->nodeRect(picture::boxOf(*m_joint, JointSide::Left, i));
        placed.emplace_back(box.center(), &node);
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.y(), a.first.x()) < std::pair(b.first.y(), b.first.x());
    });
    std::vector<const JointNode*> out;
    for (const auto& [place, node] : placed)
        out.push_back(node);
    return out;
}

std::vector<Halo> JointPanes::marks(JointSide side) const {
    std::vector<Halo> out;
    for (std::size_t i = 0; m_joint && i < m_joint->nodes.size(); ++i) {
        const JointNode& node = m_joint->nodes[i];
        if (isAbsent(node, side) || m_joint->graph.nodes[i].constant)
            continue;
        const std::int64_t box = picture::boxOf(*m_joint, side, i);
        if (node.mark == JointNode::Mark::Erased)
            out.push_back({{box}, Halo::Look::Erased, u"−"_s});
        if (node.mark == JointNode::Mark::Created)
            out.push_back({{box}, Halo::Look::Created, u"+"_s});
        if (node.mark == JointNode::Mark::Changed)
            out.push_back({{box}, Halo::Look::Changed, u"~"_s});
    }
    return out;
}

void JointPanes::hideAbsent(JointSide side) {
    GraphCanvas::Hidden hidden;
    for (std::size_t i = 0; m_joint && i < m_joint->nodes.size(); ++i) {
        const JointNode& node = m_joint->nodes[i];
        const std::int64_t box = picture::boxOf(*m_joint, side, i);
        if (isAbsent(node, side))
            hidden.boxes.insert(box);
        for (const std::size_t operand : side == JointSide::Left ? node.rightOnly : node.leftOnly) {
            const auto from = std::size_t(m_joint->graph.nodes[i].inputs[operand].node);
            hidden.edges.emplace(picture::boxOf(*m_joint, side, from), box);
        }
    }
    for (std::size_t k = 0; m_joint && k < m_joint->results.size(); ++k)
        if (!(side == JointSide::Left ? m_joint->results[k].left : m_joint->results[k].right))
            hidden.boxes.insert(picture::firstResultBox - std::int64_t(k));
    const GraphSide graph = side == JointSide::Left ? GraphSide::Imported : GraphSide::Fused;
    if (m_joint && pane(side)->canvas()->picture())
        for (const auto& box : pane(side)->canvas()->picture()->boxes)
            if (snapshot::isBlock(box.id) && m_collapse->nodesOf(graph, {box.id}).empty())
                hidden.boxes.insert(box.id); // all that it holds is the other state's
    hidden.containers = m_joint && side == JointSide::Left;
    pane(side)->canvas()->setHidden(std::move(hidden));
}

void JointPanes::follow(JointSide side) {
    if (!m_joint || m_following || m_left->busy() || m_right->busy())
        return;
    const QScopedValueRollback following(m_following, true);
    const GraphPane* leads = pane(side);
    GraphPane* follows = pane(side == JointSide::Left ? JointSide::Right : JointSide::Left);
    follows->canvas()->follow(*leads->canvas());
}

} // namespace fw::ui
