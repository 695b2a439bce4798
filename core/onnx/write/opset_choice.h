// The opset that a file is written in: one in which everything in it can be said.
#pragma once

#include "onnx/schema/standard_operators.h"

#include <optional>
#include <set>
#include <vector>

namespace fw {

class OpsetChoice {
public:
    explicit OpsetChoice(std::int64_t least) : m_allowed{least, latest} {}

    void atLeast(std::int64_t since) { m_allowed.least = std::max(m_allowed.least, since); }
    void within(const OpsetRange& range) { m_allowed = m_allowed.with(range); }
    void inOneOf(std::vector<OpsetRange> ranges); // forms of an operator, each of some opsets

    // The usual one if it will do, else the nearest later one, else the nearest earlier one.
    std::optional<std::int64_t> best() const;
    // The first one that will do, as far as that is decided; the one that is needed if none does.
    std::int64_t first() const;

private:
    static constexpr std::int64_t latest = 64; // beyond those that there are
    bool holds(std::int64_t opset) const;

    OpsetRange m_allowed;
    std::set<std::vector<std::pair<std::int64_t, std::int64_t>>> m_forms;
};

} // namespace fw
