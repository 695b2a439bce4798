// Attention of the domain com.microsoft, where neither queries, keys and values nor lengths are
// packed.
#include "onnx/forms/attention_parts.h"
#include "onnx/model/beyond_texts.h"
#include "onnx/model/constant_layout.h"
#include "onnx/read/importers.h"

#include <fmt/format.h>

namespace fw {

namespace {

Result<ValueRef> biased(NodeImport& n, ValueRef x, ValueRef bias) {
    Attrs axis;
    axis.set("axis", static_cast<std::int64_t>(n.type(x).rank()) - 1);
    return n.step("bias", {x, bias}, std::move(axis));
}

// The parts of an axis, in the order of queries, keys and values.
Result<std::vector<ValueRef>> threeParts(NodeImport& n, ValueRef x, std::int64_t axis,
                                         const Integers& sizes) {
    Attrs attrs;
    attrs.set("axis", axis);
    attrs.set("sizes", sizes);
    FW_TRY(const ValueRef first, n.step("split", {x}, std::move(attrs)));
    return std::vector<ValueRef>{first, {first.node, 1}, {first.node, 2}};
}

// 0 of a mask of integers, [B, T] or [B, S, T], adds a number to the scores.
Result<ValueRef> addedOfMask(NodeImport& n, std::size_t operand, double filter, DType dtype) {
    FW_TRY(ValueRef mask, n.input(operand));
    const TensorType type = n.type(mask);
    if ((type.rank() != 2 && type.rank() != 3) || !isInteger(type.dtype))
        return n.unsupported(fmt::format("a mask {} is not supported", type.text()),
                             "export the model with a mask of [batch, keys]");
    Shape shape = type.shape;
    shape.insert(shape.begin() + 1, type.rank() == 2 ? 2 : 1, intExpr(1));
    FW_TRY(mask, n.reshaped(mask, shape));
    const ValueRef zero = n.scalarConstant("zero", 0, type.dtype);
    FW_TRY(const ValueRef seen, n.step("greater", {mask, zero}));
    return n.step("where", {seen, n.scalarConstant("seen", 0, dtype),
                            n.scalarConstant("filter", filter, dtype)});
}

// What is added for the sake of a mask, and a bias of the scores.
Status readMasks(NodeImport& n, std::size_t mask, std::size_t bias, DType dtype,
                 AttentionScores& how) {
    FW_TRY(const double filter, n.real("mask_filter_value", -10000));
    if (n.has(mask)) {
        FW_TRY(how.added, addedOfMask(n, mask, filter, dtype));
    }
    if (n.has(bias)) {
        FW_TRY(const ValueRef more, n.input(bias));
        if (!how.added.valid()) {
            how.added = more;
        } else {
            FW_TRY(how.added, n.step("add", {how.added, more}));
        }
    }
    return {};
}

Result<double> scaleOf(NodeImport& n, ValueRef q) {
    FW_TRY(const double given, n.real("scale", 0));
    if (given != 0)
        return given;
    return usualScale(n, q);
}

// x times the columns of queries, keys and values, side by side.
Result<ValueRef> projected(NodeImport& n, ValueRef x) {
    if (const TensorData* data = n.constant(1)) {
        FW_TRY(auto transposed, transposedConstant(*data));
        return n.step("dense", {x, n.addConstant("weights", std::move(transposed))});
    }
    FW_TRY(const ValueRef weights, n.input(1));
    return n.step("batch_matmul", {x, weights});
}

// [2, B, H, P, D]: keys and values, in one tensor.
Result<std::vector<ValueRef>> pastOf(NodeImport& n, std::size_t operand) {
    FW_TRY(const ValueRef past, n.input(operand));
    const TensorType type = n.type(past);
    if (type.rank() != 5 || !type.shape[0].isInt(2))
        return n.malformed(fmt::format("a past of {}", type.text()));
    std::vector<ValueRef> out;
    for (const std::int64_t i : {0, 1}) {
        Attrs attrs;
        attrs.set("starts", Integers{i});
        attrs.set("ends", Integers{i + 1});
        attrs.set("axes", Integers{0});
        attrs.set("steps", Integers{1});
        FW_TRY(const ValueRef half, n.step("slice", {past}, std::move(attrs)));
        const Shape own(type.shape.begin() + 1, type.shape.end());
        FW_TRY(out.emplace_back(), n.reshaped(half, own));
    }
    return out;
}

// Both in one tensor again.
Status aliasTogether(NodeImport& n, std::size_t output, ValueRef k, ValueRef v) {
    std::vector<ValueRef> parts;
    for (const ValueRef part : {k, v}) {
        Shape shape = n.type(part).shape;
        shape.insert(shape.begin(), intExpr(1));
        FW_TRY(parts.emplace_back(), n.reshaped(part, shape));
    }
    if (n.type(k).shape != n.type(v).shape)
        return n.malformed(
            fmt::format("keys {} and values {} in one result", n.type(k).text(), n.type(v).text()));
    Attrs axis;
    axis.set("axis", std::int64_t{0});
    FW_TRY(const ValueRef both, n.step("concat", std::move(parts), std::move(axis)));
    return n.alias(output, both);
}

Status contribAttention(NodeImport& n) {
    FW_CHECK(n.need(2, 7));
    FW_TRY(const std::int64_t heads, n.integer("num_heads", 0));
    FW_TRY(const bool rotates, n.flag("do_rotary", false));
    FW_TRY([[maybe_unused]] const std::int64_t turned, n.integer("rotary_embedding_dim", 0));
    FW_TRY(const bool shares, n.flag("past_present_share_buffer", false));
    FW_TRY(const auto given, n.list("qkv_hidden_sizes"));
    AttentionScores how;
    FW_TRY(how.causal, n.flag("unidirectional", false));
    if (rotates)
        return n.unsupported("do_rotary is not supported");
    if (n.has(6) || shares)
        return n.unsupported("a past and a present in one buffer are not supported");
    n.computeWide();
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const TensorType weights, n.inputType(1));
    const auto columns = weights.rank() == 2 ? weights.shape[1].asInt() : std::nullopt;
    if (n.type(x).rank() != 3 || !columns || *columns < 0 || *columns > (std::int64_t{1} << 40))
        return n.malformed(fmt::format("{} with weights {}", n.type(x).text(), weights.text()));
    const Integers sizes = given.value_or(Integers(3, *columns / 3));
    if (sizes.size() != 3 || sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0 || sizes[0] > *columns ||
        sizes[1] > *columns || sizes[2] > *columns || sizes[0] + sizes[1] + sizes[2] != *columns)
        return n.malformed(fmt::format("[{}] of {} columns", fmt::join(sizes, ", "), *columns));
    FW_TRY(ValueRef all, projected(n, x));
    if (n.has(2)) {
        FW_TRY(const ValueRef bias, n.input(2));
        FW_TRY(all, biased(n, all, bias));
    }
    FW_TRY(auto parts, threeParts(n, all, 2, sizes));
    for (ValueRef& part : parts) {
        FW_TRY(part, splitHeads(n, part, heads));
    }
    if (n.has(4)) {
        FW_TRY(const auto past, pastOf(n, 4));
        how.past = past[0];
        for (const std::size_t i : {0u, 1u}) {
            FW_TRY(parts[i + 1], behindPast(n, past[i], parts[i + 1]));
        }
    }
    if (n.outputUsed(1))
        FW_CHECK(aliasTogether(n, 1, parts[1], parts[2]));
    FW_TRY(how.scale, scaleOf(n, parts[0]));
    FW_CHECK(readMasks(n, 3, 5, n.type(x).dtype, how));
    FW_TRY(const Attended out, attended(n, parts[0], parts[1], parts[2], how));
    return resultJoined(n, out.y);
}

Status multiHeadAttention(NodeImport& n) {
    FW_CHECK(n.need(1, 10));
    FW_TRY(const std::int64_t heads, n.integer("num_heads", 0));
    AttentionScores how;
    FW_TRY(how.causal, n.flag("unidirectional", false));
    n.computeWide();
    FW_TRY(ValueRef q, n.input(0));
    if (!n.has(1) || !n.has(2) || n.type(q).rank() == 5)
        return n.unsupported("packed queries, keys and values are not supported");
    if (n.has(8) || n.has(9) || n.outputUsed(3))
        return n.unsupported("shared buffers, beams and scores as a result are not supported");
    FW_TRY(ValueRef k, n.input(1));
    FW_TRY(ValueRef v, n.input(2));
    if (n.type(k).rank() == 5)
        return n.unsupported("packed keys and values are not supported");
    if (n.has(3)) {
        Integers sizes;
        for (const ValueRef part : {q, k, v}) {
            const auto width =
                n.type(part).rank() == 3 ? n.type(part).shape[2].asInt() : std::nullopt;
            if (!width)
                return n.unsupported(fmt::format("a bias of {}", n.type(part).text()));
            sizes.push_back(*width);
        }
        FW_TRY(const ValueRef bias, n.input(3));
        FW_TRY(const auto parts, threeParts(n, bias, 0, sizes));
        FW_TRY(q, biased(n, q, parts[0]));
        FW_TRY(k, biased(n, k, parts[1]));
        FW_TRY(v, biased(n, v, parts[2]));
    }
    FW_TRY(q, splitHeads(n, q, heads));
    for (ValueRef* part : {&k, &v})
        if (n.type(*part).rank() != 4) {
            FW_TRY(*part, splitHeads(n, *part, heads));
        }
    if (n.has(6) != n.has(7))
        return n.malformed("only one of past_key and past_value is given");
    ValueRef pastValue;
    if (n.has(6)) {
        FW_TRY(how.past, n.input(6));
        FW_TRY(pastValue, n.input(7));
    }
    FW_TRY(k, behindPast(n, how.past, k));
    FW_TRY(v, behindPast(n, pastValue, v));
    FW_CHECK(n.alias(1, k));
    FW_CHECK(n.alias(2, v));
    FW_TRY(how.scale, scaleOf(n, q));
    FW_CHECK(readMasks(n, 4, 5, n.type(q).dtype, how));
    FW_TRY(const Attended out, attended(n, q, k, v, how));
    return resultJoined(n, out.y);
}

} // namespace

std::span<const ImporterRow> contribAttentionImporters() {
    static constexpr ImporterRow rows[] = {
        {"Attention", 1, contribAttention, contribDomain},
        {"MultiHeadAttention", 1, multiHeadAttention, contribDomain},
    };
    return rows;
}

} // namespace fw
