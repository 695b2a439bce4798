// What names stand for while a call of an operator is worked out, and the evaluation of trees over
// them.
//
// A name is a scalar (a dim, an attribute, an index variable), a list of scalars (a pack of dims or
// of index variables, a list attribute), an element type, a text or a list of texts. Lists combine
// element by element, so `x[i... * step... + start...]` is one index per element of the packs.
#pragma once

#include "base/result.h"
#include "expr/expr.h"
#include "ir/attributes.h"
#include "syntax/op.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace fw {

using NameValue = std::variant<Expr, Exprs, DType, std::string, Texts>;
using Names = std::map<std::string, NameValue>;

class TreeEvaluator {
public:
    TreeEvaluator(const Names& names, std::string file) : m_names(names), m_file(std::move(file)) {}
    virtual ~TreeEvaluator() = default;
    TreeEvaluator(const TreeEvaluator&) = delete;
    TreeEvaluator& operator=(const TreeEvaluator&) = delete;

    Result<Expr> scalar(const Tree& tree);
    // Of an extent: DimOverflow where a sum or product of known sizes leaves 64 bits on the way.
    Result<Expr> extent(const Tree& tree);
    Result<Exprs> list(const Tree& tree); // of a pack, list or list-valued expression
    Result<Exprs>
    expanded(const std::vector<Tree>& trees);             // lists in place, scalars as one element
    Result<Exprs> places(const std::vector<Tree>& trees); // as expanded(), of indices
    bool isList(const Tree& tree) const;
    // False where that depends on sizes that are free.
    virtual Result<bool> isKnownToHold(const Tree& condition);
    Result<DType> dtype(const Tree& tree) const;
    std::set<Symbol> namedVars(const Tree& tree) const; // of everything that it calls by a name

protected:
    Result<Expr> decided(const Tree& condition); // real numbers are compared, too
    virtual const NameValue* find(const std::string& name) const;
    virtual bool isTensor(const std::string& name) const;
    virtual Result<Expr> load(const Tree& tree);
    virtual Result<Expr> reduce(const Tree& tree);
    virtual Result<Expr> pad(const Tree& tree);
    virtual Result<bool> present(const std::string& parameter, const Where& where) const;
    virtual std::optional<Result<Expr>> perElement(const std::string& function,
                                                   const std::string& dim);
    // How integers that are divided by a known 0 are refused; nothing: the quotient is 0, as that
    // of elements. What select(), && and || leave out is not asked about.
    virtual std::optional<DiagCode> refusesZero(const Tree& divisor) const;
    bool isPlacing() const { return m_placing; }
    // While what it evaluates is an index, or how far one runs.
    class Placing {
    public:
        explicit Placing(TreeEvaluator& evaluator)
            : m_evaluator(evaluator), m_before(std::exchange(evaluator.m_placing, true)) {}
        ~Placing() { m_evaluator.m_placing = m_before; }
        Placing(const Placing&) = delete;
        Placing& operator=(const Placing&) = delete;

    private:
        TreeEvaluator& m_evaluator;
        bool m_before;
    };
    Where where(const Tree& tree) const { return {m_file, {}, tree.span.line, tree.span.column}; }
    Diag error(const Tree& tree, DiagCode code, std::string message, std::string hint = {}) const {
        return makeDiag(code, std::move(message), where(tree), std::move(hint));
    }

private:
    Status takesAsMany(const Tree& call) const; // operands as its function has
    Result<Exprs> listCall(const Tree& tree);   // tree_lists.cpp
    Result<Exprs> combined(const Tree& tree,
                           const std::function<Result<Expr>(const Expr&, const Expr&)>& combine);
    Result<Expr> name(const Tree& tree);
    Result<Expr> binary(const Tree& tree);
    Result<Expr> infix(const Tree& tree, const Expr& a, const Expr& b);
    Result<Expr> byZero(const Tree& tree, const Tree& divisor, DType dtype) const;
    Result<Expr> part(const Tree& tree, bool leftOut);
    Result<Expr> index(const Tree& tree);
    Result<Expr> call(const Tree& tree);
    Result<Expr> conversion(const Tree& tree);
    Result<Exprs> operands(const Tree& tree);
    std::optional<Result<Expr>> shapeFunction(const Tree& tree);

    const Names& m_names;
    std::string m_file;
    bool m_leftOut = false, m_placing = false;
    bool m_deciding = false; // whether a condition is known to hold
};

} // namespace fw
