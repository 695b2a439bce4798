// Which blocks of the graphs are open, and which box stands for a node while it is not to be
// seen itself.
//
// One value (snapshot::BlockView) holds for all panes: blocks are named by their paths, so what is
// opened in one graph opens in the others. A model with few operators is shown whole at first, a
// larger one from its top level.
#pragma once

#include "picture/graph_diagram.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"
#include "views/graph/graph_pane.h"

#include <map>

namespace fw::ui {

class Collapse : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    void add(GraphPane* pane); // until it is deleted

    static constexpr std::size_t mostOpen = 400;   // boxes of a graph that is shown whole at first
    static constexpr std::size_t mostShown = 5000; // boxes of a graph that are shown at once

    // What is open in a model that was not shown before; otherwise it stays as it is.
    void begin(const std::string& model, const snapshot::GraphDocument& graph);
    void restore(snapshot::BlockView view); // of the model that comes next, as it was saved
    const snapshot::BlockView& view() const { return m_view; }
    void setView(snapshot::BlockView view);

    using Graph = Shared<snapshot::GraphDocument>;
    // `marks`: of nodes that are hidden (snapshot/hidden.h), what stands for them.
    using Marks = std::unordered_map<snapshot::NodeId, snapshot::NodeId>;
    void show(GraphPane* pane, const Graph& graph, const picture::DiagramOptions& options,
              const snapshot::BlockView& view, const Marks& marks = {});
    // The pane is given its picture by others; `nodes` is, by place in the graph that the blocks
    // are of, the node that stands there in this one, `containers` the same of its groups.
    void showOthers(GraphPane* pane, std::shared_ptr<const snapshot::Hierarchy> blocks,
                    std::vector<snapshot::NodeId> nodes, std::vector<std::int64_t> containers);

    // --- of the picture that is there
    const snapshot::Hierarchy* blocks(const GraphPane* pane) const {
        return shown(pane).blocks.get();
    }
    std::int64_t boxOf(const GraphPane* pane, snapshot::NodeId node) const;
    // Of a place in the graph that the blocks are of; noNode: nothing of this one stands there.
    std::int64_t boxAt(const GraphPane* pane, std::uint32_t place) const;
    Ids boxesOf(const GraphPane* pane, const snapshot::NodeSet& nodes) const; // each once
    snapshot::NodeSet nodesOf(const GraphPane* pane, const Ids& boxes) const;
    bool isHidden(const GraphPane* pane, snapshot::NodeId node) const {
        return boxOf(pane, node) != node;
    }
    // The node, or the mark that stands for it while it is hidden.
    snapshot::NodeId seenAs(const GraphPane* pane, snapshot::NodeId node) const;
    // Values of nodes as those of the boxes that stand for them.
    enum class Together : std::uint8_t { Sum, Most };
    std::map<std::int64_t, double> onBoxes(const GraphPane* pane,
                                           const std::map<std::int64_t, double>& values,
                                           Together together) const;
    // What is framed in closed blocks is one frame with a count around each of them.
    std::vector<Halo> onBoxes(const GraphPane* pane, std::vector<Halo> halos) const;
    bool isMissing(const GraphPane* pane, snapshot::NodeId node) const; // in the picture's graph
    // The block of a box or of a container; null: it is none.
    const snapshot::Block* blockAt(const GraphPane* pane, std::int64_t id) const;

    // --- what people do; the picture follows
    void toggle(const GraphPane* pane, std::int64_t id,
                QPointF at); // what is there stays at this place
    // The graphs inside a node; false: there are none to be opened.
    bool toggleBodies(const GraphPane* pane, snapshot::NodeId node, QPointF at);
    void openAll(const GraphPane* pane, std::int64_t id, QPointF at); // with all that lies in it
    void closeAround(const GraphPane* pane, const Ids& boxes);        // the innermost open block
    using NodesOf = std::map<const GraphPane*, snapshot::NodeSet>;
    // Opens what hides them, and closes what was opened so for others and is not needed any more.
    void reveal(const NodesOf& nodes);
    void reveal(const GraphPane* pane, snapshot::NodeId node) { reveal(NodesOf{{pane, {node}}}); }
    // People work on these: what was opened to reveal something stays open around them.
    void keepOpen(const GraphPane* pane, const snapshot::NodeSet& nodes);
    // Layouts end, and what was open before them is.
    void stop();
    void closeEverything();
    void openEverything(); // once more: without frames around what is no group
    // The same place in the next copy of the stack that it lies in; noNode: it lies in none.
    snapshot::NodeId inNextCopy(const GraphPane* pane, snapshot::NodeId node, int step) const;

Q_SIGNALS:
    void changed();                   // the view: the pictures are to be made anew
    void settled();                   // a picture is there, and boxes are others
    void limited(const QString& why); // more was to be opened than can be shown

private:
    struct PaneBlocks {
        std::shared_ptr<const snapshot::Hierarchy> blocks;
        std::vector<snapshot::NodeId> nodes; // by place; noNode: not in this graph
        std::unordered_map<snapshot::NodeId, std::uint32_t> places;
        std::vector<std::int64_t> containers; // by group of the blocks; empty: the same
        std::vector<std::uint32_t> closed;    // per block, the closed one around it
        Marks marks;
    };
    struct Coming; // made with the picture

    const PaneBlocks& shown(const GraphPane* pane) const;
    std::uint32_t blockOf(const GraphPane* pane, snapshot::NodeId node) const;
    void arrived(const GraphPane* pane);
    bool isClosed(const GraphPane* pane, snapshot::NodeId node,
                  const snapshot::BlockView& view) const;
    void hold(const GraphPane* pane, const snapshot::Block& block, std::optional<QPointF> at);
    void openWithin(snapshot::BlockView view, const std::string& path);
    bool fits(const snapshot::BlockView& view) const;
    snapshot::BlockView withBodies(snapshot::BlockView view) const;

    std::vector<GraphPane*> m_panes;
    std::map<const GraphPane*, PaneBlocks> m_shown;
    std::map<const GraphPane*, std::shared_ptr<Coming>> m_coming;
    snapshot::BlockView m_view;
    snapshot::BlockView m_drawn;       // that all pictures showed last
    std::set<std::string> m_revealing; // paths of what is open to reveal something only
    std::string m_model;
    std::optional<snapshot::BlockView> m_saved; // of the next model
};

} // namespace fw::ui
