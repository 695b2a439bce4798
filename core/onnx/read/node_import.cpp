#include "onnx/read/node_import.h"

#include "expr/simplify.h"
#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace fw {

std::int64_t NodeImport::opset() const {
    return m_model.opset();
}

namespace {

bool isNarrow(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16;
}

std::optional<Exprs> wholeNumbers(const TensorData& data) {
    if (data.count() > smallTensorLimit)
        return std::nullopt;
    Exprs out;
    for (const double one : data.toDoubles()) {
        if (one != std::floor(one) || std::abs(one) > 1e15)
            return std::nullopt;
        out.emplace_back(static_cast<std::int64_t>(one));
    }
    return out;
}

} // namespace

void NodeImport::computeWide(std::size_t operand) {
    const auto type = inputType(operand);
    if (m_narrow || !type || !isNarrow(type->dtype))
        return;
    m_narrow = type->dtype;
    note(
        fmt::format("several steps, computed in f32 and rounded to {} once", dtypeText(*m_narrow)));
}

Status NodeImport::need(std::size_t least, std::size_t most) const {
    std::size_t given = inputCount();
    for (std::size_t i = 0; i < least; ++i)
        if (!has(i))
            return makeDiag(DiagCode::OperatorArity,
                            fmt::format("{} needs {} operands, operand {} is missing",
                                        m_node.op_type(), least, i + 1));
    while (given > most && !has(given - 1))
        --given;
    if (given > most)
        return makeDiag(DiagCode::OperatorArity,
                        fmt::format("{} takes at most {} operands, {} are given", m_node.op_type(),
                                    most, given));
    return {};
}

Result<ValueRef> NodeImport::input(std::size_t i) {
    if (!has(i))
        return makeDiag(DiagCode::OperatorArity,
                        fmt::format("operand {} of {} is missing", i + 1, m_node.op_type()));
    FW_TRY(ValueRef value, m_model.use(m_node.input(static_cast<int>(i))));
    if (m_narrow && isNarrow(type(value).dtype)) {
        if (!m_widened.contains(i)) {
            Attrs to;
            to.set("to", DType::F32);
            FW_TRY(m_widened[i], step("cast", {value}, std::move(to)));
        }
        value = m_widened.at(i);
    }
    m_operands.emplace(value, i);
    return value;
}

Result<TensorType> NodeImport::inputType(std::size_t i) const {
    if (!has(i))
        return makeDiag(DiagCode::OperatorArity,
                        fmt::format("operand {} of {} is missing", i + 1, m_node.op_type()));
    FW_TRY(TensorType type, m_model.typeOf(m_node.input(static_cast<int>(i))));
    if (m_narrow && isNarrow(type.dtype))
        type.dtype = DType::F32;
    return type;
}

const TensorType& NodeImport::type(ValueRef value) const {
    return m_model.editor().type(value);
}

const TensorData* NodeImport::constant(ValueRef value) const {
    if (const TensorData* data = m_model.editor().find(value.node)->data.get())
        return data;
    const auto operand = m_operands.find(value);
    return operand == m_operands.end() ? nullptr : constant(operand->second);
}

const Operator* NodeImport::operatorNamed(const std::string& name) const {
    return m_model.readerNamed(name);
}

const TensorData* NodeImport::constant(std::size_t i) const {
    const TensorData* data = has(i) ? m_model.constant(m_node.input(static_cast<int>(i))) : nullptr;
    if (!m_narrow || data == nullptr || !isNarrow(data->dtype()))
        return data;
    if (!m_wideConstants.contains(i))
        m_wideConstants[i] = dataFromDoubles(DType::F32, data->extents(), data->toDoubles());
    return &m_wideConstants.at(i);
}

const TensorData* NodeImport::computedConstant(std::size_t i) const {
    if (const TensorData* known = constant(i))
        return known;
    return has(i) ? m_model.computed(m_node.input(static_cast<int>(i))) : nullptr;
}

std::optional<Exprs> NodeImport::shapeValues(std::size_t i) const {
    if (!has(i))
        return std::nullopt;
    auto small = m_model.small(m_node.input(static_cast<int>(i)));
    if (!small || small->dtype == DType::Bool)
        return std::nullopt;
    return small->elements;
}

