#include "session/calibrate.h"

#include "base/stopwatch.h"
#include "extern/extern.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "session/implementation_race.h"
#include "strategy/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace fw {

namespace {

struct Call {
    WorkClass work; // Other: the smallest call
    std::string_view text;
};

// Of the size that layers of networks for images and texts have, 20 to 200 microseconds each.
constexpr Call calls[] = {
    {WorkClass::Other,
     "graph call(x: f32[32, 16]) -> y { w = const random(1) : f32[16, 16] y = dense(x, w) }"},
    {WorkClass::Convolution,
     "graph call(x: f32[1, 64, 28, 28]) -> y { w = const random(1) : f32[64, 64, 3, 3] "
     "y = conv2d(x, w) {pads = [1, 1, 1, 1]} }"},
    {WorkClass::Grouped,
     "graph call(x: f32[1, 192, 28, 28]) -> y { w = const random(1) : f32[192, 1, 3, 3] "
     "y = conv2d(x, w) {pads = [1, 1, 1, 1], groups = 192} }"},
    {WorkClass::Product,
     "graph call(x: f32[196, 256]) -> y { w = const random(1) : f32[256, 256] y = dense(x, w) }"},
    {WorkClass::FewRows,
     "graph call(x: f32[1, 1024]) -> y { w = const random(1) : f32[512, 1024] y = dense(x, w) }"},
    {WorkClass::Pool, "graph call(x: f32[1, 64, 56, 56]) -> y { y = max_pool2d(x) "
                      "{kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]} }"},
    {WorkClass::Rows, "graph call(x: f32[384, 384]) -> y { y = softmax(x) }"},
};

constexpr double secondsEach = 0.02;
constexpr std::string_view anchorName = "y";

std::string_view makerName(const Candidate& candidate) {
    const Library* library = candidate.by->library();
    return library == nullptr ? ownCode : std::string_view(library->name());
}

// The first of the highest priority of each maker.
std::vector<const Candidate*> bestOfEach(const Group& group) {
    std::vector<const Candidate*> out;
    for (const Candidate& candidate : group.candidates) {
        if (candidate.verdict != Verdict::Yes)
            continue;
        const auto known = std::find_if(out.begin(), out.end(), [&](const Candidate* one) {
            return makerName(*one) == makerName(candidate);
        });
        if (known == out.end())
            out.push_back(&candidate);
        else if ((*known)->priority < candidate.priority)
            *known = &candidate;
    }
    return out;
}

// Images as networks have them inside.
std::map<ValueRef, StorageMap> imagesChannelsLast(const Graph& graph) {
    std::map<ValueRef, StorageMap> out;
    const auto add = [&](ValueRef value) {
        if (const std::size_t rank = graph.type(value).rank(); rank == 4)
            out.emplace(value, channelsLast(rank));
    };
    for (const NodeId input : graph.inputs())
        add({input, 0});
    for (const NamedValue& result : graph.results())
        add(result.value);
    return out;
}

class Calibration {
public:
    Calibration(const Target& target, const Context& context)
        : m_target(target), m_context(context), m_pipeline(onlyTarget(target)) {}

    Result<MeasuredRates> run(MeasuringSteps steps) {
        for (const Call& call : calls) {
            m_context.report("machine",
                             call.work == WorkClass::Other ? std::string("calls")
                                                           : std::string(workText(call.work)),
                             steps.done++, std::max(steps.total, std::size(calls)));
            if (const Status measured = measure(call);
                !measured && measured.diag().code == DiagCode::Cancelled)
                return measured.diag();
        }
        return std::move(m_out);
    }

private:
    static PipelineInputs onlyTarget(const Target& target) {
        PipelineInputs out;
        out.target = target.text;
        const std::vector<std::string>& known = knownLibraries();
        Target shipped = target; // what a book declares is not known here
        std::erase_if(shipped.libs, [&](const std::string& library) {
            return std::find(known.begin(), known.end(), library) == known.end();
        });
        if (shipped.libs != target.libs)
            out.target = fmt::format("x86-64 -mcpu={} -libs={} -threads={}", target.cpu,
                                     fmt::join(shipped.libs, ","), target.threads);
        return out;
    }

