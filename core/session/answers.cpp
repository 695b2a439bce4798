#include "session/answers.h"

#include "ir/graph_text.h"
#include "onnx/model/names.h"
#include "rewrite/declaration_check.h"
#include "session/assist.h"
#include "session/bisect.h"
#include "session/book_counterfactual.h"
#include "session/book_gains.h"
#include "session/book_texts.h"
#include "session/calibrate.h"
#include "session/check_book.h"
#include "session/compare_sets.h"
#include "session/counterfactual.h"
#include "session/describe.h"
#include "session/diff.h"
#include "session/document.h"
#include "session/drawing.h"
#include "session/explain.h"
#include "session/explain_ends.h"
#include "session/explain_unplanned.h"
#include "session/group_times.h"
#include "session/hazards.h"
#include "session/match.h"
#include "session/measure.h"
#include "session/order.h"
#include "session/partitioned.h"
#include "session/probe.h"
#include "session/rewriting.h"
#include "session/save_machine.h"
#include "session/schedule.h"
#include "session/size_ranges.h"
#include "session/sketch.h"
#include "session/stages.h"
#include "session/statistics.h"
#include "session/stepping.h"
#include "session/tune.h"
#include "session/uses.h"
#include "session/verify_model.h"
#include "strategy/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

using namespace snapshot;

namespace {

// With the pipeline of the model.
template <class Document>
Result<Document> ofModel(Result<Document> (*answer)(Pipeline&, const Arguments&, const Context&),
                         PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return answer(*pipeline, arguments, context);
}

} // namespace

Result<InfoDocument> infoCommand(PipelineStore& store, const Arguments& arguments,
                                 const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    return describeModel(arguments.model, *imported);
}

namespace {

// A graph that stands among the texts under the model's name, with the operators of the books.
Result<GraphDocument> writtenGraph(const Arguments& arguments) {
    const auto text =
        std::find_if(arguments.texts.begin(), arguments.texts.end(),
                     [&](const BookSource& one) { return one.file == arguments.model; });
    if (text == arguments.texts.end())
        return makeDiag(DiagCode::Usage, "no text is called " + arguments.model);
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    FW_TRY(const GraphPtr graph, parseGraph(text->text, books.operators));
    return describeGraph(*graph, "text", *graph);
}

} // namespace

Result<GraphDocument> graphCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    if (arguments.stage == "text")
        return writtenGraph(arguments);
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    if (!arguments.body.empty())
        return describeBody(*imported->graph, arguments.body);
    const Bodies bodies = arguments.bodies.value_or(false) ? Bodies::Show : Bodies::Leave;
    if (arguments.stage.empty() || arguments.stage == "imported") {
        GraphDocument out = describeImported(*imported->graph, bodies);
        out.diagnostics = imported->diagnostics;
        return out;
    }
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    if (arguments.stage == "rewritten" && arguments.application) {
        FW_TRY(const GraphPtr behind, behindApplication(*imported, *simplified, arguments));
        return describeGraph(*behind, "rewritten", *imported->graph);
    }
    if (arguments.stage == "rewritten")
        return describeGraph(*simplified->graph, "rewritten", *imported->graph);
    if (arguments.stage == "partitioned")
        return partitionGraph(*pipeline, context);
    if (arguments.stage != "fused")
        return makeDiag(DiagCode::Usage, "there is no graph of stage " + arguments.stage, {},
                        "imported, rewritten, fused or partitioned");
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    return describeGraph(*simplified->graph, "fused", *imported->graph, plan, bodies);
}

namespace {

// A log that is begun now decides nothing yet.
Arguments withKnownLog(Arguments arguments) {
    std::error_code error;
    if (!std::filesystem::exists(arguments.log, error))
        arguments.log.clear();
    return arguments;
}

} // namespace

Result<Arguments> withBoundDims(PipelineStore& store, const Arguments& arguments,
                                const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    if (imported->graph->freeDims().empty())
        return arguments;
    FW_TRY(LoadedModule * module, pipeline->loaded(context));
    FW_TRY(const Operands operands, operandsFor(*pipeline, *module, arguments, context));
    Arguments out = arguments;
    FW_TRY(out.dims, boundDims(*pipeline, operands.inputs, context));
    FW_CHECK(checkRanges(arguments.ranges, out.dims));
    for (const auto& [name, extent] : out.dims)
        out.ranges.erase(name); // it is not free any more
    return out;
}

