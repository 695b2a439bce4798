#include "onnx/read/import_clause.h"

#include "expr/scalar.h"
#include "onnx/model/names.h"
#include "onnx/read/clause_values.h"
#include "onnx/read/import_calls.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

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

// The values of the attribute with which somebody reads such a node.
std::vector<std::string> fixedValues(const NodeImport& node, const OnnxBinding& clause,
                                     const std::string& name) {
    const std::int64_t opset = clause.domain.empty() ? node.opset() : clause.since;
    std::vector<std::string> out;
    for (const OnnxReading* one :
         node.operators().onnxReadings(clause.domain, clause.type, opset)) {
        const auto value = one->binding.fixed.find(name);
        if (value == one->binding.fixed.end())
            continue;
        const std::string text = attrText(value->second);
        if (std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(text);
    }
    return out;
}

// What the clause gives one value has it.
Status checkFixed(const NodeImport& node, const OnnxBinding& clause) {
    for (const auto& [name, wanted] : clause.fixed) {
        if (!node.given(name) && clause.domain.empty() &&
            needsAttribute(clause.type, node.opset(), name))
            return node.malformed(fmt::format("the attribute '{}' is missing", name));
        if (!node.given(name))
            continue;
        FW_TRY(const AttrValue given, attributeValue(node, name, typeOfFixed(wanted)));
        if (!(given == wanted)) {
            const auto values = fixedValues(node, clause, name);
            return node.unsupported(
                fmt::format("the attribute '{}' is {}, and only {} {} supported{}", cleanText(name),
                            attrText(given), fmt::join(values, " and "),
                            values.size() == 1 ? "is" : "are", ofTraining(name)),
                fmt::format("export the model with {} = {}", cleanText(name),
                            fmt::join(values, " or ")));
        }
    }
    return {};
}

// Every attribute of the node is one of the operator's.
Status checkAllTaken(const NodeImport& node, const Operator& op, const OnnxBinding& clause) {
    const std::vector<std::string> ours = op.attrNames();
    for (const auto& attribute : node.node().attribute())
        if (!clause.fixed.contains(attribute.name()) &&
            !clause.ignored.contains(attribute.name()) &&
            std::none_of(ours.begin(), ours.end(), [&](const std::string& name) {
                return clause.nodeAttribute(name) == attribute.name();
            }))
            return node.unsupported(fmt::format("the operator has no attribute for the node's '{}'",
                                                cleanText(attribute.name())),
                                    "give it one, or name it in the clause: {ours = theirs}, "
                                    "{theirs == value} for the one value that it may have, or "
                                    "{theirs == any} if it makes no difference");
    return {};
}

// A call of the operator on its way from a node: which operands it has, then its attributes.
class ClauseCall {
public:
    ClauseCall(NodeImport& node, const Operator& op, const OnnxBinding& clause)
        : m_node(node), m_op(op), m_clause(clause) {
        for (std::size_t i = 0; i < node.inputCount(); ++i)
            if (!clause.isAttribute(i))
                m_operands.push_back(i);
        while (!m_operands.empty() && !node.has(m_operands.back()))
            m_operands.pop_back();
    }

    const std::vector<std::size_t>& operands() const { return m_operands; } // of the node

    Status checkCount() const {
        const Arity arity = m_op.arity();
        std::size_t least = arity.least, most = arity.most;
        for (const auto& [ours, source] : m_clause.attributes)
            if (source.operand && most != Arity().most) {
                least = std::max(least, *source.operand < least ? least + 1 : least);
                ++most;
            }
        if (m_clause.isChain)
            return m_node.need(1, Arity().most);
        // An operand that is absent among others may be an optional one.
        return m_node.need(m_node.inputCount() < least ? least : 0, most);
    }

    Result<Attrs> attributes(bool bind) {
        Attrs out;
        for (const std::string& ours : m_op.attrNames()) {
            FW_TRY(auto value, attribute(ours, bind));
            if (value)
                out.set(ours, std::move(*value));
        }
        return out;
    }

private:
    Result<std::optional<AttrValue>> attribute(const std::string& ours, bool bind) {
        const OnnxAttribute* source = m_clause.attribute(ours);
        if (source != nullptr && source->isFixed)
            return source->value;
        const bool isOperand = source != nullptr && source->operand;
        const std::string theirs = m_clause.nodeAttribute(ours);
        const AttrType type = m_op.attrType(ours).value_or(AttrType::Any);
        std::optional<AttrValue> value;
        if (isOperand && m_node.has(*source->operand)) {
            FW_TRY(value, operandValue(m_node, ours, *source->operand, type,
                                       !source->axesOf.empty() ? Computed::Refused
                                       : bind                  ? Computed::Bound
                                                               : Computed::MadeUp));
        } else if (!isOperand && m_node.given(theirs) && !isUndefined(theirs, type)) {
            FW_TRY(value, source != nullptr && !source->spellings.empty()
                              ? spelledValue(m_node, *source)
                              : attributeValue(m_node, theirs, type));
        } else if (!isOperand && isDemanded(theirs)) {
            return m_node.malformed(fmt::format("has no attribute '{}'", cleanText(theirs)));
        } else if (source == nullptr || source->fallback == OnnxAttribute::Default::Own) {
            value = m_op.attrDefault(ours);
        } else if (source->fallback == OnnxAttribute::Default::Value) {
            value = source->value;
        }
        if (source == nullptr || source->axesOf.empty())
            return value;
        if (type == AttrType::DType)
            return sameType(theirs, value, source->axesOf);
        FW_TRY(const std::size_t rank, rankOf(source->axesOf));
        const auto* list = value ? std::get_if<Integers>(&*value) : nullptr;
        if (source->takesEmptyAsAbsent() && list != nullptr && list->empty())
            value.reset();
        if (!value && source->fallback != OnnxAttribute::Default::Own)
            return std::optional(AttrValue(axesInOrder(rank, source->fallback)));
        if (!value)
            return value;
        FW_TRY(value, fromTheFront(m_node, std::move(*value), rank));
        return value;
    }

    // The element type UNDEFINED, which stands for none.
    bool isUndefined(const std::string& theirs, AttrType type) const {
        const auto code =
            type == AttrType::DType ? m_node.integer(theirs, 1) : Result<std::int64_t>(1);
        return code && *code == 0;
    }

    bool isDemanded(const std::string& theirs) const { // by the standard
        return m_clause.domain.empty() && needsAttribute(m_clause.type, m_node.opset(), theirs);
    }

    // Of the node; nothing: it is absent.
    std::optional<std::size_t> placeOf(const std::string& operand) const {
        const std::vector<std::string> names = m_op.inputNames();
        const auto found = static_cast<std::size_t>(std::find(names.begin(), names.end(), operand) -
                                                    names.begin());
        return found < m_operands.size() && m_node.has(m_operands[found])
                   ? std::optional(m_operands[found])
                   : std::nullopt;
    }

    Result<std::size_t> rankOf(const std::string& operand) const {
        const auto place = placeOf(operand);
        if (!place)
            return m_node.malformed(
                fmt::format("the operand '{}', whose axes it names, is absent", operand));
        FW_TRY(const TensorType type, m_node.inputType(*place));
        return type.rank();
    }

    // That of the operand, where it is there: the node may say it as well, and no other one.
    Result<std::optional<AttrValue>> sameType(const std::string& theirs,
                                              const std::optional<AttrValue>& value,
                                              const std::string& operand) const {
        const auto place = placeOf(operand);
        if (!place)
            return value;
        FW_TRY(const TensorType type, m_node.inputType(*place));
        const bool isSaid = m_node.given(theirs) && !isUndefined(theirs, AttrType::DType);
        if (isSaid && value && *value != AttrValue(type.dtype))
            return m_node.malformed(fmt::format(
                "the attribute '{}' is {}, and operand {}, {}, is {}: they must be the same",
                cleanText(theirs), attrText(*value), *place + 1, m_node.operandName(*place),
                type.text()));
        return std::optional(AttrValue(type.dtype));
    }

    NodeImport& m_node;
    const Operator& m_op;
    const OnnxBinding& m_clause;
    std::vector<std::size_t> m_operands;
};

// From the left. Where there are several steps narrow numbers are
// rounded once.
Status importChain(NodeImport& node, const Operator& op, const Attrs& attrs) {
    if (node.inputCount() > 2)
        node.computeWide();
    FW_TRY(ValueRef out, node.input(0));
    if (node.inputCount() == 1)
        return node.result("identity", {out});
    for (std::size_t i = 1; i + 1 < node.inputCount(); ++i) {
        FW_TRY(const ValueRef next, node.input(i));
        FW_TRY(out, node.step(op.name(), {out, next}, attrs));
    }
    FW_TRY(const ValueRef last, node.input(node.inputCount() - 1));
    return node.result(op.name(), {out, last}, attrs);
}

// What it requires of integers, they are known to meet: for what is not known the ends of the type
// stand.
bool areElementsFit(const NodeImport& node, const Operator& op, const OpCall& call,
                    const std::vector<std::size_t>& operands) {
    if (!op.asksOfElements())
        return true;
    std::vector<TensorData> ends(call.inputs.size());
    std::vector<const TensorData*> elements;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        elements.push_back(node.computedConstant(operands[i]));
        if (elements[i] != nullptr || !call.inputs[i] || !isInteger(call.inputs[i]->dtype))
            continue;
        const DType dtype = call.inputs[i]->dtype;
        ends[i] = dataFromIntegers(dtype, {2}, {leastOf(dtype), mostOf(dtype)});
        elements[i] = &ends[i];
    }
    return op.demandsOf(call, elements).empty();
}

} // namespace

