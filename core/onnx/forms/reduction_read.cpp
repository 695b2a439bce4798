// Reductions. Axes are made positive and sorted; none given means all of them.
#include "onnx/forms/running_sizes.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

struct Reduction {
    ValueRef x;
    Attrs attrs;
    bool whole = false; // over no axis: nothing is reduced
};

Result<Reduction> reductionOf(NodeImport& n, const std::optional<Integers>& given) {
    FW_TRY(const bool keepdims, n.flag("keepdims", true));
    FW_TRY(const bool noop, n.flag("noop_with_empty_axes", false));
    Reduction out;
    FW_TRY(out.x, n.input(0));
    const Shape shape = n.type(out.x).shape;
    std::vector<std::size_t> axes;
    for (const std::int64_t where : given.value_or(Integers())) {
        FW_TRY(const std::size_t axis, n.axis(where, shape.size()));
        axes.push_back(axis);
    }
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
        return n.malformed("an axis is named twice");
    if (axes.empty() && !noop)
        for (std::size_t i = 0; i < shape.size(); ++i)
            axes.push_back(i);
    out.whole = axes.empty();
    out.attrs.set("axes", Integers(axes.begin(), axes.end()));
    out.attrs.set("keepdims", std::int64_t{keepdims});
    return out;
}

constexpr char add[] = "reduce_sum", mean[] = "reduce_mean", most[] = "reduce_max",
               least[] = "reduce_min", product[] = "reduce_prod", logSum[] = "log_sum_exp",
               square[] = "mul", size[] = "abs", root[] = "sqrt", logarithm[] = "log";

// What the elements become before they are added, and what becomes of the sum.
struct Form {
    const char* op;               // of the reduction
    const char* before = nullptr; // "mul": with itself
    const char* behind = nullptr;

    bool hasSteps() const {
        return before != nullptr || behind != nullptr || std::string_view(op) == logSum;
    }
};

// The largest number, of narrow types one that bf16 has.
double hugeOf(DType dtype) {
    return dtype == DType::F64   ? 1.7976931348623157e308
           : dtype == DType::F32 ? readableReal(0x1.fffffep127F)
                                 : readableReal(0x1.fep127F);
}

Result<ValueRef> asType(NodeImport& n, ValueRef x, DType dtype) {
    Attrs to;
    to.set("to", dtype);
    return n.step("cast", {x}, std::move(to));
}

// Roots and logarithms of integers are computed in f64, and cut to the type of the operand.
bool isWidened(NodeImport& n, const Form& form, ValueRef x) {
    return isInteger(n.type(x).dtype) &&
           (form.behind != nullptr || std::string_view(form.op) == logSum);
}

// `last` as the result of the node, in the type of the operand.
Status finish(NodeImport& n, LastStep last, bool widened, DType dtype) {
    if (!widened)
        return n.result(last.op, last.inputs, std::move(last.attrs));
    FW_TRY(const ValueRef y, n.step(last.op, last.inputs, std::move(last.attrs)));
    Attrs to;
    to.set("to", dtype);
    return n.result("cast", {y}, std::move(to));
}

// The logarithm of a sum of exponentials: the largest element is subtracted before and added
// behind, an infinite one replaced by the largest number.
Result<LastStep> logSumExp(NodeImport& n, const Reduction& r) {
    const double huge = hugeOf(n.type(r.x).dtype);
    Attrs kept = r.attrs;
    kept.set("keepdims", std::int64_t{1});
    Attrs bounds;
    bounds.set("min", -huge);
    bounds.set("max", huge);
    FW_TRY(ValueRef largest, n.step("reduce_max", {r.x}, kept));
    FW_TRY(largest, n.step("clip", {largest}, std::move(bounds)));
    FW_TRY(ValueRef y, n.step("sub", {r.x, largest}));
    FW_TRY(y, n.step("exp", {y}));
    FW_TRY(y, n.step("reduce_sum", {y}, r.attrs));
    FW_TRY(y, n.step("log", {y}));
    if (n.type(largest).shape != n.type(y).shape) {
        FW_TRY(largest, n.reshaped(largest, n.type(y).shape));
    }
    return LastStep{"add", {y, largest}, {}};
}

