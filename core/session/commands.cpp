#include "session/commands.h"
#include "base/system_limit.h"
#include "ir/graph_text.h"
#include "onnx/model/names.h"
#include "rewrite/check.h"
#include "session/assist.h"
#include "session/bisect.h"
#include "session/book_texts.h"
#include "session/calibrate.h"
#include "session/check.h"
#include "session/compare_sets.h"
#include "session/counterfactual.h"
#include "session/describe.h"
#include "session/diff.h"
#include "session/document.h"
#include "session/drawing.h"
#include "session/gains.h"
#include "session/group_times.h"
#include "session/log_use.h"
#include "session/match.h"
#include "session/measure.h"
#include "session/order.h"
#include "session/partitioned.h"
#include "session/probe.h"
#include "session/rewriting.h"
#include "session/save_machine.h"
#include "session/schedule.h"
#include "session/sketch.h"
#include "session/stages.h"
#include "session/statistics.h"
#include "session/stepping.h"
#include "session/tune.h"
#include "session/uses.h"
#include "session/verify.h"
#include "strategy/entries_without_code.h"
#include "strategy/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

using namespace snapshot;
using Answer = Result<Commands::Write>;

template <class Document>
Answer json(Document document) {
    return Commands::Write([kept = std::make_shared<const Document>(std::move(document))](
                               const JsonSink& sink) { writeJson(*kept, sink); });
}

template <class Document>
Answer json(Result<Document> document) {
    if (!document)
        return document.takeDiag();
    return json(document.take());
}

Answer info(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    return json(describeModel(arguments.model, *imported));
}

// A graph that stands among the texts under the model's name, with the operators of the books.
Answer writtenGraph(const Arguments& arguments) {
    const auto text =
        std::find_if(arguments.texts.begin(), arguments.texts.end(),
                     [&](const BookSource& one) { return one.file == arguments.model; });
    if (text == arguments.texts.end())
        return makeDiag(DiagCode::Usage, "no text is called " + arguments.model);
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    FW_TRY(const GraphPtr graph, parseGraph(text->text, books.operators));
    return json(describeGraph(*graph, "text", *graph));
}

Answer graph(PipelineStore& store, const Arguments& arguments, const Context& context) {
    if (arguments.stage == "text")
        return writtenGraph(arguments);
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    if (!arguments.body.empty())
        return json(describeBody(*imported->graph, arguments.body));
    if (arguments.stage.empty() || arguments.stage == "imported") {
        GraphDocument out = describeImported(*imported->graph);
        out.diagnostics = imported->diagnostics;
        return json(std::move(out));
    }
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    if (arguments.stage == "rewritten" && arguments.application) {
        FW_TRY(const GraphPtr behind, behindApplication(*imported, *simplified, arguments));
        return json(describeGraph(*behind, "rewritten", *imported->graph));
    }
    if (arguments.stage == "rewritten")
        return json(describeGraph(*simplified->graph, "rewritten", *imported->graph));
    if (arguments.stage == "partitioned")
        return json(partitionGraph(*pipeline, context));
    if (arguments.stage != "fused")
        return makeDiag(DiagCode::Usage, "there is no graph of stage " + arguments.stage, {},
                        "imported, rewritten, fused or partitioned");
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    return json(describeGraph(*simplified->graph, "fused", *imported->graph, plan));
}

// A log that is begun now decides nothing yet.
Arguments withKnownLog(Arguments arguments) {
    std::error_code error;
    if (!std::filesystem::exists(arguments.log, error))
        arguments.log.clear();
    return arguments;
}

// Measured is a model without free dimensions: those that are left take the extents of the data.
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
    return out;
}

