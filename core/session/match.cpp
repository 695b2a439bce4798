#include "session/match.h"

#include "base/stopwatch.h"
#include "ir/missing_type.h"

#include "fusion/plan.h"
#include "library/library.h"
#include "rewrite/apply.h"
#include "rewrite/embedded.h"
#include "rewrite/matches.h"
#include "session/book_texts.h"
#include "session/match_outcomes.h"
#include "session/match_schedule.h"
#include "session/near_miss_fix.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr double defaultSeconds = 2;
constexpr std::int64_t defaultLimit = 10000;
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

MatchRecord record(const Graph& graph, const Match& match, const Captures& captures,
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

NearMissRecord record(const Graph& graph, const NearMiss& miss) {
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

MatchLimits limitsOn(const Graph& graph, const DeclarationTree& declaration, MatchLimits limits) {
    limits.refuse = refusalOfGroups(declaration, graph);
    return limits;
}

RuleMatches describe(const Graph& graph, const DeclarationPtr& declaration, const std::string& file,
                     const ReadText& text, const Books& books, const Diags& verdict,
                     const MatchLimits& limits) {
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
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; out.diagnostics.empty() && i < node->outputs.size(); ++i)
            if (const auto missing = missingType(graph, {node->id, static_cast<int>(i)})) {
                out.diagnostics.push_back(
                    makeDiag(DiagCode::UnknownOperator,
                             "it finds nothing in what is computed from there: " + missing->why, {},
                             "declare the operator in a book, with its onnx clause"));
                out.diagnostics.back().severity = Severity::Note;
            }
    const NodeOrder order = found.matches.empty() ? NodeOrder() : orderOf(graph);
    for (const Match& match : found.matches)
        out.matches.push_back(record(graph, match, captures, order));
    out.nearMissCount = static_cast<std::int64_t>(found.nearMisses.size());
    if (found.nearMisses.size() > mostMisses)
        found.nearMisses.resize(mostMisses);
    for (const NearMiss& miss : found.nearMisses) {
        out.nearMisses.push_back(record(graph, miss));
        out.nearMisses.back().range = rangeOf(text.places, miss.span);
        out.nearMisses.back().relax = relaxed(miss, *declaration, text, *books.operators);
    }
    out.stopped = found.stopped;
    out.diagnostics.insert(out.diagnostics.end(), found.problems.begin(), found.problems.end());
    out.ms = millisecondsSince(start);
    return out;
}

} // namespace

namespace {

bool isRule(const DeclarationTree& declaration) {
    return isA<RuleTree>(declaration);
}

// What decides about groups looks at the graph that the rules leave; a rule that finds nothing
// in front of them may find something there.
void tellBehindRules(const Simplified& behind, const DeclarationTree& declaration,
                     const PatternTable& table, const MatchLimits& limits, RuleMatches& out) {
    const FoundMatches found = findMatches(*behind.graph, declaration, table,
                                           limitsOn(*behind.graph, declaration, limits));
    if (isRule(declaration) && found.matches.empty())
        return;
    out.behindRules = static_cast<std::int64_t>(found.matches.size());
    out.madeBy = makersOf(found.matches, behind.trace);
}

// What is not found behind the rules may have been there before them.
void tellBeforeRules(const Graph& before, const Simplified& behind,
                     const DeclarationTree& declaration, const PatternTable& table,
                     const MatchLimits& limits, RuleMatches& out) {
    const FoundMatches found =
        findMatches(before, declaration, table, limitsOn(before, declaration, limits));
    if (found.matches.empty())
        return;
    out.beforeRules = static_cast<std::int64_t>(found.matches.size());
    out.takenBy = takersOf(before, found.matches, behind.trace);
}

// Nodes inside a call are told by the call, which is what the imported graph has.
void tellCalls(const Imported& imported, MatchDocument& out) {
    if (imported.graph == imported.inlined)
        return;
    const auto tell = [&](NodeId& id) {
        const Node* inside = imported.graph->find(id) ? nullptr : imported.inlined->find(id);
        if (inside != nullptr && !inside->origins.empty())
            id = inside->origins.front();
    };
    for (RuleMatches& rule : out.rules) {
        for (MatchRecord& match : rule.matches) {
            tell(match.rootId);
            for (NodeId& id : match.nodeIds)
                tell(id);
            const auto end = std::unique(match.nodeIds.begin(), match.nodeIds.end());
            match.nodeIds.erase(end, match.nodeIds.end());
            for (BindingRecord& bound : match.bound)
                tell(bound.node);
        }
        for (NearMissRecord& miss : rule.nearMisses)
            tell(miss.rootId);
    }
}

} // namespace

