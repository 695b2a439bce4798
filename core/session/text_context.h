// What stands around a place in the text of a book, known from its words alone, so that it is known
// while the text is typed and nothing parses yet.
#pragma once

#include "syntax/places.h"

#include <map>
#include <set>
#include <string>

namespace fw {

// What may be written at a place beside the words of the language.
enum class Expect : std::uint8_t {
    Nothing,   // a new name, a number, a comment, a text
    Words,     // only words
    Pattern,   // operators, patterns, chains, captures
    Condition, // captures, and the tests of `where`
    Value,     // the right side: operators, captures
    Capture,
    Root,           // what `match` names
    Extent,         // of a type: names of extents
    Term,           // what an attribute of the right side is computed of
    Attribute,      // of TextContext::op
    AttributeValue, // of TextContext::op and ::attribute
    Kind,
    TargetKey,
    Library,
    Entry,          // an implementation, as books name it
    Implementation, // or a library behind `avoid`
    Schedule,       // by its name
    Step,           // of a schedule: behind the dot
    Guard,          // names of a signature, functions
    Chain,
    Operator,
    Subject,    // a rule, pattern, chain or built-in rewrite of this book
    Builtin,    // a built-in rewrite
    Node,       // an operator of the model, by name
    GraphValue, // a value of the graph in the text
    ElementType,
    Expression, // the body of an operator: its operands and functions
};

struct TextContext {
    Expect expect = Expect::Words;
    std::vector<std::string> words; // that fit as well
    std::string keyword;            // of the declaration: "rule"; empty outside
    std::string op, attribute;
    // Of an operator that stands for calls: its results, which have no types.
    std::set<std::string> results;
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

// Fills expect, words, op and attribute, and keyword: of the tokens from `out.first` to `before`.
void readPlace(const std::vector<Token>& tokens, std::size_t before, TextContext& out);

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