Fit fitOfClause(NodeImport& node, const Operator& op, const OnnxBinding& clause) {
    ClauseCall call(node, op, clause);
    auto attrs = call.attributes(false);
    if (!checkAllTaken(node, op, clause))
        return Fit::Not;
    if (!attrs && attrs.diag().code == DiagCode::OnnxMalformed)
        return Fit::Whole; // whoever reads it says what is wrong
    if (!call.checkCount() || !attrs)
        return Fit::Not;
    OpCall wish;
    wish.attrs = attrs.take();
    for (const std::size_t operand : call.operands()) {
        const auto type = node.has(operand) ? std::optional(node.inputType(operand)) : std::nullopt;
        if (type && !*type)
            return Fit::Not;
        wish.inputs.push_back(type ? std::optional(**type) : std::nullopt);
        if (type && isSeenAsNumber(op, wish.inputs.size() - 1, **type))
            wish.inputs.back()->shape.clear();
        if (clause.isChain && wish.inputs.size() == 2)
            break;
    }
    const bool isOne = clause.isChain && wish.inputs.size() == 1;
    if (!isOne && !op.infer(wish))
        return Fit::AttributesOnly;
    return areElementsFit(node, op, wish, call.operands()) ? Fit::Whole : Fit::AttributesOnly;
}

