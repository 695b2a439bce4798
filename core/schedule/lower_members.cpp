// What the loops of a nest hold: stores, members, accumulators and the offsets of every access.
#include "schedule/lower_nest.h"

#include "schedule/inlining.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t registerBytes = 8192; // beyond, an accumulator tile is an array on the stack

bool isVectorLoop(const ScheduledLoop& loop) {
    return loop.kind == LoopKind::Vector;
}

Stmt loopsAround(const std::vector<ScheduledLoop>& loops, const std::map<Symbol, Expr>& extents,
                 Stmt body) {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        body = forStmt(loop->var, Expr(0), extents.at(loop->var), loop->kind, std::move(body));
    return body;
}

} // namespace

std::int64_t NestLowering::constantExtent(Symbol axis, const PeelState& peel,
                                          const Member& member) const {
    const auto extent = m_axes.extents(peel).at(axis).asInt();
    if (!extent)
        m_nest.refuse(*member.scheduled,
                      "the extent of " + axis.text() + " is not constant inside the tile");
    return *extent;
}

Expr NestLowering::memoryOffset(const MemoryTensor& tensor, const Exprs& indices,
                                const PeelState& peel) {
    // Loads inside indices are opaque while offsets are brought into the variables of the loops.
    Substitution loads;
    Exprs plain;
    for (const Expr& index : indices)
        plain.push_back(
            !hasLoad(index) ? index : mapExpr(withConditions(index), [&](const Expr& part) {
                if (part.op() != ExprOp::Load)
                    return part;
                const Symbol name(fmt::format("$load{}", loads.size()));
                // Its own indices may hold loads that have names already.
                loads.emplace(name, substitute(value(part, peel), loads));
                return varExpr(name, part.dtype());
            }));
    const Expr offset =
        m_axes.through(storageOffset(tensor.map, tensor.decl.type.shape, plain), peel, m_ranges);
    return substitute(offset, loads);
}

Expr NestLowering::flatLoad(const Expr& load, const PeelState& peel) {
    const Symbol name = load->symbol;
    if (const auto local = m_locals.find(name); local != m_locals.end()) {
        Expr offset = local->second.tileOffset;
        for (std::size_t d = 0; d < load.args().size(); ++d)
            if (local->second.roles[d] == DimRole::Own || local->second.roles[d] == DimRole::Box)
                offset = offset + placeIn(local->second, d,
                                          m_axes.through(load.arg(d), peel, m_ranges) -
                                              local->second.base[d]);
        const Buffer& buffer = local->second.buffer;
        return castExpr(loadExpr(buffer.name, {simplify(offset, m_ranges)}, buffer.dtype),
                        load.dtype());
    }
    const auto memory = m_memory.find(name);
    if (memory == m_memory.end()) {
        const std::string why = name.text() + " is read outside the loop in which it is computed";
        for (const ScheduledStage& writer : m_group.stages)
            if (m_group.inst.stages[writer.stage].out == name)
                m_nest.refuse(writer, why);
        m_nest.refuse(m_root, why);
    }
    return loadExpr(name, {memoryOffset(memory->second, load.args(), peel)}, load.dtype());
}

Expr NestLowering::withConditions(const Expr& e) const {
    return mapExpr(e, [&](const Expr& part) {
        if (part.op() != ExprOp::Pad)
            return part;
        const Expr& load = part.arg(0);
        if (load.op() != ExprOp::Load)
            return load;
        const auto memory = m_memory.find(load->symbol);
        const TensorDecl* decl =
            memory != m_memory.end() ? &memory->second.decl : m_group.inst.find(load->symbol);
        return selectExpr(insideShape(load.args(), decl->type.shape), load, part.arg(1));
    });
}

Expr NestLowering::value(const Expr& e, const PeelState& peel) {
    if (e.dtype() == DType::I64 && !hasLoad(e))
        return m_axes.through(e, peel, m_ranges);
    if (e.op() == ExprOp::Load)
        return flatLoad(e, peel);
    if (e.op() == ExprOp::Pad)
        return value(withConditions(e), peel);
    if (e.args().empty())
        return e;
    Exprs args;
    for (const Expr& arg : e.args())
        args.push_back(value(arg, peel));
    const Expr out = withArgs(e, std::move(args));
    if (out.dtype() == DType::Bool)
        if (const auto truth = decide(out, m_ranges))
            return boolExpr(*truth);
    return out;
}

