// A window on models of 2 000 and 20 000 operators: a frame costs what is in view, not what the
// model has; the first picture and the memory grow with the model and not faster. Times of the
// processor; a busy machine only adds to them, so growth above a limit is measured again.
#include "common/test.h"
#include "large/shapes.h"
#include "window/large_window.h"

#include <fstream>

using namespace fw;
using namespace fw::test;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int smallWindow = 2000, largeWindow = 20000;
constexpr int mostTriesOfWindow = 3;

} // namespace

class TestWindowGrowth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void frames_data();
    void frames();

private:
    struct Seen {
        double pan = 0, zoom = 0; // median of the frames
        double windowMb = 0;
    };
    Seen seen(int nodes);
};

void TestWindowGrowth::frames_data() {
    QTest::addColumn<int>("shape");
    for (const LargeShapeName& row : largeShapes)
        if (row.shape == LargeShape::Chain || row.shape == LargeShape::Layers)
            QTest::newRow(row.name.data()) << static_cast<int>(row.shape);
}

TestWindowGrowth::Seen TestWindowGrowth::seen(int nodes) {
    QFETCH(int, shape);
    QTemporaryDir folder;
    const QString file = folder.filePath(u"model.onnx"_s);
    std::ofstream(file.toStdString(), std::ios::binary)
        << largeModel(static_cast<LargeShape>(shape), nodes).SerializeAsString();
    WindowFixture m(u"" FW_BINARY_DIR "/bin/fw"_s);
    m.waitIdle();
    const LargeOpening opening = openLarge(m, file, 60000);
    Seen out;
    if (opening.pictureMs < 0)
        return out;
    GraphCanvas* canvas = m.pane(GraphSide::Imported)->canvas();
    canvas->setScale(GraphCanvas::usualScale());
    out.pan = framesOf(canvas, Wheel::Pan).at(0.5);
    out.zoom = framesOf(canvas, Wheel::Zoom).at(0.5);
    out.windowMb = opening.windowMb;
    m.window.document().stop();
    m.waitIdle();
    return out;
}

void TestWindowGrowth::frames() {
    double pan = 0, zoom = 0, memory = 0;
    for (int tries = 0; tries < mostTriesOfWindow; ++tries) {
        const Seen one = seen(smallWindow), other = seen(largeWindow);
        QVERIFY(one.pan > 0 && other.pan > 0);
        pan = other.pan / one.pan;
        zoom = other.zoom / one.zoom;
        memory = other.windowMb / one.windowMb;
        qInfo("pan %.2f and %.2f ms, zoom %.2f and %.2f ms, window %.0f and %.0f MB", one.pan,
              other.pan, one.zoom, other.zoom, one.windowMb, other.windowMb);
        if (pan < 3 && zoom < 3)
            break;
    }
    QVERIFY2(pan < 3, qPrintable(QString::number(pan)));
    QVERIFY2(zoom < 3, qPrintable(QString::number(zoom)));
    QVERIFY2(memory < 4, qPrintable(QString::number(memory)));
}

FW_TEST(TestWindowGrowth, QApplication)
#include "test_window_growth.moc"
