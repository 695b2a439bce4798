#include "onnx/read/import_calls.h"

#include "base/nearest.h"
#include "ir/call_types.h"
#include "onnx/model/names.h"
#include "onnx/read/filled.h"
#include "onnx/read/narrow_steps.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

using Operand = CallSequence::Operand;
using SizeList = std::vector<CallSequence::Size>;

// What an operand or a result of a call is: a value of the graph once somebody needs it as one, and
// what is known of it.
struct CallValue {
    std::optional<std::size_t> operand; // of the node, not yet a value of the graph
    ValueRef ref;
    std::optional<KnownValue> known;

    bool isThere() const { return operand || ref.valid() || known; }
};

// What the last call makes: a value on the way, or the result of the node, under its name.
enum class Last : std::uint8_t { IsValue, IsResult };

// The calls of one operator, and of those that it calls and that stand for calls themselves.
class Calls {
public:
    Calls(NodeImport& node, int depth, Last last, int& made)
        : m_node(node), m_depth(depth), m_last(last), m_made(made) {}

    // The values that stand for its results; an unused one may be none. No values where the last
    // call has become the result of the node.
    Result<std::vector<CallValue>> made(const Operator& op, const std::vector<CallValue>& operands,
                                        const Attrs& attrs, const std::vector<bool>& used) {
        FW_TRY(const CallSequence all, sequence(op, operands, attrs));
        for (const Assumption& assumption : all.assumptions)
            m_node.assume(assumption.condition, assumption.sentence);
        m_operands = &operands;
        m_results.resize(all.calls.size());
        const std::vector<bool> needed = neededOf(all, used);
        const auto* last = std::get_if<CallSequence::Result>(&all.results.front());
        for (std::size_t i = 0; i < all.calls.size(); ++i) {
            if (!needed[i])
                continue;
            const bool isResult =
                m_last == Last::IsResult && last != nullptr && *last == CallSequence::Result{i, 0};
            FW_TRY(m_results[i], made(all.calls[i], isResult ? Last::IsResult : Last::IsValue));
            if (m_results[i].empty())
                return std::vector<CallValue>();
        }
        std::vector<CallValue> out;
        for (std::size_t i = 0; i < all.results.size(); ++i) {
            out.emplace_back();
            if (used[i]) {
                FW_TRY(out.back(), valueOf(all.results[i], DType::F32));
            }
        }
        return out;
    }

    Result<ValueRef> inGraph(CallValue& value) {
        if (value.ref.valid())
            return value.ref;
        if (value.operand) {
            FW_TRY(value.ref, m_node.input(*value.operand));
        } else {
            value.ref = m_node.addConstant("number", *numbersIn(&*value.known));
        }
        return value.ref;
    }

private:
    Result<TensorType> typeOf(const CallValue& value) const {
        if (value.operand && !value.ref.valid())
            return m_node.inputType(*value.operand);
        if (value.ref.valid())
            return m_node.type(value.ref);
        return numbersIn(&*value.known)->type();
    }

    Result<OpCall> callOf(const std::vector<CallValue>& operands, const Attrs& attrs) const {
        OpCall out;
        out.attrs = attrs;
        for (const CallValue& operand : operands) {
            out.inputs.emplace_back();
            if (operand.isThere()) {
                FW_TRY(out.inputs.back(), typeOf(operand));
            }
        }
        return out;
    }