    Status measure(const Call& call) {
        FW_TRY(const GraphPtr graph, parseGraph(call.text, standardOperators()));
        const ApartRuns runs{.border = imagesChannelsLast(*graph)};
        FW_TRY(const PlanOptions options, m_pipeline.planOptions());
        FW_TRY(const Apart planned, m_pipeline.apart(graph, options, m_context, runs));
        const Group& group = planned.plan.groups.front();
        std::vector<Contender> contenders;
        std::vector<std::string_view> makers;
        for (const Candidate* candidate : bestOfEach(group)) {
            Result<Apart> made =
                candidateApart(m_pipeline, graph, std::string(anchorName),
                               candidate->implementation, "machine", m_context, runs);
            if (!made)
                continue;
            FW_TRY(const std::vector<TensorData> operands, made->module->randomInputs(1, {}));
            FW_CHECK(made->module->setInputs(operands));
            contenders.push_back({candidate->implementation, made.take(), {}});
            makers.push_back(makerName(*candidate));
        }
        std::vector<Contender*> racing;
        for (Contender& one : contenders)
            racing.push_back(&one);
        FW_CHECK(
            race(racing, {}, {.seconds = secondsEach, .attempts = 2, .halving = false}, m_context));
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            // The best counts: everything else only adds time.
            const MeasuredTime& time = contenders[i].time;
            m_out.disturbed = m_out.disturbed || time.spread() > MeasuredTime::mostSpread;
            keep(call.work, makers[i], time.minimum(), operationsOf(group.work));
        }
        return {};
    }

    void keep(WorkClass work, std::string_view maker, double us, double operations) {
        if (work == WorkClass::Other) {
            if (maker != ownCode)
                m_out.rates[callName(maker)] = us;
            return;
        }
        const auto calling = m_out.rates.find(callName(maker));
        const double computing =
            calling == m_out.rates.end() ? us : std::max(us - calling->second, us / 2);
        m_out.rates[rateName(maker, work)] =
            operations / computing / 1000 / std::max(m_target.threads, 1);
    }

    const Target& m_target;
    const Context& m_context;
    Pipeline m_pipeline;
    MeasuredRates m_out;
};

bool comparesLibraries(const Target& target) {
    return target.libraryChoice == LibraryChoice::Found &&
           std::any_of(externLibraries().begin(), externLibraries().end(), [](const auto& library) {
               return library->status().state == LibraryState::Ready;
           });
}

} // namespace

Result<MeasuredRates> measureRates(const Target& target, const Context& context,
                                   MeasuringSteps steps) {
    return Calibration(target, context).run(steps);
}

namespace {

Status measureAndSet(const Target& target, const Context& context, MeasuringSteps steps = {}) {
    const auto start = std::chrono::steady_clock::now();
    FW_TRY(const MeasuredRates measured, measureRates(target, context, steps));
    setRates(target, measured.rates, !measured.disturbed, millisecondsSince(start));
    return {};
}

} // namespace

Status measureMachine(const Target& target, const Context& context) {
    const std::size_t count = ceilings().size() + std::size(calls);
    std::size_t done = 0;
    for (const CeilingRow& row : ceilings()) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the work was cancelled");
        context.report("machine", std::string(row.sentence), done++, count);
        ceilingAgain(target, row.value);
    }
    if (!isMeasuredHere(target))
        return {};
    FW_CHECK(holdLibraries(target));
    return measureAndSet(target, context, {done, count});
}

Status calibrate(const Target& target, const Context& context) {
    if (!isMeasuredHere(target) || knownRate(target, rateName(ownCode, WorkClass::Convolution)) ||
        !comparesLibraries(target))
        return {};
    return measureAndSet(target, context);
}

} // namespace fw