Result<ExplainDocument> explainCommand(PipelineStore& store, const Arguments& arguments,
                                       const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Target* target, pipeline->target());
    if (auto ends = explainEnds(*simplified->graph, *plan, arguments.nodes))
        return std::move(*ends);
    if (arguments.nodes.size() == 1) {
        FW_TRY(const Imported* imported, pipeline->imported(context));
        if (auto told = explainUnplanned(*imported, *simplified, *plan, arguments.nodes.front()))
            return std::move(*told);
    }
    FW_TRY(ExplainDocument out, explain(*simplified->graph, *plan, arguments.nodes));
    std::vector<NodeId> nodes;
    for (const std::string& name : arguments.nodes) {
        FW_TRY(const Node* node, findNode(*simplified->graph, name));
        nodes.push_back(node->id);
    }
    FW_TRY(const PlanOptions options, pipeline->planOptions());
    FW_TRY(out.counterfactuals,
           libraryCounterfactuals(*simplified->graph, *target, options, *plan, nodes));
    FW_TRY(std::vector<CounterfactualRecord> books,
           bookCounterfactuals(store, arguments, context, *simplified->graph, *plan, nodes));
    std::move(books.begin(), books.end(), std::back_inserter(out.counterfactuals));
    return out;
}

Result<MatchDocument> matchCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    return ofModel(matchModel, store, arguments, context);
}

Result<SketchDocument> sketchCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return ofModel(sketchModel, store, arguments, context);
}

Result<ProbeDocument> probeCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    return ofModel(probeModel, store, arguments, context);
}

Result<LintDocument> lintCommand(PipelineStore& store, const Arguments& arguments,
                                 const Context& context) {
    return lintOf(store, arguments, context);
}

Result<UsesDocument> usesCommand(PipelineStore& store, const Arguments& arguments,
                                 const Context& context) {
    return usesOf(store, arguments, context);
}

Result<DrawingDocument> drawingCommand(PipelineStore&, const Arguments& arguments, const Context&) {
    return drawDeclaration(arguments);
}

Result<DiffSideDocument> diffCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return diffSide(store, arguments, context);
}

Result<RewriteDocument> rewriteCommand(PipelineStore& store, const Arguments& arguments,
                                       const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    return describeRewrite(*imported, *simplified, arguments);
}

Result<StepDocument> stepCommand(PipelineStore& store, const Arguments& arguments,
                                 const Context& context) {
    return ofModel(stepModel, store, arguments, context);
}

Result<BisectDocument> bisectCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return ofModel(bisectModel, store, arguments, context);
}

Result<OrderDocument> orderCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(OrderDocument document, describeOrder(*pipeline, arguments, context));
    if (arguments.each.value_or(false))
        FW_CHECK(tellGains(store, arguments, context, document));
    return document;
}

Result<StagesDocument> stagesCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return ofModel(stageText, store, arguments, context);
}

Result<ScheduleDocument> scheduleCommand(PipelineStore& store, const Arguments& arguments,
                                         const Context& context) {
    return ofModel(describeSchedule, store, arguments, context);
}

Result<ExportDocument> exportCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return ofModel(exportTo, store, arguments, context);
}

namespace {

// What the runtime refuses knows no file.
template <class T>
Result<T> inModel(const Pipeline& pipeline, Result<T> answer) {
    if (answer.ok() || exitCode(answer.diag().code) != 2)
        return answer;
    return pipeline.inFile(answer.takeDiag());
}

} // namespace

Result<RunDocument> runCommand(PipelineStore& store, const Arguments& arguments,
                               const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return inModel(*pipeline, runModel(*pipeline, arguments, context));
}

Result<ProfileDocument> profileCommand(PipelineStore& store, const Arguments& arguments,
                                       const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return inModel(*pipeline, profileModel(*pipeline, arguments, context));
}

Result<TuneDocument> tuneCommand(PipelineStore& store, const Arguments& given,
                                 const Context& context) {
    const Arguments known = withKnownLog(given);
    Arguments anywhere = known; // the data need not lie in a range
    anywhere.ranges.clear();
    FW_TRY(Arguments arguments, withBoundDims(store, anywhere, context));
    for (const auto& [name, range] : known.ranges) {
        arguments.ranges.emplace(name, range);
        arguments.dims.erase(name);
        arguments.dims.erase(dimName(name));
    }
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return tuneModel(*pipeline, given.log, arguments, context);
}

