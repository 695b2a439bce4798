#include "onnx/forms/running_sizes.h"

#include "expr/simplify.h"
#include "onnx/read/model_importer.h"

#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace fw {

namespace {

Result<ValueRef> asI64(NodeImport& n, ValueRef value) {
    if (n.type(value).dtype == DType::I64)
        return value;
    Attrs to;
    to.set("to", DType::I64);
    return n.step("cast", {value}, std::move(to));
}

std::int64_t countOf(NodeImport& n, ValueRef vector) {
    return n.type(vector).shape.at(0).asInt().value();
}

ValueRef integersConstant(NodeImport& n, const std::string& suffix, const Integers& values) {
    return n.addConstant(
        suffix, dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values));
}

// The axes of operand i, or the first ones.
Result<ValueRef> axesOr(NodeImport& n, std::size_t i, std::int64_t count) {
    if (n.has(i))
        return integerVector(n, i);
    Integers first(static_cast<std::size_t>(count));
    std::iota(first.begin(), first.end(), 0);
    return integersConstant(n, "axes", first);
}

Result<ValueRef> partOf(NodeImport& n, ValueRef vector, std::int64_t from, std::int64_t to) {
    Attrs attrs;
    attrs.set("starts", Integers{from});
    attrs.set("ends", Integers{to});
    attrs.set("axes", Integers{0});
    attrs.set("steps", Integers{1});
    return n.step("slice", {vector}, std::move(attrs));
}

// x under the extents that the step computes. `unlike`: what is wrong where these are not as many
// elements, in words of the model, to which the extents have no names.
Status resultOfExtents(NodeImport& n, ValueRef x, LastStep extents, std::string unlike) {
    FW_TRY(const ValueRef shape,
           n.step(extents.op, std::move(extents.inputs), std::move(extents.attrs)));
    FW_TRY(const Exprs dims, n.boundExtents(shape));
    const Expr asMany =
        eqExpr(simplify(elementCount(n.type(x).shape)), simplify(elementCount(dims)));
    if (!simplify(asMany).isInt())
        n.assume(asMany, std::move(unlike));
    return n.resultReshaped(x, dims);
}

constexpr std::int64_t far = std::int64_t(1) << 40; // beyond every extent
constexpr std::int64_t meansEnd =
    std::numeric_limits<std::int32_t>::max(); // where exporters write it

// Where starts and ends are known over free dimensions, axes and steps as numbers.
std::optional<Exprs> extentsOfSlice(NodeImport& n, const Shape& shape) {
    auto starts = n.shapeValues(1), ends = n.shapeValues(2);
    if (!starts || !ends || (n.has(3) && !n.integers(3)) || (n.has(4) && !n.integers(4)))
        return std::nullopt;
    Exprs axes;
    for (std::size_t i = 0; i < starts->size(); ++i) {
        axes.emplace_back(n.has(3) ? n.integers(3)->at(i) : static_cast<std::int64_t>(i));
        const auto axis = n.axis(*axes[i].asInt(), shape.size());
        if (!axis)
            return std::nullopt;
        for (Exprs* places : {&*starts, &*ends})
            if (const auto place = (*places)[i].asInt())
                (*places)[i] = Expr(placeOfSlice(n, *place, shape[*axis], *axis));
    }
    const Exprs steps = n.has(4) ? *n.shapeValues(4) : Exprs(starts->size(), Expr(1));
    return n.sizesBy("slice_extents", 2, {*starts, *ends, axes, steps, shape});
}

// Where pads are known over free dimensions, axes as numbers.
std::optional<Exprs> extentsOfPad(const NodeImport& n, const Shape& shape) {
    const auto pads = n.shapeValues(1);
    if (!pads || (n.has(3) && !n.integers(3)))
        return std::nullopt;
    const auto count = static_cast<std::ptrdiff_t>(pads->size() / 2);
    Exprs axes;
    for (std::int64_t i = 0; i < count; ++i)
        axes.emplace_back(n.has(3) ? n.integers(3)->at(static_cast<std::size_t>(i)) : i);
    return n.sizesBy("pad_extents", 1,
                     {Exprs(pads->begin(), pads->begin() + count),
                      Exprs(pads->begin() + count, pads->end()), axes, shape});
}

} // namespace

