// The way of a graph through the compiler, in this process.
#pragma once

#include "book/book.h"
#include "fuzz/case.h"
#include "module/kernel_cache.h"
#include "module/load.h"
#include "strategy/catalog.h"

namespace fw::fuzz {

// Which way a graph takes.
struct Way {
    std::string target; // as text; empty: this machine, every library that is there
    std::vector<PinClause> pins = {};
    std::string fusion = {}; // fusion rules beside the shipped ones, as a book
    bool rewritten = true;   // by the shipped rules, before it is planned
};

struct Built {
    GraphPtr graph; // that was planned
    FusionPlan plan;
    std::shared_ptr<const CompiledModule> module;
    std::unique_ptr<LoadedModule> loaded;
};

class Engine {
public:
    Engine();
    // Opens no library before the first plan. What was compiled is kept in memory, by content.
    Result<Built> build(const GraphPtr& graph, const Way& way);
    Result<GraphPtr> rewritten(const GraphPtr& graph) const;
    Result<FusionPlan> plan(const Graph& graph, const Way& way);
    Result<CompiledModule> compile(const Graph& graph, const FusionPlan& plan, const Way& way,
                                   KernelCache* cache);
    KernelCache& cache() { return m_cache; }
    const std::shared_ptr<const OperatorSet>& operators() const { return m_books.operators; }

private:
    Books m_books;
    std::unique_ptr<const Catalog> m_catalog;
    KernelCache m_cache;
};

// A set of instructions for own code and libraries together. A library takes its own once per
// process, so playLevel comes before the first plan.
struct Level {
    const char* name;     // "avx2"
    const char* cpu;      // -mcpu of own code
    const char* onednn;   // ONEDNN_MAX_CPU_ISA
    const char* openblas; // OPENBLAS_CORETYPE
};
const std::vector<Level>& levels();
const Level* findLevel(const std::string& name);
bool canPlay(const Level& level);
void playLevel(const Level& level);

} // namespace fw::fuzz
