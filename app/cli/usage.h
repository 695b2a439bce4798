// What is wrong with a command before anything is read: words, numbers, names that are no text.
#pragma once

#include "base/result.h"
#include "snapshot/protocol.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fw::cli {

// Among the words, wherever it stands: a command that was not understood answers as JSON, too.
bool wantsJson(const std::vector<std::string>& words);

// Usage names the word that is no UTF-8. Answers, documents and the worker's lines are text, and
// two files whose names are spoiled alike would be one.
Status areText(const std::vector<std::string>& words);

// Usage, of a parse of these words that failed.
Diag notUnderstood(const CLI::App& program, const CLI::ParseError& error,
                   const std::vector<std::string>& words);

// What stands in the options that every command on a model takes, also where this one makes no use
// of it: targets, books, files, types. `isWritten`: of the log, which need not be there.
Status checkGiven(const snapshot::Arguments& arguments, bool isWritten);

Status isThere(const std::string& path); // FileMissing

} // namespace fw::cli
