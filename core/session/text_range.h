// Spans of a text as the ranges of the records.
#pragma once

#include "snapshot/book_records.h"
#include "syntax/places.h"

namespace fw {

// Line 0 if the span is nowhere.
inline snapshot::TextRange rangeOf(const TextPlaces& places, const Span& span) {
    if (span.line == 0)
        return {};
    const TextPlaces::LineColumn begin = places.at(span.begin), end = places.at(span.end);
    return {begin.line, begin.column, end.line, end.column};
}

inline void setRange(snapshot::TextRange& range, const TextPlaces& places, const Span& span) {
    range = rangeOf(places, span);
}

// Replaces the text of a span.
inline snapshot::Fix fixOf(const TextPlaces& places, std::size_t begin, std::size_t end,
                           std::string text, std::string label) {
    snapshot::Fix out;
    setRange(out, places, places.span(begin, end));
    out.text = std::move(text);
    out.label = std::move(label);
    return out;
}

} // namespace fw
