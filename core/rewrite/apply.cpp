#include "rewrite/apply.h"

#include "expr/simplify.h"
#include "rewrite/origins.h"
#include "rewrite/right_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fw {

namespace {

void collectNames(const Tree& tree, std::set<std::string>& names) {
    if (tree.isName())
        names.insert(tree.text);
    for (const Tree& part : tree.args)
        collectNames(part, names);
    for (const TreeAttr& attr : tree.attrs)
        collectNames(attr.value, names);
}

// One scope for every value of the lists that the condition names; one in all if it names none.
std::vector<Scope> perRepetition(const Scope& scope, const Graph& graph, const Match& match,
                                 const Tree& condition) {
    std::set<std::string> named;
    collectNames(condition, named);
    std::size_t longest = 0;
    for (const auto& [name, list] : match.bindings.lists)
        if (named.contains(name))
            longest = std::max(longest, list.size());
    std::vector<Scope> out(std::max<std::size_t>(longest, 1), scope);
    for (std::size_t i = 0; i < longest; ++i)
        for (const auto& [name, list] : match.bindings.lists)
            if (i < list.size())
                out[i].names.insert_or_assign(name, TensorValue{&graph, list[i]});
    return out;
}

// Where one value is meant; `...name` takes them all.
bool readsOne(const Tree& tree, const std::string& name) {
    if (tree.kind == TreeKind::Pack || tree.isName(name))
        return tree.isName(name);
    // given(name, ...) asks whether there is any.
    const std::size_t first = tree.isCall("given") ? 1 : 0;
    for (std::size_t i = first; i < tree.args.size(); ++i)
        if (readsOne(tree.args[i], name))
            return true;
    return std::any_of(tree.attrs.begin(), tree.attrs.end(),
                       [&](const TreeAttr& attr) { return readsOne(attr.value, name); });
}

bool readsOnRight(const RuleTree& rule, const std::string& name) {
    const auto reads = [&](const NamedTree& tree) { return readsOne(tree.value, name); };
    return std::any_of(rule.let.begin(), rule.let.end(), reads) ||
           std::any_of(rule.emit.begin(), rule.emit.end(), reads);
}

// The first one by name; empty: there is none, or the value is a result of the model.
std::string readerOutside(const Graph& graph, const Match& match, ValueRef value) {
    if (graph.isResult(value))
        return {};
    for (const Use& use : graph.uses(value))
        if (std::find(match.nodes.begin(), match.nodes.end(), use.node) == match.nodes.end())
            return graph.node(use.node).name;
    return {};
}

// An inner value that the rule would take away from others.
std::optional<FailedCondition> usedOutside(const RuleTree& rule, const Graph& graph,
                                           const Match& match, bool makesGroup) {
    if (rule.duplicate)
        return std::nullopt;
    const char* const notOutside = "no inner value is used outside";
    std::set<ValueRef> given(match.roots.begin(), match.roots.end());
    for (const RuleTree::Exposed& exposed : rule.expose)
        if (const auto part = match.bindings.values.find(exposed.name);
            part != match.bindings.values.end())
            given.insert(part->second);
    for (const NodeId id : match.nodes) {
        const Node& node = graph.node(id);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            // A group hands on the further results of its last operator.
            if (given.contains(value) || (makesGroup && id == match.roots.front().node) ||
                !isUsedOutside(graph, match, value))
                continue;
            const std::string reader = readerOutside(graph, match, value);
            return FailedCondition{
                rule.where.size(),
                reader.empty()
                    ? node.name + " is a result of the model"
                    : fmt::format("{} is used by {} outside the match", node.name, reader),
                match.nodes.size(), notOutside};
        }
    }
    return std::nullopt;
}

} // namespace

TargetOffer wantedOffer(const RuleTree& rule) {
    TargetOffer out;
    for (const ConditionTree& condition : rule.where)
        addWanted(condition.tree, out);
    return out;
}

bool asksTarget(const std::vector<ConditionTree>& conditions) {
    TargetOffer wanted;
    for (const ConditionTree& condition : conditions)
        addWanted(condition.tree, wanted);
    return !wanted.keys.empty() || !wanted.libraries.empty();
}

bool isUsedOutside(const Graph& graph, const Match& match, ValueRef value) {
    return graph.isResult(value) || !readerOutside(graph, match, value).empty();
}

Scope matchScope(const Graph& graph, const Match& match) {
    return scopeOf(graph, match.bindings);
}

