// The models that come with the program and show what it does, in the order in which they are best
// looked at.
#pragma once

#include <QList>
#include <QString>

namespace fw::ui {

struct Sample {
    QString name;
    QString path;  // of its folder
    QString shows; // one line
};

// What is there of them in a folder.
QList<Sample> samplesIn(const QString& folder);
// In samples/ beside the program, where it is installed, or in the source tree that it was built
// in; empty: none of them has it.
QList<Sample> shippedSamples();

} // namespace fw::ui
