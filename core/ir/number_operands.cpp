#include "ir/number_operands.h"

#include "ir/tensor_text.h"
#include "syntax/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// The parameter that an operand stands for: further ones stand for the last that takes several.
const ParamTree* parameterOf(const SignatureTree& signature, std::size_t count, std::size_t at) {
    const std::vector<ParamTree>& all = signature.params;
    std::size_t several = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].variadic)
            several = i;
    if (at < several)
        return at < all.size() ? &all[at] : nullptr;
    const std::size_t behind = all.size() - several - 1;
    if (several == all.size())
        return nullptr;
    return at + behind < count ? &all[several] : &all[all.size() - (count - at)];
}

bool hasAxes(const ParamTree& param) {
    return std::any_of(param.type.dims.begin(), param.type.dims.end(),
                       [](const DimTree& dim) { return dim.value.kind != TreeKind::Pack; });
}

// Of the operands beside it, those of the same element type; or that type, if it is one.
struct Beside {
    std::optional<DType> dtype;
    std::vector<std::size_t> same;
};

Result<Beside> besideOf(const Operator& op, std::size_t count, std::size_t at) {
    Beside out;
    const auto signature = parseSignature(op.signature());
    const ParamTree* param = signature ? parameterOf(*signature, count, at) : nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        const ParamTree* other = param != nullptr ? parameterOf(*signature, count, i) : nullptr;
        if (i != at &&
            (param == nullptr || (other != nullptr && other->type.dtype == param->type.dtype)))
            out.same.push_back(i);
    }
    if (param == nullptr)
        return out;
    if (hasAxes(*param))
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} of {} has axes, a number has none", param->name, op.name()),
                        {}, op.signature());
    out.dtype = parseDtype(param->type.dtype);
    return out;
}

Diag noType(const Operator& op) {
    return makeDiag(
        DiagCode::DtypeMismatch,
        fmt::format("nothing says of which element type this operand of {} is", op.name()), {},
        "a number has the type of the operands beside it; " + op.signature());
}

} // namespace

Result<DType> typeOfNumber(const Operator& op, const std::vector<std::optional<DType>>& operands,
                           std::size_t at) {
    FW_TRY(const Beside beside, besideOf(op, operands.size(), at));
    if (beside.dtype)
        return *beside.dtype;
    for (const std::size_t i : beside.same)
        if (operands[i])
            return *operands[i];
    return noType(op);
}

Status takesNumber(const Operator& op, const std::vector<bool>& isNumber, std::size_t at) {
    FW_TRY(const Beside beside, besideOf(op, isNumber.size(), at));
    if (beside.dtype || std::any_of(beside.same.begin(), beside.same.end(),
                                    [&](std::size_t i) { return !isNumber[i]; }))
        return {};
    return noType(op);
}

Result<TensorData> numberData(DType dtype, const Number& number) {
    const auto* integer = std::get_if<std::int64_t>(&number);
    const double real =
        integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number);
    const bool whole = integer != nullptr || (real == std::floor(real) && std::fabs(real) < 0x1p63);
    if (dtype == DType::Text || (!isFloat(dtype) && !whole))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{} is no number of type {}", real, dtypeText(dtype)));
    if (isFloat(dtype)) {
        TensorData out = dataFromDoubles(dtype, {}, {real});
        if (std::isfinite(real) && !std::isfinite(out.at(0)))
            return makeDiag(DiagCode::DtypeMismatch,
                            fmt::format("{} lies beyond what {} holds", real, dtypeText(dtype)));
        return out;
    }
    const std::int64_t wanted = integer != nullptr ? *integer : static_cast<std::int64_t>(real);
    if (!holdsInteger(dtype, wanted))
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{} lies beyond what {} holds", wanted, dtypeText(dtype)));
    return dataFromIntegers(dtype, {}, {wanted});
}

bool isNumber(const TensorData& data, const Number& number) {
    const Result<TensorData> one = numberData(data.dtype(), number);
    if (!one || data.count() == 0)
        return false;
    const bool real = isFloat(data.dtype());
    const double wanted = one->at(0);
    // A constant of f64 was often one of f32.
    const auto narrow = static_cast<double>(static_cast<float>(wanted));
    const bool wasNarrow = data.dtype() == DType::F64 && std::isfinite(narrow) && narrow != 0;
    const auto sameReal = [&](double found) {
        return found == wanted || (std::isnan(found) && std::isnan(wanted)) ||
               (wasNarrow && found == narrow);
    };
    for (std::size_t i = 0; i < data.count(); ++i)
        if (real ? !sameReal(data.at(i)) : data.integerAt(i) != one->integerAt(0))
            return false;
    return true;
}

} // namespace fw
