// bench_frames [NODES...]: models of every shape in a window: how soon the first picture is there,
// how long a frame takes while the graph is moved and while it is zoomed (median, 95 of 100), at
// the size at which names are read and at that of the whole, and what window and worker hold. Of 1
// 000, 10 000 and 100 000 operators if none is named. A measurement, not a test.
#include "large/shapes.h"
#include "window/large_window.h"

#include <cstdio>
#include <fstream>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int limitMs = 120000;

void print(const char* what, const FrameTimes& frames) {
    std::printf("    %-10s p50 %6.2f ms, p95 %6.2f ms\n", what, frames.at(0.5), frames.at(0.95));
}

void measure(const test::LargeShapeName& shape, int nodes) {
    QTemporaryDir folder;
    const QString file = folder.filePath(u"model.onnx"_s);
    std::ofstream(file.toStdString(), std::ios::binary)
        << test::largeModel(shape.shape, nodes).SerializeAsString();
    WindowFixture m(u"" FW_BINARY_DIR "/bin/fw"_s);
    m.waitIdle();
    const LargeOpening seen = openLarge(m, file, limitMs);
    std::printf("%s %d: picture %lld ms, longest %.0f ms, window %.0f MB, worker %.0f MB\n",
                shape.name.data(), nodes, static_cast<long long>(seen.pictureMs), seen.openingMs,
                seen.windowMb, seen.workerMb);
    GraphCanvas* canvas = m.pane(GraphSide::Imported)->canvas();
    canvas->fitAll();
    waitUntil([&] { return canvas->complete(); }, limitMs);
    print("pan whole", framesOf(canvas, Wheel::Pan));
    canvas->setScale(GraphCanvas::usualScale());
    print("pan", framesOf(canvas, Wheel::Pan));
    print("zoom", framesOf(canvas, Wheel::Zoom));
    std::fflush(stdout);
    m.window.document().stop(); // the plan is not what is measured
    m.waitIdle(limitMs);
}

} // namespace

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    std::vector<int> sizes;
    for (int i = 1; i < count; ++i)
        sizes.push_back(std::atoi(arguments[i]));
    if (sizes.empty())
        sizes = {1000, 10000, 100000};
    for (const test::LargeShapeName& shape : test::largeShapes)
        for (const int nodes : sizes)
            measure(shape, nodes);
    return 0;
}
