#include "schedule/nest_plan.h"

#include "schedule/lower_body.h"

#include <algorithm>

namespace fw {

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

namespace {

class Nests {
public:
    explicit Nests(const SchedulePlanner& planner)
        : m_planner(planner), m_taken(planner.inst.stages.size(), false) {
        const std::size_t count = planner.inst.stages.size();
        std::map<Symbol, int> writers;
        for (std::size_t i = 0; i < count; ++i) {
            ++writers[planner.stage(i).out];
            for (const Symbol tensor : planner.loaded(planner.stage(i).body))
                m_users[tensor].push_back(i);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Stage& stage = planner.stage(i);
            if (writers[stage.out] == 1 && m_users.contains(stage.out) && storesPlainly(stage))
                m_feeding.push_back(i);
        }
    }

    std::vector<NestPlan> take() {
        std::vector<NestPlan> out;
        for (std::size_t root = m_taken.size(); root-- > 0;)
            if (!m_taken[root])
                out.push_back(nestOf(root));
        std::reverse(out.begin(), out.end());
        return out;
    }

private:
    bool feedsOnly(std::size_t i, const std::map<std::size_t, AxisMap>& nest) const {
        const std::vector<std::size_t>& readers = m_users.at(m_planner.stage(i).out);
        return std::all_of(readers.begin(), readers.end(),
                           [&](std::size_t user) { return nest.contains(user); });
    }

    NestPlan nestOf(std::size_t root) {
        NestPlan plan{root, {}, {}, {}};
        std::map<std::size_t, AxisMap>& nest = plan.axes;
        for (const Axis& axis : m_planner.stage(root).space)
            nest[root][axis.var] = axis.var;
        nest[root]; // a stage of rank 0 is in its nest too
        std::optional<std::set<Symbol>> row;
        bool reduces = false;
        for (auto next = std::lower_bound(m_feeding.begin(), m_feeding.end(), root);
             next != m_feeding.begin();) {
            const std::size_t i = *--next;
            if (m_taken[i] || !feedsOnly(i, nest))
                continue;
            const AxisMap axes = agreedAxes(m_planner, i, nest);
            const Stage& stage = m_planner.stage(i);
            const std::set<Symbol> mapped = targets(axes);
            const bool isAll = axes.size() == stage.space.size() && mapped.size() == axes.size();
            if (!stage.isMap()) {
                if (!isAll || (row && *row != mapped))
                    continue;
                row = mapped;
                reduces = true;
            } else if (!row && isAll && axes.size() < m_planner.stage(root).space.size()) {
                // A value per row, such as the deviation: its reduction comes before it.
                row = mapped;
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
        for (const std::size_t member : plan.members)
            m_taken[member] = true;
        m_taken[root] = true;
        return plan;
    }

    const SchedulePlanner& m_planner;
    std::vector<bool> m_taken;
    std::map<Symbol, std::vector<std::size_t>> m_users;
    std::vector<std::size_t> m_feeding; // that others read and nobody else writes
};

} // namespace

std::vector<NestPlan> nestsOf(const SchedulePlanner& planner) {
    return Nests(planner).take();
}

} // namespace fw
