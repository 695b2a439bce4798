// The figures of a machine: ceilings of what it does, and rates of what calls reach.
#pragma once

#include "ir/facts.h"
#include "target/target.h"

#include <map>
#include <optional>
#include <span>

namespace fw {

struct MachineProfile {
    double gflops = 50; // f32 multiply-adds of one core, two operations each
    double l2Gbps = 60; // bytes read by one core, from L2, L3 and memory
    double l3Gbps = 25;
    double memoryGbps = 10;
    double launchUs = 0.2; // to call a kernel
    double forkUs = 2;     // to hand work to the other threads and wait for them
    // What calls reach on all threads, by rateName(): GFLOP/s of each core by class of work, and
    // microseconds that the smallest call of a library takes.
    std::map<std::string, double, std::less<>> rates = {};

    std::string text() const; // "gflops 50\n...", reads back
    bool operator==(const MachineProfile&) const = default;
};

// What the text does not name stays as in `base`.
Result<MachineProfile> parseMachine(std::string_view text, const std::string& file,
                                    MachineProfile base = {});
// By level of the instruction set; without rates: each maker has a table of its own.
MachineProfile tabulatedMachine(const Target& target);

using Ceiling = double MachineProfile::*;

// What a ceiling is, for people.
struct CeilingRow {
    std::string_view name; // in profiles: "gflops"
    std::string_view unit;
    std::string_view sentence;
    Ceiling value;
};
std::span<const CeilingRow> ceilings();

// "own.convolution", "onednn.few_rows". Makers are libraries and `own`.
inline constexpr std::string_view ownCode = "own";
std::string rateName(std::string_view maker, WorkClass work);
std::string callName(std::string_view maker); // "onednn.call_us"

} // namespace fw
