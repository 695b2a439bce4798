// Declarations that name one that is wrong: they are told to depend on it, once, in place of what
// follows from that.
#pragma once

#include "book/book.h"

#include <set>
#include <string>

namespace fw {

struct TestTree;

Diag refusedBelow(const std::string& name, const Span& span, const std::string& file);

// A declaration that names a pattern or chain which is refused: without that, a chain's name would
// be a capture and stand for any value.
std::optional<Diag> needsRefused(const DeclarationPtr& declaration,
                                 const std::set<std::string>& refused, const std::string& file);

// Where a refused declaration says that there is no such operator, pattern, chain, schedule, target
// or library, and one of that name is wrong: that is said in its place.
void tellDependents(std::vector<ReadBook>& books);

// A test whose subject the grammar refuses: the one that `of` names, else the last before it.
std::optional<Diag> brokenSubject(const std::vector<ReadBook>& books, const ReadBook& book,
                                  const TestTree& test);

} // namespace fw
