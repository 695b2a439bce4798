#include "schedule/inline_maps.h"

#include "schedule/inlining.h"
#include "schedule/lower_body.h"

#include <algorithm>
#include <set>

namespace fw {

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

// How others read what the stage writes.
struct Reads {
    Exprs distinct;  // equal reads cost once: code generation merges them
    double size = 0; // nodes of those that read it, once it is inlined
    bool once = true, intoReuse = false, broadcast = false;
};

Reads readsOfMap(const SchedulePlanner& planner, const Stage& s) {
    Reads out;
    const double own = s.body->parts;
    for (const std::size_t user : planner.readers(s.out)) {
        const Stage& u = planner.stage(user);
        out.size += sumOfParts(u.body, [&](const Expr& e) {
            return e.op() == ExprOp::Load && e->symbol == s.out ? 1 + own : 1;
        });
        std::vector<Axis> axes = u.space;
        axes.insert(axes.end(), u.reduce.begin(), u.reduce.end());
        for (const Expr& load : planner.loads(u.body)) {
            if (load->symbol != s.out ||
                std::find(out.distinct.begin(), out.distinct.end(), load) != out.distinct.end())
                continue;
            out.distinct.push_back(load);
            const bool everyAxis = std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
                return std::any_of(load.args().begin(), load.args().end(),
                                   [&](const Expr& index) { return usesVar(index, axis.var); });
            });
            out.once = out.once && isPlainRead(load, axes) && everyAxis;
            out.broadcast = out.broadcast || (!everyAxis && u.isMap());
            out.intoReuse = out.intoReuse || (!everyAxis && !u.isMap());
        }
    }
    return out;
}

// Whether computing the map where it is read costs no more than writing and reading it.
bool worthInlining(const SchedulePlanner& planner, std::size_t i, Inlining which) {
    const Stage& s = planner.stage(i);
    if (which == Inlining::OncePerElement && repeatsSums(planner, i))
        return false;
    const auto writers = std::count_if(planner.inst.stages.begin(), planner.inst.stages.end(),
                                       [&](const Stage& other) { return other.out == s.out; });
    if (writers > 1)
        return true; // every element is computed once, with its piece
    constexpr double largestBody =
        600; // nodes; beyond, text grows faster than memory traffic shrinks
    const double cost = bodyCost(s.body);
    const Reads of = readsOfMap(planner, s);
    const std::size_t reads = of.distinct.size();
    if (reads == 0 || of.size > largestBody)
        return false;
    if (s.body.op() == ExprOp::Load || s.body.isConstant())
        return !of.intoReuse || s.body.isConstant() ||
               (which == Inlining::OncePerElement && keepsRuns(planner, i));
    if (of.intoReuse)
        return false;
    if (of.broadcast && s.space.empty() && cost > 0)
        return cost <= 2;
    if (reads == 1)
        return of.once || cost <= 4;
    if (which == Inlining::OncePerElement && followsSum(planner, i))
        return false;
    return cost <= 2;
}

} // namespace

void inlineMaps(SchedulePlanner& planner, Inlining which) {
    std::set<Symbol> refused; // of what several stages write each would be refused for the same
    for (std::size_t i = 0; i < planner.inst.stages.size();) {
        const Symbol out = planner.stage(i).out;
        auto next = !refused.contains(out) && worthInlining(planner, i, which)
                        ? inlineStage(planner.inst, i)
                        : Result<OpInst>(makeDiag(DiagCode::ScheduleIllegal, ""));
        if (!next.ok()) {
            refused.insert(out);
            ++i;
            continue;
        }
        refused.clear();
        planner.schedule.steps.push_back(
            {StepKind::Inline, planner.name(i), {}, 0, Tail::Guard, {}});
        planner.inst = next.take();
    }
}

} // namespace fw
