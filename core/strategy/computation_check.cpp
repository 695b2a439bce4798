// Own computations against their operators, on small random calls.
#include "strategy/computation.h"

#include "base/memo.h"
#include "strategy/guarded_calls.h"
#include "strategy/loop_trial.h"
#include "strategy/special_values.h"
#include "tensor/disagreement.h"

#include <fmt/format.h>

namespace fw {

namespace {

constexpr int wantedCalls = 32, mostDraws = 4000;
constexpr int mostLoops = 8;                 // calls whose loops are run
constexpr std::uint64_t mostSteps = 100'000; // of the loops of one call

std::string textOfAll(const Tree& tree, const OperatorSet& operators) {
    std::string out;
    if (const Operator* op = tree.kind == TreeKind::Call ? operators.find(tree.text) : nullptr)
        out = op->signature() + op->body();
    for (const Tree& arg : tree.args)
        out += textOfAll(arg, operators);
    return out;
}

struct Tried {
    std::optional<Diag> wrong;
    int agreed = 0; // calls
};

// The loops of the computation in the place of its operator, for one call.
std::optional<Diag> wrongLoops(const ComputedEntry& computed, const DrawnCall& call) {
    return tryLoopsOf(
               *call.graph, *call.node,
               [&] {
                   return computationOf(computed, {call.graph.get(), call.node, {}});
               },
               mostSteps)
        .wrong;
}

// One entry on calls that are drawn for it.
class Trial {
public:
    Trial(const ComputedEntry& computed, const std::shared_ptr<const OperatorSet>& operators,
          const SignatureTree& signature)
        : m_computed(computed), m_op(*operators->find(computed.block->subject)),
          m_calls(computed, operators, signature) {}

    Tried run() {
        for (int draws = 0; draws < mostDraws && (wantsMore() || lacksAlternatives()); ++draws) {
            const std::optional<DrawnCall> call = m_calls.draw();
            if (!call || (!wantsMore() && !m_calls.holdsWhatLacks(*call)))
                continue;
            m_calls.note(*call);
            if (auto wrong = tryCall(*call))
                return {std::move(wrong), m_agreed};
        }
        if (m_worst || m_agreed > 0)
            return {m_worst, m_agreed};
        return {untried()};
    }

private:
    bool wantsMore() const { return m_found < wantedCalls; }
    bool lacksAlternatives() const { return !m_worst && m_calls.lacksAlternatives(); }

    // Wrong loops end the trial; other differences are kept, the smallest of them.
    std::optional<Diag> tryCall(const DrawnCall& call) {
        const auto own = computationGraph(m_computed, {call.graph.get(), call.node, {}});
        if (!own && own.diag().code == DiagCode::OutputsDiffer)
            differs(call, own.diag().message);
        else if (!own)
            refuses(call, own.diag());
        compare(call, own ? own->get() : nullptr);
        if (own && !m_worst && m_run++ < mostLoops)
            if (auto wrong = wrongLoops(m_computed, call))
                return wrong;
        m_found += m_worst.has_value();
        return std::nullopt;
    }

    // Values of the computation and of its operator, whole numbers first.
    void compare(const DrawnCall& call, const Graph* own) {
        std::optional<std::string> special;
        for (const bool whole : {true, false}) {
            const std::vector<TensorData> operands = m_calls.operands(call, whole);
            BoundedOptions options;
            options.sharp = true;
            options.most = std::int64_t(1) << 24;
            AgreementOptions agreement;
            agreement.sharp = true;
            const auto wanted = evaluateGraphBounded(*call.graph, operands, options);
            if (own == nullptr || !wanted)
                break;
            const auto got =
                evaluateGraphBounded(*own, operandsOf(*call.graph, *call.node, operands), options);
            if (!got) {
                refuses(call, got.diag());
                break;
            }
            if (const auto where = disagreementOf(*call.graph, *got, *wanted, agreement)) {
                differs(call, where->text("its result"));
                break;
            }
            if (whole && call.sure)
                special = differenceAtSpecialValues(*call.graph, *call.node, *own, operands,
                                                    m_specialRandom);
            m_agreed += !whole && !special;
            m_found += !whole;
        }
        if (special)
            differs(call, *special, false);
    }

    // Ordinary numbers tell most.
    void differs(const DrawnCall& call, const std::string& how, bool ordinary = true) {
        const std::pair size(!ordinary, call.elements);
        if (m_worst && m_smallest <= size)
            return;
        m_worst = makeDiag(DiagCode::OutputsDiffer,
                           fmt::format("{} is not what {} computes: for {} {}",
                                       m_computed.entry->name, m_op.name(), call.text, how));
        m_smallest = size;
    }

    void refuses(const DrawnCall& call, const Diag& diag) { // it is not asked for such a call
        if (m_refusal.empty())
            m_refusal = fmt::format("{} (for {})", diag.message, call.text);
    }

    Diag untried() const {
        return makeDiag(
            DiagCode::RuleIllegal,
            fmt::format("{} was not tried: {}", m_computed.entry->name,
                        !m_refusal.empty() ? m_refusal
                        : m_calls.neverHeld().empty()
                            ? "no call was found that its condition lets through"
                            : fmt::format("{} held for none of {} calls, constant or not, of "
                                          "ranks 0 to 6, mostly of f32, f64 and i64",
                                          m_calls.neverHeld(), mostDraws)),
            {}, "say in `when` for which calls it is");
    }

    const ComputedEntry& m_computed;
    const Operator& m_op;
    GuardedCalls m_calls;
    Random m_specialRandom{1};
    std::string m_refusal; // the first
    std::optional<Diag> m_worst;
    std::pair<bool, std::int64_t> m_smallest; // the call of the worst
    int m_agreed = 0, m_run = 0, m_found = 0;
};

Tried tried(const ComputedEntry& computed, const std::shared_ptr<const OperatorSet>& operators) {
    const ImplementationsTree& block = *computed.block;
    const Operator& op = *operators->find(block.subject);
    const auto signature =
        block.ownSignature ? SignatureTree{block.params, {}} : parseSignature(op.signature());
    if (!signature)
        return {makeDiag(DiagCode::RuleIllegal,
                         fmt::format("{} cannot be tried: its operands have no types", op.name()),
                         {}, "write a signature of your own: " + op.name() + "(x: f32[N, ...])")};
    return Trial(computed, operators, *signature).run();
}

} // namespace

std::optional<Diag> disagreement(const ComputedEntry& computed,
                                 std::shared_ptr<const OperatorSet> operators,
                                 const std::string& file, int* agreed) {
    // What was tried, by its text: a book is read at every key press.
    static Memo<std::string, Tried> known;
    const Operator& op = *operators->find(computed.block->subject);
    const Tree& tree = *computed.entry->compute;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}{}\n{}", computed.block->source, computed.entry->name,
                    tree.span.begin, op.signature(), op.body(), textOfAll(tree, *operators));
    known.beginRound(1024);
    Tried out = *known.answer(key, [&] { return tried(computed, operators); });
    if (out.wrong)
        out.wrong->at({file, {}, tree.span.line, tree.span.column});
    if (agreed != nullptr)
        *agreed = out.agreed;
    return out.wrong;
}

} // namespace fw
