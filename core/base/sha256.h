// SHA-256 (FIPS 180-4), for the manifests of exported modules: people compare them with sha256sum.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fw {

std::string sha256Hex(std::span<const std::byte> bytes); // 64 lower-case digits

} // namespace fw
