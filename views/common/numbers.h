// Numbers as the views show them.
#pragma once

#include "base/bytes_text.h"
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

// "3.6 MB"
inline QString bytesText(double bytes) {
    return QString::fromStdString(fw::textOfBytes(bytes));
}

// An error of an output; absent: not finite.
inline QString errorText(const std::optional<double>& error) {
    return error ? QString::number(*error, 'g', 2) : QStringLiteral("not finite");
}

// "96 FLOP", "3.2 MFLOP"
inline QString flopText(double flops) {
    if (flops < 1e3)
        return QString::number(flops, 'f', 0) + QStringLiteral(" FLOP");
    if (flops < 1e6)
        return QString::number(flops / 1e3, 'f', 1) + QStringLiteral(" kFLOP");
    if (flops < 1e9)
        return QString::number(flops / 1e6, 'f', 1) + QStringLiteral(" MFLOP");
    return QString::number(flops / 1e9, 'f', 2) + QStringLiteral(" GFLOP");
}

// "1 group", "3 groups"
inline QString countOf(std::int64_t count, const QString& noun) {
    return QString::number(count) + QChar(u' ') + noun + (count == 1 ? QString() : QString(u's'));
}

} // namespace fw::ui
