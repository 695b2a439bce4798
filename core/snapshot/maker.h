// Who computes something.
#pragma once

#include "base/shared_text.h"
#include "snapshot/record.h"

#include <compare>

namespace fw::snapshot {

// Code that is generated for it, a call of a library, a kernel of the runtime, the reference;
// nobody a view, or what nothing computes.
FW_ENUM(Maker, (Nobody, ""), (Generated, "generated"), (Library, "library"), (Runtime, "runtime"),
        (Reference, "reference"))

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

template <>
inline constexpr bool isFlat<MakerRecord> = true;
template <class Visitor, class R>
requires std::is_same_v<std::remove_const_t<R>, MakerRecord>
void fields(Visitor& v, R& r) {
    v("by", r.by);
    v("library", r.library);
}

} // namespace fw::snapshot
