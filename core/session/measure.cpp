#include "session/measure.h"

#include "base/files.h"
#include "base/numbers.h"
#include "base/stopwatch.h"
#include "ir/missing_type.h"
#include "ir/tensor_text.h"
#include "onnx/model/default_inputs.h"
#include "onnx/model/given_value.h"
#include "onnx/model/tensor_file.h"
#include "runtime/cpu.h"
#include "session/busy_neighbours.h"
#include "session/compare_sets.h"
#include "session/document.h"
#include "session/graph_file.h"
#include "session/group_times.h"
#include "session/makers.h"
#include "session/ran_otherwise.h"
#include "session/rewriting.h"
#include "session/values.h"
#include "session/worker.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <sys/resource.h>

namespace fw {

namespace {

using namespace snapshot;
using Clock = std::chrono::steady_clock;

std::string summaryOf(const TensorData& data) {
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(data.count(), 4); ++i)
        out += (i > 0 ? ", " : "") + elementText(data, i);
    return data.count() > 4 ? out + ", ..." : out;
}

std::map<std::string, std::int64_t> sizesOf(LoadedModule& module) {
    const std::vector<runtime::Symbol>& symbols = module.executor().program().symbols;
    const std::vector<std::int64_t>& values = module.executor().symbolValues();
    std::map<std::string, std::int64_t> out;
    for (std::size_t i = 0; i < symbols.size() && i < values.size(); ++i)
        out[symbols[i].name] = values[i];
    return out;
}

// Of sizes that the model computes itself: the node that does.
std::map<std::string, std::string> computedSizes(LoadedModule& module) {
    const runtime::Program& program = module.executor().program();
    std::map<std::string, std::string> out;
    for (const runtime::Step& step : program.steps)
        for (const std::uint32_t symbol : step.binds)
            out[program.symbols[symbol].name] = step.nodes.empty() ? step.name : step.nodes.front();
    return out;
}

// What the numbers hold for.
void tellInputs(const std::vector<std::string>& constants, LoadedModule& module, bool random,
                std::vector<std::string>& notices) {
    if (!constants.empty())
        notices.push_back(fmt::format("values of inputs decide what runs, so the given ones are "
                                      "constants of it: {}",
                                      fmt::join(constants, ", ")));
    const std::map<std::string, std::string> makers = computedSizes(module);
    std::string sizes, computed;
    for (const auto& [name, value] : sizesOf(module)) {
        const auto maker = makers.find(name);
        std::string& list = maker == makers.end() ? sizes : computed;
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
        if (maker != makers.end())
            list += fmt::format(" ({})", maker->second);
    }
    if (!sizes.empty())
        notices.push_back("free dimensions: " + sizes);
    if (!computed.empty())
        notices.push_back("sizes that the model computes: " + computed);
    if (random)
        notices.push_back(
            "no data of these shapes were given: the inputs are seeded random values");
}

// With a folder the tensor is written there (tensorFile()).
Result<OutputRecord> record(const std::string& name, const TensorData& data,
                            const std::string& folder) {
    OutputRecord out;
    out.name = name;
    out.dtype = dtypeText(data.dtype());
    out.shape = data.extents();
    out.summary = summaryOf(data);
    if (!folder.empty()) {
        out.file = tensorFile(folder, name, data.dtype());
        FW_CHECK(writeTensorFile(out.file, {name, data}));
    }
    return out;
}

constexpr double grainMs = 0.001;

// Whole runs without instrumentation, in milliseconds, after three to warm up.
Result<MeasuredTime> timeRuns(LoadedModule& module, double seconds, int attempts,
                              const Context& context) {
    for (int i = 0; i < 3; ++i)
        FW_CHECK(module.runAgain());
    const MeasureEffort effort{
        .seconds = seconds, .most = 20000, .attempts = attempts, .grain = grainMs};
    FW_TRY(std::vector<MeasuredTime> out,
           measureTimes(1, effort, context.cancel, [&](std::vector<double>& times) -> Status {
               const auto begin = Clock::now();
               FW_CHECK(module.runAgain());
               times = {millisecondsSince(begin)};
               return {};
           }));
    return std::move(out.front());
}

// The last timed run for chrome://tracing and the like: one slice per step, microseconds.
Status writeTrace(const std::string& file, const runtime::Program& program,
                  const std::vector<runtime::StepTime>& times) {
    nlohmann::ordered_json events = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].endNs > 0) // it ran
            events.push_back(
                {{"name", program.steps[i].name},
                 {"ph", "X"},
                 {"pid", 1},
                 {"tid", 1},
                 {"ts", static_cast<double>(times[i].startNs) / 1000},
                 {"dur", static_cast<double>(times[i].endNs - times[i].startNs) / 1000},
                 {"args", {{"nodes", program.steps[i].nodes}}}});
    nlohmann::ordered_json out;
    out["traceEvents"] = std::move(events);
    return writeFile(file,
                     out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// Of a value that is given for what is no free input of the model.
Diag noInput(const Pipeline& pipeline, const std::string& name, const std::string& file,
             const Graph& model) {
    const Result<NamedTensor> tensor = readTensorFile(file);
    if (!tensor && defaultInputs(pipeline.modelFile()).contains(name))
        return tensor.diag();
    std::vector<std::string> inputs;
    for (const NodeId id : modelInputs(model))
        inputs.push_back(model.node(id).outputs[0].name);
    for (const auto& [input, entry] : pipeline.inputs().types)
        if (givenValue(entry))
            inputs.push_back(input);
    const std::string why =
        tensor ? whyNotGiven(pipeline.modelFile(), name, tensor->data.type()) : std::string();
    return makeDiag(DiagCode::InputMismatch, why.empty() ? "the model has no input " + name : why,
                    {pipeline.modelFile()},
                    inputs.empty() ? "it has no inputs"
                                   : fmt::format("its inputs are {}", fmt::join(inputs, ", ")));
}

} // namespace

