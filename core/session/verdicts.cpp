#include "session/verdicts.h"

#include "base/cache_folder.h"
#include "base/files.h"
#include "session/operator_remarks.h"
#include "strategy/computation.h"
#include "strategy/loop_trial.h"
#include "tensor/op_check.h"
#include "verdict/critical.h"
#include "verdict/hidden.h"
#include "verdict/termination.h"
#include "verdict/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
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

// What small graphs say, by the texts that it depends on: a book is checked at every pause in
// typing. Of two threads that ask for the same the second waits for the first.
template <class Make>
auto remembered(const std::string& texts, const CancelToken& cancel, Make make) {
    using Out = decltype(make());
    static std::mutex mutex;
    static std::map<Hash, std::shared_future<Out>> known;
    const Hash key = hashOf(texts);
    std::promise<Out> promise;
    std::shared_future<Out> answer;
    bool isNew = false;
    {
        const std::lock_guard lock(mutex);
        if (known.size() > 1024)
            known.clear();
        const auto found = known.try_emplace(key);
        isNew = found.second;
        if (isNew)
            found.first->second = promise.get_future().share();
        answer = found.first->second;
    }
    if (!isNew)
        return answer.get();
    const auto forget = [&] {
        const std::lock_guard lock(mutex);
        known.erase(key);
    };
    try {
        promise.set_value(make());
    } catch (...) {
        forget();
        promise.set_exception(std::current_exception());
    }
    if (cancel.cancelled())
        forget();
    return answer.get();
}

