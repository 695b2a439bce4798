// Pools. ceil_mode becomes pads at the end; they are not counted by an average pool, whatever it
// says of the model's own pads, so those go into `counted`.
#include "expr/simplify.h"
#include "onnx/forms/window_geometry.h"
#include "onnx/read/filled.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Status pool(NodeImport& n, const std::string& op, const WindowGeometry& g, Attrs attrs) {
    FW_TRY(ValueRef x, n.input(0));
    if (!g.oneAxis)
        return n.result(op, {x}, std::move(attrs));
    FW_TRY(x, n.reshaped(x, withHeight(n.type(x).shape)));
    FW_TRY(const ValueRef y, n.step(op, {x}, std::move(attrs)));
    return n.resultReshaped(y, withoutHeight(n.type(y).shape));
}

// The pads that a last, partial window needs. A window that would begin behind the data is left
// out.
Status ceilPads(NodeImport& n, const Shape& x, WindowGeometry& g) {
    FW_TRY(const bool ceilMode, n.flag("ceil_mode", false));
    if (!ceilMode)
        return {};
    const Shape view = g.oneAxis ? withHeight(x) : x;
    for (std::size_t i = 0; i < g.axes(); ++i) {
        if (g.strides[i] == 1)
            continue;
        const Dim& extent = view[2 + i];
        const Expr stride(g.strides[i]), reach(g.reach(i));
        Expr& behind = g.pads[g.axes() + i];
        const Expr room = extent + g.pads[i] + behind - reach;
        // No window begins behind the data, so as many zeros as could be needed need not know the
        // extent.
        if (!extent.asInt() && proveNonNegative(reach - behind - stride)) {
            behind = simplify(behind + stride - Expr(1));
            continue;
        }
        const Expr steps =
            minExpr(ceilDivExpr(room, stride), floorDivExpr(extent + g.pads[i] - Expr(1), stride));
        behind = simplify(behind + maxExpr(steps * stride - room, Expr(0)));
    }
    return {};
}

// The places are counted through the whole operand, so an axis of extent 1 beside another one
// changes none.
Status maxPlaces(NodeImport& n, const WindowGeometry& g, Attrs attrs) {
    FW_TRY(const std::int64_t order, n.integer("storage_order", 0));
    if (order != 0 && order != 1)
        return n.malformed(fmt::format("storage_order {}", order));
    if (g.axes() > 3)
        return n.unsupported("its indices are used, which is not supported over four axes");
    attrs.set("by_columns", order);
    FW_TRY(ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    if (g.oneAxis) {
        FW_TRY(x, n.reshaped(x, withHeight(shape)));
    }
    FW_TRY(ValueRef places,
           n.step(g.isImage() ? "max_pool2d_places" : "max_pool3d_places", {x}, std::move(attrs)));
    if (g.oneAxis) {
        FW_TRY(places, n.reshaped(places, withoutHeight(n.type(places).shape)));
    }
    return n.alias(1, places);
}

Status maxPool(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, {}));
    FW_CHECK(ceilPads(n, x.shape, g));
    Attrs attrs = g.attrs();
    attrs.set("kernel_shape", g.kernel);
    if (n.outputUsed(1))
        FW_CHECK(maxPlaces(n, g, attrs));
    return pool(n, g.isImage() ? "max_pool2d" : "max_pool", g, std::move(attrs));
}

Status averagePool(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, {}));
    FW_TRY(const bool countsPads, n.flag("count_include_pad", false));
    WindowGeometry counted = g;
    if (!countsPads)
        counted.pads.assign(g.pads.size(), Expr(0));
    FW_CHECK(ceilPads(n, x.shape, g));
    Attrs attrs = g.attrs();
    attrs.set("kernel_shape", g.kernel);
    const bool dilated =
        std::any_of(g.dilations.begin(), g.dilations.end(), [](auto d) { return d != 1; });
    if (g.isImage() && !dilated) {
        attrs.erase("dilations");
        attrs.set("counted", shapeAttr(counted.pads));
        return pool(n, "avg_pool2d", g, std::move(attrs));
    }
    attrs.erase("pads");
    attrs.set("before", shapeAttr(g.before()));
    attrs.set("behind", shapeAttr(g.behind()));
    attrs.set("count_before", shapeAttr(counted.before()));
    attrs.set("count_behind", shapeAttr(counted.behind()));
    return pool(n, "avg_pool", g, std::move(attrs));
}

