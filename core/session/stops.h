// Inside session: where the walk through the applications of rules stops.
#pragma once

#include "ir/operator.h"
#include "rewrite/driver.h"

#include <unordered_set>

namespace fw {

// What an application is, or what the operators are that it takes or makes:
//
//   another rule | rule R | at OPERATOR    what acts, and where
//   creates OP | erases OP                 an operator by its name
//   creates QUERY | erases QUERY           made or taken out, as in Find (snapshot/node_query.h)
//   when QUERY                             one of either, or of the match
//   shape 1x128x28x28 | dtype f16          "when shape:1x128x28x28", "when dtype:f16"
class Stops {
public:
    // Queries are asked once, of all that the applications have. Usage, UnknownName.
    static Result<Stops> read(const std::vector<std::string>& texts, const RewriteTrace& trace,
                              const OperatorSet& operators);

    bool empty() const { return m_stops.empty(); }
    // What of it holds of the application, as text; empty: nothing. `before` is the entry of the
    // one before.
    std::string reason(const Application& one, const RewriteTrace& trace,
                       std::optional<std::size_t> before) const;

private:
    using Nodes = std::unordered_set<const Node*>;
    struct Stop {
        std::string text, what, name;
        std::optional<Nodes> found; // of a query
    };
    static Result<Stop> readOne(const std::string& text);

    std::vector<Stop> m_stops;
};

} // namespace fw