    Result<CallSequence> sequence(const Operator& op, const std::vector<CallValue>& operands,
                                  const Attrs& attrs) const {
        if (m_depth > mostNested)
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("{} lies more than {} deep in operators that stand for "
                                        "calls of each other",
                                        op.name(), mostNested),
                            {}, "let one of them call what the next one stands for");
        FW_TRY(const OpCall call, callOf(operands, attrs));
        FW_TRY(CallSequence out, op.calls(call));
        m_made += static_cast<int>(out.calls.size());
        if (m_made > mostCalls)
            return makeDiag(DiagCode::LimitReached,
                            fmt::format("the node would be more than {} calls", mostCalls));
        return out;
    }

    static std::vector<bool> neededOf(const CallSequence& all, const std::vector<bool>& used) {
        std::vector<bool> needed(all.calls.size(), false);
        const auto need = [&](const Operand& operand) {
            if (const auto* result = std::get_if<CallSequence::Result>(&operand))
                needed[result->call] = true;
        };
        for (std::size_t i = 0; i < all.results.size(); ++i)
            if (used[i])
                need(all.results[i]);
        for (std::size_t i = all.calls.size(); i-- > 0;) {
            if (!needed[i])
                continue;
            for (const Operand& operand : all.calls[i].operands)
                need(operand);
            for (const CallSequence::Attribute& attribute : all.calls[i].attributes)
                if (const auto* sizes = std::get_if<SizeList>(&attribute.value))
                    for (const CallSequence::Size& size : *sizes)
                        need(size.of);
        }
        return needed;
    }

    // `dtype`: of a number.
    Result<CallValue> valueOf(const Operand& operand, DType dtype) const {
        if (const auto* of = std::get_if<std::size_t>(&operand))
            return m_operands->at(*of);
        if (const auto* result = std::get_if<CallSequence::Result>(&operand)) {
            const std::vector<CallValue>& values = m_results.at(result->call);
            if (result->output >= values.size())
                return m_node.unsupported(fmt::format("result {} of a call is none of its {}",
                                                      result->output + 1, values.size()));
            return values[result->output];
        }
        CallValue out;
        if (const auto* number = std::get_if<double>(&operand)) {
            out.known = dataFromDoubles(dtype, {}, {*number});
            const double held = numbersIn(&*out.known)->at(0);
            if (isFloat(dtype) ? std::isfinite(*number) && !std::isfinite(held) : held != *number)
                return m_node.unsupported(fmt::format(
                    "{} is no {}, which the operands beside it are", *number, dtypeText(dtype)));
        }
        if (const auto* list = std::get_if<Integers>(&operand))
            out.known =
                dataFromIntegers(DType::I64, {static_cast<std::int64_t>(list->size())}, *list);
        return out;
    }

    // Its name may be an attribute of the node, so anything.
    Diag unknownOperator(const std::string& name) const {
        constexpr std::size_t longest = 100;
        const std::string word = cleanText(name.substr(0, longest));
        std::vector<std::string> known;
        for (const Operator* one : m_node.operators().all())
            known.push_back(one->name());
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("there is no operator '{}' that it could call", word), {},
                        didYouMean(word, known, "fw ops lists the operators"));
    }

    // Of each operand that is a value.
    Result<std::vector<std::optional<DType>>> typesOf(const CallSequence::Call& call) const {
        std::vector<std::optional<DType>> out(call.operands.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (std::holds_alternative<double>(call.operands[i]))
                continue;
            FW_TRY(const CallValue value, valueOf(call.operands[i], DType::F32));
            if (value.isThere()) {
                FW_TRY(const TensorType type, typeOf(value));
                out[i] = type.dtype;
            }
        }
        return out;
    }

    // The elements of a value as sizes: known ones, or dimensions that are bound while it runs.
    Result<Exprs> sizesOf(const Operand& operand) {
        FW_TRY(CallValue value, valueOf(operand, DType::I64));
        if (!value.isThere())
            return m_node.unsupported("the operand that has its sizes is absent");
        if (value.operand && !value.ref.valid())
            return m_node.sizes(*value.operand);
        if (const auto known = value.known ? integersIn(*value.known) : std::nullopt)
            return known->elements;
        FW_TRY(const ValueRef vector, inGraph(value));
        if (!m_bound.contains(vector)) {
            FW_TRY(m_bound[vector], m_node.boundExtents(vector));
        }
        return m_bound.at(vector);
    }

    Result<AttrValue> sizesOf(const SizeList& all) {
        Exprs out;
        for (const CallSequence::Size& size : all) {
            FW_TRY(const Exprs part,
                   size.known ? Result<Exprs>(Exprs{*size.known}) : sizesOf(size.of));
            if (size.element && *size.element >= part.size())
                return m_node.unsupported(fmt::format("there is no element {} among {} sizes",
                                                      *size.element, part.size()));
            const auto first = part.begin() + static_cast<std::ptrdiff_t>(size.element.value_or(0));
            out.insert(out.end(), first, size.element ? first + 1 : part.end());
        }
        return shapeAttr(out);
    }

    Result<Attrs> attributesOf(const CallSequence::Call& call, const Operator& op) {
        Attrs out;
        for (const CallSequence::Attribute& attribute : call.attributes) {
            AttrValue value;
            if (const auto* known = std::get_if<AttrValue>(&attribute.value)) {
                value = *known;
            } else {
                FW_TRY(value, sizesOf(std::get<SizeList>(attribute.value)));
            }
            out.set(attribute.name, asAttribute(op, attribute.name, std::move(value)));
        }
        return out;
    }

    Result<std::vector<CallValue>> made(const CallSequence::Call& call, Last last) {
        const Operator* op = m_node.operatorNamed(call.op);
        if (op == nullptr)
            return unknownOperator(call.op);
        const bool hasNumbers =
            std::any_of(call.operands.begin(), call.operands.end(), [](const Operand& operand) {
                return std::holds_alternative<double>(operand);
            });
        std::vector<std::optional<DType>> types;
        if (hasNumbers) {
            FW_TRY(types, typesOf(call));
        }
        std::vector<CallValue> operands;
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const bool number = std::holds_alternative<double>(call.operands[i]);
            FW_TRY(operands.emplace_back(),
                   valueOf(call.operands[i], number ? numberTypeIn(*op, types, i) : DType::F32));
        }
        FW_TRY(Attrs attrs, attributesOf(call, *op));
        if (op->standsForCalls()) {
            const std::vector<bool> all(op->outputNames().size(), true);
            return Calls(m_node, m_depth + 1, last, m_made).made(*op, operands, attrs, all);
        }
        if (isCastToItself(call.op, operands, attrs))
            return operands;
        FW_TRY(auto other, transposed(call.op, operands, attrs));
        if (other)
            return std::move(*other);
        const bool isCastOfNode = call.op == "cast" && last == Last::IsResult;
        if (auto known = isCastOfNode ? std::nullopt : knownResults(*op, operands, attrs))
            return std::move(*known);
        std::vector<ValueRef> inputs;
        for (CallValue& operand : operands) {
            inputs.emplace_back();
            if (operand.isThere()) {
                FW_TRY(inputs.back(), inGraph(operand));
            }
        }
        if (last == Last::IsResult) {
            FW_CHECK(m_node.result(call.op, inputs, attrs));
            return std::vector<CallValue>();
        }
        FW_TRY(const std::vector<ValueRef> made, m_node.steps(call.op, inputs, attrs));
        std::vector<CallValue> out;
        for (const ValueRef& ref : made)
            out.push_back({std::nullopt, ref, std::nullopt});
        return out;
    }

    bool isCastToItself(const std::string& op, const std::vector<CallValue>& operands,
                        const Attrs& attrs) const {
        const bool isCast = op == "cast" && operands.size() == 1 && operands[0].isThere();
        const AttrValue* to = isCast ? attrs.find("to") : nullptr;
        const auto type = to != nullptr ? typeOf(operands[0]) : Result<TensorType>(TensorType());
        return to != nullptr && type && *to == AttrValue(type->dtype);
    }

    const TensorData* constantOf(const CallValue& value) const {
        return value.operand && !value.ref.valid() ? m_node.constant(*value.operand)
               : value.ref.valid()                 ? m_node.constant(value.ref)
                                                   : nullptr;
    }

    // A constant matrix the other way round.
    Result<std::optional<std::vector<CallValue>>>
    transposed(const std::string& op, std::vector<CallValue>& operands, const Attrs& attrs) {
        const bool isOther = op == "transpose" && attrs.integers("perm") == Integers{1, 0};
        if (!isOther || operands.size() != 1 || constantOf(operands[0]) == nullptr)
            return std::optional<std::vector<CallValue>>();
        FW_TRY(const ValueRef whole, inGraph(operands[0]));
        FW_TRY(const ValueRef out, m_node.transposedWeights(whole));
        return std::optional(std::vector{CallValue{std::nullopt, out, std::nullopt}});
    }

    // A constant in another shape, and what is known of small integers, also as another type.
    std::optional<std::vector<CallValue>>
    knownResults(const Operator& op, std::vector<CallValue>& operands, const Attrs& attrs) {
        const auto call = callOf(operands, attrs);
        const auto inferred = call ? op.infer(*call) : Result<Inferred>(call.diag());
        if (!inferred || inferred->outputs.empty())
            return std::nullopt;
        std::vector<const TensorData*> numbers;
        for (const CallValue& operand : operands)
            if (const TensorData* number = numberIn(operand))
                numbers.push_back(number);
        if (numbers.size() == operands.size())
            return filled(op, *call, inferred->outputs[0], numbers);
        if (op.isView() && operands[0].ref.valid() && m_node.constant(operands[0].ref) != nullptr) {
            const auto extents = fixedExtents(inferred->outputs[0].shape);
            if (!extents)
                return std::nullopt;
            return std::vector{
                CallValue{std::nullopt,
                          m_node.addConstant("reshaped",
                                             m_node.constant(operands[0].ref)->reshaped(*extents)),
                          std::nullopt}};
        }
        const bool isSmall = std::all_of(
            inferred->outputs.begin(), inferred->outputs.end(), [&](const TensorType& type) {
                const auto extents = fixedExtents(type.shape);
                const auto count = extents ? checkedCount(*extents) : Result<std::int64_t>(0);
                return ((isInteger(type.dtype) && type.rank() <= 1) || op.name() == "cast") &&
                       extents && count && *count <= static_cast<std::int64_t>(smallTensorLimit);
            });
        return isSmall ? knownSizes(op, *call, operands) : std::nullopt;
    }

    // A real number that is known, without axes.
    const TensorData* numberIn(const CallValue& value) const {
        const TensorData* data = value.known       ? numbersIn(&*value.known)
                                 : value.isThere() ? constantOf(value)
                                                   : nullptr;
        return data != nullptr && data->extents().empty() && isFloat(data->dtype()) ? data
                                                                                    : nullptr;
    }

    // What a call makes of its attributes and of numbers.
    static std::optional<std::vector<CallValue>>
    filled(const Operator& op, const OpCall& call, const TensorType& type,
           const std::vector<const TensorData*>& numbers) {
        const auto extents = fixedExtents(type.shape);
        const auto count = extents ? checkedCount(*extents) : Result<std::int64_t>(0);
        if (!extents || !count || *count > mostFilled)
            return std::nullopt;
        auto results = op.reference(call, numbers);
        if (!results)
            return std::nullopt;
        std::vector<CallValue> out;
        for (TensorData& one : *results)
            out.push_back({std::nullopt, {}, KnownValue(std::move(one))});
        return out;
    }

    std::optional<std::vector<CallValue>> knownSizes(const Operator& op, const OpCall& call,
                                                     const std::vector<CallValue>& operands) const {
        std::vector<const KnownValue*> known;
        for (const CallValue& operand : operands)
            known.push_back(operand.known ? &*operand.known : nullptr);
        auto results = resultsOf(op, call, known);
        if (!results || std::any_of(results->begin(), results->end(), [](const KnownValue& one) {
                return numbersIn(&one) == nullptr;
            }))
            return std::nullopt;
        std::vector<CallValue> out;
        for (KnownValue& one : *results)
            out.push_back({std::nullopt, {}, std::move(one)});
        return out;
    }

    NodeImport& m_node;
    int m_depth;
    Last m_last;
    int& m_made; // calls, of the node
    const std::vector<CallValue>* m_operands = nullptr;
    std::vector<std::vector<CallValue>> m_results; // of each call
    std::map<ValueRef, Exprs> m_bound;             // vectors whose elements are dimensions
};

