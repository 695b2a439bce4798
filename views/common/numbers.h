// Numbers as the views show them.
#pragma once

#include "snapshot/time_text.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace fw::ui {

inline QString timeText(double microseconds) {
    return QString::fromStdString(snapshot::timeText(microseconds));
}

inline QString timeCell(const std::optional<double>& microseconds) {
    return microseconds ? timeText(*microseconds) : QString(QChar(0x2013));
}

// "1 group", "3 groups"
// An error of an output; absent: not finite.
inline QString errorText(const std::optional<double>& error) {
    return error ? QString::number(*error, 'g', 2) : QStringLiteral("not finite");
}

inline QString countOf(std::int64_t count, const QString& noun) {
    return QString::number(count) + QChar(u' ') + noun + (count == 1 ? QString() : QString(u's'));
}

} // namespace fw::ui
