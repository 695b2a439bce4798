// Operators that move elements by shapes and lists: reshape, expand, split, slice, pad, tile.
#include "library/native.h"

#include "base/numbers.h"
#include "expr/simplify.h"
#include "tensor/broadcast.h"
#include "tensor/demand.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Types = std::vector<TensorType>;

Expr load(const TensorType& x, Exprs indices) {
    return loadExpr("x", std::move(indices), x.dtype);
}

Result<std::size_t> axisAttr(std::int64_t axis, std::size_t rank) {
    if (axis < 0)
        axis += static_cast<std::int64_t>(rank);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("there is no axis {} in rank {}", axis, rank));
    return static_cast<std::size_t>(axis);
}

// --- reshape: the same elements in row-major order under another shape

Result<Inferred> inferReshape(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(Shape shape, shapeAttr(call.attrs, "shape"));
    const Expr before = simplify(elementCount(x->shape)), after = simplify(elementCount(shape));
    Inferred out = inferredType({x->dtype, shape});
    FW_CHECK(
        demand(out.assumptions, eqExpr(before, after),
               fmt::format("reshape: {} cannot become {}: the number of elements must be the same",
                           x->text(), shapeText(shape))));
    for (const Dim& dim : shape)
        FW_CHECK(demand(
            out.assumptions, leExpr(Expr(0), dim),
            fmt::format("reshape: a dimension would be {}: it must not be negative", dim.text())));
    return out;
}

Result<OpInst> instantiateReshape(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    // No element to move, and the index map would divide by 0.
    if (std::any_of(x->shape.begin(), x->shape.end(), [](const Dim& dim) { return dim.isInt(0); }))
        return mapInst({{Symbol("x"), *x}}, outputs[0], constantExpr(0, x->dtype));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Ranges ranges;
    Expr flat(0);
    for (const Axis& axis : axes) {
        flat = flat * axis.extent + varExpr(axis.var);
        ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
    }
    Exprs indices(x->rank());
    for (std::size_t i = x->rank(); i-- > 0;) {
        indices[i] = i == 0 ? flat : modExpr(flat, x->shape[i]);
        flat = floorDivExpr(flat, x->shape[i]);
    }
    for (Expr& index : indices)
        index = simplify(index, ranges);
    return mapInst({{Symbol("x"), *x}}, outputs[0], load(*x, indices));
}

// --- expand: broadcasting to a shape

Result<Inferred> inferExpand(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(Shape shape, shapeAttr(call.attrs, "shape"));
    const std::size_t rank = std::max(shape.size(), x->rank());
    Shape out(rank);
    Inferred inferred;
    for (std::size_t i = 0; i < rank; ++i) {
        const Dim given = i + shape.size() < rank ? Dim(1) : shape[i + shape.size() - rank];
        const Dim own = i + x->rank() < rank ? Dim(1) : x->shape[i + x->rank() - rank];
        const Broadcast both = broadcast(own, given);
        const auto sentence = [&](const Compatibility& pair) {
            return fmt::format("expand: {} does not broadcast to {}: of {} and {}, {}", x->text(),
                               shapeText(shape), pair.a.text(), pair.b.text(), pair.demand());
        };
        if (both.refuted)
            return makeDiag(DiagCode::ShapeMismatch, sentence(*both.refuted));
        for (const Compatibility& pair : both.conditions)
            inferred.assumptions.push_back({pair.condition, sentence(pair)});
        out[i] = both.extent;
    }
    inferred.outputs = {{x->dtype, std::move(out)}};
    return inferred;
}

Result<OpInst> instantiateExpand(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < x->rank(); ++i) {
        const Axis& axis = axes[axes.size() - x->rank() + i];
        const Dim& own = x->shape[i];
        indices.push_back(own.isInt(1)                   ? Expr(0)
                          : proveEqual(own, axis.extent) ? varExpr(axis.var)
                                                         : stretchedIndex(varExpr(axis.var), own));
    }
    return mapInst({{Symbol("x"), *x}}, outputs[0], load(*x, indices));
}

// --- split: consecutive parts of one axis

Result<Inferred> inferSplit(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const std::size_t axis, axisAttr(call.attrs.integer("axis", 0), x->rank()));
    Inferred out;
    FW_TRY(const Shape sizes, shapeAttr(call.attrs, "sizes"));
    Expr total(0);
    for (const Dim& size : sizes) {
        if (size.asInt() && *size.asInt() < 0)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            "a part of a split has a negative size");
        FW_CHECK(demand(out.assumptions, leExpr(Expr(0), size),
                        fmt::format("split: a part is {}: it must not be negative", size.text())));
        TensorType part = *x;
        part.shape[axis] = size;
        out.outputs.push_back(std::move(part));
        const auto fixed = total.asInt(), more = size.asInt();
        if (fixed && more && !checkedAdd(*fixed, *more))
            return makeDiag(DiagCode::DimOverflow, "the parts of a split are too large");
        total = simplify(total + size);
    }
    FW_CHECK(demand(out.assumptions, eqExpr(x->shape[axis], total),
                    fmt::format("split: the parts add up to {}, dimension {} of x is {}: they must "
                                "be equal",
                                total.text(), axis, x->shape[axis].text())));
    return out;
}

