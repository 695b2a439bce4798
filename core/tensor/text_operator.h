// What a declaration says of an operator before anything of its body is asked: the half of the
// Operator interface that operators of both kinds of bodies share.
#pragma once

#include "ir/operator.h"
#include "syntax/op.h"

namespace fw {

class TextOperator : public Operator {
public:
    TextOperator(std::shared_ptr<const OpTree> tree, std::string file);

    const std::string& name() const final { return m_tree->name; }
    const std::string& doc() const final { return m_tree->doc; }
    std::string signature() const final { return m_tree->signature; }
    std::string body() const final { return m_tree->body; }
    std::string source() const final { return m_tree->source; }
    bool isNative() const final { return false; }
    std::vector<std::string> inputNames() const final;
    std::vector<std::string> outputNames() const final;
    // Optional operands at the end may be left out; a variadic one stands for any number.
    Arity arity() const final;
    std::optional<std::size_t> inputRank(std::size_t operand) const final;
    std::vector<std::string> attrNames() const final;
    std::optional<AttrType> attrType(std::string_view name) const final;
    std::optional<AttrValue> attrDefault(std::string_view name) const final;
    std::vector<OnnxBinding> onnx() const final;
    bool asksOfElements() const final { return m_asksOfElements; }
    std::vector<ElementDemand> demandsOf(const OpCall& call,
                                         const std::vector<const TensorData*>& known) const final;

protected:
    const OpTree& tree() const { return *m_tree; }
    const std::string& file() const { return m_file; }
    Diag named(Diag diag) const; // with the operator's name in front

private:
    std::shared_ptr<const OpTree> m_tree;
    std::string m_file;
    bool m_asksOfElements = false; // of every node that is read that is asked
};

} // namespace fw