// A result that no call of its own makes.
Status handOn(NodeImport& node, Calls& calls, std::size_t output, CallValue& value) {
    if (!value.isThere())
        return node.unsupported(fmt::format("output {} is not computed", output + 1));
    const bool isOperand = value.operand && !value.ref.valid();
    if (isOperand && node.constant(*value.operand) != nullptr)
        return node.aliasInput(output, *value.operand);
    if (output == 0 && !isOperand && !value.ref.valid())
        return node.constantResult(*numbersIn(&*value.known));
    FW_TRY(const ValueRef ref, calls.inGraph(value));
    return isOperand && output == 0 ? node.result("identity", {ref}) : node.alias(output, ref);
}

Status needElements(NodeImport& node, const Operator& op, const OpCall& call,
                    const std::vector<std::size_t>& operands) {
    if (!op.asksOfElements())
        return {};
    std::vector<const TensorData*> known;
    std::vector<std::string> shown;
    for (const std::size_t operand : operands) {
        known.push_back(node.computedConstant(operand));
        shown.push_back(node.has(operand) ? node.operandName(operand) : "");
    }
    return node.needElements(op, call, known, shown);
}

} // namespace

bool isSeenAsNumber(const Operator& op, std::size_t operand, const TensorType& type) {
    return op.inputRank(operand) == 0 && type.rank() > 0 &&
           std::all_of(type.shape.begin(), type.shape.end(),
                       [](const Dim& dim) { return dim.isInt(1); });
}

