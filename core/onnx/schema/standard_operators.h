// The operators of the standard ONNX domain, version by version: what a node of an opset may look
// like, and in which other opsets the same node means the same. One table, written from the
// operator specification.
#pragma once

#include "base/diag.h"
#include "onnx/model/proto.h"

#include <cstdint>
#include <string_view>

namespace fw {

// "" and "ai.onnx" are one domain.
bool isStandardDomain(std::string_view domain);

struct OpsetRange {
    std::int64_t least = 1;
    std::int64_t most = newestOpset;

    bool contains(std::int64_t opset) const { return least <= opset && opset <= most; }
    OpsetRange with(const OpsetRange& other) const; // what both contain
};

// The opsets in which a node read from `opset`, with the nodes of its sub-graphs, means the same:
// later ones until an attribute, an operand or a default is lost, earlier ones only where the
// operator has the same version (newer versions take more element types). A node of an opset that
// is not listed stays there; one that its opset has no operator for does not go where a later
// operator of that name cannot look like it; one that is wrong otherwise may go anywhere.
OpsetRange opsetsOf(const proto::NodeProto& node, std::int64_t opset);

// The same of the node alone, whatever its sub-graphs are.
OpsetRange ownOpsetsOf(const proto::NodeProto& node, std::int64_t opset);

// Why another program will refuse the node, as warnings: an operator, an attribute, a kind of
// attribute or a number of operands that `opset` does not have. Sub-graphs included, other domains
// and opsets that are not listed are not judged. Diagnostics name the node.
Diags problemsOf(const proto::NodeProto& node, std::int64_t opset);
Diags ownProblemsOf(const proto::NodeProto& node, std::int64_t opset); // not of its bodies

// Whether the operator has this attribute in `opset`, or in the newest listed one.
bool hasAttribute(std::string_view type, std::int64_t opset, std::string_view attribute);

// Whether a node of that opset is wrong without this attribute.
bool needsAttribute(std::string_view type, std::int64_t opset, std::string_view attribute);

// The table as text, one operator a line (standard_table.cpp).
std::string_view standardTable();

} // namespace fw
