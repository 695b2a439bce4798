#include "extern/step_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace fw {

using runtime::PostOpKind;
using runtime::Role;

namespace {

// Of an operator of one operand, the attributes that become alpha and beta.
struct MapRow {
    PostOpKind kind;
    const char* alpha;
    double alphaDefault;
    const char* beta;
    double betaDefault;
};

const MapRow* mapOf(std::string_view op) {
    static const std::map<std::string_view, MapRow> rows = [] {
        std::map<std::string_view, MapRow> out;
        const auto add = [&](const char* name, const MapRow& row) { out.emplace(name, row); };
#define FW_MAP(id, number, text, code, value, op, ...) add(op, {PostOpKind::id, __VA_ARGS__});
#define FW_ALSO(id, op, ...) add(op, {PostOpKind::id, __VA_ARGS__});
#include "libraries/onednn/post_ops.def"
        return out;
    }();
    const auto found = rows.find(op);
    return found == rows.end() ? nullptr : &found->second;
}

std::optional<PostOpKind> joinOf(std::string_view op) {
#define FW_JOIN(id, number, text, code, value, name)                                               \
    if (op == std::string_view(name))                                                              \
        return PostOpKind::id;
#include "libraries/onednn/post_ops.def"
    return std::nullopt;
}

// Whether a tensor is broadcast to `whole` and has as many elements as its axis `axis`, along that.
bool variesAlong(const Shape& shape, const Shape& whole, std::size_t axis) {
    if (shape.size() > whole.size())
        return false;
    const std::size_t missing = whole.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (!(i + missing == axis ? shape[i] == whole[axis] : shape[i].isInt(1)))
            return false;
    return axis >= missing;
}

} // namespace

StepBuilder::StepBuilder(const CallSite& site, runtime::CallKind kind) : m_site(site) {
    m_step.library = site.library;
    m_step.kind = kind;
}

std::uint32_t StepBuilder::operand(ValueRef value, runtime::Access access) {
    for (std::size_t i = 0; i < m_step.operands.size(); ++i)
        if (m_step.operands[i].value == value)
            return static_cast<std::uint32_t>(i);
    ExternOperand out;
    out.value = value;
    out.constant = graph().constant(value) != nullptr;
    out.access = access;
    m_step.operands.push_back(std::move(out));
    return static_cast<std::uint32_t>(m_step.operands.size() - 1);
}

void StepBuilder::argument(Role role, ValueRef value, Exprs dims, Exprs strides,
                           const Expr& offset) {
    const auto access = role == Role::Output ? runtime::Access::Write : runtime::Access::Read;
    m_step.arguments.push_back(
        {role, operand(value, access), std::move(dims), std::move(strides), {}, offset});
}

void StepBuilder::weights(ValueRef value, Exprs dims, Exprs strides) {
    argument(Role::Weights, value, std::move(dims), std::move(strides));
}

void StepBuilder::attributes(const Integers& values) {
    for (const std::int64_t value : values)
        attribute(Expr(value));
}

Status StepBuilder::tail(const View& view, const Place& place, std::size_t channels) {
    ValueRef previous{m_site.anchor, 0};
    for (const NodeId id : m_site.epilogue) {
        const Node& node = graph().node(id);
        FW_CHECK(one(node, previous, view, place, channels));
        previous = {id, 0};
    }
    return {};
}

bool StepBuilder::inCall(ValueRef value) const {
    return value.node == m_site.anchor || std::find(m_site.epilogue.begin(), m_site.epilogue.end(),
                                                    value.node) != m_site.epilogue.end();
}

Status StepBuilder::one(const Node& node, ValueRef previous, const View& view, const Place& place,
                        std::size_t channels) {
    if (graph().operators().isReplaced(node.op))
        return no(fmt::format("a book has another {} than the library", node.op));
    if (node.outputs[0].type != graph().type(previous))
        return no(fmt::format("{} changes the shape or type", node.op));
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] != previous && inCall(node.inputs[i]))
            return no(fmt::format("{} reads {}, which the call computes and does not store",
                                  node.op, graph().output(node.inputs[i]).name));
    if (std::find(node.inputs.begin(), node.inputs.end(), previous) == node.inputs.end())
        return no(fmt::format("{} does not read {}", node.op, graph().output(previous).name));
    if (const MapRow* map = mapOf(node.op)) {
        runtime::PostOp op;
        op.kind = map->kind;
        if (map->alpha != nullptr)
            op.alpha = static_cast<float>(node.attrs.real(map->alpha, map->alphaDefault));
        if (map->beta != nullptr)
            op.beta = static_cast<float>(node.attrs.real(map->beta, map->betaDefault));
        if (op.kind == PostOpKind::Clip && op.beta < op.alpha)
            return no(fmt::format("{} from {} to {}, which the library takes for no interval",
                                  node.op, op.alpha, op.beta));
        FW_CHECK(append(node, op));
        m_tail.push_back(node.op);
        return {};
    }
    if (node.op == "bias" || node.op == "scale") {
        const Shape& shape = graph().type(previous).shape;
        const auto rank = static_cast<std::int64_t>(shape.size());
        const std::int64_t written = node.attrs.integer("axis", 1);
        const std::int64_t axis = written < 0 ? written + rank : written;
        if (axis != static_cast<std::int64_t>(channels) || node.inputs[0] != previous)
            return no(fmt::format("{} on axis {}: the library has it on axis {}", node.op, axis,
                                  channels));
        perChannel(node, node.inputs[1], shape,
                   node.op == "bias" ? PostOpKind::Add : PostOpKind::Mul, view, channels);
        return {};
    }
    if (const auto kind = joinOf(node.op))
        return binary(node, previous, *kind, view, place, channels);
    return no(fmt::format("no counterpart of {}", node.op));
}

