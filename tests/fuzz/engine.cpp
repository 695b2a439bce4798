#include "fuzz/engine.h"
#include "fusion/plan.h"

#include "extern/extern.h"
#include "syntax/parser.h"
#include "target/target.h"

#include <cstdlib>

namespace fw::fuzz {

Engine::Engine() : m_books(readBooks({})), m_cache({.folder = {}}) {}

Result<GraphPtr> Engine::rewritten(const GraphPtr& graph) const {
    FW_TRY(Rewritten out, rewriteGraph(graph, m_books.rules, {}));
    return out.graph;
}

Result<FusionPlan> Engine::plan(const Graph& graph, const Way& way) {
    if (!m_catalog)
        m_catalog = std::make_unique<const Catalog>(catalogOf(externLibraries(), m_books.strategy));
    FW_TRY(const Target target, parseTarget(way.target));
    FusionBook book = m_books.fusion;
    for (const PinClause& pin : way.pins)
        book.addPin({pin, "fuzz"});
    const FileTree written = parseFile(way.fusion, "fuzz");
    if (!written.errors.empty())
        return written.errors.front();
    book.add(written.declarations, "fuzz");
    PlanOptions options;
    options.catalog = m_catalog.get();
    options.book = &book;
    return planFusion(graph, target, options);
}

Result<CompiledModule> Engine::compile(const Graph& graph, const FusionPlan& plan, const Way& way,
                                       KernelCache* cache) {
    FW_TRY(const Target target, parseTarget(way.target));
    ModuleOptions options;
    options.compileThreads = 1;
    options.cache = cache;
    return compileModule(graph, plan, target, options);
}

Result<Built> Engine::build(const GraphPtr& graph, const Way& way) {
    Built out;
    out.graph = graph;
    if (way.rewritten) {
        FW_TRY(out.graph, rewritten(graph));
    }
    FW_TRY(out.plan, plan(*out.graph, way));
    FW_TRY(CompiledModule module, compile(*out.graph, out.plan, way, &m_cache));
    out.module = std::make_shared<const CompiledModule>(std::move(module));
    FW_TRY(const Target target, parseTarget(way.target));
    FW_TRY(out.loaded, loadModule(out.module, target));
    return out;
}

const std::vector<Level>& levels() {
    static const std::vector<Level> all = {
        {"sse41", "x86-64-v2", "SSE41", "Nehalem"},
        {"avx", "x86-64-v2", "AVX", "Sandybridge"},
        {"avx2", "x86-64-v3", "AVX2", "Haswell"},
        {"avx512", "x86-64-v4", "AVX512_CORE", "SkylakeX"},
    };
    return all;
}

const Level* findLevel(const std::string& name) {
    for (const Level& level : levels())
        if (level.name == name)
            return &level;
    return nullptr;
}

bool canPlay(const Level& level) {
    const Result<Target> target = parseTarget(std::string("-mcpu=") + level.cpu);
    return target.ok() && target->isHost;
}

void playLevel(const Level& level) {
    setenv("ONEDNN_MAX_CPU_ISA", level.onednn, 1);
    setenv("OPENBLAS_CORETYPE", level.openblas, 1);
}

} // namespace fw::fuzz
