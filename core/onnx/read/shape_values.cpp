#include "onnx/read/shape_values.h"

#include "base/numbers.h"
#include "expr/simplify.h"
#include "onnx/model/attributes.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/read/small_call.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

namespace fw {

namespace {

using Operands = std::vector<SmallOperand>;
using Call = SmallCall;
using Outcome = SmallOutcome;

std::optional<std::vector<std::int64_t>> fixedIntegers(const SmallTensor& tensor) {
    std::vector<std::int64_t> out;
    for (const Expr& element : tensor.elements) {
        const auto value = element.asInt();
        if (!value)
            return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

// Whether the element type holds the value; wrapping is not what an index expression does.
bool holds(DType dtype, std::int64_t value) {
    const int bits = 8 * static_cast<int>(dtypeBytes(dtype));
    if (dtype == DType::Bool)
        return value == 0 || value == 1;
    if (dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64)
        return value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
    return bits == 64 ||
           (value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1)));
}

} // namespace

std::optional<std::optional<std::vector<std::int64_t>>> SmallCall::list(std::string_view name,
                                                                        std::size_t i) const {
    const auto read = integersAttribute(node, name);
    if (!read)
        return std::nullopt;
    if (*read)
        return *read;
    if (!has(i))
        return std::optional<std::vector<std::int64_t>>();
    const SmallTensor* operand = value(i);
    if (!operand)
        return std::nullopt;
    auto fixed = fixedIntegers(*operand);
    if (!fixed)
        return std::nullopt;
    return fixed;
}

SmallOutcome smallResult(SmallTensor tensor) {
    if (tensor.elements.size() > smallTensorLimit)
        return std::nullopt;
    for (Expr& element : tensor.elements) {
        element = simplify(element);
        if (const auto value = element.asInt(); value && !holds(tensor.dtype, *value))
            return std::nullopt;
    }
    return std::vector{std::move(tensor)};
}

// Broadcasts scalars and lists of one element over lists; other shapes are left to the graph.
SmallOutcome binary(const SmallCall& call, DType* result,
                    const std::function<std::optional<Expr>(const Expr&, const Expr&)>& apply) {
    const SmallTensor* a = call.value(0);
    const SmallTensor* b = call.value(1);
    if (!a || !b || a->dtype != b->dtype || a->extents.size() > 1 || b->extents.size() > 1)
        return std::nullopt;
    const std::size_t count = a->elements.size() == 1 ? b->elements.size() : a->elements.size();
    if ((a->elements.size() != count && a->elements.size() != 1) ||
        (b->elements.size() != count && b->elements.size() != 1))
        return std::nullopt;
    SmallTensor out{result ? *result : a->dtype, {}, {}};
    if (a->extents.size() == 1 || b->extents.size() == 1)
        out.extents.push_back(static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        const auto element = apply(a->elements[a->elements.size() == 1 ? 0 : i],
                                   b->elements[b->elements.size() == 1 ? 0 : i]);
        if (!element)
            return std::nullopt;
        out.elements.push_back(*element);
    }
    return smallResult(std::move(out));
}

// Constants fold with checks; an overflow is left to the graph.
std::optional<Expr> checked(const Expr& a, const Expr& b,
                            std::optional<std::int64_t> (*fold)(std::int64_t, std::int64_t),
                            Expr (*build)(const Expr&, const Expr&)) {
    const auto x = a.asInt();
    const auto y = b.asInt();
    if (!x || !y)
        return build(a, b);
    const auto value = fold(*x, *y);
    if (!value)
        return std::nullopt;
    return intExpr(*value);
}

namespace {

std::int64_t countOf(const std::vector<std::int64_t>& extents) {
    const auto count = checkedCount(extents);
    return count ? *count : -1;
}

Outcome shapeOf(const Call& call) {
    if (call.operands.empty() || !call.operands[0].type)
        return std::nullopt;
    const Shape& shape = call.operands[0].type->shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto clamp = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = clamp(call.integer("start", 0));
    const std::int64_t end = std::max(start, clamp(call.integer("end", rank)));
    return smallResult(
        {DType::I64, {end - start}, Exprs(shape.begin() + start, shape.begin() + end)});
}

Outcome sizeOf(const Call& call) {
    if (call.operands.empty() || !call.operands[0].type)
        return std::nullopt;
    return smallResult({DType::I64, {}, {elementCount(call.operands[0].type->shape)}});
}

Outcome identity(const Call& call) {
    if (const SmallTensor* x = call.value(0))
        return smallResult(*x);
    return std::nullopt;
}

// Whether it is not 0, where that is known.
std::optional<Expr> truthOf(const Expr& element) {
    if (proveDifferent(element, Expr(0)))
        return intExpr(1);
    return proveEqual(element, Expr(0)) ? std::optional(intExpr(0)) : std::nullopt;
}

Outcome cast(const Call& call) {
    const SmallTensor* x = call.value(0);
    const auto to = dtypeFromOnnx(static_cast<int>(call.integer("to", 0)));
    if (!x || !to || (*to != DType::Bool && !isInteger(*to)))
        return std::nullopt;
    SmallTensor out = *x;
    out.dtype = *to;
    if (*to == DType::Bool) {
        for (Expr& element : out.elements) {
            const auto truth = truthOf(element);
            if (!truth)
                return std::nullopt;
            element = *truth;
        }
    } else if (*to != DType::I64 && *to != DType::I32 && !x->isFixed()) {
        return std::nullopt; // which narrower types might not hold
    }
    return smallResult(std::move(out));
}

Outcome gather(const Call& call) {
    const SmallTensor* x = call.value(0);
    const SmallTensor* index = call.value(1);
    if (!x || !index || x->extents.size() != 1 || call.integer("axis", 0) > 0)
        return std::nullopt;
    SmallTensor out{x->dtype, index->extents, {}};
    for (const Expr& position : index->elements) {
        const auto at = position.asInt();
        const auto size = static_cast<std::int64_t>(x->elements.size());
        if (!at || *at < -size || *at >= size)
            return std::nullopt;
        out.elements.push_back(x->elements[static_cast<std::size_t>(*at < 0 ? *at + size : *at)]);
    }
    return smallResult(std::move(out));
}

Outcome concat(const Call& call) {
    SmallTensor out{DType::I64, {0}, {}};
    const std::int64_t axis = call.integer("axis", 0);
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const SmallTensor* x = call.value(i);
        if (!x || x->extents.size() != 1 || (axis != 0 && axis != -1) ||
            (i > 0 && x->dtype != out.dtype))
            return std::nullopt;
        out.dtype = x->dtype;
        out.elements.insert(out.elements.end(), x->elements.begin(), x->elements.end());
    }
    out.extents[0] = static_cast<std::int64_t>(out.elements.size());
    return smallResult(std::move(out));
}

Outcome unsqueeze(const Call& call) {
    const SmallTensor* x = call.value(0);
    const auto axes = call.list("axes", 1);
    if (!x || !axes || !*axes || (*axes)->size() != 1 || x->extents.size() > 1)
        return std::nullopt;
    SmallTensor out = *x;
    const auto rank = static_cast<std::int64_t>(x->extents.size()) + 1;
    const std::int64_t axis = (**axes)[0] < 0 ? (**axes)[0] + rank : (**axes)[0];
    if (axis < 0 || axis >= rank)
        return std::nullopt;
    out.extents.insert(out.extents.begin() + axis, 1);
    return smallResult(std::move(out));
}

Outcome squeeze(const Call& call) {
    const SmallTensor* x = call.value(0);
    const auto axes = call.list("axes", 1);
    if (!x || !axes || x->extents.size() != 1 || x->extents[0] != 1)
        return std::nullopt;
    if (*axes &&
        !(**axes == std::vector<std::int64_t>{0} || **axes == std::vector<std::int64_t>{-1}))
        return std::nullopt;
    return smallResult({x->dtype, {}, x->elements});
}

Outcome reshape(const Call& call) {
    const SmallTensor* x = call.value(0);
    const SmallTensor* target = call.value(1);
    const auto wanted = target ? fixedIntegers(*target) : std::nullopt;
    if (!x || !wanted || call.integer("allowzero", 0) != 0)
        return std::nullopt;
    std::vector<std::int64_t> extents;
    std::int64_t known = 1;
    std::ptrdiff_t open = -1;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        std::int64_t extent = (*wanted)[i];
        if (extent == 0 && i < x->extents.size())
            extent = x->extents[i];
        if (extent == -1 && open < 0)
            open = static_cast<std::ptrdiff_t>(i);
        else if (extent < 0 || extent > static_cast<std::int64_t>(smallTensorLimit))
            return std::nullopt;
        else
            known *= std::max<std::int64_t>(extent, 1);
        if (known > static_cast<std::int64_t>(smallTensorLimit))
            return std::nullopt;
        extents.push_back(extent);
    }
    const auto count = static_cast<std::int64_t>(x->elements.size());
    if (open >= 0)
        extents[static_cast<std::size_t>(open)] = count / known;
    if (countOf(extents) != count)
        return std::nullopt;
    return smallResult({x->dtype, std::move(extents), x->elements});
}