// The first one that is added is the bias of the call, where it has one.
void StepBuilder::perChannel(const Node& node, ValueRef values, const Shape& shape, PostOpKind kind,
                             const View& view, std::size_t channels) {
    Shape per(shape.size(), Expr(1));
    per[channels] = shape[channels];
    const Exprs seen = view(per);
    const bool first = kind == PostOpKind::Add && m_step.postOps.empty() &&
                       std::none_of(m_step.arguments.begin(), m_step.arguments.end(),
                                    [](const ExternArgument& a) { return a.role == Role::Bias; });
    m_tail.push_back(node.op);
    if (first && m_step.kind == runtime::CallKind::Matmul) {
        argument(Role::Bias, values, seen, rowMajorStrides(seen));
    } else if (first && runtime::familyOf(m_step.kind) == runtime::CallFamily::Convolution) {
        argument(Role::Bias, values, {shape[channels]}, {Expr(1)});
    } else {
        runtime::PostOp op;
        op.kind = kind;
        op.argument = static_cast<std::uint32_t>(m_step.arguments.size());
        argument(Role::Operand, values, seen, rowMajorStrides(seen));
        m_step.postOps.push_back(op);
    }
}

// oneDNN 2.6.3 keeps one code per function of a call, with the parameters that it met first: a relu
// behind a leaky_relu has its slope. A small slope hides from a trial.
Status StepBuilder::append(const Node& node, const runtime::PostOp& op) {
    for (const runtime::PostOp& earlier : m_step.postOps)
        if (earlier.kind == op.kind && (earlier.alpha != op.alpha || earlier.beta != op.beta))
            return no(fmt::format("{} is the library's {} once more, with other parameters",
                                  node.op, runtime::postOpText(op.kind)));
    m_step.postOps.push_back(op);
    return {};
}

// A linear function, or where that is none or would be a second one with other parameters, an
// operand that is the same everywhere.
void StepBuilder::number(const Node& node, ValueRef value, const TensorData& data, PostOpKind kind,
                         const Exprs& seen) {
    const auto constant = static_cast<float>(data.at(0));
    runtime::PostOp op;
    op.kind = PostOpKind::Linear;
    op.alpha = kind == PostOpKind::Mul ? constant : 1.0f;
    op.beta = kind == PostOpKind::Add ? constant : kind == PostOpKind::Sub ? -constant : 0.0f;
    const bool isLinear =
        kind == PostOpKind::Add || kind == PostOpKind::Sub || kind == PostOpKind::Mul;
    if (!isLinear || !append(node, op)) {
        op = {};
        op.kind = kind;
        op.argument = static_cast<std::uint32_t>(m_step.arguments.size());
        argument(Role::Operand, value, seen, rowMajorStrides(seen));
        m_step.postOps.push_back(op);
    }
    m_tail.push_back(node.op);
}

Status StepBuilder::binary(const Node& node, ValueRef previous, PostOpKind kind, const View& view,
                           const Place& place, std::size_t channels) {
    const bool commutes = kind != PostOpKind::Sub && kind != PostOpKind::Div;
    const bool second = node.inputs[0] != previous;
    const ValueRef other = second ? node.inputs[0] : node.inputs[1];
    if (other == previous || (second && !commutes))
        return no(fmt::format("{} reads the value where the library cannot", node.op));
    runtime::PostOp op;
    op.kind = kind;
    const TensorData* data = graph().constant(other);
    if (data != nullptr && data->count() == 1 && data->dtype() == DType::F32) {
        number(node, other, *data, kind, view(Shape(graph().type(previous).shape.size(), Expr(1))));
        return {};
    }
    if (data != nullptr &&
        variesAlong(graph().type(other).shape, graph().type(previous).shape, channels)) {
        perChannel(node, other, graph().type(previous).shape, kind, view, channels);
        return {};
    }
    if (graph().type(other) != graph().type(previous))
        return no(fmt::format("{} of {}, which is not of the same shape", node.op,
                              graph().output(other).name));
    const Shape& shape = graph().type(other).shape;
    const bool read = std::any_of(m_step.operands.begin(), m_step.operands.end(),
                                  [&](const ExternOperand& o) { return o.value == other; });
    if (kind == PostOpKind::Add && !m_reused && !read && m_site.mayReuse &&
        m_site.mayReuse(other, m_site.output())) {
        m_reused = other;
        op.kind = PostOpKind::Sum;
        m_step.postOps.push_back(op);
        m_tail.push_back("sum");
        for (ExternOperand& operand : m_step.operands)
            if (operand.access == runtime::Access::Write)
                operand.access = runtime::Access::ReadWrite;
        return {};
    }
    op.argument = static_cast<std::uint32_t>(m_step.arguments.size());
    const std::optional<Placement> at = place(other, shape);
    if (!at)
        return no(fmt::format("{} is stored in another order", graph().output(other).name));
    argument(Role::Operand, other, view(shape), at->strides, at->offset);
    m_step.postOps.push_back(op);
    m_tail.push_back(node.op);
    return {};
}

ExternCall StepBuilder::take() {
    ExternCall out;
    out.steps.push_back(std::move(m_step));
    out.tail = std::move(m_tail);
    out.reused = m_reused;
    return out;
}

} // namespace fw
