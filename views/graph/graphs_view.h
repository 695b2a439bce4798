// The middle of the window: panes with states of the model, at first the imported graph and beside
// it the fused one, or the application of a rule while rewriting is stepped through.
//   graphs_view.cpp         what the panes show, selection, commands
//   graphs_view_states.cpp  which state a pane shows, more panes
//   graphs_view_joint.cpp   all of them in one layout, from change to change
//   graphs_view_heat.cpp    colours by time
//   graphs_view_selection.cpp  what is picked, and comes into view
//   block_commands.cpp      blocks open and close
//   graph_reach.cpp         streams and neighbourhoods
#pragma once

#include "views/common/view.h"
#include "views/graph/collapse.h"
#include "views/graph/graph_pane.h"
#include "views/graph/joint_panes.h"
#include "views/graph/step_pane.h"

#include <optional>

class QSplitter;

namespace fw::ui {

// How the boxes are coloured once there is a profile.
enum class Heat : std::uint8_t { None, Time, Slowness };

class GraphsView : public View {
    Q_OBJECT

public:
    explicit GraphsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    void selectionSettled() override;
    void placeChanged() override;
    void stepChanged() override;
    void revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) override;
    std::optional<snapshot::BlockView> openBlocks() const override { return m_collapse->view(); }
    void showBlocks(const snapshot::BlockView& view) override { m_collapse->restore(view); }
    std::vector<QWidget*> stops() override;
    bool settled() const override;

    // The first one that shows the graph, or did at first.
    GraphPane* pane(GraphSide side) const;
    GraphPane* pane(std::size_t at) const { return m_panes[at].pane; } // from left to right
    std::size_t paneCount() const { return m_panes.size(); }
    const GraphState& state(std::size_t pane) const { return m_panes[pane].state; }
    // Of a state that is compared a layout for all panes is made, unless that was switched off.
    void setState(std::size_t pane, const GraphState& state);
    void addPane(); // shows what the last one shows
    void removePane();
    // What the pane can show, for people to choose from.
    std::vector<Choice> choicesFor(std::size_t pane);
    StepPane* stepPane() const { return m_step; } // in place of all panes but the first, or hidden
    GraphSide side() const;                       // that the keys go to
    void setHeat(Heat heat);
    // In place of groups what each library, and code of ours, gets in a row.
    void setRegionsShown(bool shown);
    // Both graphs in one layout, with marks for what rewriting erased, created and changed.
    void setJoint(bool joint);
    const JointPanes* joint() const { return m_joint; }
    Collapse* collapse() const { return m_collapse; }
    bool serve(Request request) override;

private:
    struct Awaited {
        snapshot::NodeId node;
        Selection::Reveal how;
        bool opens; // what hides it
    };
    struct ShownPane {
        GraphPane* pane = nullptr;
        GraphState state;
        // What the picture was made of.
        Shared<snapshot::GraphDocument> drawn = nullptr;
        Shared<snapshot::ProfileDocument> times = nullptr;
        std::optional<Awaited> awaited = {}; // comes into view with the next picture
    };
    using Stage = GraphState::Stage;

    void addCommands();
    void addStateCommands();
    void addBlockCommands();
    void addReachCommands();

    // graphs_view.cpp
    std::size_t makePane(const GraphState& state);
    void connectPane(GraphPane* pane);
    std::size_t indexOf(const GraphPane* pane) const;
    std::size_t currentPane() const;
    std::optional<std::size_t> paneOf(GraphSide side) const;
    std::optional<GraphSide> sideOf(std::size_t pane) const; // whose ids it has
    void showGraph(std::size_t pane);
    void showAllAnew();
    void showHalos();
    Halo wayIn(std::size_t pane) const; // in boxes
    void showState(std::size_t pane);
    void showStatus();
    void walk(int step);
    GraphCanvas* current() const;

    // graphs_view_selection.cpp
    void picked(std::size_t pane, const std::vector<std::int64_t>& boxes);
    // `subject`: as in Selection::of.
    Picked pickedOf(std::size_t pane, const snapshot::NodeSet& ids,
                    snapshot::NodeId subject = snapshot::noNode) const;
    // Those of the pane that stand for what is picked, as far as a canvas shows them.
    snapshot::NodeSet nodesIn(std::size_t pane, const Picked& picked) const;
    void showSelection(const QObject* origin);
    void comeIntoView(std::size_t pane, const Awaited& what);
    void showAwaited(std::size_t pane);

    // block_commands.cpp, graph_reach.cpp
    void connectBlocks(GraphPane* pane);
    void connectReach(GraphPane* pane);
    void redraw(); // other blocks are open
    void trace();
    void showTrace();
    void showAround(int by); // steps more or less around what was selected
    Shared<snapshot::GraphDocument> partOf(std::size_t pane);
    void endReach();

    // graphs_view_states.cpp
    const StateGraph* compared(std::size_t pane) const; // null: it shows a graph of the document
    State stateOf(std::size_t pane) const;
    // Of the fused graph with groups or with regions.
    Shared<snapshot::GraphDocument> graphOf(std::size_t pane) const;
    void nameOf(std::size_t pane);
    void wantStates();
    void beginAnew(); // another model
    void askTarget(std::size_t pane);
    void askModel(std::size_t pane);
    void askApplication(std::size_t pane);
    void offerRegion();
    void offerStates();

    // graphs_view_joint.cpp
    bool showJoint(); // false: they are shown apart
    void jointReady();
    void sayCounterpart(std::size_t pane, snapshot::NodeId node);
    bool walkChanges(int step);
    struct History {
        const snapshot::RewriteDocument* document = nullptr;
        std::int64_t upTo = 0; // applications
    };
    History historyOf(std::size_t pane) const;
    QString whyMissing(const snapshot::NodeRecord& node, std::size_t from, std::size_t in) const;

    void showHeat();

    QSplitter* m_splitter;
    std::vector<ShownPane> m_panes;
    StepPane* m_step;
    QList<int> m_sizesApart; // of the panes while no step is shown
    Heat m_heat = Heat::None;
    Collapse* m_collapse;
    JointPanes* m_joint;
    QAction* m_jointCommand = nullptr;
    QAction* m_regionsCommand = nullptr;
    std::string m_model;                   // that the states belong to
    std::optional<std::size_t> m_pointed;  // pane of the last click
    std::optional<std::size_t> m_atChange; // place that F4 led to
    Picked m_atChangePicked;               // what was picked then
    std::optional<Picked> m_traced;        // lit
    snapshot::NodeSet m_tracedFrom;
    Shared<snapshot::GraphDocument> m_tracedIn[2];
    struct Around {
        Shared<snapshot::GraphDocument> graph;
        const GraphPane* pane;
        snapshot::NodeSet nodes;
        int steps;
    };
    std::optional<Around> m_around; // all that is shown of that graph
};

// Right in the headers of the groups; null: none.
std::map<int, std::string> groupTextsOf(const snapshot::ProfileDocument* times);

} // namespace fw::ui