Outcome slice(const Call& call) {
    const SmallTensor* x = call.value(0);
    const auto starts = call.list("starts", 1);
    const auto ends = call.list("ends", 2);
    const auto axes = call.list("axes", 3);
    const auto steps = call.list("steps", 4);
    if (!x || x->extents.size() != 1 || !starts || !ends || !axes || !steps || !*starts || !*ends ||
        (*starts)->size() != 1 || (*ends)->size() != 1)
        return std::nullopt;
    if (*axes && **axes != std::vector<std::int64_t>{0} && **axes != std::vector<std::int64_t>{-1})
        return std::nullopt;
    if (*steps && (*steps)->size() != 1)
        return std::nullopt;
    const std::int64_t step = *steps ? (**steps)[0] : 1;
    const auto size = static_cast<std::int64_t>(x->elements.size());
    if (step == 0 || step < -size - 1)
        return std::nullopt;
    const auto bound = [&](std::int64_t at, std::int64_t low) { // one end of what may be
        if (at < 0)
            at = std::max<std::int64_t>(at, -size - 1) + size;
        return std::min(std::max(at, low), step > 0 ? size : size - 1);
    };
    const std::int64_t first = bound((**starts)[0], 0);
    const std::int64_t last = bound((**ends)[0], step > 0 ? 0 : -1);
    SmallTensor out{x->dtype, {0}, {}};
    for (std::int64_t at = first; step > 0 ? at < last : at > last; at += std::min(step, size + 1))
        out.elements.push_back(x->elements[static_cast<std::size_t>(at)]);
    out.extents[0] = static_cast<std::int64_t>(out.elements.size());
    return smallResult(std::move(out));
}

