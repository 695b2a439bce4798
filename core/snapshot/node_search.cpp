#include "snapshot/node_search.h"

#include "base/nearest.h"
#include "base/numbers.h"
#include "snapshot/scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace fw::snapshot {

namespace {

using Kind = QueryKey::Kind;
using Sign = QueryTerm::Sign;

constexpr std::size_t mostCompletions = 12;

std::string wordsOf(const NodeRecord& node) {
    std::string out = node.constant ? std::string() : node.op; // "constant" is what all of them are
    out += " " + node.name;
    for (const TensorRecord& output : node.outputs)
        out += " " + output.name + " " + output.type;
    return lowerCase(out);
}

bool compares(double found, Sign sign, double wanted) {
    switch (sign) {
    case Sign::Holds:
    case Sign::Is:
        return found == wanted;
    case Sign::Less:
        return found < wanted;
    case Sign::AtMost:
        return found <= wanted;
    case Sign::More:
        return found > wanted;
    case Sign::AtLeast:
        return found >= wanted;
    }
    return false;
}

std::string withoutBlanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

// Of an attribute as text: "[1, 2]" has two, "3" one.
std::vector<double> numbersIn(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']'))
        text = text.substr(1, text.size() - 2);
    std::vector<double> out;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, comma);
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        if (const auto number = parseNumber(part))
            out.push_back(*number);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return out;
}

std::vector<std::string> dimsOf(const std::string& type) {
    const std::size_t open = type.find('[');
    if (open == std::string::npos || !type.ends_with(']'))
        return {};
    return queryShape(lowerCase(std::string_view(type).substr(open)));
}

std::string dtypeOf(const std::string& type) {
    return type.substr(0, type.find('['));
}

// Whether the wanted parts stand in a row somewhere in those of the name.
bool liesIn(const std::string& name, const std::string& wanted) {
    const std::vector<std::string_view> parts = scopePartsOf(name);
    const std::string ended = wanted + "/x"; // the last part of a name is no scope
    std::vector<std::string_view> asked = scopePartsOf(ended);
    return !asked.empty() && std::search(parts.begin(), parts.end(), asked.begin(), asked.end(),
                                         [](std::string_view a, std::string_view b) {
                                             return lowerCase(a) == b;
                                         }) != parts.end();
}

} // namespace

NodeSearch::NodeSearch(const GraphDocument& graph, const FuseDocument* plan,
                       const ProfileDocument* profile, const VerifyDocument* verified)
    : m_graph(graph) {
    m_words.reserve(graph.nodes.size());
    for (const NodeRecord& node : graph.nodes)
        m_words.push_back(wordsOf(node));
    if (plan == nullptr || graph.stage != GraphStage("fused"))
        return;
    m_numbers.emplace(*plan, profile, verified);
    for (const GroupRecord& group : plan->groups)
        m_groups[group.id] = &group;
    for (const DecisionRecord& decision : plan->decisions)
        for (const NodeId id : {decision.fromId, decision.toId})
            if (id != noNode)
                m_codes[id].insert(decision.code);
    for (const GroupRecord& group : plan->groups)
        for (const CandidateRecord& candidate : group.candidates)
            if (candidate.verdict == CandidateVerdict("chosen"))
                for (const NodeId id : group.nodeIds)
                    m_codes[id].insert(candidate.code.str());
}

const GroupRecord* NodeSearch::groupOf(const NodeRecord& node) const {
    const auto found = m_groups.find(node.group);
    return found == m_groups.end() ? nullptr : found->second;
}

