#include "base/waiting.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace fw {

double secondsWaitedForCores() {
    double out = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator thread("/proc/self/task", error), end;
         !error && thread != end; thread.increment(error)) {
        std::ifstream file(thread->path() / "schedstat");
        double ran = 0, waited = 0; // nanoseconds
        if (file >> ran >> waited)
            out += waited / 1e9;
    }
    return out;
}

} // namespace fw
