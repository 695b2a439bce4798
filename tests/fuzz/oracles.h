// Oracles: what must hold of every random graph.
#pragma once

#include "fuzz/engine.h"

namespace fw::fuzz {

struct Setting {
    const Level* level = nullptr;
    std::string libs; // of the default way: "onednn,openblas"; empty text with `listed`: none
    bool listed = false;
    std::string folder; // for exported modules; empty: none is exported

    std::string target(int threads) const;                          // of the default way
    std::string target(int threads, const std::string& libs) const; // with exactly these libraries
};

// Whether the oracle has anything to say; what differs as a sentence, empty if nothing.
struct Answered {
    bool asked = true;
    std::string failure;
    int comparisons = 0;
};

class Judge {
public:
    Judge(Engine& engine, Setting setting) : m_engine(engine), m_setting(std::move(setting)) {}
    Answered ask(const std::string& oracle, const Case& one);

private:
    Engine& m_engine;
    Setting m_setting;
};

const std::vector<std::string>& oracleNames(); // "default" first
// For a seed: the default, two others, and the exported module of one in fifty.
std::vector<std::string> oraclesFor(std::uint64_t seed);

} // namespace fw::fuzz
