#include "extern/call.h"

#include "expr/simplify.h"

#include <fmt/format.h>

namespace fw {

namespace {

std::int64_t number(const Expr& e, std::int64_t free) {
    if (const auto value = e.asInt())
        return *value;
    Bindings bindings;
    for (const Symbol& symbol : freeVars(e))
        bindings.emplace(symbol, free);
    return evalIndex(e, bindings).value_or(0);
}

std::vector<std::int64_t> numbers(const Exprs& list, std::int64_t free) {
    std::vector<std::int64_t> out;
    for (const Expr& e : list)
        out.push_back(number(e, free));
    return out;
}

std::string roleText(runtime::Role role) {
    switch (role) {
    case runtime::Role::Output:
        return "output";
    case runtime::Role::Input:
        return "input";
    case runtime::Role::Weights:
        return "weights";
    case runtime::Role::Bias:
        return "bias";
    case runtime::Role::Scale:
        return "scale";
    case runtime::Role::Shift:
        return "shift";
    case runtime::Role::Operand:
        break;
    }
    return "operand";
}

std::string_view roleText(runtime::UserRole role) {
    switch (role) {
    case runtime::UserRole::Input:
        return "input";
    case runtime::UserRole::Constant:
        return "weights";
    case runtime::UserRole::Inner:
        return "inner";
    case runtime::UserRole::Output:
        break;
    }
    return "output";
}

} // namespace

runtime::ShapedCall shaped(const ExternStep& step, std::int64_t free) {
    runtime::ShapedCall out;
    out.library = step.library;
    out.kind = step.kind;
    out.postOps = step.postOps;
    out.epsilon = step.epsilon;
    out.attributes = numbers(step.attributes, free);
    for (const ExternArgument& argument : step.arguments) {
        runtime::ShapedArgument shape;
        shape.role = argument.role;
        shape.buffer = argument.operand;
        shape.dims = numbers(argument.dims, free);
        shape.strides = numbers(argument.strides, free);
        shape.offset = number(argument.offset, free);
        shape.layout = argument.layout;
        out.arguments.push_back(std::move(shape));
    }
    return out;
}

Exprs rowMajorStrides(const Shape& shape) {
    Exprs out(shape.size());
    Expr step = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        out[d] = step;
        step = step * shape[d];
    }
    return out;
}

std::optional<Placement> placementOf(const Shape& shape, const StorageMap& map) {
    std::vector<bool> seen(shape.size(), false);
    for (const StorageAxis& axis : map.axes) {
        const auto d = static_cast<std::size_t>(axis.dim);
        if (axis.div != 1 || axis.mod != 0 || seen[d])
            return std::nullopt;
        seen[d] = true;
    }
    Placement out;
    Exprs index(shape.size(), Expr(0));
    out.offset = storageOffset(map, shape, index);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        index[d] = 1;
        out.strides.push_back(simplify(storageOffset(map, shape, index) - out.offset));
        index[d] = 0;
    }
    return out;
}

bool sameEitherWay(const Shape& shape) {
    return shape.size() == 4 && (shape[1].isInt(1) || (shape[2].isInt(1) && shape[3].isInt(1)));
}

runtime::DataType programType(DType dtype) {
    switch (dtype) {
    case DType::Bool:
        return runtime::DataType::Bool;
    case DType::I8:
        return runtime::DataType::I8;
    case DType::U8:
        return runtime::DataType::U8;
    case DType::I16:
        return runtime::DataType::I16;
    case DType::U16:
        return runtime::DataType::U16;
    case DType::I32:
        return runtime::DataType::I32;
    case DType::U32:
        return runtime::DataType::U32;
    case DType::I64:
        return runtime::DataType::I64;
    case DType::U64:
        return runtime::DataType::U64;
    case DType::F16:
        return runtime::DataType::F16;
    case DType::BF16:
        return runtime::DataType::Bf16;
    case DType::F32:
        return runtime::DataType::F32;
    case DType::F64:
        return runtime::DataType::F64;
    case DType::Text:
        break;
    }
    throw InternalError("text has no run-time type");
}

std::string ExternStep::text() const {
    std::string list;
    for (const ExternTensor& tensor : tensors)
        if (tensor.role != runtime::UserRole::Inner)
            list += fmt::format("{}{} {}", list.empty() ? "" : ", ", roleText(tensor.role),
                                TensorType{tensor.type, tensor.dims}.text());
    if (kind == runtime::CallKind::Kernel)
        return fmt::format("{} {}({})", user.library, user.kernel, list);
    for (const ExternArgument& argument : arguments) {
        if (argument.role == runtime::Role::Operand)
            continue;
        std::string strides;
        for (const Expr& stride : argument.strides)
            strides += (strides.empty() ? "" : ", ") + stride.text();
        list += fmt::format("{}{} f32{} {}", list.empty() ? "" : ", ", roleText(argument.role),
                            shapeText(argument.dims),
                            argument.layout.empty() ? "strides [" + strides + "]"
                                                    : "packed " + argument.layout);
    }
    return fmt::format("{} {}({})", runtime::libraryText(library), runtime::kindText(kind), list);
}

std::string ExternCall::text() const {
    std::string out;
    for (const ExternStep& step : steps) {
        out += step.text();
        if (step.kind != runtime::CallKind::Reorder)
            for (std::size_t i = 0; i < tail.size(); ++i)
                out += (i == 0 ? " then " : ", ") + tail[i];
        out += "\n";
    }
    return out;
}

} // namespace fw
