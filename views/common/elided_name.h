// Names in a narrow column. The names of a list often begin, or end, alike (conv2d_bias_relu_12,
// conv2d_bias_relu_17): what is left out is what they share, and what tells them apart stays.
#pragma once

#include <QString>

#include <set>

class QFontMetrics;

namespace fw::ui {

// Of a name: what it shares with others of its list, in whole words and numbers.
struct SharedParts {
    std::set<qsizetype> fronts; // lengths of the beginnings, none is empty
    qsizetype back = 0;         // length of the end that those that are most like it have, too

    void compare(const QString& name, const QString& other);
    qsizetype longest() const { return fronts.empty() ? 0 : *fronts.rbegin(); }
};

QString elidedName(const QString& name, const SharedParts& shared, const QFontMetrics& metrics,
                   int width);

} // namespace fw::ui
