#include "rewrite/embedded.h"

extern "C" {
extern const char fwSimplifyBook[];
extern const char fwSimplifyBookEnd[];
}

namespace fw {

std::string_view embeddedSimplify() {
    return {fwSimplifyBook, static_cast<std::size_t>(fwSimplifyBookEnd - fwSimplifyBook)};
}

} // namespace fw
