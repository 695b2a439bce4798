// A large model in a window: how soon it is seen, how long the window's thread works at a stretch,
// and what window and worker hold.
#pragma once

#include "common/thread_time.h"
#include "views/graph/graphs_view.h"
#include "window/window_fixture.h"

#include <QWheelEvent>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fw::ui {

inline double threadMs() {
    return test::threadSeconds() * 1e3;
}

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
    double ms() const { return std::max(m_longest, threadMs() - m_last); } // and until now

private:
    QTimer m_tick;
    double m_last = 0, m_longest = 0;
};

struct LargeOpening {
    qint64 pictureMs = -1;                // until the imported graph is seen; -1: never
    bool isPlanned = false;               // by then
    double openingMs = 0, overviewMs = 0; // longest stretch until then; of "fit", until painted
    double windowMb = 0, workerMb = 0;    // resident after that
};

inline double residentMb(qint64 pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    double pages = 0;
    file >> pages >> pages; // the second number
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// What window and worker held together at most, looked at every few milliseconds.
class MostMemory {
public:
    explicit MostMemory(qint64 worker)
        : m_thread([this, worker] {
              while (!m_end) {
                  const double now = residentMb(::getpid()) + residentMb(worker);
                  m_most = std::max(m_most.load(), now);
                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
              }
          }) {}
    ~MostMemory() {
        m_end = true;
        m_thread.join();
    }
    MostMemory(const MostMemory&) = delete;
    MostMemory& operator=(const MostMemory&) = delete;
    double mb() const { return m_most; }

private:
    std::atomic<bool> m_end = false;
    std::atomic<double> m_most = 0;
    std::thread m_thread;
};

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
    GraphCanvas* canvas = m.window.view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    LongestStretch stretch;
    QElapsedTimer timer;
    timer.start();
    m.window.openModel(file);
    if (!waitUntil([&] { return canvas->picture() && canvas->complete(); }, limitMs))
        return out;
    out.pictureMs = timer.elapsed();
    out.isPlanned = m.window.document().state(Part::Plan) == State::Ready;
    canvas->viewport()->repaint();
    settle(); // what follows from the graph: outline, minimap
    out.openingMs = stretch.ms();
    stretch.restart();
    canvas->fitAll();
    if (!waitUntil([&] { return canvas->complete(); }, limitMs))
        return {};
    canvas->viewport()->repaint();
    out.overviewMs = stretch.ms();
    out.windowMb = residentMb(QCoreApplication::applicationPid());
    out.workerMb = residentMb(m.window.worker().processId());
    return out;
}

// Milliseconds of the thread for a frame: from an event of the wheel until it is painted.
struct FrameTimes {
    std::vector<double> ms; // sorted

    double at(double share) const { return ms.at(std::size_t(double(ms.size() - 1) * share)); }
};

// Down and up again through the graph, or into it and out again, as a hand at the wheel does.
enum class Wheel : std::uint8_t { Pan, Zoom };

inline FrameTimes framesOf(GraphCanvas* canvas, Wheel wheel, int frames = 120) {
    FrameTimes out;
    const QPointF middle = QRectF(canvas->viewport()->rect()).center();
    const auto keys = wheel == Wheel::Zoom ? Qt::ControlModifier : Qt::NoModifier;
    for (int i = 0; i < frames; ++i) {
        const int turn = i < frames / 2 ? -60 : 60;
        QWheelEvent event(middle, canvas->viewport()->mapToGlobal(middle), {}, {0, turn},
                          Qt::NoButton, keys, Qt::NoScrollPhase, false);
        const double start = threadMs();
        QApplication::sendEvent(canvas->viewport(), &event);
        canvas->viewport()->repaint();
        out.ms.push_back(threadMs() - start);
        QCoreApplication::processEvents();
    }
    std::sort(out.ms.begin(), out.ms.end());
    return out;
}

} // namespace fw::ui
