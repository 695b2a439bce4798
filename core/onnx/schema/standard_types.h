// Which element types the operators of the standard domain take, version by version: types grew
// over the opsets, and so did the texts that some attributes may be. One table, written from the
// operator specification.
#pragma once

#include "expr/dtype.h"
#include "onnx/model/proto.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fw {

using KnownType = std::optional<DType>; // nullopt: not known, or no operand

// The least opset from `opset` on in which a node takes operands of these element types and has
// results of those, as far as they are known, and which has its attributes and such texts of them,
// as far as a later one has; nullopt if no listed opset has. `opset` itself for what is not listed
// and for other domains. Sub-graphs are not looked at.
std::optional<std::int64_t> opsetThatTakes(const proto::NodeProto& node, std::int64_t opset,
                                           std::span<const KnownType> operands,
                                           std::span<const KnownType> results);

// The element types of the results, as far as they follow from those of the operands.
std::vector<KnownType> resultTypes(const proto::NodeProto& node, std::int64_t opset,
                                   std::span<const KnownType> operands);

// The table as text, one operator a line (standard_types_table.cpp).
std::string_view standardTypesTable();

} // namespace fw
