// A shipped book does not see what only the user's books declare: a name of a value in it stays
// one.
#pragma once

#include "syntax/parser.h"

#include <set>
#include <string>

namespace fw {

// The declaration, where patterns in it do not stand for what is declared under these names.
DeclarationPtr withValues(const DeclarationPtr& declaration, const std::set<std::string>& names);

} // namespace fw
