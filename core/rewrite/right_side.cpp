#include "rewrite/right_side.h"

#include "condition/elements.h"
#include "ir/tensor_text.h"
#include "syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Infix = std::map<std::string, std::string, std::less<>>;

const Infix& infixOperators() {
    static const Infix operators = {{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}};
    return operators;
}

} // namespace

const std::string& infixOperator(std::string_view sign) {
    return infixOperators().find(sign)->second;
}

std::string_view infixSign(std::string_view op) {
    for (const auto& [sign, name] : infixOperators())
        if (name == op)
            return sign;
    return {};
}

bool isNodeByName(const Tree& tree) {
    return tree.isCall("node") && tree.args.size() == 1 && tree.args[0].kind == TreeKind::Text;
}

namespace {

Diag refused(std::string message, std::string hint = {}) {
    return makeDiag(DiagCode::RuleIllegal, std::move(message), {}, std::move(hint));
}

bool isKnown(const TermValue& value) {
    const auto isInteger = [](const Expr& item) { return item.asInt().has_value(); };
    if (const auto* expr = std::get_if<Expr>(&value))
        return isInteger(*expr);
    const auto* list = std::get_if<Exprs>(&value);
    return list == nullptr || std::all_of(list->begin(), list->end(), isInteger);
}

// A number where a list is wanted is a list of one, an integer may stand for a real.
std::optional<AttrValue> asType(AttrValue value, AttrType type) {
    const bool list =
        type == AttrType::IntList || type == AttrType::FloatList || type == AttrType::Dims;
    if (list) {
        if (const auto* one = std::get_if<std::int64_t>(&value))
            value = Integers{*one};
        else if (const auto* real = std::get_if<double>(&value))
            value = Reals{*real};
    }
    if (type == AttrType::FloatList)
        if (const auto* integers = std::get_if<Integers>(&value))
            value = Reals(integers->begin(), integers->end());
    if (type == AttrType::Float)
        if (const auto* one = std::get_if<std::int64_t>(&value))
            value = static_cast<double>(*one);
    switch (type) {
    case AttrType::Int:
    case AttrType::Bool:
        return std::holds_alternative<std::int64_t>(value) ? std::optional(value) : std::nullopt;
    case AttrType::Float:
        return std::holds_alternative<double>(value) ? std::optional(value) : std::nullopt;
    case AttrType::Text:
        return std::holds_alternative<std::string>(value) ? std::optional(value) : std::nullopt;
    case AttrType::DType:
        return std::holds_alternative<DType>(value) ? std::optional(value) : std::nullopt;
    case AttrType::IntList:
        return std::holds_alternative<Integers>(value) ? std::optional(value) : std::nullopt;
    case AttrType::FloatList:
        return std::holds_alternative<Reals>(value) ? std::optional(value) : std::nullopt;
    case AttrType::Dims:
        return std::holds_alternative<Integers>(value) || std::holds_alternative<Exprs>(value)
                   ? std::optional(value)
                   : std::nullopt;
    case AttrType::TextList:
    case AttrType::Tensor:
    case AttrType::Any:
        break;
    }
    return value;
}

class RightSidePlanner {
public:
    RightSidePlanner(const RuleTree& rule, const Graph& graph, const Match& match,
                     const RankOf& rank)
        : m_rule(rule), m_graph(graph), m_match(match), m_rank(rank),
          m_scope(matchScope(graph, match)) {
        for (const auto& [name, value] : match.bindings.values)
            m_values[name] = RightOperand{value};
    }

    Result<RightSide> run() {
        for (const NamedTree& named : m_rule.let)
            let(named);
        for (const NamedTree& emit : m_rule.emit) {
            if (Status status = give(emit); !status)
                return status.diag();
        }
        FW_CHECK(giveNames());
        leaveOutUnused();
        if (auto circle = circleIn(m_out, m_graph, m_rank))
            return std::move(*circle);
        return std::move(m_out);
    }

private:
    // What has no value here is refused only where it is needed: given() may pass it over.
    void let(const NamedTree& named) {
        if (isTerm(named.value)) {
            std::string seen;
            if (auto term = evaluate(named.value, m_scope, &seen))
                m_scope.names.insert_or_assign(named.name, std::move(*term));
            else
                m_failed.insert_or_assign(named.name, unknown(named.name, named.value, seen));
            return;
        }
        if (auto result = value(named.value, {}))
            m_values[named.name] = *result;
        else
            m_failed.insert_or_assign(named.name, result.takeDiag());
    }

