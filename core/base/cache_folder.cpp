#include "base/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace fw {

std::string cacheFolder(std::string_view name) {
    namespace fs = std::filesystem;
    const fs::path own = fs::path("fusewright") / name;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && cache[0] == '/')
        return (fs::path(cache) / own).string();
    const char* home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/')
        return (fs::path(home) / ".cache" / own).string();
    return {};
}

} // namespace fw
