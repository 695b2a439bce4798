#include "session/size_ranges.h"

#include "ir/bound_dims.h"
#include "onnx/model/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Result<Symbol> freeDim(const Graph& graph, const std::string& name) {
    const std::vector<Symbol> free = graph.freeDims();
    for (const std::string& wanted : {name, dimName(name)})
        if (const auto found = std::find(free.begin(), free.end(), Symbol(wanted));
            found != free.end())
            return *found;
    std::string others;
    for (const Symbol& dim : free)
        others += (others.empty() ? "there are " : ", ") + std::string(dim.text());
    return makeDiag(DiagCode::UnknownName, "there is no free dimension " + cleanText(name), {},
                    others.empty() ? "no dimension is free" : others);
}

Result<GraphPtr> withAssumptions(const GraphPtr& graph, const std::vector<Assumption>& all) {
    GraphEditor editor(*graph);
    for (const Assumption& assumption : all)
        editor.assume(assumption);
    return editor.finish();
}

} // namespace

Status assumeRanges(const std::map<std::string, snapshot::SizeRange>& ranges, Imported& imported) {
    std::vector<Assumption> all;
    for (const auto& [name, range] : ranges) {
        FW_TRY(const Symbol dim, freeDim(*imported.graph, name));
        if (range.most > largestBoundDim)
            return makeDiag(DiagCode::DimOverflow,
                            fmt::format("{} up to {}: a free dimension is at most {}", dim.text(),
                                        range.most, largestBoundDim));
        const Expr size = varExpr(dim);
        all.push_back({andExpr(leExpr(Expr(range.least), size), leExpr(size, Expr(range.most))),
                       fmt::format("{} is from {} to {}", dim.text(), range.least, range.most),
                       fmt::format("--dim {}={}..{}", dim.text(), range.least, range.most)});
    }
    if (all.empty())
        return {};
    const bool one = imported.graph == imported.inlined;
    FW_TRY(imported.graph, withAssumptions(imported.graph, all));
    if (one) {
        imported.inlined = imported.graph;
    } else {
        FW_TRY(imported.inlined, withAssumptions(imported.inlined, all));
    }
    return {};
}

Status checkRanges(const std::map<std::string, snapshot::SizeRange>& ranges,
                   const std::map<std::string, std::int64_t>& sizes) {
    for (const auto& [name, range] : ranges)
        for (const std::string& dim : {name, dimName(name)})
            if (const auto size = sizes.find(dim);
                size != sizes.end() && (size->second < range.least || size->second > range.most))
                return makeDiag(
                    DiagCode::InputMismatch,
                    fmt::format("{} is from {} to {} (--dim); in the data it is {}", cleanText(dim),
                                range.least, range.most, size->second),
                    {},
                    fmt::format("give inputs whose sizes agree, or --dim {}=N for made-up ones",
                                cleanText(dim)));
    return {};
}

} // namespace fw
