#include "fusion/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

bool isOperator(const Node& node) {
    return !node.isInput() && !node.isConstant();
}

bool isMapKind(FusionKind kind) {
    return kind == FusionKind::Elementwise || kind == FusionKind::Broadcast;
}

// A group being formed: a chain in which only the last value is used outside.
struct Forming {
    std::vector<NodeId> nodes;
    Workload anchor;
    Selection selection;
    bool anchored = false; // the anchor is more than a map

    Growing growing() const {
        const auto after = std::find(nodes.begin(), nodes.end(), anchor.node->id) + 1;
        return {anchor, {after, nodes.end()}};
    }
};

// The gates of one edge, in order; the first that fails names the reason.
class GateList {
public:
    GateList(std::string subject) { m_edge.decision.subject = std::move(subject); }

    bool pass(std::string name, bool ok, ReasonCode code, std::string evidence) {
        m_edge.gates.push_back({std::move(name), ok, evidence});
        if (!ok)
            decide(Verdict::No, code, std::move(evidence));
        return ok;
    }
    bool ask(std::string name, const Answer& answer) {
        m_edge.gates.push_back({std::move(name), answer.yes(), answer.evidence});
        decide(answer.verdict, answer.code, answer.evidence);
        return answer.yes();
    }
    EdgeDecision take(NodeId from, NodeId to) {
        m_edge.from = from;
        m_edge.to = to;
        return std::move(m_edge);
    }

private:
    void decide(Verdict verdict, ReasonCode code, std::string evidence) {
        m_edge.decision.verdict = verdict;
        m_edge.decision.code = code;
        m_edge.decision.evidence = std::move(evidence);
    }
    EdgeDecision m_edge;
};

class Planner {
public:
    Planner(const Graph& graph, const Target& target, const PlanOptions& options)
        : m_graph(graph), m_target(target), m_catalog(*options.catalog), m_options(options) {}

    Result<FusionPlan> run() {
        for (const NodePtr& node : m_graph.nodes())
            if (isOperator(*node)) {
                FW_TRY(Facts facts,
                       m_graph.operators().find(node->op)->facts(callOf(m_graph, *node)));
                m_facts.emplace(node->id, std::move(facts));
            }
        for (const NodePtr& node : m_graph.nodes())
            if (isOperator(*node) && !m_claimed.contains(node->id))
                FW_CHECK(form(*node));
        finishEdges();
        order();
        chooseLayouts(m_graph, m_plan);
        return std::move(m_plan);
    }

private:
    Workload workload(NodeId id) const { return {&m_graph, &m_graph.node(id), m_facts.at(id)}; }
    std::string label(NodeId id) const { return m_graph.node(id).name; }

    Status form(const Node& seed) {
        Forming group;
        group.nodes = {seed.id};
        group.anchor = workload(seed.id);
        m_claimed.insert(seed.id);
        if (isView(m_graph, seed)) {
            add(group, true);
            return {};
        }
        group.selection = m_catalog.select(group.anchor, m_target);
        if (group.selection.implementation == nullptr)
            return makeDiag(DiagCode::NotRunnable,
                            fmt::format("no implementation of {} for {}", seed.op, m_target.text),
                            {{}, seed.name});
        group.anchored = !isMapKind(group.anchor.facts.kind);
        while (grow(group)) {
        }
        add(group, false);
        return {};
    }

    // Tries to take the only reader of the group's last value.
    bool grow(Forming& group) {
        const Node& last = m_graph.node(group.nodes.back());
        const ValueRef value{last.id, 0};
        const std::vector<Use> uses = m_graph.uses(value);
        if (uses.empty())
            return false;
        const NodeId nextId = uses.front().node;
        const Node& next = m_graph.node(nextId);
        GateList gates(fmt::format("{} -> {}", label(last.id), label(nextId)));
        const bool joined = consider(group, last, next, uses, gates);
        record(gates.take(last.id, nextId));
        if (joined) {
            group.nodes.push_back(nextId);
            m_claimed.insert(nextId);
        }
        return joined;
    }

