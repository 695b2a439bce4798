#include "onnx/read/import_clause.h"

#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Result<AttrValue> attributeValue(const NodeImport& node, const std::string& name, AttrType type) {
    switch (type) {
    case AttrType::Int: {
        FW_TRY(const std::int64_t value, node.integer(name, 0));
        return AttrValue(value);
    }
    case AttrType::Bool: {
        FW_TRY(const bool value, node.flag(name, false));
        return AttrValue(std::int64_t{value});
    }
    case AttrType::Float: {
        FW_TRY(const double value, node.real(name, 0));
        return AttrValue(value);
    }
    case AttrType::Text: {
        FW_TRY(std::string value, node.text(name, {}));
        return AttrValue(std::move(value));
    }
    case AttrType::DType: {
        FW_TRY(const std::int64_t code, node.integer(name, 0));
        const auto dtype = dtypeFromOnnx(code);
        if (!dtype || *dtype == DType::Text)
            return node.unsupported(
                fmt::format("the element type {} of attribute '{}' is not supported", code, name));
        return AttrValue(*dtype);
    }
    case AttrType::IntList: {
        FW_TRY(auto values, node.list(name));
        return AttrValue(values.value_or(Integers()));
    }
    case AttrType::FloatList: {
        FW_TRY(auto values, node.reals(name));
        return AttrValue(values.value_or(Reals()));
    }
    case AttrType::TextList: {
        FW_TRY(auto values, node.texts(name));
        return AttrValue(values.value_or(Texts()));
    }
    default:
        return node.unsupported(fmt::format("attribute '{}' cannot be read", name));
    }
}

AttrType typeOfFixed(const AttrValue& value) {
    return std::holds_alternative<std::int64_t>(value) ? AttrType::Int
           : std::holds_alternative<double>(value)     ? AttrType::Float
                                                       : AttrType::Text;
}

// Attributes that say whether a node infers or trains.
constexpr std::string_view modes[] = {"training_mode", "is_test"};

// What such an attribute asks for, where it is not inference.
const char* ofTraining(std::string_view attribute) {
    return std::find(std::begin(modes), std::end(modes), attribute) != std::end(modes)
               ? "; training mode is not"
               : "";
}

// Results that the operator has not. Where a node may train, it does if it names them and does not
// say that it infers: then its first result is another one, too, whoever reads the others.
Status checkOtherResults(const NodeImport& node, const Operator& op, const OnnxBinding& clause) {
    const bool mayTrain =
        std::any_of(std::begin(modes), std::end(modes), [&](std::string_view mode) {
            return clause.fixed.contains(std::string(mode));
        });
    const bool saysMode = std::any_of(std::begin(modes), std::end(modes),
                                      [&](std::string_view mode) { return node.given(mode); });
    for (std::size_t i = op.outputNames().size(); i < node.outputCount(); ++i) {
        const bool isNamed = !node.node().output(static_cast<int>(i)).empty();
        if (!node.outputUsed(i) && !(isNamed && mayTrain && !saysMode))
            continue;
        if (mayTrain)
            return node.unsupported(
                fmt::format("output {} is of training mode, which is not supported", i + 1),
                "export the model for inference");
        return node.unsupported(fmt::format("output {} is not computed", i + 1));
    }
    return {};
}

// What the clause gives one value has it.
Status checkFixed(const NodeImport& node, const OnnxBinding& clause) {
    for (const auto& [name, wanted] : clause.fixed) {
        if (!node.given(name))
            continue;
        FW_TRY(const AttrValue given, attributeValue(node, name, typeOfFixed(wanted)));
        if (!(given == wanted))
            return node.unsupported(
                fmt::format("the attribute '{}' is {}, and only {} is supported{}", cleanText(name),
                            attrText(given), attrText(wanted), ofTraining(name)),
                fmt::format("export the model with {} = {}", cleanText(name), attrText(wanted)));
    }
    return {};
}

// Every attribute of the node is one of the operator's.
Status checkAllTaken(const NodeImport& node, const Operator& op, const OnnxBinding& clause) {
    const std::vector<std::string> ours = op.attrNames();
    for (const auto& attribute : node.node().attribute())
        if (!clause.fixed.contains(attribute.name()) &&
            std::none_of(ours.begin(), ours.end(), [&](const std::string& name) {
                return clause.nodeAttribute(name) == attribute.name();
            }))
            return node.unsupported(fmt::format("the operator has no attribute for the node's '{}'",
                                                cleanText(attribute.name())),
                                    "give it one, or name it in the clause: {ours = theirs}, or "
                                    "{theirs == value} for the one value that it may have");
    return {};
}

} // namespace

