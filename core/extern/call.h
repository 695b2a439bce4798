// A group as calls of a library: what an adapter writes while compiling, before it becomes steps of
// a program.
//
// Extents are still expressions over the free dimensions, weights are packed. One call is one step;
// reorders that bring a tensor into the order that the library wants are steps of their own, so
// that their cost is seen.
#pragma once

#include "base/decision.h"
#include "base/hash.h"
#include "base/result.h"
#include "ir/graph.h"
#include "ir/storage_map.h"
#include "runtime/libraries.h"
#include "runtime/program.h"
#include "target/target.h"

#include <functional>
#include <optional>
#include <span>

namespace fw {

// The group: its anchor, what the library absorbs behind it, and what the plan says about memory.
struct CallSite {
    const Graph* graph = nullptr;
    runtime::LibraryId library = runtime::LibraryId::OneDnn; // whose call it is to be
    NodeId anchor = -1;
    std::vector<NodeId> epilogue;                            // in order
    std::function<StorageMap(ValueRef)> layout;              // where the plan stores a value
    std::function<bool(ValueRef, ValueRef output)> mayReuse; // the output may take its memory

    ValueRef output() const { return {epilogue.empty() ? anchor : epilogue.back(), 0}; }
};

// A constant in the order that a library wants, which is made when a module is put together.
struct PackedConstant {
    ValueRef from; // of the graph; nothing here holds its data
    std::size_t bytes = 0;
    Hash content; // of the data and of how they are packed
    std::function<Status(const TensorData& from, std::span<std::byte> out)> write;
};

// Memory that a step uses: a value of the graph, constants made by the adapter, or memory of its
// own between two steps.
struct ExternOperand {
    enum class Kind : std::uint8_t { Value, Packed, Between };
    Kind kind = Kind::Value;
    ValueRef value;
    bool constant = false; // Value: of the model, known while compiling
    std::string name;      // Packed, Between
    PackedConstant packed; // Packed
    Expr elements;         // Between
    runtime::Access access = runtime::Access::Read;
};

struct ExternArgument {
    runtime::Role role = runtime::Role::Input;
    std::uint32_t operand = 0; // into ExternStep::operands
    Exprs dims;
    Exprs strides; // elements; empty if a layout is named
    std::string layout;
    Expr offset = 0; // of the first element, in elements
};

// Of a call of a user's library.
struct ExternTensor {
    DType type = DType::F32;
    runtime::UserRole role = runtime::UserRole::Input;
    std::uint32_t operand = 0; // into ExternStep::operands; Inner: none
    Exprs dims;
};

struct ExternStep {
    std::string suffix; // of the group's name: "", "_reorder_in"
    runtime::LibraryId library = runtime::LibraryId::OneDnn;
    runtime::CallKind kind = runtime::CallKind::Matmul;
    std::vector<ExternArgument> arguments;
    Exprs attributes;
    std::vector<runtime::PostOp> postOps;
    float epsilon = 0;
    std::vector<ExternOperand> operands;
    // CallKind::Kernel: all of the call; its tensors stand beside it.
    runtime::UserCall user;
    std::vector<ExternTensor> tensors;

    std::string text() const; // "onednn convolution(...)"
};

struct ExternCall {
    std::vector<ExternStep> steps;
    std::vector<std::string> tail; // what follows on each element, in the call's words
    // Sum: the output lies where this value was.
    std::optional<ValueRef> reused;
    std::string kernel; // what the library answered: "brgconv:avx512_core"
    Decisions decisions;

    std::string text() const; // "onednn convolution(...) then bias, relu", one line per step
};

// Numbers in place of expressions; free dimensions take `free`.
runtime::ShapedCall shaped(const ExternStep& step, std::int64_t free);

// Where the elements of a value lie.
struct Placement {
    Exprs strides;
    Expr offset = 0;
};
// nullopt for maps that split a dimension.
std::optional<Placement> placementOf(const Shape& shape, const StorageMap& map);
Exprs rowMajorStrides(const Shape& shape);
// Both orders of an image are the same bytes.
bool sameEitherWay(const Shape& shape);

runtime::DataType programType(DType dtype); // InternalError for Text

} // namespace fw