Status importByClause(NodeImport& node, const Operator& op, const OnnxReading& reading) {
    const OnnxBinding& clause = reading.binding;
    ClauseCall call(node, op, clause);
    FW_CHECK(call.checkCount());
    if (reading.source != OperatorSource::Shipped)
        FW_CHECK(checkAllTaken(node, op, clause));
    FW_CHECK(checkFixed(node, clause));
    for (const std::string& name : clause.ignored)
        (void)node.given(name);
    if (clause.isChain) {
        FW_TRY(const Attrs attrs, call.attributes(true));
        return importChain(node, op, attrs);
    }
    FW_CHECK(checkOtherResults(node, op, clause));
    if (op.standsForCalls()) {
        FW_TRY(const Attrs attrs, call.attributes(true));
        return importCalls(node, op, call.operands(), attrs);
    }
    std::vector<ValueRef> operands;
    for (const std::size_t operand : call.operands()) {
        operands.emplace_back();
        if (!node.has(operand))
            continue;
        FW_TRY(operands.back(), node.input(operand));
        if (isSeenAsNumber(op, operands.size() - 1, node.type(operands.back()))) {
            FW_TRY(operands.back(), node.reshaped(operands.back(), {}));
        }
    }
    FW_TRY(Attrs attrs, call.attributes(true));
    return node.result(op.name(), std::move(operands), std::move(attrs));
}

} // namespace fw
