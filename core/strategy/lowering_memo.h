// What groups were lowered to, by what that depends on.
#pragma once

#include "base/hash.h"
#include "base/memo.h"
#include "strategy/implementation.h"

namespace fw {

struct LoweringMemoHash {
    std::size_t operator()(const Hash& key) const { return key.low; }
};

// Lowerings by content: what is the same is lowered once, whichever plan asks. Equal groups have
// one kernel, whatever they are called; a call of a library is that of its values, constants
// included. From any thread.
class LoweringMemo : public Memo<Hash, Result<Lowering>, LoweringMemoHash> {
public:
    // `operators`: the text of those that are not shipped, which a group may hold.
    explicit LoweringMemo(std::string operators = {}) : m_operators(std::move(operators)) {}

    // Of everything that lowering by this implementation depends on.
    Hash keyOf(const GroupSite& site, const Target& target, const Implementation& by) const;
    // Of many, what the last plan did not ask for is forgotten.
    void beginPlan() { beginRound(1024); }

private:
    std::string m_operators;
};

} // namespace fw
