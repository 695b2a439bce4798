#include "tensor/writes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

constexpr std::int64_t mostCounted = std::int64_t(1) << 20;

const char* const plainPlaces =
    "write plain indices on the left side, as in y[n] = ..., and compute "
    "on the right side what is read";

bool atMostOne(const Expr& extent) {
    const auto fixed = extent.asInt();
    return fixed && *fixed <= 1;
}

// The iterations of a stage write different elements: index after index gives the variable that it
// is linear in, once the others in it are known.
bool isInjective(const Stage& stage) {
    std::set<Symbol> left;
    for (const Axis& axis : stage.space)
        if (!atMostOne(axis.extent))
            left.insert(axis.var);
    for (bool found = true; found && !left.empty();) {
        found = false;
        for (const Expr& index : stage.store) {
            std::vector<Symbol> open;
            for (const Symbol var : freeVars(index))
                if (left.contains(var))
                    open.push_back(var);
            if (open.size() != 1)
                continue;
            const auto linear = linearIn(index, open.front());
            if (linear && linear->coefficient != 0) {
                left.erase(open.front());
                found = true;
            }
        }
    }
    return left.empty();
}

// What one index of a stage runs over: first, first + 1, ..., first + count - 1.
struct IndexRun {
    Expr first, count;
};

std::optional<IndexRun> runOf(const Stage& stage, std::size_t d) {
    for (const Axis& axis : stage.space)
        if (const auto linear = linearIn(stage.store[d], axis.var);
            linear && linear->coefficient == 1 &&
            std::none_of(stage.space.begin(), stage.space.end(),
                         [&](const Axis& other) { return usesVar(linear->rest, other.var); }))
            return IndexRun{linear->rest, axis.extent};
    return std::nullopt;
}

// One stage begins where the one before it ends, or behind that, as the operands of a concat do. So
// it is enough to look at neighbours, where in general every pair has to be.
bool followEachOther(const std::vector<const Stage*>& stages, std::size_t d, const Ranges& known) {
    std::optional<IndexRun> last;
    for (const Stage* stage : stages) {
        auto run = d < stage->store.size() ? runOf(*stage, d) : std::nullopt;
        if (!run || !proveNonNegative(run->count, known) ||
            (last && !proveNonNegative(run->first - last->first - last->count, known)))
            return false;
        last = std::move(run);
    }
    return true;
}

bool areDisjoint(const Stage& a, const Stage& b, const Ranges& known) {
    Ranges ranges = known;
    for (const Stage* stage : {&a, &b})
        for (const Axis& axis : stage->space)
            ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
    for (std::size_t d = 0; d < a.store.size() && d < b.store.size(); ++d)
        if (proveNonNegative(a.store[d] - b.store[d] - Expr(1), ranges) ||
            proveNonNegative(b.store[d] - a.store[d] - Expr(1), ranges))
            return true;
    return false;
}

Expr extentOfPoints(const Stage& stage) {
    Expr out(1);
    for (const Axis& axis : stage.space)
        out = out * axis.extent;
    return out;
}

class WrittenOutput {
public:
    WrittenOutput(const OpInst& inst, const TensorDecl& out, const Ranges& known)
        : m_out(out), m_known(known), m_size(elementCount(out.type.shape)), m_written(0) {
        for (std::size_t i = 0; i < inst.stages.size(); ++i)
            if (inst.stages[i].out == out.name) {
                m_stages.push_back(&inst.stages[i]);
                m_last = i;
                m_written = m_written + extentOfPoints(inst.stages[i]);
            }
    }

    std::optional<WriteProblem> problem() const {
        if (m_stages.empty() || isWhole())
            return std::nullopt;
        if (proveDifferent(m_written, m_size, m_known))
            return told(fmt::format("{} of {} elements of {} are written", m_written.text(),
                                    m_size.text(), m_out.name.text()),
                        "every element of a result is written, once");
        for (const Stage* stage : m_stages)
            if (std::any_of(stage->store.begin(), stage->store.end(), hasLoad))
                return told(fmt::format("where {} is written depends on a value", placeOf(*stage)),
                            plainPlaces);
        if (isProved())
            return std::nullopt;
        return counted();
    }

private:
    // One stage over the axes of the output, in any order.
    bool isWhole() const {
        const Stage& only = *m_stages.front();
        if (m_stages.size() > 1 || only.space.size() != only.store.size())
            return false;
        std::set<Symbol> seen;
        for (std::size_t d = 0; d < only.store.size(); ++d) {
            const auto axis =
                std::find_if(only.space.begin(), only.space.end(),
                             [&](const Axis& one) { return only.store[d] == varExpr(one.var); });
            if (axis == only.space.end() || !(axis->extent == m_out.type.shape[d]) ||
                !seen.insert(axis->var).second)
                return false;
        }
        return true;
    }

