// Records of `fw rewrite`: what rules did to a model.
#pragma once

#include "base/diag.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

struct AppliedRecord {
    std::string rule;
    std::string file; // of the book that has it; a shipped one is named without a folder
    std::int64_t count = 0;
    double ms = 0;

    bool operator==(const AppliedRecord&) const = default;
};

struct RewrittenNode {
    std::string name;
    std::string op;

    bool operator==(const RewrittenNode&) const = default;
};

struct RewrittenResult {
    std::string name;   // of the value that was there
    std::string before; // its type
    std::string became; // the value in its place
    std::string after;  // its type

    bool operator==(const RewrittenResult&) const = default;
};

struct BoundNameRecord {
    std::string name;
    std::vector<std::string> values; // several of a name under repetition

    bool operator==(const BoundNameRecord&) const = default;
};

// One application of a rule or of a built-in rewrite. Work is that of the operators erased and
// created, free dimensions counted as 1.
struct ApplicationRecord {
    std::int64_t number = 0; // from 1
    std::string rule;
    std::string at;   // the first operator that it matched
    std::string file; // the book; empty: none is known
    std::int64_t line = 0;
    std::string body; // the graph inside a node, in which it happened; empty: the model's own
    std::vector<RewrittenNode> matched;
    std::vector<std::int64_t>
        origins; // nodes of the imported graph that the matched ones stand for
    std::vector<RewrittenNode> created;
    std::vector<RewrittenNode> erased;
    std::vector<RewrittenResult> results;
    std::vector<BoundNameRecord> bindings;
    double flopsBefore = 0;
    double flopsAfter = 0;
    double bytesBefore = 0;
    double bytesAfter = 0;

    bool operator==(const ApplicationRecord&) const = default;
};

// Rules that bring back what they took out.
struct CircleRecord {
    std::vector<std::string> rules; // in the order in which they follow each other
    std::string node;
    std::string before; // two graphs as text: what the last rule matched, what it made of it
    std::string after;
    std::int64_t places = 0;

    bool operator==(const CircleRecord&) const = default;
};

struct RewriteDocument {
    std::vector<AppliedRecord> applied;
    std::int64_t nodesBefore = 0;
    std::int64_t nodesAfter = 0;
    std::string stopReason;                      // "fixpoint", "limit"
    std::string file;                            // written, if any
    std::string text;                            // with -o -
    std::vector<ApplicationRecord> applications; // in order, the first ones of very many
    std::vector<CircleRecord> circles;
    std::optional<std::int64_t> opset; // of the ONNX file written
    Diags diagnostics;                 // what other programs may refuse in the file written
    std::vector<std::string> notices;  // what applications cost, "RUL18 rule at op: ...", and how
                                       // the file was written, "EXP11 op: ..."

    bool operator==(const RewriteDocument&) const = default;
};

// --- bisect

// How far the outputs are from those of the imported model behind an application.
struct ApplicationError {
    std::int64_t number = 0; // of the application, from 1
    std::string rule;
    std::string file; // of the rule
    std::int64_t line = 0;
    std::string at;               // the first operator that it matched
    std::optional<double> maxAbs; // absent: not finite
    bool within = false;          // the tolerance

    bool operator==(const ApplicationError&) const = default;
};

// Which application first took the outputs of a model out of the tolerance.
struct BisectDocument {
    std::string model;
    std::int64_t applications = 0; // that rewriting makes
    std::int64_t states = 0;       // that were computed
    bool randomInputs = false;
    double rtol = 0, atol = 0;
    std::optional<double> maxAbs;           // behind all of them; absent: not finite
    std::optional<ApplicationRecord> first; // absent: the outputs stay within the tolerance
    std::optional<double> maxAbsBefore;     // in front of it and behind it
    std::optional<double> maxAbsAfter;
    std::string worst;  // "y[0, 3]: 1.5 instead of 1.25", behind it
    std::string before; // what it matched, as a graph, and what stands there behind it
    std::string after;
    std::string alone; // where these two differ on random values; empty: they do not, or cannot run
    std::string file;  // the model with what it matched, if one was written
    std::vector<ApplicationError> errors = {}; // of every rule's application, if asked for

    bool operator==(const BisectDocument&) const = default;
};

} // namespace fw::snapshot
