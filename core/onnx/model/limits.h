// What a model file may ask for before anything is allocated. Messages name the limit they met.
#pragma once

#include <cstdint>

namespace fw {

struct OnnxLimits {
    std::uint64_t fileBytes = 0x7fffffff;     // protobuf itself stops at 2 GiB
    std::uint64_t externalBytes = 1ull << 40; // of one file with weights
    std::uint64_t tensorBytes = 4ull << 30;   // of one tensor that the importer makes itself
    std::int64_t nodes = 1'000'000;
    int nesting = 100; // protobuf messages, 33 levels of sub-graphs
    std::int64_t rank = 64;
    std::uint64_t operatorBytes = 64u << 10; // text of operators in the metadata: each is tried
};

} // namespace fw
