// What stands around a place in the text of a book, so that it is known while the text is typed:
// what the parser would take there (syntax/caret.h), and the names that the declaration binds,
// which are read from its words alone.
#pragma once

#include "syntax/caret.h"
#include "syntax/places.h"

#include <map>
#include <string>

namespace fw {

struct TextContext : Caret {
    std::string keyword;             // of the declaration: "rule"; empty outside
    std::size_t first = 0, last = 0; // tokens of the declaration: [first, last)
    std::size_t begin = 0, end = 0;  // bytes of the word at the place
    // What the declaration binds: value, attribute ("axis"), or list of attributes ("*a").
    std::map<std::string, std::size_t> values, attributes; // name -> first token
    std::map<std::string, std::size_t> dims;  // extents, packs and element types: x: T[N, S...]
    std::map<std::string, std::size_t> roots; // the values that `match` names
    std::string typed; // of them the one that only the word at the place would bind
};

// `words` is tokenize() of the text, comments and all.
TextContext contextAt(std::string_view text, const TokenList& words, std::size_t offset);

// Fills values, attributes, dims, roots and typed from the tokens [first, last); contextAt has done
// so.
void readNames(const std::vector<Token>& tokens, TextContext& out);

// A word of the language and what it says, in declarations of `in` (empty: it begins one).
struct LanguageWord {
    std::string_view word;
    std::string_view in;
    std::string_view sentence;
};
const std::vector<LanguageWord>& languageWords();
// Empty if it is none there.
std::string_view wordSentence(std::string_view word, std::string_view keyword);

} // namespace fw
