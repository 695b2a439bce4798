// Tool tips for texts that may come from a model: never read as markup, which QToolTip guesses.
#pragma once

#include <QString>

namespace fw::ui {

inline QString toolTipOf(const QString& text) {
    return QStringLiteral("<span>") +
           text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")) +
           QStringLiteral("</span>");
}

} // namespace fw::ui