Result<OpInst> instantiateSplit(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const std::size_t axis, axisAttr(call.attrs.integer("axis", 0), x->rank()));
    OpInst inst;
    inst.inputs = {{Symbol("x"), *x}};
    Expr offset(0);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const Symbol name("y" + std::to_string(o));
        Stage stage;
        stage.out = name;
        for (std::size_t i = 0; i < outputs[o].rank(); ++i)
            stage.space.push_back({Symbol(fmt::format("p{}_{}", o, i)), outputs[o].shape[i]});
        stage.store = varsOf(stage.space);
        Exprs indices = stage.store;
        indices[axis] = simplify(indices[axis] + offset);
        stage.body = x->shape[axis].isInt(0) ? constantExpr(0, x->dtype) : load(*x, indices);
        offset = simplify(offset + outputs[o].shape[axis]);
        inst.outputs.push_back({name, outputs[o]});
        inst.stages.push_back(std::move(stage));
    }
    return inst;
}

// --- slice: start, end, step per axis, clamped as NumPy does

struct Cut {
    Expr start;
    std::int64_t step = 1;
    Dim extent;
};

constexpr std::int64_t beyond = std::int64_t(1) << 40; // every axis

// Forwards from `start` to before `end`, both clamped into 0 .. dim. What is clamped is only
// written where the count depends on it: a dimension less a clamp of itself doubles the text of the
// sizes behind every cut.
Dim countForwards(const Dim& dim, std::int64_t start, std::int64_t end) {
    const bool all = end >= beyond;
    if (start >= beyond || end <= -beyond)
        return Expr(0);
    if (start <= -beyond)
        start = 0;
    if (start >= 0)
        return (all ? dim : end < 0 ? dim + Expr(end) : minExpr(Expr(end), dim)) - Expr(start);
    if (all)
        return minExpr(Expr(-start), dim);
    if (end < 0)
        return minExpr(dim + Expr(end), Expr(end - start));
    return minExpr(Expr(end), dim) - maxExpr(dim + Expr(start), Expr(0));
}

// Backwards from `start` to behind `end`, both clamped into -1 .. dim - 1.
Dim countBackwards(const Dim& dim, std::int64_t start, std::int64_t end) {
    const bool all = end <= -beyond;
    if (start <= -beyond || end >= beyond)
        return Expr(0);
    const Dim first = start >= beyond ? dim - Expr(1)
                      : start < 0     ? dim + Expr(start)
                                      : minExpr(Expr(start), dim - Expr(1));
    if (all || end >= 0)
        return first - Expr(all ? -1 : end);
    if (start >= beyond)
        return minExpr(Expr(-1 - end), dim);
    if (start < 0)
        return minExpr(dim + Expr(start + 1), Expr(start - end));
    return first - maxExpr(dim + Expr(end), Expr(-1));
}

Cut cutOf(const Dim& dim, std::int64_t start, std::int64_t end, std::int64_t step) {
    const Expr low = step > 0 ? Expr(0) : Expr(-1), high = step > 0 ? dim : dim - Expr(1);
    const Expr at = start < 0 ? dim + Expr(start) : Expr(start);
    const Expr first = start >= beyond    ? high
                       : start <= -beyond ? low
                                          : simplify(minExpr(maxExpr(at, low), high));
    const Dim count = step > 0 ? countForwards(dim, start, end) : countBackwards(dim, start, end);
    return {first, step, simplify(maxExpr(ceilDivExpr(count, Expr(std::abs(step))), Expr(0)))};
}

Result<std::vector<Cut>> cutsOf(const OpCall& call, const TensorType& x) {
    std::vector<Cut> out;
    for (const Dim& dim : x.shape)
        out.push_back({Expr(0), 1, dim});
    const Integers starts = call.attrs.integers("starts"), ends = call.attrs.integers("ends");
    Integers axes = call.attrs.integers("axes"), steps = call.attrs.integers("steps");
    if (axes.empty())
        for (std::size_t i = 0; i < starts.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    if (steps.empty())
        steps.assign(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size())
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "starts, ends, axes and steps of a slice differ in length");
    for (std::size_t k = 0; k < starts.size(); ++k) {
        FW_TRY(const std::size_t axis, axisAttr(axes[k], x.rank()));
        const std::int64_t step = std::clamp(steps[k], -beyond, beyond);
        if (step == 0)
            return makeDiag(DiagCode::UnsupportedAttribute, "a slice needs a step other than 0");
        out[axis] = cutOf(x.shape[axis], std::clamp(starts[k], -beyond, beyond),
                          std::clamp(ends[k], -beyond, beyond), step);
    }
    return out;
}

Result<Inferred> inferSlice(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const std::vector<Cut> cuts, cutsOf(call, *x));
    TensorType out{x->dtype, {}};
    for (const Cut& cut : cuts)
        out.shape.push_back(cut.extent);
    return inferredType(std::move(out));
}