Result<Operands> operandsFor(Pipeline& pipeline, LoadedModule& module, const Arguments& arguments,
                             const Context& context) {
    FW_TRY(const ComputedPart what, computedPart(pipeline, context));
    const auto seed = static_cast<std::uint64_t>(arguments.seed.value_or(1));
    // What nothing computes is made up behind what is given.
    const auto completed = [&](std::vector<TensorData> given) -> Result<Operands> {
        FW_TRY(std::vector<TensorData> all,
               module.randomInputs(seed, arguments.dims, std::move(given)));
        module.executor().setIndices(runtime::Indices::Check);
        return Operands{std::move(all), false};
    };
    const std::vector<std::string> names = inputNames(what.graph);
    if (!arguments.inputs.empty()) {
        std::vector<NamedTensor> tensors;
        for (const auto& [name, file] : arguments.inputs) {
            if (const auto entry = what.types.find(name);
                entry != what.types.end() && givenValue(entry->second))
                continue; // its value decides, so it is a constant of what runs
            const std::vector<NodeId> all = modelInputs(what.model);
            const auto input = std::find_if(all.begin(), all.end(), [&](NodeId id) {
                return what.model.node(id).outputs[0].name == name;
            });
            if (input != all.end())
                if (const Node& node = what.model.node(*input);
                    isForeignInput(node) && !foreignType(node, 0).empty())
                    return makeDiag(
                        DiagCode::InputMismatch,
                        fmt::format("the input {} is {}, which nothing here computes with", name,
                                    shownType(what.model, {*input, 0})),
                        {arguments.model}, "leave it out; --type may say another type");
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                if (input == all.end())
                    return noInput(pipeline, name, file, what.model);
                continue; // what is computed does not read it
            }
            FW_TRY(NamedTensor tensor, readTensorFile(file));
            tensor.name = name;
            tensors.push_back(std::move(tensor));
        }
        if (!tensors.empty() || names.empty()) {
            FW_TRY(std::vector<TensorData> matched, matchTensors(names, std::move(tensors)));
            return completed(std::move(matched));
        }
    } else {
        FW_TRY(const std::vector<TestDataSet> sets, dataSetsFor(what, arguments));
        if (!sets.empty()) {
            FW_TRY(std::vector<TensorData> matched, givenInputs(what, sets.front()));
            return completed(std::move(matched));
        }
    }
    FW_TRY(std::vector<TensorData> made, module.randomInputs(seed, arguments.dims));
    // Nobody chose them, and an axis may be shorter.
    module.executor().setIndices(runtime::Indices::Clamp);
    return Operands{std::move(made), !names.empty()};
}

