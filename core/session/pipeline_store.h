// The pipelines that were used last.
#pragma once

#include "session/pipeline.h"

namespace fw {

// A file that changed on disk is a new model; one that could not be
// imported is tried again.
class PipelineStore {
public:
    Result<Pipeline*> find(const PipelineInputs& inputs);

private:
    std::string modelStamp(const std::string& file);
    struct Entry {
        PipelineInputs inputs;
        std::string stamp; // size and time of the files
        std::unique_ptr<Pipeline> pipeline;
    };
    std::vector<Entry> m_entries; // last used first
    std::shared_ptr<SharedStages> m_shared = std::make_shared<SharedStages>();
};

} // namespace fw
