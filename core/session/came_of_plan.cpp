#include "session/came_of_plan.h"

#include "rewrite/matches.h"
#include "session/decision_records.h"
#include "session/match_schedule.h"
#include "strategy/scheduled.h"
#include "syntax/declarations.h"
#include "syntax/graph.h"
#include "syntax/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

using namespace snapshot;

namespace {

std::string placeAt(const std::string& file, const Span& span) {
    return fmt::format("{}:{}", file, span.line);
}

// The places of the entries that a candidate is merged of.
std::vector<std::string> entriesOf(const Candidate& candidate) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < candidate.place.size();) {
        const std::size_t end = std::min(candidate.place.find(", ", at), candidate.place.size());
        out.push_back(candidate.place.substr(at, end - at));
        at = end + 2;
    }
    return out;
}

std::string reasonOf(const Candidate& candidate) {
    return reasonText({{}, candidate.verdict, candidate.code, candidate.evidence});
}

const Candidate* chosenOf(const Group& group) {
    for (const Candidate& candidate : group.candidates)
        if (candidate.chosen)
            return &candidate;
    return nullptr;
}

} // namespace

CameRecord CameOfPlan::rowOf(const Group& group, CameHow how, std::string why) const {
    CameRecord row;
    row.how = how;
    row.what = group.name;
    row.why = std::move(why);
    row.group = group.id;
    row.nodes = originsOf(m_in.graph, group.nodes);
    if (group.hasCode())
        row.estUs = group.estimateUs;
    if (const Candidate* chosen = chosenOf(group))
        row.measuredUs = chosen->measuredUs;
    return row;
}

std::string CameOfPlan::whoMade(const Group& group) const {
    const auto& rules = m_in.books.fusion.fuseRules();
    for (std::size_t i = 0; i < std::min(rules.size(), m_in.plan->asked.size()); ++i)
        for (const NodeId node : m_in.plan->asked[i].formed)
            if (m_in.plan->groupOf.at(node) == group.id)
                return fmt::format("{} {}", rules[i].tree->keyword, rules[i].place());
    return group.source == "pin" ? "a pin" : std::string();
}

void CameOfPlan::ofTarget(const DeclarationTree& declared) {
    const std::string& text = m_in.targetText;
    if (text == declared.name || text.starts_with(declared.name + " ")) {
        CameRecord row;
        row.how = "used";
        row.what = text;
        row.why = "what is planned is planned for it";
        m_rows.add(std::move(row));
    } else {
        m_rows.note(
            fmt::format("what is planned is planned for {}", text.empty() ? "this machine" : text));
    }
}

void CameOfPlan::ofOperator(const std::string& name) {
    for (const NodePtr& node : m_in.graph.nodes()) {
        if (node->op != name)
            continue;
        const auto group = m_in.plan != nullptr ? m_in.plan->groupOf.find(node->id)
                                                : std::map<NodeId, int>::const_iterator();
        CameRecord row;
        if (m_in.plan != nullptr && group != m_in.plan->groupOf.end()) {
            const Group& in = m_in.plan->groups[static_cast<std::size_t>(group->second)];
            row = rowOf(in, "used",
                        fmt::format("in group {}, computed by {}", in.name, in.computedBy()));
        } else {
            row.how = "used";
            row.why = "of the model as rules left it";
        }
        row.what = node->name;
        row.nodes = originsOf(m_in.graph, {node->id});
        m_rows.add(std::move(row));
    }
    // Those that rules took out.
    std::set<NodeId> gone;
    for (std::size_t i = 0; i < m_in.trace.applications.size(); ++i) {
        const Application& one = m_in.trace.applications[i];
        for (const GraphStep::Edit& edit : one.step.edits)
            if (one.body == nullptr && edit.before && !edit.after && edit.before->op == name &&
                m_in.imported.inlined->find(edit.before->id) != nullptr &&
                gone.insert(edit.before->id).second) {
                const AppliedRule& by = m_in.trace.applied.at(one.entry);
                CameRecord row;
                row.how = "taken";
                row.what = edit.before->name;
                row.why = reasonText({{},
                                      Verdict::No,
                                      ReasonCode::MatchTaken,
                                      fmt::format("number {}, {}", i + 1, by.rule)});
                row.nodes = originsOf(*m_in.imported.inlined, {edit.before->id});
                m_rows.add(std::move(row));
            }
    }
    m_rows.note("the model has none");
}

void CameOfPlan::ofFuse(const FuseTree& tree) {
    const auto& rules = m_in.books.fusion.fuseRules();
    for (std::size_t i = 0; i < std::min(rules.size(), m_in.plan->asked.size()); ++i)
        if (rules[i].tree.get() == &tree) {
            for (const NodeId node : m_in.plan->asked[i].formed)
                addGroup(
                    m_in.plan->groupAt(node), "formed",
                    reasonText({{}, Verdict::Yes, ReasonCode::FuseRuleApplied, rules[i].place()}));
            ofFuseMatches(i, tree);
        }
    m_rows.note("it matches nothing in the model as rules left it");
}

