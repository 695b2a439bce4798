// A picture as a PNG, PDF or SVG file. PNG and PDF are painted by a canvas, so they look like the
// window; SVG is the text that `fw draw` writes.
#pragma once

#include "base/result.h"
#include "picture/picture.h"

#include <QPixmap>
#include <QString>

#include <memory>

namespace fw::ui {

// Null: there is no picture yet. The ending of the name says the kind. The file is whole or not
// there.
Status writePicture(const std::shared_ptr<const picture::Picture>& picture, const QString& file,
                    picture::ThemeKind theme);

// Of a window, in the format that the ending says.
Status writePixmap(const QPixmap& pixmap, const QString& file);

} // namespace fw::ui
