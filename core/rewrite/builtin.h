// Rewrites that are not rules: they look at values or at the whole graph.
#pragma once

#include "rewrite/progress.h"

namespace fw {

// One entry of a book on its way through one graph: it remembers what it has seen.
class BuiltinRewrite {
public:
    BuiltinRewrite() = default;
    BuiltinRewrite(const BuiltinRewrite&) = delete;
    BuiltinRewrite& operator=(const BuiltinRewrite&) = delete;
    virtual ~BuiltinRewrite() = default;
    // All that can be done, each as an application of `entry`; how many there were.
    virtual Result<std::size_t> run(RewriteProgress& progress, std::size_t entry) = 0;
};

// fold_constants: operators whose operands are all constants become their value.
// cse: a node becomes an earlier one that computes the same from the same.
// nullptr if there is none of this name.
std::unique_ptr<BuiltinRewrite> makeBuiltin(std::string_view name);
const std::vector<std::string>& builtinNames();
Diags checkBuiltin(const BuiltinTree& builtin, const std::string& file);

} // namespace fw
