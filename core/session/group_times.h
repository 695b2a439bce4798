// Times of groups by themselves: `fw fuse --measure` and `fw profile --each`.
#pragma once

#include "session/measured_time.h"
#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// The steps of a module, each repeated on warm caches, in microseconds. The inputs must be set.
Result<std::vector<MeasuredTime>> timeSteps(LoadedModule& module, const MeasureEffort& effort,
                                            const Context& context);
// All of them together.
Result<MeasuredTime> timeStepsTogether(LoadedModule& module, const MeasureEffort& effort,
                                       const Context& context);

// The group of the plan that a step belongs to: its call or kernel, what is reordered around it,
// the stages of a group that a library's call is only one of. Null for copies of results.
const Group* groupOfStep(const FusionPlan& plan, const runtime::Step& step);

// The group that reads what this one computes, if both are kernels: a pin may make them one. Null
// otherwise.
const Group* kernelBehind(const Graph& graph, const FusionPlan& plan, const Group& group);
// For people: "generated", "onednn.matmul", "runtime.unique", "reference", "copy", "sizes".
std::string computedBy(const runtime::Program& program, const runtime::Step& step);

// Within 1e-3 and 1e-5, by the results of `graph`.
bool sameOutputs(const Graph& graph, const std::vector<TensorData>& got,
                 const std::vector<TensorData>& wanted);

struct SplitTime {
    double us = 0;                      // sum over the operators
    double iqrUs = 0;                   // likewise, of their spreads
    double estUs = 0;                   // what a plan of them expects
    std::map<std::string, double> each; // by the operator's name
    bool disturbed = false;             // one of the times
    bool agree = true;                  // the outputs are those of the group, within 1e-3 and 1e-5
};

// The operators of one group, each in a group of its own. The graph has no free dimensions.
Result<SplitTime> timeSplit(Pipeline& pipeline, const Group& group, std::uint64_t seed,
                            double seconds, const Context& context);

// The extents that the operands give to the model's free dimensions, for a pipeline without any.
Result<std::map<std::string, std::int64_t>>
boundDims(Pipeline& pipeline, const std::vector<TensorData>& operands, const Context& context);

// Fills alone_us, split_us and agree of every group that computes something; of arguments that name
// nodes, of their groups alone, which are all that is left then. Two of them are also timed
// together, whoever refused that.
Status measureGroups(Pipeline& pipeline, const snapshot::Arguments& arguments,
                     snapshot::FuseDocument& document, const Context& context);

} // namespace fw
