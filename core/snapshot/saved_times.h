// Times as they are kept in a file: those of a document (.fwdoc), and what `fw profile --json`
// prints. Other people make such files, so every number is looked at before it is shown.
#pragma once

#include "base/result.h"
#include "snapshot/records.h"

#include <memory>

namespace fw::snapshot {

// What was measured of a document.
struct SavedTimes {
    std::shared_ptr<const ProfileDocument> baseline; // that people pinned; null: none
    std::shared_ptr<const ProfileDocument> last;
    std::string plan; // planKey() of what `last` was taken of
};

constexpr std::size_t largestTimes = 7u << 20; // bytes of the text of one of them
constexpr std::size_t mostTimedRows = 20'000;

// One line; what says nothing of times is left out. Empty: they are larger than is kept.
std::string timesText(const ProfileDocument& times, const std::string& plan);

struct KeptTimes {
    std::shared_ptr<const ProfileDocument> profile;
    std::string plan;
};
// `field` of the document at `path`; none: the whole file.
Result<KeptTimes> parseKeptTimes(std::string_view text, const std::string& field,
                                 const std::string& path);

} // namespace fw::snapshot
