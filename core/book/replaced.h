// Operators of books that stand where a shipped one of their name did.
#pragma once

#include "book/book.h"

namespace fw {

// Shipped rules speak of shipped operators: those of the first `shipped` books that name one which
// a later book replaces are taken out. A warning at each such operator says which. Calls of a
// rule's right side count as well.
void leaveOutReplaced(std::vector<ReadBook>& books, std::size_t shipped,
                      const PatternTable& patterns, const OperatorSet& operators,
                      Diags& diagnostics);

} // namespace fw
