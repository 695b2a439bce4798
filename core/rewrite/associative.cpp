#include "rewrite/associative.h"

#include "syntax/declarations.h"
#include "syntax/op.h"

#include <algorithm>

namespace fw {

namespace {

bool sameIndex(const Tree& a, const Tree& b) {
    return a.kind == b.kind && a.text == b.text && a.args.size() == b.args.size() &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), sameIndex);
}

// a * b distributes over sums, a + b over max and min.
bool distributes(const std::string& product, const std::string& reduction) {
    return product == "*" ? reduction == "sum"
                          : product == "+" && (reduction == "max" || reduction == "min");
}

// Of y[p..., m, n] and a[p..., m, k], b[p..., k, n], where k is summed up.
bool isProduct(const std::vector<Tree>& y, const std::vector<Tree>& a, const std::vector<Tree>& b,
               const std::string& k) {
    const std::size_t rank = y.size();
    if (rank < 2 || a.size() != rank || b.size() != rank)
        return false;
    for (std::size_t i = 0; i + 2 < rank; ++i)
        if (!sameIndex(y[i], a[i]) || !sameIndex(y[i], b[i]))
            return false;
    const Tree &m = y[rank - 2], &n = y[rank - 1];
    return m.isName() && n.isName() && m.text != n.text && !m.isName(k) && !n.isName(k) &&
           a[rank - 2].isName(m.text) && a[rank - 1].isName(k) && b[rank - 2].isName(k) &&
           b[rank - 1].isName(n.text);
}

} // namespace

bool isAssociative(const Operator& op) {
    const auto tree = only<OpTree>(parseFile(op.source(), op.name()));
    if (!tree || tree->params.size() != 2 || tree->outs.size() != 1 || tree->stmts.size() != 1 ||
        !tree->attrs.empty() ||
        std::any_of(tree->params.begin(), tree->params.end(),
                    [](const ParamTree& one) { return one.optional || one.variadic; }) ||
        tree->params[0].type.dtype != tree->params[1].type.dtype ||
        tree->params[0].type.dtype != tree->outs[0].type.dtype)
        return false;
    const Tree& sum = tree->stmts[0].value;
    if (sum.kind != TreeKind::Reduce || sum.args.size() != 3 || !sum.args[0].isName())
        return false;
    const Tree& product = sum.args[2];
    if (product.kind != TreeKind::Binary || !distributes(product.text, sum.text))
        return false;
    const Tree &a = product.args[0], &b = product.args[1];
    return a.kind == TreeKind::Index && b.kind == TreeKind::Index &&
           a.text == tree->params[0].name && b.text == tree->params[1].name &&
           isProduct(tree->stmts[0].indices, a.args, b.args, sum.args[0].text);
}

} // namespace fw