Outcome split(const Call& call) {
    const SmallTensor* x = call.value(0);
    const auto given = call.list("split", 1);
    const auto parts = static_cast<std::int64_t>(call.node.output_size());
    const std::int64_t axis = call.integer("axis", 0);
    if (!x || x->extents.size() != 1 || !given || (axis != 0 && axis != -1) ||
        call.integer("num_outputs", parts) != parts)
        return std::nullopt;
    const auto whole = static_cast<std::int64_t>(x->elements.size());
    const std::int64_t size = (whole + parts - 1) / parts;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), size);
    sizes.back() = whole - size * (parts - 1);
    if (*given)
        sizes = **given;
    else if (call.opset < 18 && whole % parts != 0)
        return std::nullopt;
    std::int64_t sum = 0;
    for (const std::int64_t one : sizes)
        if (one < 0 || one > whole || (sum += one) > whole)
            return std::nullopt;
    if (sum != whole || sizes.size() != static_cast<std::size_t>(parts))
        return std::nullopt;
    std::vector<SmallTensor> out;
    auto from = x->elements.begin();
    for (const std::int64_t one : sizes) {
        out.push_back({x->dtype, {one}, Exprs(from, from + one)});
        from += one;
    }
    return out;
}

Outcome add(const Call& call) {
    return binary(call, nullptr, [](const Expr& a, const Expr& b) {
        return checked(a, b, checkedAdd, [](const Expr& x, const Expr& y) { return x + y; });
    });
}

Outcome sub(const Call& call) {
    return binary(call, nullptr, [](const Expr& a, const Expr& b) {
        const auto fold = [](std::int64_t x, std::int64_t y) -> std::optional<std::int64_t> {
            std::int64_t out = 0;
            if (__builtin_sub_overflow(x, y, &out))
                return std::nullopt;
            return out;
        };
        return checked(a, b, fold, [](const Expr& x, const Expr& y) { return x - y; });
    });
}

