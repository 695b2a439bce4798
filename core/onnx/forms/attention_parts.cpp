#include "onnx/forms/attention_parts.h"

#include "expr/simplify.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fw {

namespace {

Result<ValueRef> swapped(NodeImport& n, ValueRef x, Integers perm) {
    Attrs attrs;
    attrs.set("perm", std::move(perm));
    return n.step("transpose", {x}, std::move(attrs));
}

// The H heads of a mask as G times H / G.
Result<ValueRef> grouped(NodeImport& n, ValueRef mask, std::int64_t groups, std::int64_t each) {
    Shape shape = n.type(mask).shape;
    if (shape.size() > 4)
        return n.malformed(fmt::format("a mask {}", n.type(mask).text()));
    if (shape.size() < 3)
        return mask;
    shape.insert(shape.begin(), 4 - shape.size(), intExpr(1));
    const bool one = shape[1].isInt(1);
    if (!one && !shape[1].isInt(groups * each))
        return n.malformed(fmt::format("a mask of {} heads", shape[1].text()));
    shape[1] = intExpr(one ? 1 : groups);
    shape.insert(shape.begin() + 2, intExpr(one ? 1 : each));
    return n.reshaped(mask, shape);
}

// The numbers from `start` on.
Result<ValueRef> counted(NodeImport& n, ValueRef start, const Dim& size) {
    const ValueRef one = n.addConstant("one", dataFromIntegers(DType::I64, {}, {1}));
    Attrs attrs;
    attrs.set("size", shapeAttr({size}));
    return n.step("range", {start, one}, std::move(attrs));
}

// i64[]
Result<ValueRef> extentOf(NodeImport& n, ValueRef x, std::int64_t axis) {
    if (const auto extent = n.type(x).shape.at(static_cast<std::size_t>(axis)).asInt())
        return n.addConstant("extent", dataFromIntegers(DType::I64, {}, {*extent}));
    Attrs attrs;
    attrs.set("starts", Integers{axis});
    attrs.set("ends", Integers{axis + 1});
    attrs.set("axes", Integers{0});
    attrs.set("steps", Integers{1});
    FW_TRY(ValueRef extents, n.step("shape", {x}));
    FW_TRY(extents, n.step("slice", {extents}, std::move(attrs)));
    return n.reshaped(extents, {});
}

// What masks, lengths and the order of the places leave: both together.
Status allow(NodeImport& n, ValueRef& allowed, ValueRef also) {
    if (!allowed.valid()) {
        allowed = also;
        return {};
    }
    FW_TRY(allowed, n.step("and", {allowed, also}));
    return {};
}

// [S, T]: whether key t stands at most at the place of query s, which is `first` for the first;
// where all of it is known and small.
std::optional<ValueRef> knownOrder(NodeImport& n, const Dim& rows, const Dim& keys,
                                   std::optional<std::int64_t> first) {
    constexpr std::int64_t limit = 1 << 16; // pairs
    const auto queries = rows.asInt(), count = keys.asInt();
    if (!queries || !count || !first || *queries > limit || *count > limit ||
        *queries * *count > limit)
        return std::nullopt;
    std::vector<std::int64_t> before;
    for (std::int64_t s = 0; s < *queries; ++s)
        for (std::int64_t t = 0; t < *count; ++t)
            before.push_back(t <= *first + s ? 1 : 0);
    return n.addConstant("before", dataFromIntegers(DType::Bool, {*queries, *count}, before));
}

// Of scores [B, ..., S, T] of queries [B, H, S, D]: key t stands at most at the place of query s,
// and within the length of its batch.
Status allowByPlace(NodeImport& n, const Shape& scores, ValueRef queries,
                    const AttentionScores& how, ValueRef& allowed) {
    if (!how.causal && !how.lengths.valid())
        return {};
    const Dim& rows = scores[scores.size() - 2];
    if (!how.lengths.valid()) {
        const Dim past = how.past.valid() ? n.type(how.past).shape.at(2) : intExpr(0);
        if (const auto before = knownOrder(n, rows, scores.back(), past.asInt()))
            return allow(n, allowed, *before);
    }
    const ValueRef zero = n.addConstant("zero", dataFromIntegers(DType::I64, {}, {0}));
    FW_TRY(const ValueRef keys, counted(n, zero, scores.back()));
    ValueRef lengths;
    if (how.lengths.valid()) {
        const TensorType type = n.type(how.lengths);
        if (type.rank() != 1 || type.dtype != DType::I64)
            return n.malformed(fmt::format("lengths {}", type.text()));
        Shape each(scores.size(), intExpr(1));
        each.front() = type.shape[0];
        FW_TRY(lengths, n.reshaped(how.lengths, each));
        FW_TRY(const ValueRef inside, n.step("less", {keys, lengths}));
        FW_CHECK(allow(n, allowed, inside));
    }
    if (!how.causal)
        return {};
    ValueRef first = zero;
    if (how.past.valid()) {
        FW_TRY(first, extentOf(n, how.past, 2));
    } else if (lengths.valid()) { // counted from behind the last query
        FW_TRY(first, extentOf(n, queries, 2));
        FW_TRY(first, n.step("neg", {first}));
    }
    FW_TRY(ValueRef places, counted(n, first, rows));
    FW_TRY(places, n.reshaped(places, {rows, intExpr(1)}));
    if (lengths.valid()) {
        FW_TRY(places, n.step("add", {places, lengths}));
    }
    FW_TRY(const ValueRef before, n.step("less_or_equal", {keys, places}));
    return allow(n, allowed, before);
}

// Scores without what is not allowed.
Result<ValueRef> masked(NodeImport& n, ValueRef s, ValueRef added, ValueRef allowed) {
    if (added.valid()) {
        FW_TRY(s, n.step("add", {s, added}));
    }
    if (!allowed.valid())
        return s;
    const ValueRef none =
        n.scalarConstant("masked", -std::numeric_limits<double>::infinity(), n.type(s).dtype);
    return n.step("where", {allowed, s, none});
}

// The weights of queries that see no key at all are 0.
Result<ValueRef> withoutEmpty(NodeImport& n, ValueRef weights, const AttentionScores& how,
                              ValueRef added, ValueRef allowed) {
    const bool hides = added.valid() && how.addedHides;
    if (!how.emptyIsZero || (!how.allowed.valid() && !how.lengths.valid() && !hides))
        return weights;
    if (hides) {
        const ValueRef none = n.scalarConstant("hidden", -std::numeric_limits<double>::infinity(),
                                               n.type(added).dtype);
        FW_TRY(ValueRef seen, n.step("equal", {added, none}));
        FW_TRY(seen, n.step("not", {seen}));
        FW_CHECK(allow(n, allowed, seen));
    }
    Attrs overKeys;
    overKeys.set("axes", Integers{static_cast<std::int64_t>(n.type(allowed).rank()) - 1});
    overKeys.set("keepdims", std::int64_t{1});
    FW_TRY(const ValueRef some, n.step("reduce_max", {allowed}, std::move(overKeys)));
    return n.step("where", {some, weights, n.scalarConstant("nothing", 0, n.type(weights).dtype)});
}

} // namespace

