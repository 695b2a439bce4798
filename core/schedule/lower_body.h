// Bodies of stages while they are being lowered: conditions that make a reduction step a no-op.
#pragma once

#include "ir/op_inst.h"

#include <map>
#include <optional>

namespace fw {

// A reduction body and what must hold for it to differ from the reducer's identity:
//     sum of pad(x[i + k - 1], 0) * w[k]   ->   x[i + k - 1] * w[k]  where  0 <= i + k - 1 < N
// `shapeOf` gives the logical shape of a tensor.
struct GuardedBody {
    Exprs conditions;
    Expr body;
};
GuardedBody guardedBody(const Expr& body, Reducer reducer,
                        const std::function<Shape(Symbol)>& shapeOf);

// Of a map that computes element by element of a sum over the same axes: its variables -> those of
// the sum.
std::optional<std::map<Symbol, Symbol>> followedAxes(const Stage& map, const Stage& sum);

// Whether it stores at its own axes, one after another.
bool storesPlainly(const Stage& stage);

} // namespace fw