Status importByClause(NodeImport& node, const Operator& op, const OnnxReading& reading) {
    const OnnxBinding& clause = reading.binding;
    const Arity arity = op.arity();
    // An operand that is absent among others may be an optional one.
    FW_CHECK(node.need(node.inputCount() < arity.least ? arity.least : 0, arity.most));
    if (reading.source != OperatorSource::Shipped)
        FW_CHECK(checkAllTaken(node, op, clause));
    FW_CHECK(checkFixed(node, clause));
    std::vector<ValueRef> operands(std::min(node.inputCount(), arity.most));
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (node.has(i)) {
            FW_TRY(operands[i], node.input(i));
        }
    while (!operands.empty() && !operands.back().valid())
        operands.pop_back();
    FW_CHECK(checkOtherResults(node, op, clause));
    Attrs attrs;
    for (const std::string& ours : op.attrNames()) {
        const std::string& theirs = clause.nodeAttribute(ours);
        if (node.given(theirs)) {
            FW_TRY(AttrValue value,
                   attributeValue(node, theirs, op.attrType(ours).value_or(AttrType::Any)));
            attrs.set(ours, std::move(value));
        } else if (auto fallback = op.attrDefault(ours)) {
            attrs.set(ours, std::move(*fallback));
        }
    }
    return node.result(op.name(), std::move(operands), std::move(attrs));
}

const OnnxReading* ModelImporter::clauseOf(const proto::NodeProto& node) const {
    std::map<std::string, AttrValue> given; // of the types that a clause can give
    for (const auto& attribute : node.attribute())
        if (attribute.type() == proto::AttributeProto::INT)
            given.emplace(attribute.name(), std::int64_t{attribute.i()});
        else if (attribute.type() == proto::AttributeProto::FLOAT)
            given.emplace(attribute.name(), static_cast<double>(attribute.f()));
        else if (attribute.type() == proto::AttributeProto::STRING)
            given.emplace(attribute.name(), attribute.s());
    return m_run.operators->onnxReading(isStandardDomain(node.domain()) ? "" : node.domain(),
                                        node.op_type(), opsetOf(node.domain()), given);
}

// What would have read the node if no book did; empty: nothing.
std::string ModelImporter::readOtherwise(const proto::NodeProto& node,
                                         const OnnxReading& reading) const {
    if (m_run.functions.find(node) != nullptr &&
        !m_run.carried.contains({reading.binding.domain, reading.binding.type}))
        return "the function that the model brings along";
    const std::int64_t opset = opsetOf(node.domain());
    for (const OnnxReading& other : m_run.operators->onnxReadings())
        if (&other != &reading && other.binding.domain == reading.binding.domain &&
            other.binding.type == node.op_type() && other.binding.takes(opset) &&
            other.binding.agreesWith(reading.binding.fixed))
            return other.source == OperatorSource::Shipped
                       ? "the shipped operator " + other.op
                       : fmt::format("{} of {}", other.op, other.binding.where.text());
    if (findImporter(node.domain(), node.op_type(), opset) != nullptr)
        return "the importer's own reading";
    return {};
}

Status ModelImporter::importOwn(int index, const OnnxReading& reading) {
    const auto& node = m_graph.node(index);
    const std::string name = nodeName(index);
    const std::string place = reading.binding.where.text();
    for (const std::string& input : node.input()) // whose errors are not those of this node
        if (!input.empty())
            FW_CHECK(use(input));
    NodeImport context(*this, node, name);
    auto status = importByClause(context, *m_run.operators->find(reading.op), reading);
    if (status)
        status = checkIndices(context);
    if (!status) {
        Diag diag = status.takeDiag();
        if (diag.code == DiagCode::Cancelled)
            return diag;
        diag.message = fmt::format("{} does not fit the operator {} of {}: {}", typeName(node),
                                   reading.op, place, diag.message);
        diag.where = {};
        return importUnknown(index, name, std::move(diag));
    }
    m_run.out.decisions.push_back({m_prefix + name, Verdict::Note, ReasonCode::ReadByClause,
                                   fmt::format("{} of {}", reading.op, place)});
    const std::string otherwise = readOtherwise(node, reading);
    if (!otherwise.empty() && m_run.noticed.insert(&reading).second)
        m_run.out.diagnostics.push_back(
            makeWarning(DiagCode::TextName,
                        fmt::format("{} is read as {}, which takes the place of {}", typeName(node),
                                    reading.op, otherwise),
                        reading.binding.where));
    return checkResults(index);
}

} // namespace fw
