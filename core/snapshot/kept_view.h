// What people left in the window beside a model: nothing is computed from it.
#pragma once

#include "snapshot/hierarchy.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::snapshot {

// An operator by its name, or a line of a book.
struct KeptPlace {
    std::string node; // empty: a place in a book
    std::string book = {};
    std::int64_t line = 0, column = 0;

    bool operator==(const KeptPlace&) const = default;
};

struct KeptBookmark {
    std::int64_t number = 0; // 1 to 9
    KeptPlace place;

    bool operator==(const KeptBookmark&) const = default;
};

// Of the walk through the applications of rules.
struct KeptStop {
    std::string text; // as `fw step --until` takes it
    bool isOn = true;

    bool operator==(const KeptStop&) const = default;
};

// What of the graphs is not shown. All filters act together.
struct KeptFilter {
    enum class Shows : std::uint8_t {
        Others, // than these
        These,
        Around, // these, as far as some steps
    };
    Shows shows = Shows::Others;
    std::string query;              // that finds these; empty: they are named
    std::vector<std::string> nodes; // by a value that they make, or by their own names
    std::int64_t steps = 0;         // of Around

    bool operator==(const KeptFilter&) const = default;
};

struct KeptView {
    std::optional<BlockView> blocks; // none: nothing is said of it
    std::vector<KeptBookmark> bookmarks;
    std::vector<KeptPlace> places; // where people were, the last first
    std::vector<KeptStop> stops;
    std::vector<KeptFilter> filters; // in the order in which they were made

    bool operator==(const KeptView&) const = default;
};

constexpr std::size_t mostPlaces = 50;
constexpr std::size_t mostStops = 50;
constexpr std::size_t mostFilters = 50;
constexpr std::size_t mostFiltered = 20000; // nodes that a filter names
constexpr std::int64_t mostSteps = 50;      // of Around

// One line of JSON, with absolute paths; and back: what cannot be read is nothing.
std::string keptText(const KeptView& kept);
KeptView parseKept(std::string_view text);

} // namespace fw::snapshot