    bool consider(Forming& group, const Node& last, const Node& next, const std::vector<Use>& uses,
                  GateList& gates) {
        const ValueRef value{last.id, 0};
        const Workload candidate = workload(next.id);
        if (!gates.pass("not taken by another group", !m_claimed.contains(next.id),
                        ReasonCode::TakenByOther, label(next.id)))
            return false;
        const bool view = isView(m_graph, next);
        if (!gates.pass(
                "has a tensor expression", candidate.facts.kind != FusionKind::Opaque && !view,
                ReasonCode::OpaqueOperator,
                fmt::format("{} is {}", next.op, view ? "a view" : kindText(candidate.facts.kind))))
            return false;
        bool onlyReader = true, otherOutputs = false;
        std::string readers;
        for (const Use& use : uses) {
            onlyReader = onlyReader && use.node == next.id;
            readers += (readers.empty() ? "" : ", ") + label(use.node);
        }
        for (std::size_t i = 1; i < last.outputs.size(); ++i) {
            const ValueRef other{last.id, static_cast<int>(i)};
            otherOutputs = otherOutputs || !m_graph.uses(other).empty() || m_graph.isResult(other);
        }
        if (!gates.pass("single consumer", onlyReader, ReasonCode::ValueEscapes, readers))
            return false;
        if (!gates.pass("not a result of the model", !m_graph.isResult(value),
                        ReasonCode::ValueIsResult, m_graph.output(value).name))
            return false;
        if (!gates.pass("one output in use", !otherOutputs, ReasonCode::ValueEscapes,
                        otherOutputs ? last.name + " has other outputs in use" : "one output"))
            return false;
        // With a single reader of a single value no path can leave the chain and return.
        if (!gates.pass("convex", true, ReasonCode::NotConvex, "no path leaves the group"))
            return false;
        if (!gates.pass(
                "size of the group", group.nodes.size() < m_options.groupLimit,
                ReasonCode::GroupLimit,
                fmt::format("{} of {} operators", group.nodes.size(), m_options.groupLimit)))
            return false;
        if (isMapKind(candidate.facts.kind)) {
            const bool same = m_graph.type(value).shape == next.outputs[0].type.shape;
            if (!gates.pass("same iteration space", same, ReasonCode::ShapeDiffers,
                            fmt::format("{} and {}", m_graph.type(value).text(),
                                        next.outputs[0].type.text())))
                return false;
            return gates.ask(
                "implementation absorbs it",
                group.selection.implementation->absorbsEpilogue(group.growing(), candidate));
        }
        if (!gates.pass("one anchor", !group.anchored, ReasonCode::AlreadyAnchored,
                        fmt::format("{} and {}", group.anchor.node->op, next.op)))
            return false;
        return reanchor(group, candidate, gates);
    }

    // So far only maps: the reader becomes the anchor if its implementation takes all of them
    // first.
    bool reanchor(Forming& group, const Workload& candidate, GateList& gates) {
        Selection selection = m_catalog.select(candidate, m_target);
        if (!gates.pass("anchor has an implementation", selection.implementation != nullptr,
                        ReasonCode::OpaqueOperator, candidate.node->op))
            return false;
        for (const NodeId member : group.nodes)
            if (!gates.ask("implementation absorbs it",
                           selection.implementation->absorbsPrologue(workload(member), candidate)))
                return false;
        group.anchor = candidate;
        group.selection = std::move(selection);
        group.anchored = true;
        return true;
    }

    void record(EdgeDecision edge) {
        m_edges.insert_or_assign({edge.from, edge.to}, std::move(edge));
    }