std::optional<Exprs> NodeImport::sizesBy(const std::string& op, std::size_t output,
                                         const std::vector<Exprs>& lists) const {
    OpCall call;
    std::vector<KnownValue> values;
    for (const Exprs& list : lists) {
        const auto count = static_cast<std::int64_t>(list.size());
        call.inputs.push_back(TensorType{DType::I64, {Expr(count)}});
        values.push_back(knownValue({DType::I64, {count}, list}));
    }
    std::vector<const KnownValue*> operands;
    for (const KnownValue& value : values)
        operands.push_back(&value);
    const auto results = resultsOf(*m_model.operators().find(op), call, operands);
    return results ? std::optional(integersIn(results->at(output)).value().elements) : std::nullopt;
}

Result<ValueRef> integerVector(NodeImport& n, std::size_t i) {
    FW_TRY(ValueRef value, n.input(i));
    const TensorType type = n.type(value);
    const auto extents = fixedExtents(type.shape);
    if (!extents || type.rank() > 1 || !isInteger(type.dtype))
        return n.unsupported(fmt::format("{} is no fixed number of integers", type.text()),
                             "its shape has to be known before the model runs");
    if (type.rank() == 0) {
        FW_TRY(value, n.reshaped(value, {intExpr(1)}));
    }
    return asI64(n, value);
}

std::int64_t placeOfSlice(NodeImport& n, std::int64_t place, const Dim& extent, std::size_t axis) {
    if (extent.asInt() || place >= far || place <= -far || std::abs(place) < meansEnd)
        return place;
    const std::int64_t most = place < 0 ? -1 - place : place;
    n.assume(leExpr(extent, Expr(most)),
             fmt::format("dimension {} of {} is {}, and {} means its {}: it must be at most {}",
                         axis, n.operandName(0), extent.text(), place,
                         place < 0 ? "beginning" : "end", most));
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    return place < 0 ? -end : end;
}

Result<ValueRef> extentsOf(NodeImport& n, ValueRef x) {
    if (const auto fixed = fixedExtents(n.type(x).shape))
        return integersConstant(n, "extents", *fixed);
    return n.step("shape", {x});
}

Status reshapeRunning(NodeImport& n, bool allowZero) {
    FW_TRY(ValueRef x, n.input(0));
    if (n.type(x).rank() == 0) {
        FW_TRY(x, n.reshaped(x, {intExpr(1)}));
    }
    FW_TRY(const ValueRef target, integerVector(n, 1));
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    Attrs attrs;
    attrs.set("keep_zero", std::int64_t{allowZero});
    return resultOfExtents(
        n, x, {"reshape_extents", {target, extents}, std::move(attrs)},
        fmt::format("{} holds a shape that {}, {}, does not fit: the number of elements must be "
                    "the same",
                    n.operandName(1), n.operandName(0), n.type(x).text()));
}

Status squeezeRunning(NodeImport& n) {
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef axes, integerVector(n, 1));
    if (countOf(n, axes) > static_cast<std::int64_t>(n.type(x).rank()))
        return n.malformed("has more axes than its operand");
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    return resultOfExtents(
        n, x, {"squeeze_extents", {extents, axes}, {}},
        fmt::format("{} names an axis of {}, {}, that has not extent 1: only such axes are taken "
                    "away",
                    n.operandName(1), n.operandName(0), n.type(x).text()));
}

Status unsqueezeRunning(NodeImport& n) {
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef axes, integerVector(n, 1));
    if (n.type(x).rank() == 0) // whatever the axes are
        return n.resultReshaped(x, Shape(static_cast<std::size_t>(countOf(n, axes)), intExpr(1)));
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    return resultOfExtents(n, x, {"unsqueeze_extents", {extents, axes}, {}},
                           fmt::format("the axes that {} names do not fit {}, {}", n.operandName(1),
                                       n.operandName(0), n.type(x).text()));
}

Status checkAxes(NodeImport& n, std::size_t operand, std::size_t rank) {
    std::vector<bool> named(rank, false);
    for (const std::int64_t where : n.integers(operand).value_or(Integers())) {
        FW_TRY(const std::size_t axis, n.axis(where, rank));
        if (named[axis])
            return n.malformed(fmt::format("axis {} is named twice", axis));
        named[axis] = true;
    }
    return {};
}

