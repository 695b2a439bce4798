#include "fuzz/minimise.h"

#include "session/group_graph.h"

#include <algorithm>
#include <set>

namespace fw::fuzz {

namespace {

using Candidates = std::vector<GraphPtr>;

bool isComputed(const Node& node) {
    return !node.isInput() && !node.isConstant();
}

void add(Candidates& out, Result<GraphPtr> graph) {
    if (graph)
        out.push_back(graph.take());
}

// Only what the results need.
Result<GraphPtr> needed(const Graph& graph, const std::vector<NamedValue>& results,
                        const std::vector<ValueRef>& cut = {}) {
    return partOf(graph, cut, results);
}

void fewerResults(const Graph& graph, Candidates& out) {
    const std::vector<NamedValue>& all = graph.results();
    if (all.size() < 2)
        return;
    for (const NamedValue& one : all)
        add(out, needed(graph, {one}));
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<NamedValue> rest = all;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        add(out, needed(graph, rest));
    }
}

// A value in the middle becomes a result alone; a value becomes an input.
void fewerNodes(const Graph& graph, Candidates& out) {
    for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
        if (!isComputed(**node))
            continue;
        for (std::size_t o = 0; o < (*node)->outputs.size(); ++o) {
            const ValueRef value{(*node)->id, static_cast<int>(o)};
            const bool read = !graph.uses(value).empty();
            if (read)
                add(out, needed(graph, {{"y0", value}}));
            if (read && !graph.isResult(value))
                add(out, needed(graph, graph.results(), {value}));
        }
    }
}

// An operator's readers read one of its operands instead.
void bypassed(const Graph& graph, Candidates& out) {
    for (const NodePtr& node : graph.nodes()) {
        if (!isComputed(*node))
            continue;
        const ValueRef value{node->id, 0};
        std::set<ValueRef> tried;
        for (const ValueRef& input : node->inputs) {
            if (!input.valid() || !(graph.type(input) == graph.type(value)) ||
                !tried.insert(input).second)
                continue;
            GraphEditor editor(graph);
            editor.replaceUses(value, input);
            editor.removeUnused();
            const Result<GraphPtr> changed = editor.finish();
            if (changed && isComputed((*changed)->node((*changed)->results()[0].value.node)))
                add(out, needed(**changed, (*changed)->results()));
        }
    }
}

struct Change {
    NodeId erasedOf = -1; // an attribute of this node is left out
    std::string erased = {};
    NodeId only = -1; // of inputs and constants: this one's axis; -1: everywhere
    std::size_t axis = 0;
    std::int64_t from = -1, to = -1; // an extent
};

bool applies(const Change& change, NodeId node, std::size_t axis) {
    return change.only < 0 || (change.only == node && change.axis == axis);
}

AttrValue changed(const AttrValue& value, const std::string& name, const Change& change) {
    if (change.from < 0 || change.only >= 0 || (name != "shape" && name != "sizes"))
        return value;
    AttrValue out = value;
    if (auto* exprs = std::get_if<Exprs>(&out)) {
        for (Expr& expr : *exprs)
            if (expr.isInt(change.from))
                expr = Expr(change.to);
    } else if (auto* integers = std::get_if<Integers>(&out)) {
        std::replace(integers->begin(), integers->end(), change.from, change.to);
    }
    return out;
}

// The first elements of the old data: what a seeded constant of the new shape holds.
TensorData cropped(const TensorData& data, std::vector<std::int64_t> extents) {
    std::size_t count = 1;
    for (const std::int64_t extent : extents)
        count *= static_cast<std::size_t>(extent);
    std::vector<std::byte> bytes(count * dtypeBytes(data.dtype()));
    for (std::size_t i = 0; i < bytes.size() && !data.bytes().empty(); ++i)
        bytes[i] = data.bytes()[i % data.bytes().size()];
    return TensorData(data.dtype(), std::move(extents), std::move(bytes));
}

