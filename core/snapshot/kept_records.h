// A KeptView as JSON has it: alone, and in a document. Included by the .cpp files of this folder
// only.
#pragma once

#include "snapshot/json.h"
#include "snapshot/kept_view.h"

#include <functional>

namespace fw::snapshot {

struct BlocksRecord {
    std::string shown;
    std::string rest;
    std::vector<std::string> others;
};

struct PlaceRecord {
    std::int64_t number = 0; // of a bookmark
    std::string node, book;
    std::int64_t line = 0, column = 0;
};

struct StopRecord {
    std::string stop;
    bool enabled = true;
};

struct FilterRecord {
    std::string shows, query;
    std::vector<std::string> nodes;
    std::int64_t steps = 0;
};

struct KeptRecord {
    std::optional<BlocksRecord> blocks;
    std::vector<PlaceRecord> bookmarks, places;
    std::vector<StopRecord> stops;
    std::vector<FilterRecord> filters;
};

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, BlocksRecord>
void fields(Visitor& v, R& r) {
    v("shown", r.shown);
    v("rest", r.rest);
    v("others", r.others);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, PlaceRecord>
void fields(Visitor& v, R& r) {
    v("number", r.number);
    v("node", r.node);
    v("book", r.book);
    v("line", r.line);
    v("column", r.column);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, StopRecord>
void fields(Visitor& v, R& r) {
    v("stop", r.stop);
    v("enabled", r.enabled);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, FilterRecord>
void fields(Visitor& v, R& r) {
    v("shows", r.shows);
    v("query", r.query);
    v("nodes", r.nodes);
    v("steps", r.steps);
}

template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, KeptRecord>
void fields(Visitor& v, R& r) {
    v("blocks", r.blocks);
    v("bookmarks", r.bookmarks);
    v("places", r.places);
    v("stops", r.stops);
    v("filters", r.filters);
}

// How a path of a book is written, or read.
using WithPath = std::function<std::string(const std::string&)>;
KeptRecord recordOf(const KeptView& kept, const WithPath& path);
// What makes no sense is left out.
KeptView keptOf(const KeptRecord& record, const WithPath& path);

} // namespace fw::snapshot
