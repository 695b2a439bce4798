// Losses: one value for each place, then their sum or weighted mean.
#include "onnx/read/node_import.h"

#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

// The loss of log-probabilities `x`, as output 0.
Status lossOf(NodeImport& n, ValueRef x) {
    FW_TRY(const std::string reduction, n.text("reduction", "mean"));
    if (reduction != "none" && reduction != "sum" && reduction != "mean")
        return n.malformed("there is no reduction '" + reduction + "'");
    FW_TRY(const ValueRef target, n.input(1));
    std::vector<ValueRef> inputs{x, target};
    if (n.has(2)) {
        FW_TRY(const ValueRef weights, n.input(2));
        inputs.push_back(weights);
    }
    Attrs attrs;
    if (n.given("ignore_index")) {
        FW_TRY(const std::int64_t ignored, n.integer("ignore_index", 0));
        attrs.set("ignored", ignored);
    }
    FW_TRY(ValueRef loss, n.step(reduction == "mean" ? "nll_mean" : "nll_loss", std::move(inputs),
                                 std::move(attrs)));
    if (reduction == "sum") {
        Integers axes(n.type(loss).rank());
        std::iota(axes.begin(), axes.end(), 0);
        Attrs whole;
        whole.set("axes", std::move(axes));
        whole.set("keepdims", std::int64_t{0});
        FW_TRY(loss, n.step("reduce_sum", {loss}, std::move(whole)));
    }
    return n.alias(0, loss);
}

Status negativeLogLikelihood(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    n.computeWide();
    FW_TRY(const ValueRef x, n.input(0));
    return lossOf(n, x);
}

Status softmaxCrossEntropy(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    n.computeWide();
    FW_TRY(const ValueRef x, n.input(0));
    Attrs axis;
    axis.set("axis", std::int64_t{1});
    FW_TRY(const ValueRef logits, n.step("log_softmax", {x}, std::move(axis)));
    FW_CHECK(n.alias(1, logits));
    return lossOf(n, logits);
}

constexpr ImporterRow rows[] = {
    {"NegativeLogLikelihoodLoss", 12, negativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, softmaxCrossEntropy},
};

} // namespace

std::span<const ImporterRow> lossImporters() {
    return rows;
}

} // namespace fw
