// Fusion rules and composites of books: of the ways to match at an operator the first that can be a
// group. Where none can, the reason is that of the way that got furthest.
#include "fusion/group_planner.h"

#include "strategy/melted.h"
#include "strategy/targets.h"
#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// What the implementation does not take is computed in nests of their own.
bool mayStack(const FuseTree& tree) {
    return tree.as == FuseAs::Stacked || tree.as == FuseAs::Melted;
}

} // namespace

GroupPlanner::Made GroupPlanner::refused(Step step, std::string why) const {
    Made out;
    out.step = step;
    out.told.verdict = Verdict::No;
    out.told.code = ReasonCode::FuseRuleRefused;
    out.told.evidence = std::move(why);
    return out;
}

// Together by code of ours, or apart with the call of a library that takes only a part.
GroupPlanner::Made GroupPlanner::besideCall(const FuseRule& rule, const std::vector<NodeId>& nodes,
                                            const Node& root, const std::string& own,
                                            const std::string& ofCall) const {
    const NodeId anchor = anchorOf(nodes);
    std::string refusal;
    Forming group = assemble(nodes, anchor, choose(anchor, own, nodes), refusal);
    if (!refusal.empty() && !mayStack(*rule.tree))
        return refused(NotAbsorbed, fmt::format("{}; {}", ofCall, refusal));
    const Result<Split> other = split(group);
    if (!other)
        return refused(NotAbsorbed, other.diag().message);
    const double together = costOf(group);
    const std::string costs =
        fmt::format("together by {} {:.3g} us, apart {:.3g} us ({})", group.selection().name,
                    together, other->us, other->groups);
    if (together > other->us)
        return refused(TooDear, fmt::format("{}, and it costs more: {}", ofCall, costs));
    Selection chosen = group.selection();
    chosen.source = "rule";
    group.choose(std::move(chosen));
    Made out;
    out.group = std::move(group);
    out.told = {rule.tree->name + " at " + root.name, Verdict::Yes, ReasonCode::FuseRuleApplied,
                fmt::format("{}, it costs less: {}", rule.place(), costs)};
    return out;
}

GroupPlanner::Made GroupPlanner::groupOf(const FuseRule& rule, const std::vector<NodeId>& nodes,
                                         const Node& root) const {
    const FuseTree& tree = *rule.tree;
    if (std::string why = illegal(nodes); !why.empty())
        return refused(Illegal, std::move(why));
    const bool forLibrary = tree.as == FuseAs::Library;
    if (forLibrary)
        if (const auto library = m_catalog.library(kernelName(tree.library).library);
            library != nullptr && library->isDeclared())
            return kernelGroup(rule, *library, nodes);
    const NodeId anchor = anchorOf(nodes);
    const std::string wish = wishOf(tree, anchor);
    Selection selection = choose(anchor, wish, nodes);
    if (wish != pinned(anchor) && selection.implementation != nullptr &&
        selection.implementation->library() != nullptr)
        selection = choose(anchor, bestOwn(selection), nodes);
    if (forLibrary)
        if (auto why = takeLibrary(tree.library, nodes, anchor, selection))
            return refused(NoCode, std::move(*why));
    if (selection.implementation == nullptr)
        return refused(NoCode, "nothing computes " + label(anchor));
    std::string refusal;
    const std::string own = forLibrary ? std::string() : bestOwn(selection);
    Made out;
    out.group = assemble(nodes, anchor, std::move(selection), refusal);
    const bool isCall = out.group->selection().implementation->library() != nullptr;
    if (!refusal.empty() && isCall && !own.empty() && wish.empty())
        out = besideCall(rule, nodes, root, own, refusal);
    else if (!refusal.empty() && (!mayStack(tree) || isCall))
        return refused(NotAbsorbed, std::move(refusal));
    if (!out.group)
        return out;
    if (tree.as == FuseAs::Melted && out.group->stacked)
        melt(*out.group, rule.place(), {});
    if (std::string why = forLibrary ? std::string() : fasterApart(*out.group); !why.empty())
        return refused(TooDear, std::move(why));
    if (const std::string other = wishAgainst(nodes, out.group->selection()); !other.empty())
        return refused(NoCode, "a pin wants " + other);
    out.group->held = out.group->stacked || forLibrary || out.group->selection().source == "pin";
    return out;
}