namespace {

StartRecord startOf(const Pipeline& pipeline, const CompiledModule& module) {
    const CompileTimes& times = module.times;
    return {.processMs = processStartMs(),
            .importMs = pipeline.importMs(),
            .rewriteMs = pipeline.rewriteMs(),
            .librariesMs = pipeline.librariesMs(),
            .machineMs = pipeline.machineMs(),
            .fuseMs = pipeline.fuseMs(),
            .lowerMs = pipeline.lowerMs(),
            .kernelsMs = times.kernelsMs,
            .codegenMs = times.codegenMs,
            .assembleMs = times.assembleMs,
            .loadMs = pipeline.loadMs(),
            .compiled = times.compiled,
            .cached = times.fromMemory + times.fromDisk,
            .packedBytes = static_cast<double>(times.packedBytes)};
}

} // namespace

Result<RunDocument> runModel(Pipeline& given, const Arguments& arguments, const Context& context) {
    FittingPipelines fitting(given);
    FW_TRY(Pipeline * part, fitting.of(arguments, context).computable(context));
    Pipeline& pipeline = *part;
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const CompiledStage* compiled, pipeline.compiled(context));
    FW_TRY(const Target* target, pipeline.target());
    const Graph& graph = *source->graph;
    RunDocument out;
    out.model = arguments.model;
    out.target = target->text;
    out.compileMs = compiled->ms;
    out.start = startOf(pipeline, *compiled->module);
    context.report("run", graph.name());
    FW_TRY(Operands operands, operandsFor(pipeline, *module, arguments, context));
    out.randomInputs = operands.random;
    const auto start = Clock::now();
    FW_TRY(const std::vector<TensorData> results, module->run(operands.inputs));
    out.runMs = millisecondsSince(start);
    tellInputs(fitting.constants(pipeline), *module, out.randomInputs,
               out.notices); // data sets may have others
    tellRanOtherwise(*module, out.notices);
    if (!arguments.output.empty()) {
        std::error_code error;
        std::filesystem::create_directories(arguments.output, error);
        if (error)
            return makeDiag(DiagCode::FileUnwritable, error.message(), {arguments.output});
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        FW_TRY(OutputRecord row, record(graph.results()[i].name, results[i], arguments.output));
        out.outputs.push_back(std::move(row));
    }
    if (!arguments.values.empty()) {
        FW_TRY(const InnerValues inner,
               computeValues(pipeline, arguments.values, operands.inputs, context));
        for (const NamedTensor& tensor : inner.tensors) {
            FW_TRY(OutputRecord row, record(tensor.name, tensor.data, arguments.output));
            out.values.push_back(std::move(row));
        }
        out.notices.insert(out.notices.end(), inner.notices.begin(), inner.notices.end());
    }
    if (arguments.expect.value_or(true) && arguments.inputs.empty()) {
        FW_TRY(const std::vector<TestDataSet> sets, fitting.sets(arguments, context));
        FW_TRY(const PassBy by, passBy(pipeline, arguments, context));
        for (const TestDataSet& set : sets) {
            FW_TRY(std::optional<ComparisonRecord> record,
                   compareSet(fitting, set, toleranceOf(arguments), by, out.notices, context));
            if (record)
                out.sets.push_back(std::move(*record));
        }
    }
    for (const Diag& diag : source->leftOut)
        out.notices.push_back(diag.text());
    FW_TRY(const Imported* imported, pipeline.imported(context));
    for (const Diag& diag : imported->diagnostics) // of sizes that few can mean
        if (diag.severity == Severity::Warning && diag.code == DiagCode::ShapeMismatch)
            out.notices.push_back(diag.text());
    for (std::string& notice : refutedNotices(*source))
        out.notices.push_back(std::move(notice));
    return out;
}

