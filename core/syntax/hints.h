// What people write who know other languages, and what it is here: the hints of errors of the
// grammar. Private to the parser.
#pragma once

#include "syntax/lexer.h"

namespace fw {

// Where the grammar does not go on at a token: what is written there instead; empty if that is not
// known.
std::string hintOfGrammar(const std::vector<Token>& tokens, std::size_t at);
// Where a declaration should begin: what of this language a word is like.
std::string hintOfDeclaration(const std::vector<Token>& tokens, std::size_t at,
                              const std::vector<std::string>& keywords);

// Whether a word is one that other languages have between conditions or in front of a priority, so
// that it names no implementation.
bool isForeignClause(const Token& token);

// What an error calls a token: 'x', "a text", the end of the text.
std::string tokenText(const Token& token);

} // namespace fw
