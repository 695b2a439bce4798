#include "schedule/schedule_planner.h"

#include "expr/operations.h"
#include "loop/lane_width.h"
#include "schedule/nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace fw {

SchedulePlanner::SchedulePlanner(const OpInst& whole, const ScheduleContext& where)
    : context(where), inst(whole), m_names(axesOf(whole)) {
    m_names.merge(freeDimsOf(whole));
}

Symbol SchedulePlanner::fresh(Symbol base, std::string_view suffix) {
    Symbol name(base.text() + std::string(suffix));
    for (int i = 2; !m_names.insert(name).second; ++i)
        name = Symbol(fmt::format("{}{}_{}", base.text(), suffix, i));
    return name;
}

void SchedulePlanner::split(std::size_t stage, Symbol axis, Symbol outer, Symbol inner,
                            std::int64_t factor, Tail tail) {
    schedule.steps.push_back(
        {StepKind::Split, name(stage), {axis, outer, inner}, factor, tail, {}});
}

void SchedulePlanner::fuse(std::size_t stage, Symbol first, Symbol second, Symbol into) {
    schedule.steps.push_back(
        {StepKind::Fuse, name(stage), {first, second, into}, 0, Tail::Guard, {}});
}

void SchedulePlanner::reorder(std::size_t stage, std::vector<Symbol> loops) {
    if (loops.size() > 1)
        schedule.steps.push_back(
            {StepKind::Reorder, name(stage), std::move(loops), 0, Tail::Guard, {}});
}

void SchedulePlanner::mark(StepKind kind, std::size_t stage, Symbol loop, std::int64_t grain) {
    schedule.steps.push_back({kind, name(stage), {loop}, grain, Tail::Guard, {}});
}

void SchedulePlanner::at(std::size_t stage, std::size_t consumer, Symbol loop) {
    std::vector<Symbol> names{Symbol(name(consumer))};
    if (!loop.empty())
        names.push_back(loop);
    schedule.steps.push_back({StepKind::At, name(stage), std::move(names), 0, Tail::Guard, {}});
}

void SchedulePlanner::accumulate(std::size_t stage, Symbol loop) {
    std::vector<Symbol> names;
    if (!loop.empty())
        names.push_back(loop);
    schedule.steps.push_back(
        {StepKind::Accumulate, name(stage), std::move(names), 0, Tail::Guard, {}});
}

Symbol SchedulePlanner::fuseAll(std::size_t stage, const std::vector<Symbol>& loops) {
    Symbol out = loops.empty() ? Symbol() : loops[0];
    for (std::size_t i = 1; i < loops.size(); ++i) {
        const Symbol both = fresh(out, loops[i].text());
        fuse(stage, out, loops[i], both);
        out = both;
    }
    return out;
}

StorageMap SchedulePlanner::mapOf(Symbol tensor) const {
    if (const auto packed = packs.find(tensor); packed != packs.end())
        return packed->second;
    const auto found = context.maps.find(tensor);
    return found == context.maps.end() ? StorageMap() : found->second;
}

bool SchedulePlanner::isOutput(Symbol tensor) const {
    return std::any_of(inst.outputs.begin(), inst.outputs.end(),
                       [&](const TensorDecl& decl) { return decl.name == tensor; });
}

bool SchedulePlanner::isInput(Symbol tensor) const {
    return std::any_of(inst.inputs.begin(), inst.inputs.end(),
                       [&](const TensorDecl& decl) { return decl.name == tensor; });
}

const std::set<Symbol>& SchedulePlanner::loaded(const Expr& body) const {
    const auto [known, isNew] = m_loaded.try_emplace(&body.node());
    if (isNew)
        known->second = {body, loadedTensors(body)};
    return known->second.tensors;
}

std::vector<std::size_t> SchedulePlanner::readers(Symbol tensor) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        if (loaded(inst.stages[i].body).contains(tensor))
            out.push_back(i);
    return out;
}

Exprs SchedulePlanner::loads(const Expr& body) const {
    Exprs out;
    visitExpr(body, [&](const Expr& part) {
        if (part.op() == ExprOp::Load)
            out.push_back(part);
    });
    return out;
}

