#include "schedule/nest_boxes.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t largestReach = std::int64_t(1) << 40;

} // namespace

// An index is a sum of multiples of open loops, which say where the box begins, of loops inside,
// over whose iterations it extends, and of divisions, minima and maxima of such sums.
std::optional<BoxSpan> NestBoxes::reach(const Expr& e, const Inside& inside) const {
    const std::set<Symbol> vars = freeVars(e);
    if (std::none_of(vars.begin(), vars.end(), [&](Symbol var) { return inside.contains(var); }))
        return BoxSpan{e, Expr(1)};
    if (e.isVar()) {
        const Expr& steps = inside.at(e->symbol);
        const auto most = steps.asInt() ? steps.asInt() : boundsOf(steps, m_ranges).max;
        if (!most)
            return std::nullopt;
        return BoxSpan{Expr(0), Expr(std::max<std::int64_t>(*most, 1))};
    }
    const auto constant = [&](std::size_t i) { return e.arg(i).asInt().value_or(0); };
    const ExprOp op = e.op();
    if (op == ExprOp::FloorDiv || op == ExprOp::Mod) {
        const std::int64_t by = constant(1);
        if (by <= 0)
            return std::nullopt;
        if (op == ExprOp::Mod)
            return BoxSpan{Expr(0), Expr(by)};
        const auto of = reach(e.arg(0), inside);
        if (!of)
            return std::nullopt;
        const std::int64_t extent = *of->extent.asInt();
        const auto from = simplify(of->base).asInt();
        return BoxSpan{floorDivExpr(of->base, Expr(by)),
                       Expr(from ? floorDiv(*from + extent - 1, by) - floorDiv(*from, by) + 1
                                 : (extent + by - 2) / by + 1)};
    }
    if (op == ExprOp::Min || op == ExprOp::Max) {
        const auto a = reach(e.arg(0), inside), b = reach(e.arg(1), inside);
        if (!a || !b)
            return std::nullopt;
        return BoxSpan{op == ExprOp::Min ? minExpr(a->base, b->base) : maxExpr(a->base, b->base),
                       Expr(std::max(*a->extent.asInt(), *b->extent.asInt()))};
    }
    const Affine sum = toAffine(e);
    if (sum.terms.size() == 1 && sum.terms[0].second == 1 && sum.constant == 0 &&
        sum.terms[0].first == e)
        return std::nullopt;
    Affine base;
    base.constant = sum.constant;
    Expr rest(0);
    std::int64_t extent = 1;
    for (const auto& [atom, factor] : sum.terms) {
        const auto part = reach(atom, inside);
        if (!part)
            return std::nullopt;
        const auto further = checkedMul(factor, *part->extent.asInt() - 1);
        if (!further || *further > largestReach || *further < -largestReach)
            return std::nullopt;
        extent += std::abs(*further);
        rest = rest + part->base * Expr(factor) + Expr(std::min<std::int64_t>(*further, 0));
    }
    return BoxSpan{fromAffine(base) + rest, Expr(extent)};
}

// The box is not cut to the tensor: where it leaves it, nothing is computed.
BoxSpan NestBoxes::span(const Nest::Member& member, std::size_t dim, const Expr& index,
                        const PeelState& peel, const std::set<Symbol>& open) const {
    const Expr whole = member.stage.space[dim].extent;
    const Expr through = m_nest.axes().through(index, peel, m_ranges, &open);
    Inside inside = m_nest.axes().extents(peel);
    bool moves = false;
    for (const Symbol var : freeVars(through))
        moves = moves || (open.contains(var) && inside.contains(var));
    std::erase_if(inside, [&](const auto& loop) { return open.contains(loop.first); });
    if (!hasLoad(through)) {
        if (const auto found = reach(through, inside))
            return {simplify(found->base, m_ranges), found->extent};
    }
    if (!moves)
        return {Expr(0), whole};
    const std::string loop =
        member.level > 0 ? m_nest.root().loops[member.level - 1].var.text() : "";
    m_nest.refuse(*member.scheduled,
                  fmt::format("what {} needs of its dimension {} is no box: it is read at {}, {}",
                              loop.empty() ? m_nest.root().name : "one iteration of " + loop,
                              member.stage.space[dim].var.text(), index.text(),
                              hasLoad(through) ? "which depends on values"
                                               : "which is no sum of multiples of loops"));
}

