// What is said in several words ("12 matches, 0.4 ms") in a narrow column: words give way, the
// longest first; numbers and their units stay.
#pragma once

#include <QString>

class QFontMetrics;

namespace fw::ui {

QString elidedWords(const QString& text, const QFontMetrics& metrics, int width);

} // namespace fw::ui