Result<Exprs> NodeImport::sizes(std::size_t i) {
    if (auto known = shapeValues(i))
        return std::move(*known);
    if (const TensorData* data = computedConstant(i); data != nullptr && isFloat(data->dtype()))
        if (auto whole = wholeNumbers(*data))
            return std::move(*whole);
    FW_TRY(ValueRef value, input(i));
    const TensorType type = this->type(value);
    const auto extents = fixedExtents(type.shape);
    if (!extents || type.dtype == DType::Bool || type.dtype == DType::Text)
        return unsupported(fmt::format("{} is no fixed number of sizes", type.text()),
                           "its shape has to be known before the model runs");
    if (type.dtype != DType::I64) {
        Attrs to;
        to.set("to", DType::I64);
        FW_TRY(value, step("cast", {value}, std::move(to)));
    }
    std::int64_t count = 1;
    for (const std::int64_t extent : *extents)
        count *= extent;
    if (type.rank() != 1) {
        FW_TRY(value, reshaped(value, {intExpr(count)}));
    }
    const std::string& name = m_node.input(static_cast<int>(i));
    FW_TRY(Exprs out, count == 1 ? boundAs(value, {name}) : bound(value, name + "_"));
    if (isInteger(type.dtype))
        m_model.bindSizes(name, {type.dtype, *extents, out});
    return out;
}

Result<Exprs> NodeImport::bound(ValueRef sizes, const std::string& prefix) {
    const auto known = type(sizes).shape.at(0).asInt();
    if (!known)
        return unsupported(fmt::format("how many axes the result has is computed: {} of them",
                                       type(sizes).shape.at(0).text()),
                           "its shape has to be known before the model runs, but for its sizes");
    const std::int64_t count = *known;
    if (count > static_cast<std::int64_t>(smallTensorLimit))
        return makeDiag(DiagCode::LimitReached, fmt::format("{} sizes that are computed", count));
    Texts names;
    for (std::int64_t i = 0; i < count; ++i)
        names.push_back(fmt::format("{}{}", prefix, i));
    return boundAs(sizes, names);
}

Result<Exprs> NodeImport::boundAs(ValueRef sizes, const Texts& names) {
    Exprs out;
    for (const std::string& name : names)
        out.push_back(m_model.freshDim(name));
    if (out.empty())
        return out;
    Attrs attrs;
    attrs.set("dims", out);
    FW_CHECK(step("bind_dims", {sizes}, std::move(attrs)));
    return out;
}

Status NodeImport::resultBound(ValueRef sizes, const Texts& names) {
    Exprs dims;
    for (const std::string& name : names)
        dims.push_back(m_model.freshDim(name));
    Attrs attrs;
    attrs.set("dims", dims);
    FW_CHECK(result("bind_dims", {sizes}, std::move(attrs)));
    m_model.bindSizes(m_node.output(0),
                      {DType::I64, {static_cast<std::int64_t>(dims.size())}, dims});
    return {};
}

std::optional<Integers> NodeImport::integers(std::size_t i) const {
    const TensorData* data = computedConstant(i);
    if (!data && has(i)) // there is nothing to compute of an empty one
        if (const auto type = inputType(i); type && isInteger(type->dtype))
            if (std::any_of(type->shape.begin(), type->shape.end(),
                            [](const Dim& dim) { return dim.isInt(0); }))
                return Integers();
    if (!data || !isInteger(data->dtype()) || data->count() > smallTensorLimit)
        return std::nullopt;
    return data->toIntegers();
}

bool NodeImport::isComputed(std::size_t i) const {
    return has(i) && computedConstant(i) == nullptr && !integers(i);
}

std::optional<double> NodeImport::scalar(std::size_t i) const {
    const TensorData* data = constant(i);
    if (!data || data->count() != 1)
        return std::nullopt;
    return data->dtype() == DType::F32 ? readableReal(static_cast<float>(data->at(0)))
                                       : data->at(0);
}

Result<std::optional<Integers>> NodeImport::listOrOperand(std::string_view name,
                                                          std::size_t i) const {
    FW_TRY(auto attribute, list(name));
    if (attribute || !has(i))
        return attribute;
    auto known = integers(i);
    if (!known)
        return unsupported(fmt::format("'{}' is computed at run time", name),
                           "make it a constant of the model");
    return std::optional(std::move(*known));
}

Result<bool> NodeImport::flag(std::string_view name, bool fallback) const {
    FW_TRY(const std::int64_t value, integer(name, fallback ? 1 : 0));
    if (value != 0 && value != 1)
        return unsupported(
            fmt::format("the attribute '{}' is {}, which is neither 0 nor 1", name, value));
    return value == 1;
}

std::optional<Result<TensorData>> NodeImport::tensor(std::string_view name) const {
    const auto found = tensorAttribute(honoured(name), name);
    if (!found)
        return Result<TensorData>(found.diag());
    if (*found == nullptr)
        return std::nullopt;
    proto::TensorProto copy = **found;
    return m_model.takeTensorHere(copy);
}

