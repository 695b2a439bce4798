#include "views/common/difference.h"

#include "snapshot/time_changes.h"
#include "views/common/text.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString joined(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << text(name);
    return out.isEmpty() ? u"nothing"_s : out.join(u" + "_s);
}

} // namespace

QString differenceCell(const snapshot::GroupDifference* difference) {
    const std::string said =
        difference ? snapshot::differenceText(difference->time) : std::string();
    if (said.empty())
        return u"–"_s;
    return (difference->groupIds.size() > 1 ? u"Σ "_s : QString()) + text(said);
}

QString differenceTip(const snapshot::GroupDifference* difference) {
    if (!difference)
        return u"the baseline has nothing to compare this with"_s;
    return text(snapshot::differenceSentence(difference->time)) + u'\n' +
           u"baseline: %1\nnow: %2"_s.arg(joined(difference->before), joined(difference->groups));
}

Tone differenceTone(const snapshot::TimeDifference& difference) {
    if (!difference.beforeUs || !difference.afterUs || !difference.code.empty())
        return Tone::None;
    return *difference.afterUs < *difference.beforeUs ? Tone::Good : Tone::Warning;
}

double differenceOf(const snapshot::GroupDifference* difference) {
    return difference && difference->time.beforeUs && difference->time.afterUs
               ? *difference->time.afterUs - *difference->time.beforeUs
               : 0;
}

} // namespace fw::ui
