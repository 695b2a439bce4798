// A graph computed by a library and by the reference, and what the plan says of it.
#pragma once

#include "extern/extern.h"
#include "fusion/plan.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <cmath>
#include <set>

namespace fw::test {

// The shipped book leaves small products to generated code; here OpenBLAS takes all that it can.
inline StrategyBook bookFor(const std::string& library) {
    return library == "openblas" ? StrategyBook() : standardStrategy();
}

inline Catalog catalogWith(const std::string& library, StrategyBook book) {
    for (const auto& known : externLibraries())
        if (known->name() == library)
            return catalogOf({known}, std::move(book));
    throw InternalError("no library " + library);
}

inline Target target(const std::string& library) {
    return parseTarget("-libs=" + library + " -threads=2").value();
}

inline bool present(const std::string& library) {
    return externLibrary(library)->status().state == LibraryState::Ready;
}

inline FusionPlan planWith(const Graph& graph, const std::string& library, StrategyBook book) {
    const Catalog catalog = catalogWith(library, std::move(book));
    PlanOptions options;
    options.catalog = &catalog;
    return planFusion(graph, target(library), options).value();
}

// Implementations of the groups, without their numbers: "onednn.conv(conv2d_bias) generated...".
inline std::string groupsOf(const FusionPlan& plan) {
    std::string out;
    for (const Group& group : plan.groups)
        if (!group.isView())
            out += (out.empty() ? "" : " ") + group.implementation + "(" +
                   group.name.substr(0, group.name.find_last_of('_')) + ")";
    return out;
}

struct Outcome {
    double worst = 0; // difference to the reference, relative to the largest value
    std::string implementations;
    std::string calls;
    std::vector<std::string> moved;
    std::set<ReasonCode> codes; // of all decisions while compiling
};

inline Outcome judge(const GraphPtr& graph, const std::string& library,
                     const std::map<std::string, std::int64_t>& dims = {}) {
    Outcome out;
    const FusionPlan plan = planWith(*graph, library, bookFor(library));
    out.implementations = groupsOf(plan);
    auto module =
        std::make_shared<CompiledModule>(compileModule(*graph, plan, target(library)).value());
    for (const KernelReport& report : module->reports) {
        out.calls += report.libraryCall;
        for (const Decision& decision : report.decisions) {
            out.codes.insert(decision.code);
            if (decision.code == ReasonCode::MovedFromLibrary)
                out.moved.push_back(decision.evidence);
        }
    }
    auto loaded = loadModule(module, target(library)).take();
    const auto inputs = loaded->randomInputs(5, dims).value();
    const auto got = loaded->run(inputs).value();
    const auto again = loaded->run(inputs).value();
    const auto wanted = evaluateGraph(*graph, inputs).value();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        double largest = 1e-3;
        for (std::size_t k = 0; k < wanted[i].count(); ++k)
            largest = std::max(largest, std::abs(wanted[i].at(k)));
        for (std::size_t k = 0; k < wanted[i].count(); ++k) {
            const double difference = std::abs(got[i].at(k) - wanted[i].at(k)) / largest;
            out.worst = std::max(out.worst, std::isnan(difference) ? 1e9 : difference);
            if (got[i].at(k) != again[i].at(k))
                out.worst = 1e8; // the second run differs
        }
    }
    return out;
}

constexpr double tolerance = 2e-5;

} // namespace fw::test
