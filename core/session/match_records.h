// What one declaration finds in a graph, as a record.
#pragma once

#include "rewrite/matches.h"
#include "session/book_texts.h"
#include "session/near_miss_fix.h"
#include "snapshot/protocol.h"

#include <string>

namespace fw {

// Of this declaration in this graph.
MatchLimits limitsOn(const Graph& graph, const DeclarationTree& declaration, MatchLimits limits);

// `text`: the whole book; `verdict`: what its check says of the declaration, which finds nothing
// where that is an error.
snapshot::RuleMatches matchesOf(const Graph& graph, const DeclarationPtr& declaration,
                                const std::string& file, const ReadText& text, const Books& books,
                                const Diags& verdict, const MatchLimits& limits);

} // namespace fw