    // As many as there are, all of them different.
    bool isProved() const {
        if (!std::all_of(m_stages.begin(), m_stages.end(),
                         [](const Stage* stage) { return isInjective(*stage); }))
            return false;
        bool disjoint = false;
        for (std::size_t d = 0; d < m_out.type.rank() && !disjoint; ++d)
            disjoint = followEachOther(m_stages, d, m_known);
        for (std::size_t i = 0; i < m_stages.size() && !disjoint; ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (!areDisjoint(*m_stages[k], *m_stages[i], m_known))
                    return false;
        return proveEqual(m_written, m_size, m_known) ||
               (proveNonNegative(m_written - m_size, m_known) &&
                proveNonNegative(m_size - m_written, m_known));
    }

    std::optional<WriteProblem> counted() const {
        const auto extents = fixedExtents(m_out.type.shape);
        const auto points = m_written.asInt();
        if (!extents || !points || *points > mostCounted)
            return told(fmt::format("it cannot be shown that {} writes every element of {} once",
                                    placeOf(*m_stages.back()), m_out.type.text()),
                        plainPlaces);
        std::vector<bool> seen(static_cast<std::size_t>(std::max<std::int64_t>(*points, 0)));
        for (const Stage* stage : m_stages)
            if (auto twice = count(*stage, *extents, seen))
                return twice;
        return std::nullopt; // as many as there are, and none twice
    }

    std::optional<WriteProblem> count(const Stage& stage, const std::vector<std::int64_t>& extents,
                                      std::vector<bool>& seen) const {
        const std::int64_t points = extentOfPoints(stage).asInt().value_or(0);
        Bindings at;
        for (std::int64_t point = 0; point < points; ++point) {
            std::int64_t rest = point;
            for (std::size_t i = stage.space.size(); i-- > 0;) {
                const std::int64_t extent = stage.space[i].extent.asInt().value_or(1);
                at[stage.space[i].var] = rest % extent;
                rest /= extent;
            }
            std::size_t offset = 0;
            std::vector<std::int64_t> place;
            for (std::size_t d = 0; d < stage.store.size(); ++d) {
                place.push_back(evalIndex(stage.store[d], at).value_or(-1));
                if (place.back() < 0 || place.back() >= extents[d])
                    return told(fmt::format("{} cannot be followed", placeOf(stage)), plainPlaces);
                offset = offset * static_cast<std::size_t>(extents[d]) +
                         static_cast<std::size_t>(place.back());
            }
            if (seen.at(offset))
                return told(fmt::format("{}[{}] is written more than once", m_out.name.text(),
                                        fmt::join(place, ", ")),
                            "every element of a result is written, once; a sum over what falls on "
                            "one place is sum(k in K : ...)");
            seen[offset] = true;
        }
        return std::nullopt;
    }

    // y[n / 2]
    std::string placeOf(const Stage& stage) const {
        std::string out;
        for (const Expr& index : stage.store)
            out += (out.empty() ? "" : ", ") + index.text();
        return fmt::format("{}[{}]", m_out.name.text(), out);
    }

    WriteProblem told(std::string what, std::string hint) const {
        return {m_last, std::move(what), std::move(hint)};
    }

    const TensorDecl& m_out;
    const Ranges& m_known;
    std::vector<const Stage*> m_stages;
    std::size_t m_last = 0;
    Expr m_size, m_written;
};

} // namespace

std::optional<WriteProblem> writeProblem(const OpInst& inst, const Ranges& known) {
    for (const TensorDecl& out : inst.outputs)
        if (auto problem = WrittenOutput(inst, out, known).problem())
            return problem;
    return std::nullopt;
}

} // namespace fw
