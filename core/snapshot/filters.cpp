#include "snapshot/filters.h"

#include "snapshot/hidden.h"
#include "snapshot/neighbourhood.h"

#include <unordered_set>

namespace fw::snapshot {

std::string filterName(const NodeRecord& node) {
    return node.outputs.empty() || node.outputs[0].name.empty() ? node.name : node.outputs[0].name;
}

Result<NodeSet> filteredBy(const KeptFilter& filter, const GraphDocument& graph,
                           const NodeSearch& search) {
    NodeSet out;
    if (!filter.query.empty()) {
        FW_TRY(const std::vector<QueryTerm> query, parseQuery(filter.query));
        FW_TRY(const std::vector<NodeId> found, search.find(query));
        out.insert(found.begin(), found.end());
        return out;
    }
    const std::unordered_set<std::string> names(filter.nodes.begin(), filter.nodes.end());
    for (const NodeRecord& node : graph.nodes)
        if (!node.constant && names.contains(filterName(node)))
            out.insert(node.id);
    return out;
}

NodeSet hiddenBy(const KeptFilter& filter, const GraphDocument& graph, const NodeSet& these) {
    if (these.empty() || filter.shows == KeptFilter::Shows::Others)
        return these;
    return othersThan(graph, filter.shows == KeptFilter::Shows::These
                                 ? these
                                 : nodesAround(graph, these, static_cast<int>(filter.steps)));
}

} // namespace fw::snapshot
