// Operators that move elements. Flatten, Squeeze, Unsqueeze and the Reshape family become `reshape`
// with the target as an attribute, over free dimensions where need be; constants are viewed at
// once.
#include "base/numbers.h"
#include "expr/simplify.h"
#include "onnx/forms/running_sizes.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fw {

namespace {

// A view of operand 0 in another shape.
Status view(NodeImport& n, const Shape& shape) {
    if (const TensorData* data = n.constant(0))
        if (const auto extents = fixedExtents(shape)) {
            const auto count = checkedCount(*extents);
            if (count && static_cast<std::size_t>(*count) == data->count())
                return n.constantResult(data->reshaped(*extents));
        }
    FW_TRY(const ValueRef x, n.input(0));
    return n.resultReshaped(x, shape);
}

// The extent that -1 stands for: equal factors of both sides cancel, so a free dimension stays
// readable.
Dim remaining(Shape from, const Shape& known) {
    Dim divisor = intExpr(1);
    for (const Dim& dim : known) {
        const auto same = std::find(from.begin(), from.end(), dim);
        if (same != from.end())
            from.erase(same);
        else
            divisor = divisor * dim;
    }
    Dim count = intExpr(1);
    for (const Dim& dim : from)
        count = count * dim;
    if (divisor.isInt(1))
        return simplify(count);
    if (divisor.isInt(0))
        return intExpr(0);
    return simplify(floorDivExpr(count, divisor));
}

Status reshapeTo(NodeImport& n, const Exprs& target, bool allowZero) {
    FW_TRY(const TensorType x, n.inputType(0));
    Shape shape;
    Shape known;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < target.size(); ++i) {
        Dim dim = target[i];
        if (dim.isInt(0) && !allowZero) {
            if (i >= x.rank())
                return n.malformed(
                    fmt::format("target {} copies dimension {} of a tensor of rank {}",
                                shapeText(target), i, x.rank()));
            dim = x.shape[i];
        }
        if (dim.isInt(-1)) {
            if (open)
                return n.malformed("target " + shapeText(target) + " leaves two dimensions open");
            open = i;
        } else if (dim.asInt() && *dim.asInt() < 0) {
            return n.malformed("target " + shapeText(target) + " has a negative dimension");
        } else {
            known.push_back(dim);
        }
        shape.push_back(dim);
    }
    if (open)
        shape[*open] = remaining(x.shape, known);
    std::vector<std::int64_t> extents;
    for (const Dim& dim : shape)
        extents.push_back(dim.asInt().value_or(1));
    FW_TRY([[maybe_unused]] const std::int64_t count, checkedCount(extents));
    const auto before = fixedExtents(x.shape);
    const auto after = fixedExtents(shape);
    if (before && after && *checkedCount(*before) != *checkedCount(*after))
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} cannot be viewed as {}: {} elements against {}", x.text(),
                                    shapeText(shape), *checkedCount(*before),
                                    *checkedCount(*after)));
    return view(n, shape);
}

Status reshapeAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto shape, n.list("shape"));
    if (!shape)
        return n.malformed("has no attribute 'shape'");
    return reshapeTo(n, Exprs(shape->begin(), shape->end()), false);
}

Status reshape(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const bool allowZero, n.flag("allowzero", false));
    const auto target = n.shapeValues(1);
    if (!target)
        return reshapeRunning(n, allowZero);
    return reshapeTo(n, *target, allowZero);
}

Status squeeze(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    if (n.isComputed(1))
        return squeezeRunning(n);
    FW_TRY(const auto given, n.listOrOperand("axes", 1));
    FW_TRY(const TensorType x, n.inputType(0));
    std::vector<std::size_t> axes;
    if (given && given->empty()) // all axes to some programs, none to others
        return n.unsupported("an empty list of axes is not supported");
    if (given) {
        for (const std::int64_t where : *given) {
            FW_TRY(const std::size_t axis, n.axis(where, x.rank()));
            if (x.shape[axis].asInt() && !x.shape[axis].isInt(1))
                return makeDiag(DiagCode::ShapeMismatch,
                                fmt::format("axis {} of {} has not extent 1", axis, x.text()));
            axes.push_back(axis);
        }
    } else {
        for (std::size_t i = 0; i < x.rank(); ++i)
            if (x.shape[i].isInt(1))
                axes.push_back(i);
            else if (!x.shape[i].asInt())
                n.assume(neExpr(x.shape[i], Expr(1)),
                         fmt::format("Squeeze without axes: axis {} of {} is {} and stays, so it "
                                     "must not be 1",
                                     i, n.operandName(0), x.shape[i].text()));
    }
    return view(n, withoutAxes(x.shape, axes));
}

