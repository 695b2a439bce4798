#include "runtime/library_file.h"

#include <cstdlib>
#include <cstring>
#include <link.h>

namespace fw::runtime {

void* openLibraryFile(const std::string& file, LibraryInfo& info) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* why = dlerror();
        if (why && !std::strstr(why, "No such file"))
            info.reason = why;
        return nullptr;
    }
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
        info.path = map->l_name;
    return handle;
}

EnvironmentFor::EnvironmentFor(const char* name, const std::string& value) : m_name(name) {
    if (const char* set = std::getenv(name)) {
        m_before = set;
        m_wasSet = true;
    }
    if (!value.empty())
        setenv(name, value.c_str(), 1);
}

EnvironmentFor::~EnvironmentFor() {
    if (m_wasSet)
        setenv(m_name, m_before.c_str(), 1);
    else
        unsetenv(m_name);
}

} // namespace fw::runtime
