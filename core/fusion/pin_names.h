// Whether what a pin asks for is the name of anything.
#pragma once

#include "fusion/policy.h"
#include "strategy/catalog.h"

namespace fw {

// An entry of the books, code of ours, of a library or of a schedule, or a kernel of a library that
// a book declares; `avoid` takes libraries, too. Knobs behind the name are not looked at.
bool isPinned(const Catalog& catalog, const PinClause& pin);

// The pins of one book whose name is none, each with the nearest that is.
Diags pinsWithoutCode(const Catalog& catalog, const FusionBook& book, const std::string& file);

} // namespace fw
