#include "session/graph_record.h"

#include "ir/missing_type.h"
#include "session/edge_classes.h"
#include "session/makers.h"
#include "session/runnable.h"

#include <fmt/format.h>

namespace fw {

using namespace snapshot;

TensorRecord tensorRecord(const Graph& graph, ValueRef value) {
    return {graph.output(value).name, shownType(graph, value)};
}

BodyRecord bodyRecord(const Node& node, const Body& body, const std::string& path) {
    BodyRecord out;
    out.path = path;
    out.name = body.name;
    for (std::size_t i = 0; i < body.operands.size(); ++i) {
        const bool isOuter = body.operands[i] != Body::givenByOperator;
        (isOuter && !node.isCall() ? out.captured : out.inputs)
            .push_back(tensorRecord(*body.graph, {body.graph->inputs()[i], 0}));
    }
    for (const NamedValue& result : body.graph->results())
        out.outputs.push_back({result.name, shownType(*body.graph, result.value)});
    for (const NodePtr& inner : body.graph->nodes())
        out.nodes += isOperator(*inner) ? 1 : 0;
    return out;
}

std::string pathOf(const std::string& outer, const Node& node, const Body& body) {
    return fmt::format("{}{}{}/{}", outer, outer.empty() ? "" : "/", node.name, body.name);
}

NodeRecord nodeRecord(const Graph& graph, const Node& node, const FusionPlan* plan,
                      const std::string& outer) {
    NodeRecord out;
    out.id = node.id;
    out.name = node.name;
    out.op = node.shownOp();
    for (const ValueRef& input : node.inputs)
        if (input.valid())
            out.inputs.push_back({input.node, input.output, graph.output(input).name});
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        out.outputs.push_back(tensorRecord(graph, {node.id, static_cast<int>(i)}));
    if (!isForeignLeaf(node))
        for (const auto& [name, value] : node.attrs)
            out.attributes[name] = attrText(value);
    out.constant = node.isConstant() || isForeignConstant(node);
    out.unsupported = node.isUnknown() && !isForeignLeaf(node);
    for (const Body& body : node.bodies)
        out.bodies.push_back(bodyRecord(node, body, pathOf(outer, node, body)));
    if (plan != nullptr)
        if (const auto group = plan->groupOf.find(node.id); group != plan->groupOf.end())
            out.group = group->second;
    return out;
}

namespace {

// Operands that are absent are not in the record.
int recordedOperand(const Node& node, std::size_t operand) {
    int out = 0;
    for (std::size_t k = 0; k < operand; ++k)
        out += node.inputs[k].valid() ? 1 : 0;
    return out;
}

} // namespace

NodeId GraphRecord::Level::idOf(NodeId own) const {
    const auto found = ids.find(own);
    return found == ids.end() ? own : found->second;
}

GraphRecord::GraphRecord(const Graph& graph, GraphStage stage, const FusionPlan* plan,
                         Bodies bodies, const std::string& path, Ids what)
    : m_plan(plan), m_bodies(bodies), m_what(what), m_next(graph.nextId()) {
    m_out.stage = stage;
    m_out.name = graph.name();
    m_out.body = path;
    addLevel(graph, path, {});
    m_out.inputs = modelInputs(graph);
    for (const NamedValue& result : graph.results()) {
        InputRef ref = refTo(0, {}, result.value);
        ref.name = result.name;
        m_out.results.push_back(std::move(ref));
    }
    if (plan != nullptr)
        for (const Group& group : plan->groups)
            m_out.groups.push_back(
                {group.id, group.name, group.computedBy(), makerOf(group), group.estimateUs});
}

const GraphRecord::Level* GraphRecord::find(const std::string& path) const {
    const auto found = m_byPath.find(path);
    return found == m_byPath.end() ? nullptr : &m_levels[found->second];
}

InputRef GraphRecord::refTo(std::size_t level, const Bound& bound, ValueRef value) const {
    if (const auto outer = bound.find(value.node); outer != bound.end())
        return outer->second;
    const Level& one = m_levels[level];
    return {one.idOf(value.node), value.output, one.graph->output(value).name};
}

void GraphRecord::addLevel(const Graph& graph, const std::string& path, const Around& around) {
    const std::size_t level = m_levels.size();
    m_levels.push_back({path, &graph, {}, {}});
    m_byPath.emplace(path, level);
    for (const NodePtr& node : graph.nodes()) {
        if (around.bound.contains(node->id))
            continue;
        if (around.inside >= 0)
            m_levels[level].ids.emplace(node->id, m_next++);
        if (m_bodies == Bodies::Show)
            addBodies(level, *node, around.bound, around.depth);
        addNode(level, *node, around);
    }
    if (m_what == Ids::AndNodes)
        addClasses(level, around);
}

void GraphRecord::addNode(std::size_t level, const Node& node, const Around& around) {
    const int inside = around.inside;
    const NodeId id = m_levels[level].idOf(node.id);
    if (inside >= 0)
        m_out.insides[static_cast<std::size_t>(inside)].nodes.push_back(id);
    if (m_what == Ids::Only)
        return;
    m_levels[level].rows.emplace_back(node.id, m_out.nodes.size());
    NodeRecord& out = m_out.nodes.emplace_back(nodeRecord(
        *m_levels[level].graph, node, inside < 0 ? m_plan : nullptr, m_levels[level].path));
    if (inside < 0)
        return;
    out.id = id;
    for (InputRef& input : out.inputs)
        input = refTo(level, around.bound, {input.node, input.output});
    if (const auto first = around.begins.find(node.id); first != around.begins.end())
        out.inputs.push_back(first->second);
}

void GraphRecord::addBodies(std::size_t level, const Node& node, const Bound& bound,
                            std::size_t depth) {
    for (const Body& body : node.bodies) {
        const std::string path = pathOf(m_levels[level].path, node, body);
        const std::size_t place = m_out.insides.size();
        const NodeId owner = m_levels[level].idOf(node.id);
        m_out.insides.push_back({path, body.name, owner, {}, {}, {}, {}});
        Around taken{{}, {}, static_cast<int>(place), depth + 1};
        for (std::size_t i = 0; i < body.operands.size(); ++i) {
            // Loops begin with the operand of the same number, or take elements of it.
            const bool isOwn = body.operands[i] == Body::givenByOperator;
            const std::size_t operand = isOwn ? i : static_cast<std::size_t>(body.operands[i]);
            if (operand >= node.inputs.size() || !node.inputs[operand].valid())
                continue;
            (isOwn ? taken.begins : taken.bound)
                .emplace(body.graph->inputs()[i], refTo(level, bound, node.inputs[operand]));
            m_out.insides[place].reads.push_back(recordedOperand(node, operand));
        }
        m_count += body.graph->nodes().size();
        if (depth == deepestInside || m_count > mostInside) {
            m_count -= body.graph->nodes().size();
            m_out.insides[place].leftOut =
                depth == deepestInside
                    ? fmt::format("more than {} graphs lie around this one", deepestInside)
                    : fmt::format("the graphs inside nodes have more than {} nodes", mostInside);
            continue;
        }
        const std::size_t inner = m_levels.size();
        addLevel(*body.graph, path, taken);
        for (const NamedValue& result : body.graph->results()) {
            InputRef ref = refTo(inner, taken.bound, result.value);
            ref.name = result.name;
            m_out.insides[place].results.push_back(std::move(ref));
        }
    }
}

void GraphRecord::addClasses(std::size_t level, const Around& around) {
    const Bound& bound = around.bound;
    const Graph& graph = *m_levels[level].graph;
    for (const ClassedEdge& edge : classedEdges(graph)) {
        const Node& node = graph.node(edge.node);
        if (!bound.contains(node.inputs[edge.operand].node))
            m_out.edges.push_back({m_levels[level].idOf(edge.node),
                                   recordedOperand(node, edge.operand), edge.carries});
    }
    for (const auto& [input, value] : around.begins)
        m_out.edges.push_back({m_levels[level].idOf(input), 0, "body"});
    if (bound.empty())
        return;
    for (const NodePtr& node : graph.nodes())
        for (std::size_t k = 0; k < node->inputs.size(); ++k)
            if (node->inputs[k].valid() && bound.contains(node->inputs[k].node))
                m_out.edges.push_back(
                    {m_levels[level].idOf(node->id), recordedOperand(*node, k), "body"});
}

} // namespace fw
