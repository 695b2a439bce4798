#include "session/pipeline.h"

#include "base/stopwatch.h"
#include "extern/extern.h"
#include "extern/user_library.h"
#include "fusion/computable.h"
#include "fusion/plan.h"
#include "library/library.h"
#include "module/kernel_cache.h"
#include "onnx/model/tensor_file.h"
#include "rewrite/apply.h"
#include "rewrite/required.h"
#include "session/book_texts.h"
#include "session/calibrate.h"
#include "session/computable.h"
#include "session/graph_file.h"
#include "session/refuted_rules.h"
#include "session/runnable.h"
#include "session/size_ranges.h"
#include "session/stage_keys.h"
#include "strategy/machine.h"
#include "syntax/op.h"
#include "syntax/test.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace fw {

namespace {

Diag cancelled() {
    return makeDiag(DiagCode::Cancelled, "the work was cancelled");
}

// Adds what a memo comes to hold meanwhile.
class CountLowered {
public:
    CountLowered(const LoweringMemo& memo, MadeStages& made)
        : m_memo(memo), m_made(made), m_before(memo.made()) {}
    ~CountLowered() { m_made.lowered += m_memo.made() - m_before; }
    CountLowered(const CountLowered&) = delete;
    CountLowered& operator=(const CountLowered&) = delete;

private:
    const LoweringMemo& m_memo;
    MadeStages& m_made;
    const std::size_t m_before;
};

constexpr const char* onlyComputable = "only what can be computed\n"; // in keys

} // namespace

void Context::report(const std::string& stage, const std::string& text, std::size_t done,
                     std::size_t total) const {
    if (progress)
        progress({stage, text, done, total});
}

Pipeline::Pipeline(PipelineInputs inputs, Stamps stamps, std::shared_ptr<SharedStages> shared)
    : m_inputs(std::move(inputs)), m_stamps(std::move(stamps)), m_shared(std::move(shared)),
      m_modelFile(modelFileOf(m_inputs.model)) {}

template <class T, class Make>
Result<const T*> Pipeline::keep(KeptResult<T>& kept, Make make) {
    if (!kept.result) {
        auto made = std::make_shared<const Result<T>>(make());
        // A cancelled stage is asked again the next time.
        if (!made->ok() && made->diag().code == DiagCode::Cancelled)
            return made->diag();
        kept.result = std::move(made);
    }
    if (!kept.result->ok())
        return kept.result->diag();
    return &kept.result->value();
}

template <class T, class Make>
Result<const T*> Pipeline::share(KeptResult<T>& kept, SharedResults<T>& shared,
                                 const std::string& key, Make make) {
    if (!kept.result)
        kept.result = shared.find(key);
    const bool known = kept.result != nullptr;
    Result<const T*> out = keep(kept, make);
    if (!known && kept.result && kept.result->ok())
        shared.add(key, kept.result);
    return out;
}

std::string Pipeline::importKey(const Books& books) const {
    return fw::importKey(m_inputs, m_modelFile + "\n" + m_stamps.model, books);
}

std::string Pipeline::simplifyKey(const Books& books) {
    std::string key = importKey(books) + rulesKey(m_inputs, books);
    if (asksTarget(books)) {
        ownLibraries(books);
        key += m_inputs.target + "\n" + m_ownFiles;
        if (const Result<const Target*> on = target()) // a book may declare it anew
            key += fmt::format("{}\n", fmt::join(targetKeys(**on), " "));
    }
    return key;
}

Result<const TargetOffer*> Pipeline::offer() {
    FW_TRY(const Target* on, target());
    FW_CHECK(holdLibraries(*on)); // before one is opened to see whether it is there
    FW_TRY(const PlanOptions options, planOptions());
    m_offer = {targetKeys(*on), options.catalog->libraries(*on)};
    return &m_offer;
}

// A plan cites the places of what decided, so these belong to it.
std::string Pipeline::planKey(const Books& books, const Target& on) {
    std::string key =
        fmt::format("{}\n{}\n{} {}\n", simplifyKey(books), on.text, m_inputs.log, m_stamps.log);
    if (m_inputs.computable)
        key += onlyComputable;
    ownLibraries(books);
    key += m_ownFiles;
    return key + planTexts(books);
}

Result<const Books*> Pipeline::books() {
    return keep(m_books, [&]() -> Result<Books> {
        FW_TRY(std::vector<BookText> texts, bookTexts(m_inputs.rules, m_inputs.texts));
        if (!m_inputs.pins.empty())
            texts.push_back({pinsOfTheUser, m_inputs.pins});
        return readBooks(texts);
    });
}

