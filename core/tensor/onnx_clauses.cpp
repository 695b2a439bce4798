#include "tensor/onnx_clauses.h"

#include "base/nearest.h"
#include "ir/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// Behind ==: whatever it is.
bool isAny(const Tree& tree) {
    return tree.isName() && tree.text == "any";
}

// An integer, a number or a text, as it is written.
std::optional<AttrValue> valueOf(const Tree& tree) {
    if (const auto integer = integerFromTree(tree))
        return AttrValue(*integer);
    if (const auto number = numberFromTree(tree))
        return AttrValue(*number);
    if (const auto dtype = tree.isName() ? parseDtype(tree.text) : std::nullopt)
        return AttrValue(*dtype);
    return tree.kind == TreeKind::Text ? std::optional(AttrValue(tree.text)) : std::nullopt;
}

// The same, a truth as 0 or 1, or a list of integers or numbers.
std::optional<AttrValue> valueOrList(const Tree& tree) {
    if (tree.kind != TreeKind::List)
        return valueOf(tree);
    Integers integers;
    Reals reals;
    for (const Tree& one : tree.args) {
        if (const auto integer = integerFromTree(one))
            integers.push_back(*integer);
        const auto number = numberFromTree(one);
        if (!number && integers.size() != reals.size() + 1)
            return std::nullopt;
        reals.push_back(number ? *number : static_cast<double>(integers.back()));
    }
    if (integers.size() == reals.size())
        return AttrValue(std::move(integers));
    return AttrValue(std::move(reals));
}

OnnxAttribute sourceOf(const OnnxAttributeTree& tree) {
    OnnxAttribute out;
    out.name = tree.theirs;
    if (tree.operand)
        out.operand = static_cast<std::size_t>(*tree.operand - 1);
    out.isNumber = tree.isNumber;
    out.axesOf = tree.axesOf;
    for (const auto& [theirs, ours] : tree.spellings) {
        auto from = valueOf(theirs), to = valueOf(ours);
        if (from && to)
            out.spellings.emplace_back(std::move(*from), std::move(*to));
    }
    out.isFixed = tree.value.has_value();
    if (out.isFixed)
        out.value = valueOrList(*tree.value);
    if (!tree.fallback)
        return out;
    out.fallback = tree.fallback->isName() && tree.fallback->text == "all"
                       ? OnnxAttribute::Default::All
                   : tree.fallback->isName() && tree.fallback->text == "reversed"
                       ? OnnxAttribute::Default::Reversed
                       : OnnxAttribute::Default::Value;
    if (out.fallback == OnnxAttribute::Default::Value)
        out.value = valueOrList(*tree.fallback);
    return out;
}

OnnxBinding bindingOf(const OnnxTree& clause, const std::string& file) {
    OnnxBinding out;
    out.domain = clause.domain == "ai.onnx" ? "" : clause.domain;
    out.type = clause.type;
    out.since = clause.since;
    out.until = clause.until.value_or(out.until);
    for (const OnnxAttributeTree& attribute : clause.attributes)
        if (!attribute.only)
            out.attributes.emplace(attribute.ours, sourceOf(attribute));
        else if (isAny(*attribute.only))
            out.ignored.insert(attribute.theirs);
        else if (auto value = valueOf(*attribute.only))
            out.fixed.emplace(attribute.theirs, std::move(*value));
    out.isChain = clause.isChain;
    out.where = {file, {}, clause.span.line, clause.span.column};
    return out;
}

