// Operators that only hand types on, for tests of how a model is read: no library is needed for
// those.
#pragma once

#include "ir/operator.h"

namespace fw::test {

// One output of the first operand's type; "add" refuses operands that do not broadcast; "unknown"
// has the declared types.
class LooseOperator : public Operator {
public:
    explicit LooseOperator(std::string name) : m_name(std::move(name)) {}
    const std::string& name() const override { return m_name; }
    const std::string& doc() const override { return m_name; }
    std::string signature() const override { return m_name; }
    std::string body() const override { return "native"; }
    std::vector<std::string> inputNames() const override { return {"x"}; }
    std::vector<std::string> outputNames() const override { return {"y"}; }
    Arity arity() const override { return onnx().empty() ? Arity() : Arity{1, 1}; }
    std::vector<std::string> attrNames() const override { return {}; }
    std::optional<AttrType> attrType(std::string_view) const override { return AttrType::Any; }
    std::vector<OnnxBinding> onnx() const override {
        OnnxBinding clause;
        clause.type = m_name == "relu" ? "Relu" : "Neg";
        return m_name == "relu" || m_name == "neg" ? std::vector{clause}
                                                   : std::vector<OnnxBinding>();
    }
    bool isNative() const override { return true; }
    Result<OpInst> instantiate(const OpCall&) const override { return opaque(); }
    Result<Facts> facts(const OpCall&) const override { return opaque(); }
    Result<std::vector<TensorData>>
    reference(const OpCall&, const std::vector<const TensorData*>&) const override {
        return opaque();
    }
    Result<Inferred> infer(const OpCall& call) const override {
        if (m_name == "unknown")
            return Inferred{call.declared, {}};
        if (call.inputs.empty() || !call.inputs[0])
            return makeDiag(DiagCode::OperatorArity, m_name + " needs an operand");
        if (m_name == "add" && call.inputs.size() == 2 && call.inputs[1]) {
            const Shape& a = call.inputs[0]->shape;
            const Shape& b = call.inputs[1]->shape;
            for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
                const Dim& x = a[a.size() - i];
                const Dim& y = b[b.size() - i];
                if (x.asInt() && y.asInt() && !(x == y) && !x.isInt(1) && !y.isInt(1))
                    return makeDiag(DiagCode::ShapeMismatch,
                                    x.text() + " does not fit " + y.text());
            }
        }
        return Inferred{{*call.inputs[0]}, {}};
    }

private:
    Diag opaque() const { return makeDiag(DiagCode::UnknownOperator, m_name + " has no body"); }
    std::string m_name;
};

inline std::shared_ptr<const OperatorSet> looseOperators() {
    auto set = std::make_shared<OperatorSet>();
    for (const char* name :
         {"input", "constant", "add", "mul", "relu", "neg", "bias", "unknown", "identity",
          "reshape", "dense", "transpose", "shape", "gather", "concat", "clip"})
        (void)set->add(std::make_shared<LooseOperator>(name), OperatorSource::Shipped);
    return set;
}

} // namespace fw::test
