#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace fw {

std::string Hash::hex() const {
    return fmt::format("{:016x}{:016x}", high, low);
}

Hash hashOf(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
}

Hash hashOf(std::string_view text) {
    return hashOf(std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace fw
