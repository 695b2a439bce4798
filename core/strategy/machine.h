// What a machine can do at best, and the time that work takes under these ceilings.
//
// Each ceiling of this machine is measured when a figure is first asked for and kept in a file of
// the user's cache folder; a CPU that is named instead of `native` has a fixed table, so its plans
// are the same everywhere.
// FUSEWRIGHT_MACHINE names a file with a profile to use for `native` instead.
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

// Of the target: the table, the file named by the environment, the cache, or a measurement that is
// then cached. Never fails: what cannot be read or written only costs the measurement
// (checkMachine() tells it).
double ceilingOf(const Target& target, Ceiling ceiling);
// Refused if the environment names a file that cannot be used (FileMissing, Syntax). Otherwise
// warnings about cached figures that were damaged and are measured anew.
Result<Diags> checkMachine(const Target& target);
// What a ceiling is, for people.
struct CeilingRow {
    std::string_view name; // in profiles: "gflops"
    std::string_view unit;
    std::string_view sentence;
    Ceiling value;
};
std::span<const CeilingRow> ceilings();
// 0 if it was not measured yet. Measures nothing.
double knownCeiling(const Target& target, Ceiling ceiling);
// Where the figures of the target come from: "measured on this machine", "a table for x86-64-v3",
// the file of the environment.
std::string ceilingSource(const Target& target);
// Measures one again and keeps it; what a file or a table says stays as it is.
double ceilingAgain(const Target& target, Ceiling ceiling);
// A millisecond for most, up to 60 for memoryGbps. Threads of `host`: how many the fork is measured
// with.
double measureCeiling(const Target& host, Ceiling ceiling);
// "own.convolution", "onednn.few_rows". Makers are libraries and `own`.
inline constexpr std::string_view ownCode = "own";
std::string rateName(std::string_view maker, WorkClass work);
std::string callName(std::string_view maker); // "onednn.call_us"
// Nothing if it was not measured, and for CPUs that are named.
std::optional<double> knownRate(const Target& target, const std::string& name);
// Of this machine, into the cache folder; not to `keep`: for ten minutes. `tookMs`: measuring.
void setRates(const Target& host, const std::map<std::string, double>& rates, bool keep,
              double tookMs);
// True if what is measured here is what the target means: `native`, and no file of the environment.
bool isMeasuredHere(const Target& target);
// What all measuring of this process took.
double machineMeasuringMs();

// Microseconds: the longer of computing (at this part of the peak) and moving bytes at the level of
// the memory that holds them, on all threads if that pays.
double rooflineUs(const Facts& work, const Target& target, double efficiency);
// Operations of the work, each function that is more than one counted as such.
double operationsOf(const Facts& work);
// The part of the peak that `maker` reaches in the work's class: measured, or of its table.
struct Reach { // of the table of a CPU that is named, and where nothing was measured
    WorkClass work;
    double avx2, avx512; // part of the peak
};
double efficiencyOf(WorkClass work, const Target& target, std::string_view maker,
                    std::span<const Reach> table);

} // namespace fw
