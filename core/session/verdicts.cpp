#include "session/verdicts.h"

#include "session/operator_remarks.h"
#include "session/remembered_trials.h"
#include "session/rule_orders.h"
#include "strategy/computation.h"
#include "strategy/loop_trial.h"
#include "tensor/op_check.h"
#include "verdict/hidden.h"
#include "verdict/termination.h"
#include "verdict/verdict.h"
#include "verdict/with_values.h"

#include <fmt/format.h>

#include <atomic>
#include <system_error>
#include <thread>

namespace fw {

namespace {

using namespace snapshot;

// On how many calls a declaration that was accepted was tried; nothing if it is of no kind that is.
std::optional<std::int64_t> trialsOf(const DeclarationTree& declaration,
                                     const OperatorSet& operators, const std::string& file) {
    std::optional<std::int64_t> out;
    byKind(
        declaration,
        [&](const OpTree& op) {
            if (op.standsForCalls())
                return;
            OperatorTrials trials;
            (void)checkOperator(op, file, &trials);
            out = trials.fitting;
        },
        [&](const ImplementationsTree& block) {
            const std::shared_ptr<const OperatorSet> borrowed(std::shared_ptr<void>(), &operators);
            for (const EntryTree& entry : block.entries)
                if (entry.compute) {
                    int agreed = 0;
                    (void)disagreement({&entry, &block}, borrowed, file, &agreed);
                    out = out.value_or(0) + agreed;
                }
        });
    return out;
}

constexpr std::uint64_t trialSeed = 1;

RuleTrial trialOf(const std::shared_ptr<const RuleTree>& rule, const Books& books,
                  const CancelToken& cancel) {
    return remembered(rule->source + "\n" + textsAround(books), cancel, [&] {
        return tryRule(rule, books.rules, books.operators, trialSeed, cancel);
    });
}

std::optional<HiddenBy> hiddenRule(const std::shared_ptr<const RuleTree>& rule, const Books& books,
                                   const CancelToken& cancel) {
    std::string texts = textsAround(books);
    for (const auto& entry : books.rules.entries) {
        texts += "\n" + entry->source;
        if (entry == rule)
            return remembered(texts, {}, [&] {
                const RuleTrial tried = trialOf(rule, books, cancel);
                return hiddenBy(rule, books.rules, books.operators, trialSeed, &tried);
            });
    }
    return std::nullopt;
}

// By rules that are asked before it wherever it is asked, and of its library or of none.
std::optional<HiddenBy> hiddenFuse(const std::shared_ptr<const FuseTree>& fuse,
                                   const Books& books) {
    std::string texts = textsAround(books);
    std::vector<const RuleTree*> earlier;
    for (const FuseRule& one : books.fusion.fuseRules()) {
        texts += "\n" + one.tree->source;
        if (one.tree == fuse)
            return remembered(texts, {}, [&] {
                return hiddenBy(fuse->rule, earlier, books.fusion.patterns(), books.operators);
            });
        if (one.tree->targets.empty() &&
            (one.tree->library.empty() || one.tree->library == fuse->library))
            earlier.push_back(&one.tree->rule);
    }
    return std::nullopt;
}

void tellHidden(const DeclarationPtr& declaration, const Books& books, const Where& where,
                const CancelToken& cancel, CheckItem& row) {
    std::optional<HiddenBy> hidden;
    byKind(
        declaration,
        [&](const std::shared_ptr<const FuseTree>& fuse) { hidden = hiddenFuse(fuse, books); },
        [&](const std::shared_ptr<const RuleTree>& rule) {
            hidden = hiddenRule(rule, books, cancel);
        });
    if (hidden)
        row.diagnostics.push_back(makeWarning(
            DiagCode::RuleIllegal,
            fmt::format("{} leaves nothing for {}: it took a part of the match at each of {} small "
                        "graphs",
                        hidden->name, declaration->name, hidden->graphs),
            where, fmt::format("put {} before {}", declaration->name, hidden->name)));
}

// A rule that is accepted computes what it replaces wherever it was tried.
void tryRuleOf(const std::shared_ptr<const RuleTree>& rule, const Books& books, const Where& where,
               const CancelToken& cancel, CheckItem& row) {
    const RuleTrial trial = trialOf(rule, books, cancel);
    row.trials = trial.cases;
    row.proofs = trial.proved;
    row.verdict = trial.verdict();
    for (const auto& [what, difference] : trial.butFor)
        row.butFor.push_back({std::string(butForText(what)), difference});
    if (!trial.untried.empty()) {
        Diag remark = makeWarning(DiagCode::RuleIllegal,
                                  fmt::format("{} was not tried: {}", rule->name, trial.untried),
                                  where, "a test of it in the book shows where it acts");
        remark.severity = Severity::Note;
        row.diagnostics.push_back(std::move(remark));
    }
    if (!trial.wrong)
        return;
    row.butFor.clear();
    row.counterexample = withValues(*trial.wrong->before, trial.wrong->inputs);
    if (trial.wrong->after)
        row.becomes = withValues(*trial.wrong->after, trial.wrong->inputs);
    Diag told = makeWarning(DiagCode::OutputsDiffer,
                            fmt::format("{} {}", rule->name, trial.wrong->difference), where,
                            "mend the right side, or keep such graphs out behind where");
    if (rule->changes) {
        told.message += ", as asked";
        told.hint.clear();
        told.severity = Severity::Note;
    }
    row.diagnostics.push_back(std::move(told));
}

// What the schedule is for: what it says, and what blocks with an entry that names it are for.
std::vector<LoopSubject> subjectsOf(const ScheduleTree& schedule, const Books& books) {
    std::vector<LoopSubject> out;
    if (schedule.subjectKind)
        out.push_back({*schedule.subjectKind, schedule.subject});
    for (const StrategyBlock& block : books.strategy.blocks())
        for (const EntryTree& entry : block.tree->entries)
            if (entry.code == scheduleCode(schedule.name) && !entry.compute)
                out.push_back({block.tree->subjectKind, block.tree->subject});
    return out;
}

// The loops of an operator or a schedule that was accepted reach no further than their tensors.
// Places in what is remembered are those of the declaration's own text.
struct WithLoops { // one of them
    std::shared_ptr<const OpTree> op;
    std::shared_ptr<const ScheduleTree> schedule;
};
void tryLoops(const WithLoops& one, const Books& books, const Where& where, CheckItem& row) {
    const auto& [op, schedule] = one;
    if (op && op->standsForCalls())
        return;
    const DeclarationTree& declaration = op ? static_cast<const DeclarationTree&>(*op) : *schedule;
    std::string texts = declaration.source; // an operator's loops are those of its own text
    std::vector<LoopSubject> subjects;
    if (schedule) {
        subjects = subjectsOf(*schedule, books);
        texts += "\n" + books.operatorText;
    }
    for (const LoopSubject& subject : subjects)
        texts += "\n" + subject.name;
    LoopTrial trial = remembered(texts, {}, [&] {
        LoopTrial made = one.op ? tryLoopsOf(*one.op, where.file, books.operators)
                                : tryLoopsOf({one.schedule, where.file}, subjects, books.operators);
        if (made.wrong && made.wrong->where.line > 0)
            made.wrong->where.line -= declaration.span.line;
        return made;
    });
    if (!trial.wrong)
        return;
    const bool ofStep = trial.wrong->where.column > 0;
    trial.wrong->where = {where.file,
                          {},
                          ofStep ? declaration.span.line + trial.wrong->where.line : where.line,
                          ofStep ? trial.wrong->where.column : where.column};
    row.verdict = "refused";
    row.diagnostics.push_back(std::move(*trial.wrong));
}

// Of the rules of one book that nothing shows to end, with those before them: a remark each.
std::map<const DeclarationTree*, Diag> remarksOnEnding(const Books& books, const std::string& file,
                                                       const CancelToken& cancel) {
    std::vector<std::shared_ptr<const RuleTree>> rules;
    std::string texts = textsAround(books);
    for (const ReadBook& book : books.read)
        for (auto& rule : each<RuleTree>(book.declarations)) {
            texts += "\n" + rule->source;
            rules.push_back(std::move(rule));
        }
    std::map<const DeclarationTree*, Diag> out;
    for (const NotShownToEnd& one : remembered(
             texts, cancel, [&] { return notShownToEnd(rules, books.rules.table(), cancel); })) {
        const auto& rule = rules[one.rule];
        Diag remark = makeWarning(
            DiagCode::RuleLimit,
            one.alone
                ? fmt::format("nothing shows that {} ends: it may match what it made", rule->name)
            : one.beside.empty()
                ? fmt::format("nothing shows that {} ends beside the rules before it", rule->name)
                : fmt::format("nothing shows that {} and {} end beside each other", rule->name,
                              one.beside),
            {file, {}, rule->span.line, rule->span.column},
            "strategy sweep or once ends it; else what comes back, or grows, is stopped");
        remark.severity = Severity::Note;
        out.emplace(rule.get(), std::move(remark));
    }
    return out;
}

} // namespace

// Beside who judges a book: which rules it matters for that they are asked in order, from the first
// on, since what was drawn for one is not drawn for those behind it; then its rules are tried, the
// last ones first, until both meet.
class TriedAhead {
public:
    TriedAhead(const Books& books, const std::string& file, Verdicts::Order order,
               const CancelToken& cancel) {
        std::vector<std::shared_ptr<const RuleTree>> rules;
        for (const ReadBook& book : books.read)
            for (auto& rule : each<RuleTree>(book.declarations))
                if (book.file == file &&
                    std::find(books.rules.entries.begin(), books.rules.entries.end(), rule) !=
                        books.rules.entries.end())
                    rules.push_back(std::move(rule));
        if (rules.size() < 2 || std::thread::hardware_concurrency() < 2)
            return;
        const auto work = [this, &books, file, order, cancel, rules = std::move(rules)] {
            RuleOrders orders(books, file);
            for (auto rule = rules.begin();
                 order == Verdicts::Order::Tell && rule != rules.end() && !m_enough; ++rule)
                notThrowing([&] {
                    CheckItem row;
                    orders.tell(*rule, cancel, row);
                });
            for (auto rule = rules.rbegin(); rule != rules.rend() && !m_enough; ++rule)
                notThrowing([&] { trialOf(*rule, books, cancel); });
        };
        // Where no thread is to be had, who judges does it all.
        notThrowing([&] { m_thread = std::thread([work] { notThrowing(work); }); });
    }
    ~TriedAhead() {
        m_enough = true;
        if (m_thread.joinable())
            m_thread.join();
    }
    TriedAhead(const TriedAhead&) = delete;
    TriedAhead& operator=(const TriedAhead&) = delete;

private:
    // Whether it came to its end; why not, whoever judges is told, of memory, too.
    template <class Work>
    static bool notThrowing(const Work& work) {
        try {
            work();
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    std::atomic<bool> m_enough{false};
    std::thread m_thread;
};

struct Verdicts::Known {
    const Books& books;
    std::string file;
    Order order = Order::Tell;
    CancelToken cancel;
    std::map<const DeclarationTree*, Diag> endings;
    std::unique_ptr<RuleOrders> orders; // once one is asked for
    std::unique_ptr<TriedAhead> ahead;
};

Verdicts::Verdicts(const Books& books, const std::string& file, Order order,
                   const CancelToken& cancel)
    : m_known(std::make_unique<Known>(
          Known{books, file, order, cancel, remarksOnEnding(books, file, cancel), {}, {}})) {
    m_known->ahead = std::make_unique<TriedAhead>(books, file, order, cancel);
}

Verdicts::~Verdicts() = default;

void Verdicts::judge(const DeclarationPtr& declaration, CheckItem& row) const {
    try {
        judgeOne(declaration, row);
    } catch (const InternalError& error) { // the others get their verdicts
        row.verdict = RuleTrial().verdict();
        row.diagnostics.push_back(makeDiag(DiagCode::Internal, error.what(),
                                           {m_known->file, {}, row.line, row.column},
                                           "this is a mistake of the program, please report it"));
    }
}

void Verdicts::judgeOne(const DeclarationPtr& declaration, CheckItem& row) const {
    const Books& books = m_known->books;
    const Where where{m_known->file, {}, row.line, row.column};
    row.trials = trialsOf(*declaration, *books.operators, m_known->file);
    std::shared_ptr<const RuleTree> rule;
    byKind(
        declaration,
        [&](const std::shared_ptr<const OpTree>& op) {
            tryLoops({op, nullptr}, books, where, row);
            remarkOnOperator(*op, *books.operators, m_known->file, row);
        },
        [&](const std::shared_ptr<const ScheduleTree>& schedule) {
            tryLoops({nullptr, schedule}, books, where, row);
        },
        [&](const std::shared_ptr<const RuleTree>& one) {
            rule = one;
            tryRuleOf(rule, books, where, m_known->cancel, row);
        });
    if (stands(row)) {
        tellHidden(declaration, books, where, m_known->cancel, row);
        if (m_known->order == Order::Tell && rule) {
            if (!m_known->orders)
                m_known->orders = std::make_unique<RuleOrders>(books, m_known->file);
            m_known->orders->tell(rule, m_known->cancel, row);
        }
    }
    if (const auto remark = m_known->endings.find(declaration.get());
        remark != m_known->endings.end())
        row.diagnostics.push_back(remark->second);
}

} // namespace fw
