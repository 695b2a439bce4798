#include "ir/memoized_operator.h"

#include "ir/call_memo.h"

namespace fw {

namespace {

class Remembering final : public Operator {
public:
    explicit Remembering(std::shared_ptr<const Operator> op) : m_op(std::move(op)) {}

    const std::string& name() const override { return m_op->name(); }
    const std::string& doc() const override { return m_op->doc(); }
    std::string signature() const override { return m_op->signature(); }
    std::string body() const override { return m_op->body(); }
    std::string source() const override { return m_op->source(); }
    std::vector<std::string> inputNames() const override { return m_op->inputNames(); }
    std::vector<std::string> outputNames() const override { return m_op->outputNames(); }
    Arity arity() const override { return m_op->arity(); }
    std::optional<std::size_t> inputRank(std::size_t operand) const override {
        return m_op->inputRank(operand);
    }
    std::optional<AttrType> attrType(std::string_view attr) const override {
        return m_op->attrType(attr);
    }
    std::vector<std::string> attrNames() const override { return m_op->attrNames(); }
    std::optional<AttrValue> attrDefault(std::string_view attr) const override {
        return m_op->attrDefault(attr);
    }
    std::vector<OnnxBinding> onnx() const override { return m_op->onnx(); }
    Result<Inferred> infer(const OpCall& call) const override {
        return *m_inferred.answer(call, [&] { return m_op->infer(call); });
    }
    bool asksOfElements() const override { return m_op->asksOfElements(); }
    std::vector<ElementDemand>
    demandsOf(const OpCall& call, const std::vector<const TensorData*>& known) const override {
        return m_op->demandsOf(call, known);
    }
    Result<OpInst> instantiate(const OpCall& call) const override { return *computation(call); }
    std::optional<Diag> refusal(const OpCall& call) const override {
        const auto kept = computation(call);
        return *kept ? std::nullopt : std::optional(kept->diag());
    }
    Result<Facts> facts(const OpCall& call) const override {
        return *m_facts.answer(call, [&] { return m_op->facts(call); });
    }
    Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
        return m_op->reference(call, inputs);
    }
    bool commutative() const override { return m_op->commutative(); }
    bool isView() const override { return m_op->isView(); }
    bool bindsDims() const override { return m_op->bindsDims(); }
    std::string_view runtimeKernel() const override { return m_op->runtimeKernel(); }
    bool isNative() const override { return m_op->isNative(); }
    bool movesOnly() const override { return m_op->movesOnly(); }

private:
    using Computations = CallMemo<Result<OpInst>>;
    Computations::Kept computation(const OpCall& call) const {
        return m_computations.answer(call, [&] { return m_op->instantiate(call); });
    }

    std::shared_ptr<const Operator> m_op;
    CallMemo<Result<Inferred>> m_inferred{rememberedCalls};
    Computations m_computations{rememberedCalls};
    CallMemo<Result<Facts>> m_facts{rememberedCalls};
};

} // namespace

std::shared_ptr<const Operator> remembering(std::shared_ptr<const Operator> op) {
    return std::make_shared<Remembering>(std::move(op));
}

} // namespace fw
