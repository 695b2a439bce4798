// The commands of the worker: a table from name to function, each giving its document as JSON.
#pragma once

#include "session/pipeline.h"
#include "snapshot/protocol.h"

namespace fw {

class Commands {
public:
    // The JSON text of the command's document on one line. Broken invariants become an Internal
    // diagnostic.
    Result<std::string> run(const snapshot::Request& request, const Context& context);

    static std::vector<std::string> names();

private:
    PipelineStore m_store;
};

} // namespace fw
