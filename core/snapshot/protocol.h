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
// `command` is a row of snapshot/commands.def, which says what it answers; or of the sent files of
// another machine (session/sent_files.h). Every command reads arguments.texts in place of the
// files.
#pragma once

#include "base/result.h"
#include "snapshot/arguments.h"
#include "snapshot/documents.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::snapshot {

// clang-format off
FW_RECORD(Request,
    (std::int64_t, id),
    (std::string, command),
    (Arguments, arguments)
)

FW_RECORD(Progress,
    (std::string, stage), // "import", "rewrite", "fuse", "compile", "run", "export"
    (std::string, text),  // the node or group at work
    (std::int64_t, done),
    (std::int64_t, total), // 0: unknown
    // Of a last word, if a library was called: its name and what for (runtime/breadcrumb.h).
    (std::string, library),
    (std::vector<std::string>, nodes)
)
// clang-format on

// What arrives at the worker: a request, or the id to cancel.
struct Command {
    std::optional<Request> request;
    std::optional<std::int64_t> cancel;
};

FW_RECORD(Hello, (std::string, version), (std::int64_t, pid))

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
