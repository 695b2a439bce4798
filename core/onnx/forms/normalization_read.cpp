// Norms of rows, whose scale and shift may be no rows and of another type.
#include "expr/simplify.h"
#include "onnx/model/beyond_texts.h"
#include "onnx/read/filled.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Dim product(const Shape& shape, std::size_t from) {
    Dim out = intExpr(1);
    for (std::size_t i = from; i < shape.size(); ++i)
        out = out * shape[i];
    return out;
}

Result<ValueRef> converted(NodeImport& n, ValueRef value, DType dtype) {
    Attrs to;
    to.set("to", dtype);
    return n.step("cast", {value}, std::move(to));
}

// The axes that a row norm goes over, as one row.
struct Rows {
    std::size_t axis = 0; // the first of them
    Shape shape, inner;   // of x, of these axes
    Dim width;            // of the row

    // x with them as its last axis
    Shape flat() const {
        Shape out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
        out.push_back(width);
        return out;
    }
    // A scale or a shift that has a value for every place of the row, whichever row it is.
    bool isRow(Shape of) const {
        if (of.size() == 1 && of[0] == width)
            return true;
        while (of.size() > inner.size() && of.front().isInt(1))
            of.erase(of.begin());
        return of == inner;
    }
    bool broadcasts(const Shape& of) const {
        if (of.size() > shape.size())
            return false;
        const std::size_t behind = shape.size() - of.size();
        for (std::size_t i = 0; i < of.size(); ++i)
            if (!of[i].isInt(1) && of[i] != shape[behind + i])
                return false;
        return true;
    }
};

Result<Rows> rowsOf(NodeImport& n, std::int64_t where) {
    FW_TRY(const TensorType x, n.inputType(0));
    Rows out;
    FW_TRY(out.axis, n.axis(where, x.rank()));
    out.shape = x.shape;
    out.inner.assign(x.shape.begin() + static_cast<std::ptrdiff_t>(out.axis), x.shape.end());
    out.width = simplify(product(x.shape, out.axis));
    return out;
}

// Operands of a row norm: x, a scale and, of some, a shift.
struct RowNorm {
    Rows rows;
    ValueRef x, scale, shift;
    bool scaleBehind = false, shiftBehind = false; // they are no rows: further operators
    DType result = DType::F32;                     // of y
    bool isMixed = false; // x has another type than the result, which is the scale's
};

// `wide`: whether there are results that are f32 whatever x is.
Result<RowNorm> rowNormOf(NodeImport& n, std::int64_t where, bool shifts, bool mayMix, bool wide) {
    RowNorm out;
    FW_TRY(out.rows, rowsOf(n, where));
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(const TensorType scale, n.inputType(1));
    const auto isBehind = [&](const TensorType& operand) -> Result<bool> {
        if (out.rows.isRow(operand.shape))
            return false;
        if (out.rows.broadcasts(operand.shape))
            return true;
        return n.unsupported(fmt::format("a scale or bias of shape {} for {} is not supported",
                                         shapeText(operand.shape), x.text()));
    };
    FW_TRY(out.scaleBehind, isBehind(scale));
    if (shifts && n.has(2)) {
        FW_TRY(const TensorType shift, n.inputType(2));
        FW_TRY(const bool behind, isBehind(shift));
        out.shiftBehind = behind || out.scaleBehind;
    }
    out.isMixed = mayMix && isFloat(scale.dtype) && scale.dtype != x.dtype;
    out.result = out.isMixed ? scale.dtype : x.dtype;
    if (wide || out.isMixed || out.scaleBehind || out.shiftBehind)
        n.computeWide();
    FW_TRY(out.x, n.input(0));
    FW_TRY(out.scale, n.input(1));
    if (shifts && n.has(2)) {
        FW_TRY(out.shift, n.input(2));
    }
    return out;
}

// All operands in the type that everything is computed in.
Status convertAll(NodeImport& n, RowNorm& norm, DType dtype) {
    for (ValueRef* operand : {&norm.x, &norm.scale, &norm.shift})
        if (operand->valid() && n.type(*operand).dtype != dtype) {
            FW_TRY(*operand, converted(n, *operand, dtype));
        }
    return {};
}

// `operand` as a row, or a row of one value in its stead.
Result<ValueRef> rowFor(NodeImport& n, const RowNorm& norm, ValueRef operand, bool behind,
                        const std::string& suffix, double otherwise) {
    if (!operand.valid() || behind)
        return filled(n, suffix, {norm.rows.width}, n.type(norm.x).dtype, otherwise);
    const Shape row{norm.rows.width};
    return n.type(operand).shape == row ? Result<ValueRef>(operand) : n.reshaped(operand, row);
}

