#include "rewrite/apply.h"

#include "base/numbers.h"
#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

void collectNames(const Tree& tree, std::set<std::string>& names) {
    if (tree.isName())
        names.insert(tree.text);
    for (const Tree& part : tree.args)
        collectNames(part, names);
    for (const TreeAttr& attr : tree.attrs)
        collectNames(attr.value, names);
}

const std::map<std::string, std::string, std::less<>> infix = {
    {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}};

// dim(v, i) of a bound value.
const Dim* dimOf(const Tree& tree, const Graph& graph, const Match& match) {
    if (!tree.isCall("dim") || tree.args.size() != 2 || tree.args[1].kind != TreeKind::Int)
        return nullptr;
    const auto bound = match.bindings.values.find(tree.args[0].text);
    if (bound == match.bindings.values.end())
        return nullptr;
    const Shape& shape = graph.type(bound->second).shape;
    const std::int64_t i = tree.args[1].integer;
    return i >= 0 && static_cast<std::size_t>(i) < shape.size()
               ? &shape[static_cast<std::size_t>(i)]
               : nullptr;
}

// A number, a captured integer, rank(v), a dim that is known, or a product of these.
std::optional<std::int64_t> integerOf(const Tree& tree, const Graph& graph, const Match& match) {
    if (tree.kind == TreeKind::Int)
        return tree.integer;
    if (tree.kind == TreeKind::Unary && tree.text == "-") {
        const auto inner = integerOf(tree.args[0], graph, match);
        return inner ? std::optional(-*inner) : std::nullopt;
    }
    if (tree.kind == TreeKind::Binary && tree.text == "*") {
        const auto a = integerOf(tree.args[0], graph, match),
                   b = integerOf(tree.args[1], graph, match);
        return a && b ? checkedMul(*a, *b) : std::nullopt;
    }
    if (tree.isName()) {
        const auto attr = match.bindings.attrValues.find(tree.text);
        const auto* value = attr == match.bindings.attrValues.end()
                                ? nullptr
                                : std::get_if<std::int64_t>(&attr->second);
        return value ? std::optional(*value) : std::nullopt;
    }
    if (const Dim* dim = dimOf(tree, graph, match))
        return dim->asInt();
    if (tree.isCall("rank") && tree.args.size() == 1)
        if (const auto bound = match.bindings.values.find(tree.args[0].text);
            bound != match.bindings.values.end())
            return static_cast<std::int64_t>(graph.type(bound->second).rank());
    return std::nullopt;
}

// Builds right sides. Values are of the editor.
class Builder {
public:
    Builder(const Graph& graph, const Match& match, const Successor& forward, GraphEditor& editor,
            std::vector<NodeId> origins)
        : m_graph(graph), m_match(match), m_forward(forward), m_editor(editor),
          m_origins(std::move(origins)) {
        for (const auto& [name, value] : match.bindings.values)
            m_values[name] = forward(value);
    }

    void bind(const std::string& name, ValueRef value) { m_values[name] = value; }

    Result<ValueRef> build(const Tree& tree, const std::string& wish) {
        switch (tree.kind) {
        case TreeKind::Name: {
            const auto found = m_values.find(tree.text);
            if (found == m_values.end())
                return makeDiag(DiagCode::RuleIllegal, tree.text + " was not matched", {},
                                "use given(" + tree.text + ", a, b)");
            return found->second;
        }
        case TreeKind::Binary:
            return buildInfix(tree, wish);
        case TreeKind::Call:
            if (tree.text == "given")
                return build(tree.args.at(m_values.contains(tree.args.at(0).text) ? 1 : 2), wish);
            return buildCall(tree, wish);
        case TreeKind::Unary:
        case TreeKind::Int:
        case TreeKind::Float:
            return makeDiag(DiagCode::RuleIllegal,
                            "a number needs an operand beside it, whose element type it takes");
        default:
            return makeDiag(DiagCode::RuleIllegal, "this cannot stand on the right side of a rule");
        }
    }

    std::size_t added() const { return m_added; }

private:
    static std::optional<double> number(const Tree& tree) {
        if (tree.kind == TreeKind::Int)
            return static_cast<double>(tree.integer);
        if (tree.kind == TreeKind::Float)
            return tree.real;
        if (tree.kind == TreeKind::Unary && tree.text == "-")
            if (const auto inner = number(tree.args[0]))
                return -*inner;
        return std::nullopt;
    }

