// Inside session: the rows of what came of a declaration (what_came.h), as they are collected.
#pragma once

#include "ir/graph.h"
#include "session/text_range.h"
#include "snapshot/authoring_records.h"

#include <set>
#include <tuple>

namespace fw {

class CameRows {
public:
    void add(snapshot::CameRecord row);
    void note(std::string said) { m_note = std::move(said); } // if there is no row
    bool empty() const { return m_rows.empty(); }
    // What acted stands first, then what could have; with the sentence of all.
    void give(snapshot::UsesDocument& out);

private:
    std::vector<snapshot::CameRecord> m_rows;
    // A schedule may be asked by several entries.
    std::set<std::tuple<std::string_view, std::string, std::string, int, std::int64_t>> m_known;
    std::map<std::string_view, std::int64_t> m_counts; // by CameHow
    std::string m_note;
};

// Of the imported graph; of nodes of a later graph or of one with functions in place.
std::vector<NodeId> originsOf(const Graph& graph, const std::vector<NodeId>& nodes);
Span lineSpan(const TextPlaces& places, int line); // without blanks at its ends

} // namespace fw