Result<MatchDocument> matchModel(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    MatchDocument out;
    out.model = arguments.model;
    const auto stage =
        arguments.stage.empty() ? MatchedStage() : MatchedStage::find(arguments.stage);
    if (!stage)
        return makeDiag(DiagCode::Usage, "nothing is matched in stage " + arguments.stage, {},
                        "imported or rewritten");
    out.stage = *stage;
    FW_TRY(std::vector<BookText> books, bookTexts(arguments.rules, arguments.texts));
    const auto isAsked = [&](const BookText& book) {
        return arguments.book.empty() || book.file == arguments.book;
    };
    std::vector<BookText> shipped; // which see nothing of the others
    if (std::none_of(books.begin(), books.end(), isAsked) && !arguments.book.empty()) {
        FW_TRY(BookText book, bookText(arguments.book, arguments.texts));
        books.push_back(std::move(book));
    } else if (books.empty() || arguments.shipped.value_or(false)) {
        for (const EmbeddedRules& rules : embeddedRules()) {
            FW_TRY(BookText book, bookText(std::string(rules.file), {}));
            shipped.push_back(std::move(book));
        }
    }
    GraphPtr graph;
    const Imported* imported = nullptr;
    const Simplified* behind = nullptr; // the rules
    const Graph* before = nullptr;      // them, where it is looked behind them
    if (out.stage == "imported") {
        FW_TRY(imported, pipeline.imported(context));
        graph = imported->inlined;
        if (const Result<const Simplified*> simplified = pipeline.simplified(context))
            behind = *simplified;
    } else {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        graph = simplified->graph;
        FW_TRY(imported, pipeline.imported(context));
        before = imported->inlined.get();
        behind = simplified;
    }
    // Rules see the imported graph with functions in place, what decides about groups the one that
    // rules left.
    const auto isOfStage = [&](const DeclarationTree& declaration) {
        return (out.stage == "imported") == isRule(declaration);
    };
    MatchLimits limits;
    limits.matches =
        static_cast<std::size_t>(std::max<std::int64_t>(0, arguments.limit.value_or(defaultLimit)));
    limits.until = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>(
                           std::clamp(arguments.seconds.value_or(defaultSeconds), 0.0, 1e6)));
    limits.cancel = context.cancel;
    if (const Result<const TargetOffer*> offered = pipeline.offer())
        limits.offer = *offered;
    // What schedules do is seen in the plan; without one nothing is said of them.
    const FusionPlan* plan = nullptr;
    const Target* planned = nullptr;
    const auto hasSchedule = [](const BookText& book) {
        return book.text.find(kindOf(Declares::Schedule).keyword) != std::string::npos;
    };
    if (out.stage == "rewritten" && std::any_of(books.begin(), books.end(), hasSchedule)) {
        const Result<const FusionPlan*> made = pipeline.plan(context);
        const Result<const Target*> target = pipeline.target();
        if (made.ok() && target.ok()) {
            plan = *made;
            planned = *target;
        }
    }
    std::string known;
    const auto lookFor = [&](const std::vector<BookText>& texts) {
        const Books read = readBooks(texts);
        for (const ReadBook& book : read.read)
            out.diagnostics.insert(out.diagnostics.end(), book.errors.begin(), book.errors.end());
        for (const BookText& book : texts) {
            const auto found =
                std::find_if(read.read.begin(), read.read.end(),
                             [&](const ReadBook& one) { return one.file == book.file; });
            if (!isAsked(book) || found == read.read.end())
                continue;
            const ReadText text(book.text);
            for (std::size_t i = 0; i < found->written.size() && !context.cancel.cancelled(); ++i) {
                const DeclarationPtr& declaration = found->written[i];
                if (const auto schedule = declarationAs<ScheduleTree>(declaration);
                    schedule && plan != nullptr && !hasErrors(found->items[i].diagnostics) &&
                    (arguments.name.empty() || arguments.name == declaration->name)) {
                    const bool takesPart = std::find(arguments.rules.begin(), arguments.rules.end(),
                                                     book.file) != arguments.rules.end();
                    out.rules.push_back(scheduleInPlan(*schedule, book.file, text.places, *graph,
                                                       *plan, *planned, takesPart));
                    continue;
                }
                if (!canMatch(*declaration) && arguments.name.empty())
                    for (const Diag& diag : found->items[i].diagnostics)
                        if (diag.severity == Severity::Error)
                            out.diagnostics.push_back(diag);
                if (!canMatch(*declaration) ||
                    (!arguments.book.empty() && !isOfStage(*declaration)))
                    continue;
                known += (known.empty() ? "" : ", ") + declaration->name;
                if (!arguments.name.empty() && arguments.name != declaration->name)
                    continue;
                out.rules.push_back(describe(*graph, declaration, book.file, text, read,
                                             found->items[i].diagnostics, limits));
                RuleMatches& told = out.rules.back();
                const bool none = told.matches.empty();
                if (behind == nullptr || hasErrors(told.diagnostics))
                    continue;
                if (before == nullptr && (none || !isRule(*declaration)))
                    tellBehindRules(*behind, *declaration, read.patterns, limits, told);
                else if (before != nullptr && none)
                    tellBeforeRules(*before, *behind, *declaration, read.patterns, limits, told);
            }
        }
    };
    lookFor(books);
    lookFor(shipped);
    if (context.cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "matching was cancelled");
    if (out.rules.empty() && !arguments.name.empty())
        return makeDiag(DiagCode::UnknownName,
                        "the books have no rule, pattern or chain " + arguments.name, {},
                        known.empty() ? "there is none" : "there are " + known);
    if (before == nullptr) {
        // A book that is being typed is not what rewrote the model.
        if (arguments.book.empty()) {
            const Result<const Simplified*> simplified = pipeline.simplified(context);
            if (simplified)
                tellOutcomes(*graph, (*simplified)->trace, out);
            else if (simplified.diag().code == DiagCode::Cancelled)
                return simplified.diag();
            else
                out.diagnostics.push_back(simplified.diag());
        }
        tellCalls(*imported, out);
    }
    return out;
}

} // namespace fw
