// What stands around a place in the text of a book, so that it is known while the text is typed:
// what the parser would take there (syntax/caret.h), and the names that the declaration binds,
// as its parser binds them.
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
    // What the declaration binds, in front of the place and behind it, and where first: values,
    // attributes ("axis") and lists of attributes ("*a").
    std::map<std::string, Span> values, attributes;
    std::map<std::string, Span> dims;  // extents, packs and element types: x: T[N, S...]
    std::map<std::string, Span> roots; // the values that `match` names
    std::string typed;                 // of them the one that only the word at the place would bind
};

// `words` is tokenize() of the text, comments and all.
TextContext contextAt(std::string_view text, const TokenList& words, std::size_t offset);

// What a word of the language says in declarations of that keyword (base/words.def);
// empty if it is none there.
std::string_view wordSentence(std::string_view word, std::string_view keyword);

} // namespace fw