Stmt NestLowering::memoryStore(Symbol tensor, const Exprs& indices, const Expr& stored,
                               const PeelState& peel) {
    const MemoryTensor& memory = m_memory.at(tensor);
    return storeStmt(tensor, memoryOffset(memory, indices, peel),
                     castExpr(stored, memory.decl.type.dtype));
}

Stmt NestLowering::rootLeaf(const PeelState& peel) {
    if (m_stage.isMap())
        return memoryStore(m_stage.out, m_stage.store, value(m_stage.body, peel), peel);
    const Local& own = m_locals.at(m_stage.out);
    const Expr result =
        loadExpr(own.buffer.name, {simplify(own.tileOffset, m_ranges)}, own.buffer.dtype);
    return memoryStore(m_stage.out, m_stage.store, result, peel);
}

Stmt NestLowering::mapMember(const Member& member, const PeelState& peel,
                             std::vector<Buffer>& buffers) {
    const Stage& stage = member.stage;
    Region region;
    region.peel = peel;
    if (!member.inMemory)
        region = this->region(member, peel);
    Walk plan;
    plan.loops = member.own;
    plan.conditions = tails(member.scheduled->steps, stage.space);
    addGuards(member, plan.conditions);
    for (const Expr& inside : region.inside)
        plan.conditions.push_back({std::nullopt, inside});
    const Expr body = substitute(stage.body, region.moved);
    plan.leaf = [&](const PeelState& inner) {
        const Expr result = value(body, inner);
        return member.inMemory ? memoryStore(stage.out, stage.store, result, inner)
                               : regionStore(region, stage.store, result, inner);
    };
    Stmt out = walk(plan, 0, region.peel, std::vector<bool>(plan.conditions.size(), false));
    if (!member.inMemory)
        hold(region, buffers);
    return out;
}

// Tails of the root's axes matter to an accumulator only where a load would leave its memory: what
// is accumulated beyond the tail is never stored. Packed weights reach to the end of the last tile.
std::vector<NestLowering::Condition>
NestLowering::neededTails(const Member& member, const Expr& body, const PeelState& peel) {
    std::vector<Condition> out;
    const auto extents = m_axes.extents(peel);
    Ranges inside = m_ranges;
    for (const auto* loops : {&member.tile, &member.scheduled->reduce})
        for (const ScheduledLoop& loop : *loops)
            inside.push(loop.var, Expr(0), simplify(extents.at(loop.var) - Expr(1)));
    for (const Condition& tail : tails(m_root.steps, m_stage.space)) {
        const auto axes = m_origins.at(m_axes.steps()[*tail.split].first);
        bool needed = false;
        visitExpr(body, [&](const Expr& part) {
            if (part.op() != ExprOp::Load || needed)
                return;
            const auto memory = m_memory.find(part->symbol);
            for (std::size_t d = 0; d < part.args().size(); ++d) {
                const std::set<Symbol> vars = freeVars(part.arg(d));
                if (std::none_of(axes.begin(), axes.end(),
                                 [&](Symbol axis) { return vars.contains(axis); }))
                    continue;
                if (memory == m_memory.end() || hasLoad(part.arg(d))) {
                    needed = true;
                    continue;
                }
                Expr room = memory->second.decl.type.shape[d];
                for (const StorageAxis& axis : memory->second.map.axes)
                    if (axis.dim == static_cast<int>(d) && axis.div != 1)
                        room = ceilDivExpr(room, Expr(axis.div)) * Expr(axis.div);
                const Expr index = m_axes.through(part.arg(d), peel, inside);
                needed = needed || !proveNonNegative(index, inside) ||
                         !proveNonNegative(room - index - Expr(1), inside);
            }
        });
        if (needed)
            out.push_back(tail);
    }
    return out;
}

Stmt NestLowering::reduction(const Member& member, const PeelState& peel,
                             std::vector<Buffer>& buffers) {
    return accumulated(member, peel, neededTails(member, guardedBodyOf(member.stage).body, peel),
                       buffers);
}

