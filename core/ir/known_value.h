// What is known of a value before anything runs: its elements, as numbers or, of integers, as index
// expressions over free dimensions. Models compute their shapes so, and the operand of a Reshape
// can become an attribute although the batch is free.
#pragma once

#include "ir/operator.h"
#include "ir/tensor_data.h"

#include <optional>
#include <variant>
#include <vector>

namespace fw {

struct SmallTensor {
    DType dtype = DType::I64; // an integer type, or Bool
    std::vector<std::int64_t> extents;
    Exprs elements; // row-major; Bool elements are 0 or 1

    bool isFixed() const;
};

constexpr std::size_t smallTensorLimit = 1024; // elements

bool isSmallInteger(const TensorData& data);     // integers or truths, up to the limit
TensorData fixedData(const SmallTensor& tensor); // isFixed() must hold

using KnownValue = std::variant<TensorData, SmallTensor>; // the second is not fixed

KnownValue knownValue(SmallTensor tensor);            // its numbers where it is fixed
const TensorData* numbersIn(const KnownValue* value); // nullptr: it has none, or there is no value
std::optional<SmallTensor> integersIn(const TensorData& data); // isSmallInteger()
std::optional<SmallTensor> integersIn(const KnownValue& value);

// The results of a call by its own tensor expression, of which only those operands are read that
// are known (nullptr: it is not, or is absent): by the reference where all are numbers, else over
// free dimensions (the domain "sizes"; expr/evaluate.h). nullopt: they are not known.
std::optional<std::vector<KnownValue>> resultsOf(const Operator& op, const OpCall& call,
                                                 const std::vector<const KnownValue*>& operands);

// The same over free dimensions, of integers and truths: what is not an exact integer, what 64 bits
// or the element type may not hold, and a truth that cannot be proved are not known. Floats may be
// between: quotients of whole numbers that are rounded again.
std::optional<std::vector<SmallTensor>> sizesOf(const OpInst& inst,
                                                const std::vector<const KnownValue*>& operands);

} // namespace fw
