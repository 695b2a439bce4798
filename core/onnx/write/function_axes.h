// Axes of the tensors in a function: which variable runs over them, and the nodes that bring values
// together whose axes differ.
//
// A value is read where some variables run; those that it does not have get an axis of extent 1, or
// none in front, so NumPy's rule stretches it.
#pragma once

#include "base/result.h"
#include "onnx/write/call_facts.h"
#include "onnx/write/function_nodes.h"

namespace fw {

struct FunctionAxis {
    std::string variable; // of a statement or a reduction; empty in the type of a tensor
    std::string dim;      // the name that its extent has in the signature, see dimName()
    bool pack = false;    // any number of axes
};
using FunctionAxes = std::vector<FunctionAxis>;

class AxisWriter {
public:
    AxisWriter(FunctionNodes& nodes, const CallFacts& facts) : m_nodes(nodes), m_facts(facts) {}

    // The places of the axes of item `i`, from the end if that can be said, else from the front.
    // UnsupportedAttribute if calls differ in ranks that both depend on.
    Result<Integers> places(const FunctionAxes& axes, std::size_t i) const;
    // The first axis of item `i` and the one behind its last, each from whichever end it can be
    // said from. UnsupportedAttribute as above.
    Result<std::pair<std::int64_t, std::int64_t>> span(const FunctionAxes& axes,
                                                       std::size_t i) const;
    // `x`, which has `from`, as something that stretches to `to`. Every variable of `from` is one
    // of `to`.
    Result<std::string> aligned(const std::string& x, const FunctionAxes& from,
                                const FunctionAxes& to);
    // `x`, which has all of `from`, with the axes in the order of `to`.
    Result<std::string> ordered(const std::string& x, const FunctionAxes& from,
                                const FunctionAxes& to);

private:
    std::optional<std::size_t> rankOf(const FunctionAxis& axis) const;
    std::optional<std::size_t> rankOf(const FunctionAxes& axes, std::size_t begin,
                                      std::size_t end) const;

    FunctionNodes& m_nodes;
    const CallFacts& m_facts;
};

std::size_t placeOf(const FunctionAxes& axes, const std::string& variable); // size(): not there
// Of the same variables in the same order.
bool sameOrder(const FunctionAxes& a, const FunctionAxes& b);

} // namespace fw
