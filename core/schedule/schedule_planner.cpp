#include "schedule/schedule_planner.h"

#include "expr/operations.h"
#include "schedule/lower_body.h"
#include "schedule/lower_nest.h"

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
std::int64_t SchedulePlanner::wholePeriods(std::size_t i, Symbol axis, std::int64_t unroll) const {
    constexpr std::int64_t longest = 8;
    std::int64_t period = 1;
    for (const Expr& load : loads(stage(i).body))
        for (const Expr& index : load.args())
            visitExpr(index, [&](const Expr& e) {
                if (e.op() == ExprOp::Mod && usesVar(e, axis) && e.arg(1).asInt().value_or(0) > 1)
                    period = std::lcm(period, *e.arg(1).asInt());
            });
    const std::int64_t vectors = std::lcm(period, context.vectorLanes) / context.vectorLanes;
    if (vectors == 1 || vectors > longest)
        return unroll;
    return std::max(unroll / vectors, std::int64_t(1)) * vectors;
}

Symbol SchedulePlanner::splitLanes(std::size_t stage, Symbol axis, const Expr& extent,
                                   bool reduced) {
    const std::int64_t lanes = context.vectorLanes;
    const auto fixed = extent.asInt();
    std::int64_t unroll = fixed ? std::clamp<std::int64_t>(*fixed / lanes, 1, 4) : 4;
    if (!reduced)
        unroll = wholePeriods(stage, axis, unroll);
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

namespace {

bool isPlainRead(const Expr& load, const std::vector<Axis>& axes) {
    std::set<Symbol> seen;
    for (const Expr& index : load.args())
        if (!index.isVar() || !seen.insert(index->symbol).second ||
            std::none_of(axes.begin(), axes.end(),
                         [&](const Axis& axis) { return axis.var == index->symbol; }))
            return false;
    return true;
}

// A map of a sum that a reduction reads several times.
bool repeatsSums(const SchedulePlanner& planner, std::size_t i) {
    constexpr double most = 1.5; // times
    const Exprs loads = planner.loads(planner.stage(i).body);
    const auto isSum = [&](const Stage& other) {
        return !other.isMap() && std::any_of(loads.begin(), loads.end(), [&](const Expr& load) {
            return load->symbol == other.out;
        });
    };
    const std::vector<std::size_t> users = planner.readers(planner.stage(i).out);
    return std::any_of(planner.inst.stages.begin(), planner.inst.stages.end(), isSum) &&
           std::any_of(users.begin(), users.end(), [&](std::size_t user) {
               return !planner.stage(user).isMap() &&
                      planner.readsOf(user, planner.stage(i).out) > most;
           });
}

// Whether the map can be computed where the sums that it reads are stored.
bool followsSum(const SchedulePlanner& planner, std::size_t i) {
    return std::any_of(
        planner.inst.stages.begin(), planner.inst.stages.end(), [&](const Stage& sum) {
            return followedAxes(planner.stage(i), sum) && planner.readers(sum.out).size() == 1;
        });
}

// Whether a movement only reads: who reads it along its last axis reads along memory all the same.
bool keepsRuns(const SchedulePlanner& planner, std::size_t i) {
    const Stage& s = planner.stage(i);
    return !s.space.empty() && planner.isInput(s.body->symbol) &&
           planner.stride(s.body, s.space.back().var) == 1;
}

// Whether computing the map where it is read costs no more than writing and reading it.
bool worthInlining(const SchedulePlanner& planner, std::size_t i, SchedulePlanner::Inlining which) {
    const Stage& s = planner.stage(i);
    if (which == SchedulePlanner::Inlining::OncePerElement && repeatsSums(planner, i))
        return false;
    const auto writers = std::count_if(planner.inst.stages.begin(), planner.inst.stages.end(),
                                       [&](const Stage& other) { return other.out == s.out; });
    if (writers > 1)
        return true; // every element is computed once, with its piece
    const double cost = bodyCost(s.body);
    constexpr double largestBody =
        600;        // nodes; beyond, text grows faster than memory traffic shrinks
    Exprs distinct; // equal reads cost once: code generation merges them
    const double own = s.body->parts;
    double size = 0;
    bool once = true, intoReuse = false, broadcast = false;
    for (const std::size_t user : planner.readers(s.out)) {
        const Stage& u = planner.stage(user);
        size += sumOfParts(u.body, [&](const Expr& e) {
            return e.op() == ExprOp::Load && e->symbol == s.out ? 1 + own : 1;
        });
        std::vector<Axis> axes = u.space;
        axes.insert(axes.end(), u.reduce.begin(), u.reduce.end());
        for (const Expr& load : planner.loads(u.body)) {
            if (load->symbol != s.out)
                continue;
            if (std::find(distinct.begin(), distinct.end(), load) != distinct.end())
                continue;
            distinct.push_back(load);
            const bool plain = isPlainRead(load, axes);
            std::size_t used = 0;
            for (const Axis& axis : axes)
                for (const Expr& index : load.args())
                    if (usesVar(index, axis.var)) {
                        ++used;
                        break;
                    }
            const bool everyAxis = used == axes.size();
            once = once && plain && everyAxis;
            if (!everyAxis && u.isMap())
                broadcast = true;
            if (!u.isMap() && !everyAxis)
                intoReuse = true;
        }
    }
    const std::size_t reads = distinct.size();
    if (reads == 0 || size > largestBody)
        return false;
    if (s.body.op() == ExprOp::Load || s.body.isConstant())
        return !intoReuse || s.body.isConstant() ||
               (which == SchedulePlanner::Inlining::OncePerElement && keepsRuns(planner, i));
    if (intoReuse)
        return false;
    if (broadcast && s.space.empty() && cost > 0)
        return cost <= 2;
    if (reads == 1)
        return once || cost <= 4;
    if (which == SchedulePlanner::Inlining::OncePerElement && followsSum(planner, i))
        return false;
    return cost <= 2;
}

} // namespace

void SchedulePlanner::inlineMaps(Inlining which) {
    std::set<Symbol> refused; // of what several stages write each would be refused for the same
    for (std::size_t i = 0; i < inst.stages.size();) {
        const Symbol out = stage(i).out;
        auto next = !refused.contains(out) && worthInlining(*this, i, which)
                        ? inlineStage(inst, i)
                        : Result<OpInst>(makeDiag(DiagCode::ScheduleIllegal, ""));
        if (!next.ok()) {
            refused.insert(out);
            ++i;
            continue;
        }
        refused.clear();
        schedule.steps.push_back({StepKind::Inline, name(i), {}, 0, Tail::Guard, {}});
        inst = next.take();
    }
}

namespace {

// Stage i's dimension -> the root's axis, as far as all readers in the nest agree.
using AxisMap = std::map<Symbol, Symbol>;

// Whether an axis of `root` may be the stage's own: it goes no further, which a reader under pad()
// may, and over all of it where the stage is stored.
bool keepsRange(const Expr& own, const Stage& root, Symbol var, bool stored) {
    const auto axis = std::find_if(root.space.begin(), root.space.end(),
                                   [&](const Axis& one) { return one.var == var; });
    return axis != root.space.end() &&
           (stored ? proveEqual(own, axis->extent) : proveNonNegative(own - axis->extent));
}

// The last stage of `nest` is its root.
AxisMap agreedAxes(const SchedulePlanner& planner, std::size_t i,
                   const std::map<std::size_t, AxisMap>& nest) {
    const Stage& s = planner.stage(i);
    AxisMap out;
    std::set<Symbol> clash;
    for (const auto& [user, known] : nest)
        for (const Expr& load : planner.loads(planner.stage(user).body)) {
            if (load->symbol != s.out)
                continue;
            for (std::size_t d = 0; d < s.space.size(); ++d) {
                const auto var =
                    load.arg(d).isVar() ? known.find(load.arg(d)->symbol) : known.end();
                const Symbol own = s.space[d].var;
                if (var == known.end() || (out.contains(own) && out.at(own) != var->second))
                    clash.insert(own);
                else
                    out[own] = var->second;
            }
        }
    for (const Symbol var : clash)
        out.erase(var);
    const Stage& root = planner.stage(nest.rbegin()->first);
    for (const Axis& axis : s.space)
        if (const auto found = out.find(axis.var);
            found != out.end() &&
            !keepsRange(axis.extent, root, found->second, planner.isOutput(s.out)))
            out.erase(found);
    return out;
}

bool storesPlainly(const Stage& s) {
    for (std::size_t d = 0; d < s.store.size(); ++d)
        if (d >= s.space.size() || !(s.store[d] == varExpr(s.space[d].var)))
            return false;
    return true;
}

std::set<Symbol> targets(const AxisMap& map) {
    std::set<Symbol> out;
    for (const auto& [own, root] : map)
        out.insert(root);
    return out;
}

} // namespace

bool isOf(const Stage& stage, std::int64_t node) {
    return std::find(stage.nodes.begin(), stage.nodes.end(), node) != stage.nodes.end();
}

std::map<Symbol, Symbol> carriedAxes(const OpInst& inst, const ScheduleContext& context,
                                     Symbol tensor, std::int64_t node) {
    const SchedulePlanner planner(inst, context);
    std::map<std::size_t, AxisMap> known;
    for (std::size_t i = inst.stages.size(); i-- > 0;) {
        const Stage& stage = inst.stages[i];
        if (known.empty() && stage.out == tensor)
            for (const Axis& axis : stage.space)
                known[i][axis.var] = axis.var;
        else if (!known.empty() && storesPlainly(stage))
            known[i] = agreedAxes(planner, i, known);
        if (isOf(stage, node))
            return known[i];
    }
    return {};
}

std::vector<NestPlan> SchedulePlanner::nests() const {
    std::vector<bool> taken(inst.stages.size(), false);
    std::vector<NestPlan> out;
    std::map<Symbol, std::vector<std::size_t>> users;
    std::map<Symbol, int> writers;
    for (std::size_t i = 0; i < inst.stages.size(); ++i) {
        ++writers[stage(i).out];
        for (const Symbol tensor : loaded(stage(i).body))
            users[tensor].push_back(i);
    }
    std::vector<std::size_t> feeding; // that others read and nobody else writes
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        if (writers[stage(i).out] == 1 && users.contains(stage(i).out) && storesPlainly(stage(i)))
            feeding.push_back(i);
    const auto feedsOnly = [&](std::size_t i, const std::map<std::size_t, AxisMap>& nest) {
        const std::vector<std::size_t>& readers = users.at(stage(i).out);
        return std::all_of(readers.begin(), readers.end(),
                           [&](std::size_t user) { return nest.contains(user); });
    };
    for (std::size_t root = inst.stages.size(); root-- > 0;) {
        if (taken[root])
            continue;
        NestPlan plan{root, {}, {}, {}};
        std::map<std::size_t, AxisMap> nest;
        for (const Axis& axis : stage(root).space)
            nest[root][axis.var] = axis.var;
        nest[root]; // a stage of rank 0 is in its nest too
        std::optional<std::set<Symbol>> row;
        bool reduces = false;
        for (auto next = std::lower_bound(feeding.begin(), feeding.end(), root);
             next != feeding.begin();) {
            const std::size_t i = *--next;
            if (taken[i] || !feedsOnly(i, nest))
                continue;
            const AxisMap axes = agreedAxes(*this, i, nest);
            const std::set<Symbol> mapped = targets(axes);
            if (!stage(i).isMap()) {
                if (axes.size() != stage(i).space.size() || mapped.size() != axes.size() ||
                    (row && *row != mapped))
                    continue;
                row = mapped;
                reduces = true;
            } else if (!row && axes.size() == stage(i).space.size() &&
                       mapped.size() == axes.size() && axes.size() < stage(root).space.size()) {
                row =
                    mapped; // a value per row, such as the deviation: its reduction comes before it
            } else if (!row ||
                       !std::includes(mapped.begin(), mapped.end(), row->begin(), row->end())) {
                continue; // maps come along if they are of the row or along it
            }
            nest[i] = axes;
            plan.members.insert(plan.members.begin(), i);
        }
        if (!reduces)
            plan.members.clear();
        plan.row = row && reduces ? *row : targets(nest[root]);
        plan.axes = nest;
        for (const std::size_t member : plan.members)
            taken[member] = true;
        taken[root] = true;
        out.push_back(std::move(plan));
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace fw
