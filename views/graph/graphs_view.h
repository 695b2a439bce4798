// The middle of the window: the imported graph, and beside it the fused one, or the application of
// a rule while rewriting is stepped through.
#pragma once

#include "views/common/view.h"
#include "views/graph/collapse.h"
#include "views/graph/graph_pane.h"
#include "views/graph/joint_panes.h"
#include "views/graph/step_pane.h"

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
    std::vector<QWidget*> stops() override;
    bool settled() const override {
        return !m_imported->busy() && !m_fused->busy() && !m_step->busy();
    }

    GraphPane* pane(GraphSide side) const {
        return side == GraphSide::Imported ? m_imported : m_fused;
    }
    StepPane* stepPane() const { return m_step; } // in place of the fused graph, or hidden
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
    void connectPane(GraphSide side);
    void addCommands();
    void addBlockCommands();
    void connectBlocks(GraphSide side);
    void addReachCommands();
    void trace();
    void showTrace();
    void showAround(int by); // steps more or less around what was selected
    Shared<snapshot::GraphDocument> partOf(GraphSide side);
    void endReach();
    void showSelection(const QObject* origin);
    struct Awaited {
        snapshot::NodeId node;
        Selection::Reveal how;
        bool opens; // what hides it
    };
    void comeIntoView(GraphSide side, const Awaited& what);
    void showAwaited(GraphSide side);
    void redraw(); // what is there already
    void showGraph(GraphSide side);
    bool showJoint(const picture::DiagramOptions& options); // false: they are shown apart
    void showHalos();
    void sayCounterpart();
    bool walkChanges(int step);
    void showState(GraphSide side);
    void showHeat();
    void showStatus();
    void walk(int step);
    // On the right: the fused graph, with groups or with regions.
    const Shared<snapshot::GraphDocument>& graphOf(GraphSide side) const;
    GraphCanvas* current() const;

    GraphPane* m_imported;
    GraphPane* m_fused;
    StepPane* m_step;
    Heat m_heat = Heat::None;
    bool m_regions = false;
    JointPanes* m_joint;
    Collapse* m_collapse;
    std::optional<Picked> m_traced; // lit
    snapshot::NodeSet m_tracedFrom;
    Shared<snapshot::GraphDocument> m_tracedIn[2];
    struct Around {
        Shared<snapshot::GraphDocument> graph;
        GraphSide side;
        snapshot::NodeSet nodes;
        int steps;
    };
    std::optional<Around> m_around;      // all that is shown of that graph
    std::optional<Awaited> m_awaited[2]; // comes into view with the next picture
    QAction* m_jointCommand = nullptr;
    // What the pictures were made of; of the fused one also the profile.
    Shared<snapshot::GraphDocument> m_drawn[2];
    Shared<snapshot::ProfileDocument> m_drawnTimes;
};

} // namespace fw::ui