Outcome neg(const Call& call) {
    const SmallTensor* x = call.value(0);
    if (!x || x->dtype == DType::Bool)
        return std::nullopt;
    SmallTensor out{x->dtype, x->extents, {}};
    for (const Expr& element : x->elements) {
        if (element.asInt() == INT64_MIN)
            return std::nullopt;
        out.elements.push_back(element.asInt() ? intExpr(-*element.asInt()) : -element);
    }
    return smallResult(std::move(out));
}

Outcome mul(const Call& call) {
    return binary(call, nullptr, [](const Expr& a, const Expr& b) {
        return checked(a, b, checkedMul, [](const Expr& x, const Expr& y) { return x * y; });
    });
}

// ONNX truncates; floor division is the same where nothing is negative.
Outcome div(const Call& call) {
    return binary(call, nullptr, [](const Expr& a, const Expr& b) -> std::optional<Expr> {
        if (const auto x = a.asInt(), y = b.asInt(); x && y) {
            if (*y == 0 || (*x == INT64_MIN && *y == -1))
                return std::nullopt;
            return intExpr(*x / *y);
        }
        if (!proveNonNegative(a) || !proveNonNegative(b - Expr(1)))
            return std::nullopt;
        return floorDivExpr(a, b);
    });
}

// ONNX's remainder has the sign of the divisor, with fmod that of the dividend.
Outcome mod(const Call& call) {
    const bool fmod = call.integer("fmod", 0) != 0;
    return binary(call, nullptr, [&](const Expr& a, const Expr& b) -> std::optional<Expr> {
        if (!proveNonNegative(b - Expr(1)) || (fmod && !proveNonNegative(a)))
            return std::nullopt;
        return simplify(modExpr(a, b));
    });
}

// Of two operands; longer chains are left to the graph.
Outcome larger(const Call& call) {
    if (call.operands.size() != 2)
        return std::nullopt;
    return binary(call, nullptr,
                  [](const Expr& a, const Expr& b) { return std::optional(maxExpr(a, b)); });
}

Outcome smaller(const Call& call) {
    if (call.operands.size() != 2)
        return std::nullopt;
    return binary(call, nullptr,
                  [](const Expr& a, const Expr& b) { return std::optional(minExpr(a, b)); });
}

// min(max(x, low), high), as the standard says it.
Outcome clip(const Call& call) {
    const SmallTensor* x = call.value(0);
    if (!x || call.operands.size() > 3 || x->dtype == DType::U64) // half of those are no index
        return std::nullopt;
    SmallTensor out = *x;
    for (const std::size_t i : {1u, 2u}) {
        if (!call.has(i))
            continue;
        const SmallTensor* bound = call.value(i);
        if (!bound || bound->dtype != x->dtype || bound->elements.size() != 1)
            return std::nullopt;
        for (Expr& element : out.elements)
            element = i == 1 ? maxExpr(element, bound->elements[0])
                             : minExpr(element, bound->elements[0]);
    }
    return smallResult(std::move(out));
}

Outcome equal(const Call& call) {
    DType result = DType::Bool;
    return binary(call, &result, [](const Expr& a, const Expr& b) -> std::optional<Expr> {
        if (proveEqual(a, b))
            return intExpr(1);
        if (proveDifferent(a, b))
            return intExpr(0);
        return std::nullopt;
    });
}

Outcome where(const Call& call) {
    const SmallTensor* c = call.value(0);
    if (!c || !call.value(1) || !call.value(2) || call.operands.size() != 3)
        return std::nullopt;
    // Both branches broadcast against each other first, then the condition picks.
    const Operands branches{call.operands[1], call.operands[2]};
    const Call pair{call.node, call.opset, branches};
    const auto left =
        binary(pair, nullptr, [](const Expr& a, const Expr&) { return std::optional(a); });
    const auto right =
        binary(pair, nullptr, [](const Expr&, const Expr& b) { return std::optional(b); });
    if (!left || !right || c->extents != left->front().extents)
        return std::nullopt;
    SmallTensor out = left->front();
    for (std::size_t i = 0; i < out.elements.size(); ++i) {
        const auto condition = c->elements[i].asInt();
        if (!condition)
            return std::nullopt;
        if (*condition == 0)
            out.elements[i] = right->front().elements[i];
    }
    return smallResult(std::move(out));
}