Result<const TuningLog*> Pipeline::log() {
    return keep(m_log, [&] {
        return m_inputs.log.empty() ? Result<TuningLog>(TuningLog()) : readTuningLog(m_inputs.log);
    });
}

const std::vector<std::shared_ptr<const Library>>& Pipeline::ownLibraries(const Books& books) {
    if (!m_ownLibraries) {
        for (const DeclaredLibrary& library : books.libraries)
            m_ownFiles +=
                fmt::format("{} {} {}\n", library.name, fileOf(library), contentOf(library));
        for (const std::string& one : m_inputs.agreed)
            m_ownFiles += one + "\n";
        m_ownLibraries = userLibraries(books.libraries, m_inputs.agreed);
    }
    return *m_ownLibraries;
}

Result<PlanOptions> Pipeline::planOptions() {
    FW_TRY(const Books* known, books());
    FW_TRY(const TuningLog* log, this->log());
    if (!m_catalog) {
        std::vector<std::shared_ptr<const Library>> libraries = externLibraries();
        const auto& own = ownLibraries(*known);
        libraries.insert(libraries.end(), own.begin(), own.end());
        m_catalog = std::make_unique<const Catalog>(
            catalogOf(libraries, known->strategy,
                      m_inputs.log.empty() ? std::nullopt : std::optional(log->measurements)));
    }
    PlanOptions out;
    out.catalog = m_catalog.get();
    out.book = &known->fusion;
    FW_TRY(out.memo, lowerings());
    return out;
}

Result<LoweringMemo*> Pipeline::lowerings() {
    if (!m_lowerings) {
        FW_TRY(const Books* known, books());
        std::string text = known->operatorText;
        if (m_imported.result && m_imported.result->ok())
            text += m_imported.result->value().operatorText;
        std::weak_ptr<LoweringMemo>& shared = m_shared->lowerings[text];
        m_lowerings = shared.lock();
        if (!m_lowerings)
            shared = m_lowerings = std::make_shared<LoweringMemo>(text);
        std::erase_if(m_shared->lowerings, [](const auto& one) { return one.second.expired(); });
    }
    return m_lowerings.get();
}

Result<const Imported*> Pipeline::imported(const Context& context) {
    const auto start = std::chrono::steady_clock::now();
    FW_TRY(const Books* known, books());
    return share(m_imported, m_shared->imported, importKey(*known), [&]() -> Result<Imported> {
        context.report("import", m_modelFile);
        ImportOptions options;
        options.dims = m_inputs.dims;
        options.types = m_inputs.types;
        options.define = withModelOperators;
        FW_TRY(Imported imported,
               isGraphFile(m_modelFile)
                   ? readGraphFile(m_modelFile, known->operators, m_inputs.dims, m_inputs.types)
                   : importModel(m_modelFile, known->operators, options, context.cancel));
        FW_CHECK(assumeRanges(m_inputs.ranges, imported));
        m_importMs = millisecondsSince(start);
        ++m_shared->made.imported;
        WeightFiles& weights = m_shared->weightFiles[m_modelFile];
        weights.stamps.clear();
        for (const std::string& file : imported.weightFiles)
            weights.stamps[file] = stampOf(file);
        return imported;
    });
}

Status Pipeline::runnable(const Context& context) {
    FW_TRY(const Imported* source, imported(context));
    FW_TRY(const Simplified* simple, whole(context));
    const Diags problems = reasonsNotToRun(*simple->graph);
    if (problems.empty())
        return {};
    Diag first = closerReason(problems.front(), source->diagnostics);
    if (problems.size() > 1)
        first.message += fmt::format("; {} other node{} cannot run either (fw info)",
                                     problems.size() - 1, problems.size() > 2 ? "s" : "");
    return inFile(std::move(first));
}

Result<Pipeline*> Pipeline::computable(const Context& context) {
    FW_TRY(const Simplified* all, whole(context));
    if (m_inputs.computable || reasonsNotToRun(*all->graph).empty())
        return this;
    if (!hasComputable(*all->graph))
        return runnable(context).takeDiag();
    if (!m_computable) {
        PipelineInputs inputs = m_inputs;
        inputs.computable = true;
        m_computable = std::make_unique<Pipeline>(std::move(inputs), m_stamps, m_shared);
        m_computable->m_importMs = m_importMs;
        m_computable->m_rewriteMs = m_rewriteMs;
    }
    return m_computable.get();
}

bool Pipeline::importFailed() const {
    return m_imported.result && !m_imported.result->ok();
}

