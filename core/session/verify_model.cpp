#include "session/verify_model.h"

#include "session/candidates.h"
#include "session/decision_records.h"
#include "session/fitting_pipelines.h"
#include "session/folded.h"
#include "session/rewriting.h"
#include "session/smallest_differing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

// Groups with the same operators on the same types.
struct Subject {
    const Group* group = nullptr;
    GraphPtr part;
    std::string anchor;
    std::vector<int> groups;
};

// What two parts have in common if they compute the same: everything but names and weights.
std::string structureOf(const Graph& part, NodeId anchor) {
    std::map<ValueRef, std::string> names;
    std::string out;
    for (const NodePtr& node : part.nodes()) {
        out += node->id == anchor ? "*" : "";
        out += node->op + (node->attrs.empty() ? "" : node->attrs.print()) + "(";
        for (const ValueRef& input : node->inputs)
            out += (input.valid() ? names.at(input) : "none") + ",";
        out += ")";
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            out += node->outputs[i].type.text();
            names[{node->id, static_cast<int>(i)}] = fmt::format("{}", names.size());
        }
        // Of a constant that stays as it is, the values count.
        if (node->isConstant())
            out += standIn(*node->data, ValueKind::Whole, 0) == *node->data
                       ? node->data->hash().hex()
                       : "";
        out += ";";
    }
    for (const NamedValue& result : part.results())
        out += "->" + names.at(result.value);
    return out;
}

Result<std::vector<Subject>> subjectsOf(const Graph& graph, const FusionPlan& plan) {
    std::vector<Subject> out;
    std::map<std::string, std::size_t> known;
    for (const Group& group : plan.groups) {
        if (!group.hasCode())
            continue;
        Subject subject{&group, nullptr, graph.node(group.anchor).name, {group.id}};
        FW_TRY(subject.part, graphOf(graph, {&group}));
        const Node* anchor = subject.part->findByName(subject.anchor);
        std::string key = structureOf(*subject.part, anchor == nullptr ? -1 : anchor->id);
        std::set<std::string> candidates;
        for (const Candidate& candidate : group.candidates)
            key += fmt::format("|{}:{}", candidate.implementation,
                               static_cast<int>(candidate.verdict));
        const auto [at, fresh] = known.emplace(std::move(key), out.size());
        if (fresh)
            out.push_back(std::move(subject));
        else
            out[at->second].groups.push_back(group.id);
    }
    return out;
}

bool holdsAt(const Expr& condition, const Sizes& sizes) {
    Bindings values;
    for (const auto& [name, size] : sizes)
        values.emplace(Symbol(name), size);
    const std::optional<std::int64_t> value = evalIndex(condition, values);
    return value && *value != 0;
}

// Sizes of free dimensions at which the condition holds, the least first: near the numbers that it
// names, in one dimension or in all.
std::vector<Sizes> sizesWith(const Expr& condition, const Graph& part) {
    std::set<std::int64_t> near{7, 1};
    visitExpr(condition, [&](const Expr& e) {
        if (const auto number = e.asInt(); number && *number >= 0)
            near.insert({std::max<std::int64_t>(*number - 1, 0), *number, *number + 1});
    });
    constexpr std::size_t enough = 2;
    const std::vector<Symbol> free = part.freeDims();
    std::vector<Sizes> out;
    for (const std::int64_t size : near)
        for (std::size_t one = 0; one <= free.size(); ++one) { // behind the last: all alike
            Sizes sizes;
            for (std::size_t i = 0; i < free.size(); ++i)
                sizes[std::string(free[i].text())] = i == one || one == free.size() ? size : 1;
            if (out.size() < enough && holdsAt(condition, sizes) &&
                std::find(out.begin(), out.end(), sizes) == out.end())
                out.push_back(std::move(sizes));
        }
    return out;
}

// One implementation through all values, sizes and threads.
struct Contestant {
    VerifyRow row;
    std::optional<Expr> when;       // it computes the group at these sizes only
    bool out = false;               // not compiled or already told why
    bool refused = false;           // it has no code for the group
    std::optional<Differing> shown; // the first that differs
    double worstShare = -1;
};

class Verifying {
public:
    Verifying(Pipeline& pipeline, const Arguments& arguments, const FusionPlan& plan,
              const Target& target, const Context& context, VerifyModel& out)
        : m_pipeline(pipeline), m_arguments(arguments), m_plan(plan), m_target(target),
          m_context(context), m_seed(static_cast<std::uint64_t>(arguments.seed.value_or(1))),
          m_out(out) {}

