// What files are called where there is room for a name only.
#pragma once

#include <QStringList>

namespace fw::ui {

// The file, or as many of its folders in front of it as tell it from the others: "a/model.onnx",
// "b/model.onnx". In the order of the paths.
QStringList shownNames(const QStringList& paths);

} // namespace fw::ui
