// Operators of the domain com.microsoft that exporters and optimizers write, in those of the
// library.
#include "onnx/read/node_import.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

// The bias of activations: along the last axis.
Result<ValueRef> withBias(NodeImport& n, ValueRef x, std::size_t operand) {
    if (!n.has(operand))
        return x;
    FW_TRY(const ValueRef b, n.input(operand));
    if (n.type(b).rank() != 1)
        return n.step("add", {x, b});
    Attrs axis;
    axis.set("axis", std::int64_t{-1});
    return n.step("bias", {x, b}, std::move(axis));
}

Status gelu(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    return n.result("gelu", {x});
}

Status biasGelu(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    n.computeWide();
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(x, withBias(n, x, 1));
    return n.result("gelu", {x});
}

Status fastGelu(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    if (n.has(1))
        n.computeWide();
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(x, withBias(n, x, 1));
    return n.result("gelu_tanh", {x});
}

Status quickGelu(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const ValueRef x, n.input(0));
    Attrs attrs;
    FW_TRY(const double alpha, n.real("alpha", 1.702));
    attrs.set("alpha", alpha);
    return n.result("swish", {x}, std::move(attrs));
}

// The last two axes exchanged; with `batch` the first axis goes behind all but the last one before.
Result<ValueRef> turned(NodeImport& n, ValueRef x, bool transposed, bool batch) {
    const std::size_t rank = n.type(x).rank();
    if (rank < 2 || (!transposed && !batch))
        return x;
    Integers perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    if (batch)
        std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
    if (transposed)
        std::swap(perm[rank - 1], perm[rank - 2]);
    Attrs attrs;
    attrs.set("perm", std::move(perm));
    return n.step("transpose", {x}, std::move(attrs));
}

Status fusedMatMul(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const bool transA, n.flag("transA", false));
    FW_TRY(const bool transB, n.flag("transB", false));
    FW_TRY(const bool batchA, n.flag("transBatchA", false));
    FW_TRY(const bool batchB, n.flag("transBatchB", false));
    FW_TRY(const double alpha, n.real("alpha", 1));
    if (alpha != 1)
        n.computeWide();
    FW_TRY(ValueRef a, n.input(0));
    FW_TRY(ValueRef b, n.input(1));
    if (n.type(a).rank() < 2 || n.type(b).rank() < 2)
        return n.unsupported("vectors are not supported");
    FW_TRY(a, turned(n, a, transA, batchA));
    FW_TRY(b, turned(n, b, transB, batchB));
    if (alpha == 1)
        return n.result("batch_matmul", {a, b});
    FW_TRY(const ValueRef y, n.step("batch_matmul", {a, b}));
    return n.result("mul", {y, n.scalarConstant("alpha", alpha, n.type(y).dtype)});
}

// Operands: x, what is added to it, scale; then shift (if `centred`), a bias of the sum.
Status skipNorm(NodeImport& n, bool centred) {
    const std::size_t bias = centred ? 4 : 3;
    FW_CHECK(n.need(3, bias + 1));
    FW_TRY(const double eps, n.real("epsilon", centred ? 1e-12 : 1e-5));
    n.computeWide();
    FW_TRY(ValueRef sum, n.input(0));
    FW_TRY(const ValueRef skip, n.input(1));
    FW_TRY(const ValueRef scale, n.input(2));
    FW_TRY(sum, n.step("add", {sum, skip}));
    FW_TRY(sum, withBias(n, sum, bias));
    FW_CHECK(n.alias(3, sum));
    std::vector<ValueRef> inputs{sum, scale};
    if (centred) {
        ValueRef shift;
        if (n.has(3)) {
            FW_TRY(shift, n.input(3));
        } else {
            const auto extent =
                n.type(scale).rank() == 1 ? n.type(scale).shape[0].asInt() : std::nullopt;
            if (!extent || *extent > (1 << 24))
                return n.unsupported("without a shift, over a free dimension");
            shift = n.addConstant(
                "shift",
                dataFromDoubles(n.type(scale).dtype, {*extent},
                                std::vector<double>(static_cast<std::size_t>(*extent), 0)));
        }
        inputs.push_back(shift);
    }
    if (n.outputUsed(1) || n.outputUsed(2))
        return n.unsupported("its mean and deviation are used, which is not supported");
    Attrs attrs;
    attrs.set("eps", eps);
    FW_TRY(const ValueRef y,
           n.step(centred ? "layernorm" : "rms_norm", std::move(inputs), std::move(attrs)));
    return n.alias(0, y);
}

Status skipLayerNorm(NodeImport& n) {
    return skipNorm(n, true);
}
Status skipRmsNorm(NodeImport& n) {
    return skipNorm(n, false);
}

constexpr std::string_view domain = "com.microsoft";
constexpr ImporterRow rows[] = {
    {"Gelu", 1, gelu, domain},
    {"BiasGelu", 1, biasGelu, domain},
    {"FastGelu", 1, fastGelu, domain},
    {"QuickGelu", 1, quickGelu, domain},
    {"FusedMatMul", 1, fusedMatMul, domain},
    {"SkipLayerNormalization", 1, skipLayerNorm, domain},
    {"SkipSimplifiedLayerNormalization", 1, skipRmsNorm, domain},
};

} // namespace

std::span<const ImporterRow> contribImporters() {
    return rows;
}

} // namespace fw
