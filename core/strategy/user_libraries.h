// Libraries that books declare: shared libraries of the user, whose kernels composites name.
#pragma once

#include "base/result.h"
#include "syntax/library.h"

namespace fw {

struct DeclaredLibrary {
    std::string name;
    std::string path; // absolute: from the folder of the book
    std::string doc;
    Where where; // of the declaration
};

// A name that is taken or that nobody could write, a path that does not begin at the book.
Diags checkLibrary(const LibraryTree& library, const std::string& file);

// Of a declaration without errors, in that book.
DeclaredLibrary declaredLibrary(const LibraryTree& library, const std::string& file);

// "toylib.conv" is the kernel conv of toylib. Nothing behind the name: an empty kernel.
struct KernelName {
    std::string library;
    std::string kernel;
};
KernelName kernelName(std::string_view text);

std::vector<std::string> namesOf(const std::vector<DeclaredLibrary>& libraries);

} // namespace fw
