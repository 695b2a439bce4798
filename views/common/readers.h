// Who reads what a node makes, and the outputs of a model, which no node stands for.
#pragma once

#include "snapshot/provenance.h"
#include "views/common/document_parts.h"

#include <QStringList>

#include <optional>

namespace fw::ui {

snapshot::NodeSet readersOf(const snapshot::GraphDocument& graph, snapshot::NodeId node);

// Names of the operators that read a value of the node, each once, in the order of the graph;
// behind the first few their number: "conv_1, add_3 and 12 others". Empty: nobody does.
QString readersText(const snapshot::GraphDocument& graph, snapshot::NodeId node);

struct ModelResult {
    QString name, type;
    QString maker;   // what computes it, or the input that it is
    QString readers; // within the model; empty: none
};
// By its number among the outputs of the model; none: there is no such output now.
std::optional<ModelResult> resultOf(const DocumentParts& document, int number);

} // namespace fw::ui
