// Groups that one of several implementations computes, by the sizes of a run: parts of
// GroupKind::Choice, each the whole group by another implementation.
#pragma once

#include "fusion/group.h"

namespace fw {

// A group by one implementation becomes one of GroupKind::Choice, if there are branches.
void divideByBranches(const std::vector<Branch>& branches, Group& group);

// When code was made: a way that has none is the same as another now. What is left is told
// (CHO09).
void settleBranches(const Graph& graph, FusionPlan& plan);

// "few_rows where M <= 16: M = N (my.fw:3), else generated.tiled"
std::string branchesText(const Group& group);
// "where M <= 16: M = N (my.fw:3)" of a part; "else" of the last.
std::string conditionText(const Group& part);

} // namespace fw
