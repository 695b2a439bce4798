// What was found before, by all that it depends on. A key is a value with == and a hash, so that it
// says what it is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace fw {

// From any thread. What two threads make at once is made twice and kept once.
template <class Key, class Value, class KeyHash = std::hash<Key>, class Same = std::equal_to<Key>>
class Memo {
public:
    using Kept = std::shared_ptr<const Value>;

    Kept find(const Key& key) { // nullptr: not known
        const std::lock_guard lock(m_mutex);
        const auto found = m_known.find(key);
        if (found == m_known.end())
            return nullptr;
        found->second.round = m_round;
        return found->second.value;
    }

    // What is known already stays, and is the answer.
    Kept add(const Key& key, Value value) {
        auto made = std::make_shared<const Value>(std::move(value));
        const std::lock_guard lock(m_mutex);
        ++m_made;
        return m_known.try_emplace(key, Entry{std::move(made), m_round}).first->second.value;
    }

    template <class Make>
    Kept answer(const Key& key, const Make& make) {
        Kept known = find(key);
        return known ? known : add(key, make());
    }

    // Of as many as `many` or more, what nobody asked for since the last call is forgotten.
    void beginRound(std::size_t many) {
        const std::lock_guard lock(m_mutex);
        if (m_known.size() >= many)
            std::erase_if(m_known, [&](const auto& one) { return one.second.round != m_round; });
        ++m_round;
    }

    std::size_t made() const { // how many were added in all
        const std::lock_guard lock(m_mutex);
        return m_made;
    }

private:
    struct Entry {
        Kept value;
        std::uint64_t round = 0; // in which it was asked for last
    };

    mutable std::mutex m_mutex;
    std::unordered_map<Key, Entry, KeyHash, Same> m_known;
    std::uint64_t m_round = 0;
    std::size_t m_made = 0;
};

} // namespace fw
