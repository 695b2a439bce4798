// The panes of the middle, from left to right: which state of the model each shows, its graph, and
// which nodes of one pane stand for those of another.
//
// Of these panes it owns nothing but what is said here; the widgets, the blocks and the joint
// layout are children of the view. Who acts on the panes (GraphsView and what it is made of) is
// given this, and reads document and selection of the view through it.
#pragma once

#include "snapshot/hidden.h"
#include "views/common/view.h"
#include "views/graph/collapse.h"
#include "views/graph/graph_pane.h"
#include "views/graph/joint_panes.h"

#include <optional>
#include <vector>

namespace fw::ui {

struct ShownPane {
    GraphPane* pane = nullptr;
    GraphState state;
    // What the picture was made of.
    Shared<snapshot::GraphDocument> drawn = nullptr;
    Shared<snapshot::ProfileDocument> times = nullptr;
    Shared<snapshot::FuseDocument> plan = nullptr;         // whose reorders it shows; null: none
    std::shared_ptr<const snapshot::Shown> seen = nullptr; // that filters leave; null: all of it
};

class GraphPanes {
public:
    using Stage = GraphState::Stage;

    explicit GraphPanes(View& view); // whose panes they are; lives longer

    void add(GraphPane* pane, const GraphState& state);
    void removeLast() { m_shown.pop_back(); }
    std::size_t size() const { return m_shown.size(); }
    ShownPane& operator[](std::size_t at) { return m_shown[at]; }
    const ShownPane& operator[](std::size_t at) const { return m_shown[at]; }
    auto begin() const { return m_shown.begin(); }
    auto end() const { return m_shown.end(); }
    auto begin() { return m_shown.begin(); }
    auto end() { return m_shown.end(); }
    bool anyShows(Stage stage) const;

    View& view() const { return m_view; }
    const DocumentParts& document() const { return m_view.document(); }
    Selection& selection() const { return m_view.selection(); }
    Collapse& collapse() const { return *m_collapse; }
    JointPanes& joint() const { return *m_joint; }

    GraphPane* pane(std::size_t at) const { return m_shown[at].pane; }
    std::size_t indexOf(const GraphPane* pane) const;
    std::size_t current() const; // that has the keys
    std::optional<std::size_t> paneOf(GraphSide side) const;
    std::optional<GraphSide> sideOf(std::size_t pane) const; // whose ids it has

    const StateGraph* compared(std::size_t pane) const; // null: it shows a graph of the document
    State stateOf(std::size_t pane) const;
    // Of the fused graph with groups or with regions.
    Shared<snapshot::GraphDocument> graphOf(std::size_t pane) const;

    // Nodes of the document's two graphs that those of the pane stand for. `subject`: as in
    // Selection::of.
    Picked pickedOf(std::size_t pane, const snapshot::NodeSet& ids,
                    snapshot::NodeId subject = snapshot::noNode) const;
    // Those of the pane that stand for what is picked, as far as a canvas shows them.
    snapshot::NodeSet nodesIn(std::size_t pane, const Picked& picked) const;

    // An output of the model has a box that is no node's. Its number among those of the model, and
    // what makes it; none: the box is another one.
    struct Result {
        int number = -1;
        snapshot::NodeId maker = snapshot::noNode;
    };
    std::optional<Result> resultAt(std::size_t pane, std::int64_t box) const;
    std::optional<std::int64_t> boxOfResult(std::size_t pane, int number) const;

private:
    const std::vector<snapshot::InputRef>* resultsIn(std::size_t pane) const; // of the picture

    View& m_view;
    Collapse* m_collapse;
    JointPanes* m_joint;
    std::vector<ShownPane> m_shown;
};

} // namespace fw::ui
