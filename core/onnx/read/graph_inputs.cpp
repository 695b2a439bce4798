// What a graph begins with: its initializers and inputs.
#include "onnx/read/model_importer.h"

#include "base/numbers.h"
#include "onnx/model/default_inputs.h"
#include "onnx/model/foreign_values.h"
#include "onnx/model/given_value.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

ValueRef leafOf(GraphEditor& editor, const std::string& name, const Attrs& attrs,
                const TensorType& type) {
    GraphEditor::NewNode wish;
    wish.op = "unknown";
    wish.name = fmt::format("{}.{}", cleanText(name), attrs.text(leafKey, {}));
    wish.outputNames = {cleanText(name)};
    wish.attrs = attrs;
    wish.declaredTypes = {type};
    auto values = editor.add(std::move(wish));
    if (!values)
        throw InternalError("no node for '" + name + "': " + values.diag().text());
    return values->front();
}

// A weight that is listed among the inputs as another type. Its value decides.
std::optional<Diag> otherThanDeclared(const proto::ValueInfoProto& input, const TensorType& found) {
    const auto& declared = input.type().tensor_type();
    const auto dtype = dtypeFromOnnx(declared.elem_type());
    bool fits = !declared.has_shape() ||
                static_cast<std::size_t>(declared.shape().dim_size()) == found.rank();
    Shape shape;
    for (int i = 0; declared.has_shape() && i < declared.shape().dim_size(); ++i) {
        const auto& dim = declared.shape().dim(i);
        const bool isKnown = dim.has_dim_value() && dim.dim_value() >= 0;
        shape.push_back(isKnown ? Dim(dim.dim_value()) : Dim(varExpr(Symbol("N"))));
        fits = fits && (!isKnown || found.shape[static_cast<std::size_t>(i)].asInt().value_or(
                                        dim.dim_value()) == dim.dim_value());
    }
    if (!input.type().has_tensor_type() || !dtype || (fits && *dtype == found.dtype))
        return std::nullopt;
    return makeWarning(*dtype == found.dtype ? DiagCode::ShapeMismatch : DiagCode::DtypeMismatch,
                       fmt::format("the model declares its input '{}' as {}, the value that it "
                                   "gives it is {}",
                                   cleanText(input.name()),
                                   declared.has_shape() ? TensorType{*dtype, shape}.text()
                                                        : std::string(dtypeText(*dtype)),
                                   found.text()));
}

} // namespace

Status ModelImporter::readInitializers() {
    const auto refuse = [](const std::string& name, Diag diag) {
        diag.message = fmt::format("initializer '{}' {}", cleanText(name), diag.message);
        return diag;
    };
    for (auto& tensor : *m_graph.mutable_initializer()) {
        if (m_run.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "importing was cancelled");
        const std::string& name = tensor.name();
        if (isGivenDefault(name))
            continue;
        if (!foreignElement(tensor.data_type()).empty()) {
            auto foreign = takeForeignTensor(tensor, m_run.external, limits());
            if (!foreign)
                return refuse(name, foreign.takeDiag());
            Value& value = this->value(name);
            value.leaf = std::make_shared<const Attrs>(foreignConstant(*foreign));
            value.untyped = true;
            value.foreignShape = Shape(tensor.dims().begin(), tensor.dims().end());
            continue;
        }
        auto data = takeTensor(tensor, m_run.external, limits());
        if (!data)
            return refuse(name, data.takeDiag());
        value(name).data = data.take();
    }
    for (auto& tensor : *m_graph.mutable_sparse_initializer()) {
        const std::string name = tensor.values().name();
        if (auto status = readSparse(tensor, value(name)); !status)
            return refuse(name, status.takeDiag());
    }
    return {};
}

Status ModelImporter::readSparse(proto::SparseTensorProto& tensor, Value& value) {
    if (foreignElement(tensor.values().data_type()).empty()) {
        FW_TRY(value.data, densified(tensor, m_run.external, limits()));
        return {};
    }
    FW_CHECK(embedExternal(*tensor.mutable_values()));
    FW_CHECK(embedExternal(*tensor.mutable_indices()));
    value.leaf = std::make_shared<const Attrs>(foreignConstant(tensor));
    value.untyped = true;
    return {};
}

// Nothing is derived from its type.
const TensorType ModelImporter::madeUp{DType::F32, {}};

ValueRef ModelImporter::addLeaf(const std::string& name, const Attrs& attrs) {
    return leafOf(m_editor, name, attrs, madeUp);
}

