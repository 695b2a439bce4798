// One call of an operator matched against its signature: what each name stands for, the shapes of
// the outputs, and how the dimensions of each operand relate to the pattern it was matched with.
#pragma once

#include "ir/operator.h"
#include "tensor/dim_names.h"

namespace fw {

// How one dimension of a pattern reads its operand, when broadcasting is allowed.
enum class Slot : std::uint8_t {
    Same,
    Zero,    // the operand has extent 1 here: read at 0
    Stretch, // equal or 1, which is known when the model runs: see tensor/broadcast.h
    Drop,    // the operand has no such dimension
};

struct BoundTensor {
    std::size_t param = 0;
    std::size_t element = 0; // of a variadic parameter
    std::string name;        // "x"; "xs0" for an element of a variadic one
    TensorType type;
    std::vector<Shape> items; // extents per item of the pattern, after broadcasting
    std::vector<Slot> slots;  // one per extent in `items`
};

struct BoundOutput {
    std::string name;
    TensorType type;
    std::vector<Shape> items;
};

struct Binding : BoundNames {
    std::vector<BoundTensor> tensors; // those present, in order
    std::vector<BoundOutput> outputs;

    const BoundTensor* find(std::size_t param, std::size_t element = 0) const;
};

// Diags carry the place in `file` when the text of the operator is to blame, and none when the call
// is.
Result<Binding> bindCall(const OpTree& op, const std::string& file, const OpCall& call);

} // namespace fw
