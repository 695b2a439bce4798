// The computation of a group: the stages of its nodes joined into one OpInst.
#pragma once

#include "fusion/plan.h"

namespace fw {

struct GroupBody {
    OpInst inst;                   // tensors in0.., out0.., and t0.. for values inside
    std::vector<ValueRef> inputs;  // value behind each input
    std::vector<ValueRef> outputs; // value behind each output
    std::vector<StorageMap> inputLayouts;
    std::vector<StorageMap> outputLayouts;
    std::vector<bool> constantInput; // the value is a constant of the graph
};

// Names depend only on positions, so equal groups have equal bodies. Stages whose result nobody
// reads are left out. Group inputs that are constants of one element become literals. What comes
// back has passed verify(); Internal with the group and its nodes otherwise.
Result<GroupBody> groupBody(const Graph& graph, const FusionPlan& plan, const Group& group);

} // namespace fw
