#include "app/window/picture_file.h"

#include "base/files.h"
#include "picture/writers.h"
#include "views/graph/canvas.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>

#include <algorithm>
#include <cmath>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// A PNG of a large graph is scaled down to what viewers still open.
constexpr double largestPixels = 64e6;

Status writeBytes(const QString& file, const QByteArray& bytes) {
    return writeFile(file.toStdString(), {bytes.data(), std::size_t(bytes.size())});
}

// The canvas shows the whole picture at this scale; nothing of it is on the screen.
std::unique_ptr<GraphCanvas> canvasFor(const std::shared_ptr<const picture::Picture>& picture,
                                       picture::ThemeKind theme, QSize size, double scale) {
    auto canvas = std::make_unique<GraphCanvas>();
    canvas->setAttribute(Qt::WA_DontShowOnScreen);
    canvas->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    canvas->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    canvas->setFrameShape(QFrame::NoFrame);
    canvas->setTheme(theme);
    canvas->setMinimapShown(false);
    canvas->setPainting(GraphCanvas::Painting::AtOnce);
    canvas->resize(size);
    canvas->show();
    canvas->setPicture(picture);
    canvas->setScale(scale);
    canvas->fitAll();
    return canvas;
}

} // namespace

Status writePicture(const std::shared_ptr<const picture::Picture>& picture, const QString& file,
                    picture::ThemeKind theme) {
    if (!picture)
        return makeDiag(DiagCode::Usage, "there is no picture yet", {}, "open a model first");
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind == u"svg"_s)
        return writeFile(file.toStdString(), picture::svgText(*picture, theme));
    if (kind != u"png"_s && kind != u"pdf"_s)
        return makeDiag(DiagCode::Usage, "unknown kind of picture: " + kind.toStdString(),
                        Where{file.toStdString(), "", 0, 0}, "use .png, .pdf or .svg");
    constexpr double margin = 40;
    const double width = picture->width + 2 * margin;
    const double height = picture->height + 2 * margin;
    const double scale = std::min(1.0, std::sqrt(largestPixels / std::max(1.0, width * height)));
    const QSize size(std::max(1, int(width * scale)), std::max(1, int(height * scale)));
    const auto canvas = canvasFor(picture, theme, size, scale);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (kind == u"png"_s) {
        QImage image(size, QImage::Format_RGB32);
        QPainter painter(&image);
        canvas->viewport()->render(&painter);
        painter.end();
        image.save(&buffer, "PNG");
    } else {
        QPdfWriter writer(&buffer);
        writer.setResolution(72);
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setPageSize(QPageSize(QSizeF(size), QPageSize::Point, {}, QPageSize::ExactMatch));
        QPainter painter(&writer);
        canvas->viewport()->render(&painter);
        painter.end();
    }
    buffer.close();
    if (bytes.isEmpty())
        return makeDiag(DiagCode::FileUnwritable, "the picture could not be painted",
                        Where{file.toStdString(), "", 0, 0});
    return writeBytes(file, bytes);
}

Status writePixmap(const QPixmap& pixmap, const QString& file) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QByteArray format = QFileInfo(file).suffix().toLatin1();
    if (!pixmap.save(&buffer, format.constData()))
        return makeDiag(DiagCode::FileUnwritable, "there is no such format of pictures",
                        Where{file.toStdString(), "", 0, 0}, "let its name end in .png");
    return writeBytes(file, bytes);
}

} // namespace fw::ui
