// Clauses of a declaration that stand once.
#pragma once

#include "syntax/parser.h"

#include <set>
#include <string>
#include <string_view>

namespace fw {

class Once {
public:
    // Whether the clause `word` begins here, whose word is taken then. A second one is refused at
    // its place.
    bool accept(Parser& parser, std::string_view word) {
        const Span place = parser.peek().span;
        if (!parser.accept(word))
            return false;
        if (!m_written.emplace(word).second)
            parser.failAt(place, std::string(word) + " stands once");
        return true;
    }

private:
    std::set<std::string, std::less<>> m_written;
};

} // namespace fw
