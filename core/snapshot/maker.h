// Who computes something.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace fw::snapshot {

// Code that is generated for it, a call of a library, a kernel of the runtime, the reference;
// nobody a view, or what nothing computes.
enum class Maker : std::uint8_t { Nobody, Generated, Library, Runtime, Reference };

struct MakerRecord {
    Maker by = Maker::Nobody;
    std::string library; // of a Library: "onednn"

    bool isSomebody() const { return by != Maker::Nobody; }
    auto operator<=>(const MakerRecord&) const = default;
};

} // namespace fw::snapshot
