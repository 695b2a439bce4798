#include "tensor/onnx_clauses.h"

#include "base/nearest.h"
#include "ir/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// An integer, a number or a text, as it is written.
std::optional<AttrValue> valueOf(const Tree& tree) {
    if (const auto integer = integerFromTree(tree))
        return AttrValue(*integer);
    if (const auto number = numberFromTree(tree))
        return AttrValue(*number);
    return tree.kind == TreeKind::Text ? std::optional(AttrValue(tree.text)) : std::nullopt;
}

OnnxBinding bindingOf(const OnnxTree& clause, const std::string& file) {
    OnnxBinding out;
    out.domain = clause.domain == "ai.onnx" ? "" : clause.domain;
    out.type = clause.type;
    out.since = clause.since;
    out.until = clause.until.value_or(out.until);
    for (const OnnxAttributeTree& attribute : clause.attributes)
        if (!attribute.only)
            out.attributes.emplace(attribute.ours, attribute.theirs);
        else if (auto value = valueOf(*attribute.only))
            out.fixed.emplace(attribute.theirs, std::move(*value));
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
        const std::vector<OnnxBinding> all = onnxBindings(m_op, m_file);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const OnnxTree& clause = m_op.onnx[i];
            checkOpsets(clause);
            checkAttributes(clause, all[i]);
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

    // `theirs` gets its name, as an attribute that is none of the operator.
    void checkFixed(const OnnxAttributeTree& attribute,
                    std::map<std::string, std::string>& theirs) {
        if (!valueOf(*attribute.only))
            refuse(attribute.span, DiagCode::TextType,
                   fmt::format("the value of '{}' is not a constant", attribute.theirs),
                   "an integer, a number or a text in quotes");
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

std::vector<OnnxBinding> onnxBindings(const OpTree& op, const std::string& file) {
    std::vector<OnnxBinding> out;
    for (const OnnxTree& clause : op.onnx)
        out.push_back(bindingOf(clause, file));
    return out;
}

Diags checkOnnxClauses(const OpTree& op, const std::string& file) {
    return ClauseCheck(op, file).run();
}

} // namespace fw
