#include "session/describe.h"

#include "base/hash.h"
#include "fusion/branches.h"
#include "fusion/computable.h"
#include "ir/missing_type.h"
#include "session/makers.h"
#include "session/path_outside.h"
#include "session/runnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace fw {

namespace {

using namespace snapshot;

TensorRecord tensorRecord(const Graph& graph, ValueRef value) {
    return {graph.output(value).name, shownType(graph, value)};
}

InputRef reference(const Graph& graph, ValueRef value) {
    return {value.node, value.output, graph.output(value).name};
}

BodyRecord describeBody(const Node& node, const Body& body, const std::string& path) {
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

// Every body, the outer ones first.
void visitBodies(const Graph& graph, const std::string& outer, const auto& visit) {
    for (const NodePtr& node : graph.nodes())
        for (const Body& body : node->bodies) {
            const std::string path = pathOf(outer, *node, body);
            visit(*node, body, path);
            visitBodies(*body.graph, path, visit);
        }
}

NodeRecord describeNode(const Graph& graph, const Node& node, const FusionPlan* plan,
                        const std::string& outer) {
    NodeRecord out;
    out.id = node.id;
    out.name = node.name;
    out.op = node.shownOp();
    for (const ValueRef& input : node.inputs)
        if (input.valid())
            out.inputs.push_back(reference(graph, input));
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        out.outputs.push_back(tensorRecord(graph, {node.id, static_cast<int>(i)}));
    if (!isForeignLeaf(node))
        for (const auto& [name, value] : node.attrs)
            out.attributes[name] = attrText(value);
    out.constant = node.isConstant() || isForeignConstant(node);
    out.unsupported = node.isUnknown() && !isForeignLeaf(node);
    for (const Body& body : node.bodies)
        out.bodies.push_back(describeBody(node, body, pathOf(outer, node, body)));
    if (plan != nullptr)
        if (const auto group = plan->groupOf.find(node.id); group != plan->groupOf.end())
            out.group = group->second;
    return out;
}

CandidateRecord record(const Candidate& candidate) {
    CandidateRecord out;
    out.name = candidate.implementation;
    out.maker = makerOf(candidate);
    out.verdict = candidate.chosen || candidate.branch ? CandidateVerdict("chosen")
                  : candidate.verdict == Verdict::Yes  ? CandidateVerdict("ready")
                                                       : "refused";
    out.code = codeText(candidate.code);
    out.sentence = Decision{{}, candidate.verdict, candidate.code, candidate.evidence}.sentence();
    out.priority = candidate.priority;
    out.guard = candidate.guard;
    out.level = candidate.level;
    out.place = candidate.place;
    out.measuredUs = candidate.measuredUs;
    if (candidate.verdict == Verdict::Yes || candidate.branch)
        out.estUs = candidate.estimateUs;
    return out;
}

DecisionRecord record(const Decision& decision) {
    DecisionRecord out;
    out.from = decision.subject;
    out.fromId = noNode;
    out.verdict = DecisionVerdict::of(verdictText(decision.verdict));
    out.code = codeText(decision.code);
    out.sentence = decision.sentence();
    return out;
}

// Records of what was decided about a graph, each with the node that it is about, if it is one.
class AboutNodes {
public:
    explicit AboutNodes(const Graph& graph) : m_graph(graph) {}

    DecisionRecord record(const Decision& decision) {
        if (m_nodes.empty())
            know();
        DecisionRecord out = fw::record(decision);
        if (const auto node = m_nodes.find(decision.subject); node != m_nodes.end())
            out.fromId = node->second;
        return out;
    }

private:
    void know() {
        m_nodes.reserve(2 * m_graph.nodes().size());
        for (const NodePtr& node : m_graph.nodes())
            m_nodes.emplace(node->name, node->id);
        for (const NodePtr& node : m_graph.nodes())
            for (const Output& output : node->outputs)
                m_nodes.emplace(output.name, node->id);
    }

    const Graph& m_graph;
    std::unordered_map<std::string_view, NodeId> m_nodes; // once it is needed
};

DecisionRecord record(const Graph& graph, const EdgeDecision& edge) {
    DecisionRecord out = record(edge.decision);
    out.from = graph.node(edge.from).name;
    out.to = graph.node(edge.to).name;
    out.fromId = edge.from;
    out.toId = edge.to;
    return out;
}

} // namespace

std::string reasonText(const Decision& decision) {
    return fmt::format("{} {}", codeText(decision.code), decision.sentence());
}

std::string noticeText(const Decision& decision) {
    return fmt::format("{} {}: {}", codeText(decision.code), decision.subject, decision.sentence());
}

namespace {

GraphDocument describeStage(const Graph& graph, GraphStage stage, const FusionPlan* plan,
                            const std::string& body = {}) {
    GraphDocument out;
    out.stage = stage;
    out.name = graph.name();
    out.body = body;
    for (const NodePtr& node : graph.nodes())
        out.nodes.push_back(describeNode(graph, *node, plan, body));
    out.inputs = modelInputs(graph);
    for (const NamedValue& result : graph.results()) {
        InputRef ref = reference(graph, result.value);
        ref.name = result.name;
        out.results.push_back(std::move(ref));
    }
    if (plan != nullptr)
        for (const Group& group : plan->groups)
            out.groups.push_back(
                {group.id, group.name, group.computedBy(), makerOf(group), group.estimateUs});
    return out;
}

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
    return describeNode(graph, node, nullptr, {});
}

GraphDocument describeImported(const Graph& graph) {
    GraphDocument out = describeStage(graph, "imported", nullptr);
    out.imported = keyOf(graph);
    return out;
}

Result<GraphDocument> describeBody(const Graph& graph, const std::string& path) {
    const Body* found = nullptr;
    std::string known;
    visitBodies(graph, {}, [&](const Node&, const Body& body, const std::string& one) {
        if (found == nullptr && one == path)
            found = &body;
        if (known.size() < 200)
            known += (known.empty() ? "" : ", ") + one;
    });
    if (found == nullptr)
        return makeDiag(DiagCode::UnknownName, "the model has no body " + path, {},
                        known.empty() ? "no node of it has a body" : "there are " + known);
    return describeStage(*found->graph, "imported", nullptr, path);
}

GraphDocument describeGraph(const Graph& graph, GraphStage stage, const Graph& imported,
                            const FusionPlan* plan) {
    GraphDocument out = describeStage(graph, stage, plan);
    out.imported = keyOf(imported);
    std::map<NodeId, std::vector<NodeId>> from;
    for (const NodePtr& node : imported.nodes())
        for (const NodeId origin : node->origins)
            from[origin].push_back(node->id);
    for (NodeRecord& row : out.nodes)
        row.origins = importedNodes(graph.node(row.id), imported, from);
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
    visitBodies(graph, {}, [&](const Node& node, const Body& body, const std::string& at) {
        out.bodies.push_back(describeBody(node, body, at));
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

} // namespace

FuseDocument describePlan(const std::string& model, const Graph& graph, const FusionPlan& plan,
                          const Target& target, Edges edges) {
    FuseDocument out;
    out.model = model;
    out.target = target.text;
    out.groups.reserve(plan.groups.size());
    const bool fixed = graph.freeDims().empty() && graph.boundDims().empty();
    for (const Group& group : plan.groups) {
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
            row.candidates.push_back(record(candidate));
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
        out.groups.push_back(std::move(row));
    }
    if (edges == Edges::Describe)
        for (const EdgeDecision& edge : plan.edges)
            out.decisions.push_back(record(graph, edge));
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

const Node* nodeNamed(const Graph& graph, const std::string& name) {
    if (name.size() < 2 || name[0] != '#')
        return graph.findByName(name);
    NodeId id = -1;
    for (std::size_t i = 1;
         i < name.size() && name[i] >= '0' && name[i] <= '9' && id < (NodeId(1) << 50); ++i)
        id = (id < 0 ? 0 : id * 10) + (name[i] - '0');
    return graph.find(id);
}

Result<const Node*> findNode(const Graph& graph, const std::string& name) {
    const Node* found = nodeNamed(graph, name);
    if (found == nullptr || !isOperator(*found)) {
        std::string near;
        for (const NodePtr& node : graph.nodes())
            if (isOperator(*node) && near.size() < 120)
                near += (near.empty() ? "" : ", ") + node->name;
        return makeDiag(DiagCode::UnknownName, fmt::format("there is no operator named {}", name),
                        {}, "operators of the planned graph: " + near + " ...");
    }
    return found;
}

namespace {

ExplainDocument explainEdge(const Graph& graph, const FusionPlan& plan, const EdgeDecision& edge) {
    ExplainDocument out;
    const Node &from = graph.node(edge.from), &to = graph.node(edge.to);
    out.subject = fmt::format("{} and {}", from.name, to.name);
    out.nodes = {from.id, to.id};
    if (plan.groupOf.at(from.id) == plan.groupOf.at(to.id))
        out.group = plan.groupOf.at(from.id);
    out.verdict = DecisionVerdict::of(verdictText(edge.decision.verdict));
    out.code = codeText(edge.decision.code);
    out.sentence = fmt::format("{} is {}fused with {}: {}", to.name,
                               edge.decision.verdict == Verdict::Yes ? "" : "not ", from.name,
                               edge.decision.sentence());
    for (const Gate& gate : edge.gates)
        out.gates.push_back(
            {std::string(gate.name), gate.pass,
             gate.pass ? std::string() : std::string(codeText(edge.decision.code)),
             gate.pass || !gate.evidence.empty() ? gate.evidence.str() : edge.decision.evidence});
    out.decisions.push_back(record(graph, edge));
    if (edge.decision.verdict == Verdict::No && edge.decision.code == ReasonCode::ValueEscapes)
        for (const NodeId id : pathOutside(graph, plan, from.id, to.id))
            out.way.push_back({id, graph.node(id).name});
    return out;
}

ExplainDocument explainNode(const Graph& graph, const FusionPlan& plan, const Node& node) {
    ExplainDocument out;
    const Group& group = plan.groupAt(node.id);
    out.subject = node.name;
    out.nodes = group.nodes;
    out.group = group.id;
    out.verdict = "note";
    for (const Candidate& candidate : group.candidates) {
        const CandidateRecord row = record(candidate);
        out.gates.push_back({candidate.implementation, row.verdict != "refused", row.code,
                             row.sentence, row.verdict});
        if (candidate.chosen)
            out.code = row.code;
    }
    if (group.isView()) {
        out.code = codeText(ReasonCode::ViewOf);
        out.sentence = fmt::format("{} is a view: nothing is computed", node.name);
    } else if (group.isOpaque()) {
        out.code = codeText(ReasonCode::OpaqueGroup);
        const auto why = withoutAnything(graph, node);
        out.sentence = fmt::format("{} is an opaque group of its own: nothing computes {}{}",
                                   node.name, node.shownOp(), why ? ": " + why->message : "");
    } else if (group.isHost()) {
        const bool isNative = !group.runtimeKernel.empty();
        out.code = codeText(isNative ? ReasonCode::RuntimeComputes : ReasonCode::HostComputes);
        out.sentence =
            fmt::format("{} is a group of its own: no code is made for it, {} computes it",
                        node.name, isNative ? "a kernel of the runtime" : "its reference");
    } else {
        const std::string by =
            group.kind == GroupKind::Choice ? branchesText(group) : group.implementation;
        out.sentence = group.nodes.size() == 1
                           ? fmt::format("{} is a group of its own, computed by {}", node.name, by)
                           : fmt::format("{} is computed in {} with {} other operators, by {}",
                                         node.name, group.name, group.nodes.size() - 1, by);
    }
    for (const EdgeDecision& edge : plan.edges)
        if (edge.from == node.id || edge.to == node.id)
            out.decisions.push_back(record(graph, edge));
    for (const Decision& notice : plan.notices)
        if (notice.subject == node.name) {
            out.decisions.push_back(record(notice));
            out.decisions.back().fromId = node.id;
        }
    return out;
}

} // namespace

Result<ExplainDocument> explain(const Graph& graph, const FusionPlan& plan,
                                const std::vector<std::string>& nodes) {
    if (nodes.empty() || nodes.size() > 2)
        return makeDiag(DiagCode::Usage, "explain takes one operator or two", {},
                        "fw explain MODEL NODE [NODE]");
    FW_TRY(const Node* first, findNode(graph, nodes[0]));
    if (nodes.size() == 1)
        return explainNode(graph, plan, *first);
    FW_TRY(const Node* second, findNode(graph, nodes[1]));
    if (const EdgeDecision* edge = plan.edge(first->id, second->id))
        return explainEdge(graph, plan, *edge);
    if (const EdgeDecision* edge = plan.edge(second->id, first->id))
        return explainEdge(graph, plan, *edge);
    ExplainDocument out;
    const bool together = plan.groupOf.at(first->id) == plan.groupOf.at(second->id);
    out.subject = fmt::format("{} and {}", first->name, second->name);
    out.nodes = {first->id, second->id};
    if (together)
        out.group = plan.groupOf.at(first->id);
    out.verdict = together ? DecisionVerdict("yes") : "no";
    const ReasonCode code = together ? ReasonCode::Fused : ReasonCode::NotConnected;
    const std::string evidence = together ? plan.groupAt(first->id).name : out.subject;
    out.code = codeText(code);
    out.sentence = Decision{out.subject, Verdict::Note, code, evidence}.sentence();
    out.gates.push_back({"connected by a value", together, out.code, evidence});
    return out;
}

} // namespace fw
