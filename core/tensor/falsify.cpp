#include "tensor/falsify.h"

#include "tensor/reference.h"
#include "tensor/safety.h"
#include "tensor/verify_computation.h"
#include "tensor/wide.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace fw {

namespace {

constexpr int probesPerOperand = 6;

TensorData perturbed(const TensorData& data, std::size_t at) {
    if (isFloat(data.dtype())) {
        std::vector<double> values = data.toDoubles();
        values[at] += 0.75;
        return dataFromDoubles(data.dtype(), data.extents(), values);
    }
    std::vector<std::int64_t> values = data.toIntegers();
    values[at] = data.dtype() == DType::Bool ? 1 - values[at] : values[at] + 1;
    return dataFromIntegers(data.dtype(), data.extents(), values);
}

std::vector<std::size_t> changes(const TensorData& before, const TensorData& after) {
    const std::size_t width = dtypeBytes(before.dtype());
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < before.count(); ++i)
        if (!std::equal(before.bytes().begin() + static_cast<std::ptrdiff_t>(i * width),
                        before.bytes().begin() + static_cast<std::ptrdiff_t>((i + 1) * width),
                        after.bytes().begin() + static_cast<std::ptrdiff_t>(i * width)))
            out.push_back(i);
    return out;
}

class Falsifier {
public:
    Falsifier(const Operator& op, const OpCall& call, std::uint64_t seed)
        : m_op(op), m_call(call), m_random(seed), m_seed(seed) {}

    Status run() {
        FW_TRY(const Inferred inferred, m_op.infer(m_call));
        FW_TRY(m_inst, m_op.instantiate(m_call));
        FW_TRY(m_facts, m_op.facts(m_call));
        FW_CHECK(verify(m_inst));
        FW_CHECK(checkSafety(m_inst));
        if (m_facts.inputKinds.size() != m_inst.inputs.size() ||
            m_facts.inPlace.size() != m_inst.inputs.size())
            return wrong("facts are missing for an operand");
        if (inferred.outputs.size() != m_inst.outputs.size())
            return wrong("inference and computation have different outputs");
        for (std::size_t i = 0; i < inferred.outputs.size(); ++i)
            if (!(inferred.outputs[i] == m_inst.outputs[i].type))
                return wrong(fmt::format("inferred {}, computed {}", inferred.outputs[i].text(),
                                         m_inst.outputs[i].type.text()));
        std::uint64_t next = m_seed;
        for (const TensorDecl& input : m_inst.inputs) {
            const auto extents = fixedExtents(input.type.shape);
            if (!extents)
                return wrong("a dimension of the instance is free");
            m_inputs.push_back(randomData(input.type.dtype, *extents, ++next));
        }
        FW_TRY(const std::vector<TensorData> base, evaluateWith(0, nullptr));
        for (std::size_t o = 0; o < base.size(); ++o)
            if (!(base[o].type() == m_inst.outputs[o].type))
                return wrong(fmt::format("the result is {}, not {}", base[o].type().text(),
                                         m_inst.outputs[o].type.text()));
        for (std::size_t k = 0; k < m_inputs.size() && !base.empty(); ++k)
            FW_CHECK(probe(k, base[0]));
        return {};
    }

private:
    Diag wrong(std::string message) const {
        return makeDiag(DiagCode::TextType,
                        fmt::format("{}: {} (seed {})", m_op.name(), message, m_seed));
    }

    Result<std::vector<TensorData>> evaluateWith(std::size_t k, const TensorData* changed) const {
        std::vector<const TensorData*> inputs;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            inputs.push_back(changed != nullptr && i == k ? changed : &m_inputs[i]);
        return evaluate(widened(m_inst), inputs);
    }

    Status probe(std::size_t k, const TensorData& base) {
        const std::size_t count = m_inputs[k].count();
        for (int round = 0; round < probesPerOperand && count > 0; ++round) {
            const std::size_t at = m_random() % count;
            const TensorData changed = perturbed(m_inputs[k], at);
            FW_TRY(const std::vector<TensorData> after, evaluateWith(k, &changed));
            const std::vector<std::size_t> moved = changes(base, after[0]);
            const std::string what = fmt::format(
                "element {} of {} changes {} elements of {}, which its kind {} rules out", at,
                m_inst.inputs[k].name.text(), moved.size(), m_inst.outputs[0].name.text(),
                kindText(m_facts.inputKinds[k]));
            const bool own = moved.empty() || (moved.size() == 1 && moved[0] == at);
            if (m_facts.inPlace[k] && !own)
                return wrong(what + ", so it may not be overwritten");
            switch (m_facts.inputKinds[k]) {
            case FusionKind::Elementwise:
                if (!own)
                    return wrong(what);
                break;
            case FusionKind::Broadcast:
                if (moved.size() > std::max<std::size_t>(base.count() / count, 1))
                    return wrong(what);
                break;
            case FusionKind::Reduction:
                if (moved.size() > 1)
                    return wrong(what);
                break;
            case FusionKind::Injective:
            case FusionKind::Window:
            case FusionKind::Rowwise:
            case FusionKind::Contraction:
            case FusionKind::Opaque:
                break; // may reach several elements
            }
        }
        return {};
    }

    const Operator& m_op;
    const OpCall& m_call;
    OpInst m_inst;
    Facts m_facts;
    std::vector<TensorData> m_inputs;
    std::mt19937_64 m_random;
    std::uint64_t m_seed;
};

} // namespace

Status falsifyFacts(const Operator& op, const OpCall& call, std::uint64_t seed) {
    return Falsifier(op, call, seed).run();
}

double evaluationsOf(const OpInst& inst) {
    return 1 + probesPerOperand * static_cast<double>(inst.inputs.size());
}

Status factsHold(const Operator& op, const OpCall& call, const Where& place) {
    const Status survived = falsifyFacts(op, call, 1);
    if (survived)
        return {};
    std::vector<std::string> operands;
    for (const auto& input : call.inputs)
        operands.push_back(input ? input->text() : "none");
    return makeDiag(
        DiagCode::Internal,
        fmt::format("what was derived from the text of the operator is wrong on ({}): {}",
                    fmt::join(operands, ", "), survived.diag().message),
        place,
        "this is a mistake of the program, not of the book; please report it with the "
        "text of the operator");
}

} // namespace fw
