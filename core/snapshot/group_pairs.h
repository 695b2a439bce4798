// Which groups of two plans belong together: those that share nodes, by name where a name is
// unique and by id otherwise, and those that stand for the same imported nodes, as what a rule made
// and what it took do.
#pragma once

#include "snapshot/records.h"

namespace fw::snapshot {

// Places in the lists of groups of both plans.
struct GroupPair {
    std::vector<std::size_t> before, after;
};

class GroupPairs {
public:
    // Both live longer. Origins count if the plans are of one model.
    GroupPairs(const FuseDocument& before, const FuseDocument& after);

    // Those of the later plan first, in its order; what went away last.
    const std::vector<GroupPair>& all() const { return m_pairs; }
    // A node may keep its name and have another operator.
    bool sameOperators(std::size_t before, std::size_t after) const;

private:
    using Keys = std::vector<std::vector<std::string>>; // of the nodes of each group

    const FuseDocument& m_before;
    const FuseDocument& m_after;
    Keys m_keysBefore, m_keysAfter;
    std::vector<GroupPair> m_pairs;
};

} // namespace fw::snapshot
