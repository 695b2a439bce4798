#include "onnx/write/function_axes.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace fw {

std::size_t placeOf(const FunctionAxes& axes, const std::string& variable) {
    return static_cast<std::size_t>(
        std::find_if(axes.begin(), axes.end(),
                     [&](const FunctionAxis& axis) { return axis.variable == variable; }) -
        axes.begin());
}

bool sameOrder(const FunctionAxes& a, const FunctionAxes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const FunctionAxis& one, const FunctionAxis& other) {
                          return one.variable == other.variable;
                      });
}

std::optional<std::size_t> AxisWriter::rankOf(const FunctionAxis& axis) const {
    if (!axis.pack)
        return 1;
    const auto known = m_facts.ranks.find(axis.dim);
    return known == m_facts.ranks.end() ? std::nullopt : known->second;
}

std::optional<std::size_t> AxisWriter::rankOf(const FunctionAxes& axes, std::size_t begin,
                                              std::size_t end) const {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const auto rank = rankOf(axes[i]);
        if (!rank)
            return std::nullopt;
        sum += *rank;
    }
    return sum;
}

Result<Integers> AxisWriter::places(const FunctionAxes& axes, std::size_t i) const {
    const auto own = rankOf(axes[i]);
    const auto before = rankOf(axes, 0, i);
    const auto behind = rankOf(axes, i + 1, axes.size());
    if (!own || (!before && !behind))
        return makeDiag(
            DiagCode::UnsupportedAttribute,
            fmt::format("where the axes of {} lie differs between the calls", axes[i].dim));
    Integers out;
    for (std::size_t k = 0; k < *own; ++k)
        out.push_back(behind
                          ? static_cast<std::int64_t>(k) - static_cast<std::int64_t>(*own + *behind)
                          : static_cast<std::int64_t>(*before + k));
    return out;
}

Result<std::pair<std::int64_t, std::int64_t>> AxisWriter::span(const FunctionAxes& axes,
                                                               std::size_t i) const {
    using FromTo = std::pair<std::int64_t, std::int64_t>;
    const auto before = rankOf(axes, 0, i);
    const auto behind = rankOf(axes, i + 1, axes.size());
    if (before && behind)
        return FromTo{static_cast<std::int64_t>(*before),
                      *behind == 0 ? std::numeric_limits<std::int64_t>::max()
                                   : -static_cast<std::int64_t>(*behind)};
    FW_TRY(const Integers whole, places(axes, i));
    if (whole.empty())
        return FromTo{0, 0};
    const bool isLast = whole.back() == -1;
    return FromTo{whole.front(),
                  isLast ? std::numeric_limits<std::int64_t>::max() : whole.back() + 1};
}

Result<std::string> AxisWriter::ordered(const std::string& x, const FunctionAxes& from,
                                        const FunctionAxes& to) {
    FunctionAxes kept; // those of `from`, as `to` orders them
    for (const FunctionAxis& axis : to)
        if (placeOf(from, axis.variable) < from.size())
            kept.push_back(axis);
    if (sameOrder(kept, from))
        return x;
    Integers order;
    for (const FunctionAxis& axis : kept) {
        const std::size_t place = placeOf(from, axis.variable);
        const auto before = rankOf(from, 0, place);
        const auto own = rankOf(from[place]);
        if (!before || !own)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("{} changes its place among the axes, and the number of "
                                        "axes differs between the calls",
                                        axis.dim));
        for (std::size_t k = 0; k < *own; ++k)
            order.push_back(static_cast<std::int64_t>(*before + k));
    }
    return m_nodes.add("Transpose", {x}, "perm", order);
}

Result<std::string> AxisWriter::aligned(const std::string& x, const FunctionAxes& from,
                                        const FunctionAxes& to) {
    FW_TRY(const std::string sorted, ordered(x, from, to));
    Integers missing;
    bool behindFirst = false;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (placeOf(from, to[i].variable) < from.size()) {
            behindFirst = true;
        } else if (behindFirst) {
            const auto own = rankOf(to[i]);
            const auto behind = rankOf(to, i + 1, to.size());
            if (!own || !behind)
                return makeDiag(DiagCode::UnsupportedAttribute,
                                fmt::format("how many axes {} and what lies behind it have "
                                            "differs between the calls",
                                            to[i].dim));
            for (std::size_t k = 0; k < *own; ++k)
                missing.push_back(static_cast<std::int64_t>(k) -
                                  static_cast<std::int64_t>(*own + *behind));
        }
    }
    return missing.empty() ? sorted : m_nodes.add("Unsqueeze", {sorted, m_nodes.integers(missing)});
}

} // namespace fw
