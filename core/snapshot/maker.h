// Who computes something.
#pragma once

#include "base/shared_text.h"

#include <compare>
#include <cstdint>

namespace fw::snapshot {

// Code that is generated for it, a call of a library, a kernel of the runtime, the reference;
// nobody a view, or what nothing computes.
enum class Maker : std::uint8_t { Nobody, Generated, Library, Runtime, Reference };

struct MakerRecord {
    Maker by = Maker::Nobody;
    SharedText library; // of a Library: "onednn"

    bool isSomebody() const { return by != Maker::Nobody; }
    bool operator==(const MakerRecord&) const = default;
    std::strong_ordering operator<=>(const MakerRecord& other) const {
        const auto first = by <=> other.by;
        return first != 0 ? first : library.str() <=> other.library.str();
    }
};

} // namespace fw::snapshot