std::vector<std::string> NodeSearch::textsOf(const std::string& key, const NodeRecord& node) const {
    std::vector<std::string> out;
    const GroupRecord* group = groupOf(node);
    if (key == "op")
        out.push_back(node.op);
    else if (key == "name")
        out.push_back(node.name);
    else if (key == "value" || key == "dtype")
        for (const TensorRecord& output : node.outputs)
            out.push_back(key == "value" ? output.name : dtypeOf(output.type));
    else if (key == "by" && group != nullptr)
        out = {group->implementation.str(), group->maker.library.str()};
    else if (key == "group" && group != nullptr)
        out.push_back(group->name);
    else if (key == "code") {
        if (const auto codes = m_codes.find(node.id); codes != m_codes.end())
            out.assign(codes->second.begin(), codes->second.end());
    } else if (queryKey(key) == nullptr) {
        for (const auto& [name, value] : node.attributes)
            if (lowerCase(name) == key)
                out.push_back(value);
    }
    std::erase(out, std::string());
    return out;
}

bool NodeSearch::holdsWord(const std::string& word, std::size_t at) const {
    const NodeRecord& node = m_graph.nodes[at];
    if (word.starts_with('#'))
        return fmt::format("#{}", node.id) == word;
    if (m_words[at].find(word) != std::string::npos)
        return true;
    if (const GroupRecord* group = groupOf(node);
        group != nullptr && lowerCase(group->name) == word)
        return true;
    // As labels of edges write a shape.
    const std::vector<std::string> dims = queryShape(word);
    return dims.size() > 1 && word.find(',') == std::string::npos &&
           std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](const TensorRecord& output) { return dimsOf(output.type) == dims; });
}

bool NodeSearch::holdsShape(const QueryTerm& term, const NodeRecord& node) const {
    const std::vector<std::string> wanted = queryShape(term.value);
    return std::any_of(node.outputs.begin(), node.outputs.end(), [&](const TensorRecord& output) {
        const std::vector<std::string> dims = dimsOf(output.type);
        const auto fits = [](const std::string& a, const std::string& b) {
            return a == b || a == "?" || a == "*";
        };
        return dims.size() >= wanted.size() &&
               (term.sign != Sign::Is || dims.size() == wanted.size()) &&
               std::equal(wanted.begin(), wanted.end(), dims.begin(), fits);
    });
}

bool NodeSearch::holds(const QueryTerm& term, std::size_t at) const {
    const NodeRecord& node = m_graph.nodes[at];
    if (term.key.empty())
        return holdsWord(term.value, at);
    const Kind kind = term.known != nullptr ? term.known->kind : Kind::Text;
    if (kind == Kind::Shape)
        return holdsShape(term, node);
    if (kind == Kind::Scope)
        return liesIn(node.name, term.value);
    if (kind != Kind::Text) {
        const auto found =
            m_numbers ? m_numbers->of(*groupNumber(term.key), node.group) : std::nullopt;
        return found && compares(*found, term.sign, *term.number);
    }
    const std::vector<std::string> texts = textsOf(term.key, node);
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        if (term.sign != Sign::Holds && term.sign != Sign::Is) {
            const std::vector<double> numbers = numbersIn(text);
            return std::any_of(numbers.begin(), numbers.end(), [&](double found) {
                return compares(found, term.sign, *term.number);
            });
        }
        const std::string found = withoutBlanks(lowerCase(text));
        const std::string wanted = withoutBlanks(term.value);
        // Of a number a part says nothing: groups:1 is not groups = 16.
        if (term.sign == Sign::Is || (term.number && term.known == nullptr))
            return found == wanted;
        return found.find(wanted) != std::string::npos;
    });
}

std::set<std::string> NodeSearch::attributeNames() const {
    std::set<std::string> out;
    for (const NodeRecord& node : m_graph.nodes)
        for (const auto& [name, value] : node.attributes)
            out.insert(lowerCase(name));
    return out;
}

Status NodeSearch::checkKeys(const std::vector<QueryTerm>& query) const {
    for (const QueryTerm& term : query) {
        if (term.asksPlan() && !m_numbers)
            return makeDiag(DiagCode::Usage, term.key + " is known once there is a plan");
        if (const GroupNumber* number = groupNumber(term.key))
            if (auto missing = m_numbers->missing(*number))
                return *missing;
        if (term.key.empty() || term.known != nullptr)
            continue;
        const std::set<std::string> attributes = attributeNames();
        if (attributes.contains(term.key))
            continue;
        std::vector<std::string> known(attributes.begin(), attributes.end());
        std::string words;
        for (const QueryKey& key : queryKeys()) {
            known.emplace_back(key.word);
            words += (words.empty() ? "" : ", ") + std::string(key.word);
        }
        return makeDiag(
            DiagCode::Usage,
            fmt::format("no operator of this graph has an attribute named {}", term.key), {},
            didYouMean(term.key, known, "one can look for " + words + " and attributes"));
    }
    return {};
}

