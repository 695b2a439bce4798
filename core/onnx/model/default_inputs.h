// Initializers that are inputs of the graph as well: values that a run may replace.
//
// Since IR version 4 an initializer that is listed among the inputs is the default of that input;
// before, all of them had to be listed and none can be replaced. A default that is not given is a
// constant like any other, folded and laid out. One that has a type in ImportOptions::types is an
// input, and its value in the file is not read.
#pragma once

#include "ir/tensor_type.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

inline constexpr int firstIrWithDefaults = 4;

// As a graph declares one of its inputs.
struct DeclaredTensor {
    std::optional<DType> dtype;                                   // nullopt: any
    std::optional<std::vector<std::optional<std::int64_t>>> dims; // of a known rank, some sizes
    std::string text;                                             // "f32[N, 3]"

    bool takes(const TensorType& type) const;
};
DeclaredTensor declaredTensor(std::string_view valueInfo); // a ValueInfoProto

// Names and declarations only are read, no weights. Empty for what is no model.
std::map<std::string, DeclaredTensor> defaultInputsOf(std::string_view bytes);
std::map<std::string, DeclaredTensor> defaultInputs(const std::string& path); // empty if unreadable

// Why a name of which the graph has no free input cannot be given a value of that type: it is a
// weight of the file, or a default of another type. Empty where the file knows no such value.
std::string whyNotGiven(const std::string& path, const std::string& name, const TensorType& type);
// The same of a weight; `isListed` among the inputs.
std::string weightIsNotGiven(const std::string& name, bool isListed);

} // namespace fw
