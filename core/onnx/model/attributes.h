// Typed reads of the attributes of one ONNX node. A value of another kind than the operator defines
// is a contradiction of the model, reported by name.
#pragma once

#include "base/result.h"
#include "onnx/model/proto.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw {

const proto::AttributeProto* findAttribute(const proto::NodeProto& node, std::string_view name);

Result<std::int64_t> integerAttribute(const proto::NodeProto& node, std::string_view name,
                                      std::int64_t fallback);
Result<double> realAttribute(const proto::NodeProto& node, std::string_view name, double fallback);
Result<std::string> textAttribute(const proto::NodeProto& node, std::string_view name,
                                  const std::string& fallback);
Result<std::optional<std::vector<std::int64_t>>> integersAttribute(const proto::NodeProto& node,
                                                                   std::string_view name);
Result<std::optional<std::vector<double>>> realsAttribute(const proto::NodeProto& node,
                                                          std::string_view name);

Result<std::optional<std::vector<std::string>>> textsAttribute(const proto::NodeProto& node,
                                                               std::string_view name);

// nullptr if there is none.
Result<const proto::TensorProto*> tensorAttribute(const proto::NodeProto& node,
                                                  std::string_view name);

// The shortest decimal that is the same float: 1e-05, not 9.999999747378752e-06.
double readableReal(float value);

} // namespace fw