    // A number, or an attribute that the match captured, as a scalar.
    std::optional<double> scalar(const Tree& tree) const {
        if (const auto value = number(tree))
            return value;
        if (!tree.isName() || m_values.contains(tree.text))
            return std::nullopt;
        const auto attr = m_match.bindings.attrValues.find(tree.text);
        if (attr == m_match.bindings.attrValues.end())
            return std::nullopt;
        if (const auto* integer = std::get_if<std::int64_t>(&attr->second))
            return static_cast<double>(*integer);
        if (const auto* real = std::get_if<double>(&attr->second))
            return *real;
        return std::nullopt;
    }

    Result<ValueRef> buildInfix(const Tree& tree, const std::string& wish) {
        const auto op = infix.find(tree.text);
        if (op == infix.end())
            return makeDiag(DiagCode::RuleIllegal,
                            "the right side of a rule has no infix " + tree.text);
        std::vector<ValueRef> operands(2);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto value = scalar(tree.args[i]);
            const Tree& other = tree.args[1 - i];
            if (value && scalar(other))
                return makeDiag(DiagCode::RuleIllegal, "one side of an infix must be a value");
            if (!value) {
                FW_TRY(operands[i], build(tree.args[i], {}));
            }
        }
        for (std::size_t i = 0; i < 2; ++i)
            if (const auto value = scalar(tree.args[i])) {
                const DType dtype = m_editor.type(operands[1 - i]).dtype;
                operands[i] =
                    m_editor.addConstant("scalar", dataFromDoubles(dtype, {}, {*value}), m_origins);
            }
        return add(op->second, std::move(operands), {}, wish);
    }

    Result<ValueRef> buildCall(const Tree& tree, const std::string& wish) {
        std::vector<ValueRef> operands;
        for (const Tree& arg : tree.args) {
            FW_TRY(const ValueRef value, build(arg, {}));
            operands.push_back(value);
        }
        Attrs attrs;
        for (const TreeAttr& attr : tree.attrs)
            if (attr.name == "*")
                if (const auto all = m_match.bindings.attrs.find(attr.value.text);
                    all != m_match.bindings.attrs.end())
                    for (const auto& [name, value] : all->second)
                        attrs.set(name, value);
        for (const TreeAttr& attr : tree.attrs) {
            if (attr.name == "*")
                continue;
            FW_TRY(AttrValue value, attribute(attr.value));
            attrs.set(attr.name, std::move(value));
        }
        return add(tree.text, std::move(operands), std::move(attrs), wish);
    }

    Result<AttrValue> attribute(const Tree& tree) const {
        if (tree.isName())
            if (const auto bound = m_match.bindings.attrValues.find(tree.text);
                bound != m_match.bindings.attrValues.end())
                return bound->second;
        if (tree.isName())
            if (const auto dtype = parseDtype(tree.text))
                return AttrValue(*dtype);
        if (tree.kind == TreeKind::Int)
            return AttrValue(tree.integer);
        if (const auto value = number(tree))
            return tree.kind == TreeKind::Unary && tree.args[0].kind == TreeKind::Int
                       ? AttrValue(-tree.args[0].integer)
                       : AttrValue(*value);
        if (tree.kind == TreeKind::Text)
            return AttrValue(tree.text);
        if (tree.isCall("dim")) {
            if (const auto extent = integerOf(tree, m_graph, m_match))
                return AttrValue(*extent);
            return makeDiag(DiagCode::RuleIllegal, "the attribute would be a free dimension");
        }
        if (tree.kind == TreeKind::List) {
            Integers list;
            for (const Tree& part : tree.args) {
                const auto value = number(part);
                if (!value)
                    return makeDiag(DiagCode::RuleIllegal, "a list attribute holds integers");
                list.push_back(static_cast<std::int64_t>(*value));
            }
            return AttrValue(std::move(list));
        }
        return makeDiag(DiagCode::RuleIllegal, "this is no value of an attribute");
    }

    Result<ValueRef> add(const std::string& op, std::vector<ValueRef> operands, Attrs attrs,
                         const std::string& wish) {
        GraphEditor::NewNode node;
        node.op = op;
        node.inputs = std::move(operands);
        node.attrs = std::move(attrs);
        node.origins = m_origins;
        node.name = wish;
        // A node that stands for a matched one of the same operator keeps its name.
        for (const NodeId id : m_match.nodes)
            if (const Node& matched = m_graph.node(id); matched.op == op) {
                node.name = matched.name;
                break;
            }
        FW_TRY(const std::vector<ValueRef> outputs, m_editor.add(std::move(node)));
        ++m_added;
        return outputs.at(0);
    }

    const Graph& m_graph;
    const Match& m_match;
    const Successor& m_forward;
    GraphEditor& m_editor;
    std::vector<NodeId> m_origins;
    std::map<std::string, ValueRef> m_values;
    std::size_t m_added = 0;
};