// Names of libraries that were written in another spelling than the one that is shown.
std::vector<std::string> aliasNotices(const std::string& target) {
    std::vector<std::string> out;
    const std::string word = "-libs=";
    const std::size_t at = target.find(word);
    std::size_t from = at == std::string::npos ? target.size() : at + word.size();
    while (from < target.size() && target[from] != ' ') {
        const std::size_t end = std::min(target.find_first_of(", ", from), target.size());
        const std::string name = target.substr(from, end - from);
        const Result<Target> known = parseTarget(word + name);
        if (known && known->libs.size() == 1 && known->libs[0] != name)
            out.push_back(fmt::format("{} is another name of {}", name, known->libs[0]));
        from = end < target.size() && target[end] == ',' ? end + 1 : target.size();
    }
    return out;
}

Answer fuse(PipelineStore& store, const Arguments& given, const Context& context) {
    const bool measure = given.measure.value_or(false);
    FW_TRY(const Arguments arguments,
           measure ? withBoundDims(store, given, context) : Result<Arguments>(given));
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    const MadeStages before = pipeline->made();
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Target* target, pipeline->target());
    const bool decisions = arguments.decisions.value_or(true);
    FuseDocument out = describePlan(arguments.model, *simplified->graph, *plan, *target,
                                    decisions ? Edges::Describe : Edges::Leave);
    FW_TRY(const Books* books, pipeline->books());
    for (const Diag& diag : books->diagnostics)
        out.notices.push_back(diag.text());
    FW_TRY(const PlanOptions options, pipeline->planOptions());
    for (const Diag& diag : entriesWithoutCode(*options.catalog))
        out.notices.push_back(diag.text());
    for (std::string& notice : aliasNotices(pipeline->inputs().target))
        out.notices.push_back(std::move(notice));
    FW_TRY(const TuningLog* log, pipeline->log());
    FW_TRY(const Diags machine, checkMachine(*target));
    for (const Diags* told : {&log->diagnostics, &machine})
        for (const Diag& diag : *told)
            out.notices.push_back(diag.text());
    for (const Decision& stale :
         staleRecords(*log, pipeline->inputs().log, *simplified->graph, *plan, *target))
        out.notices.push_back(noticeText(stale));
    for (GroupRecord& group : out.groups) {
        if (!plan->groups[static_cast<std::size_t>(group.id)].hasCode())
            continue;
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "planning was cancelled");
        FW_TRY(const KernelReport report, pipeline->lowered(group.id, context));
        group.schedule = report.libraryCall.empty() ? report.scheduleText : report.libraryCall;
        if (!report.libraryCall.empty())
            group.call = CallRecord{report.library, report.postOps};
        for (const ReorderStep& step : report.reorders) {
            ReorderRecord row{step.name, step.value, step.layout, {}, {}};
            if (step.bytes >= 0) {
                Facts work;
                work.bytesRead = work.bytesWritten = step.bytes / 2;
                row.bytes = step.bytes;
                row.estUs = rooflineUs(work, *target, 1);
            }
            group.reorders.push_back(std::move(row));
        }
        const auto isOfFirst = [&](const Decision& decision) {
            return decision.subject == report.decisions.front().subject;
        };
        const bool nests =
            !std::all_of(report.decisions.begin(), report.decisions.end(), isOfFirst);
        for (Decision decision : decisions ? report.decisions : Decisions()) {
            decision.subject = nests && decision.subject != group.name
                                   ? fmt::format("{} ({})", group.name, decision.subject)
                                   : group.name;
            out.notices.push_back(noticeText(decision));
        }
    }
    const MadeStages& after = pipeline->made();
    out.made = {after.imported > before.imported, after.simplified > before.simplified,
                after.planned > before.planned,
                static_cast<std::int64_t>(after.lowered - before.lowered)};
    for (const auto& [name, extent] : arguments.dims)
        if (!given.dims.contains(name))
            out.notices.push_back(fmt::format("measured with {} = {}", name, extent));
    if (measure)
        FW_CHECK(measureGroups(*pipeline, arguments, out, context));
    if (!decisions) { // but what people asked for and did not get
        const std::string ofPins = std::string(codeText(ReasonCode::PinRefused)) + " ";
        std::erase_if(out.notices,
                      [&](const std::string& notice) { return !notice.starts_with(ofPins); });
    }
    return json(std::move(out));
}

