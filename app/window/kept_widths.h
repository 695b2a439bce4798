// The widths that a window remembers: of every splitter and every table that has a name.
#pragma once

class QMainWindow;

namespace fw::ui {

class Settings;

// With other columns, or of another set of docks (`version`), it is another table.
void saveWidths(const QMainWindow& window, Settings& settings, int version);
void restoreWidths(QMainWindow& window, const Settings& settings, int version);

} // namespace fw::ui
