// The commands of the worker: a table from name to function, each giving its document as JSON.
#pragma once

#include "session/pipeline_store.h"
#include "session/sent_files.h"
#include "snapshot/protocol.h"

namespace fw {

class Commands {
public:
    // Writes the JSON text of the command's document on one line, once it is made.
    using Write = std::function<void(const snapshot::JsonSink& sink)>;
    // Broken invariants become an Internal diagnostic.
    Result<Write> answer(const snapshot::Request& request, const Context& context);
    // The text as a whole.
    Result<std::string> run(const snapshot::Request& request, const Context& context);

    static std::vector<std::string> names();
    void end() { m_sent.end(); } // of the process: it leaves nothing behind

private:
    PipelineStore m_store;
    SentFiles m_sent; // by another machine
};

} // namespace fw