Result<RewriteOptions> Pipeline::rewriteOptions(const Context& context) {
    FW_TRY(const Books* known, books());
    RewriteOptions options;
    options.cancel = context.cancel;
    FW_TRY(options.leftOut, parseLeftOut(m_inputs.leftOut));
    if (asksTarget(*known)) {
        FW_TRY(const TargetOffer* offered, offer());
        options.offer = offered;
    }
    return options;
}

Result<Rewritten> Pipeline::rewritten(const GraphPtr& graph, const Context& context) {
    FW_TRY(const Books* known, books());
    FW_TRY(const RewriteOptions options, rewriteOptions(context));
    return rewriteGraph(graph, known->rules, options);
}

Result<const Simplified*> Pipeline::simplified(const Context& context) {
    FW_TRY(const Simplified* all, whole(context));
    if (!m_inputs.computable)
        return all;
    FW_TRY(const Imported* source, imported(context));
    FW_TRY(const Books* known, books());
    return share(m_simplified, m_shared->simplified, simplifyKey(*known) + onlyComputable,
                 [&]() -> Result<Simplified> {
                     FW_TRY(ComputablePart part, computablePart(*all->graph, source->diagnostics));
                     return Simplified{part.graph, all->trace, std::move(part.leftOut)};
                 });
}

Result<const Simplified*> Pipeline::whole(const Context& context) {
    FW_TRY(const Imported* source, imported(context));
    FW_TRY(const Books* known, books());
    return share(m_whole, m_shared->simplified, simplifyKey(*known), [&]() -> Result<Simplified> {
        const auto start = std::chrono::steady_clock::now();
        context.report("rewrite", "simplify");
        FW_TRY(Rewritten out, rewritten(source->inlined, context));
        m_rewriteMs = millisecondsSince(start);
        ++m_shared->made.simplified;
        Decisions refuted = refutedRules(*known, out.trace, context.cancel);
        if (context.cancel.cancelled())
            return cancelled();
        out.trace.decisions.insert(out.trace.decisions.end(), refuted.begin(), refuted.end());
        return Simplified{out.graph, std::move(out.trace), {}};
    });
}

Diag Pipeline::inFile(Diag diag) const {
    return diag.at({.file = m_modelFile});
}

Result<const Target*> Pipeline::target() {
    FW_TRY(const Books* known, books());
    return keep(m_target, [&] {
        return parseTarget(m_inputs.target, declaredTargets(*known), namesOf(known->libraries));
    });
}

Status Pipeline::givesWhatIsRequired(const Graph& graph, const Books& books, const Target& on,
                                     const Context& context) const {
    constexpr std::size_t mostTold = 8;
    for (const SequenceTree* required : requiredBy(on.name, books.targets)) {
        FW_TRY(const std::vector<MissingSequence> missing,
               missingSequences(graph, required->pattern, books.patterns, context.cancel));
        if (missing.empty())
            continue;
        Diag out = makeDiag(DiagCode::NotRunnable,
                            fmt::format("the target {} requires {}", on.name, required->text),
                            {.file = m_modelFile, .node = graph.node(missing[0].node).name},
                            "choose another target, or a model that has the whole sequence; "
                            "fw match shows what a pattern finds");
        for (std::size_t i = 0; i < std::min(missing.size(), mostTold); ++i)
            out.message +=
                fmt::format("; {}: {}", graph.node(missing[i].node).name, missing[i].why);
        if (missing.size() > mostTold)
            out.message += fmt::format("; and {} other nodes", missing.size() - mostTold);
        return out;
    }
    return {};
}

Result<const FusionPlan*> Pipeline::plan(const Context& context) {
    FW_TRY(const Simplified* source, simplified(context));
    FW_TRY(const Books* known, books());
    FW_TRY(const Target* on, target());
    return share(m_plan, m_shared->plans, planKey(*known, *on), [&]() -> Result<FusionPlan> {
        FW_CHECK(givesWhatIsRequired(*source->graph, *known, *on, context));
        if (context.cancel.cancelled())
            return cancelled();
        const auto start = std::chrono::steady_clock::now();
        context.report("fuse", source->graph->name());
        Decisions notices;
        const double measured = machineMeasuringMs();
        FW_CHECK(checkMachine(*on));
        FW_CHECK(checkLibraries(*on, notices));
        FW_CHECK(checkUserLibraries(known->libraries, ownLibraries(*known), *on));
        m_librariesMs = millisecondsSince(start);
        FW_CHECK(calibrate(*on, context));
        FW_TRY(PlanOptions options, planOptions());
        options.cancel = context.cancel;
        FW_TRY(FusionPlan plan, planOf(*source->graph, options, *on));
        std::copy_if(source->trace.decisions.begin(), source->trace.decisions.end(),
                     std::back_inserter(notices), [](const Decision& decision) {
                         return wentWrong(decision) || decision.code == ReasonCode::RuleChanges;
                     });
        plan.notices.insert(plan.notices.begin(), notices.begin(), notices.end());
        m_machineMs = machineMeasuringMs() - measured;
        ++m_shared->made.planned;
        m_lowerMs = plan.lowerMs;
        m_fuseMs = millisecondsSince(start) - m_librariesMs - m_machineMs - m_lowerMs;
        return plan;
    });
}

