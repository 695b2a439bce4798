#include "runtime/library_code.h"

#include <cstdlib>
#include <strings.h>

namespace fw::runtime {

const LibraryCode& codeOf(LibraryId library) {
    switch (library) {
#define FW_LIBRARY(id, ...)                                                                        \
    case LibraryId::id:                                                                            \
        return code##id;
#include "libraries/rows.def"
    case LibraryId::User: // known by their names: user_library.h
        break;
    }
    std::abort();
}

const LibraryLevel* LibraryLevels::find(const std::string& name) const {
    for (const LibraryLevel& level : *this)
        if (strcasecmp(level.name, name.c_str()) == 0)
            return &level;
    return nullptr;
}

} // namespace fw::runtime