// What every trial depends on.
std::string textsAround(const Books& books) {
    std::string out = books.operatorText;
    for (const auto& pattern : books.rules.patterns)
        out += "\n" + pattern->source;
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
    row.diagnostics.push_back(makeWarning(
        DiagCode::OutputsDiffer, fmt::format("{} {}", rule->name, trial.wrong->difference), where,
        "mend the right side, or keep such graphs out behind where"));
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

// The rules of a book laid over one another, within a limit for all of them together: of a hundred
// that are alike there are five thousand pairs.
class Orders {
public:
    Orders(const Books& books, std::string file)
        : m_books(books), m_file(std::move(file)), m_pairs(books.rules, books.operators) {
        std::string texts = textsAround(books);
        for (const auto& entry : books.rules.entries)
            texts += "\n" + entry->source;
        m_texts = hashOf(texts).hex();
    }

    // One remark on the rules with which a rule comes to different graphs, whichever acts first. Of
    // two in one book the later one has it.
    void tell(const std::shared_ptr<const RuleTree>& rule, const CancelToken& cancel,
              CheckItem& row) {
        const Asked asked =
            remembered(fmt::format("{}\n{}\n{}\n{}", m_texts, m_file, m_left, rule->source), cancel,
                       [&] { return ask(rule, cancel); });
        m_left -= asked.drawn;
        const Where where{m_file, {}, row.line, row.column};
        const auto remark = [&](std::string said, std::string advice) {
            Diag out = makeWarning(DiagCode::RuleOrder, std::move(said), where, std::move(advice));
            out.severity = Severity::Note;
            row.diagnostics.push_back(std::move(out));
        };
        if (!asked.others.empty())
            remark(fmt::format("{} and {} leave different graphs where both match: the one that is "
                               "asked first decides",
                               rule->name, fmt::join(asked.others, ", ")),
                   "fw rules tells the order");
        if (asked.left > 0)
            remark(fmt::format("whether {} and {} others leave different graphs where both match "
                               "was not tried: {} pairs of rules that want some of the same "
                               "operators are tried in a book",
                               rule->name, asked.left, mostPairs),
                   "put the rules of one subject into a book of their own");
    }

private:
    static constexpr std::size_t mostPairs = 300;
    struct Asked {
        std::vector<std::string> others;
        std::size_t drawn = 0, left = 0; // pairs
    };

    Asked ask(const std::shared_ptr<const RuleTree>& rule, const CancelToken& cancel) {
        Asked out;
        bool behind = false;
        for (const auto& other : each<RuleTree>(m_books.rules.entries)) {
            behind = behind || other == rule;
            if (other == rule || cancel.cancelled())
                continue;
            const auto from = m_books.rules.files.find(other.get());
            const bool sameBook = from != m_books.rules.files.end() && from->second == m_file;
            if ((behind && sameBook) || !m_pairs.overlap(rule, other))
                continue;
            if (out.drawn == m_left) {
                ++out.left;
                continue;
            }
            ++out.drawn;
            if (m_pairs.of(rule, other, cancel))
                out.others.push_back(other->name);
        }
        return out;
    }

    const Books& m_books;
    const std::string m_file;
    std::string m_texts;
    CriticalPairs m_pairs;
    std::size_t m_left = mostPairs;
};

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

namespace {

// What small graphs say of a rule, from process to process: a file each. A file that is not as it
// was written is none.
class VerdictFiles {
public:
    static std::optional<std::string> find(const Hash& key) {
        constexpr std::uint64_t largest = 64 << 10;
        const std::string file = fileOf(key);
        const Result<std::string> text =
            file.empty() ? Result<std::string>(std::string()) : readFile(file, largest);
        if (!text || !text->starts_with(head) || !text->ends_with(tail))
            return std::nullopt;
        return text->substr(head.size(), text->size() - head.size() - tail.size());
    }

    static void add(const Hash& key, const std::string& said) {
        const std::string file = fileOf(key);
        if (file.empty())
            return;
        std::error_code error;
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        std::filesystem::create_directories(folder, error);
        if (error) // without a folder, or with a full disk, less is remembered
            return;
        (void)writeFile(file, std::string(head) + said + std::string(tail), Durability::Cache);
        if (key.low % 64 == 0)
            removeOld(folder);
    }

private:
    static constexpr std::string_view head = "fusewright verdict\n", tail = "\n.\n";

    // Texts that are typed leave a file each.
    static void removeOld(const std::filesystem::path& folder) {
        const auto least = std::filesystem::file_time_type::clock::now() - std::chrono::days(30);
        std::error_code error;
        std::vector<std::filesystem::path> old;
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (std::error_code wrong; entry.last_write_time(wrong) < least && !wrong)
                old.push_back(entry.path());
        for (const auto& one : old)
            std::filesystem::remove(one, error);
    }

    static std::string fileOf(const Hash& key) {
        const std::string folder = cacheFolder("verdicts");
        return folder.empty() ? folder
                              : (std::filesystem::path(folder) / (key.hex() + ".txt")).string();
    }
};

// Counts up when what is drawn or compared changes.
constexpr std::string_view trialVersion = "9";

// How a rule differs from what it replaces; empty: it is not refuted.
std::string refutationOf(const std::shared_ptr<const RuleTree>& rule, const Books& books,
                         const CancelToken& cancel) {
    std::string texts =
        fmt::format("refuted {}\n{}\n{}", trialVersion, rule->source, textsAround(books));
    for (const ShippedText& shipped : shippedTexts())
        texts += shipped.text;
    return remembered(texts, cancel, [&]() -> std::string {
        const Hash key = hashOf(texts);
        if (auto known = VerdictFiles::find(key))
            return *known;
        const RuleTrial trial =
            tryRule(rule, books.rules, books.operators, 1, cancel, Proofs::Leave);
        const std::string out = trial.wrong ? trial.wrong->difference : std::string();
        if (!cancel.cancelled())
            VerdictFiles::add(key, out);
        return out;
    });
}

} // namespace

Decisions refutedRules(const Books& books, const RewriteTrace& trace, const CancelToken& cancel) {
    Decisions out;
    for (std::size_t i = 0; i < trace.applied.size() && i < books.rules.entries.size(); ++i) {
        const auto rule = books.rules.ruleAt(i);
        const AppliedRule& applied = trace.applied[i];
        if (!rule || applied.count == 0 || applied.file.empty() || isShippedBook(applied.file) ||
            cancel.cancelled())
            continue;
        if (const std::string how = refutationOf(rule, books, cancel); !how.empty())
            out.push_back({rule->name, Verdict::Note, ReasonCode::RuleRefuted,
                           fmt::format("on a small graph it {} ({}:{}; fw check shows the graph)",
                                       how, applied.file, applied.line)});
    }
    return out;
}

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
            Orders orders(books, file);
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
    std::unique_ptr<Orders> orders; // once one is asked for
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
                m_known->orders = std::make_unique<Orders>(books, m_known->file);
            m_known->orders->tell(rule, m_known->cancel, row);
        }
    }
    if (const auto remark = m_known->endings.find(declaration.get());
        remark != m_known->endings.end())
        row.diagnostics.push_back(remark->second);
}

} // namespace fw
