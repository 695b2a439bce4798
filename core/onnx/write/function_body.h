// The tensor expression of an operator as a function of ONNX: statement by statement, over the
// nodes of the standard domain.
//
// Said are element-wise computations over operands that are read along their axes (in any order,
// some missing, one place of an axis), and reductions over whole axes; a sum of products of two
// operands is a MatMul. Ranks, element types and attributes stay open where ONNX can leave them so;
// what it cannot (the place of an axis in front of which the number of axes varies) is taken from
// the calls that there are.
#pragma once

#include "onnx/model/proto.h"
#include "onnx/write/call_facts.h"

namespace fw {

// The least opset that the nodes need: CastLike is from there on.
constexpr std::int64_t leastFunctionOpset = 15;

// The function behind the nodes of `clause`, whose attributes have the node's names.
// UnsupportedAttribute if the expression cannot be said, in a sentence without a place.
Result<proto::FunctionProto> functionOf(const OpTree& op, const OnnxBinding& clause,
                                        const CallFacts& facts, std::int64_t opset);

} // namespace fw
