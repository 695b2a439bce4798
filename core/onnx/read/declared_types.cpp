// What the model and its user say of the types and values of inputs, and of the types of values
// beside what was found.
#include "onnx/read/model_importer.h"

#include "base/numbers.h"
#include "ir/type_text.h"
#include "onnx/model/default_inputs.h"
#include "onnx/model/foreign_values.h"
#include "onnx/model/given_value.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

std::optional<DType> elementOf(const proto::TypeProto::Tensor& type) {
    return foreignElement(type.elem_type()).empty() ? dtypeFromOnnx(type.elem_type())
                                                    : std::nullopt;
}

} // namespace

Status ModelImporter::checkDeclared(const std::string& name, const TensorType& found, int index) {
    if (const auto extents = fixedExtents(found.shape)) {
        const auto count = checkedCount(*extents);
        if (!count || !checkedMul(*count, static_cast<std::int64_t>(dtypeBytes(found.dtype))))
            return makeDiag(DiagCode::DimOverflow,
                            fmt::format("'{}' of shape {} has more bytes than can be counted",
                                        cleanText(name), shapeText(found.shape)),
                            {{}, pathOf(index)});
    }
    FW_TRY(const auto declared, declaredType(name));
    if (!declared)
        return {};
    bool fits = declared->dtype == found.dtype && declared->rank() == found.rank();
    for (std::size_t i = 0; fits && i < found.rank(); ++i) {
        const auto a = declared->shape[i].asInt();
        const auto b = found.shape[i].asInt();
        fits = !a || !b || *a == *b;
    }
    if (!fits)
        m_run.out.diagnostics.push_back(makeWarning(
            declared->dtype == found.dtype ? DiagCode::ShapeMismatch : DiagCode::DtypeMismatch,
            fmt::format("{} '{}' as {}, it is {}",
                        m_run.options.types.contains(name) && m_prefix.empty()
                            ? "--type declares"
                            : "the model declares",
                        cleanText(name), declared->text(), found.text()),
            {{}, pathOf(index)}));
    return {};
}

Status ModelImporter::checkResults(int index) {
    for (const std::string& output : m_graph.node(index).output())
        if (const Name* known = find(output); known != nullptr && known->value.ref)
            FW_CHECK(checkDeclared(output, m_editor.type(*known->value.ref), index));
    return {};
}

Result<std::optional<TensorType>> ModelImporter::givenType(const std::string& name) {
    const auto given = m_run.options.types.find(name);
    if (!m_prefix.empty() || given == m_run.options.types.end() || givenValue(given->second))
        return std::optional<TensorType>();
    const std::string shown = cleanText(name);
    Result<TensorType> type =
        typeFromText(given->second, [&](const std::string& dim) { return m_run.dims.known(dim); });
    if (!type) {
        Diag diag = type.takeDiag();
        diag.message = fmt::format("the type given to '{}': {}", shown, diag.message);
        return diag;
    }
    std::vector<std::int64_t> extents;
    for (const Dim& dim : type->shape)
        extents.push_back(dim.asInt().value_or(1));
    const auto count = checkedCount(extents);
    if (static_cast<std::int64_t>(type->rank()) > limits().rank || !count ||
        !checkedMul(*count, static_cast<std::int64_t>(dtypeBytes(type->dtype))))
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("the type given to '{}' has more than {} dimensions, or more "
                                    "bytes than can be counted",
                                    shown, limits().rank),
                        {}, "give it a smaller one");
    return std::optional(type.take());
}

// An input whose default in the file gives way.
bool ModelImporter::isGivenDefault(const std::string& name) const {
    return m_prefix.empty() && m_run.model.ir_version() >= firstIrWithDefaults &&
           m_run.options.types.contains(name) &&
           std::any_of(m_graph.input().begin(), m_graph.input().end(),
                       [&](const auto& input) { return input.name() == name; });
}

Status ModelImporter::checkGivenTypes() {
    for (const auto& [name, type] : m_run.options.types) {
        const auto isThis = [&name = name](const auto& input) { return input.name() == name; };
        if (givenValue(type) &&
            std::none_of(m_graph.input().begin(), m_graph.input().end(), isThis)) {
            std::string known;
            for (const auto& input : m_graph.input())
                known += (known.empty() ? "its inputs are " : ", ") + cleanText(input.name());
            const Name* weight = find(name);
            return makeDiag(DiagCode::InputMismatch,
                            weight != nullptr && weight->place == byInitializer
                                ? weightIsNotGiven(name, false)
                                : "the model has no input " + cleanText(name),
                            {}, known);
        }
        FW_TRY(const auto given, givenType(name));
        const Name* known = find(name);
        if (given && known != nullptr && known->place == byInitializer && !isGivenDefault(name))
            return makeDiag(DiagCode::InputMismatch, weightIsNotGiven(name, false), {},
                            "its type is that of its value");
        if (given && known == nullptr)
            return makeDiag(
                DiagCode::UnknownName,
                fmt::format("the model has no value '{}' to give a type", cleanText(name)), {},
                "fw info lists the values whose type is not known");
    }
    return {};
}

Result<std::optional<TensorType>> ModelImporter::declaredType(const std::string& name) {
    FW_TRY(auto given, givenType(name));
    if (given)
        return given;
    const Name* known = find(name);
    if (!known || !known->declared || !known->declared->type().has_tensor_type())
        return std::optional<TensorType>();
    const auto& type = known->declared->type().tensor_type();
    const auto dtype = elementOf(type);
    FW_TRY(auto shape, m_run.dims.shape(type, m_prefix + cleanText(name)));
    if (!dtype || !shape)
        return std::optional<TensorType>();
    return std::optional(TensorType{*dtype, std::move(*shape)});
}

std::optional<DType> ModelImporter::declaredElement(const std::string& name) const {
    const Name* known = find(name);
    if (!known || !known->declared || !known->declared->type().has_tensor_type())
        return std::nullopt;
    return elementOf(known->declared->type().tensor_type());
}

std::optional<Shape> ModelImporter::declaredForeignShape(const std::string& name) {
    const Name* known = find(name);
    if (!known || !known->declared || !known->declared->type().has_tensor_type())
        return std::nullopt;
    auto shape =
        m_run.dims.shape(known->declared->type().tensor_type(), m_prefix + cleanText(name));
    return shape ? shape.take() : std::nullopt;
}

std::string ModelImporter::declaredForeign(const std::string& name) {
    const Name* known = find(name);
    return known == nullptr || known->declared == nullptr
               ? std::string()
               : foreignTypeText(known->declared->type(), m_run.dims);
}

} // namespace fw
