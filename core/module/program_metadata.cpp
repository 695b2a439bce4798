#include "module/program_metadata.h"

#include <nlohmann/json.hpp>

namespace fw {

std::string metadataText(const runtime::Program& program, const Graph& graph,
                         const FusionPlan& plan) {
    nlohmann::ordered_json out;
    out["name"] = program.name;
    out["engine"] = program.engine;
    out["target"] = program.target;
    out["graph"] = graph.hash().hex();
    for (const runtime::Symbol& symbol : program.symbols)
        out["symbols"].push_back(symbol.name);
    for (const Group& group : plan.groups) {
        nlohmann::ordered_json row;
        row["name"] = group.name;
        row["implementation"] = group.computedBy();
        if (group.when)
            row["when"] = group.when->text();
        row["source"] = group.source;
        for (const NodeId id : group.nodes)
            row["nodes"].push_back(graph.node(id).name);
        out["groups"].push_back(std::move(row));
    }
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace fw
