// Shared libraries of the user as libraries like others: composites of books name their kernels.
//
// A library is opened when its status is first asked for, if the target names it and the user
// agreed to load it; nothing else opens it.
#pragma once

#include "extern/extern.h"
#include "strategy/user_libraries.h"

namespace fw {

// Its file, or another one that the environment names; empty if the environment switches it off.
std::string fileOf(const DeclaredLibrary& library);
// SHA-256 of the file's content; empty if it cannot be read.
std::string contentOf(const DeclaredLibrary& library);

// `agreed`: the names of libraries that the user wrote himself, or the contents of files that he
// agreed to load.
std::vector<std::shared_ptr<const Library>>
userLibraries(const std::vector<DeclaredLibrary>& declared, const std::vector<std::string>& agreed);

// Those that `target` names must be usable: LibraryNotAgreed, LibraryMissing with the reason, or
// LibraryLevel if this process opened another file under the name.
Status checkUserLibraries(const std::vector<DeclaredLibrary>& declared,
                          const std::vector<std::shared_ptr<const Library>>& libraries,
                          const Target& target);

} // namespace fw
