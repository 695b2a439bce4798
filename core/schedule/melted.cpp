#include "base/bytes_text.h"
#include "schedule/lower_body.h"
#include "schedule/melted_cuts.h"
#include "schedule/tiled.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr double worthMelting = 0.97;     // of the cycles of nests one behind the other
constexpr std::size_t mostNests = 8;      // inside one
constexpr std::size_t mostWays = 6;       // that are worth a try
constexpr std::int64_t mostOneByOne = 64; // elements of a box that are computed without lanes

// The axis of what a stage writes that lies innermost.
Symbol innermost(const SchedulePlanner& planner, std::size_t i) {
    const std::vector<Axis> space = planner.storageSpace(i);
    const auto lane = std::find_if(space.rbegin(), space.rend(),
                                   [](const Axis& axis) { return !axis.extent.isInt(1); });
    return lane == space.rend() ? Symbol() : lane->var;
}

// A sum has to have a length; of its result only what a tile runs over, which the ways to cut the
// loops know.
std::string whyFree(const SchedulePlanner& planner, const NestPlan& nest) {
    for (const std::size_t i : stagesOf(nest)) {
        const Stage& stage = planner.stage(i);
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes) {
                if (axis.extent.isInt() && *axis.extent.asInt() <= 0)
                    return "it is empty";
                if (!axis.extent.isInt() && axes == &stage.reduce)
                    return fmt::format("it reduces over {}, whose size {} is free", axis.var.text(),
                                       axis.extent.text());
            }
    }
    return {};
}

bool isFourBytes(const SchedulePlanner& planner, std::size_t i, Symbol var) {
    return planner.vectorizable({i}, var) && planner.isFourBytes({i}, var);
}

// Why the nest can be computed in no loop of another; empty if it can.
std::string whyApart(const SchedulePlanner& planner, const NestPlan& nest) {
    if (std::string free = whyFree(planner, nest); !free.empty())
        return free;
    for (const std::size_t i : stagesOf(nest)) {
        const Stage& stage = planner.stage(i);
        if (planner.isOutput(stage.out))
            return "it is a result";
        if (!storesPlainly(stage) ||
            std::count_if(planner.inst.stages.begin(), planner.inst.stages.end(),
                          [&](const Stage& other) { return other.out == stage.out; }) > 1)
            return "it is written in pieces";
        const Symbol lane = innermost(planner, i);
        if (lane.empty() || !isFourBytes(planner, i, lane))
            return "its values are not four bytes wide";
    }
    return {};
}

bool readOnlyBy(const SchedulePlanner& planner, const NestPlan& nest,
                const std::set<std::size_t>& stages) {
    const std::vector<std::size_t> own = stagesOf(nest);
    for (const std::size_t i : own)
        for (const std::size_t user : planner.readers(planner.stage(i).out))
            if (!stages.contains(user) && std::find(own.begin(), own.end(), user) == own.end())
                return false;
    return true;
}

Refused planMap(SchedulePlanner& planner, const NestPlan& part) {
    const Symbol lane = innermost(planner, part.root);
    std::vector<Symbol> order;
    for (const Axis& axis : planner.storageSpace(part.root))
        if (axis.var != lane)
            order.push_back(axis.var);
    if (part.into->box.at(lane) < planner.context.vectorLanes / 2) {
        std::int64_t all = 1;
        for (const auto& [axis, extent] : part.into->box)
            all *= extent;
        if (all > mostOneByOne)
            return "its innermost axis is short";
        planner.at(part.root, part.into->root, part.into->loop);
        return {};
    }
    const Symbol outer = planner.fresh(lane, "1"), inner = planner.fresh(lane, "l");
    planner.split(part.root, lane, outer, inner, planner.context.vectorLanes, Tail::Guard);
    order.insert(order.end(), {outer, inner});
    planner.reorder(part.root, order);
    planner.mark(StepKind::Vectorize, part.root, inner);
    planner.at(part.root, part.into->root, part.into->loop);
    return {};
}

// A map that lowering computes where the sums of a part are stored.
bool isAtStore(const SchedulePlanner& planner, const std::vector<NestPlan>& parts,
               std::size_t map) {
    return std::any_of(parts.begin(), parts.end(), [&](const NestPlan& part) {
        const Stage& sum = planner.stage(part.root);
        return followedAxes(planner.stage(map), sum) && planner.readers(sum.out).size() == 1;
    });
}

} // namespace

std::string Melting::text() const {
    return fmt::format("{} at a time, {} less of memory, {:.1f} million operations more: {:.3g} "
                       "million cycles, apart {:.3g}",
                       textOfBytes(static_cast<double>(held)), textOfBytes(saved), repeated / 1e6,
                       cycles / 1e6, apart / 1e6);
}

