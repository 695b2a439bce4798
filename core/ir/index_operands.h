// Operands whose elements say where along an axis another one is read or written.
#pragma once

#include "ir/operator.h"
#include "ir/tensor_data.h"

#include <optional>

namespace fw {

// Elements `first`, `first` + `step`, ... of an operand, in row-major order, are places on an axis:
// counted from its beginning, negative ones from its end.
struct IndexOperand {
    std::size_t operand = 0; // of OpInst::inputs
    Expr extent;             // of the axis
    std::uint32_t first = 0;
    std::uint32_t step = 1;
    std::optional<std::int64_t> ignored = std::nullopt; // an element that picks nothing

    bool operator==(const IndexOperand&) const = default;
};

// What wrap() and the native operators of that kind take from an operand, of which every such
// element counts: not what stands in a branch that may not be taken, but for one that a single
// value of the element itself leaves out. None where the call has no tensor expression.
std::vector<IndexOperand> indexOperands(const Operator& op, const OpCall& call);

// Whether the result of `inst` holds every element of its operand `operand`, as the same integer,
// and none beside: it is cast to a wider type, moved or repeated.
bool handsOnIntegers(const OpInst& inst, std::size_t operand);

// The first element that lies outside of an axis of this extent; an axis without elements has none.
std::optional<std::size_t> firstOutside(const TensorData& data, const IndexOperand& index,
                                        std::int64_t extent);
// How far an axis has to reach for all of them.
std::int64_t neededExtent(const TensorData& data, const IndexOperand& index);

} // namespace fw
