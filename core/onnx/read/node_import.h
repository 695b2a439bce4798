// One ONNX node on its way into the graph: what an importer function reads and builds with.
//
// An importer emits operators of the library with step() and ends with result(), which takes the
// ONNX node's name and output names; or it names an existing value as its result with alias(). All
// operators it emits get one origin. A refusal is a Diag: UnsupportedAttribute, UnknownOperator and
// DtypeMismatch turn the node into "unknown" (the model opens), anything else refuses the model.
#pragma once

#include "onnx/read/model_values.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

class NodeImport {
public:
    NodeImport(ModelValues& model, const proto::NodeProto& node, std::string name)
        : m_model(model), m_node(node), m_name(std::move(name)) {}

    const proto::NodeProto& node() const { return m_node; }
    const std::string& name() const { return m_name; }
    std::int64_t opset() const;

    // What a node of the model computes in several steps is rounded once: where this operand is f16
    // or bf16, such operands are f32 from here on, their constants too, and a result that is f32
    // becomes what the operand is. Before anything else is asked of operands.
    void computeWide(std::size_t operand = 0);

    // Operands
    std::size_t inputCount() const { return static_cast<std::size_t>(m_node.input_size()); }
    bool has(std::size_t i) const {
        return i < inputCount() && !m_node.input(static_cast<int>(i)).empty();
    }
    Status need(std::size_t least, std::size_t most) const; // OperatorArity
    Result<ValueRef> input(std::size_t i);                  // as a value of the graph
    Result<TensorType> inputType(std::size_t i) const;
    const TensorType& type(ValueRef value) const;
    // In the graph, or an operand that is one outside of it; nullptr if it is none.
    const TensorData* constant(ValueRef value) const;
    const OperatorSet& operators() const { return m_model.operators(); }
    const Operator* operatorNamed(const std::string& name) const; // or one that stands for calls
    const TensorData* constant(std::size_t i) const; // nullptr unless known while importing
    // The same, or what operators of the graph compute of small constants.
    const TensorData* computedConstant(std::size_t i) const;
    std::optional<Exprs>
    shapeValues(std::size_t i) const; // known integers, maybe over free dimensions
    // Those, or free dimensions that take the values of the operand while the model runs
    // (bind_dims): one for each element, of which there has to be a fixed number. Integers, or
    // whole floats.
    Result<Exprs> sizes(std::size_t i);
    // What an operator on sizes (resources/library/sizes.fw) computes of lists that are known over
    // free dimensions: that output; nullopt: it is not known.
    std::optional<Exprs> sizesBy(const std::string& op, std::size_t output,
                                 const std::vector<Exprs>& lists) const;
    // The same for the elements of a vector of i64; `prefix` is in front of the number of each.
    Result<Exprs> bound(ValueRef sizes, const std::string& prefix);
    // As dimensions of a value without names are called: y_d0, y_d1, ... of the first result.
    Result<Exprs> boundExtents(ValueRef sizes) { return bound(sizes, m_node.output(0) + "_d"); }
    std::optional<Integers> integers(std::size_t i) const; // known and fixed
    // It is there, and its elements are not known as numbers while importing.
    bool isComputed(std::size_t i) const;
    std::optional<double> scalar(std::size_t i) const; // a known tensor with one element
    // Operand i as a sequence whose tensors are known one by one; nullptr: it is none.
    const std::vector<ValueRef>* parts(std::size_t i) const;

    // Attributes. What is read is honoured: an attribute that nobody asked for is refused.
    Result<std::int64_t> integer(std::string_view name, std::int64_t fallback) const {
        return integerAttribute(honoured(name), name, fallback);
    }
    // 0 or 1; programs read other numbers differently, so they are refused.
    Result<bool> flag(std::string_view name, bool fallback) const;
    Result<double> real(std::string_view name, double fallback) const {
        return realAttribute(honoured(name), name, fallback);
    }
    Result<std::string> text(std::string_view name, const std::string& fallback) const {
        return textAttribute(honoured(name), name, fallback);
    }
    Result<std::optional<Integers>> list(std::string_view name) const {
        return integersAttribute(honoured(name), name);
    }
    Result<std::optional<Reals>> reals(std::string_view name) const {
        return realsAttribute(honoured(name), name);
    }
    Result<std::optional<Texts>> texts(std::string_view name) const {
        return textsAttribute(honoured(name), name);
    }
    bool given(std::string_view name) const {
        return findAttribute(honoured(name), name) != nullptr;
    }
    std::optional<Result<TensorData>>
    tensor(std::string_view name) const; // nullopt if there is none
    Status allHonoured() const; // UnsupportedAttribute names the first that was not asked for
    // An attribute in older opsets, an operand in newer ones. UnsupportedAttribute if computed at
    // run time.
    Result<std::optional<Integers>> listOrOperand(std::string_view name, std::size_t i) const;
    Result<std::size_t> axis(std::int64_t axis,
                             std::size_t rank) const; // negative counts from the end

