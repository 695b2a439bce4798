// Legal steps on the loops of a stage, drawn at random.
#pragma once

#include "ir/op_inst.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace fw::test {

class Random {
public:
    explicit Random(unsigned seed) : m_engine(seed) {}
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(m_engine() % static_cast<unsigned>(high - low + 1));
    }
    bool oneIn(std::int64_t n) { return pick(1, n) == 1; }
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(count) - 1));
    }

private:
    std::mt19937 m_engine;
};

// Steps on the loops of one stage; keeps what loops there are.
class Loops {
public:
    Loops(Random& r, std::string stage, const std::vector<Axis>& axes, bool reduced)
        : m_r(r), m_stage(std::move(stage)), m_reduced(reduced) {
        for (const Axis& axis : axes)
            all.push_back({axis.var.text(), axis.extent.asInt(), true, {}});
    }

    struct Loop {
        std::string name;
        std::optional<std::int64_t> extent;
        bool splits = true; // it may be split or fused again
        std::string outer;  // of the inner loop of a peeled split
    };
    std::vector<Loop> all;
    std::string text;

    void change() {
        if (all.empty())
            return;
        if (m_r.oneIn(4))
            fuse();
        else
            split();
    }

    void order() {
        if (all.size() < 2 || m_r.oneIn(2))
            return;
        std::vector<Loop> was = all;
        for (std::size_t i = all.size(); i-- > 1;)
            std::swap(all[i], all[m_r.below(i + 1)]);
        // What is peeled lies inside its tiles.
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = i + 1; j < all.size(); ++j)
                if (all[i].outer == all[j].name) {
                    all = std::move(was);
                    return;
                }
        std::vector<std::string> names;
        for (const Loop& loop : all)
            names.push_back(loop.name);
        text += fmt::format("{}.reorder({})\n", m_stage, fmt::join(names, ", "));
    }

    void marks(bool lanes, bool copies) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Loop& loop = all[i];
            if (!loop.extent || *loop.extent > 16)
                continue;
            if (lanes && i + 1 == all.size() && m_r.oneIn(2)) {
                if (m_reduced)
                    text += fmt::format("{}.partial({})\n", m_stage, loop.name);
                text += fmt::format("{}.vectorize({})\n", m_stage, loop.name);
            } else if (copies && m_r.oneIn(3)) {
                text += fmt::format("{}.unroll({})\n", m_stage, loop.name);
            } else if (m_reduced && m_r.oneIn(4)) {
                text += fmt::format("{}.partial({})\n", m_stage, loop.name);
            }
        }
    }

private:
    void split() {
        const std::size_t at = m_r.below(all.size());
        if (!all[at].splits)
            return;
        const bool guard = m_r.pick(1, 3) > 1;
        const std::int64_t factor =
            m_r.oneIn(6) ? 16 : m_r.pick(1, 6); // lanes beyond the axis, too
        const Loop loop = all[at];
        const std::string outer = loop.name + "1", inner = loop.name + "0";
        text += fmt::format("{}.split({}, {}, {}, {}, {})\n", m_stage, loop.name, outer, inner,
                            factor, guard ? "guard" : "peel");
        std::optional<std::int64_t> tiles;
        if (loop.extent)
            tiles = guard ? (*loop.extent + factor - 1) / factor : *loop.extent / factor;
        all[at] = {outer, tiles, guard, {}};
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                   Loop{inner, factor, true, guard ? std::string() : outer});
    }

    void fuse() {
        if (all.size() < 2)
            return;
        const std::size_t at = m_r.below(all.size() - 1);
        const Loop first = all[at], second = all[at + 1];
        if (!first.splits || !second.splits || !first.outer.empty() || !second.outer.empty())
            return;
        const std::string name = first.name + second.name;
        text += fmt::format("{}.fuse({}, {}, {})\n", m_stage, first.name, second.name, name);
        std::optional<std::int64_t> both;
        if (first.extent && second.extent)
            both = *first.extent * *second.extent;
        all[at] = {name, both, true, {}};
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }

    Random& m_r;
    std::string m_stage;
    bool m_reduced;
};

} // namespace fw::test
