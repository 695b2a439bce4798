// Memory of mapped files that is not needed at the moment.
#pragma once

#include <cstddef>
#include <span>

namespace fw {

// Gives the pages inside of `bytes` back to the system, which reads them from the file when they
// are asked for again. Memory that is no part of what mapFile() or mapOpenFile() mapped is left as
// it is. From any thread.
void releasePages(std::span<const std::byte> bytes);

} // namespace fw
