// Records of `fw rewrite`: what rules did to a model.
#pragma once

#include "base/diag.h"
#include "snapshot/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off

FW_RECORD(AppliedRecord,
    (std::string, rule),
    (std::string, file), // of the book that has it; a shipped one is named without a folder
    (std::int64_t, count),
    (double, ms)
)

FW_RECORD(RewrittenNode,
    (std::string, name),
    (std::string, op)
)

FW_RECORD(RewrittenResult,
    (std::string, name),   // of the value that was there
    (std::string, before), // its type
    (std::string, became), // the value in its place
    (std::string, after)   // its type
)

FW_RECORD(BoundNameRecord,
    (std::string, name),
    (std::vector<std::string>, values) // several of a name under repetition
)

// One application of a rule or of a built-in rewrite. Work is that of the operators erased and
// created, free dimensions counted as 1.
FW_RECORD(ApplicationRecord,
    (std::int64_t, number),               // from 1
    (std::string, rule),
    (std::string, at),                    // the first operator that it matched
    (std::string, file),                  // the book; empty: none is known
    (std::int64_t, line),
    (std::string, body),                  // the graph inside a node, in which it happened; empty: the model's own
    (std::vector<RewrittenNode>, matched),
    (std::vector<std::int64_t>, origins), // nodes of the imported graph that the matched ones stand for
    (std::vector<RewrittenNode>, created),
    (std::vector<RewrittenNode>, erased),
    (std::vector<RewrittenResult>, results),
    (std::vector<BoundNameRecord>, bindings),
    (double, flopsBefore),
    (double, flopsAfter),
    (double, bytesBefore),
    (double, bytesAfter)
)

// Rules that bring back what they took out.
FW_RECORD(CircleRecord,
    (std::vector<std::string>, rules), // in the order in which they follow each other
    (std::string, node),
    (std::string, before),             // two graphs as text: what the last rule matched, what it made of it
    (std::string, after),
    (std::int64_t, places)
)

FW_RECORD(RewriteDocument,
    (std::vector<AppliedRecord>, applied),
    (std::int64_t, nodesBefore),
    (std::int64_t, nodesAfter),
    (std::string, stopReason),                      // "fixpoint", "limit: ..."
    (std::string, file),                            // written, if any
    (std::string, text),                            // with -o -
    (std::vector<ApplicationRecord>, applications), // in order, the first ones of very many
    (std::vector<CircleRecord>, circles),
    (std::optional<std::int64_t>, opset),           // of the ONNX file written
    (Diags, diagnostics),                           // what other programs may refuse in the file written
    // what applications cost, "RUL18 rule at op: ...", and how the file was written, "EXP11 op: ..."
    (std::vector<std::string>, notices)
)

// --- bisect

// How far the outputs are from those of the imported model behind an application.
FW_RECORD(ApplicationError,
    (std::int64_t, number),          // of the application, from 1
    (std::string, rule),
    (std::string, file),             // of the rule
    (std::int64_t, line),
    (std::string, at),               // the first operator that it matched
    (std::optional<double>, maxAbs), // absent: not finite
    (bool, within)                   // the tolerance
)

// Which application first took the outputs of a model out of the tolerance.
FW_RECORD(BisectDocument,
    (std::string, model),
    (std::int64_t, applications),              // that rewriting makes
    (std::int64_t, states),                    // that were computed
    (bool, randomInputs),
    (double, rtol),
    (double, atol),
    (std::optional<double>, maxAbs),           // behind all of them; absent: not finite
    (std::optional<ApplicationRecord>, first), // absent: the outputs stay within the tolerance
    (std::optional<double>, maxAbsBefore),     // in front of it and behind it
    (std::optional<double>, maxAbsAfter),
    (std::string, worst),                      // "y[0, 3]: 1.5 instead of 1.25", behind it
    (std::string, before),                     // what it matched, as a graph, and what stands there behind it
    (std::string, after),
    (std::string, alone),                      // where these two differ on random values; empty: they do not, or cannot run
    (std::string, file),                       // the model with what it matched, if one was written
    (std::vector<std::string>, notices),       // rules that are refuted, or are meant to change the outputs
    (std::vector<ApplicationError>, errors)    // of every rule's application, if asked for
)

// clang-format on

} // namespace fw::snapshot
