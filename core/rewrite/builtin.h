// Rewrites that are not rules: they look at values or at the whole graph.
#pragma once

#include "base/decision.h"
#include "rewrite/driver.h"

namespace fw {

struct BuiltinResult {
    GraphPtr graph; // the given one if nothing was done
    std::size_t count = 0;
    std::vector<std::string> lines;
    Decisions decisions;
};

// Replaces operators whose operands are all constants by their value.
Result<BuiltinResult> foldConstants(const GraphPtr& graph, const RewriteOptions& options);
// Replaces a node by an earlier one that computes the same from the same.
Result<BuiltinResult> eliminateCommon(const GraphPtr& graph, const RewriteOptions& options);

using Builtin = Result<BuiltinResult> (*)(const GraphPtr&, const RewriteOptions&);
Builtin findBuiltin(std::string_view name); // nullptr if there is none
const std::vector<std::string>& builtinNames();
Diags checkBuiltin(const BuiltinTree& builtin, const std::string& file);

} // namespace fw