Result<std::vector<NodeId>> NodeSearch::find(const std::vector<QueryTerm>& query) const {
    FW_CHECK(checkKeys(query));
    const bool onlyWords = std::all_of(query.begin(), query.end(), [](const QueryTerm& term) {
        return term.key.empty() && !term.isAbsent;
    });
    std::unordered_set<NodeId> constants;
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < m_graph.nodes.size() && !query.empty(); ++i) {
        const NodeRecord& node = m_graph.nodes[i];
        const bool isFound = (onlyWords || !node.constant) &&
                             std::all_of(query.begin(), query.end(), [&](const QueryTerm& term) {
                                 return holds(term, i) != term.isAbsent;
                             });
        if (node.constant) {
            if (isFound)
                constants.insert(node.id);
            continue;
        }
        if (isFound || std::any_of(node.inputs.begin(), node.inputs.end(),
                                   [&](const InputRef& in) { return constants.contains(in.node); }))
            out.push_back(node.id);
    }
    return out;
}

std::vector<NodeSearch::Completion> NodeSearch::complete(std::string_view text,
                                                         std::size_t caret) const {
    caret = std::min(caret, text.size());
    std::size_t begin = text.substr(0, caret).find_last_of(" \t");
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    if (begin < caret && text[begin] == '-')
        ++begin;
    const std::string typed = lowerCase(text.substr(begin, caret - begin));
    std::vector<Completion> out;
    const auto offer = [&](std::string word, std::string detail) {
        Completion one{std::string(text.substr(0, begin)) + word, word, std::move(detail), 0};
        one.caret = one.text.size();
        one.text += text.substr(caret);
        out.push_back(std::move(one));
    };
    const std::size_t sign = typed.find_first_of(":=");
    if (sign == std::string::npos) {
        if (typed.empty() || typed.find_first_of("<>\"#") != std::string::npos)
            return out;
        for (const QueryKey& key : queryKeys())
            if (key.word.starts_with(typed))
                offer(std::string(key.word) + (key.kind >= Kind::Time ? ">" : ":"),
                      std::string(key.sentence));
        for (const std::string& name : attributeNames())
            if (name.starts_with(typed) && out.size() < mostCompletions)
                offer(name + "=", "an attribute");
        return out;
    }
    const std::string key = typed.substr(0, sign), wanted = typed.substr(sign + 1);
    const QueryKey* known = queryKey(key);
    std::map<std::string, std::size_t> counts;
    for (const NodeRecord& node : m_graph.nodes) {
        if (node.constant)
            continue;
        std::vector<std::string> texts = textsOf(key, node);
        if (known != nullptr && known->kind == Kind::Scope)
            for (const std::string_view part : scopePartsOf(node.name))
                texts.emplace_back(part);
        if (known != nullptr && known->kind == Kind::Shape)
            for (const TensorRecord& output : node.outputs)
                texts.push_back(fmt::format("{}", fmt::join(dimsOf(output.type), "x")));
        std::sort(texts.begin(), texts.end());
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        for (std::string& one : texts)
            if (!one.empty() && withoutBlanks(lowerCase(one)).find(wanted) != std::string::npos)
                ++counts[withoutBlanks(std::move(one))];
    }
    std::vector<std::pair<std::string, std::size_t>> most(counts.begin(), counts.end());
    std::stable_sort(most.begin(), most.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [value, count] : most)
        if (out.size() < mostCompletions)
            offer(typed.substr(0, sign + 1) + value, std::to_string(count));
    return out;
}

} // namespace fw::snapshot