Answer explainNodes(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Target* target, pipeline->target());
    FW_TRY(ExplainDocument out, explain(*simplified->graph, *plan, arguments.nodes));
    std::vector<NodeId> nodes;
    for (const std::string& name : arguments.nodes) {
        FW_TRY(const Node* node, findNode(*simplified->graph, name));
        nodes.push_back(node->id);
    }
    FW_TRY(const PlanOptions options, pipeline->planOptions());
    FW_TRY(out.counterfactuals,
           libraryCounterfactuals(*simplified->graph, *target, options, *plan, nodes));
    return json(std::move(out));
}

Answer match(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(matchModel(*pipeline, arguments, context));
}

Answer sketch(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(sketchModel(*pipeline, arguments, context));
}

Answer probe(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(probeModel(*pipeline, arguments, context));
}

Answer uses(PipelineStore& store, const Arguments& arguments, const Context& context) {
    return json(usesOf(store, arguments, context));
}

Answer drawing(PipelineStore&, const Arguments& arguments, const Context&) {
    return json(drawDeclaration(arguments));
}

Answer diff(PipelineStore& store, const Arguments& arguments, const Context& context) {
    return json(diffSide(store, arguments, context));
}

Answer rewrite(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(const Imported* imported, pipeline->imported(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    return json(describeRewrite(*imported, *simplified, arguments));
}

Answer step(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(stepModel(*pipeline, arguments, context));
}

Answer bisect(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(bisectModel(*pipeline, arguments, context));
}

Answer order(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    FW_TRY(OrderDocument document, describeOrder(*pipeline, arguments, context));
    if (arguments.each.value_or(false))
        FW_CHECK(tellGains(store, arguments, context, document));
    return json(std::move(document));
}

Answer stages(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(stageText(*pipeline, arguments, context));
}

Answer schedule(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(describeSchedule(*pipeline, arguments, context));
}

Answer exportModule(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(exportTo(*pipeline, arguments, context));
}

// What the runtime refuses knows no file.
template <class T>
Result<T> inModel(const Pipeline& pipeline, Result<T> answer) {
    if (answer.ok() || exitCode(answer.diag().code) != 2)
        return answer;
    return pipeline.inFile(answer.takeDiag());
}

Answer run(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(inModel(*pipeline, runModel(*pipeline, arguments, context)));
}

Answer profile(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(inModel(*pipeline, profileModel(*pipeline, arguments, context)));
}

Answer tune(PipelineStore& store, const Arguments& given, const Context& context) {
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
    return json(tuneModel(*pipeline, given.log, arguments, context));
}

std::vector<std::string> modelsOf(const Arguments& arguments) {
    return arguments.models.empty() ? std::vector<std::string>{arguments.model} : arguments.models;
}

// `part` gives the part of the document for one model.
template <class Document, class Part>
Answer eachModel(PipelineStore& store, const Arguments& arguments, const Part& part) {
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
    return json(std::move(out));
}

Answer verify(PipelineStore& store, const Arguments& arguments, const Context& context) {
    return eachModel<VerifyDocument>(store, arguments,
                                     [&](Pipeline& pipeline, const Arguments& one, auto&) {
                                         return verifyModel(pipeline, one, context);
                                     });
}

Answer bench(PipelineStore& store, const Arguments& arguments, const Context& context) {
    return eachModel<BenchDocument>(
        store, arguments, [&](Pipeline& pipeline, const Arguments& one, BenchDocument& out) {
            return benchModel(pipeline, one, context, out.notices);
        });
}

Answer value(PipelineStore& store, const Arguments& arguments, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    return json(describeValue(*pipeline, arguments, context));
}

Answer test(PipelineStore& store, const Arguments& arguments, const Context& context) {
    TestDocument out;
    for (std::size_t i = 0; i < arguments.folders.size(); ++i) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the test was cancelled");
        context.report("test", arguments.folders[i], i, arguments.folders.size());
        FW_TRY(CaseRecord done, testFolder(store, arguments.folders[i], arguments, context));
        out.cases.push_back(std::move(done));
        const std::string& verdict = out.cases.back().verdict;
        ++out.total;
        ++(verdict == "passed"        ? out.passed
           : verdict == "unsupported" ? out.unsupported
                                      : out.failed);
    }
    return json(std::move(out));
}

Answer ops(PipelineStore&, const Arguments& arguments, const Context&) {
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    OpsDocument out = describeOperators(*books.operators, books.strategy, arguments.name);
    if (out.ops.empty())
        return makeDiag(DiagCode::UnknownName, "there is no operator named " + arguments.name, {},
                        operatorHint(arguments.name, *books.operators, nullptr));
    return json(std::move(out));
}

Answer doctor(PipelineStore&, const Arguments& arguments, const Context& context) {
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
    return json(std::move(out));
}

Answer check(PipelineStore&, const Arguments& arguments, const Context& context) {
    FW_TRY(CheckDocument document, checkBook(arguments, context));
    if (!arguments.output.empty())
        FW_CHECK(saveCounterexamples(document, arguments.output));
    return json(std::move(document));
}

Answer book(PipelineStore&, const Arguments& arguments, const Context&) {
    return json(shippedBook(arguments));
}

Answer format(PipelineStore&, const Arguments& arguments, const Context&) {
    return json(formatBook(arguments));
}

Answer assist(PipelineStore& store, const Arguments& arguments, const Context& context) {
    return json(assistAt(store, arguments, context));
}

struct Row {
    const char* name;
    Answer (*run)(PipelineStore&, const Arguments&, const Context&);
};

constexpr Row rows[] = {
    {"open", info},
    {"info", info},
    {"graph", graph},
    {"fuse", fuse},
    {"explain", explainNodes},
    {"match", match},
    {"sketch", sketch},
    {"drawing", drawing},
    {"probe", probe},
    {"uses", uses},
    {"diff", diff},
    {"rewrite", rewrite},
    {"step", step},
    {"bisect", bisect},
    {"order", order},
    {"stages", stages},
    {"schedule", schedule},
    {"export", exportModule},
    {"run", run},
    {"profile", profile},
    {"tune", tune},
    {"verify", verify},
    {"bench", bench},
    {"test", test},
    {"value", value},
    {"ops", ops},
    {"doctor", doctor},
    {"check", check},
    {"book", book},
    {"format", format},
    {"assist", assist},
};

} // namespace

