// What can be written at a place of a book, by what stands around it.
#pragma once

#include "session/book_texts.h"
#include "session/text_context.h"

#include "ir/graph.h"

namespace fw {

// What a book may name: what the books of a request and the shipped ones declare, the libraries,
// and the model that is open.
struct BookNames {
    Books books;
    PatternTable patterns; // also those that are wrong; `books` owns them
    GraphPtr graph;        // nullptr: no model

    std::map<std::string, std::int64_t> operatorCounts() const; // in the model
    std::vector<std::string> implementations() const;
};

// `all`: every book of the request; the model may be missing.
BookNames namesOf(const std::vector<BookText>& all, GraphPtr graph);

// In the order in which they are shown: what is bound here, operators of the model, the rest.
std::vector<snapshot::CompletionRecord>
completionsAt(const TextContext& context, const std::string& text, const BookNames& names);

// "int = 1": type and default of an attribute, as its operator writes it; empty if unknown.
std::string attributeText(const Operator& op, std::string_view attribute);

} // namespace fw