    Status run(const Subject& subject) {
        std::vector<Contestant> all;
        for (const Candidate& candidate : subject.group->candidates) {
            const bool ready = candidate.verdict != Verdict::No;
            const Decision* refused = ready ? nullptr : refusal(*subject.group, candidate);
            if (!ready && refused == nullptr && candidate.code != ReasonCode::PinAvoids)
                continue;
            Contestant one;
            one.row.group = subject.group->name;
            one.row.groups = subject.groups;
            one.row.implementation = candidate.implementation;
            one.when = candidate.when;
            one.refused = refused != nullptr;
            if (one.refused)
                leaveOut(one, refused->sentence());
            else if (!ready)
                leaveOut(
                    one,
                    Decision{{}, candidate.verdict, candidate.code, candidate.evidence}.sentence());
            all.push_back(std::move(one));
        }
        for (const ValueKind kind : {ValueKind::Whole, ValueKind::Random})
            FW_CHECK(runKind(subject, kind, all));
        for (Contestant& one : all)
            FW_CHECK(finish(one));
        return {};
    }

private:
    // It was chosen, and passed the group on.
    const Decision* refusal(const Group& group, const Candidate& candidate) const {
        if (candidate.code == ReasonCode::LoweringRefused)
            for (const Decision& notice : m_plan.notices)
                if (notice.code == candidate.code && notice.subject == group.name &&
                    notice.evidence.starts_with(candidate.implementation + ": "))
                    return &notice;
        return nullptr;
    }

    static void leaveOut(Contestant& one, const std::string& why) {
        one.out = true;
        if (one.row.reason.empty())
            one.row.reason = why;
    }

    struct Ready {
        Contestant* contestant;
        Trials trials;
    };

    Status runKind(const Subject& subject, ValueKind kind, std::vector<Contestant>& all) {
        FW_TRY(const GraphPtr part, withValues(*subject.part, kind, m_seed));
        std::vector<Ready> ready;
        for (Contestant& one : all) {
            if (one.out)
                continue;
            Result<Trials> trials =
                trialsOf(m_pipeline, part, subject.anchor, one.row.implementation, m_context);
            if (!trials) {
                if (trials.diag().code == DiagCode::Cancelled)
                    return trials.takeDiag();
                if (const std::optional<Judgement> judgement = failed(trials.diag())) {
                    record(subject, sizesOf(*part).front(), kind, one, *judgement,
                           "when it was made ready");
                    one.out = true;
                } else {
                    one.refused = trials.diag().code == DiagCode::ScheduleIllegal;
                    leaveOut(one, one.refused ? trials.diag().message : trials.diag().text());
                }
                continue;
            }
            ready.push_back({&one, trials.take()});
        }
        if (ready.empty())
            return {};
        std::vector<Sizes> choices = sizesOf(*part);
        for (const Ready& one : ready) {
            if (!one.contestant->when)
                continue;
            const std::vector<Sizes> reaching = sizesWith(*one.contestant->when, *part);
            for (const Sizes& sizes : reaching)
                if (std::find(choices.begin(), choices.end(), sizes) == choices.end())
                    choices.push_back(sizes);
            if (reaching.empty())
                leaveOut(*one.contestant, "no sizes were found at which its condition holds");
        }
        for (const Sizes& sizes : choices)
            FW_CHECK(judgeAll(subject, *part, sizes, kind, ready));
        if (kind == ValueKind::Random)
            FW_CHECK(judgeAll(subject, *part, choices.front(), ValueKind::WithNan, ready));
        return {};
    }

    // The places of a graph's nodes do not say of which file they are.
    std::string placed(Diag diag) const {
        if (diag.where.line > 0)
            diag.at({m_arguments.model});
        return diag.text();
    }

    Status judgeAll(const Subject& subject, const Graph& part, const Sizes& sizes, ValueKind kind,
                    std::vector<Ready>& ready) {
        Result<Instance> instance = instanceOf(part, sizes, kind, m_seed, m_context.cancel);
        if (!instance) {
            if (instance.diag().code == DiagCode::Cancelled)
                return instance.takeDiag();
            note(fmt::format("{} was not judged{}: {}", subject.group->name, atSizes(sizes),
                             placed(instance.diag())));
            return {};
        }
        if (instance->judged == 0 && instance->count > 0) {
            note(fmt::format("{} was not judged on {} values{}: nothing is promised of its "
                             "results there",
                             subject.group->name, kindText(kind), atSizes(sizes)));
            return {};
        }
        m_out.elements += static_cast<std::int64_t>(instance->count);
        m_out.judged += static_cast<std::int64_t>(instance->judged);
        for (Ready& one : ready)
            if (!one.contestant->when || holdsAt(*one.contestant->when, sizes))
                FW_CHECK(runOne(subject, part, *instance, one));
        return {};
    }

