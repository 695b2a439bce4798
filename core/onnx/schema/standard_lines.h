// How the tables of the standard domain are read: an operator a line, its name first, then its
// versions from the oldest on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace fw {

// Cuts the text before `separator` off the front of `rest`, and the separator; all of it where
// there is none.
inline std::string_view cut(std::string_view& rest, char separator) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view out = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return out;
}

// What `versionsOf` reads of each line, by the operator's name. The text must outlive the names.
template <class Version>
std::map<std::string_view, std::vector<Version>>
operatorLines(std::string_view text, std::vector<Version> (*versionsOf)(std::string_view)) {
    std::map<std::string_view, std::vector<Version>> out;
    while (!text.empty()) {
        std::string_view line = cut(text, '\n');
        const std::string_view name = cut(line, ' ');
        if (!name.empty())
            out.emplace(name, versionsOf(line));
    }
    return out;
}

// The version in force; nullptr before the first.
template <class Version>
const Version* versionAt(const std::vector<Version>& versions, std::int64_t opset) {
    const Version* out = nullptr;
    for (const Version& version : versions)
        if (version.since <= opset)
            out = &version;
    return out;
}

} // namespace fw
