// The middle of the window: panes with states of the model, at first the imported graph and beside
// it the fused one, or the application of a rule while rewriting is stepped through.
//
// Owns the panes and, each with its own state, what acts on them: the row they stand in, what is
// lit or alone, the pictures, what is picked, the walk over changes, the colours by time. Of its
// own it has the commands and which state a pane shows.
#pragma once

#include "views/graph/graph_panes.h"
#include "views/graph/pane_changes.h"
#include "views/graph/pane_filters.h"
#include "views/graph/pane_heat.h"
#include "views/graph/pane_pictures.h"
#include "views/graph/pane_reach.h"
#include "views/graph/pane_row.h"
#include "views/graph/pane_selection.h"

#include <QPointer>

namespace fw::ui {

class FilterStrip;

class GraphsView : public View {
    Q_OBJECT

public:
    explicit GraphsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    void selectionSettled() override;
    void placeChanged() override { showHalos(m_panes); }
    void stepChanged() override;
    void litChanged() override;
    void filtersChanged() override;
    void revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) override;
    void keep(snapshot::KeptView& kept) const override;
    void showKept(const snapshot::KeptView& kept) override;
    QString switched() const override; // what boxes and edges say
    void switchTo(const QString& facts) override;
    void layOut() override { m_row->layOut(); }
    std::vector<QWidget*> stops() override;
    bool settled() const override;
    bool serve(Request request) override;

    // The first one that shows the graph, or did at first.
    GraphPane* pane(GraphSide side) const;
    GraphPane* pane(std::size_t at) const { return m_panes.pane(at); } // from left to right
    std::size_t paneCount() const { return m_panes.size(); }
    const GraphState& state(std::size_t pane) const { return m_panes[pane].state; }
    // Of a state that is compared a layout for all panes is made, unless that was switched off.
    void setState(std::size_t pane, const GraphState& state);
    void addPane(); // shows what the last one shows
    void removePane();
    // What the pane can show, for people to choose from.
    std::vector<Choice> choicesFor(std::size_t pane);
    StepPane* stepPane() const { return m_row->stepPane(); }
    GraphSide side() const;            // that the keys go to
    void setHeat(std::string_view by); // the key of a number of groups, or what pane_heat.h names
    // In place of groups what each library, and code of ours, gets in a row.
    void setRegionsShown(bool shown);
    // Both graphs in one layout, with marks for what rewriting erased, created and changed.
    void setJoint(bool joint);
    const JointPanes* joint() const { return &m_panes.joint(); }
    Collapse* collapse() const { return &m_panes.collapse(); }
    const FilterStrip* filterStrip() const { return m_strip; }

private:
    using Stage = GraphState::Stage;

    void makePane(const GraphState& state);
    void connectPane(GraphPane* pane);
    void connectKeys(GraphPane* pane);
    void showInside(const GraphPane* pane, std::int64_t box, QPointF at);
    void addCommands();
    void addZoomCommands();
    void addPaneCommands();
    void addBlockCommands();
    void addReachCommands();
    void addFactCommands();
    void setFacts(const picture::BoxFacts& facts);
    void addHeatCommands();
    void addWalkCommands();
    GraphCanvas* current() const;
    void nameOf(std::size_t pane);
    void showJointOfAll();
    void wantStates();
    void beginAnew(); // another model
    void addFilterCommands();
    void filter(GraphCanvas::Filtering what);
    void offerFilters(); // to take one out
    void showFilters();
    void leaveReach();
    void offerRegion();
    void tellPart(); // of the joint layout
    void showStatus();

    FilterStrip* m_strip;
    PaneRow* m_row;
    GraphPanes m_panes;
    PaneReach m_reach{m_panes};
    PaneFilters m_filters{m_panes};
    PanePictures m_pictures{m_panes, m_filters};
    PaneSelection m_picked{m_panes};
    PaneChanges m_changes{m_panes, m_picked};
    PaneHeat m_heat{m_panes};
    QPointer<GraphCanvas> m_zoomed; // by people, last
    QAction* m_jointCommand = nullptr;
    QAction* m_regionsCommand = nullptr;
    struct FactCommand {
        QAction* action;
        QString word; // by which it is remembered
        bool picture::BoxFacts::*member;
    };
    std::vector<FactCommand> m_factCommands;
    std::map<std::string_view, QAction*> m_heatCommands; // by what they colour; "any": what else
    std::string m_model;                                 // that the states belong to
    bool m_isShowingKept = false;
};

} // namespace fw::ui