    void add(const Forming& forming, bool view) {
        Group group;
        group.nodes = forming.nodes;
        group.anchor = forming.anchor.node->id;
        group.work = Facts{};
        group.work.kind = forming.anchor.facts.kind;
        std::set<NodeId> members(group.nodes.begin(), group.nodes.end());
        std::set<ValueRef> seen;
        for (const NodeId id : group.nodes) {
            const Node& node = m_graph.node(id);
            const Facts& facts = m_facts.at(id);
            group.name += (group.name.empty() ? "" : "_") + node.op;
            group.work.flops += facts.flops;
            group.work.transcendentals += facts.transcendentals;
            for (const ValueRef& input : node.inputs)
                if (input.valid() && !members.contains(input.node) && seen.insert(input).second)
                    group.inputs.push_back(input);
            for (std::size_t i = 0; i < node.outputs.size(); ++i) {
                const ValueRef value{id, static_cast<int>(i)};
                bool outside = m_graph.isResult(value);
                for (const Use& use : m_graph.uses(value))
                    outside = outside || !members.contains(use.node);
                if (outside)
                    group.outputs.push_back(value);
            }
        }
        // A node nobody reads is still computed: its first output stands for it.
        if (group.outputs.empty())
            group.outputs.push_back({group.nodes.back(), 0});
        for (const ValueRef& input : group.inputs)
            group.work.bytesRead += bytesOf(input);
        for (const ValueRef& output : group.outputs)
            group.work.bytesWritten += bytesOf(output);
        if (view) {
            group.implementation = "view";
            group.source = "only";
        } else {
            group.implementation = forming.selection.implementation->name();
            group.source = forming.selection.source;
            group.candidates = forming.selection.candidates;
            for (Candidate& candidate : group.candidates)
                if (const Implementation* known = m_catalog.find(candidate.implementation))
                    candidate.estimateUs = known->estimate(group.work, m_target);
            group.estimateUs = forming.selection.implementation->estimate(group.work, m_target);
        }
        m_groups.push_back(std::move(group));
    }

    double bytesOf(ValueRef value) const {
        const TensorType& type = m_graph.type(value);
        double count = static_cast<double>(dtypeBytes(type.dtype));
        for (const Dim& dim : type.shape)
            count *= static_cast<double>(dim.asInt().value_or(1));
        return count;
    }

    // Edges that no growing group looked at: their ends are in groups that were formed otherwise.
    void finishEdges() {
        std::map<NodeId, std::size_t> where;
        for (std::size_t g = 0; g < m_groups.size(); ++g)
            for (const NodeId id : m_groups[g].nodes)
                where[id] = g;
        for (const NodePtr& node : m_graph.nodes()) {
            if (!isOperator(*node))
                continue;
            for (const ValueRef& input : node->inputs) {
                if (!input.valid() || !isOperator(m_graph.node(input.node)))
                    continue;
                auto found = m_edges.find({input.node, node->id});
                if (found == m_edges.end())
                    found = m_edges
                                .emplace(std::pair(input.node, node->id),
                                         unvisited(input, *node, where))
                                .first;
                if (m_listed.insert(found->first).second)
                    m_plan.edges.push_back(found->second);
            }
        }
    }

    EdgeDecision unvisited(ValueRef value, const Node& reader,
                           const std::map<NodeId, std::size_t>& where) {
        GateList gates(fmt::format("{} -> {}", label(value.node), label(reader.id)));
        const Group& from = m_groups[where.at(value.node)];
        const Group& to = m_groups[where.at(reader.id)];
        if (&from == &to) {
            gates.ask("in the same group", {Verdict::Yes, ReasonCode::Fused, from.name});
        } else if (from.isView()) {
            gates.pass("has a tensor expression", false, ReasonCode::ViewOf,
                       m_graph.node(value.node).op);
        } else if (from.nodes.back() != value.node) {
            gates.pass("single consumer", false, ReasonCode::ValueEscapes,
                       label(value.node) + " is used inside its group too");
        } else if (m_graph.uses(value).size() > 1) {
            gates.pass("single consumer", false, ReasonCode::ValueEscapes,
                       fmt::format("{} readers", m_graph.uses(value).size()));
        } else {
            gates.pass(
                "not taken by another group", false, ReasonCode::TakenByOther,
                fmt::format("{} is in the group of {}", reader.name, m_graph.node(to.anchor).name));
        }
        return gates.take(value.node, reader.id);
    }

