// What can be done with a region: who else could compute it, as pins.
#pragma once

#include "views/common/document_parts.h"

#include <vector>

namespace fw::ui {

struct RegionPin {
    QString text;   // "code of ours"
    QString detail; // of how many of its groups; empty: of all
    snapshot::AddPins pins;
};

// "onednn", "code of ours"
QString ownerText(const std::string& owner);

// A region of Part::Regions; null: there is none of this id.
const snapshot::RegionRecord* regionOf(const DocumentParts& document, int region);

// One step of the document for every other owner; none: there is no such region.
std::vector<RegionPin> regionChoices(const DocumentParts& document, int region);

} // namespace fw::ui
