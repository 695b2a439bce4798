// Entries of books that no code stands behind.
#pragma once

#include "strategy/catalog.h"

namespace fw {

Diags entriesWithoutCode(const Catalog& catalog); // warnings; an error where entries go in a circle

} // namespace fw
