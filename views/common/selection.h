// What people look at: one object that all views read and set.
//
// Nodes are picked in both graphs at once: an id of one is translated into ids of the other through
// the origins that the engine recorded, many to many. What was picked before is kept, and a new
// plan translates it. Whoever sets something is told as the origin, so that it does not answer
// itself.
#pragma once

#include "snapshot/kept_view.h"
#include "snapshot/provenance.h"
#include "views/common/halo.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace fw::ui {

enum class GraphSide : std::uint8_t { Imported, Fused };

// Nodes of both stages.
struct Picked {
    snapshot::NodeSet imported;
    snapshot::NodeSet fused;
    int group = -1;  // if a whole group is meant
    int region = -1; // if a whole region of Part::Regions is
    // If a reorder of the plan is (snapshot/reorders.h): which; the nodes are those of its group.
    snapshot::NodeId reorder = snapshot::noNode;
    int result = -1; // if an output of the model is: which; the nodes are those that make it
    // Of several the one that views of one node speak of: that was picked last, or the first.
    // noNode: none.
    snapshot::NodeId importedSubject = snapshot::noNode;
    snapshot::NodeId fusedSubject = snapshot::noNode;

    bool empty() const { return imported.empty() && fused.empty(); }
    bool operator==(const Picked&) const = default;
};

// An output of a node.
struct PickedValue {
    std::string stage;
    snapshot::NodeId node = snapshot::noNode;
    int output = 0;

    bool operator==(const PickedValue&) const = default;
};

// Where the caret stands in a book, and what the declaration there finds.
struct PickedPlace {
    QString book; // path, or name of a shipped book; empty: none
    int line = 0, column = 0;
    QString rule;   // the declaration; empty: none that finds anything
    int match = -1; // of its matches, the current one
    GraphSide side = GraphSide::Imported;
    std::vector<Halo> frames; // in that graph

    bool operator==(const PickedPlace&) const = default;
};

// What is seen of an application of a rule: what it found, what it takes out and puts in, what
// stands there behind it.
enum class StepPhase : std::uint8_t { Match, Change, Result };

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // --- nodes and groups
    const Picked& picked() const { return m_picked; }
    int group() const; // that was picked, or of the subject; -1: none
    // Of the graph that was pointed at: an operator that stands for several counts once.
    std::size_t count() const;
    // ", 1 of 5 selected", behind the one that a view speaks of; empty: there are no others.
    QString ofSeveral() const;
    // The graph in which the nodes were pointed at, if they were.
    std::optional<GraphSide> side() const { return m_side; }

    // `subject`: one of them; noNode: the first.
    Picked ofImported(snapshot::NodeSet ids, snapshot::NodeId subject = snapshot::noNode) const;
    Picked ofFused(snapshot::NodeSet ids, // all members of a group are the group
                   snapshot::NodeId subject = snapshot::noNode) const;
    Picked ofGroup(int group) const;
    Picked of(GraphSide side, snapshot::NodeSet ids,
              snapshot::NodeId subject = snapshot::noNode) const {
        return side == GraphSide::Imported ? ofImported(std::move(ids), subject)
                                           : ofFused(std::move(ids), subject);
    }
    void pick(const Picked& picked, const QObject* origin = nullptr,
              std::optional<GraphSide> pointedAt = {});

    const snapshot::Provenance& provenance() const { return m_provenance; }
    // Of a new plan: ids of the fused graph are new, and a group's number means another one.
    void follow(snapshot::Provenance provenance);
    void reset(); // another model

    bool canGo(int step) const;
    void go(int step); // through what was picked before

    // --- a value
    const std::optional<PickedValue>& value() const { return m_value; }
    void pickValue(std::optional<PickedValue> value) { m_value = std::move(value); }

    // --- a place in a book
    const PickedPlace& place() const { return m_place; }
    void pickPlace(PickedPlace place);

    // --- an application of a rule, that of Part::Step; none: rewriting is not looked at
    const std::optional<StepPhase>& step() const { return m_step; }
    void pickStep(std::optional<StepPhase> step);

    // --- nodes that are lit while the rest of the graphs is dimmed; none: nothing is. Ends with
    // the graphs that they are of.
    const std::optional<Picked>& lit() const { return m_lit; }
    void setLit(std::optional<Picked> lit);

    // --- what of the graphs is shown; none: everything
    const std::vector<snapshot::KeptFilter>& filters() const { return m_filters; }
    void setFilters(std::vector<snapshot::KeptFilter> filters);
    // Hides these, or all others, from now on; the same once more changes nothing.
    void addFilter(snapshot::KeptFilter filter);

    enum class Reveal : std::uint8_t { IntoView, InTheMiddle };
    void reveal(GraphSide side, snapshot::NodeId node, Reveal how = Reveal::IntoView) {
        Q_EMIT revealed(side, node, how);
    }

Q_SIGNALS:
    void changed(const QObject* origin); // the nodes
    void pointed(fw::ui::GraphSide side, qint64 node);
    void placeChanged();
    void stepChanged();
    void litChanged();
    void filtersChanged();
    void revealed(fw::ui::GraphSide side, qint64 node, fw::ui::Selection::Reveal how);

private:
    void set(Picked picked, const QObject* origin, std::optional<GraphSide> pointedAt);

    static constexpr std::size_t historyLimit = 200;

    Picked m_picked;
    std::optional<GraphSide> m_side;
    snapshot::Provenance m_provenance;
    std::vector<Picked> m_history;
    std::size_t m_historyAt = 0;
    std::optional<PickedValue> m_value;
    PickedPlace m_place;
    std::optional<StepPhase> m_step;
    std::optional<Picked> m_lit;
    std::vector<snapshot::KeptFilter> m_filters;
};

} // namespace fw::ui