Expr SchedulePlanner::offset(Symbol tensor, const Exprs& indices) const {
    const TensorDecl* decl = inst.find(tensor);
    if (decl == nullptr)
        throw InternalError("a schedule reads " + tensor.text() + ", which its group has not");
    return simplify(storageOffset(mapOf(tensor), decl->type.shape, indices));
}

std::optional<std::int64_t> SchedulePlanner::stride(const Expr& load, Symbol var) const {
    const Expr at = offset(load->symbol, load.args());
    if (!usesVar(at, var))
        return 0;
    const auto linear = symbolicLinear(at, var);
    return linear ? simplify(linear->coefficient).asInt() : std::nullopt;
}

bool SchedulePlanner::fusible(const std::vector<std::size_t>& stages, const Axis& outer,
                              const Axis& inner) const {
    if (outer.extent.isInt(1) || inner.extent.isInt(1))
        return true;
    const auto together = [&](const Expr& at) {
        const auto slow = symbolicLinear(at, outer.var), fast = symbolicLinear(at, inner.var);
        return slow && fast && proveEqual(slow->coefficient, fast->coefficient * inner.extent);
    };
    for (const std::size_t i : stages) {
        const Stage& s = stage(i);
        if (!together(offset(s.out, s.store)))
            return false;
        // Every use of the variables must be the index of a load; a condition or a value is not.
        bool fine = true;
        std::unordered_set<const ExprNode*> seen; // what is shared is looked at once
        const std::function<void(const Expr&)> look = [&](const Expr& e) {
            if (!fine || !seen.insert(&e.node()).second)
                return;
            if (e.op() == ExprOp::Load) {
                fine = fine && std::none_of(e.args().begin(), e.args().end(), hasLoad) &&
                       together(offset(e->symbol, e.args()));
                return;
            }
            if (e.op() == ExprOp::Pad) {
                fine = fine && !usesVar(e, outer.var) && !usesVar(e, inner.var);
                return;
            }
            if (e.isVar() && (e->symbol == outer.var || e->symbol == inner.var))
                fine = false;
            for (const Expr& arg : e.args())
                look(arg);
        };
        look(s.body);
        if (!fine)
            return false;
    }
    return true;
}

bool SchedulePlanner::vectorizable(const std::vector<std::size_t>& stages, Symbol var) const {
    return std::all_of(stages.begin(), stages.end(), [&](std::size_t i) {
        bool fine = true;
        for (const Expr& load : loads(stage(i).body))
            for (const Expr& index : load.args())
                fine = fine && !(hasLoad(index) && usesVar(index, var));
        return fine;
    });
}

std::int64_t SchedulePlanner::lanes(const std::vector<std::size_t>& stages,
                                    const std::set<Symbol>& vars) const {
    std::int64_t bytes = 1;
    for (const std::size_t i : stages)
        bytes = std::max({bytes, laneBytes(stage(i).body, vars),
                          registerBytes(inst.find(stage(i).out)->type.dtype)});
    return std::max<std::int64_t>(context.vectorLanes * 4 / bytes, 1);
}

bool SchedulePlanner::isFourBytes(const std::vector<std::size_t>& stages, Symbol var) const {
    const auto wide = [](DType dtype) { return dtype == DType::F32 || dtype == DType::I32; };
    for (const std::size_t i : stages) {
        const Stage& s = stage(i);
        if (!wide(inst.find(s.out)->type.dtype))
            return false;
        bool fine = true;
        visitExpr(s.body, [&](const Expr& e) {
            if (e.dtype() == DType::Bool && e.op() != ExprOp::Load)
                return;
            if (e.dtype() == DType::I64 && !hasLoad(e))
                return; // indices
            if (usesVar(e, var) && !wide(e.dtype()))
                fine = false;
        });
        if (!fine)
            return false;
    }
    return true;
}

