#include "tensor/onnx_clauses.h"

#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

OnnxBinding bindingOf(const OnnxTree& clause, const std::string& file) {
    OnnxBinding out;
    out.domain = clause.domain == "ai.onnx" ? "" : clause.domain;
    out.type = clause.type;
    out.since = clause.since;
    out.until = clause.until.value_or(out.until);
    for (const OnnxAttributeTree& attribute : clause.attributes)
        out.attributes.emplace(attribute.ours, attribute.theirs);
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
            if (std::find(m_attributes.begin(), m_attributes.end(), attribute.ours) ==
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
            if (const auto [other, isNew] = theirs.emplace(name, ours); !isNew)
                refuse(clause.span, DiagCode::TextName,
                       fmt::format("'{}' and '{}' are both the attribute '{}' of the node",
                                   other->second, ours, name),
                       "give one of them another name");
        }
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
