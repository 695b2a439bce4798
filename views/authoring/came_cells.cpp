#include "views/authoring/came_cells.h"

#include "views/authoring/match_model.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::CameHow;

namespace {

Tone toneOf(const CameHow& how) {
    for (const CameHow good : {CameHow("applied"), CameHow("formed"), CameHow("used"),
                               CameHow("opened"), CameHow("passed")})
        if (how == good)
            return Tone::Good;
    for (const CameHow bad : {CameHow("undone"), CameHow("refused"), CameHow("failed")})
        if (how == bad)
            return Tone::Bad;
    return Tone::Warning;
}

QString timesOf(const snapshot::CameRecord& came) {
    if (came.measuredUs)
        return timeText(*came.measuredUs);
    return came.estUs ? u"≈ "_s + timeText(*came.estUs) : QString();
}

} // namespace

QVariant cameCell(const snapshot::CameRecord& came, int column, int role) {
    const QString how = text(came.how.str()), time = timesOf(came);
    switch (role) {
    case Qt::DisplayRole:
        if (column == MatchModel::What)
            return text(came.what);
        if (column == MatchModel::Count)
            return how;
        if (column == MatchModel::Detail)
            return time.isEmpty() ? text(came.why) : time + u"  ·  "_s + text(came.why);
        return {};
    case Qt::TextAlignmentRole:
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    case ItemRole::ToneRole:
        return column == MatchModel::Count ? QVariant(int(toneOf(came.how))) : QVariant();
    case Qt::ToolTipRole:
        return toolTipOf(u"%1: %2\n%3%4"_s.arg(
            text(came.what), how, text(came.why),
            time.isEmpty() ? QString() : u"\n"_s + time + u" for the whole group"_s));
    default:
        return {};
    }
}

} // namespace fw::ui
