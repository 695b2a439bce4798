// Which books are reached through the includes of others.
#pragma once

#include "book/book.h"

namespace fw {

class ReachedBooks {
public:
    explicit ReachedBooks(const std::vector<ReadBook>& books); // which stay with the caller

    // Through the include that is declaration `item` of a book, the nearest first.
    std::vector<const ReadBook*> through(const ReadBook& book, std::size_t item) const;

private:
    struct Edge {
        std::size_t item = 0; // in ReadBook::written
        std::size_t to = 0;   // in m_books
    };

    const std::vector<ReadBook>& m_books;
    std::vector<std::vector<Edge>> m_edges; // beside m_books
};

} // namespace fw
