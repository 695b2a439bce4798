// Theme: the palette of core/picture for widgets. One object for the application, because QPalette
// and the style sheet are the application's too. Views that paint themselves ask colour() and
// repaint on changed().
#pragma once

#include "picture/palette.h"

#include <QColor>
#include <QFont>
#include <QObject>

namespace fw::ui {

using picture::Colour;
using picture::ThemeKind;

QColor toQt(picture::Rgb rgb);

class Theme : public QObject {
    Q_OBJECT

public:
    static Theme& instance();

    ThemeKind kind() const { return m_kind; }
    QColor colour(Colour colour) const { return toQt(picture::rgb(colour, m_kind)); }

    // Sets font, palette and style sheet of the application and tells the views.
    void apply(ThemeKind kind);
    // Dark if the desktop's text is lighter than its windows. Ask before the first apply().
    static ThemeKind systemKind();
    static QString styleSheet(ThemeKind kind);
    static QFont textFont(int pixelSize = 12, QFont::Weight weight = QFont::Normal);
    static QFont codeFont(int pixelSize = 12);

Q_SIGNALS:
    void changed(fw::picture::ThemeKind kind);

private:
    Theme() = default;

    ThemeKind m_kind = ThemeKind::Light;
};

} // namespace fw::ui
