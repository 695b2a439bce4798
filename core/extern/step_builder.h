// Puts one step together: operands, arguments, and the post-ops that stand for the operators behind
// the anchor.
#pragma once

#include "base/result.h"
#include "extern/call.h"

namespace fw {

// Why the library does not take it.
inline Diag no(std::string reason) {
    return makeDiag(DiagCode::LibraryFailed, std::move(reason));
}

class StepBuilder {
public:
    // `axis` is the axis of channels in the shape that the library sees.
    StepBuilder(const CallSite& site, runtime::CallKind kind);

    const CallSite& site() const { return m_site; }
    const Graph& graph() const { return *m_site.graph; }
    const Node& anchor() const { return graph().node(m_site.anchor); }

    // A value of the graph as the library sees it.
    void argument(runtime::Role role, ValueRef value, Exprs dims, Exprs strides,
                  const Expr& offset = 0);
    // Constant weights whose layout the library may choose; `strides` are those of the model's
    // data.
    void weights(ValueRef value, Exprs dims, Exprs strides);
    void attribute(const Expr& value) { m_step.attributes.push_back(value); }
    void attributes(const Integers& values);
    void epsilon(double value) { m_step.epsilon = static_cast<float>(value); }

    // How the output (of the last operator) is seen: `view` turns a shape like the output's into
    // what the library sees; `channels` is the output's axis that a bias operand belongs to.
    using View = std::function<Exprs(const Shape&)>;
    using Place = std::function<std::optional<Placement>(ValueRef, const Shape&)>;
    // Refused with a sentence if an operator has no counterpart.
    Status tail(const View& view, const Place& place, std::size_t channels);

    ExternCall take();
    const ExternStep& step() const { return m_step; }

private:
    Status one(const Node& node, ValueRef previous, const View& view, const Place& place,
               std::size_t channels);
    Status append(const Node& node, const runtime::PostOp& op); // a function of one value
    Status binary(const Node& node, ValueRef previous, runtime::PostOpKind kind, const View& view,
                  const Place& place, std::size_t channels);
    // A constant of one number, added or multiplied or ..., that the library sees as `seen`.
    void number(const Node& node, ValueRef value, const TensorData& data, runtime::PostOpKind kind,
                const Exprs& seen);
    // A value per channel, added or multiplied or ...
    void perChannel(const Node& node, ValueRef values, const Shape& shape, runtime::PostOpKind kind,
                    const View& view, std::size_t channels);
    std::uint32_t operand(ValueRef value, runtime::Access access);
    bool inCall(ValueRef value) const; // computed by the call itself: never in memory

    const CallSite& m_site;
    ExternStep m_step;
    std::vector<std::string> m_tail;
    std::optional<ValueRef> m_reused;
};

} // namespace fw
