// What the filters of a view (kept_view.h) are about, and hide, in a graph.
#pragma once

#include "snapshot/kept_view.h"
#include "snapshot/node_search.h"
#include "snapshot/provenance.h"

namespace fw::snapshot {

// As a filter names it.
std::string filterName(const NodeRecord& node);

// The nodes of the graph that the filter is about. Usage: its query cannot be asked.
Result<NodeSet> filteredBy(const KeptFilter& filter, const GraphDocument& graph,
                           const NodeSearch& search);
// Of these, what it hides. Where there are none of them it hides nothing.
NodeSet hiddenBy(const KeptFilter& filter, const GraphDocument& graph, const NodeSet& these);

} // namespace fw::snapshot
