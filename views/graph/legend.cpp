#include "views/graph/legend.h"

#include <QLinearGradient>

#include <cmath>

namespace fw::ui {
namespace {

// Gives where it ends.
double paintHeatScale(QPainter& painter, double x, double y, const Legend& legend,
                      ThemeKind theme) {
    const QString& most = *legend.heatMost;
    const QRectF scale(x, y + 2, 90, 12);
    QLinearGradient colours(scale.topLeft(), scale.topRight());
    for (int i = 0; i <= 8; ++i)
        colours.setColorAt(i / 8.0,
                           toQt(legend.heatHasSigns ? picture::difference(i / 4.0 - 1, theme)
                                                    : picture::heat(i / 8.0, theme)));
    painter.setPen(QPen(toQt(picture::rgb(Colour::Line, theme)), 1));
    painter.setBrush(colours);
    painter.drawRect(scale);
    painter.setFont(labelFont(11, picture::Weight::Regular));
    painter.setPen(toQt(picture::rgb(Colour::Muted, theme)));
    painter.drawText(QPointF(x - 12, y + 12),
                     legend.heatHasSigns ? QStringLiteral("−") : QStringLiteral("0"));
    painter.drawText(QPointF(scale.right() + 6, y + 12), most);
    return scale.right() + 6 + painter.fontMetrics().horizontalAdvance(most) + 24;
}

QString edgeText(picture::EdgeKind kind) {
    switch (kind) {
    case picture::EdgeKind::Data:
        return QStringLiteral("data");
    case picture::EdgeKind::Shape:
        return QStringLiteral("sizes");
    case picture::EdgeKind::Residual:
        return QStringLiteral("residual");
    case picture::EdgeKind::Body:
        return QStringLiteral("in and out of a body");
    }
    return {};
}

// Gives where it ends.
double paintEdgeKind(QPainter& painter, double x, double y, picture::EdgeKind kind,
                     ThemeKind theme) {
    const picture::EdgeLook look = picture::lookOf(kind);
    const Qt::PenStyle style = look.dash == picture::Dash::Solid    ? Qt::SolidLine
                               : look.dash == picture::Dash::Dashed ? Qt::DashLine
                                                                    : Qt::DotLine;
    painter.setPen(
        QPen(toQt(picture::rgb(look.colour, theme)), 1.4 + look.wider, style, Qt::FlatCap));
    painter.drawLine(QPointF(x, y + 8), QPointF(x + 26, y + 8));
    const QString text = edgeText(kind);
    painter.setFont(labelFont(11, picture::Weight::Regular));
    painter.setPen(toQt(picture::rgb(Colour::Muted, theme)));
    painter.drawText(QPointF(x + 31, y + 12), text);
    return x + 31 + painter.fontMetrics().horizontalAdvance(text) + 14;
}

} // namespace

QFont labelFont(double size, picture::Weight weight) {
    QFont font = Theme::graphFont(static_cast<int>(std::lround(size)),
                                  weight == picture::Weight::Bold ? QFont::Bold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

void paintLegend(QPainter& painter, const QRectF& strip, const Legend& legend, ThemeKind theme) {
    const auto colour = [&](Colour meaning) { return toQt(picture::rgb(meaning, theme)); };
    painter.fillRect(strip, colour(Colour::Canvas));
    painter.setPen(QPen(colour(Colour::Line), 1));
    painter.drawLine(strip.topLeft(), strip.topRight());
    double x = 10;
    const double y = strip.bottom() - 26;
    if (legend.heatMost)
        x = paintHeatScale(painter, x + 14, y, legend, theme);
    for (const picture::EdgeKind kind : legend.edges)
        x = paintEdgeKind(painter, x, y, kind, theme);
    for (const picture::MakerRecord& maker : legend.makers) {
        const std::string text = picture::makerText(maker);
        const QRectF chip(x + 0.5, y + 0.5, 26, 15);
        painter.setPen(QPen(colour(picture::tintOf(maker).line), 1));
        painter.setBrush(colour(Colour::BoxFill));
        painter.drawRoundedRect(chip, 3, 3);
        painter.setFont(labelFont(9, picture::Weight::Bold));
        painter.drawText(chip, Qt::AlignCenter, QString::fromStdString(picture::chipText(maker)));
        painter.setFont(labelFont(11, picture::Weight::Regular));
        painter.setPen(colour(Colour::Muted));
        painter.drawText(QPointF(x + 31, y + 12), QString::fromStdString(text));
        x += 26 + 5 + picture::textWidth(text, 11, picture::Weight::Regular) + 12;
    }
}

} // namespace fw::ui
