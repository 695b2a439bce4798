#include "session/branch_sizes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t eachUpTo = 4096; // beyond, changes are looked for between powers of two
constexpr std::int64_t last = std::int64_t(1) << 31;
constexpr std::size_t mostRuns = 6; // that are written out

bool holds(const Expr& condition, Symbol dim, std::int64_t size) {
    const auto value = evalIndex(condition, {{dim, size}});
    return value && *value != 0;
}

struct Run {
    std::int64_t from = 0, to = 0;
    int branch = -1; // -1: the size cannot be
};

class SizesOfBranches {
public:
    SizesOfBranches(const Graph& graph, const Group& choice, Symbol dim)
        : m_choice(choice), m_dim(dim) {
        for (const Assumption& assumption : graph.assumptions())
            if (freeVars(assumption.condition) == std::set<Symbol>{dim})
                m_known.push_back(assumption.condition);
    }

    std::vector<Run> runs() {
        for (std::int64_t size = 1; size <= eachUpTo; ++size)
            add(size, size, branchAt(size));
        for (std::int64_t from = eachUpTo; from < last; from *= 2)
            between(from, 2 * from);
        return std::move(m_runs);
    }

private:
    int branchAt(std::int64_t size) const {
        for (const Expr& known : m_known)
            if (!holds(known, m_dim, size))
                return -1;
        for (std::size_t i = 0; i < m_choice.parts.size(); ++i)
            if (!m_choice.parts[i].when || holds(*m_choice.parts[i].when, m_dim, size))
                return static_cast<int>(i);
        return -1;
    }

    // `from` was added.
    void between(std::int64_t from, std::int64_t to) {
        const int before = branchAt(from), behind = branchAt(to);
        std::int64_t low = from, high = to; // `low` is as before
        while (before != behind && high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            (branchAt(middle) == before ? low : high) = middle;
        }
        if (before != behind) {
            add(from + 1, low, before);
            add(high, to, behind);
        } else {
            add(from + 1, to, before);
        }
    }

    void add(std::int64_t from, std::int64_t to, int branch) {
        if (from > to)
            return;
        if (!m_runs.empty() && m_runs.back().branch == branch)
            m_runs.back().to = to;
        else
            m_runs.push_back({from, to, branch});
    }

    const Group& m_choice;
    Symbol m_dim;
    Exprs m_known;
    std::vector<Run> m_runs;
};

std::string rangeText(const Run& run) {
    if (run.to >= last)
        return fmt::format("{} and more", run.from);
    return run.from == run.to ? fmt::format("{}", run.from)
                              : fmt::format("{}..{}", run.from, run.to);
}

} // namespace

std::vector<std::string> branchSizes(const Graph& graph, const Group& choice) {
    std::set<Symbol> dims;
    for (const Group& part : choice.parts)
        if (part.when)
            dims.merge(freeVars(*part.when));
    std::vector<std::string> out(choice.parts.size());
    if (dims.size() != 1)
        return out;
    std::vector<std::size_t> written(out.size());
    for (const Run& run : SizesOfBranches(graph, choice, *dims.begin()).runs()) {
        if (run.branch < 0)
            continue;
        const auto branch = static_cast<std::size_t>(run.branch);
        if (++written[branch] <= mostRuns)
            out[branch] += out[branch].empty()
                               ? fmt::format("{} = {}", dims.begin()->text(), rangeText(run))
                               : ", " + rangeText(run);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        if (written[i] > mostRuns)
            out[i] += ", ...";
        else if (written[i] == 0)
            out[i] = "no size";
    return out;
}

} // namespace fw
