// OpInst: what a node (or a fused group) computes, with ranks and attributes fixed.
//
// A list of stages in execution order over logical indices, no layout, no order of loops. A stage
// is a map or one reduction:
//     out[store(space)] = body                                     (no reduce axes)
//     out[store(space)] = reducer over `reduce` axes of body       (identity when an axis is empty)
// `store` is usually the space variables themselves; concat writes at an offset. Variables are
// unique within an OpInst. A fused group is only a larger OpInst: stages concatenated, tensors
// renamed.
#pragma once

#include "ir/tensor_type.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace fw {

struct Axis {
    Symbol var;
    Expr extent;
    bool operator==(const Axis&) const = default;
};

enum class Reducer : std::uint8_t { None, Sum, Prod, Max, Min };

struct Stage {
    Symbol out; // tensor written
    std::vector<Axis> space;
    Exprs store; // one index per dimension of `out`
    Reducer reducer = Reducer::None;
    std::vector<Axis> reduce;
    Expr body;
    std::vector<std::int64_t> nodes; // graph nodes this stage comes from (provenance)

    bool isMap() const { return reducer == Reducer::None; }
    bool operator==(const Stage&) const = default;
};

struct TensorDecl {
    Symbol name;
    TensorType type;
    bool operator==(const TensorDecl&) const = default;
};

struct OpInst {
    std::vector<TensorDecl> inputs;
    std::vector<TensorDecl> outputs;
    std::vector<TensorDecl> temporaries; // written and read inside only
    std::vector<Stage> stages;

    const TensorDecl* find(Symbol name) const; // in inputs, outputs, temporaries
    std::string text() const; // the tensor expression, as in a .fw body; reads back
    bool operator==(const OpInst&) const = default;
};

Expr reducerIdentity(Reducer reducer, DType dtype); // 0, 1, -inf / lowest, +inf / highest
Expr reducerCombine(Reducer reducer, const Expr& accumulated, const Expr& value);
std::string_view reducerText(Reducer reducer); // "sum", "prod", "max", "min", "" for None

std::set<Symbol> axesOf(const OpInst& inst);     // every variable that an axis binds
std::set<Symbol> freeDimsOf(const OpInst& inst); // every variable that no axis binds

// Renames tensors and the variables of axes; tensors that `tensors` does not list keep their names.
OpInst renamed(const OpInst& inst, const std::vector<std::pair<Symbol, Symbol>>& tensors,
               const std::function<Symbol(Symbol)>& variable);

} // namespace fw
