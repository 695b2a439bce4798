// What the names in the dimensions of a signature stand for, operand after operand: equal where two
// say the same, broadcast where one may give way. What numbers refute is refused with the operands
// that say so; what free dimensions leave open is assumed.
#pragma once

#include "ir/operator.h"
#include "tensor/tree_evaluator.h"

#include <map>
#include <set>

namespace fw {

// A dimension of an operand.
struct OperandDim {
    std::string operand;
    std::size_t axis = 0;

    std::string text() const;
};
using OperandDims = std::vector<OperandDim>;

inline bool isPack(const DimTree& dim) {
    return dim.value.kind == TreeKind::Pack;
}
// The name behind a Name or a Pack of one; empty for other expressions.
std::string nameOf(const DimTree& dim);

// What the names of a call stand for so far, and what is assumed of them.
struct BoundNames {
    Names names;
    std::map<std::string, Shape> perElement; // dims that differ between elements of a variadic one
    std::vector<Assumption> assumptions;
};

class DimNames {
public:
    // Whether the extents that a name gets are those of the result, or may give way to others.
    enum class Binds : std::uint8_t { Firmly, Loosely };

    // The caller keeps all three.
    DimNames(const OpTree& op, BoundNames& call, TreeEvaluator& shapes);

    // An item of a pattern against the extents that an operand has there.
    Status bindOne(const DimTree& dim, const Dim& extent, const OperandDim& at, Binds how);
    Status bindPack(const DimTree& dim, const Shape& extents, const OperandDims& at);
    // NumPy broadcasting: packs aligned at the right, 1 gives way.
    Status joinOne(const DimTree& dim, const Dim& extent, const OperandDim& at);
    Status joinPack(const DimTree& dim, const Shape& extents, const OperandDims& at);

    Status checkExtent(const std::string& name, const Dim& dim);
    void assume(const Expr& condition, const std::string& sentence);

private:
    Status bindExpression(const DimTree& dim, const Shape& extents, const OperandDims& at);
    Status bindList(const std::string& name, const Shape& extents, const OperandDims& at,
                    Binds how);
    void bindNew(const std::string& name, NameValue value, OperandDims at, Binds how);
    Status joinDim(Dim& bound, OperandDim& boundAt, bool firm, const Dim& found,
                   const OperandDim& at);
    Status equate(const Dim& bound, const OperandDim& boundAt, const Dim& found,
                  const OperandDim& foundAt);
    template <class Sentence>
    Status demand(const Expr& condition, const Sentence& sentence);
    OperandDim whereBound(const std::string& name, std::size_t i) const;
    std::string operandOf(const std::string& name) const;

    const OpTree& m_op;
    BoundNames& m_call;
    TreeEvaluator& m_shapes;
    std::set<std::string> m_perElement;         // those that differ between elements
    std::map<std::string, OperandDims> m_bound; // which dimensions bound a name
    std::set<std::string> m_firm;               // bound by an operand that does not broadcast
};

} // namespace fw
