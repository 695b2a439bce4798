// Records of the commands that are about no stage of a model: `fw ops`, `test`, `doctor` and
// `draw`.
#pragma once

#include "base/diag.h"
#include "snapshot/book_records.h"
#include "snapshot/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off

FW_RECORD(OpRecord,
    (std::string, name),
    (std::string, signature),
    (std::string, kind), // "elementwise", ... "opaque"
    (ByName<std::string>, facts),
    (std::string, doc),
    (std::string, expression),
    (std::vector<std::string>, implementations)
)

FW_RECORD(OpsDocument,
    (std::vector<OpRecord>, ops)
)

// How far one output is from what was expected. Distances are over the finite elements.
FW_RECORD(OutputDifference,
    (std::string, name),
    (std::int64_t, elements),
    (std::int64_t, outside),             // elements outside the bound of --rtol and --atol
    (std::optional<double>, maxAbs),
    (std::optional<double>, relativeL2), // |got - expected| / |expected|, Euclidean
    (std::optional<double>, cosine),     // of the angle between both, as vectors
    (std::optional<bool>, sameTop)       // every row of the last axis is largest at the same place
)

FW_WORDS(PassRule, "", "elements", "norm")

FW_RECORD(ComparisonRecord,
    (std::string, name),  // test_data_set_0
    (bool, pass),
    (std::optional<double>, maxAbs),
    (std::optional<double>, maxRel),
    (std::optional<double>, maxUlp),
    (std::string, worst), // which output and element
    (PassRule, rule),     // that passed it; empty if none did
    (std::vector<OutputDifference>, outputs)
)

FW_WORDS(CaseVerdict, "", "passed", "failed", "unsupported", "crashed")

FW_RECORD(CaseRecord,
    (std::string, name),
    (CaseVerdict, verdict),
    (std::string, reason),
    (std::vector<ComparisonRecord>, sets) // as far as they were compared
)

FW_RECORD(TestDocument,
    (std::int64_t, total), // folders
    (std::int64_t, passed),
    (std::int64_t, failed),
    (std::int64_t, unsupported),
    (std::int64_t, crashed),
    (std::vector<CaseRecord>, cases)
)

FW_RECORD(CpuRecord,
    (std::string, name),
    (std::string, target), // what -mcpu=native means here
    (std::vector<std::string>, features),
    (int, cores),
    (int, vectorBits)
)

// `not loaded`: of a book.
FW_WORDS(LibraryWord, "", "ready", "missing", "unusable", "not loaded")

FW_RECORD(LibraryRecord,
    (std::string, name),
    (std::string, version),
    (std::string, core),    // the kernels it picked for this CPU
    (LibraryWord, status),
    (std::string, reason),  // why it is not ready
    (std::string, package), // what to install when it is missing
    // Of one that a book declares: its file, and the SHA-256 of what is in it (empty: no file).
    (std::string, path),
    (std::string, content)
)

// Instruction sets that this CPU plays, lowest first, and those that are known but not here.
FW_RECORD(LevelsRecord,
    (std::string, of), // "generated", or a library
    (std::vector<std::string>, plays),
    (std::vector<std::string>, lacks)
)

// What the machine can do at best.
FW_RECORD(CeilingRecord,
    (std::string, name),           // "gflops"
    (std::string, unit),           // "GFLOP/s", "GB/s", "us"
    (std::string, sentence),
    (std::optional<double>, value) // nothing: no plan asked for it yet
)

FW_RECORD(DoctorDocument,
    (std::string, version),               // of Fusewright
    (CpuRecord, cpu),
    (std::vector<LibraryRecord>, libraries),
    (std::vector<LevelsRecord>, levels),  // of generated code and of the libraries that are ready
    (std::vector<std::string>, problems), // what is missing and how to install it
    (std::vector<CeilingRecord>, ceilings),
    (std::string, ceilingsFrom)           // "measured on this machine"
)

// One cause that stands in the way, wherever it does.
FW_RECORD(HazardRecord,
    (std::string, code),               // "HAZ03", of the reasons
    (std::string, what),               // its sentence
    (std::string, todo),
    (std::int64_t, count),             // places
    (std::vector<std::string>, names), // of the first of them
    (std::vector<NodeId>, nodes),      // of the imported graph, sorted; of all
    (std::string, declaration)         // text of an operator, what it computes left open; may be empty
)

FW_RECORD(LintDocument,
    (bool, planned), // false: nothing is planned for the target, and what plans tell is left out
    (std::vector<HazardRecord>, hazards)
)

FW_RECORD(DrawDocument,
    (std::string, file),
    (double, width),
    (double, height),
    (std::int64_t, nodes),
    (std::string, stage),
    (std::vector<std::string>, notices)
)

// clang-format on

} // namespace fw::snapshot