namespace {

// One nest after another, from the root backwards, is computed inside it.
class Growth {
public:
    struct Root {
        Axis lane;
        Symbol rows;         // along which a tile has its rows
        bool isRows = false; // it is planned by rows, which are not cut
    };

    Growth(SchedulePlanner& planner, const std::vector<NestPlan>& nests, std::size_t root, Root how)
        : m_planner(planner), m_nests(nests), m_root(root), m_how(std::move(how)) {
        if (!m_how.isRows)
            return;
        m_row.emplace();
        for (const Axis& axis : planner.storageSpace(nest().root))
            if (!nest().row.contains(axis.var))
                m_row->insert(axis.var);
    }

    // `keeps`: what does not pay by itself may, with what it reads.
    void run(const std::set<std::size_t>& taken, Melt how, bool keeps) {
        m_stages.clear();
        m_inside.clear();
        best.clear();
        double cheapest = 0; // less than apart
        std::vector<Melting> last;
        for (const std::size_t i : stagesOf(nest()))
            m_stages.insert(i);
        for (std::size_t k = m_root; k-- > 0 && m_inside.size() < mostNests;) {
            if (taken.contains(k) || !readOnlyBy(m_planner, m_nests[k], m_stages))
                continue;
            const std::string name(m_planner.stage(m_nests[k].root).out.text());
            if (std::string apart = whyApart(m_planner, m_nests[k]); !apart.empty()) {
                why = name + ": " + apart;
                continue;
            }
            std::set<std::size_t> all = m_stages;
            for (const std::size_t i : stagesOf(m_nests[k]))
                all.insert(i);
            MeltedCuts cut(m_planner, stops(all, k), nest(), m_how.lane, m_how.rows, m_row);
            std::vector<Melting> ways = cut.ways();
            if (ways.empty()) {
                why = name +
                      ": what one iteration needs of it is all of it, or more than can be held";
                continue;
            }
            std::stable_sort(ways.begin(), ways.end(), [](const Melting& a, const Melting& b) {
                return a.cycles < b.cycles;
            });
            const double apart = cut.apart();
            // Beside what was melted before, this nest apart.
            const double before =
                last.empty() ? apart : apart - last.front().apart + last.front().cycles;
            const bool pays = how == Melt::Always || ways.front().cycles <= worthMelting * before;
            if (!pays) {
                ways.front().apart = before;
                why = name + ": " + ways.front().text();
                if (ways.front().cycles < before)
                    why +=
                        fmt::format(", which is not {:.0f} percent less", 100 * (1 - worthMelting));
                if (!keeps)
                    continue;
            }
            ways.resize(std::min(ways.size(), mostWays));
            m_inside.push_back(k);
            m_stages = std::move(all);
            for (Melting& way : ways) {
                way.apart = apart;
                way.nests = m_inside;
                std::sort(way.nests.begin(), way.nests.end());
            }
            const double less = apart - ways.front().cycles;
            if (how == Melt::Always ||
                (ways.front().cycles <= worthMelting * apart && less > cheapest)) {
                cheapest = less;
                best = ways;
            }
            last = std::move(ways);
        }
    }

    double gain() const { return best.front().apart - best.front().cycles; }

    std::vector<Melting> best; // the cheapest first
    std::string why;           // something is not inside

private:
    const NestPlan& nest() const { return m_nests[m_root]; }

    std::vector<MeltedStage> stops(const std::set<std::size_t>& all, std::size_t last) const {
        std::vector<MeltedStage> out;
        const auto isMember = [&](std::size_t k, std::size_t i) {
            const auto& members = m_nests[k].members;
            return std::find(members.begin(), members.end(), i) != members.end();
        };
        for (const std::size_t i : all) {
            MeltedStage stop;
            stop.stage = i;
            stop.isRoot = i == nest().root || isMember(m_root, i);
            std::vector<std::size_t> parts = m_inside;
            parts.insert(parts.end(), {last, m_root});
            for (const std::size_t k : parts)
                if (i == m_nests[k].root || isMember(k, i))
                    stop.nest = k;
            stop.isInner = i != m_nests[stop.nest].root;
            stop.accesses = accessesOf(m_planner, i);
            stop.lane = innermost(m_planner, i);
            if (stop.isRoot)
                for (const auto& [mine, its] : nest().axes.at(i))
                    if (its == m_how.lane.var)
                        stop.lane = mine;
            stop.isRow = !m_planner.stage(i).isMap() && liesAlongRow(i);
            out.push_back(std::move(stop));
        }
        return out;
    }

