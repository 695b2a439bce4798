// Books as rows with their rules: those that were opened, those that they include, the shipped
// ones.
#pragma once

#include "views/authoring/rules_rows.h"

namespace fw::ui {

// The content stays alive.
RulesRows rowsOf(const RulesContent& content);

} // namespace fw::ui
