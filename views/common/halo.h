// What is framed in a graph.
#pragma once

#include "views/common/ids.h"

#include <QString>

namespace fw::ui {

// A frame around boxes that belong together, over whatever they look like.
struct Halo {
    // Way: from box to box, the lines between them stand out too.
    enum class Look : std::uint8_t {
        Match,
        Current,
        NearMiss,
        Stale,
        Bound,
        Created,
        Erased,
        Changed,
        Way
    };
    Ids ids;
    Look look = Look::Match;
    QString badge = {}; // at the first box: "3/17"

    bool operator==(const Halo&) const = default;
};

} // namespace fw::ui