Result<ValueRef> splitHeads(NodeImport& n, ValueRef x, std::int64_t heads) {
    const TensorType type = n.type(x);
    const auto width = type.rank() == 3 ? type.shape[2].asInt() : std::nullopt;
    if (!width || heads < 1 || *width % heads != 0)
        return n.malformed(fmt::format("{} heads of {}", heads, type.text()));
    FW_TRY(x,
           n.reshaped(x, {type.shape[0], type.shape[1], intExpr(heads), intExpr(*width / heads)}));
    return swapped(n, x, {0, 2, 1, 3});
}

Status resultJoined(NodeImport& n, ValueRef y) {
    FW_TRY(y, swapped(n, y, {0, 2, 1, 3}));
    const Shape& shape = n.type(y).shape;
    return n.resultReshaped(y, {shape[0], shape[1], simplify(shape[2] * shape[3])});
}

Result<double> usualScale(NodeImport& n, ValueRef q) {
    const auto width = n.type(q).shape.back().asInt();
    if (!width)
        return n.unsupported("heads of a free size", "say its scale");
    return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(*width, 1)));
}

Result<ValueRef> behindPast(NodeImport& n, ValueRef past, ValueRef x) {
    if (!past.valid())
        return x;
    if (n.type(past).rank() != 4)
        return n.malformed(fmt::format("a past of {}", n.type(past).text()));
    Attrs attrs;
    attrs.set("axis", std::int64_t{2});
    return n.step("concat", {past, x}, std::move(attrs));
}

