// Regions: what one iteration of the open loops needs of a stage that is computed there, by its own
// loops over a box of its axes.
#include "schedule/lower_nest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

// The box is not cut to the tensor: what is computed for elements beyond it reads beyond, too.
// An affine index is a sum of open loops, which say where the box begins, and of loops inside, over
// whose iterations it extends.
NestLowering::Span NestLowering::span(const Member& member, std::size_t dim, const Expr& index,
                                      const PeelState& peel, const std::set<Symbol>& open) const {
    const Expr whole = member.stage.space[dim].extent;
    const auto noBox = [&](const std::string& why) {
        const std::string loop = member.level > 0 ? m_root.loops[member.level - 1].var.text() : "";
        refuse(*member.scheduled,
               fmt::format("what {} needs of its dimension {} is no box: it is read at {}, {}",
                           loop.empty() ? m_root.name : "one iteration of " + loop,
                           member.stage.space[dim].var.text(), index.text(), why));
    };
    const Expr through = m_axes.through(index, peel, m_ranges, &open);
    const auto extents = m_axes.extents(peel);
    const auto isOpen = [&](Symbol var) { return open.contains(var) && extents.contains(var); };
    const std::set<Symbol> used = freeVars(through);
    const bool moves = std::any_of(used.begin(), used.end(), isOpen);
    if (hasLoad(through)) {
        if (moves)
            noBox("which depends on values");
        return {Expr(0), whole};
    }
    const Affine sum = toAffine(through);
    Affine base;
    base.constant = sum.constant;
    std::int64_t extent = 1;
    for (const auto& [atom, factor] : sum.terms) {
        const std::set<Symbol> vars = freeVars(atom);
        if (std::all_of(vars.begin(), vars.end(),
                        [&](Symbol var) { return open.contains(var) || !extents.contains(var); })) {
            base.terms.emplace_back(atom, factor);
            continue;
        }
        const auto steps = atom.isVar() ? extents.at(atom->symbol).asInt() : std::nullopt;
        if (!steps) {
            if (moves)
                noBox(atom.isVar() ? "and the extent of " + atom.text() + " is not constant"
                                   : "which is no sum of multiples of loops");
            return {Expr(0), whole};
        }
        const std::int64_t reach = factor * std::max<std::int64_t>(*steps - 1, 0);
        extent += std::abs(reach);
        base.constant += std::min<std::int64_t>(reach, 0);
    }
    return {simplify(fromAffine(base), m_ranges), Expr(extent)};
}

std::vector<NestLowering::Span> NestLowering::box(const Member& member, const PeelState& peel,
                                                  std::size_t level) const {
    std::set<Symbol> open;
    for (std::size_t i = 0; i < level; ++i)
        open.insert(m_root.loops[i].var);
    open = m_axes.sources(std::move(open));
    std::vector<std::optional<Span>> found(member.roles.size());
    const auto join = [&](std::size_t dim, const Span& other) {
        if (!found[dim]) {
            found[dim] = other;
            return;
        }
        Span& one = *found[dim];
        const Expr whole = member.stage.space[dim].extent;
        if (one.extent == whole || other.extent == whole) {
            one = {Expr(0), whole};
            return;
        }
        const auto apart = simplify(other.base - one.base, m_ranges).asInt();
        if (!apart)
            refuse(*member.scheduled, "what is read of its dimension " +
                                          member.stage.space[dim].var.text() +
                                          " is no one box: from " + one.base.text() + " and from " +
                                          other.base.text());
        const std::int64_t first = std::min<std::int64_t>(0, *apart),
                           end = std::max(*one.extent.asInt(), *apart + *other.extent.asInt());
        one = {simplify(one.base + Expr(first), m_ranges), Expr(end - first)};
    };
    const auto readBy = [&](const Expr& body, const PeelState& at) {
        visitExpr(body, [&](const Expr& part) {
            if (part.op() != ExprOp::Load || part->symbol != member.stage.out)
                return;
            for (std::size_t d = 0; d < found.size(); ++d)
                if (member.roles[d] == DimRole::Box)
                    join(d, span(member, d, part.arg(d), at, open));
        });
    };
    readBy(m_stage.body, peel);
    for (const Member& reader : m_members) {
        if (reader.scheduled == &m_root || !loadedTensors(reader.stage.body).contains(member.stage.out))
            continue;
        PeelState at = peel;
        Substitution moved;
        const std::vector<Span> spans = box(reader, peel, level);
        for (std::size_t d = 0; d < spans.size(); ++d)
            if (reader.roles[d] == DimRole::Box) {
                const Symbol var = reader.stage.space[d].var;
                at.extents[var] = spans[d].extent;
                moved.emplace(var, spans[d].base + varExpr(var));
            }
        readBy(substitute(reader.stage.body, moved), at);
    }
    std::vector<Span> out;
    for (std::size_t d = 0; d < found.size(); ++d)
        out.push_back(found[d].value_or(Span{Expr(0), member.stage.space[d].extent}));
    return out;
}

bool NestLowering::isWhole(const Span& span, const Expr& whole) {
    const auto size = whole.asInt(), extent = span.extent.asInt();
    return span.extent == whole || (size && extent && *size <= *extent);
}

