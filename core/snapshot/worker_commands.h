// By which command of the worker a document is asked for.
#pragma once

#include "snapshot/documents.h"

namespace fw::snapshot {

template <class Document>
inline constexpr const char* commandOf = nullptr; // of none

#define FW_INNER(worker, Document, about)                                                          \
    template <>                                                                                    \
    inline constexpr const char* commandOf<Document> = #worker;
#define FW_COMMAND(name, worker, Document, traits, about, ...) FW_INNER(worker, Document, about)
#include "snapshot/commands.def"

} // namespace fw::snapshot
