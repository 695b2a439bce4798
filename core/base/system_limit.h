// What the system refuses this program: processes, threads, open files, memory. Nobody's input is
// wrong then, and nothing is wrong with the program: such an error has exit code 3.
#pragma once

#include "base/diag.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

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

// Of what another program said, in English, of a limit that it met.
std::optional<Diag> systemLimitIn(std::string_view said, const std::string& what);

// Of std::bad_alloc, and of a std::system_error that is one.
std::optional<Diag> systemLimitOf(const std::exception& error, Where where = {});

// How little memory a process may have that held that much when a signal ended it: "memory is
// limited to 300 MB". Empty if it may have much more, so that something else ended it.
std::string memoryShortage(std::uint64_t residentBytes);

// "signal 9 (Killed)"; of SIGBUS also what a mapped file has to do with it.
std::string signalText(int signal);

} // namespace fw