Result<OpInst> instantiateSlice(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const std::vector<Cut> cuts, cutsOf(call, *x));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < cuts.size(); ++i)
        indices.push_back(simplify(cuts[i].start + varExpr(axes[i].var) * Expr(cuts[i].step)));
    return mapInst({{Symbol("x"), *x}}, outputs[0], load(*x, indices));
}

// --- pad: a value around (negative pads cut)

Result<Integers> padsOf(const OpCall& call, std::size_t rank) {
    Integers pads = call.attrs.integers("pads");
    if (pads.size() != 2 * rank)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("pad wants {} pads, not {}", 2 * rank, pads.size()));
    for (const std::int64_t pad : pads)
        if (pad < -(std::int64_t(1) << 40) || pad > (std::int64_t(1) << 40))
            return makeDiag(DiagCode::DimOverflow, "a pad is too large");
    return pads;
}

Result<Inferred> inferPad(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const Integers pads, padsOf(call, x->rank()));
    Inferred out = inferredType(*x);
    for (std::size_t i = 0; i < x->rank(); ++i) {
        Dim& dim = out.outputs[0].shape[i];
        dim = simplify(x->shape[i] + Expr(pads[i] + pads[i + x->rank()]));
        FW_CHECK(demand(
            out.assumptions, leExpr(Expr(0), dim),
            fmt::format("pad: dimension {} would be {}: it must not be negative", i, dim.text())));
    }
    return out;
}

Result<OpInst> instantiatePad(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const Integers pads, padsOf(call, x->rank()));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < x->rank(); ++i)
        indices.push_back(simplify(varExpr(axes[i].var) - Expr(pads[i])));
    const Expr value = constantExpr(call.attrs.real("value", 0), x->dtype);
    return mapInst({{Symbol("x"), *x}}, outputs[0], padExpr(load(*x, indices), value));
}

// --- tile: repeated along each axis

Result<Inferred> inferTile(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    FW_TRY(const Shape repeats, shapeAttr(call.attrs, "repeats"));
    if (repeats.size() != x->rank())
        return makeDiag(DiagCode::UnsupportedAttribute, "tile wants one repeat per axis");
    TensorType out = *x;
    for (std::size_t i = 0; i < x->rank(); ++i) {
        const auto fixed = repeats[i].asInt();
        if (fixed && (*fixed < 0 || *fixed > (std::int64_t(1) << 31)))
            return makeDiag(DiagCode::UnsupportedAttribute, "a repeat is out of range");
        out.shape[i] = simplify(x->shape[i] * repeats[i]);
    }
    return inferredType(std::move(out));
}

Result<OpInst> instantiateTile(const OpCall& call, const Types& outputs) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    const std::vector<Axis> axes = axesOf(outputs[0].shape);
    Exprs indices;
    for (std::size_t i = 0; i < x->rank(); ++i)
        indices.push_back(modExpr(varExpr(axes[i].var), x->shape[i]));
    return mapInst({{Symbol("x"), *x}}, outputs[0], load(*x, indices));
}

} // namespace

std::vector<NativeRow> movementOperators() {
    return {
        {"reshape",
         "the same elements under another shape",
         "reshape(x: T[S...], attr shape) -> y: T[shape...]",
         {"x"},
         {"y"},
         {{"shape", AttrType::Dims}},
         inferReshape,
         instantiateReshape,
         true},
        {"expand",
         "broadcast to a shape",
         "expand(x: T[S...], attr shape) -> y: T[...]",
         {"x"},
         {"y"},
         {{"shape", AttrType::Dims}},
         inferExpand,
         instantiateExpand},
        {"split",
         "consecutive parts of an axis",
         "split(x: T[S...], attr axis: int = 0, attr sizes: int[]) -> (y0, y1, ...)",
         {"x"},
         {},
         {{"axis", AttrType::Int, 0}, {"sizes", AttrType::IntList}},
         inferSplit,
         instantiateSplit},
        {"slice",
         "start, end and step per axis",
         "slice(x: T[S...], attr starts, ends, axes, steps: int[]) -> y: T[...]",
         {"x"},
         {"y"},
         {{"starts", AttrType::IntList},
          {"ends", AttrType::IntList},
          {"axes", AttrType::IntList},
          {"steps", AttrType::IntList}},
         inferSlice,
         instantiateSlice},
        {"pad",
         "a value around",
         "pad(x: T[S...], attr pads: int[], attr value: float = 0) -> y: T[...]",
         {"x"},
         {"y"},
         {{"pads", AttrType::IntList}, {"value", AttrType::Float, 0.0}},
         inferPad,
         instantiatePad},
        NativeRow{"tile",
                  "repeated along each axis",
                  "tile(x: T[S...], attr repeats: int[]) -> y: T[...]",
                  {"x"},
                  {"y"},
                  {{"repeats", AttrType::IntList}},
                  inferTile,
                  instantiateTile}
            .with("onnx \"\" \"Tile\" since 6 {repeats = operand 2}"),
    };
}

} // namespace fw
