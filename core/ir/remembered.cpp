#include "ir/remembered.h"

#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

namespace fw {

namespace {

std::uint64_t bitsOf(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

// Two zeros of different sign are two values here, two equal NaNs are one.
bool sameValue(const AttrValue& a, const AttrValue& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* real = std::get_if<double>(&a))
        return bitsOf(*real) == bitsOf(std::get<double>(b));
    if (const auto* reals = std::get_if<Reals>(&a))
        return std::ranges::equal(*reals, std::get<Reals>(b), {}, bitsOf, bitsOf);
    return a == b;
}

struct SameCall {
    bool operator()(const OpCall& a, const OpCall& b) const {
        return a.inputs == b.inputs && a.declared == b.declared &&
               std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(),
                          [](const auto& x, const auto& y) {
                              return x.first == y.first && sameValue(x.second, y.second);
                          });
    }
};

class Hashing {
public:
    std::uint64_t of(const OpCall& call) {
        for (const auto& input : call.inputs) {
            mix(input.has_value());
            if (input)
                mix(*input);
        }
        for (const TensorType& type : call.declared)
            mix(type);
        for (const auto& [name, value] : call.attrs) {
            mix(name);
            std::visit([this](const auto& held) { mix(held); }, value);
        }
        return m_hash;
    }

private:
    void mix(std::uint64_t value) { m_hash = mixHash(m_hash, value); }
    void mix(std::int64_t value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(bool value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(double value) { mix(bitsOf(value)); }
    void mix(DType value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(const std::string& value) { mix(std::uint64_t(std::hash<std::string>()(value))); }
    void mix(const Expr& value) { mix(value.hash()); }
    void mix(const TensorData&) {} // not remembered
    void mix(const TensorType& type) {
        mix(type.dtype);
        mix(type.shape);
    }
    template <class T>
    void mix(const std::vector<T>& list) {
        mix(std::uint64_t(list.size()));
        for (const T& item : list)
            mix(item);
    }

    std::uint64_t m_hash = 0;
};

struct CallHash {
    std::size_t operator()(const OpCall& call) const { return Hashing().of(call); }
};

bool holdsTensor(const OpCall& call) {
    return std::any_of(call.attrs.begin(), call.attrs.end(), [](const auto& item) {
        return std::holds_alternative<TensorData>(item.second);
    });
}

template <class Answer>
class Memo {
public:
    using Kept = std::shared_ptr<const Result<Answer>>;

    template <class Ask>
    Kept answer(const OpCall& call, const Ask& ask) const {
        if (holdsTensor(call))
            return std::make_shared<const Result<Answer>>(ask());
        {
            std::lock_guard lock(m_mutex);
            if (const auto found = m_known.find(call); found != m_known.end())
                return found->second;
        }
        const auto out = std::make_shared<const Result<Answer>>(ask());
        std::lock_guard lock(m_mutex);
        if (m_known.size() >= rememberedCalls)
            m_known.clear();
        m_known.emplace(call, out);
        return out;
    }

private:
    mutable std::mutex m_mutex;
    mutable std::unordered_map<OpCall, Kept, CallHash, SameCall> m_known;
};

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

private:
    Memo<OpInst>::Kept computation(const OpCall& call) const {
        return m_computations.answer(call, [&] { return m_op->instantiate(call); });
    }

    std::shared_ptr<const Operator> m_op;
    Memo<Inferred> m_inferred;
    Memo<OpInst> m_computations;
    Memo<Facts> m_facts;
};

} // namespace

std::shared_ptr<const Operator> remembering(std::shared_ptr<const Operator> op) {
    return std::make_shared<Remembering>(std::move(op));
}

} // namespace fw
