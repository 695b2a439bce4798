#include "sketch/pattern_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

std::string tupleOf(const std::vector<std::string>& names) {
    return names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, ", "));
}

bool PatternText::needsName(NodeId id) const {
    std::size_t readers = 0;
    for (std::size_t i = 0; i < m_part.node(id).outputs.size(); ++i)
        readers += m_part.readers({id, static_cast<int>(i)});
    return readers > 1 || m_wanted.contains(id);
}

std::string PatternText::plain(Piece piece) {
    return piece.sequence ? "(" + piece.text + ")" : piece.text;
}

std::string PatternText::of(ValueRef value) {
    return piece(value).text;
}

std::string PatternText::operand(ValueRef value) {
    if (m_part.has(value))
        return plain(piece(value));
    const std::string& name = m_part.names.at(value);
    return m_constraints == Constraints::AtNames && m_said.insert(value).second
               ? name + m_words.constraint(value)
               : name;
}

PatternText::Piece PatternText::piece(ValueRef value) {
    const std::string& name = m_part.names.at({value.node, 0});
    Piece out;
    if (m_named.contains(value.node)) {
        out = {name, false};
    } else if (needsName(value.node)) {
        out = {fmt::format("{} = {}", name, plain(call(value.node))), false};
        m_named.insert(value.node);
    } else {
        out = call(value.node);
    }
    return value.output == 0 ? out
                             : Piece{fmt::format("out({}, {})", value.output, out.text), false};
}

// A chain where the first operand is made by an operator that only this one reads.
PatternText::Piece PatternText::call(NodeId id) {
    const Node& node = m_part.node(id);
    const ValueRef first = node.inputs.empty() ? ValueRef{} : node.inputs.front();
    const bool chained = first.valid() && m_part.has(first) && !m_named.contains(first.node) &&
                         !needsName(first.node) && first.output == 0;
    std::string text = chained ? piece(first).text + " >> " : std::string();
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i].valid())
            operands.push_back(chained && i == 0 ? "^" : operand(node.inputs[i]));
    text += fmt::format("{}({}){}", node.op, fmt::join(operands, ", "), m_words.attributes(id));
    return {std::move(text), chained};
}

std::vector<std::string> rightSide(const SketchPart& part, const SketchWords& words) {
    std::vector<std::string> lets;
    std::map<ValueRef, std::string> texts;
    std::set<std::string> taken = words.names();
    const auto free = [&](const std::string& wish) {
        std::string name = wish;
        for (int n = 2; !taken.insert(name).second; ++n)
            name = fmt::format("{}{}", wish, n);
        return name;
    };
    for (const NodeId id : part.nodes) {
        const Node& node = part.node(id);
        std::vector<std::string> operands;
        for (const ValueRef& operand : node.inputs)
            if (operand.valid())
                operands.push_back(part.has(operand) ? texts.at(operand) : part.names.at(operand));
        const std::string call =
            fmt::format("{}({}){}", node.op, fmt::join(operands, ", "), words.again(id));
        const bool isResult = std::any_of(part.results.begin(), part.results.end(),
                                          [&](const ValueRef& one) { return one.node == id; });
        const std::size_t readers = part.readers({id, 0});
        if (node.outputs.size() == 1 && (readers > 1 || (isResult && readers > 0))) {
            texts[{id, 0}] = free(node.op.substr(0, 1));
            lets.push_back(fmt::format("{} = {}", texts[{id, 0}], call));
        } else if (node.outputs.size() > 1) {
            std::vector<std::string> names;
            for (std::size_t i = 0; i < node.outputs.size(); ++i) {
                names.push_back(free(node.op.substr(0, 1)));
                texts[{id, static_cast<int>(i)}] = names.back();
            }
            lets.push_back(fmt::format("{} = {}", tupleOf(names), call));
        } else {
            texts[{id, 0}] = call;
        }
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < lets.size(); ++i)
        out.push_back((i == 0 ? "let    " : "       ") + lets[i] +
                      (i + 1 < lets.size() ? "," : ""));
    for (std::size_t i = 0; i < part.results.size(); ++i)
        out.push_back(fmt::format("{}{} = {}{}", i == 0 ? "emit   " : "       ",
                                  part.names.at(part.results[i]), texts.at(part.results[i]),
                                  i + 1 < part.results.size() ? "," : ""));
    return out;
}

} // namespace fw
