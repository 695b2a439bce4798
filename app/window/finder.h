// Finds operators by operator, name, shape, the values they make or the constants they read, in
// both graphs. Every word must occur; case does not matter.
#pragma once

#include "views/common/selection.h"

#include <QString>

#include <vector>

namespace fw::ui {

struct Hit {
    GraphSide side = GraphSide::Fused;
    snapshot::NodeId node = snapshot::noNode;

    bool operator==(const Hit&) const = default;
};

// Fused nodes in their order, then the imported nodes that no fused hit stands for. "#12" is an id.
std::vector<Hit> findNodes(const QString& text, const snapshot::GraphDocument* imported,
                           const snapshot::GraphDocument* fused,
                           const snapshot::Provenance& provenance);

} // namespace fw::ui
