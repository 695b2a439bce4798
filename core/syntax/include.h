// The tree of `include "other.fw"`: another book that is read before this one.
#pragma once

#include "syntax/parser.h"

namespace fw {

struct IncludeTree : DeclarationTree { // named by the path as it is written
    Span pathSpan;
};

// Only those of a text, without what is wrong in it.
std::vector<std::shared_ptr<const IncludeTree>> includesOf(std::string_view text);

} // namespace fw