namespace {

constexpr std::pair<const char*, Result<std::string> (SentFiles::*)(const Arguments&)> ofFiles[] = {
    {"place", &SentFiles::place},
    {"put", &SentFiles::put},
    {"take", &SentFiles::take},
};

} // namespace

Result<Commands::Write> Commands::answer(const Request& request, const Context& context) {
    for (const auto& [name, run] : ofFiles)
        if (request.command == name) {
            FW_TRY(const std::string document, (m_sent.*run)(request.arguments));
            return Write([document](const JsonSink& sink) { sink(document); });
        }
    for (const Row& row : rows) {
        if (request.command != row.name)
            continue;
        try {
            FW_TRY(const Arguments arguments, withDocument(request.arguments));
            return row.run(m_store, arguments, context);
        } catch (const std::exception& error) {
            if (auto limit = systemLimitOf(error, {request.arguments.model}))
                return std::move(*limit);
            return makeDiag(DiagCode::Internal, error.what(), {request.arguments.model},
                            "this is a mistake of the program, please report it");
        }
    }
    return makeDiag(DiagCode::Usage, "the worker has no command " + request.command);
}

Result<std::string> Commands::run(const Request& request, const Context& context) {
    FW_TRY(const Write write, answer(request, context));
    std::string out;
    write([&](std::string_view piece) { out += piece; });
    return out;
}

std::vector<std::string> Commands::names() {
    std::vector<std::string> out;
    for (const Row& row : rows)
        out.emplace_back(row.name);
    return out;
}

} // namespace fw
