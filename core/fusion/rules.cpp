// Groups that books ask for: pins of the user first, then fusion rules and composites.
//
// What they name is one group or none. The implementation is asked for every operator; what it does
// not take is stacked, nest after nest in one function, where a pin or `as stacked` says so.
#include "fusion/planner.h"

#include "rewrite/apply.h"
#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

void GroupPlanner::refusePin(const PinRule& pin, std::string why) {
    m_plan.notices.push_back({"pin at " + pin.place(), Verdict::No, ReasonCode::PinRefused,
                              fmt::format("{} ({})", why, pin.place())});
}

std::optional<std::vector<NodeId>> GroupPlanner::pinnedNodes(const PinRule& pin) {
    std::set<NodeId> found;
    for (const std::string& name : pin.clause.names) {
        const Node* node = m_graph.findByName(name);
        if (node == nullptr || !isOperator(*node)) {
            refusePin(pin, node == nullptr ? "there is no operator named " + name
                                           : name + " is no operator");
            return std::nullopt;
        }
        found.insert(node->id);
    }
    std::vector<NodeId> out(found.begin(), found.end());
    std::sort(out.begin(), out.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    return out;
}

void GroupPlanner::readPins() {
    for (const PinRule& pin : m_book.pins()) {
        if (pin.clause.kind == PinKind::Avoid)
            avoid(pin);
        if (pin.clause.kind == PinKind::Together || pin.clause.kind == PinKind::Avoid)
            continue;
        const auto nodes = pinnedNodes(pin);
        if (!nodes)
            continue;
        if (pin.clause.kind == PinKind::Use) {
            for (const NodeId id : *nodes)
                m_use.insert_or_assign(id, pin.clause.implementation);
            continue;
        }
        for (const NodeId a : *nodes)
            for (const NodeId b : *nodes)
                if (a != b)
                    m_apart.emplace(std::pair(a, b), "pin at " + pin.place());
    }
    for (const PinRule& pin : m_book.pins())
        if (pin.clause.kind == PinKind::Together)
            holdTogether(pin);
}

std::optional<std::string> GroupPlanner::apart(NodeId a, NodeId b) const {
    const auto found = m_apart.find({a, b});
    return found == m_apart.end() ? std::nullopt : std::optional(found->second);
}

std::string GroupPlanner::pinned(NodeId id) const {
    const auto found = m_use.find(id);
    return found == m_use.end() ? std::string() : found->second;
}

void GroupPlanner::avoid(const PinRule& pin) {
    const std::string& name = pin.clause.implementation;
    const std::vector<std::string>& libraries = knownLibraries();
    const std::string entry(entryOf(name));
    const auto declared = m_catalog.library(kernelName(name).library);
    if (m_catalog.find(entry) == nullptr && !m_catalog.book().names(entry) &&
        (declared == nullptr || !declared->isDeclared()) &&
        std::find(libraries.begin(), libraries.end(), name) == libraries.end())
        return refusePin(pin, name + " is neither an implementation nor a library");
    const Avoided avoided{name,
                          fmt::format("{} at {}{}{}", name, pin.place(),
                                      pin.clause.because.empty() ? "" : ", ", pin.clause.because)};
    if (pin.clause.names.empty())
        return m_avoidAlways.push_back(avoided);
    if (const auto nodes = pinnedNodes(pin))
        for (const NodeId id : *nodes)
            m_avoid[id].push_back(avoided);
}

Selection GroupPlanner::choose(NodeId id, const std::string& use) const {
    Wishes wishes{use, m_avoidAlways};
    if (const auto found = m_avoid.find(id); found != m_avoid.end())
        wishes.avoid.insert(wishes.avoid.end(), found->second.begin(), found->second.end());
    Selection out = m_catalog.select(workload(id), m_target, wishes);
    if (const auto refused = m_refusedCalls.find(id); refused != m_refusedCalls.end())
        out.candidates.insert(out.candidates.end(), refused->second.begin(), refused->second.end());
    return out;
}

std::string GroupPlanner::illegal(const std::vector<NodeId>& nodes) const {
    const std::set<NodeId> members(nodes.begin(), nodes.end());
    for (const NodeId id : nodes) {
        if (m_where.contains(id))
            return label(id) + " is in another group that a pin or rule made";
        if (isView(m_graph, m_graph.node(id)))
            return label(id) + " is a view, it computes nothing";
        if (m_facts.at(id).kind == FusionKind::Opaque)
            return fmt::format("{} has no tensor expression", m_graph.node(id).shownOp());
        for (const NodeId other : nodes)
            if (const auto pin = apart(id, other))
                return fmt::format("{} and {} are kept apart, {}", label(id), label(other), *pin);
        if (const auto later = knownLater(nodes.front(), id))
            return *later;
    }
    if (const std::string back = wayBack(members); !back.empty())
        return "a path leaves the group and returns: " + back;
    return {};
}

NodeId GroupPlanner::anchorOf(const std::vector<NodeId>& nodes) const {
    NodeId out = nodes.front();
    for (const NodeId id : nodes)
        if (m_facts.at(id).kind > m_facts.at(out).kind)
            out = id;
    return out;
}

Forming GroupPlanner::assemble(const std::vector<NodeId>& nodes, NodeId anchor, Selection selection,
                               std::string& refusal) const {
    Forming out;
    out.anchor = workload(anchor);
    out.choose(std::move(selection));
    out.anchored = !isMapKind(out.anchor.facts.kind);
    out.closed = true;
    const auto note = [&](NodeId id, const Answer& answer) {
        if (!answer.yes() && refusal.empty())
            refusal =
                fmt::format("{}: {}", label(id),
                            Decision{{}, Verdict::No, answer.code, answer.evidence}.sentence());
    };
    const bool library = out.selection().implementation != nullptr &&
                         out.selection().implementation->library() != nullptr;
    // A call hands on one value: what follows it reads that value, and nobody else does.
    const auto endsCall = [&](const Node& node) {
        const ValueRef last{out.call.empty() ? anchor : out.call.back(), 0};
        return out.call.empty() || m_graph.isResult(last) || m_graph.uses(last).size() != 1 ||
               std::find(node.inputs.begin(), node.inputs.end(), last) == node.inputs.end();
    };
    for (const NodeId id : nodes) {
        const Workload next = workload(id);
        if (library && id == anchor)
            out.call.push_back(id);
        if (m_position.at(id) < m_position.at(anchor))
            note(id, m_catalog.absorbsPrologue(out.selection(), next, out.anchor));
        else if (id != anchor && !isMapKind(next.facts.kind))
            note(id, {Verdict::No, ReasonCode::AlreadyAnchored,
                      fmt::format("{} and {}", out.anchor.node->op, next.node->op)});
        else if (library && id != anchor && endsCall(*next.node))
            note(id, {Verdict::No, ReasonCode::CannotAbsorb,
                      fmt::format("it does not follow {} alone", label(out.call.back()))});
        else if (library && id != anchor) {
            const Answer answer = m_catalog.absorbsEpilogue(
                out.selection(), {out.anchor, {out.call.begin() + 1, out.call.end()}}, next);
            note(id, answer);
            if (answer.yes())
                out.call.push_back(id);
        } else if (id != anchor)
            note(id, m_catalog.absorbsEpilogue(out.selection(), out.growing(), next));
        out.nodes.push_back(id);
        out.kind = out.nodes.size() == 1 ? next.facts.kind : std::max(out.kind, next.facts.kind);
    }
    out.stacked = !refusal.empty();
    return out;
}

void GroupPlanner::add(Forming group, std::string_view gate, ReasonCode code,
                       const std::string& evidence) {
    const std::size_t index = m_forming.size();
    for (const NodeId id : group.nodes)
        for (const ValueRef& input : m_graph.node(id).inputs)
            if (input.valid() && group.has(input.node)) {
                GateList gates(edgeName(input.node, id));
                gates.pass("convex", true, ReasonCode::NotConvex, "no path leaves the group");
                gates.ask(gate, {Verdict::Yes, code, evidence});
                record(gates.take(input.node, id));
            }
    m_forming.push_back(std::move(group));
    for (const NodeId id : m_forming[index].nodes)
        claim(index, id);
}

void GroupPlanner::holdTogether(const PinRule& pin) {
    const auto nodes = pinnedNodes(pin);
    if (!nodes)
        return;
    if (const std::string back = wayBack({nodes->begin(), nodes->end()}); !back.empty()) {
        m_plan.notices.push_back({"pin at " + pin.place(), Verdict::No, ReasonCode::NotConvex,
                                  fmt::format("{} ({})", back, pin.place())});
        return;
    }
    if (const std::string why = illegal(*nodes); !why.empty())
        return refusePin(pin, why);
    const std::string& wish = pin.clause.implementation;
    NodeId anchor = anchorOf(*nodes);
    Selection selection = choose(anchor, wish.empty() ? pinned(anchor) : wish);
    if (!wish.empty()) {
        // The call may compute another of them.
        std::string why;
        for (const Decision& notice : selection.notices)
            why = notice.evidence;
        for (const NodeId id : *nodes) {
            if (selection.source == "pin")
                break;
            selection = choose(id, wish);
            anchor = id;
        }
        if (selection.source != "pin")
            return refusePin(pin, why);
    }
    if (selection.implementation == nullptr)
        return refusePin(pin, "nothing computes " + label(anchor));
    std::string refusal;
    Forming group = assemble(*nodes, anchor, selection, refusal);
    if (!refusal.empty() && wish.empty() && selection.implementation->library() != nullptr) {
        // Without a wish for the library, code of ours holds them together better.
        const std::string own = bestOwn(selection);
        if (own.empty())
            return refusePin(pin, refusal);
        refusal.clear();
        group = assemble(*nodes, anchor, choose(anchor, own), refusal);
        Selection forced = group.selection();
        forced.source = "pin";
        group.choose(std::move(forced));
    }
    if (!refusal.empty() && group.selection().implementation->library() != nullptr)
        group.warnings.push_back({m_graph.node(anchor).name, Verdict::Note,
                                  ReasonCode::ExternInGroup,
                                  fmt::format("{}, {}", group.selection().name, refusal)});
    add(std::move(group), "held together by the user", ReasonCode::PinFollowed, pin.place());
}

std::string GroupPlanner::bestOwn(const Selection& selection) const {
    Candidates own;
    for (const Candidate& candidate : selection.candidates)
        if (candidate.by && candidate.by->library() == nullptr)
            own.push_back(candidate);
    const std::optional<Choice> choice = chooseAmong(own);
    return choice ? own[choice->index].implementation : std::string();
}

std::string GroupPlanner::escapeFrom(const RuleTree& rule, const Match& match) const {
    std::set<ValueRef> mayLeave(match.roots.begin(), match.roots.end());
    for (const RuleTree::Exposed& exposed : rule.expose)
        if (const auto part = match.bindings.values.find(exposed.name);
            part != match.bindings.values.end())
            mayLeave.insert(part->second);
    const std::set<NodeId> members(match.nodes.begin(), match.nodes.end());
    for (const NodeId id : match.nodes)
        for (std::size_t i = 0; i < m_graph.node(id).outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            if (id == match.roots.front().node || mayLeave.contains(value))
                continue;
            if (m_graph.isResult(value))
                return label(id) + " is a result of the model";
            for (const Use& use : m_graph.uses(value))
                if (!members.contains(use.node))
                    return fmt::format("{} is read by {}", label(id), label(use.node));
        }
    return {};
}

void GroupPlanner::applyRule(const FuseRule& rule) {
    const FuseTree& tree = *rule.tree;
    const Offer offer{targetKeys(m_target), m_catalog.libraries(m_target)};
    const std::vector<std::string>& keys = offer.keys;
    const bool forTarget = tree.keys.empty() ||
                           std::any_of(tree.keys.begin(), tree.keys.end(), [&](const KeyTree& key) {
                               return std::find(keys.begin(), keys.end(), key.name) != keys.end();
                           });
    if (!forTarget)
        return;
    const auto declared =
        tree.as == FuseAs::Library ? m_catalog.library(kernelName(tree.library).library) : nullptr;
    const bool ofUser = declared != nullptr && declared->isDeclared();
    const PatternTable& patterns = m_book.patterns();
    Matcher matcher(m_graph, patterns);
    RuleTree conditions = tree.rule;
    const PreparedPatterns matched(tree.rule.match, patterns);
    conditions.duplicate = true; // who else reads the values is looked at here
    const auto several = [&](const Match& match) { return ofUser || match.nodes.size() > 1; };
    const auto refuse = [&](const Node& root, const std::string& why) {
        m_plan.notices.push_back({tree.name + " at " + root.name, Verdict::No,
                                  ReasonCode::FuseRuleRefused,
                                  fmt::format("{}, {}", rule.place(), why)});
    };
    // From the last to the first, so that the longest form is found before its beginnings.
    for (auto at = m_graph.nodes().rbegin(); at != m_graph.nodes().rend(); ++at) {
        const Node& root = **at;
        if (!isOperator(root) || m_where.contains(root.id))
            continue;
        const Result<RuleMatch> found =
            matchRule(matcher, conditions, matched, m_graph, {root.id, 0}, {&offer, several});
        if (!found) {
            refuse(root, found.diag().message);
            continue;
        }
        if (found->failed)
            refuse(root, found->failed->sentence);
        if (!found->match)
            continue;
        std::vector<NodeId> nodes = found->match->nodes;
        std::sort(nodes.begin(), nodes.end(),
                  [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
        if (const std::string why = illegal(nodes); !why.empty()) {
            refuse(root, why);
            continue;
        }
        const std::string escape = escapeFrom(tree.rule, *found->match);
        if (!escape.empty()) {
            refuse(root, escape);
            continue;
        }
        if (ofUser) {
            callKernel(rule, *declared, root, nodes);
            continue;
        }
        const NodeId anchor = anchorOf(nodes);
        Selection selection = choose(anchor, pinned(anchor));
        if (tree.as == FuseAs::Library) {
            std::string best;
            int priority = 0;
            for (const Candidate& candidate : selection.candidates) {
                const Library* library = candidate.by ? candidate.by->library() : nullptr;
                if (candidate.verdict == Verdict::Yes && library != nullptr &&
                    library->name() == tree.library &&
                    (best.empty() || candidate.priority > priority)) {
                    best = candidate.implementation;
                    priority = candidate.priority;
                }
            }
            if (best.empty())
                continue; // a composite of a library that is not used is no news
            if (best != selection.name) {
                selection = choose(anchor, best);
                selection.source = "rule";
            }
        }
        if (selection.implementation == nullptr)
            continue;
        std::string refusal;
        const std::string own = tree.as == FuseAs::Library ? std::string() : bestOwn(selection);
        Forming group = assemble(nodes, anchor, std::move(selection), refusal);
        const auto isCall = [&] { return group.selection().implementation->library() != nullptr; };
        const auto stacks = [&] { return tree.as == FuseAs::Stacked && !isCall(); };
        if (!refusal.empty() && isCall() && !own.empty() && pinned(anchor).empty()) {
            // A call would break the group up, so both plans are looked at as a whole.
            const std::string ofCall = std::exchange(refusal, {});
            group = assemble(nodes, anchor, choose(anchor, own), refusal);
            if (!refusal.empty() && !stacks()) {
                refuse(root, fmt::format("{}; {}", ofCall, refusal));
                continue;
            }
            const Result<Split> other = split(group);
            if (!other) {
                refuse(root, other.diag().message);
                continue;
            }
            const double together = costOf(group);
            const std::string costs =
                fmt::format("together by {} {:.3g} us, apart {:.3g} us ({})",
                            group.selection().name, together, other->us, other->groups);
            if (together > other->us) {
                refuse(root, fmt::format("{}, and it costs more: {}", ofCall, costs));
                continue;
            }
            Selection chosen = group.selection();
            chosen.source = "rule";
            group.choose(std::move(chosen));
            m_plan.notices.push_back({tree.name + " at " + root.name, Verdict::Yes,
                                      ReasonCode::FuseRuleApplied,
                                      fmt::format("{}, it costs less: {}", rule.place(), costs)});
        }
        if (!refusal.empty() && !stacks()) {
            refuse(root, refusal);
            continue;
        }
        add(std::move(group), "a fusion rule puts them together", ReasonCode::FuseRuleApplied,
            rule.place());
    }
}

} // namespace fw