    // Building
    Result<ValueRef> step(const std::string& op, std::vector<ValueRef> inputs, Attrs attrs = {});
    // One that gives several values.
    Result<std::vector<ValueRef>> steps(const std::string& op, std::vector<ValueRef> inputs,
                                        Attrs attrs = {});
    Result<ValueRef> reshaped(ValueRef x, const Shape& shape);
    ValueRef addConstant(const std::string& suffix, TensorData data);
    Result<ValueRef> transposedWeights(ValueRef matrix); // a constant one
    ValueRef scalarConstant(const std::string& suffix, double value, DType dtype);
    // In its normal form (normal_form.cpp).
    Status result(std::string op, std::vector<ValueRef> inputs, Attrs attrs = {});
    // The vector, whose elements are dimensions of these names from now on.
    Status resultBound(ValueRef sizes, const Texts& names);
    Status resultReshaped(ValueRef x, const Shape& shape);
    Status alias(std::size_t output, ValueRef value);
    Status aliasWide(std::size_t output, ValueRef value);     // stays f32
    Status aliasInput(std::size_t output, std::size_t input); // stays a constant if it was one
    Status constantResult(TensorData data);
    Status resultParts(std::vector<ValueRef> parts); // a sequence of these
    bool outputUsed(std::size_t i) const;
    std::size_t outputCount() const { return static_cast<std::size_t>(m_node.output_size()); }

    // Its name in the model, or its type and what it was made of.
    std::string shownValue(ValueRef value) const;
    // What the operator requires of elements, as far as they are known: refused, or assumed of free
    // dimensions. `shown`: the operands of the call, for people.
    Status needElements(const Operator& op, const OpCall& call,
                        const std::vector<const TensorData*>& known,
                        const std::vector<std::string>& shown);
    // The elements of the operand lie from `low` to `high`, in the same way. For what is no index
    // along an axis (constant_indices.cpp).
    Status needBetween(std::size_t operand, std::int64_t low, const Expr& high);
    // What must hold of free dimensions for this reading of the node; one sentence of what and why.
    void assume(const Expr& condition, std::string sentence);
    std::string operandName(std::size_t i) const; // as the model has it, in quotes
    void note(const std::string& what);           // a NormalForm decision
    void warn(const std::string& what); // of sizes with which it computes what few can mean
    std::int64_t tensorLimit() const;   // bytes the importer may make
    Diag unsupported(std::string message, std::string hint = {}) const;
    Diag malformed(std::string message) const;

    const std::vector<NodeId>& emitted() const { return m_emitted; }

private:
    const proto::NodeProto& honoured(std::string_view name) const {
        m_honoured.emplace(name);
        return m_node;
    }

    Status toNormalForm(std::string& op, std::vector<ValueRef>& inputs, Attrs& attrs);
    bool isOwnProduct(ValueRef value) const; // a step of this node
    void asBias(std::string& op, std::vector<ValueRef>& inputs, Attrs& attrs);
    Result<Exprs> boundAs(ValueRef sizes, const Texts& names);
    Result<std::vector<ValueRef>> added(GraphEditor::NewNode wish);
    // What the operator `op` of the library says of these operands, in the words of the model.
    Diag inWords(Diag diag, const std::string& op, const std::vector<ValueRef>& inputs) const;

    ModelValues& m_model;
    const proto::NodeProto& m_node;
    std::optional<DType> m_narrow;              // of results, while steps are f32
    std::map<std::size_t, ValueRef> m_widened;  // operands
    std::map<ValueRef, std::size_t> m_operands; // that are values of the graph
    mutable std::map<std::size_t, TensorData> m_wideConstants;
    mutable std::set<std::string, std::less<>> m_honoured; // attributes
    std::string m_name;
    std::vector<NodeId> m_emitted; // the last one is the origin of all
};

// The attribute form of a shape: integers when all are fixed.
AttrValue shapeAttr(const Shape& shape);
Shape withoutAxes(const Shape& shape, std::span<const std::size_t> axes);

} // namespace fw
