#include "session/hazards.h"

#include "base/bytes_text.h"
#include "ir/missing_type.h"
#include "session/came_rows.h"
#include "session/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fw {

using namespace snapshot;

namespace {

constexpr std::size_t mostPlaces = 6;

// Places of one hazard that have the same cause are one row.
class HazardRows {
public:
    void add(ReasonCode code, const std::string& cause, const std::string& todo,
             const std::string& name, const std::vector<NodeId>& nodes,
             const std::string& declaration = {}, double bytes = 0) {
        const auto [known, isNew] = m_places.emplace(std::pair(code, cause), m_rows.size());
        if (isNew) {
            HazardRecord row;
            row.code = std::string(codeText(code));
            row.what = Decision{{}, Verdict::Note, code, cause}.sentence();
            row.todo = todo;
            row.declaration = declaration;
            m_rows.push_back(std::move(row));
        }
        HazardRecord& row = m_rows[known->second];
        ++row.count;
        m_bytes[known->second] += bytes;
        if (row.names.size() < mostPlaces)
            row.names.push_back(name);
        row.nodes.insert(row.nodes.end(), nodes.begin(), nodes.end());
    }

    std::vector<HazardRecord> take() {
        for (const auto& [row, bytes] : m_bytes)
            if (bytes > 0)
                m_rows[row].what += fmt::format(", {} in all", textOfBytes(bytes));
        for (HazardRecord& row : m_rows) {
            std::sort(row.nodes.begin(), row.nodes.end());
            row.nodes.erase(std::unique(row.nodes.begin(), row.nodes.end()), row.nodes.end());
        }
        std::stable_sort(m_rows.begin(), m_rows.end(),
                         [](const auto& a, const auto& b) { return a.code < b.code; });
        return std::move(m_rows);
    }

private:
    std::map<std::pair<ReasonCode, std::string>, std::size_t> m_places; // rows
    std::map<std::size_t, double> m_bytes;                              // of a row
    std::vector<HazardRecord> m_rows;
};

class OfGraph {
public:
    OfGraph(const Graph& graph, HazardRows& rows) : m_graph(graph), m_rows(rows) {}

    void doubles();
    void quantised();

private:
    bool isOf(ValueRef value, DType dtype) const {
        return value.valid() && m_graph.type(value).dtype == dtype;
    }
    std::vector<NodeId> island(NodeId from, std::set<NodeId>& seen) const;
    bool quantises(const Node& node) const;
    bool isUndone(ValueRef value, std::vector<NodeId>& by) const;

