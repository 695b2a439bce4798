// Attention of opset 23.
#include "expr/simplify.h"
#include "onnx/forms/attention_parts.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/filled.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace fw {

namespace {

// What softmax is computed in: what is here, f32 for smaller types.
Status checkPrecision(NodeImport& n, DType dtype) {
    if (!n.given("softmax_precision"))
        return {};
    FW_TRY(const std::int64_t code, n.integer("softmax_precision", 1));
    const auto wanted = dtypeFromOnnx(code);
    const bool small = dtype == DType::F16 || dtype == DType::BF16;
    if (!wanted || (*wanted != dtype && !(small && *wanted == DType::F32)))
        return n.unsupported(fmt::format("softmax_precision {} is not supported", code));
    return {};
}

// What is said of fewer keys than there are hides the others.
Result<ValueRef> ofAllKeys(NodeImport& n, ValueRef mask, const Dim& keys) {
    Shape shape = n.type(mask).shape;
    if (shape.empty() || shape.back() == keys)
        return mask;
    shape.back() = simplify(keys - shape.back());
    if (const auto more = shape.back().asInt(); more && *more < 0)
        return n.malformed(fmt::format("a mask {} for {} keys", n.type(mask).text(), keys.text()));
    const DType dtype = n.type(mask).dtype;
    const double hidden = dtype == DType::Bool ? 0 : -std::numeric_limits<double>::infinity();
    FW_TRY(const ValueRef others, filled(n, "others", shape, dtype, hidden));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(shape.size()) - 1);
    return n.step("concat", {mask, others}, std::move(attrs));
}

Status readMask(NodeImport& n, const Dim& keys, AttentionScores& how) {
    FW_TRY(const ValueRef given, n.input(3));
    FW_TRY(const ValueRef mask, ofAllKeys(n, given, keys));
    if (n.type(mask).dtype == DType::Bool) {
        how.allowed = mask;
        return {};
    }
    how.added = mask;
    if (const TensorData* data = n.constant(3); data != nullptr && mask == given) {
        const std::vector<double> values = data->toDoubles();
        how.addedHides = std::any_of(values.begin(), values.end(), [](double value) {
            return value == -std::numeric_limits<double>::infinity();
        });
    }
    return {};
}

Status attention(NodeImport& n) {
    FW_CHECK(n.need(3, 7));
    AttentionScores how;
    how.emptyIsZero = true;
    FW_TRY(const std::int64_t mode, n.integer("qk_matmul_output_mode", 0));
    if (mode < 0 || mode > static_cast<std::int64_t>(ScoreStage::Weights))
        return n.malformed(fmt::format("qk_matmul_output_mode {}", mode));
    if (n.outputUsed(3))
        how.shown = static_cast<ScoreStage>(mode);
    FW_TRY(how.causal, n.flag("is_causal", false));
    FW_TRY(how.softcap, n.real("softcap", 0));
    FW_TRY(const std::int64_t queryHeads, n.integer("q_num_heads", 0));
    FW_TRY(const std::int64_t keyHeads, n.integer("kv_num_heads", 0));
    FW_TRY(const TensorType queries, n.inputType(0));
    FW_CHECK(checkPrecision(n, queries.dtype));
    n.computeWide();
    FW_TRY(ValueRef q, n.input(0));
    FW_TRY(ValueRef k, n.input(1));
    FW_TRY(ValueRef v, n.input(2));
    const bool flat = n.type(q).rank() == 3;
    if (n.type(k).rank() != n.type(q).rank() || n.type(v).rank() != n.type(q).rank())
        return n.malformed("its operands differ in rank");
    if (flat) {
        FW_TRY(q, splitHeads(n, q, queryHeads));
        FW_TRY(k, splitHeads(n, k, keyHeads));
        FW_TRY(v, splitHeads(n, v, keyHeads));
    }
    if (n.type(q).rank() != 4)
        return n.malformed(fmt::format("queries {}", n.type(q).text()));
    FW_TRY(how.scale, n.given("scale") ? n.real("scale", 1) : usualScale(n, q));
    if (how.scale < 0 || how.softcap < 0)
        return n.malformed(fmt::format("scale {}, softcap {}", how.scale, how.softcap));
    if (n.has(6)) {
        if (n.has(4))
            return n.malformed("nonpad_kv_seqlen is given beside a past");
        FW_TRY(how.lengths, n.input(6));
    }
    if (n.has(4) != n.has(5))
        return n.malformed("only one of past_key and past_value is given");
    ValueRef pastValue;
    if (n.has(4)) {
        FW_TRY(how.past, n.input(4));
        FW_TRY(pastValue, n.input(5));
    }
    FW_TRY(k, behindPast(n, how.past, k));
    FW_TRY(v, behindPast(n, pastValue, v));
    FW_CHECK(n.alias(1, k));
    FW_CHECK(n.alias(2, v));
    if (n.has(3))
        FW_CHECK(readMask(n, n.type(k).shape.at(2), how));
    FW_TRY(const Attended out, attended(n, q, k, v, how));
    if (out.shown.valid())
        FW_CHECK(n.alias(3, out.shown));
    return flat ? resultJoined(n, out.y) : n.alias(0, out.y);
}

} // namespace

std::span<const ImporterRow> attentionImporters() {
    static constexpr ImporterRow rows[] = {
        {"Attention", 23, attention},
    };
    return rows;
}

} // namespace fw
