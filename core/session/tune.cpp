#include "session/tune.h"

#include "base/hash.h"
#include "onnx/model/names.h"
#include "runtime/cpu.h"
#include "session/candidates.h"
#include "session/contests.h"
#include "session/group_times.h"
#include "session/implementation_race.h"
#include "session/judgement.h"
#include "session/size_search.h"
#include "session/tuning_text.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <set>

namespace fw {

namespace {

using namespace snapshot;

const Candidate* candidateOf(const Group& group, const std::string& name) {
    for (const Candidate& candidate : group.candidates)
        if (candidate.implementation == name)
            return &candidate;
    return nullptr;
}

// A part of the workloads, told by their texts alone: whatever the logs and the order of others
// say, no two shards have one in common, and all of them together have each.
struct Shard {
    std::uint64_t index = 0, count = 1;

    bool has(const std::string& workload) const {
        return count == 1 || hashOf(workload).low % count == index;
    }
};

Result<Shard> parseShard(const std::string& text) {
    if (text.empty())
        return Shard();
    constexpr std::uint64_t most = 1'000'000;
    Shard out;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, out.index);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
        const auto second = std::from_chars(first.ptr + 1, end, out.count);
        if (second.ec == std::errc() && second.ptr == end && out.index >= 1 &&
            out.index <= out.count && out.count <= most) {
            --out.index;
            return out;
        }
    }
    return makeDiag(
        DiagCode::Usage,
        fmt::format("--shard {} is no part: I/N, with I from 1 to N and N up to {}", text, most));
}

class Tuning {
public:
    Tuning(Pipeline& pipeline, const Graph& graph, const FusionPlan& plan,
           const Arguments& arguments, const Context& context, TuneDocument& out)
        : m_pipeline(pipeline), m_graph(graph), m_plan(plan), m_arguments(arguments),
          m_context(context), m_out(out) {}

    Status measure(const Contest& contest, const std::map<std::string, SizeRange>& ranges,
                   std::size_t done, std::size_t all) {
        tell(contest.name, done, all);
        RunningContest run{contest};
        FW_CHECK(compile(run));
        if (contest.dim.empty()) {
            FW_CHECK(measureAt(run, 0));
        } else {
            for (const std::int64_t size : firstSizes(run, ranges.at(contest.dim)))
                FW_CHECK(measureAt(run, size, done, all));
            while (run.measured.size() < mostSizes) {
                const std::optional<std::int64_t> size = nextSize(run);
                if (!size)
                    break;
                FW_CHECK(measureAt(run, *size, done, all));
            }
        }
        sum(run);
        return {};
    }

    // Operators that the plan has as one are faster apart, or the other way round.
    bool regrouped() const { return m_regrouped; }

private:
    static constexpr std::size_t mostSizes = 40; // of one workload
    static constexpr std::size_t leastTried = 3; // ways of one workload
    static constexpr double compileSeconds = 5;  // of one workload, after which no more are tried

    // What is measured now, and what all that was measured takes as it was and at best.
    void tell(const std::string& what, std::size_t done, std::size_t all) const {
        m_context.report("tune",
                         m_out.measured == 0
                             ? what
                             : fmt::format("{} ({:.3f} ms before, {:.3f} ms at best so far)", what,
                                           m_out.beforeMs, m_out.afterMs),
                         done, all);
    }

    // One way to compute what the contest is about.
    Result<Apart> compiled(const Contest& contest, const std::string& way, const ApartRuns& runs) {
        if (contest.next != nullptr && way == apartFromEachOther) {
            FW_TRY(const PlanOptions options, m_pipeline.planOptions());
            return m_pipeline.apart(m_part, options, m_context, runs);
        }
        if (contest.next != nullptr)
            return plannedTogether(m_pipeline, m_part, m_graph, contest, way, m_context, runs);
        if (way == apartFromEachOther)
            return plannedApart(m_pipeline, m_part, m_context, runs);
        return candidateApart(m_pipeline, m_part, m_graph.node(contest.group->anchor).name, way,
                              "tune", m_context, runs);
    }

