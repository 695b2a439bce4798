#include "rewrite/apply.h"

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

// Builds right sides. Values are of the editor.
class Builder {
public:
    Builder(const Graph& graph, const Match& match, const Successor& forward, GraphEditor& editor,
            std::vector<NodeId> origins)
        : m_graph(graph), m_match(match), m_forward(forward), m_editor(editor),
          m_origins(std::move(origins)), m_scope(matchScope(graph, match)) {
        for (const auto& [name, value] : match.bindings.values)
            m_values[name] = forward(value);
    }

    // A term that conditions compute, or a value.
    Status let(const NamedTree& named) {
        auto term = evaluate(named.value, m_scope);
        if (term && !std::holds_alternative<TensorValue>(*term) &&
            !std::holds_alternative<AbsentPart>(*term)) {
            m_scope.names.insert_or_assign(named.name, std::move(*term));
            return {};
        }
        FW_TRY(m_values[named.name], build(named.value, {}));
        return {};
    }

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
            return first(buildCall(tree, wish));
        case TreeKind::Index:
            return oneOfSeveral(tree, wish);
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
    // A number, or what conditions compute, as a scalar.
    std::optional<double> scalar(const Tree& tree) const {
        const auto value = evaluate(tree, m_scope);
        if (!value)
            return std::nullopt;
        if (const auto* real = std::get_if<double>(&*value))
            return *real;
        if (const auto* expr = std::get_if<Expr>(&*value))
            if (const auto integer = expr->asInt())
                return static_cast<double>(*integer);
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
        return first(add(op->second, std::move(operands), {}, wish));
    }

    static Result<ValueRef> first(Result<std::vector<ValueRef>> results) {
        FW_TRY(const std::vector<ValueRef> values, std::move(results));
        return values.at(0);
    }

    // call[k] of an emit with several names: the call is built once for all of them.
    Result<ValueRef> oneOfSeveral(const Tree& tree, const std::string& wish) {
        const auto k = static_cast<std::size_t>(tree.integer);
        const auto place = std::pair(tree.span.line, tree.span.column);
        if (!m_several.contains(place)) {
            FW_TRY(m_several[place], buildCall(tree.args.at(0), wish));
        }
        const std::vector<ValueRef>& results = m_several.at(place);
        if (k >= results.size())
            return makeDiag(DiagCode::RuleIllegal,
                            fmt::format("{} has {} results", tree.args[0].text, results.size()));
        return results[k];
    }

    Result<std::vector<ValueRef>> buildCall(const Tree& tree, const std::string& wish) {
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
        const auto value = evaluate(tree, m_scope);
        if (!value)
            return makeDiag(DiagCode::RuleIllegal, "the attribute has no value here");
        if (auto attr = attributeOf(*value))
            return std::move(*attr);
        if (std::holds_alternative<Expr>(*value))
            return makeDiag(DiagCode::RuleIllegal,
                            "the attribute has no value that is known here: " + textOf(*value));
        return makeDiag(DiagCode::RuleIllegal, textOf(*value) + " is no value of an attribute");
    }

    Result<std::vector<ValueRef>> add(const std::string& op, std::vector<ValueRef> operands,
                                      Attrs attrs, const std::string& wish) {
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
        FW_TRY(std::vector<ValueRef> outputs, m_editor.add(std::move(node)));
        ++m_added;
        return outputs;
    }

    const Graph& m_graph;
    const Match& m_match;
    const Successor& m_forward;
    GraphEditor& m_editor;
    std::vector<NodeId> m_origins;
    Scope m_scope;
    std::map<std::string, ValueRef> m_values;
    std::map<std::pair<int, int>, std::vector<ValueRef>> m_several; // by the place of the call
    std::size_t m_added = 0;
};

} // namespace

Scope matchScope(const Graph& graph, const Match& match) {
    Scope out;
    out.restIsAbsent = true;
    for (const auto& [name, attr] : match.bindings.attrValues)
        if (auto value = valueOf(attr))
            out.names.emplace(name, std::move(*value));
    for (const auto& [name, value] : match.bindings.values)
        out.names.insert_or_assign(name, value.valid() ? TermValue(TensorValue{&graph, value})
                                                       : TermValue(AbsentPart()));
    return out;
}