void NestLowering::checkLanes(const Member& member, const Accumulator& acc,
                              const PeelState& peel) const {
    for (const ScheduledLoop& loop : member.tile)
        if (m_axes.peeledSplit(loop.var, peel))
            m_nest.refuse(*member.scheduled,
                          "a loop peeled inside the accumulator tile: " + loop.var.text());
    if (!std::any_of(member.tile.begin(), member.tile.end(), isVectorLoop))
        return;
    if (std::any_of(acc.partial.begin(), acc.partial.end(), isVectorLoop))
        m_nest.refuse(*member.scheduled, "both the tile and the reduction are vectorized");
    for (const ScheduledLoop& loop : acc.partial)
        if (loop.kind == LoopKind::Serial)
            throw LowerRefusal{member.scheduled->name,
                               loop.var.text() +
                                   " lies inside a vectorized loop and has to be unrolled",
                               loop.step};
}

NestLowering::Accumulator NestLowering::accumulatorOf(const Member& member,
                                                      const PeelState& peel) const {
    Accumulator acc;
    acc.extents = m_axes.extents(peel);
    for (const ScheduledLoop& loop : member.scheduled->reduce)
        (loop.partial ? acc.partial : acc.serial).push_back(loop);
    checkLanes(member, acc, peel);
    Expr partialOffset(0);
    for (auto loop = acc.partial.rbegin(); loop != acc.partial.rend(); ++loop) {
        partialOffset = partialOffset + varExpr(loop->var) * Expr(acc.partialSize);
        // What is reduced may be empty, or less than one peeled tile: there is one to start from.
        const std::int64_t extent =
            std::max<std::int64_t>(constantExtent(loop->var, peel, member), 1);
        acc.extents[loop->var] = Expr(extent);
        acc.partialSize *= extent;
    }
    std::int64_t size = acc.partialSize;
    bool constantIndices = true;
    for (auto loop = member.tile.rbegin(); loop != member.tile.rend(); ++loop) {
        const std::int64_t extent = constantExtent(loop->var, peel, member);
        if (extent != 1)
            acc.tileOffset = acc.tileOffset + varExpr(loop->var) * Expr(size);
        size *= std::max<std::int64_t>(extent, 1);
        constantIndices = constantIndices && (extent == 1 || loop->kind == LoopKind::Vector ||
                                              loop->kind == LoopKind::Unroll);
    }
    for (const ScheduledLoop& loop : acc.partial)
        constantIndices = constantIndices && loop.kind != LoopKind::Serial;
    acc.index = simplify(acc.tileOffset + partialOffset);
    const DType dtype = member.stage.body.dtype(); // wider than what is stored, maybe
    const std::int64_t bytes = size * static_cast<std::int64_t>(dtypeBytes(dtype));
    if (bytes > mostStackBytes)
        m_nest.refuse(*member.scheduled, "its accumulators are too large");
    acc.buffer = {Symbol(member.stage.out.text() + ".acc"), dtype, Expr(size),
                  constantIndices && bytes <= registerBytes ? BufferScope::Register
                                                            : BufferScope::Stack,
                  BufferAccess::ReadWrite};
    return acc;
}

// The loops that add to the accumulators, `lanes` innermost.
Stmt NestLowering::accumulating(const Member& member, const Accumulator& acc,
                                const std::vector<ScheduledLoop>& lanes, const PeelState& peel,
                                std::vector<Condition> tails) {
    const Stage& stage = member.stage;
    // Of a loop that a peeled copy has only once there may be no variable.
    const auto indexIn = [&](const PeelState& inner) {
        Substitution once;
        for (const ScheduledLoop& loop : acc.partial)
            if (const auto extent = inner.extents.find(loop.var);
                extent != inner.extents.end() && extent->second.isInt(1))
                once.emplace(loop.var, Expr(0));
        return once.empty() ? acc.index : simplify(substitute(acc.index, once));
    };
    const GuardedBody guarded = guardedBodyOf(stage);
    Walk plan;
    plan.loops = acc.serial;
    plan.loops.insert(plan.loops.end(), lanes.begin(), lanes.end());
    plan.conditions = this->tails(member.scheduled->steps, stage.reduce);
    addGuards(member, plan.conditions);
    for (const Expr& condition : guarded.conditions)
        plan.conditions.push_back({std::nullopt, condition});
    for (Condition& tail : tails)
        plan.conditions.push_back(std::move(tail));
    plan.leaf = [&](const PeelState& inner) {
        const Expr& body = guarded.body;
        const Expr place = indexIn(inner);
        const Expr loaded = loadExpr(acc.buffer.name, {place}, acc.buffer.dtype);
        if (stage.reducer == Reducer::Sum && body.op() == ExprOp::Mul && isFloat(body.dtype()))
            return storeStmt(acc.buffer.name, place,
                             fmaExpr(value(body.arg(0), inner), value(body.arg(1), inner), loaded));
        return storeStmt(acc.buffer.name, place,
                         reducerCombine(stage.reducer, loaded, value(body, inner)));
    };
    return walk(plan, 0, peel, std::vector<bool>(plan.conditions.size(), false));
}

