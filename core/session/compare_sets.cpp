#include "session/compare_sets.h"

#include "session/document.h"
#include "session/graph_file.h"
#include "session/ran_otherwise.h"
#include "session/rewriting.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace fw {

using namespace snapshot;

Tolerance toleranceOf(const Arguments& arguments) {
    return {arguments.rtol.value_or(1e-3), arguments.atol.value_or(1e-5)};
}

Result<PassBy> passBy(Pipeline& pipeline, const Arguments& arguments, const Context& context) {
    FW_TRY(const Imported* imported, pipeline.imported(context));
    return arguments.strict.value_or(false) || !isNetwork(*imported->inlined)
               ? PassBy::Elements
               : PassBy::ElementsOrNorm;
}

Result<std::optional<ComparisonRecord>> compareSet(FittingPipelines& fitting,
                                                   const TestDataSet& set, Tolerance tolerance,
                                                   PassBy by, std::vector<std::string>& notices,
                                                   const Context& context) {
    FW_TRY(Pipeline * pipeline, fitting.of(set, context).computable(context));
    FW_TRY(LoadedModule * module, pipeline->loaded(context));
    FW_TRY(const ComputedPart what, computedPart(*pipeline, context));
    FW_TRY(const Expected expected, expectedOf(what, set));
    if (!expected.isWhole(what.graph))
        notices.push_back(expected.missing(what.graph, set));
    if (expected.results.empty())
        return std::optional<ComparisonRecord>();
    FW_TRY(const std::vector<TensorData> inputs, givenInputs(what, set));
    module->executor().setIndices(runtime::Indices::Check);
    FW_TRY(std::vector<TensorData> all, module->run(inputs));
    tellRanOtherwise(*module, notices);
    std::vector<std::string> names;
    std::vector<TensorData> got;
    for (const std::size_t result : expected.results) {
        names.push_back(what.graph.results()[result].name);
        got.push_back(std::move(all.at(result)));
    }
    return std::optional(compareOutputs(std::filesystem::path(set.folder).filename().string(),
                                        names, got, expected.data, tolerance, by));
}

namespace {

// As a case of a suite: all that it should give must be there.
Status isWhole(FittingPipelines& fitting, const TestDataSet& set, const std::string& folder,
               const Context& context) {
    FW_TRY(Pipeline * pipeline, fitting.of(set, context).computable(context));
    FW_TRY(const ComputedPart what, computedPart(*pipeline, context));
    FW_TRY(const Expected expected, expectedOf(what, set));
    if (expected.isWhole(what.graph))
        return {};
    return makeDiag(DiagCode::InputMismatch, expected.missing(what.graph, set), {folder},
                    "fw run computes it and compares what there is");
}

// The results of the model that are not computed.
std::string namesOfOthers(const ComputedPart& what) {
    const std::vector<std::string> kept = resultNames(what.graph);
    std::string out;
    for (const std::string& name : resultNames(what.model))
        if (std::find(kept.begin(), kept.end(), name) == kept.end())
            out += (out.empty() ? "" : ", ") + name;
    return out;
}

} // namespace

Result<CaseRecord> testFolder(PipelineStore& store, const std::string& folder,
                              const Arguments& arguments, const Context& context) {
    CaseRecord out;
    out.name = folder;
    Arguments ofCase = arguments;
    ofCase.model = folder;
    const PipelineInputs inputs = inputsOf(ofCase);
    const auto give = [&](CaseVerdict verdict, const Diag& diag) {
        out.verdict = verdict;
        out.reason = diag.text();
        return out;
    };
    const Result<TestFolder> data =
        isTestFolder(folder) ? findTestData(folder)
                             : Result<TestFolder>(makeDiag(DiagCode::FileMissing,
                                                           "there is no model.onnx", {folder}));
    if (!data)
        return give("failed", data.diag());
    const Result<Pipeline*> free = store.find(inputs);
    if (!free)
        return give("failed", free.diag());
    FittingPipelines fitting(**free);
    Pipeline& pipeline = data->sets.empty() ? **free : fitting.of(data->sets.front(), context);
    Result<Pipeline*> part = pipeline.computable(context);
    Result<LoadedModule*> module = part ? (*part)->loaded(context) : part.diag();
    if (!module) {
        const DiagCode code = module.diag().code;
        if (code == DiagCode::UnknownName ||
            (code == DiagCode::InputMismatch &&
             (!arguments.inputs.empty() || !arguments.types.empty())))
            return module.diag(); // the question does not fit the model
        const bool refused = exitCode(code) == 2 && code != DiagCode::NotOnnx;
        return give(refused ? CaseVerdict("unsupported") : "failed", module.diag());
    }
    if (data->sets.empty())
        return give("failed",
                    makeDiag(DiagCode::FileMissing, "there is no test_data_set_0", {folder}));
    const Result<PassBy> by = passBy(pipeline, arguments, context);
    if (!by)
        return give("failed", by.diag());
    out.verdict = "passed";
    double worst = 0;
    std::size_t byNorm = 0;
    std::vector<std::string> notices = refutedNotices(**pipeline.simplified(context));
    for (const TestDataSet& set : data->sets) {
        if (const Status whole = isWhole(fitting, set, folder, context); !whole)
            return give("failed", whole.diag());
        Result<std::optional<ComparisonRecord>> record =
            compareSet(fitting, set, toleranceOf(arguments), *by, notices, context);
        if (!record)
            return give("failed", record.diag());
        const ComparisonRecord& compared = out.sets.emplace_back(**record);
        worst = std::max(worst, compared.maxAbs.value_or(0));
        byNorm += compared.rule == "norm" ? 1 : 0;
        if (!out.sets.back().pass && out.verdict == "passed") {
            out.verdict = "failed";
            out.reason = fmt::format("{}: {}", out.sets.back().name, out.sets.back().worst);
        }
    }
    if (out.verdict == "passed")
        out.reason = fmt::format("{} data set{}, largest difference {}{}", data->sets.size(),
                                 data->sets.size() == 1 ? "" : "s", fmt::format("{:.3g}", worst),
                                 byNorm == 0 ? ""
                                 : byNorm == data->sets.size()
                                     ? ", by norm"
                                     : fmt::format(", {} of them by norm", byNorm));
    constexpr std::size_t mostTold = 2;
    for (std::size_t i = 0; i < std::min(notices.size(), mostTold); ++i)
        out.reason += "; " + notices[i];
    if (notices.size() > mostTold)
        out.reason += fmt::format("; {} more of this kind (fw run)", notices.size() - mostTold);
    const auto what = computedPart(**part, context);
    if (const std::string others = what ? namesOfOthers(*what) : ""; !others.empty()) {
        out.reason += fmt::format("; not computed: {}", others);
        if (out.verdict == "passed") // as far as it goes
            out.verdict = "unsupported";
    }
    return out;
}

} // namespace fw