// What it matches and made no group of.
void CameOfPlan::ofFuseMatches(std::size_t rule, const FuseTree& tree) {
    const AskedRule& asked = m_in.plan->asked[rule];
    std::set<NodeId> told;
    for (const auto& [root, why] : asked.told) {
        CameRecord row;
        row.how = "refused";
        row.what = m_in.graph.node(root).name;
        row.why = reasonText(why);
        row.nodes = originsOf(m_in.graph, {root});
        m_rows.add(std::move(row));
        told.insert(root);
    }
    std::set<int> formed;
    for (const NodeId node : asked.formed)
        formed.insert(m_in.plan->groupOf.at(node));
    MatchLimits limits;
    limits.offer = m_in.offer;
    limits.cancel = m_in.cancel;
    limits.until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    limits.refuse = refusalOfGroups(tree, m_in.graph);
    for (const Match& match : findMatches(m_in.graph, tree, m_in.books.patterns, limits).matches) {
        const NodeId root = match.roots.front().node;
        const Group& group = m_in.plan->groupAt(root);
        if (told.contains(root) || formed.contains(group.id))
            continue;
        const std::string by = whoMade(group);
        CameRecord row =
            rowOf(group, "taken",
                  reasonText({{},
                              Verdict::No,
                              ReasonCode::TakenByOther,
                              by.empty() ? group.name : fmt::format("{}, by {}", group.name, by)}));
        row.what = m_in.graph.node(root).name;
        row.nodes = originsOf(m_in.graph, match.nodes);
        m_rows.add(std::move(row));
    }
}

void CameOfPlan::ofGrow(const GrowTree& tree) {
    std::string place;
    for (const GrowRule& rule : m_in.books.fusion.growRules())
        if (rule.tree.get() == &tree)
            place = rule.place();
    for (const EdgeDecision& edge : m_in.plan->edges) {
        const auto asked =
            std::find_if(edge.gates.begin(), edge.gates.end(), [&](const Gate& gate) {
                return gate.name == growthGate &&
                       (gate.evidence.str().empty() ? edge.decision.evidence
                                                    : gate.evidence.str()) == place;
            });
        if (place.empty() || asked == edge.gates.end())
            continue;
        CameRecord row;
        row.how = edge.decision.verdict == Verdict::Yes ? CameHow("opened")
                  : asked->pass                         ? CameHow("refused")
                                                        : CameHow("closed");
        row.what = edge.decision.subject;
        row.why = reasonText(edge.decision);
        row.nodes = originsOf(m_in.graph, {edge.from, edge.to});
        m_rows.add(std::move(row));
    }
    m_rows.note("no edge was asked about by it: no operators of these kinds follow each other, or "
                "another line is asked first");
}

void CameOfPlan::ofSchedule(const ScheduleTree& tree, const std::string& file,
                            const TextPlaces& places) {
    const RuleMatches found =
        scheduleInPlan(tree, file, places, m_in.graph, *m_in.plan, *m_in.target, true);
    std::set<NodeId> refused;
    for (const NearMissRecord& miss : found.nearMisses) {
        CameRecord row = rowOf(m_in.plan->groupAt(miss.rootId), "refused", miss.found);
        static_cast<TextRange&>(row) = miss.range;
        m_rows.add(std::move(row));
        refused.insert(miss.rootId);
    }
    for (const Group& group : m_in.plan->groups)
        for (const Candidate& candidate : group.candidates) {
            if (candidate.by == nullptr || candidate.by->name() != scheduleCode(tree.name) ||
                refused.contains(group.anchor))
                continue;
            if (candidate.chosen || candidate.branch)
                addGroup(group, "used", reasonOf(candidate));
            else if (candidate.verdict == Verdict::Yes)
                addGroup(group, "ready",
                         fmt::format("{} is chosen: {}", group.computedBy(),
                                     chosenOf(group) != nullptr ? reasonOf(*chosenOf(group))
                                                                : std::string("it has a pin")));
            else
                addGroup(group, "refused", reasonOf(candidate));
        }
    for (const Diag& diag : found.diagnostics)
        m_rows.note(diag.message);
}

// Places of one block; a row is about the entry's line.
void CameOfPlan::ofEntries(const ImplementationsTree& tree, const std::string& file,
                           const TextPlaces& places) {
    std::map<std::string, const EntryTree*> entries;
    for (const EntryTree& entry : tree.entries)
        entries.emplace(placeAt(file, entry.span), &entry);
    for (const Group& group : m_in.plan->groups)
        for (const Candidate& candidate : group.candidates)
            for (const std::string& place : entriesOf(candidate)) {
                const auto entry = entries.find(place);
                if (entry == entries.end())
                    continue;
                const bool used = candidate.chosen || candidate.branch;
                CameRecord row = rowOf(group,
                                       used                                ? CameHow("used")
                                       : candidate.verdict == Verdict::Yes ? CameHow("ready")
                                                                           : CameHow("refused"),
                                       reasonOf(candidate));
                row.why = candidate.implementation + ": " + row.why;
                setRange(row, places, lineSpan(places, static_cast<int>(entry->second->span.line)));
                m_rows.add(std::move(row));
            }
    m_rows.note("the model has no operator that it speaks of");
}