namespace {

// Attributes that change nothing of what is computed here.
struct Harmless {
    std::string_view type; // empty: of every operator
    std::string_view attribute;
};
constexpr Harmless harmless[] = {
    {"", "consumed_inputs"},      // of opset 1
    {"Dropout", "seed"},          // of training
    {"MaxPool", "storage_order"}, // of the indices, where nobody reads them
};

} // namespace

Status NodeImport::allHonoured() const {
    for (const auto& attribute : m_node.attribute()) {
        const auto isThis = [&](const Harmless& row) {
            return (row.type.empty() || row.type == m_node.op_type()) &&
                   row.attribute == attribute.name();
        };
        if (m_honoured.contains(attribute.name()) ||
            std::any_of(std::begin(harmless), std::end(harmless), isThis))
            continue;
        const std::string name = cleanText(attribute.name());
        return !isStandardDomain(m_node.domain()) ||
                       hasAttribute(m_node.op_type(), opset(), attribute.name())
                   ? unsupported(fmt::format("the attribute '{}' is not supported", name))
                   : unsupported(fmt::format("opset {} has no attribute '{}' here", opset(), name),
                                 "the model says something that no program can honour");
    }
    return {};
}

Result<std::size_t> NodeImport::axis(std::int64_t axis, std::size_t rank) const {
    const auto limit = static_cast<std::int64_t>(rank);
    if (axis < -limit || axis >= limit)
        return malformed(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
    return static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
}

Result<ValueRef> NodeImport::step(const std::string& op, std::vector<ValueRef> inputs,
                                  Attrs attrs) {
    FW_TRY(const std::vector<ValueRef> values, steps(op, std::move(inputs), std::move(attrs)));
    return values.front();
}

Result<std::vector<ValueRef>> NodeImport::added(GraphEditor::NewNode wish) {
    const std::string op = wish.op;
    const std::vector<ValueRef> inputs = wish.inputs;
    auto values = m_model.editor().add(std::move(wish));
    if (!values)
        return inWords(values.takeDiag(), op, inputs);
    m_emitted.push_back(values->front().node);
    return values;
}

Result<std::vector<ValueRef>> NodeImport::steps(const std::string& op, std::vector<ValueRef> inputs,
                                                Attrs attrs) {
    GraphEditor::NewNode wish;
    wish.op = op;
    wish.inputs = std::move(inputs);
    wish.attrs = std::move(attrs);
    wish.name = m_name + "." + op;
    return added(std::move(wish));
}

Result<ValueRef> NodeImport::reshaped(ValueRef x, const Shape& shape) {
    const TensorData* data = constant(x);
    if (const auto extents = fixedExtents(shape); extents && data != nullptr) {
        const auto count = checkedCount(*extents);
        if (count && static_cast<std::size_t>(*count) == data->count())
            return addConstant("reshaped", data->reshaped(*extents));
    }
    Attrs attrs;
    attrs.set("shape", shapeAttr(shape));
    return step("reshape", {x}, std::move(attrs));
}

ValueRef NodeImport::addConstant(const std::string& suffix, TensorData data) {
    const ValueRef value = m_model.editor().addConstant(m_name + "." + suffix, std::move(data));
    m_emitted.push_back(value.node);
    return value;
}

ValueRef NodeImport::scalarConstant(const std::string& suffix, double value, DType dtype) {
    return addConstant(suffix, dataFromDoubles(dtype, {}, {value}));
}

Status NodeImport::result(std::string op, std::vector<ValueRef> inputs, Attrs attrs) {
    FW_CHECK(toNormalForm(op, inputs, attrs));
    std::vector<ValueRef> values;
    if (m_narrow) {
        FW_TRY(values, steps(op, std::move(inputs), std::move(attrs)));
    } else {
        GraphEditor::NewNode wish;
        wish.op = op;
        wish.inputs = std::move(inputs);
        wish.attrs = std::move(attrs);
        wish.name = m_name;
        for (const std::string& output : m_node.output())
            wish.outputNames.push_back(cleanText(output));
        FW_TRY(values, added(std::move(wish)));
    }
    for (std::size_t i = 0; i < outputCount(); ++i) {
        if (i >= values.size()) {
            if (outputUsed(i) && !m_model.isBound(m_node.output(static_cast<int>(i))))
                return unsupported(
                    fmt::format("output {} of {} is not computed", i + 1, m_node.op_type()));
            continue;
        }
        FW_CHECK(alias(i, values[i]));
    }
    return {};
}

Status NodeImport::resultReshaped(ValueRef x, const Shape& shape) {
    Attrs attrs;
    attrs.set("shape", shapeAttr(shape));
    return result("reshape", {x}, std::move(attrs));
}

Status NodeImport::alias(std::size_t output, ValueRef value) {
    const bool isNamed = output < outputCount() && !m_node.output(static_cast<int>(output)).empty();
    if (!m_narrow || !isNamed || type(value).dtype != DType::F32)
        return aliasWide(output, value);
    GraphEditor::NewNode wish;
    wish.op = "cast";
    wish.inputs = {value};
    wish.attrs.set("to", *m_narrow);
    wish.name = output == 0 ? m_name : m_name + ".cast";
    wish.outputNames = {cleanText(m_node.output(static_cast<int>(output)))};
    FW_TRY(const auto rounded, m_model.editor().add(std::move(wish)));
    m_emitted.push_back(rounded.front().node);
    return aliasWide(output, rounded.front());
}

Status NodeImport::aliasWide(std::size_t output, ValueRef value) {
    if (output < outputCount())
        m_model.bind(m_node.output(static_cast<int>(output)), value);
    return {};
}

Status NodeImport::aliasInput(std::size_t output, std::size_t input) {
    m_model.bindAlias(m_node.output(static_cast<int>(output)),
                      m_node.input(static_cast<int>(input)));
    return {};
}

Status NodeImport::constantResult(TensorData data) {
    m_model.bindConstant(m_node.output(0), std::move(data));
    return {};
}

const std::vector<ValueRef>* NodeImport::parts(std::size_t i) const {
    return has(i) ? m_model.partsOf(m_node.input(static_cast<int>(i))) : nullptr;
}

Status NodeImport::resultParts(std::vector<ValueRef> parts) {
    m_model.bindParts(m_node.output(0), std::move(parts));
    return {};
}

bool NodeImport::outputUsed(std::size_t i) const {
    return i < outputCount() && m_model.isUsed(m_node.output(static_cast<int>(i)));
}

void NodeImport::assume(const Expr& condition, std::string sentence) {
    m_model.assume({simplify(condition), std::move(sentence), m_name});
}

std::string NodeImport::operandName(std::size_t i) const {
    return "'" + cleanText(m_node.input(static_cast<int>(i))) + "'";
}

void NodeImport::note(const std::string& what) {
    m_model.note(m_name, what);
}

void NodeImport::warn(const std::string& what) {
    m_model.warn(m_name, makeWarning(DiagCode::ShapeMismatch, m_node.op_type() + ": " + what));
}

std::int64_t NodeImport::tensorLimit() const {
    return static_cast<std::int64_t>(m_model.limits().tensorBytes);
}

Diag NodeImport::unsupported(std::string message, std::string hint) const {
    return makeDiag(DiagCode::UnsupportedAttribute, m_node.op_type() + ": " + std::move(message),
                    {}, std::move(hint));
}

Diag NodeImport::malformed(std::string message) const {
    return makeDiag(DiagCode::OnnxMalformed, m_node.op_type() + ": " + std::move(message));
}

ImportFunction findImporter(std::string_view domain, std::string_view type, std::int64_t opset) {
    using Versions = std::vector<std::pair<std::int64_t, ImportFunction>>;
    static const auto table = [] {
        std::map<std::pair<std::string_view, std::string_view>, Versions> rows;
        for (const auto& family :
             {elementwiseImporters(), contractionImporters(), windowImporters(),
              movementImporters(), shapeImporters(), normalizationImporters(), selectionImporters(),
              resampleImporters(), signalImporters(), einsumImporters(), attentionImporters(),
              contribAttentionImporters(), runningImporters(), sequenceImporters()})
            for (const ImporterRow& row : family)
                rows[{row.domain, row.type}].emplace_back(row.since, row.import);
        for (auto& [name, versions] : rows)
            std::sort(versions.begin(), versions.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
        return rows;
    }();
    const auto found = table.find({isStandardDomain(domain) ? "" : domain, type});
    if (found == table.end())
        return nullptr;
    ImportFunction best = nullptr;
    for (const auto& [since, function] : found->second)
        if (since <= opset)
            best = function;
    return best;
}

AttrValue shapeAttr(const Shape& shape) {
    if (const auto fixed = fixedExtents(shape))
        return Integers(fixed->begin(), fixed->end());
    return Exprs(shape.begin(), shape.end());
}

Shape withoutAxes(const Shape& shape, std::span<const std::size_t> axes) {
    Shape out;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (std::find(axes.begin(), axes.end(), i) == axes.end())
            out.push_back(shape[i]);
    return out;
}

} // namespace fw
