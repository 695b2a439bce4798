// bench_large_window MODEL...: opens each model in a window and prints how soon the imported graph
// is seen, how long the window's thread works at a stretch, and the memory of window and worker:
// then, when the plan is there and everything is shown, and at most, both together.
// A measurement, not a test: one model at a time on a quiet machine.
#include "window/large_window.h"

#include <cstdio>

using namespace fw::ui;

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    for (int i = 1; i < count; ++i) {
        WindowFixture m(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
        m.waitIdle();
        const MostMemory most(m.window.worker().processId());
        const LargeOpening seen = openLarge(m, QString::fromLocal8Bit(arguments[i]), 120000);
        std::printf(
            "%s picture %lld ms, longest %.0f ms, fit %.0f ms, window %.0f MB, worker %.0f MB\n",
            arguments[i], static_cast<long long>(seen.pictureMs), seen.openingMs, seen.overviewMs,
            seen.windowMb, seen.workerMb);
        std::fflush(stdout);
        const LongestStretch stretch;
        const bool idle = m.waitIdle(600000);
        QTest::qWait(1000); // what is given back to the system is given back
        std::printf("    %s: longest %.0f ms, window %.0f MB, worker %.0f MB; at most %.0f MB\n",
                    idle ? "all" : "NOT ALL", stretch.ms(), residentMb(::getpid()),
                    residentMb(m.window.worker().processId()), most.mb());
        std::fflush(stdout);
    }
    return 0;
}
