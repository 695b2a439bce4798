#include "views/graph/legend.h"

#include <QFontMetricsF>
#include <QLinearGradient>

#include <cmath>
#include <functional>
#include <vector>

namespace fw::ui {
namespace {

constexpr double lineHeight = 22, marginOfLegend = 10, betweenEntries = 14;

struct Entry {
    double width;
    std::function<void(QPainter& painter, double x, double y, ThemeKind theme)> paint;
};

double widthOf(const QString& text) {
    return QFontMetricsF(labelFont(11, picture::Weight::Regular)).horizontalAdvance(text);
}

void paintText(QPainter& painter, double x, double y, const QString& text, ThemeKind theme) {
    painter.setFont(labelFont(11, picture::Weight::Regular));
    painter.setPen(toQt(picture::rgb(Colour::Muted, theme)));
    painter.drawText(QPointF(x, y + 12), text);
}

Entry heatScale(const QString& most, bool hasSigns) {
    constexpr double length = 90, before = 14;
    const auto paint = [=](QPainter& painter, double x, double y, ThemeKind theme) {
        const QRectF scale(x + before, y + 2, length, 12);
        QLinearGradient colours(scale.topLeft(), scale.topRight());
        for (int i = 0; i <= 8; ++i)
            colours.setColorAt(i / 8.0, toQt(hasSigns ? picture::difference(i / 4.0 - 1, theme)
                                                      : picture::heat(i / 8.0, theme)));
        painter.setPen(QPen(toQt(picture::rgb(Colour::Line, theme)), 1));
        painter.setBrush(colours);
        painter.drawRect(scale);
        paintText(painter, x + 2, y, hasSigns ? QStringLiteral("−") : QStringLiteral("0"), theme);
        paintText(painter, scale.right() + 6, y, most, theme);
    };
    return {before + length + 6 + widthOf(most), paint};
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

Entry edgeKind(picture::EdgeKind kind) {
    constexpr double length = 26, before = 31;
    const QString text = edgeText(kind);
    const auto paint = [=](QPainter& painter, double x, double y, ThemeKind theme) {
        const picture::EdgeLook look = picture::lookOf(kind);
        const Qt::PenStyle style = look.dash == picture::Dash::Solid    ? Qt::SolidLine
                                   : look.dash == picture::Dash::Dashed ? Qt::DashLine
                                                                        : Qt::DotLine;
        painter.setPen(
            QPen(toQt(picture::rgb(look.colour, theme)), 1.4 + look.wider, style, Qt::FlatCap));
        painter.drawLine(QPointF(x, y + 8), QPointF(x + length, y + 8));
        paintText(painter, x + before, y, text, theme);
    };
    return {before + widthOf(text), paint};
}

Entry maker(const picture::MakerRecord& maker) {
    constexpr double before = 31;
    const QString text = QString::fromStdString(picture::makerText(maker));
    const auto paint = [=](QPainter& painter, double x, double y, ThemeKind theme) {
        const QRectF chip(x + 0.5, y + 0.5, 26, 15);
        painter.setPen(QPen(toQt(picture::rgb(picture::tintOf(maker).line, theme)), 1));
        painter.setBrush(toQt(picture::rgb(Colour::BoxFill, theme)));
        painter.drawRoundedRect(chip, 3, 3);
        painter.setFont(labelFont(9, picture::Weight::Bold));
        painter.drawText(chip, Qt::AlignCenter, QString::fromStdString(picture::chipText(maker)));
        paintText(painter, x + before, y, text, theme);
    };
    return {before + widthOf(text), paint};
}

std::vector<Entry> entriesOf(const Legend& legend) {
    std::vector<Entry> out;
    if (legend.heatMost)
        out.push_back(heatScale(*legend.heatMost, legend.heatHasSigns));
    for (const picture::EdgeKind kind : legend.edges)
        out.push_back(edgeKind(kind));
    for (const picture::MakerRecord& one : legend.makers)
        out.push_back(maker(one));
    return out;
}

// Calls act(entry, x, line) and gives the number of lines.
template <class Act>
int placed(const std::vector<Entry>& entries, double width, const Act& act) {
    double x = marginOfLegend;
    int line = 0;
    for (const Entry& entry : entries) {
        if (x > marginOfLegend && x + entry.width > width - marginOfLegend) {
            x = marginOfLegend;
            ++line;
        }
        act(entry, x, line);
        x += entry.width + betweenEntries;
    }
    return entries.empty() ? 0 : line + 1;
}

} // namespace

QFont labelFont(double size, picture::Weight weight) {
    QFont font = Theme::graphFont(static_cast<int>(std::lround(size)),
                                  weight == picture::Weight::Bold ? QFont::Bold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

double legendHeight(const Legend& legend, double width) {
    const int lines = placed(entriesOf(legend), width, [](const Entry&, double, int) {});
    return lines == 0 ? 0 : lineHeight * lines + 10;
}

void paintLegend(QPainter& painter, const QRectF& strip, const Legend& legend, ThemeKind theme) {
    painter.fillRect(strip, toQt(picture::rgb(Colour::Canvas, theme)));
    painter.setPen(QPen(toQt(picture::rgb(Colour::Line, theme)), 1));
    painter.drawLine(strip.topLeft(), strip.topRight());
    placed(entriesOf(legend), strip.width(), [&](const Entry& entry, double x, int line) {
        entry.paint(painter, strip.left() + x, strip.top() + 6 + lineHeight * line, theme);
    });
}

} // namespace fw::ui