namespace {

// One scope for every value of the lists that the condition names; one in all if it names none.
std::vector<Scope> perRepetition(const Scope& scope, const Graph& graph, const Match& match,
                                 const Tree& condition) {
    std::set<std::string> named;
    collectNames(condition, named);
    std::size_t longest = 0;
    for (const auto& [name, list] : match.bindings.lists)
        if (named.contains(name))
            longest = std::max(longest, list.size());
    std::vector<Scope> out(std::max<std::size_t>(longest, 1), scope);
    for (std::size_t i = 0; i < longest; ++i)
        for (const auto& [name, list] : match.bindings.lists)
            if (i < list.size())
                out[i].names.insert_or_assign(name, TensorValue{&graph, list[i]});
    return out;
}

bool readsOnRight(const RuleTree& rule, const std::string& name) {
    std::set<std::string> named;
    for (const auto* list : {&rule.let, &rule.emit})
        for (const NamedTree& tree : *list)
            collectNames(tree.value, named);
    return named.contains(name);
}

} // namespace

std::optional<FailedCondition> failedCondition(const RuleTree& rule, const Graph& graph,
                                               const Match& match, const Offer* offer) {
    const std::size_t count = match.nodes.size();
    if (!rule.where.empty()) {
        Scope scope = matchScope(graph, match);
        scope.offer = offer;
        for (std::size_t i = 0; i < rule.where.size(); ++i)
            for (const Scope& one : perRepetition(scope, graph, match, rule.where[i].tree)) {
                const ConditionResult judged = decide(rule.where[i], one);
                if (judged.truth != Truth::Yes)
                    return FailedCondition{
                        i,
                        fmt::format("{} is {}{}{}", rule.where[i].text,
                                    judged.truth == Truth::No ? "false" : "not decided",
                                    judged.seen.empty() ? "" : ": ", judged.seen),
                        count};
            }
    }
    for (const auto& [name, list] : match.bindings.lists)
        if (list.size() > 1 && readsOnRight(rule, name))
            return FailedCondition{rule.where.size(),
                                   fmt::format("{} stands for {} values, and the right side takes "
                                               "one",
                                               name, list.size()),
                                   count, "one value for every name of the right side"};
    if (rule.duplicate)
        return std::nullopt;
    const char* const notOutside = "no inner value is used outside";
    const std::set<NodeId> matched(match.nodes.begin(), match.nodes.end());
    for (const NodeId id : match.nodes) {
        const Node& node = graph.node(id);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (std::find(match.roots.begin(), match.roots.end(), value) != match.roots.end())
                continue;
            if (graph.isResult(value))
                return FailedCondition{rule.where.size(), node.name + " is a result of the model",
                                       count, notOutside};
            for (const Use& use : graph.uses(value))
                if (!matched.contains(use.node))
                    return FailedCondition{rule.where.size(),
                                           fmt::format("{} is used by {} outside the match",
                                                       node.name, graph.node(use.node).name),
                                           count, notOutside};
        }
    }
    return std::nullopt;
}

Result<RuleMatch> matchRule(Matcher& matcher, const RuleTree& rule,
                            const std::vector<NamedPattern>& patterns, const Graph& graph,
                            ValueRef root, const RuleMatchOptions& options) {
    RuleMatch out;
    const auto accept = [&](const Match& match) {
        if (options.accept && !options.accept(match))
            return false;
        auto failed = failedCondition(rule, graph, match, options.offer);
        if (failed && (!out.failed || std::pair(failed->matched, failed->index) >
                                          std::pair(out.failed->matched, out.failed->index)))
            out.failed = std::move(failed);
        return !failed;
    };
    FW_TRY(out.match, matcher.matchAt(patterns, root, accept));
    if (out.match)
        out.failed.reset();
    return out;
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
        if (const Status status = builder.let(let); !status)
            return at(status.diag());
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
                return at(
                    makeDiag(DiagCode::RuleIllegal,
                             fmt::format("it turns {} into {}", graph.type(match.roots[i]).text(),
                                         editor.type(*value).text())));
            editor.replaceUses(match.roots[i], *value);
            out.results.push_back(*value);
        }
    out.added = builder.added();
    return out;
}

} // namespace fw
