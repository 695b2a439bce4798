// Which blocks of the two graphs are open, and which box stands for a node while it is not to be
// seen itself.
//
// One value (snapshot::BlockView) holds for both panes: blocks are named by their paths, so what is
// opened in one graph opens in the other. A model with few operators is shown whole at first, a
// larger one from its top level.
#pragma once

#include "picture/graph_diagram.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"
#include "views/graph/graph_pane.h"

#include <array>

namespace fw::ui {

class Collapse : public QObject {
    Q_OBJECT

public:
    // The panes live longer.
    Collapse(GraphPane* imported, GraphPane* fused, QObject* parent = nullptr);

    static constexpr std::size_t mostOpen = 400; // boxes of a graph that is shown whole at first

    // What is open in a model that was not shown before; otherwise it stays as it is.
    void begin(const std::string& model, const snapshot::GraphDocument& graph);
    const snapshot::BlockView& view() const { return m_view; }
    void setView(snapshot::BlockView view);

    using Graph = Shared<snapshot::GraphDocument>;
    void show(GraphSide side, const Graph& graph, const picture::DiagramOptions& options,
              const snapshot::BlockView& view);
    // The pane is given its picture by others; `nodes` is, by place in the graph that the blocks
    // are of, the node that stands there in this one.
    void showOthers(GraphSide side, std::shared_ptr<const snapshot::Hierarchy> blocks,
                    std::vector<snapshot::NodeId> nodes);

    // --- of the picture that is there
    const snapshot::Hierarchy* blocks(GraphSide side) const { return shown(side).blocks.get(); }
    std::int64_t boxOf(GraphSide side, snapshot::NodeId node) const;
    Ids boxesOf(GraphSide side, const snapshot::NodeSet& nodes) const; // each once
    snapshot::NodeSet nodesOf(GraphSide side, const Ids& boxes) const;
    bool isHidden(GraphSide side, snapshot::NodeId node) const { return boxOf(side, node) != node; }
    // Values of nodes as those of the boxes that stand for them.
    enum class Together : std::uint8_t { Sum, Most };
    std::map<std::int64_t, double>
    onBoxes(GraphSide side, const std::map<std::int64_t, double>& values, Together together) const;
    // What is framed in closed blocks is one frame with a count around each of them.
    std::vector<Halo> onBoxes(GraphSide side, std::vector<Halo> halos) const;
    bool isMissing(GraphSide side, snapshot::NodeId node) const; // in the picture's graph
    // The block of a box or of a container; null: it is none.
    const snapshot::Block* blockAt(GraphSide side, std::int64_t id) const;

    // --- what people do; the picture follows
    void toggle(GraphSide side, std::int64_t id, QPointF at);  // what is there stays at this place
    void openAll(GraphSide side, std::int64_t id, QPointF at); // with all that lies in it
    void closeAround(GraphSide side, const Ids& boxes);        // the innermost open block
    // Opens what hides them, and closes what was opened so for others and is not needed any more.
    void reveal(const Picked& nodes);
    void reveal(GraphSide side, snapshot::NodeId node) {
        reveal(side == GraphSide::Imported ? Picked{{node}, {}} : Picked{{}, {node}});
    }
    void closeEverything();
    void openEverything(); // once more: without frames around what is no group
    // The same place in the next copy of the stack that it lies in; noNode: it lies in none.
    snapshot::NodeId inNextCopy(GraphSide side, snapshot::NodeId node, int step) const;

Q_SIGNALS:
    void changed(); // the view: the pictures are to be made anew
    void settled(); // a picture is there, and boxes are others

private:
    struct Shown {
        std::shared_ptr<const snapshot::Hierarchy> blocks;
        std::vector<snapshot::NodeId> nodes; // by place; noNode: not in this graph
        std::unordered_map<snapshot::NodeId, std::uint32_t> places;
        std::vector<std::uint32_t> closed; // per block, the closed one around it
    };
    struct Coming; // made with the picture

    const Shown& shown(GraphSide side) const { return m_shown[std::size_t(side)]; }
    GraphPane* pane(GraphSide side) const { return m_panes[std::size_t(side)]; }
    std::uint32_t blockOf(GraphSide side, snapshot::NodeId node) const;
    void arrived(GraphSide side);
    bool isClosed(GraphSide side, snapshot::NodeId node, const snapshot::BlockView& view) const;
    void hold(GraphSide side, const snapshot::Block& block, std::optional<QPointF> at);

    std::array<GraphPane*, 2> m_panes;
    std::array<Shown, 2> m_shown;
    std::array<std::shared_ptr<Coming>, 2> m_coming;
    snapshot::BlockView m_view;
    std::set<std::string> m_revealing; // paths of what is open to reveal something only
    std::string m_model;
};

} // namespace fw::ui
