// What the system refuses this program: processes, threads, open files, memory. Nobody's input is
// wrong then, and nothing is wrong with the program: such an error has exit code 3.
#pragma once

#include "base/diag.h"

#include <exception>
#include <optional>
#include <string>

// A row as those of base/diag_codes.h.
#define FW_SYSTEM_CODES(X)                                                                         \
    X(SystemLimit, "SYS01", 3, "the system refuses more processes, threads, open files or memory")

namespace fw {

// Behind the codes of base/diag_codes.h.
#define FW_X(name, text, exit, meaning) +1
inline constexpr DiagCode systemLimit = static_cast<DiagCode>(0 FW_DIAG_CODES(FW_X));
#undef FW_X

bool isSystemLimit(int error); // an errno

// "WHAT: Too many open files", with the limit to raise.
Diag systemLimitDiag(std::string what, int error, Where where = {});

// Of std::bad_alloc, and of a std::system_error that is one.
std::optional<Diag> systemLimitOf(const std::exception& error, Where where = {});

// "signal 9 (Killed)"; of SIGBUS also what a mapped file has to do with it.
std::string signalText(int signal);

} // namespace fw
