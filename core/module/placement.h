// Files that become a folder's together: all of them, or the folder stays as it was.
#pragma once

#include "base/result.h"

#include <span>
#include <string>

namespace fw::module {

// Moves the files of these names from `from` into `folder`, on the same file system, over files and
// links of these names. FileUnwritable if one cannot be; what was moved is taken back then. What
// lay there is kept in `from` meanwhile.
Status placeAll(const std::string& from, const std::string& folder,
                std::span<const std::string> names);

} // namespace fw::module
