// Errors for people: what went wrong, where, why and what to do about it.
//
// A Diag travels by value inside Result<T>. Its code is a stable string listed in diag_codes.h; the
// window, `fw`, the logs and the tests show the same code. `exitCode` of a code follows
// resources/docs/command-line.md (1 the answer is no, 2 bad input, 3 environment, 4 internal).
#pragma once

#include "base/diag_codes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fw {

enum class Severity : std::uint8_t { Note, Warning, Error };

// Any part may be unknown: empty string, zero line.
struct Where {
    std::string file = {};
    std::string node = {};
    int line = 0;   // from 1
    int column = 0; // from 1

    bool operator==(const Where&) const = default;
    std::string text() const; // "model.onnx: node Conv_3" or "book.fw:3:14"; empty if unknown
};

struct Diag {
    DiagCode code = DiagCode::Internal;
    std::string message;
    Where where;
    std::string hint;
    Severity severity = Severity::Error;

    bool operator==(const Diag&) const = default;
    std::string text() const; // one line: where: error CODE: message (hint)
    Diag& at(Where place);    // fills only the parts of `where` that are still unknown
    Diag& advise(std::string what);
};

Diag makeDiag(DiagCode code, std::string message, Where where = {}, std::string hint = {});
Diag makeWarning(DiagCode code, std::string message, Where where = {}, std::string hint = {});

using Diags = std::vector<Diag>;
bool hasErrors(const Diags& diags);
std::optional<Diag> firstError(const Diags& diags);

} // namespace fw
