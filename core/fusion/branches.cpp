#include "fusion/branches.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

bool sameWay(const Group& a, const Group& b) {
    return a.parts.empty() && b.parts.empty() && a.kind == b.kind &&
           a.computedBy() == b.computedBy();
}

// The refusals of a part's candidates are those of the group.
void tellRefusals(const Group& part, Group& group) {
    for (std::size_t i = 0; i < part.candidates.size() && i < group.candidates.size(); ++i)
        if (part.candidates[i].code == ReasonCode::LoweringRefused)
            group.candidates[i] = part.candidates[i];
}

} // namespace

void divideByBranches(const std::vector<Branch>& branches, Group& group) {
    if (branches.empty())
        return;
    const Group plain = group;
    group.kind = GroupKind::Choice;
    for (const Branch& branch : branches) {
        Group& part = group.parts.emplace_back(plain);
        part.implementation = branch.name;
        part.by = branch.implementation;
        part.kind = part.by->library() != nullptr ? GroupKind::Call : GroupKind::Kernel;
        part.when = branch.when;
        part.branch = static_cast<int>(group.parts.size()) - 1;
        for (const Candidate& candidate : part.candidates)
            if (candidate.implementation == branch.name)
                part.estimateUs = candidate.estimateUs;
    }
    group.parts.push_back(plain);
    group.parts.back().branch = static_cast<int>(branches.size());
}

void settleBranches(const Graph& graph, FusionPlan& plan) {
    for (Group& group : plan.groups) {
        if (group.kind != GroupKind::Choice)
            continue;
        std::vector<Group>& parts = group.parts;
        for (const Group& part : parts)
            tellRefusals(part, group);
        while (parts.size() > 1 && sameWay(parts[parts.size() - 2], parts.back()))
            parts.erase(parts.end() - 2);
        const Group last = parts.back();
        group.implementation = last.implementation;
        group.by = last.by;
        group.source = last.source;
        group.estimateUs = last.estimateUs;
        for (std::size_t i = 0; i < group.candidates.size() && i < last.candidates.size(); ++i)
            if (group.candidates[i].code != ReasonCode::LoweringRefused)
                group.candidates[i] = last.candidates[i];
        if (parts.size() == 1) {
            group.kind = last.kind;
            group.lowering = last.lowering;
            group.parts = last.parts;
            continue;
        }
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].branch = static_cast<int>(i);
        plan.notices.push_back({graph.node(group.anchor).name, Verdict::Yes,
                                ReasonCode::ChosenBySize, branchesText(group)});
    }
}

std::string conditionText(const Group& part) {
    if (!part.when)
        return "else";
    for (const Candidate& candidate : part.candidates)
        if (candidate.branch && candidate.implementation == part.implementation)
            return "where " + candidate.where;
    return "where " + part.when->text();
}

std::string branchesText(const Group& group) {
    std::string out;
    for (const Group& part : group.parts)
        out += part.when ? fmt::format("{} {}, ", part.computedBy(), conditionText(part))
                         : "else " + part.computedBy();
    return out;
}

} // namespace fw
