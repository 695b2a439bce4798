// What became of the matches that rules have in a model before it is rewritten.
#pragma once

#include "rewrite/driver.h"
#include "snapshot/book_records.h"

namespace fw {

// Of rules: MatchRecord::outcome says which application took the match, or a part of it before.
// Empty where nothing of it was erased. `before`: the graph of the matches, which `trace` rewrote.
void tellOutcomes(const Graph& before, const RewriteTrace& trace, snapshot::MatchDocument& out);

// Which rules made operators of matches that there are behind them; in the order of the book.
std::vector<std::string> makersOf(const std::vector<Match>& matches, const RewriteTrace& trace);
// Which rules took operators of matches that there are before them; likewise.
std::vector<std::string> takersOf(const Graph& before, const std::vector<Match>& matches,
                                  const RewriteTrace& trace);

} // namespace fw