    const Graph& m_graph;
    HazardRows& m_rows;
};

// The operators that f64 values join, from this one on.
std::vector<NodeId> OfGraph::island(NodeId from, std::set<NodeId>& seen) const {
    std::vector<NodeId> out, left = {from};
    const auto reach = [&](NodeId id) {
        if (!m_graph.node(id).isConstant() && seen.insert(id).second)
            left.push_back(id);
    };
    seen.insert(from);
    while (!left.empty()) {
        const Node& node = m_graph.node(left.back());
        left.pop_back();
        out.push_back(node.id);
        for (const ValueRef& input : node.inputs)
            if (isOf(input, DType::F64))
                reach(input.node);
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (const ValueRef made{node.id, static_cast<int>(i)}; isOf(made, DType::F64))
                for (const Use& use : m_graph.uses(made))
                    reach(use.node);
    }
    std::sort(out.begin(), out.end());
    return out;
}

// An accident has f64 neither among the inputs nor among the results: something narrower is
// widened, and made narrow again.
void OfGraph::doubles() {
    std::set<NodeId> seen;
    for (const NodePtr& node : m_graph.nodes()) {
        const bool makes =
            !node->isConstant() &&
            std::any_of(node->outputs.begin(), node->outputs.end(),
                        [](const Output& one) { return one.type.dtype == DType::F64; });
        if (!makes || seen.contains(node->id))
            continue;
        const std::vector<NodeId> all = island(node->id, seen);
        bool asked = false, widened = false;
        std::size_t computing = 0;
        for (const NodeId id : all) {
            const Node& one = m_graph.node(id);
            bool readsNarrow = false, reads = false;
            for (const ValueRef& input : one.inputs) {
                readsNarrow = readsNarrow || isOf(input, DType::F32) || isOf(input, DType::F16) ||
                              isOf(input, DType::BF16);
                reads = reads || isOf(input, DType::F64);
            }
            bool makesIt = false;
            for (std::size_t i = 0; i < one.outputs.size(); ++i) {
                const ValueRef made{id, static_cast<int>(i)};
                makesIt = makesIt || isOf(made, DType::F64);
                asked = asked || (isOf(made, DType::F64) && m_graph.isResult(made));
            }
            asked = asked || one.isInput();
            widened = widened || (makesIt && readsNarrow && !reads);
            computing += reads && makesIt ? 1 : 0;
        }
        if (asked || !widened || computing == 0)
            continue;
        m_rows.add(ReasonCode::HazardDouble,
                   fmt::format("{} from {} on",
                               computing == 1 ? std::string("1 operator")
                                              : fmt::format("{} operators", computing),
                               m_graph.node(all.front()).name),
                   "widen nothing: a rule that takes the casts out, or constants of f32 in the "
                   "exporter",
                   m_graph.node(all.front()).name, originsOf(m_graph, all));
    }
}

// Of eight bits or fewer, made of real numbers.
bool OfGraph::quantises(const Node& node) const {
    return !node.inputs.empty() && node.inputs[0].valid() && node.outputs.size() == 1 &&
           isFloat(m_graph.type(node.inputs[0]).dtype) &&
           (node.outputs[0].type.dtype == DType::I8 || node.outputs[0].type.dtype == DType::U8);
}

// Whether all readers, behind operators that only move elements, bring it back to real numbers;
// `by`: they and those operators.
bool OfGraph::isUndone(ValueRef value, std::vector<NodeId>& by) const {
    std::vector<ValueRef> left = {value};
    while (!left.empty()) {
        const ValueRef made = left.back();
        left.pop_back();
        const auto uses = m_graph.uses(made);
        if (uses.empty() || m_graph.isResult(made))
            return false;
        for (const Use& use : uses) {
            const Node& reader = m_graph.node(use.node);
            if (use.operand != 0 || reader.outputs.size() != 1)
                return false;
            by.push_back(reader.id);
            if (isFloat(reader.outputs[0].type.dtype))
                continue;
            const Operator* op = m_graph.operators().find(reader.op);
            if (op == nullptr || !op->movesOnly())
                return false;
            left.push_back({reader.id, 0});
        }
    }
    return true;
}

void OfGraph::quantised() {
    for (const NodePtr& node : m_graph.nodes()) {
        std::vector<NodeId> all = {node->id};
        if (!quantises(*node) || !isUndone({node->id, 0}, all))
            continue;
        m_rows.add(ReasonCode::HazardQuantised,
                   fmt::format("to {}", dtypeText(node->outputs[0].type.dtype)),
                   "each pair costs two passes over the tensor and rounds it; leave pairs out that "
                   "guard no integer operator, by a rule over both",
                   node->name, originsOf(m_graph, all));
    }
}

class OfPlan {
public:
    OfPlan(const Graph& graph, const FusionPlan& plan, HazardRows& rows)
        : m_graph(graph), m_plan(plan), m_rows(rows) {}

    // `declarations`: as Imported has them.
    void withoutCode(const std::map<std::string, std::string>& declarations);
    void freeSizes();
    void moved();

private:
    bool differOnlyInFreeSizes(NodeId from, const Node& to) const;

    const Graph& m_graph;
    const FusionPlan& m_plan;
    HazardRows& m_rows;
};

void OfPlan::withoutCode(const std::map<std::string, std::string>& declarations) {
    MissingTypes missing(m_graph);
    // What an operand of it lacks; nullopt: nothing.
    const auto lacks = [&](const Node& node) -> std::optional<MissingType> {
        for (const ValueRef& input : node.inputs)
            if (auto found = input.valid() ? missing.find(input) : std::nullopt)
                return found;
        return std::nullopt;
    };
    for (const Group& group : m_plan.groups) {
        if (!group.isOpaque() && !(group.isHost() && group.runtimeKernel.empty()))
            continue;
        const Node& node = m_graph.node(group.nodes.front());
        const std::vector<NodeId> nodes = originsOf(m_graph, group.nodes);
        if (group.isHost()) {
            m_rows.add(ReasonCode::HazardReference, node.shownOp(),
                       "a schedule for it, or an entry that computes it by other operators",
                       node.name, nodes);
        } else if (const auto cause = missing.readBy(node) ? lacks(node) : std::nullopt) {
            m_rows.add(ReasonCode::HazardNoCode, cause->why,
                       fmt::format("say the type: --type '{}=f32[N, 4]'", cause->value), node.name,
                       nodes);
        } else {
            const std::string domain = node.attrs.text("domain", "");
            const std::string type = (domain.empty() ? "" : domain + ".") + node.shownOp();
            const auto text = declarations.find(type);
            m_rows.add(ReasonCode::HazardNoCode, type,
                       text == declarations.end()
                           ? "fw info says why, and what can be done"
                           : "declare the operator in a book: " + text->second,
                       node.name, nodes, text == declarations.end() ? std::string() : text->second);
        }
    }
}

// Would be the same space if the free sizes were.
bool OfPlan::differOnlyInFreeSizes(NodeId from, const Node& to) const {
    bool found = false;
    for (const ValueRef& input : to.inputs) {
        if (!input.valid() || input.node != from || to.outputs.empty())
            continue;
        const Shape& read = m_graph.type(input).shape;
        const Shape& made = to.outputs[0].type.shape;
        if (read.size() != made.size())
            return false;
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (read[i] == made[i])
                continue;
            if (read[i].asInt() && made[i].asInt())
                return false;
            found = true;
        }
    }
    return found;
}

