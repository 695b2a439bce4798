// Check marks and the crosses of tabs in the colours of the theme: a style sheet could draw them
// only from image files.
#pragma once

#include <QProxyStyle>

namespace fw::ui {

class Style : public QProxyStyle {
    Q_OBJECT

public:
    Style();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
};

} // namespace fw::ui
