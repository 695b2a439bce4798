// Graphs that are compared with those of the document: other stages, targets, books, models.
//
// Owns the order in which they were asked for; the last ones are kept, in Part::States.
#pragma once

#include "app/window/document_books.h"

#include <deque>

namespace fw::ui {

class ComparedStates {
public:
    // All live longer.
    ComparedStates(KeptParts& parts, Questions& questions, const DocumentBooks& books)
        : m_parts(parts), m_questions(questions), m_books(books) {}

    void want(const GraphState& state);
    void makeOld();                     // there is another plan
    void forget() { m_wanted.clear(); } // another model

private:
    snapshot::Arguments askedOf(const GraphState& state) const;
    void askRewriteOf(const GraphState& state);

    static constexpr std::size_t most = 8;

    KeptParts& m_parts;
    Questions& m_questions;
    const DocumentBooks& m_books;
    std::deque<GraphState> m_wanted; // last first
};

} // namespace fw::ui
