// Panes with states of a model, or of several, in one layout: what lives on has one place in all of
// them, what a state has not leaves its place free there, and all show the same part.
//
// The joint graph is made in the background. Of more than mostNodes nodes the part around what is
// picked, or where nothing is the beginning, is laid out.
#pragma once

#include "picture/joint_diagram.h"
#include "snapshot/joint.h"
#include "views/common/document_parts.h"
#include "views/graph/graph_pane.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace fw::ui {

class Collapse;

class JointPanes : public QObject {
    Q_OBJECT

public:
    explicit JointPanes(Collapse* collapse, QObject* parent = nullptr); // lives longer

    struct Pane {
        GraphPane* pane = nullptr; // lives longer
        Shared<snapshot::GraphDocument> graph;
        std::map<int, std::string> groupTexts = {};

        bool operator==(const Pane&) const = default;
    };
    // From left to right. `picked`: nodes by pane, around which a part is laid out.
    using PickedIds = std::vector<std::set<snapshot::NodeId>>;
    void show(std::vector<Pane> panes, const PickedIds& picked);
    void redraw();                                                     // other blocks are open
    void setFacts(const picture::BoxFacts& facts) { m_facts = facts; } // for the next picture
    void clear(); // the panes show what they are given apart; marks go with the next picture
    bool shown() const { return m_joint != nullptr; }
    bool busy() const { return m_busy > 0; }
    // What is laid out; null: not shown.
    const snapshot::JointGraph* graph() const { return m_joint ? &m_joint->shown() : nullptr; }
    // Of how many nodes the states have together, if a part of them is laid out; 0: all are.
    std::size_t isPartOf() const;

    // Which state of graph() a pane shows; none: it is not among them.
    std::optional<std::size_t> stateOf(const GraphPane* pane) const;
    const GraphPane* paneOf(std::size_t state) const { return m_panes[state].pane; }
    // Places are those of the whole. Of a node of a state; none: the state has no such node, or is
    // not shown.
    std::optional<std::size_t> placeOf(const GraphPane* pane, snapshot::NodeId node) const;
    // The node of the pane's graph at the place; noNode: it has it not.
    snapshot::NodeId nodeAt(const GraphPane* pane, std::size_t place) const;
    const snapshot::JointNode& node(std::size_t place) const {
        return m_joint->whole->graph.nodes[place];
    }
    // Places of what was changed, erased or created: as it lies in the picture, from the top, or
    // where a part is laid out in the order of the graph.
    std::vector<std::size_t> changes() const;
    std::vector<Halo> marks(const GraphPane* pane) const;
    // Another part is laid out where none of the places lies in it.
    void reach(const std::vector<std::size_t>& places);

    static constexpr std::size_t mostNodes = 30000; // of all graphs, that are laid out at once
    static constexpr std::size_t mostOfPart = 600;  // operators

Q_SIGNALS:
    void ready(); // graph() is another one
    void busyChanged();

private:
    struct Whole {
        snapshot::JointGraph graph;
        std::vector<std::unordered_map<snapshot::NodeId, std::size_t>> placeOf; // by state
    };
    struct Joint {
        std::shared_ptr<const Whole> whole;
        snapshot::JointGraph part;       // where the whole is too large
        std::vector<std::size_t> places; // of the part's nodes in the whole; empty: it is shown
        std::shared_ptr<const snapshot::Hierarchy> blocks; // of what is shown

        const snapshot::JointGraph& shown() const { return places.empty() ? whole->graph : part; }
    };
    void adopt(std::shared_ptr<const Joint> joint);
    void listen(GraphPane* pane);
    std::size_t indexOf(const GraphPane* pane) const; // behind the last: it is none of them
    void hideAbsent(std::size_t state);
    void follow(std::size_t state); // the others do
    static std::shared_ptr<Joint> make(const std::vector<Pane>& panes, const PickedIds& picked);
    static void layOutPart(Joint& joint, const std::vector<std::size_t>& seeds);

    Collapse* m_collapse;
    picture::BoxFacts m_facts;
    std::vector<Pane> m_panes;
    std::set<GraphPane*> m_heard;
    std::shared_ptr<const Joint> m_joint;
    std::uint64_t m_generation = 0;
    bool m_making = false; // the joint graph of m_panes
    int m_busy = 0;
    bool m_following = false;
};

} // namespace fw::ui
