// The declaration at a place of a book as a graph, for people: calls are operators, names and
// constants what these read, and of a rule the right side stands in the same picture.
#pragma once

#include "base/result.h"
#include "snapshot/drawing_records.h"
#include "snapshot/protocol.h"

namespace fw {

// Of arguments.book, typed or on disk, at arguments.position. What does not parse is left out.
Result<snapshot::DrawingDocument> drawDeclaration(const snapshot::Arguments& arguments);

} // namespace fw
