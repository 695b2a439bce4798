// What a refusal of an operator of the library says, in the words of the model: its operands by
// their names there, and what is computed on the way by its type and what it is made of.
#include "onnx/read/model_importer.h"
#include "onnx/read/node_import.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

bool isPartOfName(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Names behind "of" and "from", and the one that the message is about; "a scalar" is none.
std::string replaced(const std::string& message, const std::map<std::string, std::string>& words) {
    std::string out;
    for (std::size_t at = 0; at < message.size();) {
        const std::string_view rest = std::string_view(message).substr(at);
        const std::size_t lead = rest.starts_with(" of ") ? 4 : rest.starts_with(" from ") ? 6 : 0;
        std::size_t end = at + lead;
        while (lead > 0 && end < message.size() && isPartOfName(message[end]))
            ++end;
        if (at == 0 && lead == 0) {
            while (end < message.size() && isPartOfName(message[end]))
                ++end;
            if (!std::string_view(message).substr(end).starts_with(" is "))
                end = 0;
        }
        const auto found = words.find(message.substr(at + lead, end - at - lead));
        if (end == at || found == words.end() ||
            std::string_view(message).substr(end).starts_with(" scalar")) {
            out += message[at++];
            continue;
        }
        out += message.substr(at, lead) + found->second;
        at = end;
    }
    return out;
}

} // namespace

std::string ModelImporter::operandsText(const proto::NodeProto& node) const {
    constexpr std::size_t mostShown = 8;
    std::string out;
    std::size_t shown = 0;
    for (const std::string& input : node.input()) {
        const Name* known = find(input);
        if (known == nullptr || !(known->value.ref || known->value.data || known->value.small))
            continue;
        const auto type = typeOf(input);
        if (type && ++shown <= mostShown)
            out += fmt::format("{}'{}' is {}", out.empty() ? "" : ", ", cleanText(input),
                               type->text());
    }
    return shown <= mostShown ? out : fmt::format("{} and {} more", out, shown - mostShown);
}

// What does not fit in their types comes behind these.
std::string ModelImporter::withOperands(const Diag& refusal, const proto::NodeProto& node) const {
    const std::string operands = operandsText(node), lead = cleanText(node.op_type()) + ": ";
    const std::string& said = refusal.message;
    if (operands.empty() || said.find(operands) != std::string::npos)
        return said;
    if (refusal.code == DiagCode::OnnxMalformed)
        return said + "; " + operands;
    if (refusal.code != DiagCode::ShapeMismatch && refusal.code != DiagCode::DtypeMismatch)
        return said;
    return lead + operands + "; " + (said.starts_with(lead) ? said.substr(lead.size()) : said);
}

std::optional<std::string> ModelImporter::nameOfOperand(const proto::NodeProto& node,
                                                        ValueRef value) const {
    for (const std::string& input : node.input())
        if (const Name* known = find(input); known != nullptr && known->value.ref == value)
            return "'" + cleanText(input) + "'";
    return std::nullopt;
}

// Free dimensions of operands that the message speaks of: other words for what is known of them
// would be wrong, and data may show that all fits.
std::set<std::string> ModelImporter::freeSizesIn(const std::string& message,
                                                 const proto::NodeProto& node) const {
    const auto isPart = [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    std::set<std::string> words, out;
    bool isName = false; // of a value, in quotes
    for (auto at = message.begin(); at != message.end();) {
        if (*at == '\'')
            isName = !isName;
        if (isName || !isPart(*at)) {
            ++at;
            continue;
        }
        const auto first = at;
        at = std::find_if_not(first, message.end(), isPart);
        words.emplace(first, at);
    }
    for (const std::string& input : node.input()) {
        const Name* known = find(input);
        if (known == nullptr || known->value.untyped || !known->value.ref)
            continue;
        for (const Dim& dim : m_editor.type(*known->value.ref).shape)
            for (const Symbol& symbol : freeVars(dim))
                if (words.contains(symbol.text()))
                    out.insert(symbol.text());
    }
    return out;
}

std::string NodeImport::shownValue(ValueRef value) const {
    if (const auto name = m_model.nameOfOperand(m_node, value))
        return *name;
    for (const auto& [operand, wide] : m_widened)
        if (wide == value)
            return operandName(operand);
    std::vector<std::string> madeOf;
    std::vector<ValueRef> open{value};
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto name = m_model.nameOfOperand(m_node, open[i]);
        if (name && std::find(madeOf.begin(), madeOf.end(), *name) == madeOf.end())
            madeOf.push_back(*name);
        if (name || std::find(m_emitted.begin(), m_emitted.end(), open[i].node) == m_emitted.end())
            continue;
        for (const ValueRef& input : m_model.editor().find(open[i].node)->inputs)
            if (input.valid() && std::find(open.begin(), open.end(), input) == open.end())
                open.push_back(input);
    }
    const std::string text = type(value).text();
    return madeOf.empty() ? text : fmt::format("{} (made of {})", text, fmt::join(madeOf, ", "));
}

Diag NodeImport::inWords(Diag diag, const std::string& op,
                         const std::vector<ValueRef>& inputs) const {
    const Operator* known = m_model.operators().findReader(op);
    if ((diag.code != DiagCode::ShapeMismatch && diag.code != DiagCode::DtypeMismatch) ||
        known == nullptr)
        return diag;
    if (diag.message.starts_with(op + ": "))
        diag.message.erase(0, op.size() + 2);
    const std::vector<std::string> names = known->inputNames();
    std::map<std::string, std::string> words;
    for (std::size_t i = 0; i < inputs.size() && !names.empty(); ++i) {
        if (!inputs[i].valid())
            continue;
        // Of several under one name, which is the last, each has a number.
        const std::string shown = shownValue(inputs[i]);
        const std::size_t last = names.size() - 1;
        if (i < names.size())
            words[names[i]] = shown;
        if (i >= last)
            words[names[last] + std::to_string(i - last)] = shown;
    }
    diag.message = replaced(diag.message, words);
    return diag;
}

} // namespace fw