namespace {

// The conditions of a rule under what one match binds, and what the target has.
class Judge {
public:
    Judge(const RuleTree& rule, const Graph& graph, const Match& match, const TargetOffer* offer)
        : m_rule(rule), m_graph(graph), m_match(match), m_scope(matchScope(graph, match)) {
        if (offer == nullptr)
            m_wanted = wantedOffer(rule);
        m_scope.offer = offer != nullptr ? offer : &m_wanted;
    }
    ConditionResult judged(std::size_t index) const {
        const ConditionTree& condition = m_rule.where[index];
        ConditionResult out;
        for (const Scope& one : perRepetition(m_scope, m_graph, m_match, condition.tree))
            if (out = decide(condition, one); out.truth != Truth::Yes)
                break;
        return out;
    }

private:
    const RuleTree& m_rule;
    const Graph& m_graph;
    const Match& m_match;
    TargetOffer m_wanted;
    Scope m_scope;
};

} // namespace

ConditionResult judgedCondition(const RuleTree& rule, std::size_t index, const Graph& graph,
                                const Match& match, const RuleMatchOptions& options) {
    return Judge(rule, graph, match, options.offer).judged(index);
}

std::optional<FailedCondition> failedCondition(const RuleTree& rule, const Graph& graph,
                                               const Match& match,
                                               const RuleMatchOptions& options) {
    const std::size_t count = match.nodes.size();
    if (!rule.where.empty()) {
        const Judge judge(rule, graph, match, options.offer);
        for (std::size_t i = 0; i < rule.where.size(); ++i) {
            const ConditionResult judged = judge.judged(i);
            if (judged.truth != Truth::Yes)
                return FailedCondition{
                    i,
                    fmt::format("{} is {}{}{}", rule.where[i].text,
                                judged.truth == Truth::No ? "false" : "not decided",
                                judged.seen.empty() ? "" : ": ", judged.seen),
                    count};
        }
    }
    for (const auto& [name, list] : match.bindings.lists)
        if (list.size() > 1 && readsOnRight(rule, name))
            return FailedCondition{rule.where.size(),
                                   fmt::format("{} stands for {} values, and the right side takes "
                                               "one",
                                               name, list.size()),
                                   count, "one value for every name of the right side"};
    if (auto outside = usedOutside(rule, graph, match, options.refuse != nullptr))
        return outside;
    if (rule.emit.empty()) {
        const auto refused = options.refuse ? options.refuse(match) : std::nullopt;
        if (!refused)
            return std::nullopt;
        FailedCondition out{rule.where.size(), refused->why, count,
                            "operators that can be a group"};
        out.step = refused->step;
        return out;
    }
    const auto right = rightSideOf(rule, graph, match, options.rank);
    if (!right)
        return FailedCondition{rule.where.size(), right.diag().message, count,
                               "a right side that is known"};
    if (changesNothing(*right, graph))
        return FailedCondition{rule.where.size(), "the right side is what was matched", count,
                               "a right side that changes something", true};
    return std::nullopt;
}

namespace {

constexpr std::size_t mostWays = 200; // that are asked about at one root, where that may cost much

}

Result<RuleMatch> matchRule(Matcher& matcher, const RuleTree& rule,
                            const PreparedPatterns& patterns, const Graph& graph, ValueRef root,
                            const RuleMatchOptions& options) {
    RuleMatch out;
    matcher.setOffer(options.offer);
    const auto progress = [](const FailedCondition& failed) {
        return std::tuple(failed.matched, failed.index, failed.step);
    };
    std::size_t asked = 0;
    const auto accept = [&](const Match& match) {
        if (options.accept && !options.accept(match))
            return false;
        if (options.refuse && ++asked > mostWays)
            return true;
        auto failed = failedCondition(rule, graph, match, options);
        const bool holds = !failed;
        if (failed && (!out.failed || progress(*failed) > progress(*out.failed)))
            out.failed = std::move(failed);
        return holds;
    };
    FW_TRY(out.match, matcher.matchAt(patterns, root, accept));
    if (options.refuse && asked > mostWays)
        return makeDiag(DiagCode::LimitReached, "there are too many ways to match",
                        {{}, graph.node(root.node).name});
    if (out.match)
        out.failed.reset();
    return out;
}

bool haveOtherTypes(const TensorType& a, const TensorType& b) {
    if (a.dtype != b.dtype || a.rank() != b.rank())
        return true;
    for (std::size_t i = 0; i < a.rank(); ++i)
        if (const auto distance = simplify(a.shape[i] - b.shape[i]).asInt();
            distance && *distance != 0)
            return true;
    return false;
}

