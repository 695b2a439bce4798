// What people write who know other languages, and what it is here: the hint of an error of the
// grammar. Private to the parser.
#pragma once

#include "syntax/lexer.h"

namespace fw {

// For an error at `tokens[at]`; empty if nothing is known about it.
std::string hintOfGrammar(const std::vector<Token>& tokens, std::size_t at);

} // namespace fw
