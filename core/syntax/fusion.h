// Trees of the blocks that say what is computed together: composite, fuse, grow and pin, written as
// in resources/docs/grammar.md.
#pragma once

#include "syntax/strategy.h"

namespace fw {

enum class FuseAs : std::uint8_t { Unwritten, Stacked, Melted, Library };

struct FuseTree : DeclarationTree { // keyword "fuse" or "composite"
    std::string library;
    Span librarySpan;
    FuseAs as = FuseAs::Unwritten;
    RuleTree rule; // match, of one value, where, and expose: inner values that others may read
};

enum class GrowDirection : std::uint8_t {
    Forward, // the consumer joins the producer's group
    Into,    // the producer joins the consumer's
    Never,
};

struct GrowTree : DeclarationTree { // name: "contraction -> elementwise"
    std::string from, to;
    Span fromSpan, toSpan;
    GrowDirection direction = GrowDirection::Forward;
    std::int64_t limit = 0;    // operators in the group; 0: not written
    std::int64_t operands = 0; // tensors that the group reads; 0: not written
    std::vector<ConditionTree> where;
};

enum class PinKind : std::uint8_t { Together, Apart, Use, Avoid };

struct PinClause {
    PinKind kind = PinKind::Together;
    std::vector<std::string> names; // of results or operators; none behind `avoid X for any`
    std::string implementation;     // behind `with`, `use` or `avoid`, there also a library
    std::string because;            // of avoid: what the Decision says
    Span span;
};

struct PinTree : DeclarationTree {
    std::vector<PinClause> clauses;
};

// What conditions of `grow` call the value that is read and what its reader gives.
inline constexpr const char* growNames[] = {"from", "to"};

} // namespace fw
