// What colours and chips of a picture mean.
#pragma once

#include "picture/palette.h"
#include "picture/picture.h"
#include "picture/text.h"
#include "views/common/theme.h"

#include <QFont>
#include <QPainter>
#include <QString>

#include <optional>
#include <set>

namespace fw::ui {

struct Legend {
    std::set<picture::MakerRecord> makers;
    std::optional<QString> heatMost;   // what the hottest colour stands for; nothing is hot: none
    bool heatHasSigns = false;         // from less than nothing to more
    std::set<picture::EdgeKind> edges; // of what there are edges that look so; none: all look alike
};

// Of as many lines as it takes at this width; 0: there is nothing to explain.
double legendHeight(const Legend& legend, double width);
// A strip of its own at the foot of a view: nothing shows through it.
void paintLegend(QPainter& painter, const QRectF& strip, const Legend& legend, ThemeKind theme);

// With the widths that core/picture counts with.
QFont labelFont(double size, picture::Weight weight);

} // namespace fw::ui
