// The template of rows: reductions and maps over the same outer axes, one row after another
// (softmax, layer norm, a reduction over the last axes), with lanes along the row.
#include "schedule/nest_plan.h"

#include <algorithm>

namespace fw {

namespace {

// The reduced axes that act as one, innermost last; those of one entry are not among them.
std::vector<Axis> reducedRun(const SchedulePlanner& planner, const Stage& stage) {
    std::vector<Axis> axes;
    for (const Axis& axis : stage.reduce)
        if (!axis.extent.isInt(1))
            axes.push_back(axis);
    if (axes.empty())
        return {stage.reduce.back()};
    std::vector<Axis> run{axes.back()};
    const Exprs loads = planner.loads(stage.body);
    for (std::size_t i = axes.size() - 1; i-- > 0;) {
        const Axis &outer = axes[i], &inner = run.front();
        const bool together = std::all_of(loads.begin(), loads.end(), [&](const Expr& load) {
            const Expr offset = planner.offset(load->symbol, load.args());
            const auto slow = symbolicLinear(offset, outer.var),
                       fast = symbolicLinear(offset, inner.var);
            return slow && fast && proveEqual(slow->coefficient, fast->coefficient * inner.extent);
        });
        bool indexed = false; // used beside the loads, or padded
        const std::function<void(const Expr&)> look = [&](const Expr& e) {
            if (e.op() == ExprOp::Load)
                return;
            indexed = indexed || e.op() == ExprOp::Pad ||
                      (e.isVar() && (e->symbol == outer.var || e->symbol == inner.var));
            for (const Expr& arg : e.args())
                look(arg);
        };
        look(stage.body);
        if (!together || indexed)
            break;
        run.insert(run.begin(), outer);
    }
    return run;
}

Expr extentOf(const std::vector<Axis>& run) {
    Expr out(1);
    for (const Axis& axis : run)
        out = simplify(out * axis.extent);
    return out;
}

// The axes of the stages that no row fixes.
std::set<Symbol> alongRows(const SchedulePlanner& planner, const NestPlan& nest) {
    std::set<Symbol> out;
    for (const std::size_t i : stagesOf(nest)) {
        const auto axes = nest.axes.find(i);
        for (const Axis& axis : planner.stage(i).reduce)
            out.insert(axis.var);
        for (const Axis& axis : planner.stage(i).space) {
            const Symbol* root = &axis.var;
            if (axes != nest.axes.end())
                if (const auto mapped = axes->second.find(axis.var); mapped != axes->second.end())
                    root = &mapped->second;
            if (!nest.row.contains(*root))
                out.insert(axis.var);
        }
    }
    return out;
}

class RowPlan {
public:
    RowPlan(SchedulePlanner& planner, const NestPlan& nest)
        : m_planner(planner), m_nest(nest),
          m_lanes(planner.lanes(stagesOf(nest), alongRows(planner, nest))) {}

    Refused run() {
        std::vector<std::size_t> stages = m_nest.members;
        stages.push_back(m_nest.root);
        bool reduces = false;
        for (const std::size_t i : stages) {
            if (m_planner.stage(i).isMap())
                continue;
            reduces = true;
            if (auto why = accepts(m_planner.stage(i), i))
                return why;
        }
        if (!reduces)
            return "nothing is reduced";
        if (auto why = addRoot())
            return why;
        for (const std::size_t i : m_nest.members) {
            if (m_planner.stage(i).isMap())
                addMap(i);
            else
                addReduction(i);
            m_planner.at(i, m_nest.root, m_row);
        }
        if (!m_planner.stage(m_nest.root).isMap()) {
            addReduction(m_nest.root);
            m_planner.accumulate(m_nest.root, m_row);
        }
        return {};
    }

    // Of a nest that others are melted into, when it was planned: the innermost loop around its
    // rows.
    Symbol around() const { return m_around; }