    Status runOne(const Subject& subject, const Graph& part, const Instance& instance, Ready& one) {
        if (m_context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the work was cancelled");
        const Result<std::vector<Trials::Trial>> trials = one.trials.on(part, instance);
        if (!trials) {
            note(fmt::format("{} by {} was not judged{}: {}", subject.group->name,
                             one.contestant->row.implementation, atSizes(instance.sizes),
                             placed(trials.diag())));
            return {};
        }
        for (const Trials::Trial& trial : *trials) {
            for (Decision decision : trial.otherwise) {
                decision.subject = fmt::format("{} by {}", subject.group->name,
                                               one.contestant->row.implementation);
                note(noticeText(decision));
            }
            record(subject, instance.sizes, instance.kind, *one.contestant, trial.judgement,
                   fmt::format("{} values, {}{}", kindText(instance.kind),
                               trial.threads == 1 ? "1 thread"
                                                  : fmt::format("{} threads", trial.threads),
                               atSizes(instance.sizes)));
        }
        return {};
    }

    void record(const Subject& subject, const Sizes& sizes, ValueKind kind, Contestant& one,
                const Judgement& judgement, const std::string& where) {
        VerifyRow& row = one.row;
        std::optional<double>& largest = kind == ValueKind::Whole ? row.integers : row.random;
        largest = std::max(largest.value_or(0), judgement.largest);
        if (kind == ValueKind::Whole)
            row.exact = row.exact && judgement.exact;
        if (judgement.share > one.worstShare) {
            one.worstShare = judgement.share;
            row.share =
                std::isfinite(judgement.share) ? std::optional(judgement.share) : std::nullopt;
            if (!judgement.worst.empty())
                row.worst = judgement.worst + "; " + where;
        }
        ++row.comparisons;
        if (!judgement.differs)
            return;
        row.differs = true;
        // Random values first: their weights are written as random(SEED).
        if (!one.shown || (one.shown->kind == ValueKind::Whole && kind == ValueKind::Random))
            one.shown = Differing{subject.part, subject.anchor, row.implementation, kind,
                                  sizes,        m_seed,         judgement.worst};
    }

    Status finish(Contestant& one) {
        VerifyRow& row = one.row;
        row.verdict = row.differs                 ? VerifyVerdict("differs")
                      : one.refused               ? VerifyVerdict("refused")
                      : row.comparisons == 0      ? VerifyVerdict("not run")
                      : row.exact && row.integers ? VerifyVerdict("exact")
                                                  : "within";
        if (row.comparisons == 0 && row.reason.empty())
            row.reason = "nothing could be compared";
        if (one.shown && !m_arguments.output.empty()) {
            m_context.report("verify", row.group + ": the smallest graph that shows it");
            FW_TRY(const Differing smallest, smallestOf(m_pipeline, *one.shown, m_context));
            const std::string name = row.group + "_" + row.implementation;
            std::string with;
            for (const std::string& book : m_arguments.rules)
                with += fmt::format(" --rules \"{}\"", book);
            for (const std::string& book : m_arguments.without)
                with += fmt::format(" --without {}", book);
            if (m_seed != 1)
                with += fmt::format(" --seed {}", m_seed);
            FW_TRY(
                row.file,
                writeDiffering(
                    smallest, m_arguments.output, name,
                    {fmt::format("{} differs from the reference, {} values{}:", row.implementation,
                                 kindText(smallest.kind), atSizes(smallest.sizes)),
                     smallest.worst,
                     fmt::format("fw verify {}.fw --target \"{}\"{}", name, m_target.text, with)}));
        }
        if (!one.refused)
            ++(row.verdict == "differs"   ? m_out.differing
               : row.verdict == "not run" ? m_out.notRun
                                          : m_out.agreeing);
        m_out.rows.push_back(row);
        return {};
    }

    static std::string atSizes(const Sizes& sizes) {
        return sizes.empty() ? std::string() : " at " + sizesText(sizes);
    }

    void note(std::string text) {
        if (std::find(m_out.notices.begin(), m_out.notices.end(), text) == m_out.notices.end())
            m_out.notices.push_back(std::move(text));
    }

    Pipeline& m_pipeline;
    const Arguments& m_arguments;
    const FusionPlan& m_plan;
    const Target& m_target;
    const Context& m_context;
    std::uint64_t m_seed;
    VerifyModel& m_out;
};

} // namespace

Result<VerifyModel> verifyModel(Pipeline& given, const Arguments& arguments,
                                const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    FittingPipelines fitting(given);
    Pipeline& pipeline = fitting.of(arguments, context);
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    VerifyModel out;
    out.model = arguments.model;
    out.notices = refutedNotices(*source);
    FW_TRY(const std::vector<Subject> subjects, subjectsOf(*source->graph, *plan));
    Verifying verifying(pipeline, arguments, *plan, *target, context, out);
    std::size_t done = 0;
    for (const Subject& subject : subjects) {
        context.report("verify", subject.group->name, done++, subjects.size());
        FW_CHECK(verifying.run(subject));
    }
    FW_TRY(const Imported* imported, pipeline.imported(context));
    FW_TRY(std::vector<VerifyRow> folded,
           verifyFolded(imported->inlined, source->trace.applications, pipeline, context,
                        out.notices));
    for (VerifyRow& row : folded) {
        out.differing += row.differs; // those that agree are no implementations
        out.rows.push_back(std::move(row));
    }
    out.groups = static_cast<std::int64_t>(subjects.size());
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

} // namespace fw
