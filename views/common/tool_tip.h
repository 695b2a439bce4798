// Tool tips for texts that may come from a model: never read as markup, which QToolTip guesses.
#pragma once

#include <QString>

namespace fw::ui {

inline QString toolTipOf(const QString& text) {
    return QStringLiteral("<span>") + text.toHtmlEscaped() + QStringLiteral("</span>");
}

} // namespace fw::ui
