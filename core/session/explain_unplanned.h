// What the plan says nothing of, because rules took it out.
#pragma once

#include "session/pipeline.h"
#include "snapshot/records.h"

namespace fw {

// By name, or "#id" of either graph. Nothing of what is planned, or is in neither of the graphs.
std::optional<snapshot::ExplainDocument> explainUnplanned(const Imported& imported,
                                                          const Simplified& simplified,
                                                          const FusionPlan& plan,
                                                          const std::string& name);

} // namespace fw