Result<BenchRow> benchModel(Pipeline& given, const Arguments& arguments, const Context& context,
                            std::vector<std::string>& notices) {
    FittingPipelines fitting(given);
    FW_TRY(Pipeline * part, fitting.of(arguments, context).computable(context));
    Pipeline& pipeline = *part;
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const CompiledStage* compiled, pipeline.compiled(context));
    FW_TRY(const Target* target, pipeline.target());
    FW_TRY(Operands operands, operandsFor(pipeline, *module, arguments, context));
    FW_CHECK(module->setInputs(operands.inputs));
    context.report("run", arguments.model);
    const double seconds = arguments.seconds.value_or(2);
    FW_TRY(const MeasuredTime times, timeRuns(*module, seconds, MeasureEffort().attempts, context));
    BenchRow out;
    out.model = arguments.model;
    out.medianMs = times.median();
    out.p90Ms = times.quantile(0.9);
    out.minMs = times.minimum();
    out.runs = static_cast<std::int64_t>(times.count());
    out.disturbed = times.disturbed(grainMs);
    tellRanOtherwise(*module, notices);
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    for (const Diag& diag : source->leftOut)
        notices.push_back(diag.text());
    for (std::string& notice : refutedNotices(*source))
        notices.push_back(std::move(notice));
    if (arguments.beside) {
        BusyNeighbours neighbours;
        FW_CHECK(neighbours.start(*arguments.beside));
        FW_TRY(const MeasuredTime beside, timeRuns(*module, seconds, 1, context));
        out.beside = *arguments.beside;
        out.besideMs = beside.median();
    }
    out.compileMs = compiled->ms;
    out.loadMs = pipeline.importMs() + pipeline.loadMs();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    out.peakRssMb = static_cast<double>(usage.ru_maxrss) / 1024;
    out.threads = target->threads;
    out.start = startOf(pipeline, *compiled->module);
    return out;
}

