#include "base/library_names.h"

#include <algorithm>

namespace fw {

std::string libraryMeant(std::string_view written) {
    struct Row {
        std::string_view spelling, name;
    };
    static constexpr Row rows[] = {{"dnnl", "onednn"}, {"mkldnn", "onednn"}, {"cblas", "openblas"}};
    const std::size_t point = std::min(written.find('.'), written.size());
    for (const Row& row : rows)
        if (written.substr(0, point) == row.spelling)
            return std::string(row.name) + std::string(written.substr(point));
    return std::string(written);
}

} // namespace fw
