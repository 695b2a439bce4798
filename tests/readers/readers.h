// Every reader of bytes that somebody else may have written, as one function each.
//
// A reader may refuse, with a Diag or a Status; it must not crash, hang, allocate without limit or
// read beyond the bytes. What it accepts must survive its own writer: written and read again it is
// equal. A broken promise ends the process (std::abort) with a sentence on standard error.
#pragma once

#include <string_view>
#include <vector>

namespace fw::test {

struct Reader {
    const char* name; // of its folder in tests/readers/corpus
    void (*read)(std::string_view bytes);
};

const std::vector<Reader>& readers();
const Reader* findReader(std::string_view name);

} // namespace fw::test
