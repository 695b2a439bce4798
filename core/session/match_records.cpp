#include "session/match_records.h"

#include "base/stopwatch.h"
#include "fusion/plan.h"
#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

using namespace snapshot;

namespace {

constexpr std::size_t mostMisses = 1000; // that are listed, of one declaration

std::string valueText(const Graph& graph, ValueRef value) {
    return fmt::format("{}: {}", graph.output(value).name, shownType(graph, value));
}

// The names of a declaration that stand for something, by their places in the text.
class Captures {
public:
    Captures(const DeclarationTree& declaration, const ReadText& text, const PatternTable& table)
        : m_declaration(declaration), m_text(text), m_table(table) {
        const bool isRule = isA<RuleTree>(declaration);
        if (const RuleTree* rule = ruleOf(declaration))
            for (const NamedPattern& named : rule->match) {
                if (isRule) // others have no name of their own for the value
                    addValue(named.name);
                add(named.pattern);
            }
        byKind(declaration, [&](const PatternDeclTree& pattern) {
            for (const PatternParam& param : pattern.params)
                addValue(param.name);
            add(pattern.pattern);
        });
        findValues();
    }

    const std::vector<CaptureRecord>& all() const { return m_all; }

    std::vector<BindingRecord> bound(const Match& match) const {
        std::vector<BindingRecord> out;
        for (const auto& [name, value] : match.bindings.values)
            if (const auto found = m_values.find(name); found != m_values.end() && value.valid())
                out.push_back({found->second, value.node, value.output});
        for (const auto& [name, list] : match.bindings.lists)
            if (const auto found = m_values.find(name); found != m_values.end() && list.size() > 1)
                for (const ValueRef& value : list)
                    out.push_back({found->second, value.node, value.output});
        for (std::size_t i = 0; i < match.nodes.size(); ++i)
            if (const auto found = m_operators.find(match.places[i].begin);
                found != m_operators.end() && match.places[i].line > 0)
                out.push_back({found->second, match.nodes[i], 0});
        return out;
    }

private:
    void addValue(const std::string& name) {
        if (m_values.emplace(name, static_cast<int>(m_all.size())).second)
            m_all.push_back({name, "value", {}});
    }

    void add(const PatternTree& p) {
        const bool named = p.kind == PatternKind::Capture && refers(p) && m_table.contains(p.name);
        if (p.kind == PatternKind::Bind || (p.kind == PatternKind::Capture && !named))
            addValue(p.name);
        if (p.kind == PatternKind::Call || named) {
            const std::size_t first = m_text.indexAt(p.span.begin);
            const Span& last = m_text.tokens[first + (p.ofKind ? 1 : 0)].span;
            m_operators.emplace(p.span.begin, static_cast<int>(m_all.size()));
            m_all.push_back({p.name,
                             "operator",
                             {rangeOf(m_text.places, m_text.places.span(p.span.begin, last.end))}});
        }
        for (const PatternTree& part : p.args)
            add(part);
    }

    // Every word of the declaration that is one of the names: no operator, no attribute.
    void findValues() {
        std::vector<bool> attributes; // of the braces that are open
        const auto& tokens = m_text.tokens;
        for (std::size_t i = m_text.indexAt(m_declaration.span.begin);
             i + 1 < tokens.size() && tokens[i].span.begin < m_declaration.span.end; ++i) {
            if (tokens[i].is("{"))
                attributes.push_back(i > 0 && tokens[i - 1].is(")"));
            else if (tokens[i].is("}") && !attributes.empty())
                attributes.pop_back();
            const auto found =
                tokens[i].kind == TokenKind::Name ? m_values.find(tokens[i].text) : m_values.end();
            const bool key = !attributes.empty() && attributes.back() &&
                             (tokens[i - 1].is("{") || tokens[i - 1].is(","));
            if (found != m_values.end() && !key && !tokens[i + 1].is("("))
                m_all[static_cast<std::size_t>(found->second)].ranges.push_back(
                    rangeOf(m_text.places, tokens[i].span));
        }
    }

