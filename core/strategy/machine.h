// What a machine can do at best, and the time that work takes under these ceilings.
//
// Each ceiling of this machine is measured when a figure is first asked for and kept in a file of
// the user's cache folder; a CPU that is named instead of `native` has a fixed table, so its plans
// are the same everywhere.
// FUSEWRIGHT_MACHINE names a file with a profile to use for `native` instead.
#pragma once

#include "strategy/machine_profile.h"

namespace fw {

// Of the target: the table, the file named by the environment, the cache, or a measurement that is
// then cached. Never fails: what cannot be read or written only costs the measurement
// (checkMachine() tells it).
double ceilingOf(const Target& target, Ceiling ceiling);
// Refused if the environment names a file that cannot be used (FileMissing, Syntax). Otherwise
// warnings about cached figures that were damaged and are measured anew.
Result<Diags> checkMachine(const Target& target);
// 0 if it was not measured yet. Measures nothing.
double knownCeiling(const Target& target, Ceiling ceiling);
// Where the figures of the target come from: "measured on this machine", "a table for x86-64-v3",
// the file of the environment.
std::string ceilingSource(const Target& target);
// Measures one again and keeps it; what a file or a table says stays as it is.
double ceilingAgain(const Target& target, Ceiling ceiling);
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
struct Efficiency { // of the table of a CPU that is named, and where nothing was measured
    WorkClass work;
    double avx2, avx512; // part of the peak
};
double efficiencyOf(WorkClass work, const Target& target, std::string_view maker,
                    std::span<const Efficiency> table);

} // namespace fw
