#include "rewrite/rule_cycles.h"

#include "ir/graph_text.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t mostSmall = 4096;    // elements of a constant that is known by what it holds
constexpr std::size_t farthestReturn = 64; // applications that are followed back

bool isSmallConstant(const Node& node) {
    return node.isConstant() && node.data->count() <= mostSmall;
}

class PartText {
public:
    PartText(const Graph& graph, const Subgraph& part)
        : m_graph(graph), m_part(part), m_editor(graph.operatorSet(), "part") {}

    Result<std::string> print() {
        for (const ValueRef& result : m_part.results) {
            FW_TRY(const ValueRef value, copy(result));
            m_editor.addResult(m_graph.output(result).name, value);
        }
        FW_TRY(const GraphPtr part, m_editor.finish());
        return printGraph(*part);
    }

private:
    Result<ValueRef> copy(ValueRef value) {
        if (!value.valid())
            return value;
        if (const auto known = m_copies.find(value); known != m_copies.end())
            return known->second;
        const Node& node = m_graph.node(value.node);
        const Output& output = m_graph.output(value);
        if (isSmallConstant(node))
            return m_copies[value] = m_editor.addConstant(output.name, *node.data);
        if (node.isLeaf() || !m_part.inside(node.id))
            return m_copies[value] = m_editor.addInput(output.name, output.type);
        GraphEditor::NewNode made;
        made.op = node.op;
        made.attrs = node.attrs;
        made.name = node.name;
        made.bodies = node.bodies;
        for (const ValueRef& input : node.inputs) {
            FW_TRY(const ValueRef operand, copy(input));
            made.inputs.push_back(operand);
        }
        for (const Output& one : node.outputs) {
            made.outputNames.push_back(one.name);
            made.declaredTypes.push_back(one.type);
        }
        FW_TRY(const std::vector<ValueRef> values, m_editor.add(std::move(made)));
        for (std::size_t i = 0; i < values.size(); ++i)
            m_copies[{node.id, static_cast<int>(i)}] = values[i];
        return m_copies.at(value);
    }

    const Graph& m_graph;
    const Subgraph& m_part;
    GraphEditor m_editor;
    std::map<ValueRef, ValueRef> m_copies;
};

void addPart(const Graph& graph, ValueRef value, const Subgraph& part,
             std::map<NodeId, std::size_t>& places, std::string& text) {
    if (!value.valid()) {
        text += " -";
        return;
    }
    const Node& node = graph.node(value.node);
    if (isSmallConstant(node)) {
        text += " =" + node.data->hash().hex();
        return;
    }
    if (node.isLeaf() || !node.bodies.empty() || !part.inside(node.id)) {
        text += fmt::format(" {}.{}", value.node, value.output);
        return;
    }
    const auto [place, isNew] = places.emplace(node.id, places.size());
    text += fmt::format(" %{}.{}", place->second, value.output);
    if (!isNew)
        return;
    text += fmt::format("({} {}", node.op, node.attrs.print());
    if (part.isNamed)
        text += quoteText(node.name);
    for (const ValueRef& input : node.inputs)
        addPart(graph, input, part, places, text);
    text += ")";
}

} // namespace

Hash hashOf(const Graph& graph, const Subgraph& part) {
    std::map<NodeId, std::size_t> places;
    std::string text;
    for (const ValueRef& result : part.results)
        addPart(graph, result, part, places, text);
    return hashOf(text);
}

std::string textOf(const Graph& graph, const Subgraph& part) {
    const Result<std::string> text = PartText(graph, part).print();
    return text ? *text : text.diag().message;
}

std::vector<std::size_t> RuleCycles::makersOf(const std::vector<NodePtr>& matched) const {
    std::vector<std::size_t> out;
    for (const NodePtr& node : matched)
        if (const std::ptrdiff_t maker = m_progress.makerOf(node->id); maker >= 0)
            out.push_back(static_cast<std::size_t>(maker));
    return out;
}

std::optional<std::vector<std::size_t>>
RuleCycles::makersOfAll(const std::vector<NodeId>& nodes) const {
    std::vector<std::size_t> out;
    for (const NodeId id : nodes) {
        const std::ptrdiff_t maker = m_progress.makerOf(id);
        if (maker < 0)
            return std::nullopt;
        out.push_back(static_cast<std::size_t>(maker));
    }
    return out;
}

void RuleCycles::add(const Hash& before) {
    const Application& last = m_progress.applications().at(m_taken.size());
    std::vector<NodeId> gone;
    for (const GraphStep::Edit& edit : last.step.edits)
        if (!edit.after && !edit.before->isLeaf())
            gone.push_back(edit.before->id);
    m_taken.push_back({makersOf(last.matched), makersOfAll(gone), before});
}

void RuleCycles::follow() {
    while (m_taken.size() < m_progress.applications().size())
        add({});
}

bool RuleCycles::isClosed(std::size_t since, const std::vector<NodeId>& takenOut) const {
    std::optional<std::vector<std::size_t>> open = makersOfAll(takenOut);
    std::set<std::size_t> seen{since};
    while (open && !open->empty()) {
        const std::size_t maker = open->back();
        open->pop_back();
        if (!seen.insert(maker).second)
            continue;
        const auto& further = m_taken[maker].makersOfGone;
        if (maker < since || !further || seen.size() > farthestReturn)
            return false;
        open->insert(open->end(), further->begin(), further->end());
    }
    return open.has_value();
}

std::vector<std::size_t> RuleCycles::chainTo(const std::vector<NodePtr>& matched,
                                             const std::vector<NodeId>& takenOut,
                                             const Hash& part) const {
    std::map<std::size_t, std::size_t> next; // the application that made use of it
    std::vector<std::size_t> open = makersOf(matched);
    for (const std::size_t maker : open)
        next.emplace(maker, maker);
    for (std::size_t i = 0; i < open.size() && i < farthestReturn; ++i) {
        const std::size_t application = open[i];
        if (m_taken[application].part == part && isClosed(application, takenOut)) {
            std::vector<std::size_t> chain{application};
            while (next.at(chain.back()) != chain.back())
                chain.push_back(next.at(chain.back()));
            return chain;
        }
        for (const std::size_t maker : m_taken[application].makers)
            if (next.emplace(maker, application).second)
                open.push_back(maker);
    }
    return {};
}

} // namespace fw
