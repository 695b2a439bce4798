// Snapshots and plans as the documents that cross the worker's door.
#pragma once

#include "fusion/plan.h"
#include "onnx/read/import.h"
#include "snapshot/records.h"
#include "strategy/user_libraries.h"

namespace fw {

// Show: the nodes inside others stand among those of the graph, with ids of their own.
enum class Bodies : std::uint8_t { Leave, Show };
snapshot::GraphDocument describeImported(const Graph& graph, Bodies bodies = Bodies::Leave);
snapshot::NodeRecord describeNode(const Graph& graph, const Node& node); // without origins
// Of a body, by its path: names of nodes and bodies, "Loop_3/body", deeper ones behind. UnknownName
// with the paths that there are.
Result<snapshot::GraphDocument> describeBody(const Graph& graph, const std::string& path);
// A later stage of it; every node names the imported nodes that it stands for.
snapshot::GraphDocument describeGraph(const Graph& graph, snapshot::GraphStage stage,
                                      const Graph& imported, const FusionPlan* plan = nullptr,
                                      Bodies bodies = Bodies::Leave);
snapshot::InfoDocument describeModel(const std::string& path, const Imported& imported);
// Edges: a decision for each of them, which of a large graph is half of the document.
enum class Edges : std::uint8_t { Leave, Describe };
snapshot::FuseDocument describePlan(const std::string& model, const Graph& graph,
                                    const FusionPlan& plan, const Target& target,
                                    Edges edges = Edges::Describe);

snapshot::OpsDocument describeOperators(const OperatorSet& operators, const StrategyBook& strategy,
                                        const std::string& only);
// With the ceilings of the target, as far as they are known; nothing is measured.
// `own`: the libraries that books declare; `agreed`: as userLibraries().
snapshot::DoctorDocument describeMachine(const Target& target,
                                         const std::vector<DeclaredLibrary>& own = {},
                                         const std::vector<std::string>& agreed = {});

} // namespace fw
