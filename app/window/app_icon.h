// The icon of the program, painted: Qt reads SVG only through a plugin that may be absent. Files
// for the desktop lie in resources/icons.
#pragma once

#include <QIcon>

namespace fw::ui {

QIcon appIcon();

} // namespace fw::ui