bool NestLowering::isWhole(const Member& member, const std::vector<Span>& spans) {
    for (std::size_t d = 0; d < spans.size(); ++d)
        if (member.roles[d] == DimRole::Box && !isWhole(spans[d], member.stage.space[d].extent))
            return false;
    return true;
}

NestLowering::Region NestLowering::region(const Member& member, const PeelState& peel) const {
    const Stage& stage = member.stage;
    const DType dtype = m_group.inst.find(stage.out)->type.dtype;
    std::vector<Span> spans = box(member, peel, member.level);
    for (std::size_t d = 0; d < spans.size(); ++d)
        if (const Expr& whole = stage.space[d].extent; isWhole(spans[d], whole))
            spans[d] = {Expr(0), whole};
    Region out;
    out.peel = peel;
    Local& local = out.local;
    local.roles = member.roles;
    local.strides.assign(spans.size(), Expr(0));
    local.base = local.strides;
    std::int64_t size = 1;
    for (std::size_t d = spans.size(); d-- > 0;) {
        if (member.roles[d] != DimRole::Own && member.roles[d] != DimRole::Box)
            continue;
        const Expr var = varExpr(stage.space[d].var), &whole = stage.space[d].extent;
        const auto extent = spans[d].extent.asInt();
        if (!extent)
            refuse(*member.scheduled, "the size of its buffer is not constant");
        local.strides[d] = Expr(*extent == 1 ? 0 : size); // no loop chooses among one element
        size *= std::max<std::int64_t>(*extent, 1);
        if (size * static_cast<std::int64_t>(dtypeBytes(dtype)) > mostStackBytes)
            refuse(*member.scheduled,
                   fmt::format("its buffer is too large for the stack: more than {} bytes",
                               mostStackBytes));
        if (member.roles[d] == DimRole::Own || spans[d].extent == whole)
            continue;
        local.base[d] = spans[d].base;
        out.peel.extents[stage.space[d].var] = spans[d].extent;
        out.moved.emplace(stage.space[d].var, spans[d].base + var);
        out.inside.push_back(leExpr(Expr(0), spans[d].base + var));
        out.inside.push_back(ltExpr(spans[d].base + var, whole));
    }
    local.buffer = {stage.out, dtype, Expr(size),
                    size == 1 ? BufferScope::Register : BufferScope::Stack,
                    BufferAccess::ReadWrite};
    return out;
}

Stmt NestLowering::regionStore(const Local& local, const Exprs& indices, const Expr& stored,
                               const PeelState& peel) {
    Expr offset(0);
    for (std::size_t d = 0; d < indices.size(); ++d)
        if (local.roles[d] == DimRole::Own || local.roles[d] == DimRole::Box)
            offset = offset + m_axes.through(indices[d], peel, m_ranges) * local.strides[d];
    return storeStmt(local.buffer.name, simplify(offset, m_ranges),
                     castExpr(stored, local.buffer.dtype));
}

// The innermost loops of lanes and of straight-line code hold the sums; what they hold goes into the
// region.
Stmt NestLowering::regionReduction(const Member& member, const PeelState& peel,
                                   std::vector<Buffer>& buffers) {
    const Region region = this->region(member, peel);
    const auto isTile = [](const ScheduledLoop& loop) {
        return loop.kind == LoopKind::Vector || loop.kind == LoopKind::Unroll;
    };
    const auto tile = std::find_if_not(member.own.rbegin(), member.own.rend(), isTile).base();
    Member inner = member;
    inner.tile.assign(tile, member.own.end());
    inner.roles.assign(member.roles.size(), DimRole::Tile);
    inner.stage.body = substitute(member.stage.body, region.moved);
    inner.guards.insert(inner.guards.end(), region.inside.begin(), region.inside.end());
    const std::vector<Condition> tails = this->tails(member.scheduled->steps, member.stage.space);
    Walk plan;
    plan.loops.assign(member.own.begin(), tile);
    plan.leaf = [&](const PeelState& at) {
        std::vector<Buffer> sums;
        std::vector<Stmt> parts{accumulated(inner, at, tails, sums)};
        const Local held = m_locals.at(member.stage.out);
        m_locals.erase(member.stage.out);
        Walk copy;
        copy.loops = inner.tile;
        copy.conditions = tails;
        addGuards(inner, copy.conditions);
        copy.leaf = [&](const PeelState& last) {
            return regionStore(region.local, member.stage.store,
                               loadExpr(held.buffer.name, {held.tileOffset}, held.buffer.dtype),
                               last);
        };
        parts.push_back(walk(copy, 0, at, std::vector<bool>(copy.conditions.size(), false)));
        Stmt out = blockStmt(std::move(parts));
        for (const Buffer& buffer : sums)
            out = allocStmt(buffer, std::move(out));
        return out;
    };
    Stmt out = walk(plan, 0, region.peel, {});
    buffers.push_back(region.local.buffer);
    m_locals[member.stage.out] = region.local;
    return out;
}

GuardedBody NestLowering::guardedBodyOf(const Stage& stage) const {
    return guardedBody(stage.body, stage.reducer, [&](Symbol tensor) {
        return m_group.inst.find(tensor)->type.shape;
    });
}

} // namespace fw
