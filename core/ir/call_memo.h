// Answers about calls of one operator, by call. Attributes are compared bit by bit: two zeros of
// different sign are two values, two equal NaNs are one.
#pragma once

#include "ir/operator.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace fw {

struct SameCall {
    bool operator()(const OpCall& a, const OpCall& b) const;
};
struct CallHash {
    std::size_t operator()(const OpCall& call) const;
};
// Such calls are not kept, since a model's weights would outlive the model.
bool holdsTensor(const OpCall& call);

// From any thread; forgets all of them where there would be more than `most`.
template <class Answer>
class CallMemo {
public:
    using Kept = std::shared_ptr<const Answer>;

    explicit CallMemo(std::size_t most) : m_most(most) {}

    Kept find(const OpCall& call) const {
        std::lock_guard lock(m_mutex);
        const auto found = m_known.find(call);
        return found == m_known.end() ? nullptr : found->second;
    }

    void keep(const OpCall& call, Kept answer) const {
        std::lock_guard lock(m_mutex);
        if (m_known.size() >= m_most)
            m_known.clear();
        m_known.emplace(call, std::move(answer));
    }

    template <class Ask>
    Kept answer(const OpCall& call, const Ask& ask) const {
        if (holdsTensor(call))
            return std::make_shared<const Answer>(ask());
        if (Kept known = find(call))
            return known;
        auto out = std::make_shared<const Answer>(ask());
        keep(call, out);
        return out;
    }

private:
    std::size_t m_most;
    mutable std::mutex m_mutex;
    mutable std::unordered_map<OpCall, Kept, CallHash, SameCall> m_known;
};

} // namespace fw
