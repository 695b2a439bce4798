#include "onnx/read/node_import.h"

#include "expr/simplify.h"
#include "onnx/model/names.h"
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
    return m_model.operators().findReader(name);
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
    return known;
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

const std::vector<ValueRef>* NodeImport::parts(std::size_t i) const {
    return has(i) ? m_model.partsOf(m_node.input(static_cast<int>(i))) : nullptr;
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

Status NodeImport::needBetween(std::size_t operand, std::int64_t low, const Expr& high) {
    const TensorData* data = computedConstant(operand);
    if (data == nullptr || !isInteger(data->dtype()))
        return {};
    std::int64_t most = low;
    for (std::size_t i = 0; i < data->count(); ++i) {
        const std::int64_t value = data->integerAt(i);
        if (value < low || (high.asInt() && value > *high.asInt()))
            return malformed(fmt::format(
                "element {} of {} is {}, which does not lie between {} and {}; {}", i,
                operandName(operand), value, low, high.text(), m_model.operandsText(m_node)));
        most = std::max(most, value);
    }
    if (!high.asInt() && most > low)
        assume(leExpr(Expr(most), high),
               fmt::format("{}: {} holds {}, which is at most {}", m_node.op_type(),
                           operandName(operand), most, high.text()));
    return {};
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