    Status give(const NamedTree& emit) {
        if (emit.name == "_")
            return {};
        const auto root =
            std::find_if(m_rule.match.begin(), m_rule.match.end(),
                         [&](const NamedPattern& named) { return named.name == emit.name; });
        const auto part = m_match.bindings.values.find(emit.name);
        const bool isRoot = root != m_rule.match.end();
        if (!isRoot && part == m_match.bindings.values.end())
            return {}; // an optional part that is not there
        const ValueRef from =
            isRoot ? m_match.roots[static_cast<std::size_t>(root - m_rule.match.begin())]
                   : part->second;
        Result<RightOperand> to = value(emit.value, m_graph.node(from.node).name);
        if (to && to->node < 0 && !to->value.valid())
            to = refused(emit.name + " would be an operand that is not there");
        const bool needed = isRoot || isUsedOutside(m_graph, m_match, from);
        if (!to) {
            m_values.erase(emit.name);
            m_failed.insert_or_assign(emit.name, to.diag());
            return needed ? Status(to.takeDiag()) : Status();
        }
        m_values[emit.name] = *to;
        if (needed)
            m_out.handed.push_back({from, *to});
        return {};
    }

    // Of what conditions compute: numbers, attributes, extents, lists, arithmetic of these.
    bool isTerm(const Tree& tree) const {
        switch (tree.kind) {
        case TreeKind::Int:
        case TreeKind::Float:
        case TreeKind::Text:
        case TreeKind::List:
            return true;
        case TreeKind::Name:
            if (const auto found = m_scope.names.find(tree.text); found != m_scope.names.end())
                return !std::holds_alternative<TensorValue>(found->second) &&
                       !std::holds_alternative<AbsentPart>(found->second);
            return !m_values.contains(tree.text) &&
                   (parseDtype(tree.text) || integerFromTree(tree) || numberFromTree(tree));
        case TreeKind::Unary:
        case TreeKind::Binary:
            return isOfTerms(tree);
        case TreeKind::Index:
            return !tree.text.empty();
        case TreeKind::Call: {
            if (tree.text == "given" && tree.args.size() == 3)
                return isTerm(chosen(tree));
            if (isExtremum(tree))
                return isOfTerms(tree);
            const ConditionFunction* function = conditionFunction(tree.text);
            bool fits = function != nullptr && function->arguments.size() == tree.args.size();
            for (std::size_t i = 0; fits && i < tree.args.size(); ++i)
                fits = function->arguments[i] == TermKind::Tensor ||
                       function->arguments[i] == TermKind::Any || isTerm(tree.args[i]);
            return fits;
        }
        case TreeKind::Pack:
        case TreeKind::Reduce:
            break;
        }
        return false;
    }

    bool isOfTerms(const Tree& tree) const {
        return std::all_of(tree.args.begin(), tree.args.end(), [&](const Tree& part) {
            return isTerm(part) || (part.isName() && m_failed.contains(part.text));
        });
    }

    // Why a term has no value.
    Diag unknown(const std::string& what, const Tree& term, const std::string& seen) const {
        for (const Tree& part : term.args)
            if (const auto failed = m_failed.find(part.text);
                part.isName() && failed != m_failed.end())
                return failed->second;
        if (const auto failed = m_failed.find(term.text); term.isName() && failed != m_failed.end())
            return failed->second;
        return refused(
            fmt::format("{} has no value here{}{}", what, seen.empty() ? "" : ": ", seen));
    }

    Result<RightOperand> value(const Tree& tree, const std::string& wish) {
        switch (tree.kind) {
        case TreeKind::Name:
            return named(tree);
        case TreeKind::Binary:
            return infixOf(tree, wish);
        case TreeKind::Call:
            if (tree.text == "given")
                return value(chosen(tree), wish);
            return call(tree, wish);
        case TreeKind::Index:
            return oneOfSeveral(tree, wish);
        default:
            return refused("a number needs an operand beside it, whose element type it takes");
        }
    }

    Result<RightOperand> named(const Tree& tree) const {
        if (const auto found = m_values.find(tree.text); found != m_values.end())
            return found->second;
        if (const auto failed = m_failed.find(tree.text); failed != m_failed.end())
            return failed->second;
        return refused(tree.text + " was not matched", "use given(" + tree.text + ", a, b)");
    }

    Result<RightOperand> infixOf(const Tree& tree, const std::string& wish) {
        RightNode node;
        node.op = infixOperator(tree.text);
        node.wish = wish;
        for (const Tree& part : tree.args) {
            FW_TRY(RightOperand operand, isTerm(part) ? number(part) : value(part, {}));
            node.operands.push_back(operand);
        }
        return add(std::move(node));
    }

