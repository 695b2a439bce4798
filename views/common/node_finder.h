// Nodes and groups by what people type (snapshot/node_query.h), in both graphs, and from group to
// group.
//
// Owns what is looked for and what was found, so that the box in which it is typed, the list of
// what was found and the keys that go on to the next one speak of the same.
#pragma once

#include "snapshot/node_search.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"

#include <QObject>

#include <optional>

namespace fw::ui {

struct Hit {
    GraphSide side = GraphSide::Fused;
    snapshot::NodeId node = snapshot::noNode;

    bool operator==(const Hit&) const = default;
};

class NodeFinder : public QObject {
    Q_OBJECT

public:
    // Both live longer.
    NodeFinder(const DocumentParts& document, Selection& selection)
        : m_document(document), m_selection(selection) {}

    // Fused nodes in their order, then the imported nodes that no fused hit stands for. What only a
    // plan knows is looked for in the fused graph alone.
    void look(const QString& query);
    void lookAgain(); // the graphs, the plan or the times are others
    const QString& query() const { return m_query; }
    const std::vector<Hit>& hits() const { return m_hits; }
    const std::optional<Diag>& problem() const { return m_problem; } // why nothing is found
    int at() const { return m_at; }                                  // of the hits; -1: at none
    QString countText() const; // "3 of 62", "62 found", "nothing found"; empty without a query
    std::vector<snapshot::NodeSearch::Completion> completions(const QString& typed,
                                                              qsizetype caret);
    Picked all() const; // what was found

    void go(int hit);
    void step(int by); // to the next one, or the one before
    // A group, a node, or the node that makes a value of this name; false: there is none.
    bool select(const QString& name);
    bool select(const QStringList& names); // together; false: one is unknown
    void walkGroups(int step);

Q_SIGNALS:
    void changed(); // what is looked for, what was found, or at which of it one stands

private:
    struct Searched { // one graph, and what is known of it
        Shared<snapshot::GraphDocument> graph;
        Shared<snapshot::FuseDocument> plan;
        Shared<snapshot::ProfileDocument> profile;
        Shared<snapshot::VerifyDocument> verified;
        std::optional<snapshot::NodeSearch> search;

        void set(const Shared<snapshot::GraphDocument>& newGraph,
                 const Shared<snapshot::FuseDocument>& newPlan,
                 const Shared<snapshot::ProfileDocument>& newProfile,
                 const Shared<snapshot::VerifyDocument>& newVerified);
    };
    void prepare();
    std::vector<Hit> found();

    const DocumentParts& m_document;
    Selection& m_selection;
    Searched m_imported, m_fused;
    QString m_query;
    std::vector<Hit> m_hits;
    std::optional<Diag> m_problem;
    int m_at = -1;
};

} // namespace fw::ui
