#include "runtime/own_place.h"

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

namespace fw::runtime {

namespace {

const char here = 0;

// Reads digits up to another character; not by strtoull, whose name newer C libraries changed.
std::uintptr_t hexadecimal(const char*& text) {
    std::uintptr_t out = 0;
    for (;; ++text) {
        const char c = *text;
        if (c >= '0' && c <= '9')
            out = out * 16 + static_cast<std::uintptr_t>(c - '0');
        else if (c >= 'a' && c <= 'f')
            out = out * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
        else
            return out;
    }
}

// The file that holds `here`, as proc(5) lists it: "BEGIN-END PERMS OFFSET DEVICE INODE   FILE".
std::string mappedFile() {
    std::FILE* maps = std::fopen("/proc/self/maps", "re");
    if (!maps)
        return {};
    const auto place = reinterpret_cast<std::uintptr_t>(&here);
    std::string out, line;
    char piece[512];
    while (std::fgets(piece, sizeof piece, maps)) {
        line += piece;
        if (line.back() != '\n')
            continue;
        line.pop_back();
        const char* text = line.c_str();
        const std::uintptr_t begin = hexadecimal(text);
        const std::uintptr_t end = *text == '-' ? hexadecimal(++text) : 0;
        const std::size_t file = line.find('/');
        if (file != std::string::npos && begin <= place && place < end) {
            out = line.substr(file);
            break;
        }
        line.clear();
    }
    std::fclose(maps);
    return out;
}

std::string folderOf(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

} // namespace

std::string besideOwnFile(const std::string& name) {
    const std::string real = folderOf(mappedFile()) + name;
    Dl_info info = {};
    if (real.size() == name.size() || access(real.c_str(), F_OK) != 0)
        if (dladdr(&here, &info) != 0 && info.dli_fname) {
            const std::string opened = folderOf(info.dli_fname) + name;
            if (real.size() == name.size() || access(opened.c_str(), F_OK) == 0)
                return opened;
        }
    return real;
}

} // namespace fw::runtime
