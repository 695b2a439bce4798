// A large model in a window: how soon it is seen, how long the window's thread works at a stretch,
// and what window and worker hold.
#pragma once

#include "window/window_fixture.h"

#include <algorithm>
#include <ctime>
#include <functional>

namespace fw::ui {

// Between two ticks the thread handled what lay in its queue: that is how long it was busy. Counted
// is its own processor time, which does not depend on what else the machine does.
class LongestStretch : public QObject {
public:
    LongestStretch() {
        connect(&m_tick, &QTimer::timeout, this, [this] {
            const double now = threadMs();
            m_longest = std::max(m_longest, now - m_last);
            m_last = now;
        });
        restart();
        m_tick.start(1);
    }
    void restart() {
        m_longest = 0;
        m_last = threadMs();
    }
    double ms() const { return m_longest; }

private:
    static double threadMs() {
        timespec now{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
    }

    QTimer m_tick;
    double m_last = 0, m_longest = 0;
};

struct LargeOpening {
    qint64 pictureMs = -1;                // until the imported graph is seen; -1: never
    double openingMs = 0, overviewMs = 0; // longest stretch until then; of "fit", until painted
    double windowMb = 0, workerMb = 0;    // resident after that
};

inline double residentMb(qint64 pid) {
    QFile file(QStringLiteral("/proc/%1/status").arg(pid));
    if (file.open(QIODevice::ReadOnly))
        for (const QByteArray& line : file.readAll().split('\n'))
            if (line.startsWith("VmRSS:"))
                return line.mid(6).simplified().split(' ').front().toDouble() / 1024;
    return 0;
}

// As the event loop of the program does: QTest's waiting sleeps between two rounds of events, so
// that a large answer of the worker trickles in.
inline bool waitUntil(const std::function<bool()>& done, int limitMs) {
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < limitMs)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    return done();
}

inline LargeOpening openLarge(WindowFixture& m, const QString& file, int limitMs) {
    LargeOpening out;
    GraphCanvas* canvas = m.window.pane(GraphSide::Imported)->canvas();
    LongestStretch stretch;
    QElapsedTimer timer;
    timer.start();
    m.window.openModel(file);
    if (!waitUntil([&] { return canvas->picture() && canvas->complete(); }, limitMs))
        return out;
    out.pictureMs = timer.elapsed();
    QTest::qWait(200); // what follows from the graph: outline, minimap
    out.openingMs = stretch.ms();
    stretch.restart();
    canvas->fitAll();
    if (!waitUntil([&] { return canvas->complete(); }, limitMs))
        return {};
    QTest::qWait(50);
    out.overviewMs = stretch.ms();
    out.windowMb = residentMb(QCoreApplication::applicationPid());
    out.workerMb = residentMb(m.window.worker().processId());
    return out;
}

} // namespace fw::ui
