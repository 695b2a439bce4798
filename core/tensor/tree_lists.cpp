// Evaluation of trees that are lists.
#include "expr/parse.h"
#include "expr/simplify.h"
#include "tensor/text_functions.h"
#include "tensor/tree_evaluator.h"

#include <fmt/format.h>

namespace fw {

bool TreeEvaluator::isList(const Tree& tree) const {
    switch (tree.kind) {
    case TreeKind::Pack:
    case TreeKind::List:
        return true;
    case TreeKind::Name: {
        const NameValue* value = find(tree.text);
        return value != nullptr && std::holds_alternative<Exprs>(*value);
    }
    case TreeKind::Unary:
        return isList(tree.args[0]);
    case TreeKind::Binary:
        return isList(tree.args[0]) || isList(tree.args[1]);
    case TreeKind::Call:
        return isListFunction(tree.text) ||
               (tree.text == "select" && tree.args.size() == 3 && isList(tree.args[1]) &&
                isList(tree.args[2])) ||
               ((tree.text == "min" || tree.text == "max") && tree.args.size() == 2 &&
                (isList(tree.args[0]) || isList(tree.args[1])));
    case TreeKind::Int:
    case TreeKind::Float:
    case TreeKind::Text:
    case TreeKind::Index:
    case TreeKind::Reduce:
        break;
    }
    return false;
}

Result<Exprs> TreeEvaluator::expanded(const std::vector<Tree>& trees) {
    Exprs out;
    for (const Tree& tree : trees) {
        if (isList(tree)) {
            FW_TRY(const Exprs part, list(tree));
            out.insert(out.end(), part.begin(), part.end());
        } else {
            FW_TRY(Expr e, scalar(tree));
            out.push_back(std::move(e));
        }
    }
    return out;
}

Result<Exprs> TreeEvaluator::places(const std::vector<Tree>& trees) {
    const Placing placing(*this);
    return expanded(trees);
}

// Element by element; one value goes with every element of the other side.
Result<Exprs>
TreeEvaluator::combined(const Tree& tree,
                        const std::function<Result<Expr>(const Expr&, const Expr&)>& combine) {
    Exprs sides[2];
    for (std::size_t i = 0; i < 2; ++i) {
        if (isList(tree.args[i])) {
            FW_TRY(sides[i], list(tree.args[i]));
        } else {
            FW_TRY(Expr e, scalar(tree.args[i]));
            sides[i] = {std::move(e)};
        }
    }
    const bool spreadLeft = !isList(tree.args[0]), spreadRight = !isList(tree.args[1]);
    if (!spreadLeft && !spreadRight && sides[0].size() != sides[1].size())
        return error(tree, DiagCode::ShapeMismatch,
                     fmt::format("lists of {} and {} elements do not combine", sides[0].size(),
                                 sides[1].size()));
    Exprs out;
    for (std::size_t i = 0; i < (spreadLeft ? sides[1] : sides[0]).size(); ++i) {
        FW_TRY(Expr e, combine(sides[0][spreadLeft ? 0 : i], sides[1][spreadRight ? 0 : i]));
        out.push_back(std::move(e));
    }
    return out;
}

Result<Exprs> TreeEvaluator::list(const Tree& tree) {
    switch (tree.kind) {
    case TreeKind::Pack:
        if (!isList(tree.args[0]))
            return error(tree, DiagCode::TextName, "what stands before '...' is not a list");
        return list(tree.args[0]);
    case TreeKind::List:
        return expanded(tree.args);
    case TreeKind::Name:
        if (const NameValue* value = find(tree.text))
            if (const auto* exprs = std::get_if<Exprs>(value))
                return *exprs;
        break;
    case TreeKind::Unary: {
        FW_TRY(Exprs operand, list(tree.args[0]));
        for (Expr& e : operand) {
            FW_TRY(Expr changed, applyPrefix(tree.text, e, where(tree)));
            e = changed;
        }
        return operand;
    }
    case TreeKind::Binary:
        return combined(tree, [&](const Expr& a, const Expr& b) { return infix(tree, a, b); });
    case TreeKind::Call:
        FW_CHECK(takesAsMany(tree));
        return listCall(tree);
    case TreeKind::Int:
    case TreeKind::Float:
    case TreeKind::Text:
    case TreeKind::Index:
    case TreeKind::Reduce:
        break;
    }
    return error(tree, DiagCode::TextType, "a list expected");
}

// Of a function that gives a list, or one of numbers that is taken element by element.
Result<Exprs> TreeEvaluator::listCall(const Tree& tree) {
    if (tree.text == "select" && tree.args.size() == 3) {
        FW_TRY(const bool first, isKnownToHold(tree.args[0]));
        return list(tree.args[first ? 1 : 2]);
    }
    if (!isList(tree))
        return error(tree, DiagCode::TextType, "a list expected");
    if (!isListFunction(tree.text))
        return combined(tree, [&](const Expr& a, const Expr& b) {
            return *applyFunction(tree.text, {a, b}, where(tree));
        });
    FW_TRY(Exprs whole, list(tree.args[0]));
    if (tree.text == "part") {
        FW_TRY(const Expr from, scalar(tree.args[1]));
        FW_TRY(const Expr to, scalar(tree.args[2]));
        return partOf(whole, simplify(from), simplify(to), where(tree));
    }
    if (tree.text == "places") {
        for (std::size_t i = 0; i < whole.size(); ++i)
            whole[i] = intExpr(static_cast<std::int64_t>(i));
        return whole;
    }
    FW_TRY(const Exprs second, list(tree.args[1]));
    if (tree.text == "permute")
        return permuted(whole, second, where(tree));
    if (tree.text == "without")
        return without(whole, second, where(tree));
    FW_TRY(const Exprs third, list(tree.args[2]));
    return replaced(std::move(whole), second, third, where(tree));
}

} // namespace fw
