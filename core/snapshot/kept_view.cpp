#include "snapshot/kept_records.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

constexpr std::int64_t mostBookmarks = 9;
constexpr std::size_t longestText = 4096; // bytes of a name or a stop

bool isPlace(const PlaceRecord& record) {
    return record.node.empty() != record.book.empty() && record.line >= 0 && record.column >= 0 &&
           record.line <= INT32_MAX && record.column <= INT32_MAX &&
           record.node.size() <= longestText && record.book.size() <= longestText;
}

PlaceRecord recordOf(std::int64_t number, const KeptPlace& place, const WithPath& path) {
    return {number, place.node, place.book.empty() ? std::string() : path(place.book), place.line,
            place.column};
}

KeptPlace placeOf(const PlaceRecord& record, const WithPath& path) {
    return {record.node, record.book.empty() ? std::string() : path(record.book), record.line,
            record.column};
}

constexpr std::pair<KeptFilter::Shows, const char*> shown[] = {
    {KeptFilter::Shows::Others, "others"},
    {KeptFilter::Shows::These, "these"},
    {KeptFilter::Shows::Around, "around"},
};

FilterRecord recordOf(const KeptFilter& filter) {
    FilterRecord out{{}, filter.query, filter.nodes, filter.steps};
    for (const auto& [shows, word] : shown)
        if (shows == filter.shows)
            out.shows = word;
    return out;
}

std::optional<KeptFilter> filterOf(const FilterRecord& record) {
    const bool isLong = record.query.size() > longestText || record.nodes.size() > mostFiltered ||
                        std::any_of(record.nodes.begin(), record.nodes.end(),
                                    [](const auto& name) { return name.size() > longestText; });
    if (isLong || record.query.empty() == record.nodes.empty() || record.steps < 0 ||
        record.steps > mostSteps)
        return {};
    for (const auto& [shows, word] : shown)
        if (word == record.shows)
            return KeptFilter{shows, record.query, record.nodes, record.steps};
    return {};
}

} // namespace

KeptRecord recordOf(const KeptView& kept, const WithPath& path) {
    KeptRecord out;
    if (kept.blocks)
        out.blocks = BlocksRecord{kept.blocks->shown == BlockView::Shown::All ? "all" : "groups",
                                  kept.blocks->rest == BlockView::Rest::Open ? "open" : "closed",
                                  {kept.blocks->others.begin(), kept.blocks->others.end()}};
    for (const KeptBookmark& one : kept.bookmarks)
        out.bookmarks.push_back(recordOf(one.number, one.place, path));
    for (const KeptPlace& one : kept.places)
        out.places.push_back(recordOf(0, one, path));
    for (const KeptStop& one : kept.stops)
        out.stops.push_back({one.text, one.isOn});
    for (const KeptFilter& one : kept.filters)
        out.filters.push_back(recordOf(one));
    return out;
}

KeptView keptOf(const KeptRecord& record, const WithPath& path) {
    KeptView out;
    if (record.blocks) {
        out.blocks.emplace();
        if (record.blocks->shown == "all")
            out.blocks->shown = BlockView::Shown::All;
        if (record.blocks->rest == "closed")
            out.blocks->rest = BlockView::Rest::Closed;
        out.blocks->others = {record.blocks->others.begin(), record.blocks->others.end()};
    }
    for (const PlaceRecord& one : record.bookmarks)
        if (isPlace(one) && one.number >= 1 && one.number <= mostBookmarks)
            out.bookmarks.push_back({one.number, placeOf(one, path)});
    for (const PlaceRecord& one : record.places)
        if (isPlace(one) && out.places.size() < mostPlaces)
            out.places.push_back(placeOf(one, path));
    for (const StopRecord& one : record.stops)
        if (!one.stop.empty() && one.stop.size() <= longestText && out.stops.size() < mostStops)
            out.stops.push_back({one.stop, one.enabled});
    for (const FilterRecord& one : record.filters)
        if (const auto filter = filterOf(one); filter && out.filters.size() < mostFilters)
            out.filters.push_back(*filter);
    return out;
}

namespace {

std::string asItIs(const std::string& path) {
    return path;
}

} // namespace

std::string keptText(const KeptView& kept) {
    return Writer::text(recordOf(kept, asItIs));
}

KeptView parseKept(std::string_view text) {
    KeptRecord record;
    return Reader(text).readAll(record) ? KeptView() : keptOf(record, asItIs);
}

} // namespace fw::snapshot
