#include "module/embedded.h"

extern "C" {
extern const char fw_embedded_archive_begin[];
extern const char fw_embedded_archive_end[];
extern const char fw_embedded_header_begin[];
extern const char fw_embedded_header_end[];
extern const char fw_embedded_example_begin[];
extern const char fw_embedded_example_end[];
}

namespace fw::module {

std::string_view embeddedArchive() {
    return {fw_embedded_archive_begin, fw_embedded_archive_end};
}

std::string_view embeddedHeader() {
    return {fw_embedded_header_begin, fw_embedded_header_end};
}

std::string_view embeddedExample() {
    return {fw_embedded_example_begin, fw_embedded_example_end};
}

} // namespace fw::module
