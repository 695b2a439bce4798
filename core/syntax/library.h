// The tree of `library NAME "FILE"`: a shared library of the user, whose kernels composites name.
#pragma once

#include "syntax/parser.h"

namespace fw {

struct LibraryTree : DeclarationTree {
    Span nameSpan;
    std::string file; // as written: a path from the folder of the book
    Span fileSpan;
};

// Only those of a text, without what is wrong in it.
std::vector<std::shared_ptr<const LibraryTree>> librariesOf(std::string_view text);

} // namespace fw
