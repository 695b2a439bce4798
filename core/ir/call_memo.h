// Answers about calls of one operator, by call. Attributes are compared bit by bit: two zeros of
// different sign are two values, two equal NaNs are one.
#pragma once

#include "base/memo.h"
#include "ir/operator.h"

#include <memory>

namespace fw {

struct SameCall {
    bool operator()(const OpCall& a, const OpCall& b) const;
};
struct CallHash {
    std::size_t operator()(const OpCall& call) const;
};
// Such calls are not kept, since a model's weights would outlive the model.
bool holdsTensor(const OpCall& call);

// Of about `most` calls.
template <class Answer>
class CallMemo {
public:
    using Kept = std::shared_ptr<const Answer>;

    explicit CallMemo(std::size_t most) : m_most(most) {}

    Kept find(const OpCall& call) const { return m_known.find(call); }

    Kept keep(const OpCall& call, Answer answer) const {
        m_known.beginRound(m_most);
        return m_known.add(call, std::move(answer));
    }

    template <class Ask>
    Kept answer(const OpCall& call, const Ask& ask) const {
        if (holdsTensor(call))
            return std::make_shared<const Answer>(ask());
        Kept known = find(call);
        return known ? known : keep(call, ask());
    }

private:
    std::size_t m_most;
    mutable Memo<OpCall, Answer, CallHash, SameCall> m_known;
};

} // namespace fw
