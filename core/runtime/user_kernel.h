// Kernels of users' libraries: asked whether they take a call, made ready to run.
#pragma once

#include "runtime/user_library.h"

namespace fw::runtime {

// What a kernel says of a call. Extents below 0 are not known yet.
enum class UserAnswer : std::uint8_t { Takes, Refuses, Nonsense };
UserAnswer askUserLibrary(const UserLibrary& library, const UserCall& call,
                          const std::vector<std::vector<std::int64_t>>& dims, int threads,
                          std::string& why);

// Of a library that was opened before.
Status prepareUserCall(const ShapedCall& call, int threads,
                       std::unique_ptr<PreparedCall>& prepared);

} // namespace fw::runtime
