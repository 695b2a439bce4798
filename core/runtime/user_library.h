// Shared libraries that users bring, by the interface of fusewright_library.h.
//
// One is opened once per process and name and never closed. Whether it may be opened is decided by
// who asks: the engine opens what a book declares and the user agreed to, an exported module what
// lies beside it or what a variable names.
#pragma once

#include "runtime/fusewright_library.h"
#include "runtime/prepared_call.h"

namespace fw::runtime {

struct UserLibrary {
    LibraryInfo info;
    std::string name;
    std::string content; // of the file, as who opened it says
    const fwl_library* descriptor = nullptr;

    const fwl_kernel* find(const std::string& kernel) const; // null: it has none of that name
    std::string kernels() const;                             // "conv_bias_relu, pool"
};

// Opens it on the first call of that name; later ones get what was opened then.
const UserLibrary& openUserLibrary(const std::string& name, const std::string& path,
                                   const std::string& content);
const UserLibrary* openedUserLibrary(const std::string& name); // null: it was not opened

// The variable that names another file, or, empty, switches the library off: "FUSEWRIGHT_TOYLIB".
std::string userLibraryVariable(const std::string& name);

} // namespace fw::runtime
