// The graph inside a node, in a window of its own: a tab for each body of the node, and a way into
// the bodies inside. Ids in it are those of the body, so nothing here is part of the selection.
#pragma once

#include "app/window/side_window.h"
#include "base/result.h"
#include "snapshot/records.h"

#include <functional>
#include <memory>
#include <vector>

class QTabBar;
class QToolButton;

namespace fw::ui {

class GraphPane;

class BodyWindow : public SideWindow {
    Q_OBJECT

public:
    using Graph = std::shared_ptr<const snapshot::GraphDocument>;
    using Done = std::function<void(Result<Graph>)>;
    using Ask = std::function<void(const std::string& path, Done done)>;

    explicit BodyWindow(Ask ask, QWidget* parent = nullptr);

    void open(const snapshot::NodeRecord& node); // one that has bodies; from the outside
    QString path() const;                        // of the body that is shown
    GraphPane* pane() const { return m_pane; }
    const Graph& graph() const { return m_graph; } // null until it came
    bool busy() const;

private:
    struct Level { // a node on the way in
        std::vector<snapshot::BodyRecord> bodies;
        std::size_t shown = 0;
    };
    void enter(const snapshot::NodeRecord& node);
    void back();
    void showLevel();
    void showBody();

    Ask m_ask;
    std::vector<Level> m_levels;
    Graph m_graph;
    std::uint64_t m_asked = 0; // the latest answer wins
    QToolButton* m_back;
    QTabBar* m_tabs;
    GraphPane* m_pane;
};

} // namespace fw::ui
