// What takes its time and is done once for each time that people ask: compile, measure, export,
// check.
//
// Owns how many run, and what the worker died in: a library that ends it is avoided by a pin, and
// the work goes on.
#pragma once

#include "app/window/plan_results.h"

namespace fw::ui {

// As the command line has them.
struct ExportOptions {
    bool embeds = false;   // --embed
    bool isStatic = false; // --static
};

class Tasks : public QObject {
    Q_OBJECT

public:
    // All live longer.
    Tasks(KeptParts& parts, Questions& questions, PlanResults& results, QObject* parent = nullptr);

    void compile(); // and runs once, with random inputs
    void profile();
    void exportModule(const QString& folder, ExportOptions options = {});
    void exportRewritten(const QString& file); // the graph as the rules left it: .onnx or .fw
    // All elements, as NumPy or TensorProto by the ending.
    void saveTensor(const snapshot::Arguments& about, const QString& file);
    // Times the implementations of every group into the file, which then decides.
    void tune(const QString& log);
    // Holds the implementations of every group against the reference; what differs is written into
    // the folder as the smallest graph that shows it.
    void verify(const QString& folder);
    // Computes the model behind every application of a rule: how far its outputs are from those of
    // the imported one, and which took them out of the tolerance.
    void bisect();
    // Plans once more without each book of which a rule acted: Part::Order with what each won.
    void weighBooks();

    bool running() const { return m_running > 0; }
    // The task that the worker died in; empty: it was none.
    std::function<void()> takeLost() { return std::exchange(m_lost, {}); }

Q_SIGNALS:
    void changed();
    void tuned(const std::string& log); // it says more than before

private:
    void count(int by);
    // Counted while it runs; asked `again` if people want that where the worker died in it.
    template <class T>
    void run(const snapshot::Arguments& wanted, std::function<void()> again, Then<T> done,
             std::function<void()> stopped = {});
    template <class T>
    void ended(const Answer<T>& answer, std::function<void()> again) {
        count(-1);
        if (!answer && answer.diag().code == DiagCode::WorkerDied)
            m_lost = std::move(again);
    }

    KeptParts& m_parts;
    Questions& m_questions;
    PlanResults& m_results;
    std::function<void()> m_lost;
    int m_running = 0;
};

} // namespace fw::ui
