// `onnx_tests test_calls [FUNCTION...] [OPTION OF QTEST...]` runs one test of the folder
// tests/onnx.
#include "common/test.h"

#include <cstdio>
#include <filesystem>
#include <map>

namespace fw::test {

namespace {

// Filled before main().
std::map<std::string, TestMain>& tests() {
    static std::map<std::string, TestMain> all;
    return all;
}

std::string& running() {
    static std::string name;
    return name;
}

} // namespace

Registered::Registered(const char* file, TestMain run) {
    tests().emplace(std::filesystem::path(file).stem().string(), run);
}

const std::string& runningTest() {
    return running();
}

} // namespace fw::test

int main(int count, char** words) {
    using namespace fw::test;
    const auto test = tests().find(count > 1 ? words[1] : "");
    if (test == tests().end()) {
        std::fprintf(stderr, "usage: %s TEST [FUNCTION...]; TEST is one of\n", words[0]);
        for (const auto& [name, run] : tests())
            std::fprintf(stderr, "    %s\n", name.c_str());
        return 2;
    }
    running() = test->first;
    words[1] = words[0];
    return test->second(count - 1, words + 1);
}