namespace {

// Matched nodes from which others of the set are computed.
void addSources(const Graph& graph, const Match& match, std::set<NodeId>& nodes) {
    bool grown = true;
    while (grown) {
        grown = false;
        for (const NodeId id : match.nodes)
            if (nodes.contains(id))
                for (const ValueRef& input : graph.node(id).inputs)
                    if (input.valid())
                        grown = nodes.insert(input.node).second || grown;
    }
}

Expr bytesOf(const TensorType& type) {
    Expr out(static_cast<std::int64_t>(dtypeBytes(type.dtype)));
    for (const Dim& dim : type.shape)
        out = simplify(out * dim);
    return out;
}

// What is computed twice because others read it, and what that costs.
// Returns what stays for others.
std::set<NodeId> noteRepeated(const Graph& graph, const Match& match, const RightSide& right,
                              const std::set<NodeId>& read, Decisions& notes) {
    const auto isHanded = [&](ValueRef value) {
        return std::any_of(right.handed.begin(), right.handed.end(),
                           [&](const auto& handed) { return handed.from == value; });
    };
    std::set<NodeId> stays;
    std::string readers;
    for (const NodeId id : match.nodes)
        for (std::size_t i = 0; i < graph.node(id).outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (isHanded(value) || !isUsedOutside(graph, match, value) || read.contains(id))
                continue;
            stays.insert(id);
            const std::string reader = readerOutside(graph, match, value);
            readers += (readers.empty() ? "" : ", ") + (reader.empty() ? "the caller" : reader);
        }
    addSources(graph, match, stays);
    Expr flops = 0, bytes = 0;
    std::string names;
    for (const NodeId id : match.nodes) {
        if (!stays.contains(id) || read.contains(id))
            continue;
        const Node& node = graph.node(id);
        names += (names.empty() ? "" : ", ") + node.name;
        if (const auto facts = graph.operators().find(node.op)->facts(callOf(graph, node)))
            flops = simplify(flops + facts->flopsExpr);
        for (const Output& output : node.outputs)
            bytes = simplify(bytes + bytesOf(output.type));
    }
    if (!names.empty())
        notes.push_back({names, Verdict::Note, ReasonCode::RuleRepeats,
                         fmt::format("for {}; {} operations and {} bytes more in every run",
                                     readers, flops.text(), bytes.text())});
    return stays;
}

void noteExposed(const Graph& graph, const Match& match, const RightSide& right, Decisions& notes) {
    for (const RightSide::Handed& handed : right.handed) {
        if (std::find(match.roots.begin(), match.roots.end(), handed.from) != match.roots.end())
            continue;
        const std::string reader = readerOutside(graph, match, handed.from);
        notes.push_back({graph.output(handed.from).name, Verdict::Note, ReasonCode::RuleExposes,
                         fmt::format("for {}; {} bytes", reader.empty() ? "the caller" : reader,
                                     bytesOf(graph.type(handed.from)).text())});
    }
}

} // namespace

Application applicationOf(std::size_t entry, const Match& match, const GraphEditor& editor) {
    Application out;
    out.entry = entry;
    for (const NodeId id : match.nodes)
        out.matched.push_back(editor.share(id));
    for (const auto& [name, value] : match.bindings.values)
        if (!match.bindings.lists.contains(name))
            out.names.emplace_back(name, std::vector{value});
    for (const auto& [name, list] : match.bindings.lists)
        out.names.emplace_back(name, list);
    out.firstAdded = editor.nextId();
    return out;
}

Result<Applied> applyRule(const RuleTree& rule, const Graph& graph, const Match& match,
                          const Successor& forward, GraphEditor& editor) {
    const std::vector<NodeId> origins{originOfAdded(editor.nextId())};
    const auto at = [&](Diag diag) {
        return diag.at({{}, graph.node(match.roots.at(0).node).name});
    };
    auto right = rightSideOf(rule, graph, match, [&](NodeId id) { return editor.rank(id); });
    if (!right)
        return at(right.takeDiag());
    // What the right side reads, and what that is computed from, stays. The other matched nodes go
    // first, so that their names are free again.
    std::set<NodeId> read;
    for (const ValueRef& value : readBy(*right))
        read.insert(value.node);
    addSources(graph, match, read);
    Applied out;
    out.added = right->nodes.size();
    out.kept = read;
    if (rule.duplicate) {
        out.kept.merge(noteRepeated(graph, match, *right, read, out.notes));
    } else {
        for (const NodeId id : match.nodes)
            if (!read.contains(id))
                editor.remove(id);
    }
    noteExposed(graph, match, *right, out.notes);

    const auto results = addRightSide(*right, graph, match, forward, editor, origins);
    if (!results)
        return at(results.diag());
    for (std::size_t i = 0; i < results->size(); ++i) {
        const ValueRef from = right->handed[i].from;
        const ValueRef to = (*results)[i];
        if (!rule.changes && haveOtherTypes(graph.type(from), editor.type(to)))
            return at(makeDiag(DiagCode::RuleIllegal,
                               fmt::format("it turns {} into {}", graph.type(from).text(),
                                           editor.type(to).text())));
        out.handed.emplace(from, to);
    }
    for (auto& [from, to] : out.handed)
        for (auto next = out.handed.find(to); next != out.handed.end() && next->second != to;
             next = out.handed.find(to))
            to = next->second;
    for (const auto& [from, to] : out.handed)
        editor.replaceUses(from, to);
    for (const ValueRef& root : match.roots)
        out.results.push_back(out.handed.at(root));
    return out;
}

} // namespace fw
