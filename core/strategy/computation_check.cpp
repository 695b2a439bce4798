// Own computations against their operators, on small random calls.
#include "strategy/computation.h"

#include "base/hash.h"
#include "strategy/guarded_calls.h"
#include "strategy/loop_trial.h"
#include "strategy/special_values.h"
#include "tensor/disagreement.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

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

Tried tried(const ComputedEntry& computed, const std::shared_ptr<const OperatorSet>& operators) {
    const ImplementationsTree& block = *computed.block;
    const Operator& op = *operators->find(block.subject);
    const std::string& name = computed.entry->name;
    const auto signature =
        block.ownSignature ? SignatureTree{block.params, {}} : parseSignature(op.signature());
    if (!signature)
        return {makeDiag(DiagCode::RuleIllegal,
                         fmt::format("{} cannot be tried: its operands have no types", op.name()),
                         {}, "write a signature of your own: " + op.name() + "(x: f32[N, ...])")};
    GuardedCalls calls(computed, operators, *signature);
    std::string refusal;
    std::optional<Diag> worst;
    std::pair<bool, std::int64_t> smallest;
    int agreed = 0, run = 0;
    Random specialRandom(1);
    for (int draws = 0, found = 0;
         draws < mostDraws && (found < wantedCalls || (!worst && calls.lacksAlternatives()));
         ++draws) {
        const std::optional<DrawnCall> call = calls.draw();
        if (!call || (found >= wantedCalls && !calls.holdsWhatLacks(*call)))
            continue;
        calls.note(*call);
        // Ordinary numbers tell most.
        const auto differs = [&](const std::string& how, bool ordinary = true) {
            const std::pair size(!ordinary, call->elements);
            if (worst && smallest <= size)
                return;
            worst = makeDiag(DiagCode::OutputsDiffer,
                             fmt::format("{} is not what {} computes: for {} {}", name, op.name(),
                                         call->text, how));
            smallest = size;
        };
        const auto refuses = [&](const Diag& diag) { // it is not asked for such a call
            if (refusal.empty())
                refusal = fmt::format("{} (for {})", diag.message, call->text);
        };
        const auto own = computationGraph(computed, {call->graph.get(), call->node, {}});
        if (!own && own.diag().code == DiagCode::OutputsDiffer)
            differs(own.diag().message);
        else if (!own)
            refuses(own.diag());
        std::optional<std::string> special;
        for (const bool whole : {true, false}) {
            const std::vector<TensorData> operands = calls.operands(*call, whole);
            BoundedOptions options;
            options.sharp = true;
            options.most = std::int64_t(1) << 24;
            AgreementOptions agreement;
            agreement.sharp = true;
            const auto wanted = evaluateGraphBounded(*call->graph, operands, options);
            if (!own || !wanted)
                break;
            const auto got = evaluateGraphBounded(
                **own, operandsOf(*call->graph, *call->node, operands), options);
            if (!got) {
                refuses(got.diag());
                break;
            }
            if (const auto where = disagreementOf(*call->graph, *got, *wanted, agreement)) {
                differs(where->text("its result"));
                break;
            }
            if (whole && call->sure)
                special = differenceAtSpecialValues(*call->graph, *call->node, **own, operands,
                                                    specialRandom);
            agreed += !whole && !special;
            found += !whole;
        }
        if (special)
            differs(*special, false);
        if (own && !worst && run++ < mostLoops)
            if (auto wrong = wrongLoops(computed, *call))
                return {std::move(wrong), agreed};
        found += worst.has_value();
    }
    if (worst || agreed > 0)
        return {worst, agreed};
    return {makeDiag(
        DiagCode::RuleIllegal,
        fmt::format("{} was not tried: {}", name,
                    !refusal.empty() ? refusal
                    : calls.neverHeld().empty()
                        ? "no call was found that its condition lets through"
                        : fmt::format("{} held for none of {} calls, with operands of f32, "
                                      "f64 and i64, constant or not, of ranks 0 to 6",
                                      calls.neverHeld(), mostDraws)),
        {}, "say in `when` for which calls it is")};
}

} // namespace

std::optional<Diag> disagreement(const ComputedEntry& computed,
                                 std::shared_ptr<const OperatorSet> operators,
                                 const std::string& file, int* agreed) {
    // What was tried, by its text: a book is read at every key press.
    static std::mutex mutex;
    static std::map<Hash, Tried> known;
    const Operator& op = *operators->find(computed.block->subject);
    const Tree& tree = *computed.entry->compute;
    const Hash key = hashOf(fmt::format("{}\n{}\n{}\n{}{}\n{}", computed.block->source,
                                        computed.entry->name, tree.span.begin, op.signature(),
                                        op.body(), textOfAll(tree, *operators)));
    Tried out;
    {
        const std::lock_guard lock(mutex);
        if (known.size() > 1024)
            known.clear();
        if (const auto found = known.find(key); found != known.end())
            out = found->second;
        else
            out = known[key] = tried(computed, operators);
    }
    if (out.wrong)
        out.wrong->at({file, {}, tree.span.line, tree.span.column});
    if (agreed != nullptr)
        *agreed = out.agreed;
    return out.wrong;
}

} // namespace fw