namespace {

// Every operator of a fused group as a group of its own, in a model without free dimensions.
Status timeOperators(Pipeline& pipeline, const Operands& operands, const Arguments& arguments,
                     ProfileDocument& document, const Context& context) {
    FW_TRY(const auto dims, boundDims(pipeline, operands.inputs, context));
    PipelineInputs inputs = pipeline.inputs();
    inputs.dims = dims;
    Pipeline bound(inputs);
    FW_TRY(const FusionPlan* plan, bound.plan(context));
    for (const Group& group : plan->groups) {
        const auto row =
            std::find_if(document.rows.begin(), document.rows.end(),
                         [&](const ProfileRow& one) { return one.group == group.name; });
        if (row == document.rows.end() || !group.hasCode())
            continue;
        if (group.nodes.size() == 1) {
            for (ShareRecord& share : row->nodes)
                share.aloneUs = row->aloneUs;
            continue;
        }
        context.report("run", group.name + " split");
        FW_TRY(const SplitTime split,
               timeSplit(bound, group, static_cast<std::uint64_t>(arguments.seed.value_or(1)),
                         arguments.seconds.value_or(1) / 20, context));
        row->disturbed = row->disturbed || split.disturbed;
        for (ShareRecord& share : row->nodes)
            if (const auto found = split.each.find(share.name); found != split.each.end())
                share.aloneUs = found->second;
    }
    return {};
}

// Which group the step of a row belongs to, and what its operators have of its time.
void describeStep(const Graph& graph, const Group& group, const runtime::Step& step,
                  const KernelReport* report, ProfileRow& row) {
    row.groupId = group.id;
    const Group* at = step.part < group.parts.size() ? &group.parts[step.part] : &group;
    if (report != nullptr && step.part < report->parts.size())
        report = &report->parts[step.part];
    for (std::size_t i = 0; i < at->parts.size(); ++i) { // beside a call of one of several ways
        const std::vector<NodeId>& ids = at->parts[i].nodes;
        if (std::equal(
                ids.begin(), ids.end(), step.nodes.begin(), step.nodes.end(),
                [&](NodeId id, const std::string& name) { return graph.node(id).name == name; })) {
            if (report != nullptr && i < report->parts.size())
                report = &report->parts[i];
            at = &at->parts[i];
            break;
        }
    }
    const Group& part = *at;
    if (step.kernel != runtime::bindKernel)
        row.implementation = report != nullptr ? report->implementation : part.implementation;
    const std::vector<NodeId>& nodes = part.nodes;
    double total = 0;
    std::vector<double> weights;
    for (const NodeId id : nodes) {
        const Result<Facts> facts =
            graph.operators().find(graph.node(id).op)->facts(callOf(graph, graph.node(id)));
        weights.push_back(facts ? facts->flops + 12 * facts->transcendentals + 1 : 1);
        total += weights.back();
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& node = graph.node(nodes[i]);
        row.nodes.push_back({nodes[i], node.name, weights[i] / total, nodes.size() > 1});
        row.origins.insert(row.origins.end(), node.origins.begin(), node.origins.end());
    }
    std::sort(row.origins.begin(), row.origins.end());
    row.origins.erase(std::unique(row.origins.begin(), row.origins.end()), row.origins.end());
}

// What a run has to be of to compare with this one.
void tellConditions(const Graph& graph, const Operands& operands, ProfileDocument& out) {
    out.machine = runtime::cpuInfo().model;
    out.taken = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    const std::vector<std::string> names = inputNames(graph);
    for (std::size_t i = 0; i < std::min(names.size(), operands.inputs.size()); ++i)
        out.inputs[names[i]] = fmt::format("{}[{}]", dtypeText(operands.inputs[i].dtype()),
                                           fmt::join(operands.inputs[i].extents(), ", "));
}

// Misses that matter: by more than half, and by more than a hundredth of the whole.
void compareWithEstimates(const FusionPlan& plan, ProfileDocument& out) {
    std::map<int, int> rows; // that compute something of the group
    for (const ProfileRow& row : out.rows)
        rows[row.groupId] += !row.nodes.empty();
    std::vector<const ProfileRow*> missed;
    for (ProfileRow& row : out.rows) {
        const auto group = std::find_if(plan.groups.begin(), plan.groups.end(),
                                        [&](const Group& one) { return one.id == row.groupId; });
        if (row.nodes.empty() || group == plan.groups.end() || rows[row.groupId] != 1 ||
            group->estimateUs <= 0)
            continue;
        row.estUs = group->estimateUs;
        const double off = std::abs(row.medianUs - *row.estUs);
        if (!row.disturbed && off > 0.5 * std::min(row.medianUs, *row.estUs) &&
            off > 10 * out.sumMs)
            missed.push_back(&row);
    }
    const auto off = [](const ProfileRow& row) { return std::abs(row.medianUs - *row.estUs); };
    std::stable_sort(missed.begin(), missed.end(),
                     [&](const ProfileRow* a, const ProfileRow* b) { return off(*a) > off(*b); });
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(missed.size(), most); ++i)
        out.misses.push_back(fmt::format("{} by {}: {:.1f} us expected, {:.1f} us measured",
                                         missed[i]->group, missed[i]->implementation,
                                         *missed[i]->estUs, missed[i]->medianUs));
}

} // namespace