Status importCalls(NodeImport& node, const Operator& op, const std::vector<std::size_t>& operands,
                   const Attrs& attrs) {
    std::vector<CallValue> values;
    OpCall call;
    call.attrs = attrs;
    for (const std::size_t operand : operands) {
        values.emplace_back();
        call.inputs.emplace_back();
        if (!node.has(operand))
            continue;
        values.back().operand = operand;
        FW_TRY(call.inputs.back(), node.inputType(operand));
        if (isSeenAsNumber(op, values.size() - 1, *call.inputs.back()))
            call.inputs.back()->shape.clear();
    }
    FW_TRY(const CallSequence all, op.calls(call));
    FW_CHECK(needElements(node, op, call, operands));
    if (narrowSteps(node, op, call) > 1)
        node.computeWide();
    for (std::size_t i = 0; i < values.size(); ++i) {
        CallValue& value = values[i];
        if (!value.operand)
            continue;
        if (const TensorData* data = node.computedConstant(*value.operand);
            data != nullptr && isSmallInteger(*data))
            value.known = *data;
        FW_TRY(const TensorType type, node.inputType(*value.operand));
        if (isSeenAsNumber(op, i, type)) {
            FW_TRY(const ValueRef whole, node.input(*value.operand));
            FW_TRY(value.ref, node.reshaped(whole, {}));
        }
    }
    std::vector<bool> used;
    for (std::size_t i = 0; i < all.results.size(); ++i)
        used.push_back(i == 0 || node.outputUsed(i));
    const bool isOne = std::count(used.begin(), used.end(), true) == 1;
    int made = 0;
    Calls calls(node, 0, isOne ? Last::IsResult : Last::IsValue, made);
    FW_TRY(std::vector<CallValue> results, calls.made(op, values, attrs, used));
    for (std::size_t i = 0; i < results.size(); ++i)
        if (used[i])
            FW_CHECK(handOn(node, calls, i, results[i]));
    return {};
}

} // namespace fw
