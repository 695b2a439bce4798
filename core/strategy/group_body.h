// The computation of a group: the stages of its nodes joined into one OpInst.
#pragma once

#include "ir/graph.h"
#include "ir/storage_map.h"
#include "schedule/written.h"

#include <functional>
#include <span>
#include <string_view>

namespace fw {

// A group as its implementation sees it; valid as long as the graph and the plan.
struct GroupSite {
    const Graph* graph = nullptr;
    std::string_view name;
    std::span<const NodeId> nodes; // in topological order
    NodeId anchor = -1;
    std::span<const ValueRef> inputs;  // read from outside, in order of first use
    std::span<const ValueRef> outputs; // used outside or results
    std::function<StorageMap(ValueRef)> layout;
    // Whether an output may be written where an operand lies, as far as other groups go.
    std::function<bool(ValueRef operand, ValueRef output)> mayReuse;
    // What computes the anchor instead of its operator's expression, if anything does: with as many
    // inputs as the node has operands that are there, and as many outputs as it has.
    std::function<Result<OpInst>()> computation = {};
};

struct GroupBody {
    OpInst inst;                       // tensors in0.., out0.., and t0.. for values inside;
                                       // Stage::nodes are positions in the group
    std::vector<std::size_t> operands; // of each input: its position in GroupSite::inputs
    std::vector<StorageMap> inputLayouts;
    std::vector<StorageMap> outputLayouts; // outputs are those of the site, in order
    StorageMaps innerLayouts;              // of values inside that have an order of their own
    std::vector<bool> constantInput;       // the value is a constant of the graph
    OwnNames anchor;                       // what its operator calls what is in `inst`
};

// Names depend only on positions, so equal groups have equal bodies. Stages whose result nobody
// reads are left out. Group inputs that are constants of one element become literals. What comes
// back has passed verify(); Internal with the group and its nodes otherwise.
Result<GroupBody> groupBody(const GroupSite& site);

} // namespace fw
