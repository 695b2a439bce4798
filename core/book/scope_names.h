// For what a name without parentheses stands in the patterns of a book: what the declaration gives
// it to, else what this book declares, or one that it includes, or a shipped one. Anywhere else it
// is a value, but behind >>, where it is the chain of whatever book.
#pragma once

#include "book/book.h"

namespace fw {

// Marks the names of values (PatternTree::value). `isShipped`: also of a shipped text that the user
// names, as it is; beside `books`.
void scopeNames(std::vector<ReadBook>& books, const std::vector<bool>& isShipped,
                const OperatorSet& operators);

} // namespace fw