    // Groups in topological order of their dependencies, ties by first node.
    void order() {
        std::map<NodeId, std::size_t> where;
        for (std::size_t g = 0; g < m_groups.size(); ++g)
            for (const NodeId id : m_groups[g].nodes)
                where[id] = g;
        std::vector<std::set<std::size_t>> needs(m_groups.size());
        for (std::size_t g = 0; g < m_groups.size(); ++g)
            for (const ValueRef& input : m_groups[g].inputs)
                if (const auto producer = where.find(input.node); producer != where.end())
                    needs[g].insert(producer->second);
        std::vector<bool> done(m_groups.size(), false);
        while (m_plan.groups.size() < m_groups.size()) {
            const std::size_t before = m_plan.groups.size();
            for (std::size_t g = 0; g < m_groups.size(); ++g) {
                if (done[g] || !std::all_of(needs[g].begin(), needs[g].end(),
                                            [&](std::size_t n) { return done[n]; }))
                    continue;
                done[g] = true;
                Group group = m_groups[g];
                group.id = static_cast<int>(m_plan.groups.size());
                group.name += fmt::format("_{}", group.id);
                for (const NodeId id : group.nodes)
                    m_plan.groupOf[id] = group.id;
                m_plan.groups.push_back(std::move(group));
            }
            if (m_plan.groups.size() == before)
                throw InternalError("groups depend on each other in a cycle");
        }
    }

    const Graph& m_graph;
    const Target& m_target;
    const Catalog& m_catalog;
    const PlanOptions& m_options;
    std::map<NodeId, Facts> m_facts;
    std::set<NodeId> m_claimed;
    std::vector<Group> m_groups;
    std::map<std::pair<NodeId, NodeId>, EdgeDecision> m_edges;
    std::set<std::pair<NodeId, NodeId>> m_listed;
    FusionPlan m_plan;
};

} // namespace

Result<FusionPlan> planFusion(const Graph& graph, const Target& target,
                              const PlanOptions& options) {
    return Planner(graph, target, options).run();
}

bool isView(const Graph& graph, const Node& node) {
    return (node.op == "reshape" || node.op == "identity" || node.op == "dropout") &&
           node.inputs.size() >= 1 && graph.find(node.inputs[0].node) != nullptr;
}

Diags obstacles(const Graph& graph) {
    Diags out;
    for (const NodePtr& node : graph.nodes()) {
        if (node->op == "unknown") {
            const std::string domain = node->attrs.text("domain", "");
            const std::string type = node->attrs.text("op_type", "?");
            out.push_back(makeDiag(DiagCode::UnknownOperator,
                                   fmt::format("operator {}{}{} is not known", domain,
                                               domain.empty() ? "" : ".", type),
                                   {{}, node->name}, "the model can be looked at, but not run"));
        } else if (isOperator(*node)) {
            const Result<OpInst> inst =
                graph.operators().find(node->op)->instantiate(callOf(graph, *node));
            if (!inst && !isView(graph, *node)) {
                Diag diag = inst.diag();
                out.push_back(diag.at({{}, node->name}));
            }
        }
    }
    return out;
}

const Group& FusionPlan::groupAt(NodeId node) const {
    return groups.at(static_cast<std::size_t>(groupOf.at(node)));
}

const EdgeDecision* FusionPlan::edge(NodeId from, NodeId to) const {
    for (const EdgeDecision& edge : edges)
        if (edge.from == from && edge.to == to)
            return &edge;
    return nullptr;
}

StorageMap FusionPlan::layout(ValueRef value) const {
    const auto found = layouts.find(value);
    return found == layouts.end() ? StorageMap{} : found->second;
}

} // namespace fw