// Conditions: truth of a tree over the match. nullopt: not understood.
class Conditions {
public:
    Conditions(const Graph& graph, const Match& match) : m_graph(graph), m_match(match) {}

    std::optional<bool> truth(const Tree& tree) const {
        if (tree.kind == TreeKind::Unary && tree.text == "!") {
            const auto inner = truth(tree.args[0]);
            return inner ? std::optional(!*inner) : std::nullopt;
        }
        if (tree.kind == TreeKind::Binary && (tree.text == "&&" || tree.text == "||")) {
            const auto a = truth(tree.args[0]), b = truth(tree.args[1]);
            if (!a || !b)
                return std::nullopt;
            return tree.text == "&&" ? *a && *b : *a || *b;
        }
        if (tree.kind == TreeKind::Binary)
            return comparison(tree);
        if (tree.kind == TreeKind::Call && !tree.args.empty() && tree.args[0].isName()) {
            const auto bound = m_match.bindings.values.find(tree.args[0].text);
            if (bound == m_match.bindings.values.end())
                return true; // an optional part that is absent
            const ValueRef value = bound->second;
            if (tree.text == "used_once")
                return m_graph.uses(value).size() + (m_graph.isResult(value) ? 1 : 0) == 1;
            if (tree.text == "not_result")
                return !m_graph.isResult(value);
            if (tree.text == "finite")
                return finite(value);
        }
        return std::nullopt;
    }

private:
    std::optional<bool> comparison(const Tree& tree) const {
        if (tree.args[0].isCall("dtype") || tree.args[1].isCall("dtype"))
            return dtypeComparison(tree);
        // Free dimensions are equal if they are one.
        const Dim *first = dimOf(tree.args[0], m_graph, m_match),
                  *second = dimOf(tree.args[1], m_graph, m_match);
        if (tree.text == "==" && first && second && proveEqual(*first, *second))
            return true;
        const auto a = integer(tree.args[0]), b = integer(tree.args[1]);
        if (!a || !b)
            return std::nullopt;
        if (tree.text == "==")
            return *a == *b;
        if (tree.text == "!=")
            return *a != *b;
        if (tree.text == "<")
            return *a < *b;
        if (tree.text == "<=")
            return *a <= *b;
        if (tree.text == ">")
            return *a > *b;
        if (tree.text == ">=")
            return *a >= *b;
        return std::nullopt;
    }

    std::optional<bool> dtypeComparison(const Tree& tree) const {
        const Tree& call = tree.args[0].isCall("dtype") ? tree.args[0] : tree.args[1];
        const Tree& name = tree.args[0].isCall("dtype") ? tree.args[1] : tree.args[0];
        const auto bound = call.args.size() == 1 ? m_match.bindings.values.find(call.args[0].text)
                                                 : m_match.bindings.values.end();
        if (bound == m_match.bindings.values.end() || !name.isName() ||
            (tree.text != "==" && tree.text != "!="))
            return std::nullopt;
        return (dtypeText(m_graph.type(bound->second).dtype) == name.text) == (tree.text == "==");
    }

    std::optional<std::int64_t> integer(const Tree& tree) const {
        return integerOf(tree, m_graph, m_match);
    }

    std::optional<bool> finite(ValueRef value) const {
        const TensorData* data = m_graph.constant(value);
        if (data == nullptr)
            return false;
        for (std::size_t i = 0; i < data->count(); ++i)
            if (!std::isfinite(data->at(i)))
                return false;
        return true;
    }