Result<FusionPlan> Pipeline::planOf(const Graph& graph, const PlanOptions& options,
                                    const Target& on) const {
    const CountLowered count(*options.memo, m_shared->made);
    Result<FusionPlan> plan = planFusion(graph, on, options);
    if (!plan)
        return inFile(plan.takeDiag());
    return plan;
}

Result<CompiledModule> Pipeline::compileOf(const Graph& graph, const FusionPlan& plan,
                                           const Target& on, const Context& context) {
    ModuleOptions options;
    options.cancel = context.cancel;
    options.cache = &sharedKernelCache();
    FW_TRY(options.memo, lowerings());
    options.weights = &m_shared->weights;
    const CountLowered count(*options.memo, m_shared->made);
    options.progress = [&](const CompileProgress& step) {
        context.report("compile", step.text, step.done, step.total);
    };
    return compileModule(graph, plan, on, options);
}

Result<Apart> Pipeline::apart(GraphPtr graph, const PlanOptions& options, const Context& context,
                              const ApartRuns& runs) {
    FW_TRY(const Target* chosen, target());
    Target on = *chosen;
    on.threads = runs.threads.value_or(on.threads);
    if (const Diags problems = obstacles(*graph); !problems.empty())
        return inFile(problems.front());
    Apart out{std::move(graph), {}, nullptr, nullptr};
    PlanOptions bordered = options;
    bordered.border = runs.border;
    bordered.cancel = context.cancel;
    FW_TRY(out.plan, planOf(*out.graph, bordered, on));
    FW_TRY(CompiledModule module, compileOf(*out.graph, out.plan, on, context));
    out.compiled = std::make_shared<const CompiledModule>(std::move(module));
    FW_TRY(out.module, loadModule(out.compiled, on, runs.fill));
    out.module->stopBy(context.cancel);
    return out;
}

Result<const CompiledStage*> Pipeline::compiled(const Context& context) {
    FW_TRY(const FusionPlan* fused, plan(context));
    FW_TRY(const Simplified* source, simplified(context));
    FW_TRY(const Books* known, books());
    FW_TRY(const Target* on, target());
    return share(m_compiled, m_shared->compiled, planKey(*known, *on),
                 [&]() -> Result<CompiledStage> {
                     const auto start = std::chrono::steady_clock::now();
                     FW_TRY(CompiledModule module, compileOf(*source->graph, *fused, *on, context));
                     ++m_shared->made.compiled;
                     return CompiledStage{std::make_shared<const CompiledModule>(std::move(module)),
                                          millisecondsSince(start)};
                 });
}

Result<LoadedModule*> Pipeline::loaded(const Context& context) {
    if (!m_loaded) {
        FW_TRY(const CompiledStage* stage, compiled(context));
        FW_TRY(const Target* on, target());
        const auto start = std::chrono::steady_clock::now();
        FW_TRY(m_loaded, loadModule(stage->module, *on));
        m_loadMs = millisecondsSince(start);
    }
    m_loaded->stopBy(context.cancel);
    return m_loaded.get();
}

Result<KernelReport> Pipeline::lowered(int group, const Context& context) {
    FW_TRY(const FusionPlan* fused, plan(context));
    FW_TRY(const Simplified* source, simplified(context));
    FW_TRY(const Target* on, target());
    if (group < 0 || static_cast<std::size_t>(group) >= fused->groups.size())
        return makeDiag(DiagCode::UnknownName, fmt::format("there is no group {}", group), {},
                        fmt::format("groups are numbered from 0 to {}",
                                    static_cast<int>(fused->groups.size()) - 1));
    FW_TRY(LoweringMemo * memo, lowerings());
    const CountLowered count(*memo, m_shared->made);
    return groupReport(*source->graph, *fused, fused->groups[static_cast<std::size_t>(group)], *on,
                       memo);
}

} // namespace fw