    Result<RightOperand> number(const Tree& term) {
        // true, -inf: what a condition has no value for.
        if (term.isName() || (term.kind == TreeKind::Unary && term.args[0].isName())) {
            RightOperand out;
            if (const auto whole = integerFromTree(term))
                out.number = Number(*whole);
            else if (const auto real = numberFromTree(term))
                out.number = Number(*real);
            if (out.number)
                return out;
        }
        std::string seen;
        const auto found = evaluate(term, m_scope, &seen);
        if (!found)
            return unknown("a number of the right side", term, seen);
        const auto known = numberOf(*found);
        if (!known)
            return refused(textOf(*found) + " is no number that is known here");
        const auto* expr = std::get_if<Expr>(&*found);
        RightOperand out;
        out.number = expr != nullptr ? Number(*expr->asInt()) : Number(*known);
        return out;
    }

    // call[k] of an emit with several names: the call is there once for all of them.
    Result<RightOperand> oneOfSeveral(const Tree& tree, const std::string& wish) {
        const auto place = std::pair(tree.span.line, tree.span.column);
        if (!m_several.contains(place)) {
            FW_TRY(m_several[place], call(tree.args.at(0), wish));
        }
        RightOperand out = m_several.at(place);
        out.output = static_cast<int>(tree.integer);
        return out;
    }

    Result<RightOperand> ofModel(const std::string& name) const {
        const Node* node = m_graph.findByName(name);
        if (node == nullptr)
            return refused("no operator and no value of the graph is called " + quoteText(name));
        RightOperand out{{node->id, 0}};
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            if (node->name != name && node->outputs[i].name == name)
                out.value.output = static_cast<int>(i);
        return out;
    }

    bool isMatched(NodeId id) const {
        return std::find(m_match.nodes.begin(), m_match.nodes.end(), id) != m_match.nodes.end();
    }

    Status giveNames() {
        for (const RuleTree::Called& called : m_rule.names) {
            const auto made = m_values.find(called.value);
            if (made == m_values.end() || made->second.node < 0)
                continue;
            // What is matched may go, and its name with it.
            if (const Node* holder = m_graph.findByName(called.name);
                holder != nullptr && !isMatched(holder->id))
                return refused(fmt::format("the graph has an operator or a value called {}",
                                           quoteText(called.name)));
            m_out.nodes[static_cast<std::size_t>(made->second.node)].name = called.name;
        }
        return {};
    }

    Result<RightOperand> call(const Tree& tree, const std::string& wish) {
        if (isNodeByName(tree))
            return ofModel(tree.args[0].text);
        RightNode node;
        node.op = tree.text;
        node.wish = wish;
        for (const Tree& arg : tree.args) {
            if (arg.kind == TreeKind::Pack) {
                FW_TRY(const std::vector<RightOperand> all, valuesOf(arg.args.at(0)));
                node.operands.insert(node.operands.end(), all.begin(), all.end());
                continue;
            }
            FW_TRY(RightOperand operand, isTerm(arg) ? number(arg) : value(arg, {}));
            node.operands.push_back(operand);
        }
        const Operator* op = isNamedPart(tree.text) ? nullptr : m_graph.operators().find(tree.text);
        if (op == nullptr) {
            FW_TRY(const Node* matched, appliedOperator(tree.text));
            op = m_graph.operators().find(matched->op);
            node.op = matched->op;
            node.attrs = matched->attrs;
        }
        if (const Arity arity = op->arity(); !arity.takes(node.operands.size()))
            return refused(
                fmt::format("{} has {}, not {}", node.op, arity.text(), node.operands.size()));
        for (const TreeAttr& attr : tree.attrs)
            if (attr.name == "*")
                if (const auto all = m_match.bindings.attrs.find(attr.value.text);
                    all != m_match.bindings.attrs.end())
                    for (const auto& [name, value] : all->second)
                        node.attrs.set(name, value);
        for (const TreeAttr& attr : tree.attrs) {
            if (attr.name == "*")
                continue;
            FW_TRY(AttrValue value, attribute(attr, *op));
            node.attrs.set(attr.name, std::move(value));
        }
        return add(std::move(node));
    }

    // A part of the match, beside which an operator of the graph may have the same name.
    bool isNamedPart(const std::string& name) const {
        return m_match.bindings.values.contains(name) &&
               std::none_of(m_rule.match.begin(), m_rule.match.end(),
                            [&](const NamedPattern& root) { return root.name == name; });
    }

