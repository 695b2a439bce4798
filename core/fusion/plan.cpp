#include "fusion/plan.h"

#include "base/stopwatch.h"
#include "fusion/branches.h"
#include "fusion/group_parts.h"
#include "fusion/group_planner.h"
#include "fusion/layout.h"
#include "fusion/lower_groups.h"
#include "syntax/declarations.h"

#include <chrono>

namespace fw {

Result<FusionPlan> planFusion(const Graph& graph, const Target& target,
                              const PlanOptions& options) {
    FW_TRY(FusionPlan plan, GroupPlanner(graph, target, options).run());
    // When all that the groups took to form is gone.
    for (Group& group : plan.groups) {
        divideAtCall(graph, target, *options.catalog, group);
        for (Group& part : group.parts)
            divideAtCall(graph, target, *options.catalog, part);
    }
    chooseLayouts(graph, target, plan, options.border);
    const auto start = std::chrono::steady_clock::now();
    FW_CHECK(lowerGroups(graph, target, options, plan));
    settleBranches(graph, plan);
    priceScattered(graph, target, plan); // when it is known who computes what
    plan.lowerMs = millisecondsSince(start);
    return plan;
}

RefuseMatch refusalOfGroups(const DeclarationTree& declaration, const Graph& graph) {
    if (!isA<FuseTree>(declaration))
        return {};
    static const Target none;
    // Made when it is first asked.
    const auto planner = std::make_shared<std::unique_ptr<GroupPlanner>>();
    return [&graph, planner](const Match& match) -> std::optional<Refusal> {
        if (*planner == nullptr)
            *planner = std::make_unique<GroupPlanner>(graph, none, PlanOptions());
        std::string why = (*planner)->whyNoGroup(match.nodes);
        return why.empty() ? std::nullopt : std::optional(Refusal{std::move(why)});
    };
}

} // namespace fw
