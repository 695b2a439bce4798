#include "views/common/elided_name.h"

#include <QFontMetrics>

#include <algorithm>

namespace fw::ui {

namespace {

constexpr qsizetype leastFront = 3; // says what kind of thing it is

// Whether a word, or a number, goes on there.
bool divides(const QString& text, qsizetype at) {
    if (at <= 0 || at >= text.size())
        return false;
    const QChar before = text[at - 1], behind = text[at];
    return (before.isLetter() && behind.isLetter()) || (before.isDigit() && behind.isDigit());
}

// As many characters of the front as have room in front of the rest.
QString withFront(const QString& front, const QString& rest, const QFontMetrics& metrics,
                  int width) {
    qsizetype kept = front.size();
    while (kept > 0 && metrics.horizontalAdvance(front.left(kept) + rest) > width)
        --kept;
    return front.left(kept) + rest;
}

// Of the part that no other name has, which is wider than the column: where it begins, it differs
// from the others, so most of what stays is from there.
QString withinOwn(const QString& own, const QFontMetrics& metrics, int width) {
    if (metrics.horizontalAdvance(own) <= width)
        return own;
    const QString dots(QChar(0x2026));
    for (qsizetype kept = own.size() - 1; kept > 0; --kept) {
        const qsizetype end = kept / 3;
        const QString out = own.left(kept - end) + dots + own.right(end);
        if (metrics.horizontalAdvance(out) <= width)
            return out;
    }
    return metrics.horizontalAdvance(own.left(1)) <= width ? own.left(1) : QString();
}

} // namespace

void SharedParts::compare(const QString& name, const QString& other) {
    if (name == other)
        return;
    const qsizetype both = std::min(name.size(), other.size());
    const qsizetype same =
        std::mismatch(name.begin(), name.begin() + both, other.begin()).first - name.begin();
    qsizetype at = std::min(same, name.size() - 1);
    while (divides(name, at) || divides(other, at))
        --at;
    qsizetype end = 0;
    while (end < both - same && name[name.size() - 1 - end] == other[other.size() - 1 - end])
        ++end;
    while (divides(name, name.size() - end) || divides(other, other.size() - end))
        --end;
    if (at >= longest())
        back = at > longest() ? end : std::max(back, end);
    if (at > 0)
        fronts.insert(at);
}

QString elidedName(const QString& name, const SharedParts& shared, const QFontMetrics& metrics,
                   int width) {
    const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
    if (fits(name))
        return name;
    const QString dots(QChar(0x2026));
    // The shortest beginning leaves most to be told apart by.
    for (const qsizetype front : shared.fronts) {
        const QString rest = dots + name.mid(front);
        if (front > leastFront && fits(name.left(leastFront) + rest))
            return withFront(name.left(front), rest, metrics, width);
    }
    const qsizetype front = shared.longest();
    const qsizetype back = std::min(shared.back, name.size() - front);
    const QString own = name.mid(front, name.size() - front - back);
    const QString end = name.right(back);
    if (own.isEmpty() || (front == 0 && back == 0))
        return metrics.elidedText(name, Qt::ElideMiddle, width);
    if (front > 0 && fits(dots + own + end))
        return withFront(name.left(front), dots + own + end, metrics, width);
    const QString before = front == 0 ? QString() : dots;
    if (end.isEmpty() || !fits(before + own + dots))
        return fits(before + own) ? before + own : withinOwn(own, metrics, width);
    qsizetype kept = end.size();
    while (kept > 0 && !fits(before + own + dots + end.right(kept)))
        --kept;
    return before + own + dots + end.right(kept);
}

} // namespace fw::ui
