#include "sketch/edit.h"

#include "sketch/pattern_text.h"
#include "syntax/lexer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::pair<std::string_view, EditKind> editWords[] = {{"delete", EditKind::Delete},
                                                               {"insert", EditKind::Insert},
                                                               {"rewire", EditKind::Rewire},
                                                               {"attribute", EditKind::Attribute},
                                                               {"rename", EditKind::Rename}};

// What stands for ^ in a text of the language; a name alone is called with it. Empty if nothing
// stands for it.
std::string inserted(const std::string& text, const std::string& value) {
    const TokenList list = tokenize(text);
    if (list.tokens.size() == 2 && list.tokens[0].kind == TokenKind::Name)
        return fmt::format("{}({})", list.tokens[0].text, value);
    if (std::none_of(list.tokens.begin(), list.tokens.end(),
                     [](const Token& token) { return token.is("^"); }))
        return {};
    std::string out;
    std::size_t from = 0;
    for (const Token& token : list.tokens)
        if (token.is("^")) {
            out += text.substr(from, token.span.begin - from) + value;
            from = token.span.end;
        }
    return out + text.substr(from);
}

class Edit {
public:
    Edit(const SketchPart& part, const SketchWords& words, const EditWish& wish)
        : m_part(part), m_words(words), m_wish(wish), m_node(part.node(part.nodes.front())) {}

    Result<std::string> text() {
        FW_TRY(const std::string right, rightSideText());
        return fmt::format("rule {} {} {{\n  match {} = {}\n  where name({}) == {}\n{}"
                           "  strategy once\n{}}}",
                           m_wish.name, quoteText(m_about), tupleOf(results()), call(operands()),
                           firstResult(), quoteText(m_node.name), right,
                           m_wish.kind == EditKind::Rename ? "" : "  changes\n");
    }

private:
    Result<std::string> rightSideText() {
        switch (m_wish.kind) {
        case EditKind::Delete:
            return deleted();
        case EditKind::Insert:
            return insertedBehind();
        case EditKind::Rewire:
            return rewired();
        case EditKind::Attribute:
            return withAttributes();
        case EditKind::Rename:
            return renamed();
        }
        return std::string();
    }

    Diag refused(DiagCode code, std::string message, std::string hint = {}) const {
        return makeDiag(code, std::move(message), {{}, m_node.name}, std::move(hint));
    }