    // Two rows at a time: each sum alone would wait for itself.
    Refused runInside() {
        const std::size_t i = m_nest.root;
        if (auto why = accepts(m_planner.stage(i), i))
            return why;
        const std::vector<Axis> space = m_planner.stage(i).space;
        const auto rows = std::find_if(space.rbegin(), space.rend(), [&](const Axis& axis) {
            return m_nest.into->box.at(axis.var) > 1;
        });
        if (rows != space.rend()) {
            const Symbol outer = m_planner.fresh(rows->var, "1"),
                         inner = m_planner.fresh(rows->var, "0");
            m_planner.split(i, rows->var, outer, inner, 2, Tail::Guard);
            m_planner.mark(StepKind::Unroll, i, inner);
        }
        addReduction(i);
        m_planner.at(i, m_nest.into->root, m_nest.into->loop);
        return {};
    }

private:
    bool isShort(const Expr& extent) const {
        return constantOr(extent, 1000) < std::max<std::int64_t>(m_lanes / 2, 2);
    }

    Refused accepts(const Stage& stage, std::size_t i) const {
        if (stage.reduce.empty())
            return "it reduces over nothing";
        const std::vector<Axis> run = reducedRun(m_planner, stage);
        if (isShort(extentOf(run)))
            return "the reduced axis is short";
        bool along = false;
        for (const Expr& load : m_planner.loads(stage.body)) {
            const auto stride = m_planner.stride(load, run.back().var);
            if (stride != 0 && stride != 1)
                return "the reduction does not run along memory";
            along = along || stride == 1;
        }
        if (!along)
            return "the reduction does not run along memory";
        for (const Axis& axis : run)
            if (!m_planner.vectorizable({i}, axis.var))
                return "other values say where its values lie";
        return {};
    }

    Symbol fuseAll(std::size_t stage, const std::vector<Axis>& axes) {
        Symbol out = axes.empty() ? Symbol() : axes[0].var;
        for (std::size_t k = 1; k < axes.size(); ++k) {
            const Symbol both = m_planner.fresh(out, axes[k].var.text());
            m_planner.fuse(stage, out, axes[k].var, both);
            out = both;
        }
        return out;
    }

    // The innermost axes of a list that act as one in a map.
    std::vector<Axis> mapRun(std::size_t stage, const std::vector<Axis>& axes) const {
        std::size_t first = axes.size() - 1;
        while (first > 0 && m_planner.fusible({stage}, axes[first - 1], axes[first]))
            --first;
        return {axes.begin() + static_cast<std::ptrdiff_t>(first), axes.end()};
    }

    void addLanes(std::size_t stage, const std::vector<Axis>& axes) {
        if (axes.empty())
            return;
        const std::vector<Axis> run = mapRun(stage, axes);
        const bool fits = std::all_of(run.begin(), run.end(), [&](const Axis& axis) {
            return axis.extent.isInt(1) || m_planner.vectorizable({stage}, axis.var);
        });
        if (!fits || isShort(extentOf(run)))
            return;
        m_planner.splitLanes(stage, fuseAll(stage, run), extentOf(run), m_lanes, false);
    }

    Refused addRoot() {
        const std::size_t root = m_nest.root;
        std::vector<Axis> row, inner;
        for (const Axis& axis : m_planner.storageSpace(root))
            (m_nest.row.contains(axis.var) ? row : inner).push_back(axis);
        std::vector<Symbol> order;
        double work = 1, points = 1;
        for (const Axis& axis : inner)
            points *= static_cast<double>(constantOr(axis.extent, 256));
        if (!inner.empty() && m_planner.stride(loadExpr(m_planner.stage(root).out,
                                                        m_planner.stage(root).store, DType::F32),
                                               inner.back().var) != 1)
            return "the row does not lie along memory";
        for (const auto* list : {&row, &inner})
            for (const Axis& axis : *list)
                order.push_back(axis.var);
        if (m_nest.melted) {
            cutRows(row, inner);
        } else {
            m_planner.reorder(root, order);
            m_row = m_around = fuseAll(root, row);
        }
        if (m_planner.stage(root).isMap())
            addLanes(root, inner);
        work = points * (bodyCost(m_planner.stage(root).body) + 1);
        for (const std::size_t i : m_nest.members)
            work += std::max(points, workAlong(i)) * (bodyCost(m_planner.stage(i).body) + 1);
        if (!m_planner.stage(root).isMap())
            work += workAlong(root);
        for (const Axis& axis : row)
            if (m_nest.melted)
                work *= static_cast<double>(m_nest.melted->tiles.at(axis.var));
        if (!m_around.empty())
            m_planner.mark(StepKind::Parallel, root, m_around,
                           grainFor(work / static_cast<double>(m_lanes)));
        return {};
    }