// Vectors after which the remainders in the indices (x[i % 3 * n + i / 3]) are those of the first:
// with as many unrolled, every vector's lanes lie apart by what is known while compiling.
std::int64_t SchedulePlanner::wholePeriods(std::size_t i, Symbol axis, std::int64_t lanes,
                                           std::int64_t unroll) const {
    constexpr std::int64_t longest = 8;
    std::int64_t period = 1;
    for (const Expr& load : loads(stage(i).body))
        for (const Expr& index : load.args())
            visitExpr(index, [&](const Expr& e) {
                if (e.op() == ExprOp::Mod && usesVar(e, axis) && e.arg(1).asInt().value_or(0) > 1)
                    period = std::lcm(period, *e.arg(1).asInt());
            });
    const std::int64_t vectors = std::lcm(period, lanes) / lanes;
    if (vectors == 1 || vectors > longest)
        return unroll;
    return std::max(unroll / vectors, std::int64_t(1)) * vectors;
}

Symbol SchedulePlanner::splitLanes(std::size_t stage, Symbol axis, const Expr& extent,
                                   std::int64_t lanes, bool reduced) {
    const auto fixed = extent.asInt();
    std::int64_t unroll = fixed ? std::clamp<std::int64_t>(*fixed / lanes, 1, 4) : 4;
    if (!reduced)
        unroll = wholePeriods(stage, axis, lanes, unroll);
    const Symbol chunk = fresh(axis, "1"), lane = fresh(axis, "l");
    if (unroll == 1) {
        split(stage, axis, chunk, lane, lanes, Tail::Peel);
    } else {
        const Symbol part = fresh(axis, "0"), copy = fresh(axis, "u");
        split(stage, axis, chunk, part, lanes * unroll, Tail::Peel);
        split(stage, part, copy, lane, lanes, Tail::Guard);
        mark(StepKind::Unroll, stage, copy);
        if (reduced)
            mark(StepKind::Partial, stage, copy);
    }
    mark(StepKind::Vectorize, stage, lane);
    if (reduced)
        mark(StepKind::Partial, stage, lane);
    return chunk;
}

std::vector<Axis> SchedulePlanner::storageSpace(std::size_t i) const {
    const Stage& s = stage(i);
    std::vector<Axis> out;
    for (const int dim : storageOrder(mapOf(s.out), s.store.size()))
        for (const Axis& axis : s.space)
            if (usesVar(s.store[static_cast<std::size_t>(dim)], axis.var) &&
                std::none_of(out.begin(), out.end(),
                             [&](const Axis& known) { return known.var == axis.var; }))
                out.push_back(axis);
    for (const Axis& axis : s.space)
        if (std::none_of(out.begin(), out.end(),
                         [&](const Axis& known) { return known.var == axis.var; }))
            out.push_back(axis);
    return out;
}

double SchedulePlanner::work(std::size_t i) const {
    double out = bodyCost(stage(i).body) + 1;
    for (const auto* axes : {&stage(i).space, &stage(i).reduce})
        for (const Axis& axis : *axes)
            out *= static_cast<double>(constantOr(axis.extent, 64));
    return out;
}

double SchedulePlanner::readsOf(std::size_t i, Symbol tensor) const {
    double reads = 0, elements = 1;
    Exprs distinct; // code generation merges equal reads
    for (const Expr& load : loads(stage(i).body))
        if (load->symbol == tensor &&
            std::find(distinct.begin(), distinct.end(), load) == distinct.end()) {
            distinct.push_back(load);
            double times = 1;
            for (const auto* axes : {&stage(i).space, &stage(i).reduce})
                for (const Axis& axis : *axes)
                    if (std::any_of(load.args().begin(), load.args().end(),
                                    [&](const Expr& index) { return usesVar(index, axis.var); }))
                        times *= static_cast<double>(constantOr(axis.extent, 64));
            reads += times;
        }
    for (const Dim& dim : inst.find(tensor)->type.shape)
        elements *= static_cast<double>(constantOr(dim, 64));
    return reads / std::max(elements, 1.0);
}

double bodyCost(const Expr& body) {
    return sumOfParts(body, [](const Expr& e) -> double {
        if (e.dtype() == DType::I64)
            return 0;
        return e.op() == ExprOp::Call ? rowOf(e->fn).cost : rowOf(e.op()).cost;
    });
}

std::int64_t constantOr(const Expr& extent, std::int64_t otherwise) {
    return extent.asInt().value_or(otherwise);
}

std::int64_t grainFor(double operations) {
    constexpr double worthwhile =
        10000; // operations; about 10 us without vectors, 1 to 2 us with them
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(worthwhile / std::max(operations, 1.0)));
}

} // namespace fw