// A number in opset 1, an integer since.
Result<double> normOf(NodeImport& n) {
    double p = 2;
    if (n.opset() < 2) {
        FW_TRY(p, n.real("p", 2));
    } else {
        FW_TRY(const std::int64_t whole, n.integer("p", 2));
        p = static_cast<double>(whole);
    }
    if (!(p > 0) || !(p < 1e6))
        return n.malformed(fmt::format("a norm of p = {}", p));
    return p;
}

Status lpPool(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const TensorType x, n.inputType(0));
    FW_TRY(WindowGeometry g, windowGeometry(n, x.shape, {}));
    FW_CHECK(ceilPads(n, x.shape, g));
    FW_TRY(const double p, normOf(n));
    Attrs attrs = g.attrs();
    attrs.erase("pads");
    attrs.set("before", shapeAttr(g.before()));
    attrs.set("behind", shapeAttr(g.behind()));
    attrs.set("kernel_shape", g.kernel);
    attrs.set("p", p);
    return pool(n, "lp_pool", g, std::move(attrs));
}

// Each element goes to its place in an image of zeros; a larger result gets more zeros behind.
// The result of MaxUnpool with zeros behind its ends, as large as operand 2 says.
Status enlarged(NodeImport& n, ValueRef y, const Shape& shape) {
    const DType dtype = n.type(y).dtype;
    const auto wanted = n.integers(2);
    if (!wanted) {
        FW_TRY(const Exprs dims, n.sizes(2));
        FW_TRY(y, n.reshaped(y, shape));
        const ValueRef before = n.addConstant(
            "before", dataFromIntegers(DType::I64, {static_cast<std::int64_t>(shape.size())},
                                       Integers(shape.size(), 0)));
        Attrs more;
        more.set("shape", shapeAttr(dims));
        return n.result("pad_at", {y, before, n.scalarConstant("value", 0, dtype)},
                        std::move(more));
    }
    Integers pads(2 * shape.size(), 0);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto extent = shape[i].asInt();
        if (wanted->size() != shape.size() || !extent || (*wanted)[i] < *extent)
            return n.malformed(fmt::format("an output of shape [{}] for {}",
                                           fmt::join(*wanted, ", "), shapeText(shape)));
        pads[shape.size() + i] = (*wanted)[i] - *extent;
    }
    FW_TRY(y, n.reshaped(y, shape));
    Attrs more;
    more.set("pads", pads);
    more.set("value", 0.0);
    return n.result("pad", {y}, std::move(more));
}

Status maxUnpool(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(const TensorType type, n.inputType(0));
    FW_TRY(const WindowGeometry g, windowGeometry(n, type.shape, {}, PadRule::Transposed));
    const std::size_t axes = type.rank() - 2;
    FW_TRY(const ValueRef x, n.input(0));
    FW_TRY(const ValueRef places, n.input(1));
    if (n.type(places).shape != type.shape)
        return n.malformed(
            fmt::format("places {} for elements {}", n.type(places).text(), type.text()));
    Dim plane = intExpr(1), given = intExpr(1);
    const Dim images = simplify(type.shape[0] * type.shape[1]);
    Shape shape{type.shape[0], type.shape[1]};
    for (std::size_t i = 0; i < axes; ++i) {
        const std::size_t k = i + g.axes() - axes;
        shape.push_back(simplify((type.shape[2 + i] - Expr(1)) * Expr(g.strides[k]) +
                                 Expr(g.kernel[k]) - g.pads[k] - g.pads[g.axes() + k]));
        plane = plane * shape.back();
        given = given * type.shape[2 + i];
    }
    plane = simplify(plane);
    const auto size = plane.asInt();
    if (!size)
        return n.unsupported("over a free dimension");
    FW_CHECK(n.needBetween(1, 0, simplify(images * plane - Expr(1))));
    given = simplify(given);
    FW_TRY(const ValueRef flat, n.reshaped(x, {images, given}));
    FW_TRY(ValueRef at, n.reshaped(places, {images, given}));
    FW_TRY(at,
           n.step("mod", {at, n.addConstant("plane", dataFromIntegers(DType::I64, {}, {*size}))}));
    FW_TRY(const ValueRef empty, filled(n, "empty", {images, plane}, type.dtype, 0));
    Attrs along;
    along.set("axis", std::int64_t{1});
    FW_TRY(ValueRef y, n.step("scatter", {empty, at, flat}, std::move(along)));
    return n.has(2) ? enlarged(n, y, shape) : n.resultReshaped(y, shape);
}

} // namespace

std::span<const ImporterRow> windowImporters() {
    static constexpr ImporterRow rows[] = {
        {"MaxPool", 1, maxPool},
        {"MaxUnpool", 9, maxUnpool},
        {"AveragePool", 1, averagePool},
        {"LpPool", 1, lpPool},
    };
    return rows;
}

} // namespace fw