    // Loops over tiles of rows, inside them over the rows of a tile.
    void cutRows(const std::vector<Axis>& row, const std::vector<Axis>& inner) {
        const std::size_t root = m_nest.root;
        std::vector<Axis> around, rows;
        for (const Axis& axis : row) {
            const std::int64_t tiled = m_nest.melted->tiles.at(axis.var);
            if (tiled == 1) {
                around.push_back(axis);
            } else if (axis.extent.isInt() && tiled >= *axis.extent.asInt()) {
                rows.push_back(axis);
            } else {
                const Axis outer{m_planner.fresh(axis.var, "t"),
                                 ceilDivExpr(axis.extent, Expr(tiled))},
                    part{m_planner.fresh(axis.var, "b"), Expr(tiled)};
                m_planner.split(root, axis.var, outer.var, part.var, tiled, Tail::Guard);
                around.push_back(outer);
                rows.push_back(part);
            }
        }
        std::vector<Axis> loops = around;
        loops.insert(loops.end(), rows.begin(), rows.end());
        loops.insert(loops.end(), inner.begin(), inner.end());
        std::vector<Symbol> order;
        for (const Axis& axis : loops)
            order.push_back(axis.var);
        m_planner.reorder(root, order);
        m_around = fuseAll(root, around);
        m_row = rows.empty() ? m_around : fuseAll(root, rows);
    }

    double workAlong(std::size_t i) const {
        double out = 1;
        for (const Axis& axis : m_planner.stage(i).reduce)
            out *= static_cast<double>(constantOr(axis.extent, 256));
        return out;
    }

    void addReduction(std::size_t i) {
        const Stage stage = m_planner.stage(i);
        const std::vector<Axis> run = reducedRun(m_planner, stage);
        std::vector<Symbol> order; // the run innermost
        for (const Axis& axis : stage.reduce)
            if (std::find(run.begin(), run.end(), axis) == run.end())
                order.push_back(axis.var);
        for (const Axis& axis : run)
            order.push_back(axis.var);
        m_planner.reorder(i, order);
        m_planner.splitLanes(i, fuseAll(i, run), extentOf(run), m_lanes, true);
    }

    // Loops of a map over what is not fixed by the row.
    void addMap(std::size_t i) {
        const auto& axes = m_nest.axes.at(i);
        std::vector<Axis> own;
        for (const Axis& axis : m_planner.stage(i).space) {
            const auto mapped = axes.find(axis.var);
            if (mapped == axes.end() || !m_nest.row.contains(mapped->second))
                own.push_back(axis);
        }
        addLanes(i, own);
    }

    SchedulePlanner& m_planner;
    const NestPlan& m_nest;
    std::int64_t m_lanes;
    Symbol m_row, m_around;
};

} // namespace

Refused planRowwise(SchedulePlanner& planner, const NestPlan& nest) {
    return RowPlan(planner, nest).run();
}

Refused planRowsAround(SchedulePlanner& planner, const NestPlan& nest, Symbol& around) {
    RowPlan plan(planner, nest);
    const Refused refused = plan.run();
    around = plan.around();
    return refused;
}

Refused planRowsInside(SchedulePlanner& planner, const NestPlan& part) {
    return RowPlan(planner, part).runInside();
}

} // namespace fw
