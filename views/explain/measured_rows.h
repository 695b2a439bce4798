// Rows of what was measured of the selected groups: beside the baseline, and alone, split into
// their operators, and forced together.
#pragma once

#include "views/common/document_parts.h"

class QTreeWidget;

namespace fw::ui {

// Groups of these nodes of the fused graph, in the order of the plan.
std::vector<int> groupsOf(const DocumentParts& document, const std::set<snapshot::NodeId>& nodes);
void addMeasuredRows(QTreeWidget* table, const DocumentParts& document,
                     const std::vector<int>& groups);

} // namespace fw::ui
