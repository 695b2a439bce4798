// The table of importers that are written by hand: one row per ONNX type and the opset of its
// domain since which the function holds.
#pragma once

#include "onnx/read/node_import.h"

#include <span>

namespace fw {

// A row with no function says that this version is not supported.
struct ImporterRow {
    std::string_view type;
    std::int64_t since;
    Status (*import)(NodeImport& node);
    std::string_view domain = {}; // empty: the standard one
};

std::span<const ImporterRow> elementwiseImporters();
std::span<const ImporterRow> contractionImporters();
std::span<const ImporterRow> windowImporters();
std::span<const ImporterRow> movementImporters();
std::span<const ImporterRow> shapeImporters();
std::span<const ImporterRow> normalizationImporters();
std::span<const ImporterRow> resampleImporters();
std::span<const ImporterRow> einsumImporters();
std::span<const ImporterRow> attentionImporters();
std::span<const ImporterRow> runningImporters();
std::span<const ImporterRow> contribAttentionImporters();
std::span<const ImporterRow> sequenceImporters(); // their operands may be sequences

using ImportFunction = Status (*)(NodeImport& node);
// nullptr if there is none
ImportFunction findImporter(std::string_view domain, std::string_view type, std::int64_t opset);

} // namespace fw
