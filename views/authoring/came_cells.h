// A row of what came of a declaration, as the cells of MatchModel.
#pragma once

#include "snapshot/authoring_records.h"

#include <QVariant>

namespace fw::ui {

QVariant cameCell(const snapshot::CameRecord& came, int column, int role);

} // namespace fw::ui