// The library's best code for the anchor in place of what was chosen; or why there is none.
std::optional<std::string> GroupPlanner::takeLibrary(const std::string& name,
                                                     const std::vector<NodeId>& nodes,
                                                     NodeId anchor, Selection& selection) const {
    const Candidate* best = nullptr;
    std::string why = fmt::format("{} has no code for {}", name, label(anchor));
    for (const Candidate& candidate : selection.candidates) {
        const Library* library = candidate.by ? candidate.by->library() : nullptr;
        if (library == nullptr || library->name() != name)
            continue;
        if (candidate.verdict != Verdict::Yes)
            why = fmt::format(
                "{} for {}: {}", candidate.implementation, label(anchor),
                Decision{{}, Verdict::No, candidate.code, candidate.evidence}.sentence());
        else if (best == nullptr || candidate.priority > best->priority)
            best = &candidate;
    }
    if (best == nullptr)
        return why;
    if (best->implementation != selection.name && pinned(anchor).empty()) {
        selection = choose(anchor, std::string(best->implementation), nodes);
        selection.source = "rule";
    }
    const Library* by = selection.implementation->library();
    if (by == nullptr || by->name() != name)
        return fmt::format("a pin wants {} for {}", selection.name, label(anchor));
    return std::nullopt;
}

// The implementation that a pin wants for the anchor; that of melting is none for one operator.
std::string GroupPlanner::wishOf(const FuseTree& tree, NodeId anchor) const {
    std::string wish = pinned(anchor);
    return tree.as == FuseAs::Melted && wish == meltedImplementation()->name() ? std::string()
                                                                               : wish;
}

// Stages inside the loops of others are one more candidate of the group, and the first: should they
// cost more than nests one behind the other, its lowering says so, and the next one is asked.
void GroupPlanner::melt(Forming& group, const std::string& place, const std::string& wish) const {
    Selection chosen = group.selection();
    const std::string& name = meltedImplementation()->name();
    if (chosen.implementation->library() != nullptr || !chosen.branches.empty())
        return;
    Candidate one = chosen.candidates[chosen.plain];
    one.implementation = name;
    one.level.clear();
    one.place = place;
    one.guard.clear();
    one.measuredUs.reset();
    const bool isPinned =
        wish == name || std::any_of(group.nodes.begin(), group.nodes.end(),
                                    [&](NodeId id) { return pinned(id) == name; });
    one.by = meltedImplementation(isPinned ? Melt::Always : Melt::WherePays);
    for (const NodeId id : group.nodes)
        if (const Avoided* avoid = m_pins.avoided(id, name, {})) {
            one.verdict = Verdict::No;
            one.code = ReasonCode::PinAvoids;
            one.evidence = avoid->evidence;
            one.chosen = false;
            chosen.candidates.push_back(std::move(one));
            group.choose(std::move(chosen));
            return;
        }
    one.chosen = false;
    one.code = ReasonCode::FuseRuleApplied;
    one.evidence = place;
    if (chosen.source == "pin" && !isPinned) { // should that pin have no code, this is next
        for (const Candidate& other : chosen.candidates)
            one.priority = std::max(one.priority, other.priority + 1);
        chosen.candidates.push_back(std::move(one));
        group.choose(std::move(chosen));
        return;
    }
    const bool isKnown = !isPinned && meltByLog(chosen, one, group);
    if (isKnown && !one.chosen) {
        chosen.candidates.push_back(std::move(one));
        group.choose(std::move(chosen));
        return;
    }
    Candidate& before = chosen.candidates[chosen.plain];
    before.chosen = false;
    before.code = ReasonCode::ScheduleDefault;
    before.evidence = kindText(group.anchor.facts.kind);
    one.chosen = true;
    chosen.implementation = one.by;
    chosen.name = name;
    if (!isKnown)
        chosen.source = isPinned ? "pin" : "rule";
    chosen.plain = chosen.candidates.size();
    chosen.candidates.push_back(std::move(one));
    group.choose(std::move(chosen));
}

// A group that a pin holds together, and that is all that the rule matches.
void GroupPlanner::meltHeld(Forming& group, const FuseRule& rule, Matcher& matcher,
                            const TargetOffer& offer) const {
    const bool isMelted = std::any_of(
        group.selection().candidates.begin(), group.selection().candidates.end(),
        [](const Candidate& one) { return one.implementation == meltedImplementation()->name(); });
    if (!group.byPin || !group.stacked || isMelted)
        return;
    RuleMatchOptions options;
    options.offer = &offer;
    options.accept = [&](const Match& match) { return inOrder(match.nodes) == group.nodes; };
    const auto found = matchRule(matcher, rule.tree->rule, *rule.patterns, m_graph,
                                 {group.nodes.back(), 0}, options);
    if (found && found->match)
        melt(group, rule.place(), {});
}