Outcome constantOfShape(const Call& call) {
    const SmallTensor* shape = call.value(0);
    const auto extents = shape ? fixedIntegers(*shape) : std::nullopt;
    const auto* value = findAttribute(call.node, "value");
    if (!extents || !value || !value->has_t() ||
        value->t().data_type() != proto::TensorProto::INT64)
        return std::nullopt;
    std::int64_t fill = 0;
    if (value->t().int64_data_size() == 1)
        fill = value->t().int64_data(0);
    else if (value->t().raw_data().size() == sizeof fill)
        std::copy_n(value->t().raw_data().data(), sizeof fill, reinterpret_cast<char*>(&fill));
    else
        return std::nullopt;
    if (std::any_of(extents->begin(), extents->end(), [](std::int64_t e) { return e < 0; }))
        return std::nullopt;
    const std::int64_t count = countOf(*extents);
    if (count < 0 || count > static_cast<std::int64_t>(smallTensorLimit))
        return std::nullopt;
    return smallResult(
        {DType::I64, *extents, Exprs(static_cast<std::size_t>(count), intExpr(fill))});
}

Outcome range(const Call& call) {
    std::vector<std::int64_t> bounds;
    for (std::size_t i = 0; i < 3; ++i) {
        const SmallTensor* x = call.value(i);
        const auto value = x && x->elements.size() == 1 ? x->elements[0].asInt() : std::nullopt;
        if (!value)
            return std::nullopt;
        bounds.push_back(*value);
    }
    SmallTensor out{call.value(0)->dtype, {0}, {}};
    if (bounds[2] == 0)
        return std::nullopt;
    for (std::int64_t at = bounds[0]; bounds[2] > 0 ? at < bounds[1] : at > bounds[1];) {
        out.elements.push_back(intExpr(at));
        if (out.elements.size() > smallTensorLimit || __builtin_add_overflow(at, bounds[2], &at))
            return std::nullopt;
    }
    out.extents[0] = static_cast<std::int64_t>(out.elements.size());
    return smallResult(std::move(out));
}

const std::map<std::string_view, EvaluateSmall>& table() {
    static const std::map<std::string_view, EvaluateSmall> functions{
        {"Shape", shapeOf},
        {"Size", sizeOf},
        {"Identity", identity},
        {"Cast", cast},
        {"Gather", gather},
        {"Concat", concat},
        {"Unsqueeze", unsqueeze},
        {"Squeeze", squeeze},
        {"Reshape", reshape},
        {"Slice", slice},
        {"Split", split},
        {"Add", add},
        {"Sub", sub},
        {"Neg", neg},
        {"Mul", mul},
        {"Div", div},
        {"Mod", mod},
        {"Max", larger},
        {"Min", smaller},
        {"Clip", clip},
        {"Equal", equal},
        {"Where", where},
        {"ConstantOfShape", constantOfShape},
        {"Range", range},
    };
    return functions;
}

} // namespace

bool SmallTensor::isFixed() const {
    return std::all_of(elements.begin(), elements.end(),
                       [](const Expr& e) { return e.asInt().has_value(); });
}

std::optional<SmallTensor> smallTensor(const TensorData& data) {
    if ((!isInteger(data.dtype()) && data.dtype() != DType::Bool) ||
        data.count() > smallTensorLimit)
        return std::nullopt;
    SmallTensor out{data.dtype(), data.extents(), {}};
    for (const std::int64_t value : data.toIntegers())
        out.elements.push_back(intExpr(value));
    return out;
}

TensorData fixedData(const SmallTensor& tensor) {
    std::vector<std::int64_t> values;
    for (const Expr& element : tensor.elements)
        values.push_back(element.asInt().value_or(0));
    return dataFromIntegers(tensor.dtype, tensor.extents, values);
}

std::optional<std::vector<SmallTensor>> evaluateSmall(const proto::NodeProto& node,
                                                      std::int64_t opset,
                                                      const std::vector<SmallOperand>& operands) {
    const auto found = table().find(node.op_type());
    const EvaluateSmall evaluate =
        found != table().end() ? found->second : truthOrReduction(node.op_type());
    return evaluate != nullptr ? evaluate(Call{node, opset, operands}) : std::nullopt;
}

} // namespace fw