namespace {

std::vector<std::string> modelsOf(const Arguments& arguments) {
    return arguments.models.empty() ? std::vector<std::string>{arguments.model} : arguments.models;
}

// `part` gives the part of the document for one model.
template <class Document, class Member>
Result<Document> eachModel(PipelineStore& store, const Arguments& arguments, const Member& part) {
    Document out;
    for (const std::string& model : modelsOf(arguments)) {
        Arguments one = arguments;
        one.model = model;
        FW_TRY(one, withDocument(std::move(one)));
        FW_TRY(Pipeline * pipeline, store.find(inputsOf(one)));
        FW_TRY(const Target* target, pipeline->target());
        out.target = target->text;
        FW_TRY(auto made, part(*pipeline, one, out));
        out.models.push_back(std::move(made));
    }
    return out;
}

} // namespace

Result<VerifyDocument> verifyCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return eachModel<VerifyDocument>(store, arguments,
                                     [&](Pipeline& pipeline, const Arguments& one, auto&) {
                                         return verifyModel(pipeline, one, context);
                                     });
}

Result<BenchDocument> benchCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    return eachModel<BenchDocument>(
        store, arguments, [&](Pipeline& pipeline, const Arguments& one, BenchDocument& out) {
            return benchModel(pipeline, one, context, out.notices);
        });
}

Result<ValueDocument> valueCommand(PipelineStore& store, const Arguments& arguments,
                                   const Context& context) {
    return ofModel(describeValue, store, arguments, context);
}

Result<TestDocument> testCommand(PipelineStore& store, const Arguments& arguments,
                                 const Context& context) {
    TestDocument out;
    for (std::size_t i = 0; i < arguments.folders.size(); ++i) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the test was cancelled");
        context.report("test", arguments.folders[i], i, arguments.folders.size());
        FW_TRY(CaseRecord done, testFolder(store, arguments.folders[i], arguments, context));
        out.cases.push_back(std::move(done));
        const CaseVerdict verdict = out.cases.back().verdict;
        ++out.total;
        ++(verdict == "passed"        ? out.passed
           : verdict == "unsupported" ? out.unsupported
                                      : out.failed);
    }
    return out;
}

Result<OpsDocument> opsCommand(PipelineStore&, const Arguments& arguments, const Context&) {
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    OpsDocument out = describeOperators(*books.operators, books.strategy, arguments.name);
    if (out.ops.empty())
        return makeDiag(DiagCode::UnknownName, "there is no operator named " + arguments.name, {},
                        operatorHint(arguments.name, *books.operators, nullptr));
    return out;
}

Result<DoctorDocument> doctorCommand(PipelineStore&, const Arguments& arguments,
                                     const Context& context) {
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    FW_TRY(const Target target, parseTarget(inputsOf(arguments).target, declaredTargets(books),
                                            namesOf(books.libraries)));
    if (arguments.measure.value_or(false))
        FW_CHECK(measureMachine(target, context));
    if (!arguments.output.empty())
        FW_CHECK(saveMachine(target, arguments.output, context));
    DoctorDocument out = describeMachine(target, books.libraries, arguments.agreed);
    if (const Result<Diags> machine = checkMachine(target); !machine.ok())
        out.problems.push_back(machine.diag().text());
    else
        for (const Diag& damaged : *machine)
            out.problems.push_back(damaged.text());
    if (!arguments.output.empty())
        out.ceilingsFrom += "; saved in " + arguments.output;
    return out;
}

Result<CheckDocument> checkCommand(PipelineStore&, const Arguments& arguments,
                                   const Context& context) {
    FW_TRY(CheckDocument document, checkBook(arguments, context));
    if (!arguments.output.empty())
        FW_CHECK(saveCounterexamples(document, arguments.output));
    return document;
}

Result<BookDocument> bookCommand(PipelineStore&, const Arguments& arguments, const Context&) {
    return shippedBook(arguments);
}

Result<FormatDocument> formatCommand(PipelineStore&, const Arguments& arguments, const Context&) {
    return formatBook(arguments);
}

Result<AssistDocument> assistCommand(PipelineStore& store, const Arguments& arguments,
                                     const Context& context) {
    return assistAt(store, arguments, context);
}

} // namespace fw
