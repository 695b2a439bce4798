// How much more or less time a group takes than in the baseline, as tables show it.
#pragma once

#include "snapshot/records.h"
#include "views/common/pane.h"

#include <QString>

namespace fw::ui {

// "− 12.0 µs (12 %)"; of several groups together "Σ − 12.0 µs (12 %)", at each of them. Null, or
// not measured on both sides: "–".
QString differenceCell(const snapshot::GroupDifference* difference);
// Both times with their noise, what is compared with what, and whether it lies within the noise.
QString differenceTip(const snapshot::GroupDifference* difference);
// Only of what counts.
Tone differenceTone(const snapshot::TimeDifference& difference);
inline Tone differenceTone(const snapshot::GroupDifference* difference) {
    return difference ? differenceTone(difference->time) : Tone::None;
}
// Microseconds; 0 if there is none.
double differenceOf(const snapshot::GroupDifference* difference);

} // namespace fw::ui
