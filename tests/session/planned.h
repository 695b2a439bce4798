// A book and a graph as text, planned for a target, and the module of the plan beside the
// reference.
#pragma once

#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "session/pipeline.h"
#include "tensor/evaluate_graph.h"

#include <cmath>
#include <fmt/format.h>

namespace fw::test {

inline Books booksOf(const std::string& text) {
    return readBooks({{"my.fw", text}});
}

struct Planned {
    Books books;
    Target target;
    std::unique_ptr<const Catalog> catalog;
    FusionPlan plan;
    GraphPtr graph;

    // Of the only group that is no view.
    const Group& group() const {
        for (const Group& one : plan.groups)
            if (!one.isView())
                return one;
        throw InternalError("no group");
    }
    std::string refusal(const std::string& implementation) const {
        for (const Candidate& candidate : group().candidates)
            if (candidate.implementation == implementation && candidate.verdict == Verdict::No)
                return candidate.evidence;
        return {};
    }
};

inline std::unique_ptr<Planned> planned(const std::string& book, const std::string& graph,
                                        const std::string& cpu = "x86-64-v3", int threads = 1) {
    auto out = std::make_unique<Planned>();
    out->books = booksOf(book);
    for (const Diag& diag : out->books.diagnostics)
        if (diag.severity == Severity::Error)
            throw InternalError(diag.text());
    out->target =
        parseTarget(fmt::format("x86-64 -mcpu={} -libs= -threads={}", cpu, threads)).value();
    out->catalog = std::make_unique<const Catalog>(generatedImplementations(), out->books.strategy);
    out->graph = parseGraph(graph, out->books.operators).value();
    PlanOptions options;
    options.catalog = out->catalog.get();
    options.book = &out->books.fusion;
    out->plan = planFusion(*out->graph, out->target, options).value();
    return out;
}

// The first difference between the module of the plan and the reference; empty: there is none.
inline std::string difference(const Planned& planned,
                              const std::map<std::string, std::int64_t>& dims = {}) {
    const auto module = std::make_shared<CompiledModule>(
        compileModule(*planned.graph, planned.plan, planned.target).value());
    const auto loaded = loadModule(module, planned.target).take();
    const auto inputs = loaded->randomInputs(3, dims).value();
    const auto got = loaded->run(inputs).value();
    const auto wanted = evaluateGraph(*planned.graph, inputs).value();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (std::size_t k = 0; k < wanted[i].count(); ++k) {
            const double a = got[i].at(k), b = wanted[i].at(k);
            if (!(std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b))))
                return fmt::format("{}[{}] is {}, not {}", i, k, a, b);
        }
    return {};
}

} // namespace fw::test
