// For the code that opens a library: its file, its functions, and what it reads of the environment
// while it is opened.
#pragma once

#include "runtime/prepared_call.h"

#include <dlfcn.h>

namespace fw::runtime {

// The handle, with the file's path in `info`; null with the loader's reason there, which stays as
// it was if there is no such file.
void* openLibraryFile(const std::string& file, LibraryInfo& info);

template <class Function>
bool findFunction(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
}

// A variable that has another value for a while; an empty one leaves it unset.
class EnvironmentFor {
public:
    EnvironmentFor(const char* name, const std::string& value);
    ~EnvironmentFor();
    EnvironmentFor(const EnvironmentFor&) = delete;
    EnvironmentFor& operator=(const EnvironmentFor&) = delete;

private:
    const char* m_name;
    std::string m_before;
    bool m_wasSet = false;
};

} // namespace fw::runtime
