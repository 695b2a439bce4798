// Tool tips for texts that may come from a model: never read as markup, which QToolTip guesses.
#pragma once

#include <QString>
#include <QStringList>

namespace fw::ui {

inline QString toolTipOf(const QString& text) {
    return QStringLiteral("<span>") +
           text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")) +
           QStringLiteral("</span>");
}

// In a font for code and broken here, at blanks, with what follows indented: an expression that is
// broken anywhere cannot be read.
inline QString codeTipOf(const QString& text, const QString& family, int columns = 92) {
    QString out;
    for (QString line : text.split(QLatin1Char('\n'))) {
        for (bool first = true; !line.isEmpty() || first; first = false) {
            qsizetype end = line.size();
            if (end > columns) {
                end = line.lastIndexOf(QLatin1Char(' '), columns);
                if (end < columns / 2)
                    end = columns;
            }
            out +=
                (out.isEmpty() ? QString() : QStringLiteral("\n")) + line.left(end).toHtmlEscaped();
            line = line.mid(end).trimmed();
            if (!line.isEmpty())
                line.prepend(QStringLiteral("    "));
        }
    }
    return QStringLiteral("<pre style=\"font-family:'%1'\">%2</pre>").arg(family, out);
}

} // namespace fw::ui
