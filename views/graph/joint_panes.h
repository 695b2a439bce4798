// Two panes with two states of one model in one layout: what lives on has one place in both, what
// only one of them has leaves its place free in the other, and both show the same part.
#pragma once

#include "picture/graph_diagram.h"
#include "snapshot/joint.h"
#include "views/common/document_parts.h"
#include "views/graph/graph_pane.h"

#include <optional>

namespace fw::ui {

class Collapse;

class JointPanes : public QObject {
    Q_OBJECT

public:
    // Both live longer.
    JointPanes(GraphPane* left, GraphPane* right, QObject* parent = nullptr);

    using Graph = Shared<snapshot::GraphDocument>;
    void show(const Graph& left, const Graph& right, const picture::DiagramOptions& options,
              Collapse& collapse);
    void clear(); // the panes show what they are given apart; marks go with the next picture
    bool shown() const { return m_joint != nullptr; }
    const snapshot::JointGraph* graph() const { return m_joint.get(); } // null: not shown

    // Of a node of a state; null: it is not shown, or has no such node.
    const snapshot::JointNode* find(picture::JointSide side, snapshot::NodeId node) const;
    // What was changed, erased or created, as it lies in the picture, from the top.
    std::vector<const snapshot::JointNode*> changes() const;
    std::vector<Halo> marks(picture::JointSide side) const;

    static constexpr std::size_t mostNodes = 30000; // of both graphs, that are laid out at once

private:
    GraphPane* pane(picture::JointSide side) const {
        return side == picture::JointSide::Left ? m_left : m_right;
    }
    void hideAbsent(picture::JointSide side);
    void follow(picture::JointSide side); // the other one does

    GraphPane* m_left;
    GraphPane* m_right;
    std::shared_ptr<const snapshot::JointGraph> m_joint;
    const Collapse* m_collapse = nullptr; // of what is shown
    bool m_following = false;
};

} // namespace fw::ui