    // A name for each that is read.
    std::vector<std::string> results() const {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < m_node.outputs.size(); ++i) {
            const ValueRef value{m_node.id, static_cast<int>(i)};
            const bool isRead = std::find(m_part.results.begin(), m_part.results.end(), value) !=
                                m_part.results.end();
            out.push_back(isRead ? m_part.names.at(value) : "_");
        }
        return out;
    }
    const std::string& firstResult() const { return m_part.names.at(m_part.results.front()); }

    std::vector<std::string> operands() const {
        std::vector<std::string> out;
        for (const ValueRef& operand : m_node.inputs)
            if (operand.valid()) // one that is absent has none behind it
                out.push_back(m_part.names.at(operand));
        return out;
    }

    std::string call(const std::vector<std::string>& operands) const {
        return fmt::format("{}({}){}", m_node.op, fmt::join(operands, ", "),
                           m_words.again(m_node.id));
    }

    // `emit` of the operator as it is, but for these.
    std::string again(const std::vector<std::string>& operands) const {
        return fmt::format("  emit {} = {}\n", tupleOf(results()), call(operands));
    }

    Result<std::size_t> operandAt(std::size_t which) const {
        const std::size_t count = operands().size();
        if (which < count)
            return which;
        return refused(DiagCode::EditUnfit,
                       fmt::format("{} has {} operand{}, counted from 0: there is no operand {}",
                                   m_node.name, count, count == 1 ? "" : "s", which));
    }

    // The first one that has its type, and is computed rather than known.
    std::size_t successor() const {
        const Graph& graph = *m_part.graph;
        const TensorType& type = graph.type(m_part.results.front());
        const auto score = [&](ValueRef operand) {
            return (graph.type(operand) == type ? 2 : 0) + (graph.constant(operand) ? 0 : 1);
        };
        std::size_t best = 0;
        for (std::size_t i = 1; i < m_node.inputs.size() && m_node.inputs[i].valid(); ++i)
            if (score(m_node.inputs[i]) > score(m_node.inputs[best]))
                best = i;
        return best;
    }

    Result<std::string> deleted() {
        m_about = fmt::format("{} is taken out", m_node.name);
        if (operands().empty())
            return refused(DiagCode::EditNoRule,
                           m_node.name + " reads nothing that could take its place");
        if (m_part.results.size() > 1)
            return refused(DiagCode::EditReaders,
                           fmt::format("{} results of {} are read, and one value takes its place",
                                       m_part.results.size(), m_node.name),
                           "rewire their readers first");
        FW_TRY(const std::size_t which, operandAt(m_wish.operand.value_or(successor())));
        const std::string value = operands()[which];
        return fmt::format("  emit {} = {}\n", firstResult(), value);
    }

    Result<std::string> insertedBehind() {
        m_about = fmt::format("{} stands behind {}", m_wish.to, m_node.name);
        if (m_wish.to.empty())
            return refused(DiagCode::EditUnfit, "what is inserted has no name",
                           "relu, or mul(^, 0.5), where ^ is what it stands behind");
        if (inserted(m_wish.to, "v").empty())
            return refused(DiagCode::EditUnfit,
                           fmt::format("{} does not read what {} makes, which would be lost",
                                       m_wish.to, m_node.name),
                           "mul(^, 0.5), where ^ is what it stands behind");
        std::vector<std::string> kept;
        std::set<std::string> taken = m_words.names();
        std::string emit;
        const std::vector<std::string> given = results();
        for (const std::string& one : given) {
            std::string name = one == "_" ? one : "v";
            for (int n = 2; name != "_" && !taken.insert(name).second; ++n)
                name = fmt::format("v{}", n);
            kept.push_back(name);
        }
        for (std::size_t i = 0; i < given.size(); ++i)
            if (given[i] != "_")
                emit += fmt::format("{} {} = {}", emit.empty() ? "  emit" : ",", given[i],
                                    emit.empty() ? inserted(m_wish.to, kept[i]) : kept[i]);
        return fmt::format("  let {} = {}\n{}\n  name {} = {}\n", tupleOf(kept), call(operands()),
                           emit, firstResult(), quoteText(nameBehind()));
    }

    // Of what is inserted, in the block of the operator.
    std::string nameBehind() const {
        const TokenList list = tokenize(m_wish.to);
        const std::string base = fmt::format(
            "{}_{}", m_node.name,
            list.tokens[0].kind == TokenKind::Name ? list.tokens[0].text : std::string("inserted"));
        std::string out = base;
        for (int n = 2; m_part.graph->findByName(out) != nullptr; ++n)
            out = fmt::format("{}_{}", base, n);
        return out;
    }

    Result<std::string> rewired() {
        FW_TRY(const std::size_t which, operandAt(m_wish.operand.value_or(0)));
        m_about = fmt::format("operand {} of {} is {}", which, m_node.name, m_wish.to);
        if (m_part.graph->findByName(m_wish.to) == nullptr)
            return refused(DiagCode::EditUnfit,
                           fmt::format("no operator and no value of the graph is called {}",
                                       quoteText(m_wish.to)));
        std::vector<std::string> all = operands();
        all[which] = fmt::format("node({})", quoteText(m_wish.to));
        return again(all);
    }

    Result<std::string> withAttributes() {
        if (m_wish.attributes.empty())
            return refused(DiagCode::EditUnfit, "no attribute is given", "--attr axis=1");
        const bool any = !m_words.again(m_node.id).empty();
        std::string list = m_words.again(m_node.id), about;
        list = any ? list.substr(0, list.size() - 1) : " {";
        for (const auto& [name, value] : m_wish.attributes) {
            list += fmt::format("{}{} = {}", list == " {" ? "" : ", ", name, value);
            about += fmt::format("{}{} = {}", about.empty() ? "" : ", ", name, value);
        }
        m_about = fmt::format("{} with {}", m_node.name, about);
        return fmt::format("  emit {} = {}({}){}}}\n", tupleOf(results()), m_node.op,
                           fmt::join(operands(), ", "), list);
    }

    Result<std::string> renamed() {
        m_about = fmt::format("{} is called {}", m_node.name, m_wish.to);
        if (m_wish.to.empty())
            return refused(DiagCode::EditUnfit, "the name is empty");
        if (m_wish.to == m_node.name)
            return refused(DiagCode::EditUnfit, m_node.name + " is called so already");
        if (m_part.graph->findByName(m_wish.to) != nullptr)
            return refused(DiagCode::EditNameTaken,
                           fmt::format("the graph has an operator or a value called {}",
                                       quoteText(m_wish.to)));
        return again(operands()) +
               fmt::format("  name {} = {}\n", firstResult(), quoteText(m_wish.to));
    }

    const SketchPart& m_part;
    const SketchWords& m_words;
    const EditWish& m_wish;
    const Node& m_node;
    std::string m_about;
};

} // namespace

std::optional<EditKind> editKind(std::string_view word) {
    for (const auto& [text, kind] : editWords)
        if (text == word)
            return kind;
    return std::nullopt;
}

std::string editKinds() {
    std::vector<std::string_view> all;
    for (const auto& [text, kind] : editWords)
        all.push_back(text);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string identifierOf(std::string_view text) {
    constexpr std::size_t longest = 40;
    const auto isPart = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    std::string out;
    for (const char c : text)
        if (isPart(c))
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
    while (!out.empty() && out.back() == '_')
        out.pop_back();
    return out.size() > longest ? out.substr(out.size() - longest) : out;
}

Result<std::string> editRule(const Graph& graph, NodeId node, const EditWish& wish) {
    Result<SketchPart> part = partOfSelection(graph, {node}, {});
    if (!part)
        return makeDiag(DiagCode::EditNoRule, part.diag().message, part.diag().where);
    SketchWish any;
    any.kind = SketchKind::Rule;
    std::vector<SketchFact> facts = factsOf(*part, any);
    for (SketchFact& fact : facts)
        fact.level = SketchLevel::Any;
    const SketchWords words(*part, facts, SketchKind::Rule);
    return Edit(*part, words, wish).text();
}

} // namespace fw