    const Graph& m_graph;
    const Match& m_match;
};

} // namespace

std::optional<FailedCondition> failedCondition(const RuleTree& rule, const Graph& graph,
                                               const Match& match) {
    const Conditions conditions(graph, match);
    for (std::size_t i = 0; i < rule.where.size(); ++i) {
        const Tree& condition = rule.where[i];
        const auto truth = conditions.truth(condition);
        const std::string place = fmt::format("condition at line {}, column {}",
                                              condition.span.line, condition.span.column);
        if (!truth)
            return FailedCondition{i, place + " is not decided here"};
        if (!*truth)
            return FailedCondition{i, place + " is false"};
    }
    if (rule.duplicate)
        return std::nullopt;
    const std::set<NodeId> matched(match.nodes.begin(), match.nodes.end());
    for (const NodeId id : match.nodes) {
        const Node& node = graph.node(id);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (std::find(match.roots.begin(), match.roots.end(), value) != match.roots.end())
                continue;
            if (graph.isResult(value))
                return FailedCondition{rule.where.size(), node.name + " is a result of the model"};
            for (const Use& use : graph.uses(value))
                if (!matched.contains(use.node))
                    return FailedCondition{rule.where.size(),
                                           fmt::format("{} is used by {} outside the match",
                                                       node.name, graph.node(use.node).name)};
        }
    }
    return std::nullopt;
}

namespace {

// Whether the types are known to differ; free dimensions may be equal under another spelling.
bool differ(const TensorType& a, const TensorType& b) {
    if (a.dtype != b.dtype || a.rank() != b.rank())
        return true;
    for (std::size_t i = 0; i < a.rank(); ++i)
        if (const auto distance = simplify(a.shape[i] - b.shape[i]).asInt();
            distance && *distance != 0)
            return true;
    return false;
}

} // namespace

Result<Applied> applyRule(const RuleTree& rule, const Graph& graph, const Match& match,
                          const Successor& forward, GraphEditor& editor) {
    std::vector<NodeId> origins;
    for (const NodeId id : match.nodes)
        for (const NodeId origin : graph.node(id).origins)
            origins.push_back(origin);
    // Matched nodes that the right side does not read go first, so that their names are free again.
    std::set<std::string> named;
    for (const auto* list : {&rule.let, &rule.emit})
        for (const NamedTree& tree : *list)
            collectNames(tree.value, named);
    // What the right side reads, and what that is computed from.
    std::set<NodeId> read;
    for (const auto& [name, value] : match.bindings.values)
        if (named.contains(name))
            read.insert(value.node);
    bool grown = true;
    while (grown) {
        grown = false;
        for (const NodeId id : match.nodes)
            if (read.contains(id))
                for (const ValueRef& input : graph.node(id).inputs)
                    if (input.valid())
                        grown = read.insert(input.node).second || grown;
    }
    if (!rule.duplicate)
        for (const NodeId id : match.nodes)
            if (!read.contains(id))
                editor.remove(id);

    Builder builder(graph, match, forward, editor, origins);
    const auto at = [&](Diag diag) {
        return diag.at({{}, graph.node(match.roots.at(0).node).name});
    };
    for (const NamedTree& let : rule.let) {
        Result<ValueRef> value = builder.build(let.value, {});
        if (!value)
            return at(value.takeDiag());
        builder.bind(let.name, *value);
    }
    Applied out;
    for (std::size_t i = 0; i < rule.match.size(); ++i)
        for (const NamedTree& emit : rule.emit) {
            if (emit.name != rule.match[i].name)
                continue;
            Result<ValueRef> value =
                builder.build(emit.value, graph.node(match.roots[i].node).name);
            if (!value)
                return at(value.takeDiag());
            if (differ(graph.type(match.roots[i]), editor.type(*value)))
                return at(makeDiag(DiagCode::RuleIllegal,
                                   fmt::format("rule {} turns {} into {}", rule.name,
                                               graph.type(match.roots[i]).text(),
                                               editor.type(*value).text())));
            editor.replaceUses(match.roots[i], *value);
            out.results.push_back(*value);
        }
    out.added = builder.added();
    return out;
}

} // namespace fw