Result<ProfileDocument> profileModel(Pipeline& given, const Arguments& arguments,
                                     const Context& context) {
    FittingPipelines fitting(given);
    Pipeline& pipeline = fitting.of(arguments, context);
    FW_TRY(LoadedModule * module, pipeline.loaded(context));
    FW_TRY(const CompiledStage* compiled, pipeline.compiled(context));
    FW_TRY(const FusionPlan* plan, pipeline.plan(context));
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    FW_TRY(const Target* target, pipeline.target());
    FW_TRY(Operands operands, operandsFor(pipeline, *module, arguments, context));
    FW_CHECK(module->setInputs(operands.inputs));
    context.report("run", arguments.model);
    const double seconds = arguments.seconds.value_or(1);
    FW_TRY(const MeasuredTime runs,
           timeRuns(*module, seconds / 2, MeasureEffort().attempts, context));

    const runtime::Program& program = module->executor().program();
    std::vector<runtime::StepTime> times;
    const MeasureEffort effort{.seconds = seconds / 2, .most = 5000};
    FW_TRY(const std::vector<MeasuredTime> perStep,
           measureTimes(program.steps.size(), effort, context.cancel,
                        [&](std::vector<double>& us) -> Status {
                            FW_CHECK(module->runTimed(times));
                            us.clear();
                            for (const runtime::StepTime& time : times)
                                us.push_back(static_cast<double>(time.endNs - time.startNs) / 1000);
                            return {};
                        }));
    if (!arguments.trace.empty())
        FW_CHECK(writeTrace(arguments.trace, program, times));
    ProfileDocument out;
    tellRanOtherwise(*module, out.notices);
    out.model = arguments.model;
    out.target = target->text;
    out.runs = static_cast<std::int64_t>(runs.count());
    out.threads = target->threads;
    out.endToEndMs = runs.median();
    out.iqrPercent = 100 * runs.iqr() / std::max(out.endToEndMs, 1e-9);
    out.disturbed = runs.disturbed(grainMs);
    out.compileMs = compiled->ms;
    out.start = startOf(pipeline, *compiled->module);
    out.randomInputs = operands.random;
    const Graph& graph = *source->graph;
    tellConditions(graph, operands, out);
    std::vector<MeasuredTime> alone;
    if (arguments.each.value_or(false)) {
        FW_TRY(alone, timeSteps(*module, {.seconds = seconds / 2}, context));
    }
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        if (!module->executor().runs(s)) // another branch of its choice
            continue;
        ProfileRow row;
        row.group = program.steps[s].name;
        row.calls = 1;
        row.medianUs = perStep[s].median();
        row.minUs = perStep[s].minimum();
        row.p95Us = perStep[s].quantile(0.95);
        row.iqrUs = perStep[s].iqr();
        row.disturbed = perStep[s].disturbed(effort.grain);
        if (!alone.empty()) {
            row.aloneUs = alone[s].median();
            row.disturbed = row.disturbed || alone[s].disturbed(effort.grain);
        }
        const runtime::StepWork work = module->executor().work(s);
        if (work.flops >= 0)
            row.flops = static_cast<double>(work.flops);
        if (work.bytes >= 0)
            row.bytes = static_cast<double>(work.bytes);
        const double us = std::max(row.medianUs, 1e-3);
        if (row.flops)
            row.gflops = *row.flops / us / 1000;
        if (row.bytes)
            row.gbps = *row.bytes / us / 1000;
        const runtime::Step& step = program.steps[s];
        row.implementation = computedBy(program, step);
        row.maker = makerOf(program, step);
        const Group* group = groupOfStep(*plan, step);
        if (group != nullptr && step.kernel == runtime::libraryKernel &&
            program.calls[step.call].kind == runtime::CallKind::Reorder)
            row.groupId = group->id; // it computes none of the group's operators
        else if (group != nullptr)
            describeStep(graph, *group, step, compiled->module->report(group->id), row);
        out.sumMs += row.medianUs / 1000;
        out.rows.push_back(std::move(row));
    }
    for (ProfileRow& row : out.rows)
        row.share = row.medianUs / 1000 / std::max(out.sumMs, 1e-9);
    if (arguments.each.value_or(false))
        FW_CHECK(timeOperators(pipeline, operands, arguments, out, context));
    out.dims = sizesOf(*module);
    if (out.dims.empty())
        compareWithEstimates(*plan, out);
    tellInputs(fitting.constants(pipeline), *module, out.randomInputs, out.notices);
    for (const Group& group : plan->groups)
        if (group.isOpaque())
            out.notices.push_back(
                fmt::format("{} ({}) is opaque and not timed: what reads it has made-up values",
                            graph.node(group.anchor).name, graph.node(group.anchor).shownOp()));
    return out;
}

} // namespace fw