    bool liesAlongRow(std::size_t i) const {
        NestPlan alone{i, {}, {}, {}};
        for (const bool contraction : {true, false}) {
            Axis lane;
            Symbol rows;
            if (!TiledPlan(m_planner, alone, contraction).lane(lane, rows))
                return false;
        }
        return true;
    }

    SchedulePlanner& m_planner;
    const std::vector<NestPlan>& m_nests;
    std::size_t m_root;
    Root m_how;
    std::optional<std::set<Symbol>> m_row; // axes along the rows of the root
    std::set<std::size_t> m_stages;
    std::vector<std::size_t> m_inside;
};

bool takesRows(SchedulePlanner& planner, const NestPlan& nest) {
    const std::size_t before = planner.schedule.steps.size();
    const Refused refused = planRowwise(planner, nest);
    planner.schedule.steps.resize(before);
    return !refused;
}

// Of what is refused no step stays.
template <class Plan>
Refused tried(SchedulePlanner& planner, const Plan& plan) {
    const std::size_t before = planner.schedule.steps.size();
    const StorageMaps packs = planner.packs;
    Refused refused = plan();
    if (refused) {
        planner.schedule.steps.resize(before);
        planner.packs = packs;
    }
    return refused;
}

Refused planTiles(SchedulePlanner& planner, const NestPlan& nest, Symbol& around) {
    Refused refused;
    for (const bool contraction : {true, false}) {
        TiledPlan plan(planner, nest, contraction);
        refused = tried(planner, [&] { return plan.run(); });
        around = plan.around();
        if (!refused)
            break;
    }
    return refused;
}

} // namespace

std::vector<Melting> meltingsOf(SchedulePlanner& planner, const std::vector<NestPlan>& nests,
                                std::size_t root, const std::set<std::size_t>& taken, Melt how,
                                std::string& why) {
    const NestPlan& nest = nests[root];
    why = whyFree(planner, nest);
    for (const std::size_t i : stagesOf(nest))
        for (const auto* axes : {&planner.stage(i).space, &planner.stage(i).reduce})
            for (const Axis& axis : *axes)
                if (why.empty() && !isFourBytes(planner, i, axis.var))
                    why = "its values are not four bytes wide";
    if (!why.empty())
        return {};
    Axis lane;
    Symbol rows; // of a tile
    for (const bool contraction : {true, false}) {
        TiledPlan plan(planner, nest, contraction);
        const Refused refused = plan.lane(lane, rows);
        why = refused.value_or("");
        if (!refused)
            break;
    }
    const bool isRows = !why.empty();
    if (isRows && !takesRows(planner, nest))
        return {};
    if (isRows) {
        const std::vector<Axis> space = planner.storageSpace(nest.root);
        if (space.empty()) {
            why = "its result is one number, which has no tiles";
            return {};
        }
        lane = space.back();
    }
    if (!lane.extent.isInt()) {
        why = fmt::format("its lanes lie along {}, whose size {} is free", lane.var.text(),
                          lane.extent.text());
        return {};
    }
    Growth each(planner, nests, root, {lane, rows, isRows}), together = each;
    each.run(taken, how, false);
    if (how == Melt::WherePays)
        together.run(taken, how, true);
    why = each.why;
    if (each.best.empty() && together.best.empty() && why.empty())
        why = "it reads nothing that is computed before";
    const bool isBetter =
        !together.best.empty() && (each.best.empty() || together.gain() > each.gain());
    return isBetter ? together.best : each.best;
}

Refused planMelting(SchedulePlanner& planner, Melting& melting) {
    Symbol around;
    const Refused ofTiles = planTiles(planner, melting.root, around);
    if (ofTiles && tried(planner, [&] { return planRowsAround(planner, melting.root, around); }))
        return ofTiles;
    if (around.empty())
        return "there is no loop around";
    for (NestPlan& part : melting.parts) {
        part.into->loop = around;
        for (const Axis& axis : planner.stage(part.root).space) {
            part.row.insert(axis.var);
            part.axes[part.root][axis.var] = axis.var;
        }
        Refused refused;
        if (isAtStore(planner, melting.parts, part.root)) {
            planner.at(part.root, melting.root.root, around);
        } else if (planner.stage(part.root).isMap()) {
            refused = planMap(planner, part);
        } else {
            Symbol none;
            refused = planTiles(planner, part, none);
            if (refused && !tried(planner, [&] { return planRowsInside(planner, part); }))
                refused.reset();
        }
        if (refused)
            return fmt::format("{}: {}", planner.stage(part.root).out.text(), *refused);
    }
    return {};
}

} // namespace fw
