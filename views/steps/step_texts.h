// Sentences about applications of rules.
#pragma once

#include "snapshot/step_records.h"

#include <QString>

namespace fw::ui {

// Of the application that the document shows.
QString sentenceOf(const snapshot::StepDocument& document);
QString choiceText(const snapshot::StepChoice& choice);
QString choiceTip(const snapshot::StepChoice& choice);

} // namespace fw::ui
