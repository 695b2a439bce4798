// Where this user keeps what can be made again.
#pragma once

#include <string>
#include <string_view>

namespace fw {

// $XDG_CACHE_HOME/fusewright/NAME, else ~/.cache/fusewright/NAME; empty if neither is named. A
// relative path counts as absent, as the specification asks: it would depend on where the program
// was started.
std::string cacheFolder(std::string_view name);

} // namespace fw