    const DeclarationTree& m_declaration;
    const ReadText& m_text;
    const PatternTable& m_table;
    std::vector<CaptureRecord> m_all;
    std::map<std::string, int> m_values;    // name -> index
    std::map<std::size_t, int> m_operators; // offset -> index
};

// The place of every node in the order of the graph, by its id.
using NodeOrder = std::vector<std::size_t>;

NodeOrder orderOf(const Graph& graph) {
    NodeOrder out(static_cast<std::size_t>(graph.nextId()));
    for (std::size_t i = 0; i < graph.nodes().size(); ++i)
        out[static_cast<std::size_t>(graph.nodes()[i]->id)] = i;
    return out;
}

MatchRecord matchRecord(const Graph& graph, const Match& match, const Captures& captures,
                        const NodeOrder& order) {
    MatchRecord out;
    out.rootId = match.roots.front().node;
    out.root = graph.node(out.rootId).name;
    out.nodeIds = match.nodes;
    std::sort(out.nodeIds.begin(), out.nodeIds.end(), [&](NodeId a, NodeId b) {
        return order[static_cast<std::size_t>(a)] < order[static_cast<std::size_t>(b)];
    });
    for (const NodeId id : out.nodeIds)
        out.nodes.push_back(graph.node(id).name);
    for (const auto& [name, value] : match.bindings.values)
        out.bindings[name] = valueText(graph, value);
    for (const auto& [name, list] : match.bindings.lists)
        if (list.size() > 1) {
            std::string& text = out.bindings[name];
            for (const ValueRef& value : list)
                text += (text.empty() ? "[" : ", ") + valueText(graph, value);
            text += "]";
        }
    for (const auto& [name, attrs] : match.bindings.attrs)
        out.bindings["*" + name] = attrs.empty() ? "{}" : attrs.print();
    for (const auto& [name, value] : match.bindings.attrValues)
        out.bindings.emplace(name, attrText(value));
    out.bound = captures.bound(match);
    return out;
}

// On one line, with single blanks.
std::string oneLine(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank || (!out.empty() && out.back() != ' '))
            out += blank ? ' ' : c;
    }
    return out;
}

NearMissRecord nearMissRecord(const Graph& graph, const NearMiss& miss) {
    NearMissRecord out;
    out.rootId = miss.root;
    out.root = graph.node(miss.root).name;
    out.matched = static_cast<std::int64_t>(miss.matched);
    out.total = static_cast<std::int64_t>(miss.total);
    out.clause = miss.clause;
    out.expected = miss.expected;
    out.found = miss.found;
    return out;
}

void addFunnel(const FoundMatches& found, const ReadText& text, RuleMatches& out) {
    for (const FunnelCount& step : found.funnel) {
        FunnelStep row;
        setRange(row, text.places, step.span);
        row.clause =
            step.span.line > 0 ? oneLine(text.slice(step.span)) : "no inner value is used outside";
        row.count = static_cast<std::int64_t>(step.count);
        row.optional = step.need != PatternStep::Need::Must;
        row.alternative = step.need == PatternStep::Need::OneOfSeveral;
        if (step.before)
            row.before = static_cast<std::int64_t>(*step.before);
        out.funnel.push_back(std::move(row));
    }
}

void addMissingTypes(const Graph& graph, RuleMatches& out) {
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; out.diagnostics.empty() && i < node->outputs.size(); ++i)
            if (const auto missing = missingType(graph, {node->id, static_cast<int>(i)})) {
                out.diagnostics.push_back(
                    makeDiag(DiagCode::UnknownOperator,
                             "it finds nothing in what is computed from there: " + missing->why, {},
                             "declare the operator in a book, with its onnx clause"));
                out.diagnostics.back().severity = Severity::Note;
            }
}

} // namespace

MatchLimits limitsOn(const Graph& graph, const DeclarationTree& declaration, MatchLimits limits) {
    limits.refuse = refusalOfGroups(declaration, graph);
    return limits;
}

RuleMatches matchesOf(const Graph& graph, const DeclarationPtr& declaration,
                      const std::string& file, const ReadText& text, const Books& books,
                      const Diags& verdict, const MatchLimits& limits) {
    const PatternTable& table = books.patterns;
    const auto start = std::chrono::steady_clock::now();
    RuleMatches out;
    setRange(out, text.places, declaration->span);
    out.name = declaration->name;
    out.kind = declaration->keyword;
    out.doc = declaration->doc;
    out.file = file;
    out.diagnostics = verdict;
    if (hasErrors(out.diagnostics))
        return out;
    FoundMatches found =
        findMatches(graph, *declaration, table, limitsOn(graph, *declaration, limits));
    const Captures captures(*declaration, text, table);
    out.captures = captures.all();
    addFunnel(found, text, out);
    addMissingTypes(graph, out);
    const NodeOrder order = found.matches.empty() ? NodeOrder() : orderOf(graph);
    for (const Match& match : found.matches)
        out.matches.push_back(matchRecord(graph, match, captures, order));
    out.nearMissCount = static_cast<std::int64_t>(found.nearMisses.size());
    if (found.nearMisses.size() > mostMisses)
        found.nearMisses.resize(mostMisses);
    for (const NearMiss& miss : found.nearMisses) {
        out.nearMisses.push_back(nearMissRecord(graph, miss));
        out.nearMisses.back().range = rangeOf(text.places, miss.span);
        out.nearMisses.back().relax = relaxed(miss, *declaration, text, *books.operators);
    }
    out.stopped = found.stopped;
    out.diagnostics.insert(out.diagnostics.end(), found.problems.begin(), found.problems.end());
    out.ms = millisecondsSince(start);
    return out;
}

} // namespace fw
