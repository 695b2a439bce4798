// Running and timing a loaded model.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

// The operands of a run: the test folder's first data set, files named in the arguments, or seeded
// values.
struct Operands {
    std::vector<TensorData> inputs;
    bool random = false;
};
Result<Operands> operandsFor(Pipeline& pipeline, LoadedModule& module,
                             const snapshot::Arguments& arguments, const Context& context);

Result<snapshot::RunDocument> runModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                       const Context& context);
// `notices`: what ran otherwise than it was planned, and rules that are refuted.
Result<snapshot::BenchRow> benchModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                      const Context& context, std::vector<std::string>& notices);
Result<snapshot::ProfileDocument>
profileModel(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
