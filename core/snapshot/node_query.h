// What people type to find nodes: words, and what is known of a node.
//
//   query  [-]term ...                 all must hold; what stands behind "-" must not
//   term   word | "two words" | #12    in operator, name, values and types; an id
//          KEY SIGN value              op:conv2d, shape:1x128x28x28, groups>1, time>1ms
//   SIGN   ":" holds it, "=" is it; "<", "<=", ">", ">=" of numbers
//   KEY    a row of queryKeys(), or an attribute of operators
//
// Case does not matter.
#pragma once

#include "base/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw::snapshot {

struct QueryKey {
    enum class Kind : std::uint8_t {
        Text,
        Scope,
        Shape,
        Time,
        Count,
        Bytes
    };                                           // the last three are numbers
    enum class Of : std::uint8_t { Node, Plan }; // who knows it

    std::string_view word;
    Kind kind;
    Of of;
    std::string_view sentence; // for people
};
std::span<const QueryKey> queryKeys();
const QueryKey* queryKey(std::string_view word); // null: there is none

struct QueryTerm {
    enum class Sign : std::uint8_t { Holds, Is, Less, AtMost, More, AtLeast };

    std::string key;                 // empty: a word
    const QueryKey* known = nullptr; // its row; null: of a word, or an attribute
    Sign sign = Sign::Holds;
    std::string value;              // in lower case
    std::optional<double> number;   // the value, if it is one: microseconds, flops, bytes
    bool isAbsent = false;          // behind "-"
    std::size_t begin = 0, end = 0; // in the text

    bool asksPlan() const { return known != nullptr && known->of == QueryKey::Of::Plan; }
};

// Usage: a number that is none, a sign that the key does not take, a quote that does not end.
Result<std::vector<QueryTerm>> parseQuery(std::string_view text);

// "1x128x28x28", with x, × or a comma: its dims; "?" and "*" stand for any. Empty: it is no shape.
std::vector<std::string> queryShape(std::string_view text);

std::string lowerCase(std::string_view text); // of letters of ASCII

} // namespace fw::snapshot