Result<Attended> attended(NodeImport& n, ValueRef q, ValueRef k, ValueRef v,
                          const AttentionScores& how) {
    const Shape qs = n.type(q).shape, ks = n.type(k).shape, vs = n.type(v).shape;
    if (qs.size() != 4 || ks.size() != 4 || vs.size() != 4)
        return n.malformed(fmt::format("queries {}, keys {}, values {}", n.type(q).text(),
                                       n.type(k).text(), n.type(v).text()));
    const ValueRef queries = q;
    ValueRef added = how.added, allowed = how.allowed;
    for (const ValueRef mask : {added, allowed})
        if (mask.valid() && (n.type(mask).rank() < 1 || n.type(mask).shape.back() != ks[2]))
            return n.unsupported(fmt::format("a mask {} for {} keys is not supported",
                                             n.type(mask).text(), ks[2].text()));
    const bool inGroups = qs[1] != ks[1];
    if (inGroups) {
        const auto heads = qs[1].asInt(), groups = ks[1].asInt();
        if (!heads || !groups || *groups < 1 || *heads % *groups != 0 || vs[1] != ks[1])
            return n.malformed(fmt::format("{} heads of queries, {} of keys, {} of values",
                                           qs[1].text(), ks[1].text(), vs[1].text()));
        const std::int64_t each = *heads / *groups;
        FW_TRY(q, n.reshaped(q, {qs[0], ks[1], intExpr(each), qs[2], qs[3]}));
        FW_TRY(k, n.reshaped(k, {ks[0], ks[1], intExpr(1), ks[2], ks[3]}));
        FW_TRY(v, n.reshaped(v, {vs[0], vs[1], intExpr(1), vs[2], vs[3]}));
        for (ValueRef* mask : {&added, &allowed})
            if (mask->valid()) {
                FW_TRY(*mask, grouped(n, *mask, *groups, each));
            }
    }
    Attended out;
    const auto stage = [&](ScoreStage which, ValueRef scores) {
        if (how.shown == which)
            out.shown = scores;
    };
    FW_TRY(k, swapped(n, k, inGroups ? Integers{0, 1, 2, 4, 3} : Integers{0, 1, 3, 2}));
    FW_TRY(ValueRef s, n.step("batch_matmul", {q, k}));
    const DType dtype = n.type(s).dtype;
    if (how.scale != 1) {
        FW_TRY(s, n.step("mul", {s, n.scalarConstant("scale", how.scale, dtype)}));
    }
    stage(ScoreStage::Products, s);
    // In opset 23 as it was published the masks come first, but then masked keys take part.
    if (how.softcap != 0) {
        const ValueRef cap = n.scalarConstant("softcap", how.softcap, dtype);
        FW_TRY(s, n.step("div", {s, cap}));
        FW_TRY(s, n.step("tanh", {s}));
        FW_TRY(s, n.step("mul", {s, cap}));
    }
    stage(ScoreStage::Capped, s);
    const Shape scores = n.type(s).shape;
    FW_CHECK(allowByPlace(n, scores, queries, how, allowed));
    FW_TRY(s, masked(n, s, added, allowed));
    stage(ScoreStage::Masked, s);
    Attrs last;
    last.set("axis", static_cast<std::int64_t>(n.type(s).rank()) - 1);
    FW_TRY(s, n.step("softmax", {s}, std::move(last)));
    FW_TRY(s, withoutEmpty(n, s, how, added, allowed));
    stage(ScoreStage::Weights, s);
    FW_TRY(out.y, n.step("batch_matmul", {s, v}));
    if (!inGroups)
        return out;
    FW_TRY(out.y, n.reshaped(out.y, {qs[0], qs[1], qs[2], vs[3]}));
    if (out.shown.valid()) {
        FW_TRY(out.shown, n.reshaped(out.shown, {qs[0], qs[1], qs[2], ks[2]}));
    }
    return out;
}

} // namespace fw