// Copies of peeled loops further in as one loop that runs over all of them.
PeelState NestBoxes::covering(PeelState peel) const {
    const std::vector<AxisStep>& steps = m_nest.axes().steps();
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (!steps[i].isFuse && steps[i].tail == Tail::Peel && !peel.values.contains(i))
            peel.extents.emplace(
                steps[i].outer, simplify(ceilDivExpr(m_nest.axes().extents(peel).at(steps[i].first),
                                                     Expr(steps[i].factor))));
    return peel;
}

BoxSpan NestBoxes::joined(const Nest::Member& member, std::size_t dim, const BoxSpan& one,
                          const BoxSpan& other) const {
    const Expr whole = member.stage.space[dim].extent;
    if (one.extent == whole || other.extent == whole)
        return {Expr(0), whole};
    const auto apart = simplify(other.base - one.base, m_ranges).asInt();
    if (!apart)
        m_nest.refuse(*member.scheduled, "what is read of its dimension " +
                                             member.stage.space[dim].var.text() +
                                             " is no one box: from " + one.base.text() +
                                             " and from " + other.base.text());
    const std::int64_t first = std::min<std::int64_t>(0, *apart),
                       end = std::max(*one.extent.asInt(), *apart + *other.extent.asInt());
    return {simplify(one.base + Expr(first), m_ranges), Expr(end - first)};
}

std::vector<BoxSpan> NestBoxes::box(const Nest::Member& member, const PeelState& peel) const {
    Boxes known;
    return box(member, peel, known);
}

const std::vector<BoxSpan>& NestBoxes::box(const Nest::Member& member, const PeelState& peel,
                                           Boxes& known) const {
    if (const auto done = known.find(member.scheduled); done != known.end())
        return done->second;
    std::set<Symbol> open;
    for (std::size_t i = 0; i < member.level; ++i)
        open.insert(m_nest.root().loops[i].var);
    open = m_nest.axes().sources(std::move(open));
    std::vector<std::optional<BoxSpan>> found(member.roles.size());
    const auto readBy = [&](const Expr& body, const PeelState& at) {
        visitExpr(body, [&](const Expr& part) {
            if (part.op() != ExprOp::Load || part->symbol != member.stage.out)
                return;
            for (std::size_t d = 0; d < found.size(); ++d)
                if (member.roles[d] == Nest::DimRole::Box) {
                    const BoxSpan other = span(member, d, part.arg(d), at, open);
                    found[d] = found[d] ? joined(member, d, *found[d], other) : other;
                }
        });
    };
    readBy(m_nest.stage().body, peel);
    for (const Nest::Member& reader : m_nest.members()) {
        if (reader.scheduled == &m_nest.root() ||
            !loadedTensors(reader.stage.body).contains(member.stage.out))
            continue;
        // The box of the reader may be more than is needed of it, and all of it is computed.
        PeelState at = reader.level > member.level ? covering(peel) : peel;
        Substitution moved;
        const std::vector<BoxSpan>& spans = box(reader, at, known);
        for (std::size_t d = 0; d < spans.size(); ++d)
            if (reader.roles[d] == Nest::DimRole::Box) {
                const Symbol var = reader.stage.space[d].var;
                at.extents[var] = spans[d].extent;
                moved.emplace(var, spans[d].base + varExpr(var));
            }
        readBy(substitute(reader.stage.body, moved), at);
    }
    std::vector<BoxSpan> out;
    for (std::size_t d = 0; d < found.size(); ++d) {
        const Expr& whole = member.stage.space[d].extent;
        const bool isPart = found[d] && !isWhole(*found[d], whole);
        out.push_back(isPart ? *found[d] : BoxSpan{Expr(0), whole});
    }
    return known.emplace(member.scheduled, std::move(out)).first->second;
}

bool isWhole(const BoxSpan& span, const Expr& whole) {
    const auto size = whole.asInt(), extent = span.extent.asInt();
    return span.extent == whole || (size && extent && *size <= *extent);
}

bool isWhole(const Nest::Member& member, const std::vector<BoxSpan>& spans) {
    for (std::size_t d = 0; d < spans.size(); ++d)
        if (member.roles[d] == Nest::DimRole::Box &&
            !isWhole(spans[d], member.stage.space[d].extent))
            return false;
    return true;
}

} // namespace fw