class ClauseCheck {
public:
    ClauseCheck(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {
        for (const AttrParamTree& attr : op.attrs)
            m_attributes.push_back(attr.name);
    }

    Diags run() {
        const std::vector<OnnxBinding> all = onnxBindings(m_op.onnx, m_file);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const OnnxTree& clause = m_op.onnx[i];
            checkOpsets(clause);
            checkAttributes(clause, all[i]);
            checkSources(clause, all[i]);
            checkOperands(clause);
            if (clause.isChain)
                checkChain(clause);
            const auto same = std::find_if(all.begin(), all.begin() + static_cast<long>(i),
                                           [&](const auto& one) { return one.overlaps(all[i]); });
            if (same != all.begin() + static_cast<long>(i))
                refuse(clause.span, DiagCode::TextName,
                       fmt::format("the clause in line {} is about the same nodes of {}",
                                   same->where.line, clause.type),
                       "end the earlier one with 'until'");
        }
        return std::move(m_errors);
    }

private:
    void checkOpsets(const OnnxTree& clause) {
        if (clause.type.empty())
            refuse(clause.span, DiagCode::TextName, "the type of the nodes is missing",
                   "onnx \"com.example\" \"Type\"");
        if (clause.since < 1)
            refuse(clause.span, DiagCode::TextType,
                   fmt::format("there is no opset {}", clause.since), "opsets count from 1");
        if (clause.until && *clause.until < clause.since)
            refuse(clause.span, DiagCode::TextType,
                   fmt::format("no opset is since {} and until {}", clause.since, *clause.until),
                   "'until' is the last opset that is meant");
    }

    void checkAttributes(const OnnxTree& clause, const OnnxBinding& binding) {
        std::set<std::string> renamed;
        std::map<std::string, std::string> theirs;
        for (const OnnxAttributeTree& attribute : clause.attributes)
            if (attribute.only)
                checkFixed(attribute, theirs);
            else if (std::find(m_attributes.begin(), m_attributes.end(), attribute.ours) ==
                     m_attributes.end())
                refuse(attribute.span, DiagCode::TextName,
                       fmt::format("there is no attribute '{}'", attribute.ours),
                       didYouMean(attribute.ours, m_attributes,
                                  "the operator's own name stands first"));
            else if (!renamed.insert(attribute.ours).second)
                refuse(attribute.span, DiagCode::TextName,
                       fmt::format("the attribute '{}' is named twice", attribute.ours));
        for (const std::string& ours : m_attributes) {
            const std::string& name = binding.nodeAttribute(ours);
            if (name.empty()) // an operand, or a value
                continue;
            const auto [other, isNew] = theirs.emplace(name, ours);
            if (!isNew && other->second.empty())
                refuse(clause.span, DiagCode::TextName,
                       fmt::format("'{}' is the attribute '{}' of the node, which has one value",
                                   ours, name),
                       "leave one of the two out");
            else if (!isNew)
                refuse(clause.span, DiagCode::TextName,
                       fmt::format("'{}' and '{}' are both the attribute '{}' of the node",
                                   other->second, ours, name),
                       "give one of them another name");
        }
    }