Status ModelImporter::readInputs() {
    const auto take = [&](const Given& given) {
        Value& value = this->value(given.name);
        value = given.value;
        value.ref = m_editor.addInput(cleanText(given.name), given.type);
    };
    const auto givenAs = [&](const std::string& name) {
        return std::find_if(m_given.begin(), m_given.end(),
                            [&](const Given& given) { return given.name == name; });
    };
    std::set<std::string_view> declared;
    std::int64_t place = 0; // among those that are no initializers
    for (const auto& input : m_graph.input()) {
        declared.insert(input.name());
        const auto entry = m_run.options.types.find(input.name());
        const auto text = m_prefix.empty() && entry != m_run.options.types.end()
                              ? givenValue(entry->second)
                              : std::nullopt;
        const bool isWeight =
            find(input.name())->place == byInitializer && !isGivenDefault(input.name());
        if (const auto given = givenAs(input.name()); given != m_given.end()) {
            take(*given);
        } else if (text && isWeight) {
            return makeDiag(DiagCode::InputMismatch, weightIsNotGiven(input.name(), true));
        } else if (text) {
            FW_CHECK(readValue(input, *text));
        } else if (!isWeight) {
            FW_CHECK(readInput(input, place++));
        } else if (const auto& data = value(input.name()).data) {
            if (auto warning = otherThanDeclared(input, data->type()))
                m_run.out.diagnostics.push_back(std::move(*warning));
        }
    }
    for (const Given& given : m_given)
        if (!declared.contains(given.name))
            take(given);
    return {};
}

Status ModelImporter::readValue(const proto::ValueInfoProto& input, std::string_view text) {
    const std::string name = cleanText(input.name());
    const auto dtype = dtypeFromOnnx(input.type().tensor_type().elem_type());
    FW_TRY(const auto shape, m_run.dims.shape(input.type().tensor_type(), name));
    auto data =
        dtype
            ? valueFromText(text, *dtype, shape)
            : Result<TensorData>(makeDiag(DiagCode::InputMismatch,
                                          "its element type is none that a value can be given of"));
    if (!data) {
        Diag diag = data.takeDiag();
        diag.message = fmt::format("the value given to input '{}': {}", name, diag.message);
        if (!dtype)
            diag.hint = "a file says its type as well";
        return diag;
    }
    note(name, "the input has the given value, as a constant");
    value(input.name()).data = data.take();
    return {};
}

Status ModelImporter::readInput(const proto::ValueInfoProto& input, std::int64_t place) {
    const std::string name = cleanText(input.name());
    const auto refuse = [&](const std::string& what) {
        return makeDiag(DiagCode::DtypeMismatch, fmt::format("input '{}' {}", name, what));
    };
    FW_TRY(auto given, givenType(input.name()));
    if (given && input.type().has_tensor_type() &&
        !m_run.dims.shape(input.type().tensor_type(), m_prefix + name)) // its names are known
        return refuse("has a shape that is no shape");
    const std::string foreign = given ? std::string() : foreignTypeText(input.type(), m_run.dims);
    if (!foreign.empty()) {
        Value& value = this->value(input.name());
        value.untyped = true;
        if (input.type().has_tensor_type()) {
            FW_TRY(value.foreignShape,
                   m_run.dims.shape(input.type().tensor_type(), m_prefix + name));
        }
        if (!m_prefix.empty()) { // the graph around it says what it is
            value.ref = m_editor.addInput(name, madeUp);
            return {};
        }
        value.ref = addLeaf(input.name(), foreignInput(input, foreign, place));
        return {};
    }
    const auto& type = input.type().tensor_type();
    const auto dtype = given ? given->dtype : dtypeFromOnnx(type.elem_type());
    FW_TRY(auto shape, given ? std::optional(std::move(given->shape))
                             : m_run.dims.shape(type, m_prefix + name));
    if (!dtype || !shape) { // --type and data may say more
        const TensorType known{dtype.value_or(madeUp.dtype), {}};
        Value& value = this->value(input.name());
        value.untyped = true;
        if (m_prefix.empty())
            value.ref = leafOf(m_editor, input.name(),
                               untypedInput(input, dtype.has_value(), place), known);
        else
            value.ref = m_editor.addInput(name, known);
        return {};
    }
    if (static_cast<std::int64_t>(shape->size()) > limits().rank)
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("input '{}' has {} dimensions, the limit is {}", name,
                                    shape->size(), limits().rank));
    std::vector<std::int64_t> extents;
    for (const Dim& dim : *shape) {
        extents.push_back(dim.asInt().value_or(1));
        if (extents.back() < 0)
            return makeDiag(
                DiagCode::InputMismatch,
                fmt::format("a dimension of input '{}' is bound to {}", name, extents.back()));
    }
    const auto count = checkedCount(extents);
    if (!count || !checkedMul(*count, static_cast<std::int64_t>(dtypeBytes(*dtype))))
        return makeDiag(DiagCode::DimOverflow,
                        fmt::format("input '{}' of shape {} has more bytes than can be counted",
                                    name, shapeText(*shape)),
                        {}, "a dimension that is not known has a name or none, not a large number");
    value(input.name()).ref = m_editor.addInput(name, {*dtype, std::move(*shape)});
    return {};
}

} // namespace fw
