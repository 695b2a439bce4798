#include "schedule/melted_cuts.h"
#include "schedule/tiled.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr double worthMelting = 0.97; // of the cycles of nests one behind the other
constexpr std::size_t mostNests = 8;  // inside one
constexpr std::size_t mostWays = 6;   // that are worth a try

bool isStatic(const Stage& stage) {
    const auto known = [](const Axis& axis) {
        return axis.extent.isInt() && *axis.extent.asInt() > 0;
    };
    return std::all_of(stage.space.begin(), stage.space.end(), known) &&
           std::all_of(stage.reduce.begin(), stage.reduce.end(), known);
}

bool storesItself(const Stage& stage) {
    for (std::size_t d = 0; d < stage.store.size(); ++d)
        if (d >= stage.space.size() || !(stage.store[d] == varExpr(stage.space[d].var)))
            return false;
    return stage.store.size() == stage.space.size();
}

std::vector<std::size_t> stagesOf(const NestPlan& nest) {
    std::vector<std::size_t> out = nest.members;
    out.push_back(nest.root);
    return out;
}

// The axis of what a stage writes that lies innermost.
Symbol innermost(const Planner& planner, std::size_t i) {
    const std::vector<Axis> space = planner.storageSpace(i);
    const auto lane = std::find_if(space.rbegin(), space.rend(),
                                   [](const Axis& axis) { return !axis.extent.isInt(1); });
    return lane == space.rend() ? Symbol() : lane->var;
}

// Why the nest can be computed in no loop of another; empty if it can.
std::string whyApart(const Planner& planner, const NestPlan& nest) {
    if (nest.members.size() > 1)
        return "several of its stages share a row";
    for (const std::size_t i : stagesOf(nest)) {
        const Stage& stage = planner.stage(i);
        if (planner.isOutput(stage.out))
            return "it is a result";
        if (!isStatic(stage))
            return "its sizes are free, or it is empty";
        if (!storesItself(stage) ||
            std::count_if(planner.inst.stages.begin(), planner.inst.stages.end(),
                          [&](const Stage& other) { return other.out == stage.out; }) > 1)
            return "it is written in pieces";
        const Symbol lane = innermost(planner, i);
        if (lane.empty() || !planner.vectorizable({i}, lane))
            return "its values are not four bytes wide";
    }
    return {};
}

bool readOnlyBy(const Planner& planner, const NestPlan& nest, const std::set<std::size_t>& stages) {
    const std::vector<std::size_t> own = stagesOf(nest);
    for (const std::size_t i : own)
        for (const std::size_t user : planner.readers(planner.stage(i).out))
            if (!stages.contains(user) && std::find(own.begin(), own.end(), user) == own.end())
                return false;
    return true;
}

Refused planMap(Planner& planner, const NestPlan& part) {
    const Symbol lane = innermost(planner, part.root);
    std::vector<Symbol> order;
    for (const Axis& axis : planner.storageSpace(part.root))
        if (axis.var != lane)
            order.push_back(axis.var);
    if (part.into->box.at(lane) < planner.context.vectorLanes / 2)
        return "its innermost axis is short";
    const Symbol outer = planner.fresh(lane, "1"), inner = planner.fresh(lane, "l");
    planner.split(part.root, lane, outer, inner, planner.context.vectorLanes, Tail::Guard);
    order.insert(order.end(), {outer, inner});
    planner.reorder(part.root, order);
    planner.mark(StepKind::Vectorize, part.root, inner);
    planner.at(part.root, part.into->root, part.into->loop);
    return {};
}

std::string bytesText(double bytes) {
    return bytes >= 1e6 ? fmt::format("{:.1f} MB", bytes / 1e6)
                        : fmt::format("{:.1f} KB", bytes / 1e3);
}

} // namespace

std::string Melting::text() const {
    return fmt::format("{} at a time, {} less of memory, {:.1f} million operations more: {:.3g} "
                       "million cycles, apart {:.3g}",
                       bytesText(static_cast<double>(held)), bytesText(saved), repeated / 1e6,
                       cycles / 1e6, apart / 1e6);
}

StorageMaps lanesInnermost(const Planner& planner) {
    StorageMaps out;
    const auto last = [&](const Stage& stage, Symbol lane) {
        StorageMap map;
        for (std::size_t d = 0; d < stage.space.size(); ++d)
            if (stage.space[d].var != lane)
                map.axes.push_back({static_cast<int>(d), 1, 0});
        for (std::size_t d = 0; d < stage.space.size(); ++d)
            if (stage.space[d].var == lane)
                map.axes.push_back({static_cast<int>(d), 1, 0});
        out[stage.out] = std::move(map);
    };
    for (const Stage& stage : planner.inst.stages) {
        if (planner.isOutput(stage.out) || !storesItself(stage))
            continue;
        Symbol lane;
        for (const Expr& load : planner.loads(stage.body))
            for (std::size_t d = 0; d < load.args().size(); ++d) {
                const Expr& index = load.arg(d);
                const bool own =
                    index.isVar() &&
                    std::any_of(stage.space.begin(), stage.space.end(),
                                [&](const Axis& axis) { return axis.var == index->symbol; });
                const auto of = out.find(load->symbol);
                const bool follows = of != out.end() && !of->second.axes.empty() &&
                                     static_cast<std::size_t>(of->second.axes.back().dim) == d;
                if (own &&
                    (planner.context.constants.contains(load->symbol) ? !stage.isMap() : follows))
                    lane = index->symbol;
            }
        if (!lane.empty())
            last(stage, lane);
    }
    return out;
}