Status unsqueeze(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    if (n.isComputed(1))
        return unsqueezeRunning(n);
    FW_TRY(const auto given, n.listOrOperand("axes", 1));
    if (!given)
        return n.malformed("has no axes");
    FW_TRY(const TensorType x, n.inputType(0));
    const std::size_t rank = x.rank() + given->size();
    std::set<std::size_t> axes;
    for (const std::int64_t where : *given) {
        FW_TRY(const std::size_t axis, n.axis(where, rank));
        if (!axes.insert(axis).second)
            return n.malformed("an axis is named twice");
    }
    Shape out;
    for (std::size_t i = 0, next = 0; i < rank; ++i)
        out.push_back(axes.contains(i) ? intExpr(1) : x.shape[next++]);
    return view(n, out);
}

Status splitRunning(NodeImport& n) {
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const std::size_t axis, n.axis(where, n.type(x).rank()));
    FW_TRY(const Exprs sizes, n.sizes(1));
    if (sizes.size() != n.outputCount() || n.given("num_outputs"))
        return n.malformed(fmt::format("{} parts for {} outputs", sizes.size(), n.outputCount()));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("sizes", shapeAttr(sizes));
    return n.result("split", {x}, std::move(attrs));
}

Status split(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    if (n.isComputed(1))
        return splitRunning(n);
    FW_TRY(auto sizes, n.listOrOperand("split", 1));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    FW_TRY(const std::size_t axis, n.axis(where, type.rank()));
    const auto extent = type.shape[axis].asInt();
    const auto outputs = static_cast<std::int64_t>(n.outputCount());
    FW_TRY(const std::int64_t parts, n.integer("num_outputs", outputs)); // since opset 18
    if (parts != outputs || (sizes && n.given("num_outputs")))
        return n.malformed(fmt::format("num_outputs {} does not fit {} outputs{}", parts, outputs,
                                       sizes ? " of given sizes" : ""));
    if (!sizes && n.opset() >= 18 && !n.given("num_outputs"))
        return n.malformed("has neither sizes nor num_outputs");
    if (!sizes && !extent) { // before opset 18 the parts are equal, which becomes an assumption
        const Dim& whole = type.shape[axis];
        const Dim size = simplify(n.opset() >= 18 ? ceilDivExpr(whole, Expr(parts))
                                                  : floorDivExpr(whole, Expr(parts)));
        Exprs dims(n.outputCount(), size);
        if (n.opset() >= 18)
            dims.back() = simplify(whole - size * Expr(parts - 1));
        Attrs attrs;
        attrs.set("axis", static_cast<std::int64_t>(axis));
        attrs.set("sizes", shapeAttr(dims));
        return n.result("split", {x}, std::move(attrs));
    }
    if (!sizes) {
        const std::int64_t size =
            (*extent + parts - 1) / parts; // the last one may be smaller (opset 18)
        sizes = Integers(n.outputCount(), size);
        sizes->back() = *extent - size * (parts - 1);
    }
    std::int64_t sum = 0;
    for (const std::int64_t size : *sizes) {
        if (size < 0 || !checkedAdd(sum, size))
            return n.malformed(fmt::format("part of extent {}", size));
        sum += size;
    }
    if (sizes->size() != n.outputCount())
        return n.malformed(fmt::format("{} parts for {} outputs", sizes->size(), n.outputCount()));
    if (extent && sum != *extent)
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("the parts sum to {}, axis {} of {} has {}", sum, axis,
                                    type.text(), *extent));
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("sizes", std::move(*sizes));
    return n.result("split", {x}, std::move(attrs));
}

Status slice(NodeImport& n) {
    FW_CHECK(n.need(1, 5));
    for (const std::size_t i : {1u, 2u, 3u, 4u})
        if (n.has(i) && !n.integers(i))
            return sliceRunning(n);
    FW_TRY(const auto starts, n.listOrOperand("starts", 1));
    FW_TRY(const auto ends, n.listOrOperand("ends", 2));
    FW_TRY(const auto givenAxes, n.listOrOperand("axes", 3));
    FW_TRY(const auto givenSteps, n.listOrOperand("steps", 4));
    if (!starts || !ends || starts->size() != ends->size())
        return n.malformed("starts and ends do not agree");
    FW_TRY(const ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    const std::size_t count = starts->size();
    Integers axes;
    Integers first = *starts, last = *ends;
    Integers steps = givenSteps.value_or(Integers(count, 1));
    if ((givenAxes && givenAxes->size() != count) || steps.size() != count)
        return n.malformed("starts, axes and steps do not agree");
    for (std::size_t i = 0; i < count; ++i) {
        FW_TRY(const std::size_t axis,
               n.axis(givenAxes ? (*givenAxes)[i] : static_cast<std::int64_t>(i), type.rank()));
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end())
            return n.malformed(fmt::format("axis {} is named twice", axis));
        axes.push_back(static_cast<std::int64_t>(axis));
        if (steps[i] == 0)
            return n.malformed("a step is 0");
        first[i] = placeOfSlice(n, first[i], type.shape[axis], axis);
        last[i] = placeOfSlice(n, last[i], type.shape[axis], axis);
        // Backwards ONNX begins at the first element where a start lies before it; NumPy takes
        // none.
        constexpr std::int64_t far = std::int64_t(1) << 40;
        const auto extent = type.shape[axis].asInt();
        if (steps[i] < 0 && (extent ? *extent > 0 && first[i] < -*extent : first[i] <= -far))
            first[i] = 0;
    }
    Attrs attrs;
    attrs.set("starts", std::move(first));
    attrs.set("ends", std::move(last));
    attrs.set("axes", std::move(axes));
    attrs.set("steps", std::move(steps));
    return n.result("slice", {x}, std::move(attrs));
}

