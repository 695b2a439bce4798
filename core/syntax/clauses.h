// The clauses of a block: a row for each word (what else is known of it: base/words.def) with what
// parses behind it.
#pragma once

#include "syntax/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace fw {

enum class Stands : std::uint8_t { Once, Often };

template <class Tree>
struct Clause {
    std::string_view word;
    void (*parse)(Parser&, Tree&);
    Stands stands = Stands::Once;
};

template <class Tree>
class Clauses {
public:
    explicit Clauses(std::span<const Clause<Tree>> rows) : m_rows(rows) {}

    // Parses the clause that begins here, if one does. A second one of those that stand once is
    // refused at its place.
    bool accept(Parser& parser, Tree& tree) {
        for (const Clause<Tree>& row : m_rows) {
            const Token place = parser.peek();
            if (m_written.contains(row.word) && place.is(row.word))
                parser.failAt(place.span, std::string(row.word) + " stands once");
            if (m_written.contains(row.word) || !parser.accept(row.word))
                continue;
            if (row.stands == Stands::Once)
                m_written.insert(row.word);
            row.parse(parser, tree);
            return true;
        }
        return parser.failed();
    }

    // Up to the brace that closes the block.
    void parse(Parser& parser, Tree& tree) {
        while (!parser.failed() && !parser.at("}"))
            if (!accept(parser, tree))
                parser.fail("expected " + anyOf("}"));
    }

    std::vector<std::string> words() const {
        std::vector<std::string> out;
        for (const Clause<Tree>& row : m_rows)
            out.emplace_back(row.word);
        return out;
    }
    std::string anyOf(const std::string& last) const { // "a, b or }"
        return fmt::format("{} or {}", fmt::join(words(), ", "), last);
    }

private:
    std::span<const Clause<Tree>> m_rows;
    std::set<std::string_view> m_written;
};

} // namespace fw