namespace {

// By its place, or by a node of the pin and what that should have been computed by.
bool isAbout(const Decision& notice, const PinClause& clause, const std::string& place) {
    const auto tells = [&](const std::string& part) {
        return notice.evidence.find(part) != std::string::npos;
    };
    return tells("(" + place + ")") ||
           (!clause.implementation.empty() && tells(clause.implementation) &&
            std::find(clause.names.begin(), clause.names.end(), notice.subject) !=
                clause.names.end());
}

} // namespace

void CameOfPlan::ofPins(const PinTree& tree, const std::string& file, const TextPlaces& places) {
    for (const PinClause& clause : tree.clauses) {
        const std::string place = placeAt(file, clause.span);
        CameRecord row;
        row.how = "used";
        row.what = fmt::format("{}", fmt::join(clause.names, ", "));
        setRange(row, places, lineSpan(places, static_cast<int>(clause.span.line)));
        std::vector<NodeId> nodes;
        for (const std::string& name : clause.names)
            if (const Node* node = m_in.graph.findByName(name))
                nodes.push_back(node->id);
        row.nodes = originsOf(m_in.graph, nodes);
        row.why = "followed";
        for (const Decision& notice : m_in.plan->notices)
            if (notice.code == ReasonCode::PinRefused && isAbout(notice, clause, place)) {
                row.how = "refused";
                row.why = reasonText(notice);
            }
        m_rows.add(std::move(row));
    }
}

std::set<int> CameOfPlan::ofLibrary(const std::string& name) {
    std::set<int> told;
    for (const Group& group : m_in.plan->groups)
        if (const Candidate* chosen = chosenOf(group);
            chosen != nullptr && chosen->implementation.starts_with(name + "."))
            if (told.insert(group.id).second)
                addGroup(group, "used", "a call of " + chosen->implementation);
    return told;
}

// Patterns and chains act by what names them.
void CameOfPlan::throughOthers(std::set<int> told) {
    for (const Application& one : m_in.trace.applications) {
        const AppliedRule& by = m_in.trace.applied.at(one.entry);
        const auto through = m_through.find(fmt::format("{}:{}", by.file, by.line));
        if (through == m_through.end() || one.body != nullptr || one.matched.empty())
            continue;
        CameRecord row;
        row.how = "used";
        row.what = one.matched.front()->name;
        row.why = "through " + through->second;
        std::set<NodeId> origins;
        for (const NodePtr& node : one.matched)
            origins.insert(node->origins.begin(), node->origins.end());
        row.nodes = {origins.begin(), origins.end()};
        m_rows.add(std::move(row));
    }
    const auto& rules = m_in.books.fusion.fuseRules();
    for (std::size_t i = 0; i < std::min(rules.size(), m_in.plan->asked.size()); ++i)
        if (const auto through = m_through.find(placeAt(rules[i].file, rules[i].tree->span));
            through != m_through.end())
            for (const NodeId node : m_in.plan->asked[i].formed)
                if (const Group& group = m_in.plan->groupAt(node); told.insert(group.id).second)
                    addGroup(group, "formed", "through " + through->second);
    for (const Group& group : m_in.plan->groups)
        if (const Candidate* chosen = chosenOf(group))
            for (const std::string& place : entriesOf(*chosen))
                if (const auto through = m_through.find(place);
                    through != m_through.end() && told.insert(group.id).second)
                    addGroup(group, "used", "through " + through->second);
}

void CameOfPlan::tell(const DeclarationPtr& declared, const std::string& file,
                      const TextPlaces& places) {
    if (isA<OpTree>(*declared))
        return ofOperator(declared->name);
    if (isA<TargetTree>(*declared))
        return ofTarget(*declared);
    if (isA<GraphTree>(*declared))
        return m_rows.note("a graph: it is what is planned when its book is opened as a model");
    if (m_in.plan == nullptr || m_in.target == nullptr)
        return m_rows.note("there is no plan");
    const bool isTold = byKind(
        *declared, [&](const FuseTree& fuse) { ofFuse(fuse); },
        [&](const GrowTree& grow) { ofGrow(grow); },
        [&](const ScheduleTree& schedule) { ofSchedule(schedule, file, places); },
        [&](const ImplementationsTree& block) { ofEntries(block, file, places); },
        [&](const PinTree& pins) { ofPins(pins, file, places); });
    if (!isTold)
        throughOthers(isA<LibraryTree>(*declared) ? ofLibrary(declared->name) : std::set<int>());
}

} // namespace fw
