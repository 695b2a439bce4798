// Chains of the books behind the value of an anchor: what an implementation absorbs
// (`absorbs chain NAME`).
#pragma once

#include "base/memo.h"
#include "strategy/selection.h"

namespace fw {

// Of one book; prepared once, since they are asked for at every node that a group may take. From
// any thread.
class Chains {
public:
    // The chain, matched backward from `next` to the value of the anchor, must be made of exactly
    // what the group took so far and `next`; or a part of that is how the chain begins
    // (Acceptance::open).
    Acceptance takes(const PatternTable& chains, const Absorbs& absorbs, const Growing& group,
                     const Workload& next);

private:
    struct Prepared {
        std::optional<PreparedPatterns> whole; // nullopt: there is no such chain
        std::optional<PreparedPatterns> begun; // up to where it may not end; nullopt: nowhere
    };
    static Prepared prepared(const PatternTable& chains, const std::string& name);

    Memo<std::string, Prepared> m_prepared;
};

} // namespace fw
