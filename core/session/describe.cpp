#include "session/describe.h"

#include "base/hash.h"
#include "ir/missing_type.h"
#include "session/decision_records.h"
#include "session/graph_record.h"
#include "session/makers.h"
#include "session/runnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

// What one ONNX node became has one origin, its last operator. A node that the rules left alone
// stands for itself only, any other for everything of its origins.
std::vector<snapshot::NodeId> importedNodes(const Node& node, const Graph& imported,
                                            const std::map<NodeId, std::vector<NodeId>>& from) {
    const Node* before = imported.find(node.id);
    if (before != nullptr && before->op == node.op && before->origins == node.origins)
        return {node.id};
    std::vector<snapshot::NodeId> out;
    for (const NodeId origin : node.origins)
        if (const auto found = from.find(origin); found != from.end())
            out.insert(out.end(), found->second.begin(), found->second.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// Equal for graphs whose nodes have equal ids, names, operators and operands.
std::string keyOf(const Graph& imported) {
    std::uint64_t key = 0;
    for (const NodePtr& node : imported.nodes()) {
        key = mixHash(key, static_cast<std::uint64_t>(node->id));
        key = mixHash(key, hashOf(node->name).low);
        key = mixHash(key, hashOf(node->shownOp()).low);
        for (const ValueRef& input : node->inputs)
            key = mixHash(mixHash(key, static_cast<std::uint64_t>(input.node)),
                          static_cast<std::uint64_t>(input.output));
    }
    return fmt::format("{:016x}", key);
}

} // namespace

NodeRecord describeNode(const Graph& graph, const Node& node) {
    return nodeRecord(graph, node, nullptr, {});
}

GraphDocument describeImported(const Graph& graph, Bodies bodies) {
    GraphDocument out = GraphRecord(graph, "imported", nullptr, bodies).take();
    out.imported = keyOf(graph);
    return out;
}

Result<GraphDocument> describeBody(const Graph& graph, const std::string& path) {
    const Body* found = nullptr;
    std::string known;
    visitBodies(graph, [&](const Node&, const Body& body, const std::string& one) {
        if (found == nullptr && one == path)
            found = &body;
        if (known.size() < 200)
            known += (known.empty() ? "" : ", ") + one;
    });
    if (found == nullptr)
        return makeDiag(DiagCode::UnknownName, "the model has no body " + path, {},
                        known.empty() ? "no node of it has a body" : "there are " + known);
    return GraphRecord(*found->graph, "imported", nullptr, Bodies::Leave, path).take();
}

GraphDocument describeGraph(const Graph& graph, GraphStage stage, const Graph& imported,
                            const FusionPlan* plan, Bodies bodies) {
    GraphRecord record(graph, stage, plan, bodies);
    const GraphRecord before(imported, "imported", nullptr, bodies, {}, GraphRecord::Ids::Only);
    for (const GraphRecord::Level& level : record.levels()) {
        const GraphRecord::Level* same = before.find(level.path);
        if (same == nullptr)
            continue; // of a node that a rule made
        std::map<NodeId, std::vector<NodeId>> from;
        for (const NodePtr& node : same->graph->nodes())
            for (const NodeId origin : node->origins)
                from[origin].push_back(node->id);
        for (const auto& [own, row] : level.rows) {
            NodeRecord& out = record.node(row);
            out.origins = importedNodes(level.graph->node(own), *same->graph, from);
            for (NodeId& origin : out.origins)
                origin = same->idOf(origin);
        }
    }
    GraphDocument out = record.take();
    out.imported = keyOf(imported);
    return out;
}

InfoDocument describeModel(const std::string& path, const Imported& imported) {
    const Graph& graph = *imported.graph;
    InfoDocument out;
    out.model = path;
    out.format = path.ends_with(".onnx") ? ModelFormat("onnx")
                 : path.ends_with(".fw") ? ModelFormat("fw")
                                         : "folder";
    out.name = graph.name();
    out.producer = imported.info.producer;
    out.opset = imported.info.opset;
    out.ops = imported.info.operators;
    out.diagnostics = imported.diagnostics;
    for (const Symbol dim : graph.freeDims())
        out.freeDims.push_back(std::string(dim.text()));
    MissingTypes missing(graph);
    std::set<std::string> causes;
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            if (const auto cause = missing.find({node->id, static_cast<int>(i)}))
                if (cause->foreign.empty() && causes.insert(cause->value).second)
                    out.untyped.push_back(cause->value);
    for (const NodeId id : modelInputs(graph))
        out.inputs.push_back(tensorRecord(graph, {id, 0}));
    for (const NodePtr& node : graph.nodes())
        out.nodes += isOperator(*node) ? 1 : 0;
    double flops = 0;
    const Graph& planned = *imported.inlined;
    bool known = planned.freeDims().empty() && planned.boundDims().empty();
    for (const NodePtr& node : planned.nodes()) {
        if (node->isConstant()) {
            out.parameters += static_cast<std::int64_t>(node->data->count());
            out.parameterBytes += static_cast<std::int64_t>(node->data->bytes().size());
        } else if (isOperator(*node)) {
            const Result<Facts> facts =
                planned.operators().find(node->op)->facts(callOf(planned, *node));
            known = known && (facts.ok() || isView(planned, *node));
            if (facts)
                flops += facts->flops;
        }
    }
    visitBodies(graph, [&](const Node& node, const Body& body, const std::string& at) {
        out.bodies.push_back(bodyRecord(node, body, at));
    });
    for (const NamedValue& result : graph.results())
        out.outputs.push_back({result.name, shownType(graph, result.value)});
    if (known)
        out.flops = flops;
    const Diags problems = reasonsNotToRun(planned);
    out.runnable = problems.empty() && !hasErrors(imported.diagnostics);
    for (const Diag& problem : problems)
        if (std::none_of(imported.diagnostics.begin(), imported.diagnostics.end(),
                         [&](const Diag& said) { return said.where.node == problem.where.node; }))
            out.diagnostics.push_back(Diag(problem).at({path}));
    AboutNodes about(graph);
    for (const Decision& decision : imported.decisions)
        out.readings.push_back(about.record(decision));
    return out;
}

namespace {

// A plan without edges has nothing to say of any.
std::optional<Decision> nothingToFuse(const Graph& graph, const FusionPlan& plan) {
    if (!plan.edges.empty() ||
        std::any_of(plan.groups.begin(), plan.groups.end(),
                    [](const Group& group) { return group.nodes.size() > 1; }))
        return std::nullopt;
    return Decision{
        graph.name(), Verdict::Note, ReasonCode::NotConnected,
        plan.groups.empty() ? std::string("there is no operator")
        : plan.groups.size() == 1
            ? std::string("there is one operator")
            : fmt::format("none of the {} operators reads another", plan.groups.size())};
}

// `fixed`: all sizes of the graph are numbers.
GroupRecord groupRecord(const Graph& graph, const Group& group, bool fixed) {
    GroupRecord row;
    row.id = group.id;
    row.name = group.name;
    row.nodeIds = group.nodes;
    for (const NodeId id : group.nodes)
        row.nodes.push_back(graph.node(id).name);
    row.anchorId = group.anchor;
    row.anchor = graph.node(group.anchor).name;
    row.implementation = group.computedBy();
    row.maker = makerOf(group);
    row.source = ChoiceSource::of(group.source);
    row.untuned = group.untuned;
    std::set<NodeId> origins;
    for (const NodeId id : group.nodes)
        for (const NodeId origin : graph.node(id).origins)
            origins.insert(origin);
    row.origins.assign(origins.begin(), origins.end());
    for (const Candidate& candidate : group.candidates)
        row.candidates.push_back(candidateRecord(candidate));
    for (const Decision& warning : group.warnings)
        row.warnings.push_back(reasonText(warning));
    for (const ValueRef& input : group.inputs)
        row.inputs.push_back(tensorRecord(graph, input));
    for (const ValueRef& output : group.outputs)
        row.outputs.push_back(tensorRecord(graph, output));
    if (group.hasCode()) {
        row.estUs = group.estimateUs;
        if (fixed) {
            row.flops = group.work.flops;
            row.bytes = group.work.bytesRead + group.work.bytesWritten;
        }
    }
    return row;
}

} // namespace

FuseDocument describePlan(const std::string& model, const Graph& graph, const FusionPlan& plan,
                          const Target& target, Edges edges) {
    FuseDocument out;
    out.model = model;
    out.target = target.text;
    out.groups.reserve(plan.groups.size());
    const bool fixed = graph.freeDims().empty() && graph.boundDims().empty();
    for (const Group& group : plan.groups)
        out.groups.push_back(groupRecord(graph, group, fixed));
    if (edges == Edges::Describe)
        for (const EdgeDecision& edge : plan.edges)
            out.decisions.push_back(decisionRecord(graph, edge));
    AboutNodes about(graph);
    for (const Assumption& assumption : graph.assumptions())
        out.assumptions.push_back(about.record(
            Decision{assumption.node, Verdict::Note, ReasonCode::DimAssumed,
                     fmt::format("{} ({})", assumption.condition.text(), assumption.sentence)}));
    for (const Decision& notice : plan.notices)
        out.notices.push_back(noticeText(notice));
    if (edges == Edges::Describe)
        if (const auto nothing = nothingToFuse(graph, plan))
            out.notices.push_back(noticeText(*nothing));
    return out;
}

} // namespace fw
