// Spectra and the windows that they are taken through.
#include "onnx/node_import.h"

#include <fmt/format.h>

namespace fw {

namespace {

Status dftAlong(NodeImport& n, std::int64_t where) {
    FW_TRY(const bool inverse, n.flag("inverse", false));
    FW_TRY(const bool onesided, n.flag("onesided", false));
    if (inverse && onesided)
        return n.unsupported("a one-sided inverse is not supported");
    FW_TRY(const ValueRef x, n.input(0));
    const Shape shape = n.type(x).shape;
    FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
    if (axis + 1 == shape.size())
        return n.malformed("the last axis holds the parts of complex numbers");
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("length", shapeAttr({shape[axis]}));
    if (n.has(1)) {
        const auto length = n.integers(1);
        if (!length)
            return n.unsupported("the length is computed at run time",
                                 "make it a constant of the model");
        if (length->size() != 1 || length->front() < 1)
            return n.malformed("its length is not one positive number");
        attrs.set("length", *length);
    }
    attrs.set("inverse", std::int64_t{inverse});
    attrs.set("onesided", std::int64_t{onesided});
    return n.result("dft", {x}, std::move(attrs));
}

Status dftAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(const std::int64_t where, n.integer("axis", 1));
    return dftAlong(n, where);
}

Status dft(NodeImport& n) {
    FW_CHECK(n.need(1, 3));
    if (!n.has(2))
        return dftAlong(n, -2);
    const auto where = n.integers(2);
    if (!where)
        return n.unsupported("the axis is computed at run time", "make it a constant of the model");
    if (where->size() != 1)
        return n.malformed("its axis is not one number");
    return dftAlong(n, where->front());
}

Status stft(NodeImport& n) {
    FW_CHECK(n.need(2, 4));
    FW_TRY(const bool onesided, n.flag("onesided", true));
    FW_TRY(const Exprs step, n.sizes(1));
    if (step.size() != 1 || step.front().asInt().value_or(1) < 1)
        return n.malformed("its step is not one positive number");
    FW_TRY(ValueRef x, n.input(0));
    ValueRef window;
    if (n.has(2)) {
        FW_TRY(window, n.input(2));
        const auto length = n.integers(3);
        const Shape extents = n.type(window).shape;
        if (extents.size() != 1 ||
            (length && extents[0].asInt() && *length != Integers{*extents[0].asInt()}))
            return n.malformed("its window does not have its length");
    } else {
        FW_TRY(const Exprs length, n.sizes(3));
        if (length.size() != 1 || length.front().asInt().value_or(1) < 1 ||
            length.front().asInt().value_or(1) > (1 << 24))
            return n.malformed("has neither a window nor a length");
        Attrs ones;
        ones.set("shape", shapeAttr(length));
        ones.set("value", dataFromDoubles(n.type(x).dtype, {1}, {1}));
        FW_TRY(window, n.step("constant_of_shape", {}, std::move(ones)));
    }
    Shape shape = n.type(x).shape;
    if (shape.size() == 2) {
        shape.push_back(intExpr(1));
        FW_TRY(x, n.reshaped(x, shape));
    }
    Attrs attrs;
    attrs.set("step", shapeAttr(step));
    attrs.set("onesided", std::int64_t{onesided});
    return n.result("stft", {x, window}, std::move(attrs));
}

struct Weights {
    double a, b, c;
};

Status windowOf(NodeImport& n, Weights weights) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const bool periodic, n.flag("periodic", true));
    FW_TRY(const std::int64_t code, n.integer("output_datatype", 1));
    FW_TRY(const Exprs size, n.sizes(0));
    if (size.size() != 1 || (size.front().asInt() && *size.front().asInt() < 0))
        return n.malformed("its size is not one number");
    const auto dtype = dtypeOfCode(code);
    if (!dtype || *dtype == DType::Text || *dtype == DType::Bool)
        return n.unsupported(fmt::format("output_datatype {} is not supported", code));
    Attrs attrs;
    attrs.set("size", shapeAttr(size));
    attrs.set("a", weights.a);
    attrs.set("b", weights.b);
    attrs.set("c", weights.c);
    attrs.set("periodic", std::int64_t{periodic});
    attrs.set("to", *dtype);
    return n.result("cosine_window", {}, std::move(attrs));
}

Status hann(NodeImport& n) {
    return windowOf(n, {0.5, 0.5, 0});
}
Status hamming(NodeImport& n) {
    return windowOf(n, {25.0 / 46, 21.0 / 46, 0});
}
Status blackman(NodeImport& n) {
    return windowOf(n, {0.42, 0.5, 0.08});
}

constexpr ImporterRow rows[] = {
    {"DFT", 17, dftAttribute},
    {"DFT", 20, dft},
    {"STFT", 17, stft},
    {"HannWindow", 17, hann},
    {"HammingWindow", 17, hamming},
    {"BlackmanWindow", 17, blackman},
};

} // namespace

std::span<const ImporterRow> signalImporters() {
    return rows;
}

} // namespace fw
