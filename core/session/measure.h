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
Result<snapshot::BenchRow> benchModel(Pipeline& pipeline, const snapshot::Arguments& arguments,
                                      const Context& context);
Result<snapshot::ProfileDocument>
profileModel(Pipeline& pipeline, const snapshot::Arguments& arguments, const Context& context);
// One backend-test folder: every data set; unsupported if the model cannot be compiled.
snapshot::CaseRecord testFolder(PipelineStore& store, const std::string& folder,
                                const snapshot::Arguments& arguments, const Context& context);

} // namespace fw