void OfPlan::freeSizes() {
    const char* bind = "bind it (--dim NAME=N), or say where it lies (--dim NAME=N..M)";
    for (const EdgeDecision& edge : m_plan.edges) {
        if (edge.decision.verdict != Verdict::No)
            continue;
        const Node* to = m_graph.find(edge.to);
        const bool unequal = edge.decision.code == ReasonCode::ShapeDiffers && to != nullptr &&
                             differOnlyInFreeSizes(edge.from, *to);
        if (unequal)
            m_rows.add(ReasonCode::HazardFreeSize, edge.decision.evidence, bind,
                       edge.decision.subject, originsOf(m_graph, {edge.from, edge.to}));
        else if (edge.decision.code == ReasonCode::SizesLater)
            m_rows.add(ReasonCode::HazardFreeSize, edge.decision.evidence,
                       "it is computed while the model runs; operators on either side are planned "
                       "apart",
                       edge.decision.subject, originsOf(m_graph, {edge.from, edge.to}));
    }
    for (const Group& group : m_plan.groups)
        for (const Candidate& candidate : group.candidates)
            if (candidate.code == ReasonCode::GuardUndecided && !candidate.branch &&
                !candidate.chosen)
                m_rows.add(ReasonCode::HazardFreeSize,
                           fmt::format("{} computes it only where {}", candidate.implementation,
                                       candidate.when ? candidate.when->text() : candidate.guard),
                           bind, group.name, originsOf(m_graph, group.nodes));
}

// More than one axis that has several elements changes its place among the others.
bool changesOrder(const Graph& graph, const Node& transpose) {
    const Integers perm = transpose.attrs.integers("perm");
    const Shape& shape = graph.type(transpose.inputs[0]).shape;
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size() ||
            shape[static_cast<std::size_t>(axis)].isInt(1))
            continue;
        if (axis < last)
            return true;
        last = axis;
    }
    return false;
}

// Groups that compute nothing: they copy.
void OfPlan::moved() {
    for (const Group& group : m_plan.groups) {
        const bool onlyMoves =
            group.hasCode() && std::all_of(group.nodes.begin(), group.nodes.end(), [&](NodeId id) {
                const Node& node = m_graph.node(id);
                return isView(m_graph, node) ||
                       (node.op == "transpose" && changesOrder(m_graph, node));
            });
        if (!onlyMoves)
            continue;
        const Node& node = m_graph.node(group.anchor);
        const ValueRef made = group.outputs.empty() ? ValueRef{node.id, 0} : group.outputs.front();
        m_rows.add(
            ReasonCode::HazardReorder, fmt::format("{} in a group of its own", node.shownOp()),
            "move it to where its neighbour can take it, by a rule over the operators between; "
            "two that undo each other go by themselves when they meet",
            node.name, originsOf(m_graph, group.nodes), {}, bytesOf(m_graph, made));
    }
}

} // namespace

Result<LintDocument> lintOf(PipelineStore& store, const Arguments& arguments,
                            const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    const Result<const FusionPlan*> plan = pipeline->plan(context);
    if (!plan && plan.diag().code == DiagCode::Cancelled)
        return plan.diag();
    LintDocument out;
    out.planned = plan.ok();
    HazardRows rows;
    for (const std::string& name : imported->unread)
        rows.add(ReasonCode::HazardUnread, "nodes of the file",
                 "nothing is computed for it here; other programs may compute it, so let the "
                 "exporter leave it out",
                 name, {});
    for (const NodeId id : imported->inlined->inputs())
        if (const ValueRef value{id, 0};
            imported->inlined->uses(value).empty() && !imported->inlined->isResult(value))
            rows.add(ReasonCode::HazardUnread, "inputs",
                     "callers must give a tensor that is not looked at; leave it out of the model",
                     imported->inlined->node(id).name, {id});
    for (const NodePtr& node : imported->graph->nodes())
        if (node->isCall() && node->bodies.size() > 1)
            rows.add(ReasonCode::HazardBranch,
                     fmt::format("the condition is constant, {} is taken", node->called().name),
                     "the other branch costs nothing here; leave the If out of the model",
                     node->name, {node->id});
    OfGraph ofGraph(*simplified->graph, rows);
    ofGraph.doubles();
    ofGraph.quantised();
    if (plan) {
        OfPlan ofPlan(*simplified->graph, **plan, rows);
        ofPlan.withoutCode(imported->declarations);
        ofPlan.freeSizes();
        ofPlan.moved();
    }
    out.hazards = rows.take();
    return out;
}

} // namespace fw
