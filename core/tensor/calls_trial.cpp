#include "tensor/calls_trial.h"

#include "ir/call_types.h"
#include "ir/number_operands.h"
#include "tensor/binding.h"
#include "tensor/calls.h"
#include "tensor/onnx_clauses.h"
#include "tensor/small_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fw {

namespace {

// Follows the types of small calls through the body, as far as they are known.
class Trial {
public:
    Trial(const OpTree& op, const OperatorSet& operators, const std::string& file)
        : m_op(op), m_operators(operators), m_file(file), m_calls(op, file),
          m_clauses(onnxBindings(op.onnx, file)) {
        if (m_clauses.empty())
            m_clauses.emplace_back();
    }

    CallTrials run() {
        constexpr DType tried[] = {DType::F32, DType::U8, DType::I64, DType::Bool};
        const std::set<std::string>& variables = m_calls.typeVariables();
        std::size_t choices = 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 3); ++i)
            choices *= std::size(tried);
        for (std::size_t choice = 0; choice < choices && !isShown(); ++choice) {
            std::map<std::string, DType> types;
            std::size_t rest = choice;
            for (const std::string& type : variables) {
                types[type] = tried[rest % std::size(tried)];
                rest /= std::size(tried);
            }
            m_calls.each(types, [&](const OpCall& call) {
                for (const OnnxBinding& clause : m_clauses)
                    attempt(asSaid(call, clause));
            });
        }
        return {m_whole.tried + m_without.tried, wrong()};
    }

private:
    struct Count {
        int tried = 0, taken = 0;
        std::optional<Diag> refusal; // the first
    };

    // With the values that a clause gives attributes: the operators that the body calls by them.
    static OpCall asSaid(OpCall call, const OnnxBinding& clause) {
        for (const auto& [ours, source] : clause.attributes)
            if (source.isFixed && source.value)
                call.attrs.set(ours, *source.value);
        return call;
    }

    void attempt(const OpCall& call) {
        if (!bindCall(m_op, m_file, call))
            return;
        const bool isWhole = std::all_of(call.inputs.begin(), call.inputs.end(),
                                         [](const auto& input) { return input.has_value(); });
        Count& count = isWhole ? m_whole : m_without;
        ++count.tried;
        std::vector<const Tree*> places;
        const auto all = readCalls(m_op, m_file, call, &places);
        if (!all) {
            refuse(count, all.diag());
            return;
        }
        m_made = 0;
        if (Refusal refused = follow(*all, call, 0).refusal) {
            refused->diag.where = placeOf(*places.at(refused->call));
            refuse(count, std::move(refused->diag));
            return;
        }
        ++count.taken;
    }

    struct Refused {
        std::size_t call = 0;
        Diag diag;
    };
    using Refusal = std::optional<Refused>;
    struct Followed {
        Refusal refusal;
        std::vector<KnownTypes> made;
    };

    Followed follow(const CallSequence& all, const OpCall& whole, int depth) {
        Followed out;
        for (std::size_t i = 0; i < all.calls.size(); ++i) {
            const CallSequence::Call& one = all.calls[i];
            const Operator* called = m_operators.findReader(one.op);
            if (called == nullptr || ++m_made > mostCalls) {
                out.made.emplace_back();
                continue;
            }
            const OpCall typed = typedCall(one, *called, whole, out.made);
            out.made.emplace_back();
            if (!isKnown(one, typed))
                continue;
            auto types = resultsOf(*called, typed, depth);
            if (!types) {
                out.refusal = Refused{i, types.takeDiag()};
                return out;
            }
            out.made.back() = types.take();
        }
        return out;
    }

    Result<KnownTypes> resultsOf(const Operator& called, const OpCall& call, int depth) {
        KnownTypes out;
        if (!called.standsForCalls()) {
            FW_TRY(const Inferred inferred, called.infer(call));
            out.assign(inferred.outputs.begin(), inferred.outputs.end());
            return out;
        }
        FW_TRY(const CallSequence inner, called.calls(call));
        if (depth == mostNested)
            return out;
        Followed followed = follow(inner, call, depth + 1);
        if (followed.refusal)
            return std::move(followed.refusal->diag);
        for (const CallSequence::Operand& result : inner.results)
            out.push_back(typeOf(result, call, followed.made));
        return out;
    }

    // Whether its operands have types and its attributes values without the values of tensors.
    static bool isKnown(const CallSequence::Call& one, const OpCall& typed) {
        for (std::size_t i = 0; i < one.operands.size(); ++i)
            if (!typed.inputs[i] && !std::holds_alternative<std::monostate>(one.operands[i]))
                return false;
        return std::all_of(one.attributes.begin(), one.attributes.end(), [](const auto& attribute) {
            return std::holds_alternative<AttrValue>(attribute.value);
        });
    }

    // Nothing that is drawn further says anything new.
    bool isShown() const {
        const bool mayBeAbsent = std::any_of(m_op.params.begin(), m_op.params.end(),
                                             [](const ParamTree& param) { return param.optional; });
        return m_whole.taken > 0 && (!mayBeAbsent || m_without.taken > 0);
    }

    static void refuse(Count& count, Diag diag) {
        if (!count.refusal)
            count.refusal = std::move(diag);
    }

    std::optional<Diag> wrong() const {
        const bool never = m_whole.taken + m_without.taken == 0;
        const bool neverWithout = m_whole.taken > 0 && m_without.taken == 0;
        const Count& count = never && m_whole.refusal ? m_whole : m_without;
        if ((!never && !neverWithout) || !count.refusal)
            return std::nullopt;
        Diag out = *count.refusal;
        out.severity = Severity::Warning;
        if (out.where.line == 0)
            out.where = {m_file, {}, m_op.span.line, m_op.span.column};
        out.message = fmt::format(
            "{}: {}: {}", m_op.name,
            never ? fmt::format("none of {} small calls is taken", m_whole.tried + m_without.tried)
                  : "no call is taken where its optional operands are absent",
            out.message);
        if (!never)
            out.hint = "given(operand, a, b) is b where the operand is absent";
        return out;
    }

    Where placeOf(const Tree& tree) const { return {m_file, {}, tree.span.line, tree.span.column}; }

    static constexpr int mostCalls = 4096, mostNested = 16;

    const OpTree& m_op;
    const OperatorSet& m_operators;
    const std::string& m_file;
    SmallCalls m_calls;
    std::vector<OnnxBinding> m_clauses;
    Count m_whole, m_without; // with all optional operands, without them
    int m_made = 0;           // calls, of the one that is followed
};

} // namespace

CallTrials tryCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file) {
    return Trial(op, operators, file).run();
}

} // namespace fw
