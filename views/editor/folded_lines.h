// Lines too long for a text box: the start of such a line is shown, the rest is kept here and a
// marker stands for it.
//
// A text box lays a line out as a whole, which takes minutes for megabytes. A marker is text like
// any other: it is deleted, moved and brought back by undo, and what it stands for goes with it.
#pragma once

#include <QString>
#include <QStringList>

namespace fw::ui {

class FoldedLines {
public:
    static constexpr int limit = 20000; // a longer line is folded
    static constexpr int shown = 2000;  // its start that stays

    // Safe for a text box. A text that holds what looks like a marker gets that back unchanged.
    QString folded(const QString& text);
    // What folded() was given, with the edits around the markers.
    QString whole(const QString& text) const;
    bool empty() const { return m_rests.isEmpty(); }
    void clear() { m_rests.clear(); }

private:
    QString markerOf(const QString& rest);

    QStringList m_rests;
};

} // namespace fw::ui
