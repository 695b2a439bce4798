// Many seeds through the oracles, batch by batch in children, so that a death is one failure of one
// seed and the rest goes on.
#pragma once

#include "fuzz/oracles.h"

#include <chrono>

namespace fw::fuzz {

struct Failure {
    std::uint64_t seed = 0;
    std::string level;   // name
    std::string oracle;  // "generator" if the graph itself could not be made
    std::string message; // a sentence; "died: signal 11"
};

struct Campaign {
    std::uint64_t first = 0; // seed
    std::uint64_t count = 0;
    std::chrono::seconds time{0};     // 0: until `count` is through; else goes on for this long
    std::vector<const Level*> levels; // in turn, batch by batch
    Setting setting;                  // level aside
    std::string oracle;               // empty: as the seed says
    int jobs = 1;
    std::size_t batch = 40;
    std::size_t mostFailures = 1000; // then it stops
    std::function<void(const Failure&)> onFailure;
};

struct Tally {
    std::uint64_t graphs = 0;
    std::uint64_t comparisons = 0;
    std::uint64_t nodes = 0;
    std::map<std::string, std::uint64_t> operators; // how many graphs hold each
    std::map<std::string, std::uint64_t> oracles;   // how often each was asked
    std::map<std::string, std::uint64_t> levels;    // graphs
    std::map<std::string, std::uint64_t> types;     // graphs that hold values of each type
    std::map<std::string, std::uint64_t> values;    // graphs, by what their operands are
    std::uint64_t end = 0;                          // behind the last seed
    std::vector<Failure> failures;
    double seconds = 0;
};

Tally run(const Campaign& campaign, Engine& engine);

// The failure of one oracle on one case, in a child at this level; empty if there is none.
std::string failureOf(const Case& one, const std::string& oracle, const Setting& setting,
                      Engine& engine);

} // namespace fw::fuzz