Result<LastStep> reduced(NodeImport& n, const Form& form, const Reduction& r) {
    if (std::string_view(form.op) == logSum)
        return r.whole ? LastStep{"identity", {r.x}, {}} : logSumExp(n, r);
    ValueRef y = r.x;
    if (form.before != nullptr) {
        const bool squared = std::string_view(form.before) == "mul";
        FW_TRY(y, n.step(form.before, squared ? std::vector{y, y} : std::vector{y}));
    }
    if (r.whole && form.behind == nullptr)
        return LastStep{"identity", {y}, {}};
    if (!r.whole) {
        if (form.behind == nullptr)
            return LastStep{form.op, {y}, r.attrs};
        FW_TRY(y, n.step(form.op, {y}, r.attrs));
    }
    return LastStep{form.behind, {y}, {}};
}

Status reduceOver(NodeImport& n, const Form& form, const std::optional<Integers>& given) {
    if (form.hasSteps())
        n.computeWide();
    FW_TRY(Reduction r, reductionOf(n, given));
    const DType dtype = n.type(r.x).dtype;
    const bool widened = isWidened(n, form, r.x);
    if (widened) {
        FW_TRY(r.x, asType(n, r.x, DType::F64));
    }
    FW_TRY(LastStep last, reduced(n, form, r));
    return finish(n, std::move(last), widened, dtype);
}

// Over axes that are computed while the model runs.
Status reduceWhileRunning(NodeImport& n, const Form& form) {
    FW_TRY(const bool keepdims, n.flag("keepdims", true));
    FW_TRY([[maybe_unused]] const bool noop, n.flag("noop_with_empty_axes", false));
    if (form.hasSteps() || std::string_view(form.op) == mean)
        n.computeWide();
    FW_TRY(ValueRef y, n.input(0));
    const DType dtype = n.type(y).dtype;
    const bool widened = isWidened(n, form, y);
    if (widened) {
        FW_TRY(y, asType(n, y, DType::F64));
    }
    if (std::string_view(form.op) == logSum) {
        FW_TRY(LastStep all, logSumExpRunning(n, y, hugeOf(n.type(y).dtype), keepdims));
        return finish(n, std::move(all), widened, dtype);
    }
    if (form.before != nullptr) {
        const bool squared = std::string_view(form.before) == "mul";
        FW_TRY(y, n.step(form.before, squared ? std::vector{y, y} : std::vector{y}));
    }
    const std::string by = std::string(form.op).substr(sizeof "reduce_" - 1);
    FW_TRY(LastStep last, reduceRunning(n, y, by, keepdims));
    if (form.behind != nullptr) {
        FW_TRY(y, n.step(last.op, last.inputs, std::move(last.attrs)));
        last = {form.behind, {y}, {}};
    }
    return finish(n, std::move(last), widened, dtype);
}

template <Form form>
Status reduceAttribute(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const auto axes, n.list("axes"));
    return reduceOver(n, form, axes);
}

template <Form form>
Status reduceOperand(NodeImport& n) { // since 18, of a sum since 13
    FW_CHECK(n.need(1, 2));
    if (n.isComputed(1) && !n.given("axes"))
        return reduceWhileRunning(n, form);
    FW_TRY(const auto axes, n.listOrOperand("axes", 1));
    return reduceOver(n, form, axes);
}

constexpr ImporterRow rows[] = {
    {"ReduceSum", 1, reduceAttribute<Form{add}>},
    {"ReduceSum", 13, reduceOperand<Form{add}>},
    {"ReduceMean", 1, reduceOperand<Form{mean}>},
    {"ReduceMax", 1, reduceOperand<Form{most}>},
    {"ReduceMin", 1, reduceOperand<Form{least}>},
    {"ReduceProd", 1, reduceOperand<Form{product}>},
    {"ReduceL1", 1, reduceOperand<Form{add, size}>},
    {"ReduceL2", 1, reduceOperand<Form{add, square, root}>},
    {"ReduceLogSum", 1, reduceOperand<Form{add, nullptr, logarithm}>},
    {"ReduceLogSumExp", 1, reduceOperand<Form{logSum}>},
    {"ReduceSumSquare", 1, reduceOperand<Form{add, square}>},
};

} // namespace

std::span<const ImporterRow> reductionImporters() {
    return rows;
}

} // namespace fw
