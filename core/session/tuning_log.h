// Tuning log: one JSON object per line, appended; logs of several runs are joined by `cat`.
//
//     {"v":3,"workload":"dense(...) | relu(0) | on ...","implementation":"onednn.matmul","us":41.2,
//      "group":"..."}
//
// Times at one size of a free dimension of the workload have "sizes":{"N":16}. Records of the
// versions 1 and 2 (with sizes) name the anchor of a group alone; they decide where there is no
// record of the group.
//
// Unknown fields survive since lines are never rewritten. Lines that cannot be read are counted,
// told and passed over; a record behind one that was cut off, on the same line, is read. Of several
// times of one pair the last counts. Times that other work disturbed say "disturbed":true and
// decide nothing.
#pragma once

#include "base/result.h"
#include "strategy/measurements.h"

#include <string>
#include <vector>

namespace fw {

struct TuningRecord {
    std::string workload; // workloadText()
    std::string implementation;
    double us = 0;
    std::string group; // what was timed: the operators of the group, for people
    bool disturbed = false;
    std::string dim = {}; // free in the workload, and `size` when it was measured; empty: none
    std::int64_t size = 0;
};

struct TuningLog {
    Measurements measurements;
    std::vector<TuningRecord> records; // in the order of the lines
    Diags diagnostics; // lines that were passed over: a warning for each kind, at its first line
};

// Refused only if the file cannot be read.
Result<TuningLog> readTuningLog(const std::string& file);
TuningLog parseTuningLog(std::string_view text, const std::string& file);

// Every record in one write at the end of the file, which is made if it is not there.
Status appendTuningLog(const std::string& file, const std::vector<TuningRecord>& records);

} // namespace fw
