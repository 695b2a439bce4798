// Index expressions over free dimensions, as the runtime evaluates them.
#pragma once

#include "expr/expr.h"
#include "runtime/program.h"

namespace fw {

// `symbols` in the program's order. InternalError for what the runtime has no instruction for.
runtime::Expression programExpression(const Expr& e, const std::vector<Symbol>& symbols);

} // namespace fw