Status padWith(NodeImport& n, const Integers& pads, double value) {
    FW_TRY(const std::string mode, n.text("mode", "constant"));
    FW_TRY(const ValueRef x, n.input(0));
    const std::size_t rank = n.type(x).rank();
    if (pads.size() != 2 * rank)
        return n.malformed(fmt::format("{} pads for a tensor of rank {}", pads.size(), rank));
    Attrs attrs;
    if (mode == "edge" || mode == "reflect" || mode == "wrap") {
        const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
        attrs.set("before", Integers(pads.begin(), middle));
        attrs.set("behind", Integers(middle, pads.end()));
        return n.result("pad_" + mode, {x}, std::move(attrs));
    }
    if (mode != "constant")
        return n.malformed("there is no mode '" + mode + "'");
    attrs.set("pads", pads);
    attrs.set("value", value);
    return n.result("pad", {x}, std::move(attrs));
}

Status padAttributes(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto pads, n.list(n.opset() < 2 ? "paddings" : "pads"));
    FW_TRY(const double value, n.real("value", 0));
    if (!pads)
        return n.malformed("has no pads");
    return padWith(n, *pads, value);
}

Status pad(NodeImport& n) {
    FW_CHECK(n.need(2, 4));
    const auto given = n.integers(1);
    const bool isComputed = (n.has(2) && !n.scalar(2)) || (n.has(3) && !n.integers(3));
    if (!given || isComputed) {
        FW_TRY(const std::string mode, n.text("mode", "constant"));
        return padRunning(n, mode);
    }
    const double value = n.has(2) ? *n.scalar(2) : 0;
    Integers pads = *given;
    if (n.has(3)) { // opset 18: pads for some axes only
        const auto axes = n.integers(3);
        FW_TRY(const TensorType x, n.inputType(0));
        if (!axes || pads.size() != 2 * axes->size())
            return n.malformed("pads and axes do not agree");
        FW_CHECK(checkAxes(n, 3, x.rank()));
        Integers all(2 * x.rank(), 0);
        for (std::size_t i = 0; i < axes->size(); ++i) {
            FW_TRY(const std::size_t axis, n.axis((*axes)[i], x.rank()));
            all[axis] = pads[i];
            all[x.rank() + axis] = pads[axes->size() + i];
        }
        pads = std::move(all);
    }
    return padWith(n, pads, value);
}

Status expand(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const Exprs target, n.sizes(1));
    FW_TRY(const ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    // Broadcast of both shapes, so that the attribute is the shape of the result.
    Shape shape(std::max(type.rank(), target.size()), intExpr(1));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t fromEnd = shape.size() - i;
        const Dim own = fromEnd <= type.rank() ? type.shape[type.rank() - fromEnd] : intExpr(1);
        const Dim wanted = fromEnd <= target.size() ? target[target.size() - fromEnd] : intExpr(1);
        if (wanted.asInt() && *wanted.asInt() < 0)
            return n.malformed("target " + shapeText(target) + " has a negative dimension");
        if (!own.isInt(1) && !wanted.isInt(1) && own.asInt() && wanted.asInt() && !(own == wanted))
            return makeDiag(DiagCode::ShapeMismatch, fmt::format("{} cannot be stretched to {}",
                                                                 type.text(), shapeText(target)));
        shape[i] = wanted.isInt(1) ? own : wanted;
    }
    if (shape == type.shape)
        return n.result("identity", {x});
    Attrs attrs;
    attrs.set("shape", shapeAttr(shape));
    return n.result("expand", {x}, std::move(attrs));
}

} // namespace

std::span<const ImporterRow> movementImporters() {
    static constexpr ImporterRow rows[] = {
        {"Reshape", 1, reshapeAttribute}, {"Reshape", 5, reshape}, {"Squeeze", 1, squeeze},
        {"Unsqueeze", 1, unsqueeze},      {"Split", 1, split},     {"Slice", 1, slice},
        {"Pad", 1, padAttributes},        {"Pad", 11, pad},        {"Expand", 8, expand},
    };
    return rows;
}

} // namespace fw
