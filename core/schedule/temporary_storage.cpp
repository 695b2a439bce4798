#include "schedule/temporary_storage.h"

#include "schedule/lower_body.h"

#include <algorithm>

namespace fw {

StorageMaps lanesInnermost(const SchedulePlanner& planner) {
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
        if (planner.isOutput(stage.out) || !storesPlainly(stage) ||
            stage.store.size() != stage.space.size())
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

} // namespace fw
