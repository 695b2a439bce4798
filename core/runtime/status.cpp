#include "runtime/status.h"

#include <cstdarg>
#include <cstdio>

namespace fw::runtime {

Status fail(fw_status code, const char* format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return Status{code, text};
}

} // namespace fw::runtime
