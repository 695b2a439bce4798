// The edit of a book that would let a near miss get further.
#pragma once

#include "ir/graph.h"
#include "rewrite/matches.h"
#include "session/text_range.h"

namespace fw {

// A book as text, to be looked up by place.
struct ReadText {
    explicit ReadText(std::string_view text) : places(text), tokens(tokenize(text).tokens) {}

    TextPlaces places;
    std::vector<Token> tokens;

    std::string_view slice(const Span& span) const {
        return places.text().substr(span.begin, span.end - span.begin);
    }
    // Index of the first token that begins at or behind an offset.
    std::size_t indexAt(std::size_t offset) const;
};

// What drops or widens the clause that refused: an attribute is dropped or its range widened, a
// constant may be any value, an operator may also be the one found, operands may be more or fewer,
// a condition goes, and what follows a match becomes a step that may be absent. Nothing if the
// clause stands in another text, or if no small edit helps.
std::optional<snapshot::Fix> relaxed(const NearMiss& miss, const DeclarationTree& declaration,
                                     const ReadText& text, const OperatorSet& operators);

} // namespace fw
