// A graph over the operators of one book, planned, compiled and loaded with own code on one thread.
#pragma once

#include "fusion/plan.h"
#include "loop/trial.h"
#include "session/pipeline.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

namespace fw::test {

using Sizes = std::map<std::string, std::int64_t>; // of free dimensions

struct Made {
    Books books;
    GraphPtr graph;
    FusionPlan plan;
    std::unique_ptr<const Catalog> catalog;
    std::unique_ptr<LoadedModule> loaded;
};

// Throws InternalError with what the book is refused for.
inline std::unique_ptr<Made> made(const std::string& book, const std::string& graph,
                                  const std::string& cpu = "x86-64-v3") {
    auto out = std::make_unique<Made>();
    out->books = readBooks({{"my.fw", book}});
    for (const Diag& diag : out->books.diagnostics)
        if (diag.severity == Severity::Error)
            throw InternalError(diag.text());
    const Target target =
        parseTarget(fmt::format("x86-64 -mcpu={} -libs= -threads=1", cpu)).value();
    out->catalog = std::make_unique<const Catalog>(generatedImplementations(), out->books.strategy);
    out->graph = parseGraph(graph, out->books.operators).value();
    PlanOptions options;
    options.catalog = out->catalog.get();
    options.book = &out->books.fusion;
    out->plan = planFusion(*out->graph, target, options).value();
    const auto module =
        std::make_shared<CompiledModule>(compileModule(*out->graph, out->plan, target).value());
    out->loaded = loadModule(module, target).take();
    return out;
}

inline Bindings bound(const Sizes& sizes) {
    Bindings out;
    for (const auto& [name, value] : sizes)
        out[Symbol(name)] = value;
    return out;
}

// The first bad access of the loops of a plan, with these sizes; empty: there is none.
inline std::string badAccess(const Made& made, const Sizes& sizes) {
    for (const Group& group : made.plan.groups) {
        if (!group.lowering.kernel)
            continue;
        std::uint64_t steps = 3'000'000;
        const Result<TrialEnd> ran =
            tryLoops(group.lowering.kernel->choice.lowered.nest, bound(sizes), steps);
        if (!ran)
            return ran.diag().message;
    }
    return {};
}

} // namespace fw::test
