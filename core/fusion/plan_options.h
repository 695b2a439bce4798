// What a plan is made with, beside its graph and its target.
#pragma once

#include "base/cancel.h"
#include "fusion/policy.h"
#include "ir/storage_map.h"
#include "strategy/catalog.h"
#include "strategy/lowering_memo.h"

#include <map>

namespace fw {

struct PlanOptions {
    const Catalog* catalog = &generatedCatalog();
    const FusionBook* book = &standardFusion();
    LoweringMemo* memo = nullptr; // shared by plans over the same operators; null: one of its own
    CancelToken cancel = {};
    // How inputs and results of the graph lie where the order is not that of their dimensions; each
    // map only permutes the elements (isWhole).
    std::map<ValueRef, StorageMap> border = {};
};

} // namespace fw