// The graph once more with a change; refused where an operator does not take it.
Result<GraphPtr> rebuilt(const Graph& graph, const Change& change) {
    GraphEditor editor(graph.operatorSet(), graph.name());
    std::map<ValueRef, ValueRef> moved;
    for (const NodePtr& node : graph.nodes()) {
        if (!isComputed(*node)) {
            TensorType type = node->outputs[0].type;
            for (std::size_t axis = 0; axis < type.rank(); ++axis)
                if (type.shape[axis].isInt(change.from) && applies(change, node->id, axis))
                    type.shape[axis] = Dim(change.to);
            moved[{node->id, 0}] =
                node->isInput()
                    ? editor.addInput(node->outputs[0].name, type)
                    : editor.addConstant(node->name,
                                         cropped(*node->data, fixedExtents(type.shape).value()));
            continue;
        }
        GraphEditor::NewNode copy;
        copy.op = node->op;
        for (const auto& [name, value] : node->attrs)
            if (node->id != change.erasedOf || name != change.erased)
                copy.attrs.set(name, changed(value, name, change));
        for (const ValueRef& input : node->inputs)
            copy.inputs.push_back(input.valid() ? moved.at(input) : ValueRef{});
        FW_TRY(const std::vector<ValueRef> made, editor.add(std::move(copy)));
        if (made.size() != node->outputs.size())
            return makeDiag(DiagCode::GraphInvalid, "another number of results");
        for (std::size_t i = 0; i < made.size(); ++i)
            moved[{node->id, static_cast<int>(i)}] = made[i];
    }
    for (const NamedValue& result : graph.results())
        editor.addResult(result.name, moved.at(result.value));
    return editor.finish();
}

void fewerAttributes(const Graph& graph, Candidates& out) {
    for (const NodePtr& node : graph.nodes())
        if (isComputed(*node))
            for (const auto& item : node->attrs)
                add(out, rebuilt(graph, {.erasedOf = node->id, .erased = item.first}));
}

void smallerExtents(const Graph& graph, Candidates& out) {
    std::set<std::int64_t> seen;
    const auto shrink = [&](Change change) {
        std::set<std::int64_t> smaller = {1, 2, change.from / 2, change.from - 1};
        for (const std::int64_t to : smaller) {
            if (to < 1 || to >= change.from)
                continue;
            change.to = to;
            add(out, rebuilt(graph, change));
        }
    };
    for (const NodePtr& node : graph.nodes()) {
        if (isComputed(*node))
            continue;
        const Shape& shape = node->outputs[0].type.shape;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (const auto extent = shape[axis].asInt(); extent && *extent > 1) {
                if (seen.insert(*extent).second)
                    shrink({.from = *extent});
                shrink({.only = node->id, .axis = axis, .from = *extent});
            }
    }
}

// An extent that is an expression is read off the others, so each of its dimensions stands alone
// somewhere.
bool saysItsDimensions(const Graph& graph) {
    std::set<Symbol> alone, asked;
    for (const NodeId id : graph.inputs())
        for (const Dim& dim : graph.node(id).outputs[0].type.shape)
            for (const Symbol name : freeVars(dim))
                (dim.isVar() ? alone : asked).insert(name);
    return std::includes(alone.begin(), alone.end(), asked.begin(), asked.end());
}

} // namespace

Case minimise(Case failing, const StillFails& fails, int most) {
    using Step = void (*)(const Graph&, Candidates&);
    constexpr Step steps[] = {fewerResults, fewerNodes, bypassed, smallerExtents, fewerAttributes};
    const auto attempt = [&](Case candidate) {
        if (--most < 0 || !saysItsDimensions(*candidate.graph) || !evaluateCase(candidate) ||
            !fails(candidate))
            return false;
        failing = std::move(candidate);
        return true;
    };
    if (!failing.sizes.empty()) {
        Case fixed = failing;
        if (const Result<GraphPtr> graph = bound(*failing.graph, failing.sizes)) {
            fixed.graph = *graph;
            fixed.sizes.clear();
            fixed.others.clear();
            attempt(std::move(fixed));
        }
    }
    for (const Values values : {Values::Integers, Values::Random, Values::Edges})
        if (values != failing.values && values <= std::max(failing.values, Values::Integers)) {
            Case tamer = failing;
            tamer.values = values;
            if (attempt(std::move(tamer)))
                break;
        }
    for (bool better = true; better && most > 0;) {
        better = false;
        for (const Step step : steps) {
            for (bool again = true; again && most > 0;) {
                again = false;
                Candidates candidates;
                step(*failing.graph, candidates);
                for (const GraphPtr& graph : candidates) {
                    Case candidate = failing;
                    candidate.graph = graph;
                    if (attempt(std::move(candidate))) {
                        better = again = true;
                        break;
                    }
                }
            }
        }
    }
    return failing;
}

} // namespace fw::fuzz
