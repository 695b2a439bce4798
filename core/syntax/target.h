// The tree of a declared target, written as in resources/docs/grammar.md.
#pragma once

#include "syntax/strategy.h"

namespace fw {

struct NumberTree {
    std::int64_t value = 0;
    Span span;
};

// What must follow what, as a pattern.
struct SequenceTree {
    PatternTree pattern;
    std::string text; // as written
};

struct TargetTree : DeclarationTree { // the name is written like a key
    Span nameSpan;
    KeyTree on;
    std::vector<KeyTree> keys;
    std::optional<std::vector<KeyTree>> libs; // nullopt: not written
    std::vector<KeyTree> features;
    std::optional<NumberTree> vectorBits, threads;
    std::vector<SequenceTree> required;
};

} // namespace fw
