// How the window and `fw` talk to `fw --worker`: one JSON object per line on standard input and
// output.
//
//   request   {"id":7,"command":"fuse","arguments":{"model":"/m.onnx","target":"x86-64"}}
//   progress  {"id":7,"progress":{"stage":"compile","text":"conv2d_bias_relu_3","done":3,...}}
//   answer    {"id":7,"result":{...document of the command...}}
//         or  {"id":7,"error":{"code":"ONX01","message":...,"where":{...},"hint":...}}
//   cancel    {"cancel":7}
//   first line of the worker: {"hello":{"version":"0.1.0","pid":123}}
//
// Any number of progress lines, then exactly one answer per request; a cancelled request is
// answered by error CAN01 (or by its result, if that came first). Requests are served in order,
// cancel lines are read at once. Requests do not depend on each other: the worker keeps opened
// models and compiled modules between them by (path, mtime, target, rules). A line that is no
// request is answered by an error with id 0. Standard error of the worker is the log. End of input
// ends the worker.
//
// `command` is one of open (answers info's document), info, graph (arguments.stage: imported,
// rewritten, fused, partitioned; .application: rewritten as far as that; .body: the graph of a
// body), fuse, explain (arguments.nodes), profile, bench, run, export (arguments.output), step
// (arguments.application, .until), stages (arguments.stage, .group), value (arguments.stage,
// .nodes: "#12:0"), match and rewrite (arguments.limit), diff (one side: arguments.side), order,
// check, assist (arguments.position), book (arguments.name), format (arguments.book), test, tune
// (arguments.log), verify (arguments.output), ops, doctor, draw, probe and uses
// (arguments.position or .name; probe: .nodes). Every command reads arguments.texts in place of
// the files.
#pragma once

#include "base/result.h"
#include "snapshot/documents.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::snapshot {

// Extents that a free dimension may have.
struct SizeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;

    auto operator<=>(const SizeRange&) const = default;
};

// One record for all commands; each reads what it knows. Empty means default.
struct Arguments {
    std::string model;
    std::vector<std::string> models;  // bench, verify; diff: one or two
    std::vector<std::string> folders; // test
    std::string target;               // may be incomplete
    std::vector<std::string> rules;   // book files
    std::vector<BookSource> texts;    // what stands for files of `rules` or shipped books
    std::vector<std::string> without; // shipped books that say nothing
    std::vector<std::string> leftOut; // applications of rules: "fold_bn at Conv_3"
    std::string pins;                 // text of a book that holds the user's pins
    std::vector<std::string> targets; // diff: two
    std::vector<std::string> versus;  // diff: the books of the other side
    std::string side;                 // diff: "before" or "after"
    std::string log;                  // file of measurements
    // Libraries that books declare and that may be loaded: names that the user wrote himself, or
    // the SHA-256 of files that he agreed to load.
    std::vector<std::string> agreed;
    std::map<std::string, std::int64_t> dims; // free dimensions bound by name
    std::map<std::string, SizeRange> ranges;  // free dimensions that stay free, within bounds
    std::map<std::string, std::string> types; // of values that nothing infers: "f32[N, 4]"
    std::string stage;
    std::string body; // graph: its path; the graph of a body instead of a stage
    std::optional<int> group;
    std::vector<std::string> nodes; // explain: names, or ids of stage "fused" as "#12"
    std::string name;               // ops: operator; match, probe: rule; book: file; sketch, uses:
                                    // declaration
    std::string kind;               // sketch: "pattern", "rule", "op", "fuse", "test"
    std::map<std::string, std::string> levels; // sketch: what its text asks of the facts
    // match: only what this book declares and what looks at the graph of the stage: rules in
    // "imported", what decides about groups in "rewritten". It need not be among `rules`.
    std::string book;
    std::optional<bool> shipped;               // match: the shipped rules, too
    std::string output;                        // file or folder to write
    std::optional<bool> embed;                 // export: weights inside the library
    std::optional<bool> isStatic;              // export: an archive for the linker
    std::map<std::string, std::string> inputs; // run: input name -> file
    std::vector<std::string> values;           // run: inner values to return as well
    std::optional<bool> expect;                // run: compare with the folder's data sets
    std::optional<bool> each; // profile: every group and operator alone; bisect: every application;
                              // order: every book
    std::optional<bool> measure;   // fuse: time every group alone and split
    std::optional<bool> decisions; // fuse: false leaves out those about edges, and notices
    std::optional<double> rtol;
    std::optional<double> atol;
    std::optional<bool> strict; // run, test: the bound of every element alone decides
    std::optional<int> threads;
    std::optional<double> seconds;     // how long bench and profile may measure, match may look
    std::string shard;                 // tune: "2/8", the second of eight parts of the workloads
    std::optional<std::int64_t> limit; // match: how many of each declaration; rewrite: applications
    // step: the one to stand before; behind it with until. graph: the one to stand behind.
    std::optional<std::int64_t> application;
    std::vector<std::string> until;     // step: where to stop, "rule R", "creates OP",
                                        // "erases OP", "at OPERATOR", "another rule"
    std::optional<std::int64_t> choice; // step: this one of its choices, from 1
    std::optional<std::int64_t> around; // step: how far around the match is drawn, 2
    std::optional<TextPlace> position;  // assist: where the caret stands
    std::optional<int> beside;          // bench: busy processes beside a second measurement
    std::string trace;                  // profile, rewrite: file for the trace
    std::optional<std::int64_t> seed;

    bool operator==(const Arguments&) const = default;
};

struct Request {
    std::int64_t id = 0;
    std::string command;
    Arguments arguments;

    bool operator==(const Request&) const = default;
};

struct Progress {
    std::string stage; // "import", "rewrite", "fuse", "compile", "run", "export"
    std::string text;  // the node or group at work
    std::int64_t done = 0;
    std::int64_t total = 0; // 0: unknown
    // Of a last word, if a library was called: its name and what for (runtime/breadcrumb.h).
    std::string library = {};
    std::vector<std::string> nodes = {};

    bool operator==(const Progress&) const = default;
};

// What arrives at the worker: a request, or the id to cancel.
struct Command {
    std::optional<Request> request;
    std::optional<std::int64_t> cancel;
};

struct Hello {
    std::string version;
    std::int64_t pid = 0;

    bool operator==(const Hello&) const = default;
};

enum class AnswerKind : std::uint8_t { Hello, Progress, Result, Error };

struct Answer {
    std::int64_t id = 0;
    AnswerKind kind = AnswerKind::Progress;
    Hello hello;
    Progress progress;
    std::string result; // JSON text of the document, not yet read
    Diag error;
};

// Lines without the newline.
std::string requestLine(const Request& request);
std::string cancelLine(std::int64_t id);
std::string helloLine(const Hello& hello);
std::string progressLine(std::int64_t id, const Progress& progress);
std::string resultLine(std::int64_t id, std::string_view document); // document: JSON on one line
std::string resultStart(std::int64_t id);                           // the line up to the document
inline constexpr std::string_view resultEnd = "}";
std::string errorLine(std::int64_t id, const Diag& error);

Result<Command> readCommand(std::string_view line);
Result<Answer> readAnswer(std::string_view line);
// Of a result as resultStart() begins it: its id, and the line becomes the document's text,
// uncopied. Nothing of any other line.
std::optional<std::int64_t> takeResult(Pieces& line);

} // namespace fw::snapshot
