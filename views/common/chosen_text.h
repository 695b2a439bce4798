// By what the books, or people, chose who computes a group: behind "chosen by".
#pragma once

#include "snapshot/records.h"

#include <QString>

namespace fw::ui {

inline QString chosenText(const snapshot::GroupRecord& group) {
    QString out = group.source == "only"    ? QStringLiteral("being the only candidate")
                  : group.source == "order" ? QStringLiteral("its place in the book")
                  : group.source == "pin"   ? QStringLiteral("a pin")
                  : group.source == "cost"  ? QStringLiteral("its estimate")
                  : group.source == "log"   ? QStringLiteral("its measured time")
                                            : QString::fromStdString(group.source.str());
    return group.untuned ? out + QStringLiteral(", untuned") : out;
}

} // namespace fw::ui