    Status compile(RunningContest& run) {
        const Contest& contest = run.contest;
        std::vector<const Group*> groups{contest.group};
        if (contest.next != nullptr)
            groups.push_back(contest.next);
        FW_TRY(m_part, graphOf(m_graph, groups));
        const ApartRuns runs{.border = borderOf(m_graph, m_plan, *m_part)};
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < contest.ways.size(); ++i) {
            const std::string& name = contest.ways[i];
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            if (i >= leastTried && took.count() > compileSeconds) {
                m_out.notices.push_back(fmt::format(
                    "{}: {} of {} ways were not tried, since compiling the others, "
                    "which should be faster, took {:.1f} s",
                    contest.name, contest.ways.size() - i, contest.ways.size(), took.count()));
                break;
            }
            Result<Apart> made = compiled(contest, name, runs);
            if (!made) {
                if (made.diag().code == DiagCode::Cancelled)
                    return made.takeDiag();
                if (made.diag().code != DiagCode::ScheduleIllegal) // it is no candidate here
                    m_out.notices.push_back(fmt::format("{} by {} was not measured: {}",
                                                        contest.name, name, made.diag().text()));
                continue;
            }
            const Candidate* candidate = candidateOf(*contest.group, name);
            run.contenders.push_back(
                {{name, made.take(), {}}, candidate != nullptr ? candidate->when : std::nullopt});
        }
        return {};
    }

    Status measureAt(RunningContest& run, std::int64_t size, std::size_t done = 0,
                     std::size_t all = 0) {
        const Contest& contest = run.contest;
        std::map<std::string, std::int64_t> sizes;
        if (!contest.dim.empty()) {
            sizes.emplace(contest.dim, size);
            tell(fmt::format("{}, {} = {}", contest.name, contest.dim, size), done, all);
        }
        const std::string chosen = chosenAt(contest, size);
        std::vector<Contender*> ready;
        for (Guarded& one : run.contenders)
            if (!one.wrong && holdsAt(one.when, contest.dim, size))
                ready.push_back(&one.contender);
        // What the others are compared with comes first.
        std::stable_partition(ready.begin(), ready.end(),
                              [&](const Contender* one) { return one->implementation == chosen; });
        FW_CHECK(setInputs(run, sizes, ready));
        for (Contender* one : ready)
            one->raced = false;
        const Status raced =
            race(ready, chosen, {.seconds = m_arguments.seconds.value_or(0.5)}, m_context);
        if (!raced && raced.diag().code != DiagCode::Cancelled)
            return raced;
        // Of one that was cancelled, too, what was measured is kept.
        std::vector<TuningRecord> records;
        for (const Contender* one : ready)
            if (raced || one->raced)
                records.push_back({contest.workload, one->implementation, one->time.median(),
                                   contest.name, one->disturbed(), contest.dim, size});
        FW_CHECK(appendTuningLog(m_out.log, records));
        if (m_arguments.kind == tellsRecords)
            m_context.report(tellsRecords, tuningText(records));
        if (raced)
            report(run, size, chosen, ready);
        return raced;
    }

    // Leaves out those that compute something else. Where all agree that is what they should: only
    // where they do not the reference is asked, which takes longer than all of them.
    Status setInputs(RunningContest& run, const std::map<std::string, std::int64_t>& sizes,
                     std::vector<Contender*>& ready) {
        std::vector<TensorData> operands, wanted;
        std::map<std::string, std::string> wrong; // what is seen of it
        for (Contender* one : ready) {
            LoadedModule& module = *one->apart.module;
            if (operands.empty()) {
                FW_TRY(operands,
                       module.randomInputs(static_cast<std::uint64_t>(m_arguments.seed.value_or(1)),
                                           sizes));
            }
            FW_TRY(const std::vector<TensorData> got, module.run(operands));
            if (wanted.empty())
                wanted = got;
            if (!sameOutputs(*m_part, got, wanted))
                wrong.emplace(one->implementation,
                              "something else than by " + ready.front()->implementation);
        }
        if (!wrong.empty())
            FW_CHECK(askReference(sizes, ready, wrong));
        for (const auto& [implementation, what] : wrong)
            m_out.notices.push_back(fmt::format("{} by {} computes {}: it is not measured",
                                                run.contest.name, implementation, what));
        std::erase_if(ready,
                      [&](const Contender* one) { return wrong.contains(one->implementation); });
        for (Guarded& one : run.contenders)
            one.wrong = one.wrong || wrong.contains(one.contender.implementation);
        for (Contender* one : ready)
            FW_CHECK(one->apart.module->setInputs(operands));
        return {};
    }

    // Puts those that differ from the reference into `wrong`; where it has no answer those stay
    // that differ from the first.
    Status askReference(const std::map<std::string, std::int64_t>& sizes,
                        const std::vector<Contender*>& ready,
                        std::map<std::string, std::string>& wrong) {
        const Result<Instance> instance =
            instanceOf(*m_part, sizes, ValueKind::Random,
                       static_cast<std::uint64_t>(m_arguments.seed.value_or(1)), m_context.cancel);
        if (!instance && instance.diag().code == DiagCode::Cancelled)
            return instance.diag();
        if (!instance || instance->judged == 0)
            return {};
        std::map<std::string, std::string> differing;
        for (Contender* one : ready) {
            FW_TRY(const std::vector<TensorData> got, one->apart.module->run(instance->inputs));
            const Judgement judgement =
                judge(*m_part, *instance, got, measureOf(one->apart.module->executor().program()));
            if (judgement.differs)
                differing.emplace(one->implementation, judgement.worst);
        }
        if (!differing.empty()) // else what was seen lies where the reference was not asked
            wrong = std::move(differing);
        return {};
    }

    void report(RunningContest& run, std::int64_t size, const std::string& chosen,
                const std::vector<Contender*>& ready) {
        const Contest& contest = run.contest;
        MeasuredSize& here = run.measured[size];
        const auto before = std::find_if(ready.begin(), ready.end(), [&](const Contender* one) {
            return one->implementation == chosen;
        });
        if (before == ready.end() || (ready.size() < 2 && contest.dim.empty()))
            return;
        auto now = before;
        std::string disturbed;
        for (auto one = ready.begin(); one != ready.end(); ++one) {
            if ((*one)->disturbed()) {
                disturbed += (disturbed.empty() ? "" : ", ") + (*one)->implementation;
                continue;
            }
            here.us.emplace((*one)->implementation, (*one)->time.median());
            if (!(*before)->disturbed() &&
                (*one)->time.median() < (*before)->time.median() * (1 - Measurements::margin) &&
                (now == before || (*one)->time.median() < (*now)->time.median()))
                now = one;
        }
        const std::string at = contest.dim.empty() ? "" : fmt::format("{} = {}", contest.dim, size);
        if (!disturbed.empty()) {
            const Decision left{at.empty() ? contest.name : contest.name + " at " + at,
                                Verdict::Note, ReasonCode::NotMeasured,
                                "other work disturbed the measurement of " + disturbed};
            m_out.notices.push_back(
                fmt::format("{} {}: {}", codeText(left.code), left.subject, left.sentence()));
        }
        here.chosen = chosen;
        here.chosenUs = (*before)->time.median();
        here.fastest = (*now)->implementation;
        here.fastestUs = (*now)->time.median();
        for (const Contender* one : ready)
            m_out.rows.push_back({contest.name, at, one->implementation, one->time.median(),
                                  contest.count, one == *before, one == *now, one->disturbed()});
    }

    void sum(const RunningContest& run) {
        double before = 0, after = 0, sizes = 0;
        bool improved = false;
        for (const auto& [size, at] : run.measured) {
            if (at.chosen.empty())
                continue;
            ++sizes;
            before += at.chosenUs;
            after += at.fastestUs;
            improved = improved || at.fastest != at.chosen;
        }
        for (const auto& [size, at] : run.measured)
            m_regrouped =
                m_regrouped || (at.fastest != at.chosen &&
                                (run.contest.next != nullptr || at.fastest == apartFromEachOther));
        if (sizes == 0)
            return;
        ++m_out.measured;
        m_out.improved += improved;
        if (run.contest.next != nullptr) // the time of each is known by itself
            return;
        const auto count = static_cast<double>(run.contest.count);
        m_out.beforeMs += count * before / sizes / 1000;
        m_out.afterMs += count * after / sizes / 1000;
    }

    Pipeline& m_pipeline;
    const Graph& m_graph;
    const FusionPlan& m_plan;
    const Arguments& m_arguments;
    const Context& m_context;
    TuneDocument& m_out;
    GraphPtr m_part; // of the contest at hand
    bool m_regrouped = false;
};

} // namespace