    // e(x): the operator whose value the match calls e.
    Result<const Node*> appliedOperator(const std::string& name) const {
        const auto value = m_match.bindings.values.find(name);
        if (value == m_match.bindings.values.end() || !value->second.valid())
            return refused("no operator is named " + name);
        const Node& node = m_graph.node(value->second.node);
        if (node.isLeaf() || m_graph.operators().find(node.op) == nullptr)
            return refused(name + " is no operator here, but " + node.op);
        if (!node.bodies.empty())
            return refused(fmt::format("{} is {}, which has a graph inside", name, node.op));
        return &node;
    }

    // All values of a list; a single one is a list of one, an absent one is empty.
    Result<std::vector<RightOperand>> valuesOf(const Tree& name) const {
        std::vector<RightOperand> out;
        if (const auto list = m_match.bindings.lists.find(name.text);
            list != m_match.bindings.lists.end()) {
            for (const ValueRef& value : list->second)
                out.push_back(RightOperand{value});
            return out;
        }
        if (const auto one = m_values.find(name.text); one != m_values.end())
            return std::vector{one->second};
        if (const auto failed = m_failed.find(name.text); failed != m_failed.end())
            return failed->second;
        return out;
    }

    bool isThere(const std::string& name) const {
        const auto list = m_match.bindings.lists.find(name);
        return m_values.contains(name) ||
               (list != m_match.bindings.lists.end() && !list->second.empty());
    }

    // What given(b, p, q) is.
    const Tree& chosen(const Tree& given) const {
        return given.args.at(isThere(given.args.at(0).text) ? 1 : 2);
    }

    Result<AttrValue> attribute(const TreeAttr& attr, const Operator& op) const {
        if (attr.value.isName())
            if (const auto bound = m_match.bindings.attrValues.find(attr.value.text);
                bound != m_match.bindings.attrValues.end())
                return bound->second;
        const std::string what = fmt::format("{} of {}", attr.name, op.name());
        std::string seen;
        const auto value = evaluate(attr.value, m_scope, &seen);
        if (!value)
            return unknown(what, attr.value, seen);
        const AttrType type = op.attrType(attr.name).value_or(AttrType::Any);
        if (auto known = attributeOf(*value))
            if (auto fitting = asType(std::move(*known), type))
                return std::move(*fitting);
        if (isKnown(*value))
            return refused(
                fmt::format("{} is {}, not {}", what, kindNoun(kindOf(type)), textOf(*value)));
        return refused(fmt::format("{} has no value that is known here: {}", what, textOf(*value)));
    }

    RightOperand add(RightNode node) {
        RightOperand out;
        out.node = static_cast<int>(m_out.nodes.size());
        m_out.nodes.push_back(std::move(node));
        return out;
    }

    void leaveOutUnused() {
        std::vector<int> place(m_out.nodes.size(), -1); // -1: not needed
        const auto need = [&](const RightOperand& operand) {
            if (operand.node >= 0)
                place[static_cast<std::size_t>(operand.node)] = 0;
        };
        for (const RightSide::Handed& handed : m_out.handed)
            need(handed.to);
        for (std::size_t i = m_out.nodes.size(); i-- > 0;)
            if (place[i] == 0)
                std::for_each(m_out.nodes[i].operands.begin(), m_out.nodes[i].operands.end(), need);
        std::vector<RightNode> kept;
        const auto move = [&](RightOperand& operand) {
            if (operand.node >= 0)
                operand.node = place[static_cast<std::size_t>(operand.node)];
        };
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            if (place[i] < 0)
                continue;
            place[i] = static_cast<int>(kept.size());
            kept.push_back(std::move(m_out.nodes[i]));
            std::for_each(kept.back().operands.begin(), kept.back().operands.end(), move);
        }
        for (RightSide::Handed& handed : m_out.handed)
            move(handed.to);
        m_out.nodes = std::move(kept);
    }

    const RuleTree& m_rule;
    const Graph& m_graph;
    const Match& m_match;
    const RankOf& m_rank;
    Scope m_scope;
    std::map<std::string, RightOperand> m_values;
    std::map<std::string, Diag> m_failed;                  // of let: why there is no value
    std::map<std::pair<int, int>, RightOperand> m_several; // by the place of the call
    RightSide m_out;
};

} // namespace

Result<RightSide> rightSideOf(const RuleTree& rule, const Graph& graph, const Match& match,
                              const RankOf& rank) {
    return RightSidePlanner(rule, graph, match, rank).run();
}

std::set<ValueRef> readBy(const RightSide& right) {
    std::set<ValueRef> out;
    const auto note = [&](const RightOperand& operand) {
        if (operand.value.valid())
            out.insert(operand.value);
    };
    for (const RightNode& node : right.nodes)
        std::for_each(node.operands.begin(), node.operands.end(), note);
    for (const RightSide::Handed& handed : right.handed)
        note(handed.to);
    return out;
}

} // namespace fw
