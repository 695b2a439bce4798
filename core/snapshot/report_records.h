// Records of the commands that are about no stage of a model: `fw ops`, `test`, `doctor` and
// `draw`.
#pragma once

#include "base/diag.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

struct OpRecord {
    std::string name;
    std::string signature;
    std::string kind; // "elementwise", ... "opaque"
    std::map<std::string, std::string> facts;
    std::string doc;
    std::string expression;
    std::vector<std::string> implementations;

    bool operator==(const OpRecord&) const = default;
};

struct OpsDocument {
    std::vector<OpRecord> ops;

    bool operator==(const OpsDocument&) const = default;
};

// How far one output is from what was expected. Distances are over the finite elements.
struct OutputDifference {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t outside = 0; // elements outside the bound of --rtol and --atol
    std::optional<double> maxAbs;
    std::optional<double> relativeL2; // |got - expected| / |expected|, Euclidean
    std::optional<double> cosine;     // of the angle between both, as vectors
    std::optional<bool> sameTop;      // every row of the last axis is largest at the same place

    bool operator==(const OutputDifference&) const = default;
};

struct ComparisonRecord {
    std::string name; // test_data_set_0
    bool pass = false;
    std::optional<double> maxAbs;
    std::optional<double> maxRel;
    std::optional<double> maxUlp;
    std::string worst; // which output and element
    std::string rule;  // that passed it: "elements" or "norm"; empty if none did
    std::vector<OutputDifference> outputs;

    bool operator==(const ComparisonRecord&) const = default;
};

struct CaseRecord {
    std::string name;
    std::string verdict; // "passed", "failed", "unsupported", "crashed"
    std::string reason;
    std::vector<ComparisonRecord> sets = {}; // as far as they were compared

    bool operator==(const CaseRecord&) const = default;
};

struct TestDocument {
    std::int64_t total = 0; // folders
    std::int64_t passed = 0;
    std::int64_t failed = 0;
    std::int64_t unsupported = 0;
    std::int64_t crashed = 0;
    std::vector<CaseRecord> cases;

    bool operator==(const TestDocument&) const = default;
};

struct CpuRecord {
    std::string name;
    std::string target; // what -mcpu=native means here
    std::vector<std::string> features;
    int cores = 0;
    int vectorBits = 0;

    bool operator==(const CpuRecord&) const = default;
};

struct LibraryRecord {
    std::string name;
    std::string version;
    std::string core;    // the kernels it picked for this CPU
    std::string status;  // "ready", "missing", "unusable"; of a book's also "not loaded"
    std::string reason;  // why it is not ready
    std::string package; // what to install when it is missing
    // Of one that a book declares: its file, and the SHA-256 of what is in it (empty: no file).
    std::string path = {};
    std::string content = {};

    bool operator==(const LibraryRecord&) const = default;
};

// Instruction sets that this CPU plays, lowest first, and those that are known but not here.
struct LevelsRecord {
    std::string of; // "generated", or a library
    std::vector<std::string> plays;
    std::vector<std::string> lacks;

    bool operator==(const LevelsRecord&) const = default;
};

// What the machine can do at best.
struct CeilingRecord {
    std::string name; // "gflops"
    std::string unit; // "GFLOP/s", "GB/s", "us"
    std::string sentence;
    std::optional<double> value; // nothing: no plan asked for it yet

    bool operator==(const CeilingRecord&) const = default;
};

struct DoctorDocument {
    std::string version; // of Fusewright
    CpuRecord cpu;
    std::vector<LibraryRecord> libraries;
    std::vector<LevelsRecord> levels;  // of generated code and of the libraries that are ready
    std::vector<std::string> problems; // what is missing and how to install it
    std::vector<CeilingRecord> ceilings;
    std::string ceilingsFrom; // "measured on this machine"

    bool operator==(const DoctorDocument&) const = default;
};

struct DrawDocument {
    std::string file;
    double width = 0;
    double height = 0;
    std::int64_t nodes = 0;
    std::string layout; // "graphviz" or "layered"
    std::vector<std::string> notices;

    bool operator==(const DrawDocument&) const = default;
};

} // namespace fw::snapshot
