// The shipped book post_ops.fw: what libraries append to their calls, as chains that are made of
// their tables of post-ops (libraries/onednn/post_ops.def).
#pragma once

#include <string_view>

namespace fw {

std::string_view embeddedPostOps();

} // namespace fw