// Folds the partial accumulators in halves: whole vectors while there are several, then lanes. A
// half that is no number of vectors would be shuffled together out of two.
void NestLowering::foldPartial(const Member& member, const Accumulator& acc,
                               std::vector<Stmt>& parts) {
    const Stage& stage = member.stage;
    const Buffer& buffer = acc.buffer;
    const bool hasVectors = std::any_of(acc.partial.begin(), acc.partial.end(), isVectorLoop);
    const std::int64_t vectorLanes =
        !acc.partial.empty() && isVectorLoop(acc.partial.back())
            ? acc.extents.at(acc.partial.back().var).asInt().value_or(1)
            : 1;
    for (std::int64_t count = acc.partialSize; count > 1;) {
        const std::int64_t unit = count > vectorLanes ? vectorLanes : 1;
        const std::int64_t half = count / unit / 2 * unit, offset = count - half;
        const Symbol lane(stage.out.text() + ".lane");
        const Expr low = acc.tileOffset + varExpr(lane);
        const Stmt fold =
            storeStmt(buffer.name, low,
                      reducerCombine(stage.reducer, loadExpr(buffer.name, {low}, buffer.dtype),
                                     loadExpr(buffer.name, {low + Expr(offset)}, buffer.dtype)));
        parts.push_back(loopsAround(
            member.tile, acc.extents,
            forStmt(lane, Expr(0), Expr(half),
                    half >= 4 && hasVectors ? LoopKind::Vector : LoopKind::Unroll, fold)));
        count = offset;
    }
}

// In accumulators over the tile of the member, which stay where its readers find them.
Stmt NestLowering::accumulated(const Member& member, const PeelState& peel,
                               std::vector<Condition> tails, std::vector<Buffer>& buffers) {
    const Stage& stage = member.stage;
    const Accumulator acc = accumulatorOf(member, peel);
    const Buffer& buffer = acc.buffer;
    std::vector<ScheduledLoop> lanes = member.tile;
    lanes.insert(lanes.end(), acc.partial.begin(), acc.partial.end());
    std::vector<Stmt> parts;
    parts.push_back(loopsAround(
        lanes, acc.extents,
        storeStmt(buffer.name, acc.index, reducerIdentity(stage.reducer, buffer.dtype))));
    parts.push_back(accumulating(member, acc, lanes, peel, std::move(tails)));
    foldPartial(member, acc, parts);

    Local local;
    local.buffer = buffer;
    local.roles = member.roles;
    local.strides.assign(member.roles.size(), Expr(0));
    local.base = local.strides;
    local.rows.assign(member.roles.size(), 0);
    local.tileOffset = simplify(acc.tileOffset);
    if (member.inMemory && member.scheduled != &m_root) {
        Walk copy;
        copy.loops = member.tile;
        copy.conditions = this->tails(m_root.steps, m_stage.space);
        addGuards(member, copy.conditions);
        copy.leaf = [&](const PeelState& inner) {
            return memoryStore(stage.out, stage.store,
                               loadExpr(buffer.name, {local.tileOffset}, buffer.dtype), inner);
        };
        parts.push_back(walk(copy, 0, peel, std::vector<bool>(copy.conditions.size(), false)));
    }
    buffers.push_back(buffer);
    m_locals[stage.out] = std::move(local);
    return blockStmt(std::move(parts));
}

} // namespace fw
