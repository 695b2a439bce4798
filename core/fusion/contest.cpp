// A group that a fusion rule asks for beside what growth would make of the same operators: where a
// library computes the anchor, neither the implementation nor the group can be chosen alone.
#include "fusion/group_planner.h"

#include "ir/subgraph.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

double GroupPlanner::costOf(const Forming& group) const {
    return describe(group).estimateUs;
}

Result<GroupPlanner::Split> GroupPlanner::split(const Forming& group) const {
    const Group whole = describe(group);
    std::vector<ValueRef> inputs;
    for (const ValueRef& input : whole.inputs)
        if (m_graph.constant(input) == nullptr)
            inputs.push_back(input);
    std::vector<NamedValue> results;
    for (const ValueRef& output : whole.outputs)
        results.push_back({m_graph.output(output).name, output});
    FW_TRY(const GraphPtr part, partOf(m_graph, inputs, results));
    const FusionBook book = m_book.withoutRules();
    PlanOptions options;
    options.catalog = &m_catalog;
    options.book = &book;
    options.cancel = m_cancel;
    FW_TRY(const FusionPlan plan, GroupPlanner(*part, m_target, options).run());
    Split out;
    for (const Group& one : plan.groups)
        if (one.hasCode()) {
            out.us += one.estimateUs;
            out.groups += fmt::format("{}{} by {} {:.3g} us", out.groups.empty() ? "" : ", ",
                                      one.name, one.implementation, one.estimateUs);
        }
    return out;
}

} // namespace fw
