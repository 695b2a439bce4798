// Locks of files that several windows use. QLockFile opens and reads what lies in the place of its
// lock: it waits for a pipe, reads a device to an end that there is none of, and tries for ever
// where there is a folder.
#pragma once

#include <QString>

namespace fw::ui {

// Why no lock can be taken by this name; empty if none lies there, or one does.
QString whyNoLock(const QString& name);

} // namespace fw::ui