// The normalised rows as the result of the node, scaled and shifted by what was no row.
// `aliased`: y is no last step, as the node has other results or one of another type.
Status finishRows(NodeImport& n, const RowNorm& norm, ValueRef y, bool aliased) {
    struct Behind {
        const char* op;
        ValueRef operand;
    };
    std::vector<Behind> behind;
    if (norm.scaleBehind)
        behind.push_back({"mul", norm.scale});
    if (norm.shiftBehind)
        behind.push_back({"add", norm.shift});
    const bool isFlat = n.type(y).shape != norm.rows.shape;
    if (isFlat && behind.empty() && !aliased)
        return n.resultReshaped(y, norm.rows.shape);
    if (isFlat) {
        FW_TRY(y, n.reshaped(y, norm.rows.shape));
    }
    for (std::size_t i = 0; i < behind.size(); ++i) {
        ValueRef operand = behind[i].operand;
        if (norm.rows.isRow(n.type(operand).shape) && norm.rows.inner.size() > 1) {
            FW_TRY(operand, n.reshaped(operand, norm.rows.inner));
        }
        if (i + 1 == behind.size() && !aliased)
            return n.result(behind[i].op, {y, operand});
        FW_TRY(y, n.step(behind[i].op, {y, operand}));
    }
    const DType dtype = n.type(y).dtype;
    if (dtype != norm.result &&
        (norm.isMixed || dtype == DType::F64 || norm.result == DType::F64)) {
        FW_TRY(y, converted(n, y, norm.result));
    }
    return norm.isMixed ? n.aliasWide(0, y) : n.alias(0, y);
}

// What everything of operands of two types is computed in.
DType commonOf(NodeImport& n, const RowNorm& norm) {
    const bool isDouble =
        n.type(norm.x).dtype == DType::F64 || n.type(norm.scale).dtype == DType::F64;
    return isDouble ? DType::F64 : DType::F32;
}

// In the standard since opset 17; ONNX Runtime has it in that domain since 1, where x may have
// another type than the rest.
Status layerNorm(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    FW_TRY(const std::int64_t stash, n.integer("stash_type", 1));
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    if (stash != 1 && stash != 11)
        return n.unsupported(fmt::format("stash_type {} is not supported", stash));
    const bool statistics = n.outputUsed(1) || n.outputUsed(2); // mean and 1 / deviation
    FW_TRY(RowNorm norm, rowNormOf(n, where, true, n.opset() < 17, statistics && stash == 1));
    // Mean and deviation are of the type in which all is computed.
    const DType computed = stash == 1 ? DType::F32 : DType::F64;
    const bool converts = statistics && n.type(norm.x).dtype != computed;
    if (converts || norm.isMixed)
        FW_CHECK(convertAll(n, norm, converts ? computed : commonOf(n, norm)));
    FW_TRY(const ValueRef scale, rowFor(n, norm, norm.scale, norm.scaleBehind, "scale", 1));
    FW_TRY(const ValueRef shift, rowFor(n, norm, norm.shift, norm.shiftBehind, "shift", 0));
    Attrs attrs;
    attrs.set("eps", eps);
    const Shape flat = norm.rows.flat();
    const bool isWhole = flat == norm.rows.shape;
    if (isWhole && !statistics && !norm.isMixed && !norm.scaleBehind && !norm.shiftBehind)
        return n.result("layernorm", {norm.x, scale, shift}, std::move(attrs));
    if (!isWhole) {
        FW_TRY(norm.x, n.reshaped(norm.x, flat));
    }
    FW_TRY(const ValueRef y, n.step("layernorm", {norm.x, scale, shift}, std::move(attrs)));
    Shape kept = flat; // the axes stay, with extent 1
    kept.back() = intExpr(1);
    kept.resize(norm.rows.shape.size(), intExpr(1));
    for (const int output : {1, 2})
        if (const auto i = static_cast<std::size_t>(output); n.outputUsed(i)) {
            FW_TRY(const ValueRef value, n.reshaped({y.node, output}, kept));
            FW_CHECK(n.aliasWide(i, value));
        }
    return finishRows(n, norm, y, statistics || norm.isMixed);
}

Status rmsNorm(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    if (n.outputUsed(1))
        return n.unsupported("its deviation is used, which is not supported");
    FW_TRY(const double eps, n.real("epsilon", 1e-5));
    FW_TRY(const std::int64_t where, n.integer("axis", -1));
    FW_TRY([[maybe_unused]] const std::int64_t stash, n.integer("stash_type", 1));
    FW_TRY(RowNorm norm, rowNormOf(n, where, false, true, false));
    if (norm.isMixed)
        FW_CHECK(convertAll(n, norm, commonOf(n, norm)));
    FW_TRY(const ValueRef scale, rowFor(n, norm, norm.scale, norm.scaleBehind, "scale", 1));
    Attrs attrs;
    attrs.set("eps", eps);
    const Shape flat = norm.rows.flat();
    const bool isWhole = flat == norm.rows.shape;
    if (isWhole && !norm.isMixed && !norm.scaleBehind)
        return n.result("rms_norm", {norm.x, scale}, std::move(attrs));
    if (!isWhole) {
        FW_TRY(norm.x, n.reshaped(norm.x, flat));
    }
    FW_TRY(const ValueRef y, n.step("rms_norm", {norm.x, scale}, std::move(attrs)));
    return finishRows(n, norm, y, norm.isMixed);
}

} // namespace

std::span<const ImporterRow> normalizationImporters() {
    static constexpr ImporterRow rows[] = {
        {"LayerNormalization", 1, layerNorm},
        {"RMSNormalization", 23, rmsNorm},
        {"SimplifiedLayerNormalization", 1, rmsNorm},
        {"SimplifiedLayerNormalization", 1, rmsNorm, contribDomain},
    };
    return rows;
}

} // namespace fw
