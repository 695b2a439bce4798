// What is said of nodes that lie inside others.
#pragma once

#include "views/common/document_parts.h"
#include "views/common/selection.h"

namespace fw::ui {

// Of the node that is picked: in which others it lies, and why nothing was decided about it; empty:
// it lies in none.
QString insideText(const DocumentParts& document, const Picked& picked);

} // namespace fw::ui
