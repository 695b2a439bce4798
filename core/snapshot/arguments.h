// What a command of the worker is asked: one record for all of them; each reads what it knows, and
// empty means default. Which command takes what, and as which option of `fw`: commands.def.
#pragma once

#include "snapshot/book_records.h"
#include "snapshot/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// Extents that a free dimension may have.
struct SizeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;

    auto operator<=>(const SizeRange&) const = default;
};

// clang-format off
FW_RECORD(Arguments,
    (std::string, model),
    (std::vector<std::string>, models),    // bench, verify; diff: one or two
    (std::vector<std::string>, folders),   // test
    (std::string, target),                 // may be incomplete
    (std::vector<std::string>, rules),     // book files
    (std::vector<BookSource>, texts),      // what stands for files of `rules` or shipped books
    (std::vector<std::string>, without),   // shipped books that say nothing
    (std::vector<std::string>, leftOut),   // applications of rules: "fold_bn at Conv_3"
    (std::string, pins),                   // text of a book that holds the user's pins
    (std::string, log),                    // file of measurements
    // Libraries that books declare and that may be loaded: names that the user wrote himself, or
    // the SHA-256 of files that he agreed to load.
    (std::vector<std::string>, agreed),
    (std::vector<std::string>, targets),   // diff: two
    (std::vector<std::string>, versus),    // diff: the books of the other side
    (std::string, side),                   // diff: "before" or "after"
    (ByName<std::int64_t>, dims),          // free dimensions bound by name
    (ByName<SizeRange>, ranges),           // free dimensions that stay free, within bounds
    (ByName<std::string>, types),          // of values that nothing infers: "f32[N, 4]"
    (std::string, stage),
    (std::string, body),                   // graph: its path; the graph of a body instead of a stage
    (std::optional<bool>, bodies),         // graph: with the graphs inside its nodes
    (std::optional<int>, group),
    (std::vector<std::string>, nodes),     // explain, fuse: names, or ids of stage "fused" as "#12"
    (std::string, name),                   // ops: operator; match, probe: rule; book: file; sketch, uses: declaration
    (std::string, kind),                   // sketch: "pattern", "rule", "op", "fuse", "test"
    (ByName<std::string>, levels),         // sketch: what its text asks of the facts
    (std::string, edit),                   // sketch: "delete", "insert", "rewire", "attribute", "rename"
    (std::optional<int>, operand),         // of an edit
    (std::string, to),                     // of an edit: a name, or what is inserted
    (ByName<std::string>, attributes),     // of an edit: as the language writes them
    // match: only what this book declares and what looks at the graph of the stage: rules in
    // "imported", what decides about groups in "rewritten". It need not be among `rules`.
    (std::string, book),
    (std::optional<bool>, shipped),        // match: the shipped rules, too
    (std::string, output),                 // file or folder to write
    (std::optional<bool>, embed),          // export: weights inside the library
    (std::optional<bool>, isStatic),        // export: an archive for the linker
    (ByName<std::string>, inputs),         // run: input name -> file
    (std::vector<std::string>, values),    // run: inner values to return as well
    (std::optional<bool>, expect),         // run: compare with the folder's data sets
    (std::optional<bool>, each),           // profile: every group and operator alone; bisect: every application; order: every book
    (std::optional<bool>, measure),        // fuse: time every group alone and split
    (std::optional<bool>, decisions),      // fuse: false leaves out those about edges, and notices
    (std::optional<double>, rtol),
    (std::optional<double>, atol),
    (std::optional<bool>, strict),         // run, test: the bound of every element alone decides
    (std::optional<int>, threads),
    (std::optional<double>, seconds),      // how long bench and profile may measure, match may look
    (std::string, shard),                  // tune: "2/8", the second of eight parts of the workloads
    (std::optional<std::int64_t>, limit),  // match: how many of each declaration; rewrite: applications
    // step: the one to stand before; behind it with until. graph: the one to stand behind.
    (std::optional<std::int64_t>, application),
    // step: where to stop (core/session/stops.h): "rule R", "creates OP", "when dtype:f16"
    (std::vector<std::string>, until),
    (std::optional<std::int64_t>, choice), // step: this one of its choices, from 1
    (std::optional<std::int64_t>, around), // step: how far around the match is drawn, 2
    (std::optional<TextPlace>, position),  // assist: where the caret stands
    (std::optional<int>, beside),          // bench: busy processes beside a second measurement
    (std::string, trace),                  // profile, rewrite: file for the trace
    (std::optional<std::int64_t>, seed)
)
// clang-format on

// `base`, but what `said` says at all.
Arguments withSaid(Arguments base, const Arguments& said);

} // namespace fw::snapshot