// Whether the rule is for the target; a composite of a library that is not used is not, unless the
// library is the user's, who is told what to write.
bool GroupPlanner::isMeant(const FuseRule& rule, const TargetOffer& offer) const {
    const FuseTree& tree = *rule.tree;
    return isFor(tree, offer) && (tree.as != FuseAs::Library || isOfUser(rule) ||
                                  std::find(offer.libraries.begin(), offer.libraries.end(),
                                            tree.library) != offer.libraries.end());
}

bool GroupPlanner::isOfUser(const FuseRule& rule) const {
    const FuseTree& tree = *rule.tree;
    const auto declared =
        tree.as == FuseAs::Library ? m_catalog.library(kernelName(tree.library).library) : nullptr;
    return declared != nullptr && declared->isDeclared();
}

void GroupPlanner::tellOfRule(const FuseRule& rule, const Node& root, Decision told) {
    told.subject = rule.tree->name + " at " + root.name;
    if (told.code == ReasonCode::FuseRuleRefused)
        told.evidence = fmt::format("{}, {}", rule.place(), told.evidence);
    m_toldOfRule.emplace_back(root.id, told);
    // That a library is not loaded is told once.
    const bool again =
        told.code == ReasonCode::LibraryNotLoaded &&
        std::any_of(m_plan.notices.begin(), m_plan.notices.end(),
                    [&](const Decision& one) { return one.evidence == told.evidence; });
    if (!again)
        m_plan.notices.push_back(std::move(told));
}

void GroupPlanner::applyRuleAt(const Node& root, const FuseRule& rule, Matcher& matcher,
                               const TargetOffer& offer, std::size_t& alone) {
    const bool ofUser = isOfUser(rule);
    Made made;
    std::optional<std::pair<std::size_t, Made>> furthest; // operators
    RuleMatchOptions options;
    options.offer = &offer;
    options.accept = [&](const Match& match) {
        const bool taken = ofUser || match.nodes.size() > 1;
        alone += taken ? 0 : 1;
        return taken;
    };
    options.refuse = [&](const Match& match) -> std::optional<Refusal> {
        made = groupOf(rule, inOrder(match.nodes), root);
        if (made.group)
            return std::nullopt;
        const std::size_t count = match.nodes.size();
        if (!furthest ||
            std::pair(count, made.step) > std::pair(furthest->first, furthest->second.step))
            furthest.emplace(count, made);
        return Refusal{made.told.evidence, made.step};
    };
    const Result<RuleMatch> found =
        matchRule(matcher, rule.tree->rule, *rule.patterns, m_graph, {root.id, 0}, options);
    if (!found)
        return tellOfRule(rule, root, refused(Illegal, found.diag().message).told);
    if (found->match) {
        if (!made.told.subject.empty())
            m_plan.notices.push_back(made.told);
        return add(std::move(*made.group),
                   ofUser ? "a composite puts them together" : "a fusion rule puts them together",
                   ReasonCode::FuseRuleApplied, rule.place());
    }
    if (!found->failed)
        return;
    if (found->failed->step == 0)
        return tellOfRule(rule, root, refused(Illegal, found->failed->sentence).told);
    if (const auto& call = furthest->second.call)
        m_refusedCalls[call->first].push_back(call->second);
    tellOfRule(rule, root, furthest->second.told);
}

void GroupPlanner::applyRule(const FuseRule& rule) {
    const FuseTree& tree = *rule.tree;
    const TargetOffer offer{targetKeys(m_target), m_catalog.libraries(m_target)};
    if (!isMeant(rule, offer))
        return;
    Matcher matcher(m_graph, m_book.patterns());
    std::size_t alone = 0; // matches of one operator
    const std::size_t formed = m_forming.size(), told = m_plan.notices.size();
    // From the last to the first, so that the longest form is found before its beginnings.
    for (auto at = m_graph.nodes().rbegin(); at != m_graph.nodes().rend(); ++at) {
        const Node& root = **at;
        if (!isOperator(root))
            continue;
        if (!m_where.contains(root.id))
            applyRuleAt(root, rule, matcher, offer, alone);
        else if (tree.as == FuseAs::Melted)
            meltHeld(m_forming[m_where.at(root.id)], rule, matcher, offer);
    }
    if (alone > 0 && m_forming.size() == formed && m_plan.notices.size() == told)
        m_plan.notices.push_back(
            {tree.name, Verdict::No, ReasonCode::FuseRuleRefused,
             fmt::format("{}, what it matches is one operator, which is a group by itself",
                         rule.place())});
}

} // namespace fw
