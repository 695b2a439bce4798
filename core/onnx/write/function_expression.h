// One tensor expression of a function: its tree as nodes of ONNX.
#pragma once

#include "ir/operator.h"
#include "onnx/write/function_axes.h"

#include <optional>
#include <set>

namespace fw {

// What a node gives, stretchable to the axes over which it was asked for.
struct FunctionValue {
    std::string name; // empty while it is a literal
    ElementKind kind = ElementKind::Float;
    // A number (f64 or i64) that takes the element type of what it meets: of literals, attributes,
    // extents and positions.
    bool isFree = false;
    std::optional<double> literal;
    std::set<std::string> covers;    // variables whose axes it has in full
    std::set<std::string> stretched; // operands behind it that broadcast
};

// A tensor that statements may read.
struct FunctionTensor {
    std::string name;
    ElementKind kind = ElementKind::Float;
    FunctionAxes axes; // by their dims
    bool broadcasts = false;
};

Diag unsaid(std::string why);

class FunctionExpression {
public:
    FunctionExpression(FunctionNodes& nodes, const OpTree& op, const OnnxBinding& clause,
                       const CallFacts& facts)
        : m_nodes(nodes), m_op(op), m_clause(clause), m_facts(facts), m_axisWriter(nodes, facts) {}

    void define(const std::string& name, FunctionTensor tensor) {
        m_tensors[name] = std::move(tensor);
    }
    AxisWriter& axes() { return m_axisWriter; }

    // The variable that an index is, or empty if it is something else.
    std::string variable(const Tree& index) const;
    // The dim that the first read of `tree` along the variable has, else the one that is named like
    // it; empty if neither is there.
    std::string extentByUse(const FunctionAxis& axis, const Tree& tree) const;
    // With all axes in full, in this order.
    Result<FunctionValue> valueOver(const FunctionAxes& axes, const Tree& tree);
    std::string emitted(const FunctionValue& value);
    // As the element type `dtype` of the signature.
    Result<std::string> typed(FunctionValue& value, const std::string& dtype);

private:
    Result<FunctionValue> value(const Tree& tree);
    Result<FunctionValue> name(const Tree& tree);
    Result<FunctionValue> attribute(const AttrParamTree& attr, const Tree* index);
    Result<FunctionValue> unary(const Tree& tree);
    Result<FunctionValue> binary(const Tree& tree);
    Result<FunctionValue> quotient(const std::string& sign, FunctionValue a, FunctionValue b);
    Result<FunctionValue> call(const Tree& tree);
    Result<FunctionValue> composed(const Tree& tree);
    Result<FunctionValue> selected(FunctionValue condition, FunctionValue yes, FunctionValue no);
    Result<FunctionValue> cast(const Tree& value, const Tree& type);
    Result<FunctionValue> read(const Tree& tree);
    Result<FunctionValue> reduce(const Tree& tree);
    Result<std::optional<FunctionValue>> product(const FunctionAxis& over, const Tree& body);
    // The axes of a read, by their variables; refused if an index is no variable.
    Result<FunctionAxes> readAxes(const FunctionTensor& tensor, const Tree& tree) const;
    // Where a variable of a reduction stands among those that run already: as its reads have it.
    std::size_t placeFor(const std::string& variable, const Tree& body,
                         const FunctionAxes& running) const;

    FunctionValue joined(const std::string& type, FunctionValue a, FunctionValue b,
                         std::optional<ElementKind> kind = {});
    void meet(FunctionValue& a, FunctionValue& b); // both get one element type
    Result<FunctionValue> complete(FunctionValue value);
    bool isFull(const FunctionValue& value, const FunctionAxis& axis) const;
    // Asks of every axis of an operand that says how large `dim` is, until the answer is yes: the
    // operand, its axes, which of them.
    template <class Found>
    bool anyAxis(const std::string& dim, bool pack, const Found& found) const;
    Result<FunctionValue> extent(const std::string& dim);  // i64[]
    Result<std::string> extents(const FunctionAxis& axis); // i64[axes of it]

    const AttrParamTree* findAttribute(const std::string& name) const;

    FunctionNodes& m_nodes;
    const OpTree& m_op;
    const OnnxBinding& m_clause;
    const CallFacts& m_facts;
    AxisWriter m_axisWriter;
    std::map<std::string, FunctionTensor> m_tensors;
    FunctionAxes m_axes; // of the variables that run
};

} // namespace fw