    // Where attributes come from that are not just the node's of another name.
    void checkSources(const OnnxTree& clause, const OnnxBinding& binding) {
        std::set<std::int64_t> operands;
        for (const OnnxAttributeTree& attribute : clause.attributes) {
            if (attribute.only)
                continue;
            if (attribute.operand && *attribute.operand < 1)
                refuse(attribute.span, DiagCode::TextType, "operands count from 1");
            if (attribute.operand && !operands.insert(*attribute.operand).second)
                refuse(attribute.span, DiagCode::TextName,
                       fmt::format("operand {} of the node is two attributes", *attribute.operand));
            const OnnxAttribute& source = binding.attributes.at(attribute.ours);
            const bool hasNoValue =
                (source.isFixed || source.fallback == OnnxAttribute::Default::Value) &&
                !source.value;
            if (hasNoValue)
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("the value of '{}' is not a constant", attribute.ours),
                       "an integer, a number, a text in quotes or a list of integers");
            if (attribute.isNumber && !isList(attribute.ours))
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("'{}' is no list: an operand for it has one element, and no "
                                   "axes, as it is",
                                   attribute.ours),
                       fmt::format("{} = operand {}", attribute.ours, *attribute.operand));
            if (source.isFixed && (attribute.fallback || !attribute.axesOf.empty()))
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("'{}' has one value here, which nothing stands in for",
                                   attribute.ours));
            if (source.spellings.size() != attribute.spellings.size() ||
                (!attribute.spellings.empty() && source.name.empty()))
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("'{}' has values that are not constants of the node's attribute",
                                   attribute.ours),
                       "ours = theirs (\"one\" = 1, \"two\" = 2)");
            checkAxes(attribute, source);
            checkValues(attribute, source);
        }
    }

    // Of the node's operands those are the operator's that are no attributes.
    void checkOperands(const OnnxTree& clause) {
        const auto isOperand = [](const OnnxAttributeTree& one) { return one.operand.has_value(); };
        const auto count =
            static_cast<std::int64_t>(m_op.params.size()) +
            std::count_if(clause.attributes.begin(), clause.attributes.end(), isOperand);
        if (std::any_of(m_op.params.begin(), m_op.params.end(),
                        [](const ParamTree& param) { return param.variadic; }))
            return;
        for (const OnnxAttributeTree& attribute : clause.attributes)
            if (attribute.operand && *attribute.operand > count)
                refuse(attribute.span, DiagCode::TextName,
                       fmt::format(
                           "operand {} of the node is '{}', and of those before it {} are said",
                           *attribute.operand, attribute.ours, count - 1),
                       "operands of the operator and attributes that are operands follow one "
                       "another without a gap");
    }

    // What stands for the attribute is of its kind, and each value of the node's is said once.
    void checkValues(const OnnxAttributeTree& attribute, const OnnxAttribute& source) {
        const AttrParamTree* ours = declared(attribute.ours);
        if (ours == nullptr)
            return;
        if (attribute.operand && (ours->kind == AttrKind::Text || ours->kind == AttrKind::DType))
            refuse(attribute.span, DiagCode::TextType,
                   fmt::format("'{}' is {}, which no operand is", ours->name,
                               ours->kind == AttrKind::Text ? "a text" : "an element type"));
        if (source.value && !isOfKind(*source.value, *ours))
            refuse(attribute.span, DiagCode::TextType,
                   fmt::format("{} is no value of '{}'", attrText(*source.value), ours->name));
        for (std::size_t i = 0; i < source.spellings.size(); ++i) {
            const auto& [from, to] = source.spellings[i];
            if (!isOfKind(to, *ours))
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("{} is no value of '{}'", attrText(to), ours->name));
            if (std::any_of(source.spellings.begin(),
                            source.spellings.begin() + static_cast<std::ptrdiff_t>(i),
                            [&, value = from](const auto& other) { return other.first == value; }))
                refuse(attribute.span, DiagCode::TextName,
                       fmt::format("what {} of the node's '{}' is, is said twice", attrText(from),
                                   source.name));
        }
    }

    static bool isOfKind(const AttrValue& value, const AttrParamTree& attr) {
        const auto* list = std::get_if<Integers>(&value);
        if (list != nullptr && list->empty())
            return attr.list;
        switch (attr.kind) {
        case AttrKind::Int:
            return attr.list ? list != nullptr : std::holds_alternative<std::int64_t>(value);
        case AttrKind::Float:
            return attr.list ? list != nullptr || std::holds_alternative<Reals>(value)
                             : std::holds_alternative<std::int64_t>(value) ||
                                   std::holds_alternative<double>(value);
        case AttrKind::Bool: {
            const auto* truth = std::get_if<std::int64_t>(&value);
            return !attr.list && truth != nullptr && (*truth == 0 || *truth == 1);
        }
        case AttrKind::Text:
            return !attr.list && std::holds_alternative<std::string>(value);
        case AttrKind::DType:
            return !attr.list && std::holds_alternative<DType>(value);
        }
        return false;
    }

    const AttrParamTree* declared(const std::string& ours) const {
        const auto found =
            std::find_if(m_op.attrs.begin(), m_op.attrs.end(),
                         [&](const AttrParamTree& attr) { return attr.name == ours; });
        return found == m_op.attrs.end() ? nullptr : &*found;
    }

    bool isList(const std::string& ours) const {
        const AttrParamTree* attr = declared(ours);
        return attr != nullptr && attr->list;
    }

    void checkAxes(const OnnxAttributeTree& attribute, const OnnxAttribute& source) {
        const bool ofRank = source.fallback == OnnxAttribute::Default::All ||
                            source.fallback == OnnxAttribute::Default::Reversed;
        if (ofRank && attribute.axesOf.empty())
            refuse(attribute.span, DiagCode::TextType,
                   fmt::format("'{}' are the axes of an operand, which is not said",
                               attribute.fallback->text),
                   fmt::format("{} = ... else {} of x", attribute.ours, attribute.fallback->text));
        if (attribute.axesOf.empty())
            return;
        std::vector<std::string> operands;
        for (const ParamTree& param : m_op.params)
            operands.push_back(param.name);
        if (std::find(operands.begin(), operands.end(), attribute.axesOf) == operands.end())
            refuse(attribute.span, DiagCode::TextName,
                   fmt::format("there is no operand '{}'", attribute.axesOf),
                   didYouMean(attribute.axesOf, operands, "an operand of the operator"));
        for (const AttrParamTree& attr : m_op.attrs)
            if (attr.name == attribute.ours &&
                ((attr.kind != AttrKind::Int && (attr.kind != AttrKind::DType || ofRank)) ||
                 (ofRank && !attr.list)))
                refuse(attribute.span, DiagCode::TextType,
                       fmt::format("'{}' is no {}", attribute.ours,
                                   ofRank ? "list of axes" : "axis and no list of axes"));
    }

    void checkChain(const OnnxTree& clause) {
        if (m_op.standsForCalls())
            refuse(clause.span, DiagCode::TextType,
                   "a chain is of an operator with a body of its own, not of calls of others");
        const bool isPair = m_op.params.size() == 2 && m_op.outs.size() == 1 &&
                            std::none_of(m_op.params.begin(), m_op.params.end(),
                                         [](const ParamTree& one) { return one.variadic; });
        if (!isPair)
            refuse(clause.span, DiagCode::TextType,
                   "a chain is of an operator with two operands and one result");
    }

    // `theirs` gets its name, as an attribute that is none of the operator.
    void checkFixed(const OnnxAttributeTree& attribute,
                    std::map<std::string, std::string>& theirs) {
        if (!isAny(*attribute.only) && !valueOf(*attribute.only))
            refuse(attribute.span, DiagCode::TextType,
                   fmt::format("the value of '{}' is not a constant", attribute.theirs),
                   "an integer, a number or a text in quotes, or any");
        if (!theirs.emplace(attribute.theirs, std::string()).second)
            refuse(
                attribute.span, DiagCode::TextName,
                fmt::format("the attribute '{}' of the node has a value twice", attribute.theirs));
    }

    void refuse(const Span& span, DiagCode code, std::string message, std::string hint = {}) {
        m_errors.push_back(makeDiag(code, m_op.name + ": " + std::move(message),
                                    {m_file, {}, span.line, span.column}, std::move(hint)));
    }

    const OpTree& m_op;
    const std::string& m_file;
    std::vector<std::string> m_attributes;
    Diags m_errors;
};

} // namespace

std::vector<OnnxBinding> onnxBindings(const std::vector<OnnxTree>& clauses,
                                      const std::string& file) {
    std::vector<OnnxBinding> out;
    for (const OnnxTree& clause : clauses)
        out.push_back(bindingOf(clause, file));
    return out;
}

Diags checkOnnxClauses(const OpTree& op, const std::string& file) {
    return ClauseCheck(op, file).run();
}

} // namespace fw
