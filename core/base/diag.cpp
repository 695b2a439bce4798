#include "base/diag.h"

#include "base/system_limit.h"

#include <fmt/format.h>

namespace fw {

namespace {

struct CodeRow {
    std::string_view text;
    int exit;
    std::string_view meaning;
};

constexpr CodeRow codeRows[] = {
#define FW_X(name, text, exit, meaning) {text, exit, meaning},
    FW_DIAG_CODES(FW_X) FW_SYSTEM_CODES(FW_X)
#undef FW_X
};

const CodeRow& row(DiagCode code) {
    return codeRows[static_cast<std::size_t>(code)];
}

std::string_view severityText(Severity severity) {
    switch (severity) {
    case Severity::Note:
        return "note";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "error";
}

} // namespace

std::string_view codeText(DiagCode code) {
    return row(code).text;
}

std::string_view codeMeaning(DiagCode code) {
    return row(code).meaning;
}

int exitCode(DiagCode code) {
    return row(code).exit;
}

std::string Where::text() const {
    std::string out = file;
    if (line > 0)
        out += fmt::format(":{}:{}", line, column);
    if (!node.empty())
        out += (out.empty() ? "node " : ": node ") + node;
    return out;
}

std::string Diag::text() const {
    std::string out = where.text();
    if (!out.empty())
        out += ": ";
    out += fmt::format("{} {}: {}", severityText(severity), codeText(code), message);
    if (!hint.empty())
        out += fmt::format(" ({})", hint);
    return out;
}

Diag& Diag::at(Where place) {
    if (where.file.empty())
        where.file = std::move(place.file);
    if (where.node.empty())
        where.node = std::move(place.node);
    if (where.line == 0) {
        where.line = place.line;
        where.column = place.column;
    }
    return *this;
}

Diag& Diag::advise(std::string what) {
    hint = std::move(what);
    return *this;
}

Diag makeDiag(DiagCode code, std::string message, Where where, std::string hint) {
    return {code, std::move(message), std::move(where), std::move(hint), Severity::Error};
}

Diag makeWarning(DiagCode code, std::string message, Where where, std::string hint) {
    return {code, std::move(message), std::move(where), std::move(hint), Severity::Warning};
}

std::optional<Diag> firstError(const Diags& diags) {
    for (const Diag& diag : diags)
        if (diag.severity == Severity::Error)
            return diag;
    return std::nullopt;
}

bool hasErrors(const Diags& diags) {
    for (const Diag& diag : diags)
        if (diag.severity == Severity::Error)
            return true;
    return false;
}

} // namespace fw
