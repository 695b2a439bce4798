// A graph at which a rule computes something else, beside what the rule makes of it, in a window of
// its own. Ids in it are those of the two small graphs, so nothing here is part of the selection.
#pragma once

#include "app/window/side_window.h"
#include "base/result.h"
#include "snapshot/records.h"

#include <array>
#include <functional>
#include <memory>

class QLabel;

namespace fw::ui {

class GraphPane;

class CounterexampleWindow : public SideWindow {
    Q_OBJECT

public:
    using Graph = std::shared_ptr<const snapshot::GraphDocument>;
    using Done = std::function<void(Result<Graph>)>;
    using Ask = std::function<void(const std::string& text, Done done)>;

    explicit CounterexampleWindow(QWidget* parent = nullptr);

    void open(const snapshot::CheckItem& rule, const Ask& ask);
    QString sentence() const;
    GraphPane* before() const { return m_sides[0].pane; }
    GraphPane* after() const { return m_sides[1].pane; }
    bool busy() const;

private:
    struct Side {
        GraphPane* pane = nullptr;
        Graph graph;
        bool waits = false;
    };
    void fill(std::size_t side, const std::string& text, const Ask& ask);

    std::array<Side, 2> m_sides;
    std::uint64_t m_opened = 0; // the latest rule
    QLabel* m_sentence;
};

} // namespace fw::ui