std::vector<Melting> meltingsOf(Planner& planner, const std::vector<NestPlan>& nests,
                                std::size_t root, const std::set<std::size_t>& taken, Melt how,
                                std::string& why) {
    const NestPlan& nest = nests[root];
    for (const std::size_t i : stagesOf(nest))
        if (!isStatic(planner.stage(i))) {
            why = "sizes are free";
            return {};
        }
    Axis lane;
    for (const bool contraction : {true, false}) {
        TiledPlan plan(planner, nest, contraction);
        const Refused refused = plan.lane(lane);
        why = refused.value_or("");
        if (!refused)
            break;
    }
    if (!why.empty())
        return {};
    std::set<std::size_t> stages;
    std::vector<std::size_t> inside;
    std::vector<Melting> best;
    for (const std::size_t i : stagesOf(nest))
        stages.insert(i);
    for (std::size_t k = root; k-- > 0 && inside.size() < mostNests;) {
        if (taken.contains(k) || !readOnlyBy(planner, nests[k], stages))
            continue;
        if (std::string apart = whyApart(planner, nests[k]); !apart.empty()) {
            why = fmt::format("{}: {}", planner.stage(nests[k].root).out.text(), apart);
            continue;
        }
        std::set<std::size_t> all = stages;
        for (const std::size_t i : stagesOf(nests[k]))
            all.insert(i);
        std::vector<MeltedStage> stops;
        for (const std::size_t i : all)
            stops.push_back({i,
                             i == nest.root || std::find(nest.members.begin(), nest.members.end(),
                                                         i) != nest.members.end(),
                             accessesOf(planner, i), innermost(planner, i)});
        for (MeltedStage& stop : stops)
            if (stop.isRoot)
                for (const auto& [mine, its] : nest.axes.at(stop.stage))
                    if (its == lane.var)
                        stop.lane = mine;
        MeltedCuts cut(planner, std::move(stops), nest, lane);
        std::vector<Melting> ways = cut.ways();
        const std::string name(planner.stage(nests[k].root).out.text());
        if (ways.empty()) {
            why = name + ": what one iteration needs of it is all of it, or more than can be held";
            continue;
        }
        std::stable_sort(ways.begin(), ways.end(),
                         [](const Melting& a, const Melting& b) { return a.cycles < b.cycles; });
        const double apart = cut.apart();
        // Beside what was melted before, this nest apart.
        double before = apart;
        if (!best.empty())
            before = apart - best.front().apart + best.front().cycles;
        if (how == Melt::WherePays && ways.front().cycles > worthMelting * before) {
            ways.front().apart = before;
            why = name + ": " + ways.front().text();
            continue;
        }
        ways.resize(std::min(ways.size(), mostWays));
        inside.push_back(k);
        stages = std::move(all);
        for (Melting& way : ways) {
            way.apart = apart;
            way.nests = {inside.rbegin(), inside.rend()};
        }
        best = std::move(ways);
    }
    if (best.empty() && why.empty())
        why = "it reads nothing that is computed before";
    return best;
}

Refused planMelting(Planner& planner, Melting& melting) {
    Symbol around;
    Refused refused;
    for (const bool contraction : {true, false}) {
        const std::size_t before = planner.schedule.steps.size();
        const StorageMaps packs = planner.packs;
        TiledPlan root(planner, melting.root, contraction);
        refused = root.run();
        around = root.around();
        if (!refused)
            break;
        planner.schedule.steps.resize(before);
        planner.packs = packs;
    }
    if (refused)
        return refused;
    if (around.empty())
        return "there is no loop around";
    for (NestPlan& part : melting.parts) {
        part.into->loop = around;
        for (const Axis& axis : planner.stage(part.root).space) {
            part.row.insert(axis.var);
            part.axes[part.root][axis.var] = axis.var;
        }
        if (planner.stage(part.root).isMap()) {
            refused = planMap(planner, part);
        } else {
            const std::size_t before = planner.schedule.steps.size();
            const StorageMaps packs = planner.packs;
            refused = TiledPlan(planner, part, true).run();
            if (refused) {
                planner.schedule.steps.resize(before);
                planner.packs = packs;
                refused = TiledPlan(planner, part, false).run();
            }
        }
        if (refused)
            return fmt::format("{}: {}", planner.stage(part.root).out.text(), *refused);
    }
    return {};
}

} // namespace fw
