// What may be written at a place of a text: what the parser would have taken there. The parser of
// the language is asked, so a word that it knows is one that is offered.
#pragma once

#include "syntax/lexer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

// What may stand at a place beside the words of the language.
enum class Expect : std::uint8_t {
    Nothing,   // a new name, a number, a comment, a text
    Words,     // only words
    Pattern,   // operators, patterns, chains, captures
    Condition, // captures, and the tests of `where`
    Value,     // the right side: operators, captures
    Capture,
    StepArgument,   // of a schedule: loops, and words of its steps
    Root,           // what `match` names
    Extent,         // of a type: names of extents
    Term,           // what an attribute of the right side is computed of
    Attribute,      // of Caret::op
    AttributeValue, // of Caret::op and ::attribute
    Kind,
    TargetKey,
    Feature, // of a CPU
    Library,
    Entry, // an implementation, as books name it
    Implementation,
    Avoided,  // an implementation or a library
    Schedule, // by its name
    Step,     // of a schedule: behind the dot
    Guard,    // names of a signature, functions
    Chain,
    Operator,
    Subject,    // a rule, pattern, chain or built-in rewrite of this book
    Builtin,    // a built-in rewrite
    Node,       // an operator of the model, by name
    GraphValue, // a value of the graph in the text
    ElementType,
    Requirement, // of an operator: its dims and attributes, tests of them
    Expression,  // the body of an operator: its operands and functions
    Call,        // the body of one that stands for calls: operators, too
};

// A name that a declaration binds, at one of the places that bind it.
struct BoundName {
    enum class Kind : std::uint8_t {
        Value,
        Root,       // a value that `match` names
        Attribute,  // of a match: "axis"
        Attributes, // all of a call: "a" of {*a}
        Extent,     // of a type, a pack or an element type: x: T[N, S...]
    };
    Kind kind = Kind::Value;
    std::string name;
    Span span;
};

struct Caret {
    Expect expect = Expect::Words;
    std::vector<std::string> words;
    std::string op, attribute;    // whose attribute, whose value
    bool isBehind = false;        // the declaration may end in front of it
    std::vector<BoundName> bound; // by the declaration in front of it
};

// Behind the tokens [first, caret) of a declaration. What is wrong in front of the caret is left
// out line by line, so that the rest is understood as it is.
Caret caretBehind(std::string_view text, const std::vector<Token>& tokens, std::size_t first,
                  std::size_t caret);

} // namespace fw