Result<TuneDocument> tuneModel(Pipeline& pipeline, const std::string& log,
                               const Arguments& arguments, const Context& context) {
    FW_TRY(const Shard shard, parseShard(arguments.shard));
    FW_CHECK(pipeline.plan(context)); // before a file is begun
    FW_TRY(const Target* target, pipeline.target());
    if (const SavedMachinePtr machine = machineOf(*target);
        machine && machine->cpu != runtime::cpuInfo().model)
        return makeDiag(DiagCode::NotRunnable,
                        fmt::format("{} is of {}, and times are taken on the machine itself, which "
                                    "is {} here",
                                    machine->file, machine->cpu, runtime::cpuInfo().model),
                        {}, "run `fw tune` there; its log decides with --machine here");
    TuneDocument out;
    out.model = arguments.model;
    out.target = target->text;
    out.log = log;
    FW_CHECK(appendTuningLog(log, {})); // of a shard without a workload the file is there, too
    std::set<Symbol> ranged;
    std::map<std::string, SizeRange> ranges; // by the names of the graph
    for (const auto& [name, range] : pipeline.inputs().ranges)
        for (const std::string& dim : {name, dimName(name)}) {
            ranged.insert(Symbol(dim));
            ranges.emplace(dim, range);
        }
    FW_TRY(const TuningLog before, readTuningLog(log));
    std::set<std::string> measured; // workloads
    std::optional<Pipeline> regrouped;
    Pipeline* planned = &pipeline;
    constexpr int plans =
        3; // what the log parts or joins is measured, too; shards know a part of it
    for (int i = 0; i < plans; ++i) {
        FW_TRY(const Simplified* source, planned->simplified(context));
        FW_TRY(const FusionPlan* plan, planned->plan(context));
        FW_TRY(std::vector<Contest> contests,
               contestsOf(*planned, ranged, before.records, out.notices, context));
        std::erase_if(contests,
                      [&](const Contest& one) { return measured.contains(one.workload); });
        out.workloads += static_cast<std::int64_t>(contests.size());
        for (const Contest& contest : contests)
            measured.insert(contest.workload);
        std::erase_if(contests, [&](const Contest& one) { return !shard.has(one.workload); });
        Tuning tuning(*planned, *source->graph, *plan, arguments, context, out);
        for (std::size_t done = 0; done < contests.size(); ++done)
            FW_CHECK(tuning.measure(contests[done], ranges, done, contests.size()));
        if (!tuning.regrouped() || shard.count > 1)
            break;
        PipelineInputs inputs = pipeline.inputs();
        inputs.log = log;
        planned = &regrouped.emplace(std::move(inputs));
    }
    return out;
}

} // namespace fw
