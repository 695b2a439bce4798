// libFuzzer's entry for one reader, named by FW_READER when it is compiled.
#include "readers/readers.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fw::test::Reader* reader = fw::test::findReader(FW_READER);
    reader->read({reinterpret_cast<const char*>(data), size});
    return 0;
}
