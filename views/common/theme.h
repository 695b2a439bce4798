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

    // Sets palette and style sheet of the application and tells the views. The font stays the
    // desktop's, and what is measured in pixels grows with it.
    void apply(ThemeKind kind);
    void followFont(); // the application has another one
    // Dark if the desktop's text is lighter than its windows. Ask before the first apply().
    static ThemeKind systemKind();
    static QString styleSheet(ThemeKind kind);
    // Sizes are pixels at the usual font, which has 12.
    static QFont textFont(int pixelSize = 12, QFont::Weight weight = QFont::Normal);
    static QFont codeFont(int pixelSize = 12);
    static int scaled(int pixels);
    static double fontScale(); // 1 at the usual font
    // Of what is painted in graphs, in pixels of their scene: boxes are as wide as this font needs.
    static QFont graphFont(int pixelSize, QFont::Weight weight = QFont::Normal);

Q_SIGNALS:
    void changed(fw::picture::ThemeKind kind);

private:
    Theme() = default;

    ThemeKind m_kind = ThemeKind::Light;
    QFont m_font; // that the style sheet was made for
};

} // namespace fw::ui
