// Errors of the runtime: an fw_status and a sentence, by value.
//
// The runtime is carried by exported modules, so it has its own small error type instead of
// fw::Result: it must not know the compiler, fmt or exceptions. Callers in the compiler turn a
// Status into a Diag.
#pragma once

#include "runtime/fusewright.h"

#include <string>

namespace fw::runtime {

struct [[nodiscard]] Status {
    fw_status code = FW_OK;
    std::string message;

    bool ok() const { return code == FW_OK; }
};

// `format` is that of printf, for integers and strings only (numbers must not depend on the
// locale).
__attribute__((format(printf, 2, 3))) Status fail(fw_status code, const char* format, ...);

} // namespace fw::runtime