Status sliceRunning(NodeImport& n) {
    FW_TRY(const ValueRef x, n.input(0));
    FW_CHECK(checkAxes(n, 3, n.type(x).rank()));
    FW_TRY(const ValueRef starts, integerVector(n, 1));
    FW_TRY(const ValueRef ends, integerVector(n, 2));
    const std::int64_t count = countOf(n, starts);
    if (count == 0)
        return n.result("identity", {x});
    FW_TRY(const ValueRef axes, axesOr(n, 3, count));
    ValueRef steps = integersConstant(n, "steps", Integers(static_cast<std::size_t>(count), 1));
    if (n.has(4)) {
        FW_TRY(steps, integerVector(n, 4));
    }
    for (const ValueRef other : {ends, axes, steps})
        if (countOf(n, other) != count)
            return n.malformed("starts, ends, axes and steps do not agree");
    if (count > static_cast<std::int64_t>(n.type(x).rank()))
        return n.malformed("has more axes than its operand");
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    FW_TRY(const std::vector<ValueRef> parts,
           n.steps("slice_extents", {starts, ends, axes, steps, extents}));
    Exprs dims;
    if (auto known = extentsOfSlice(n, n.type(x).shape)) {
        dims = std::move(*known);
    } else {
        FW_TRY(dims, n.boundExtents(parts.at(2)));
    }
    // Axes that are known not to be cut keep their extents.
    if (const auto named = n.has(3) ? n.integers(3) : std::nullopt; named || !n.has(3)) {
        const std::size_t rank = n.type(x).rank();
        std::vector<bool> cut(rank, false);
        for (std::int64_t i = 0; i < count; ++i) {
            FW_TRY(const std::size_t axis,
                   n.axis(named ? (*named)[static_cast<std::size_t>(i)] : i, rank));
            cut[axis] = true;
        }
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (!cut[axis])
                dims[axis] = n.type(x).shape[axis];
    }
    Attrs attrs;
    attrs.set("shape", shapeAttr(dims));
    return n.result("slice_at", {x, parts[0], parts[1]}, std::move(attrs));
}

Status padRunning(NodeImport& n, const std::string& mode) {
    if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
        return n.malformed("there is no mode '" + mode + "'");
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef pads, integerVector(n, 1));
    const TensorType type = n.type(x);
    FW_CHECK(checkAxes(n, 3, type.rank()));
    const auto rank = static_cast<std::int64_t>(type.rank());
    FW_TRY(const ValueRef axes, axesOr(n, 3, rank));
    if (countOf(n, pads) != 2 * countOf(n, axes))
        return n.malformed("pads and axes do not agree");
    if (countOf(n, pads) == 0)
        return n.result("identity", {x});
    const std::int64_t count = countOf(n, axes);
    FW_TRY(const ValueRef before, partOf(n, pads, 0, count));
    FW_TRY(const ValueRef behind, partOf(n, pads, count, 2 * count));
    ValueRef value = n.scalarConstant("value", 0, type.dtype);
    if (n.has(2)) {
        FW_TRY(value, n.input(2));
        if (n.type(value).rank() != 0) {
            FW_TRY(value, n.reshaped(value, {}));
        }
    }
    FW_TRY(const ValueRef extents, extentsOf(n, x));
    FW_TRY(const std::vector<ValueRef> parts,
           n.steps("pad_extents", {before, behind, axes, extents}));
    Exprs dims;
    if (auto known = extentsOfPad(n, type.shape)) {
        dims = std::move(*known);
    } else {
        FW_TRY(dims, n.boundExtents(parts.at(1)));
    }
    Attrs attrs;
    attrs.set("shape", shapeAttr(dims));
    attrs.set("mode", mode);
    return n.result("pad_at", {x, parts[0], value}, std::move(attrs));
}

Status rangeRunning(NodeImport& n) {
    std::vector<ValueRef> bounds;
    for (const std::size_t i : {0u, 1u, 2u}) {
        FW_TRY(ValueRef value, n.input(i));
        if (n.type(value).rank() != 0) {
            FW_TRY(value, n.reshaped(value, {}));
        }
        bounds.push_back(value);
    }
    FW_TRY(const ValueRef count, n.step("range_count", bounds));
    FW_TRY(const Exprs dims, n.boundExtents(count));
    Attrs attrs;
    attrs.set("size", shapeAttr(dims));
    return n.result("range", {bounds[0], bounds[2]}, std::move(attrs));
}

} // namespace fw
