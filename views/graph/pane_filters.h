// What the filters of the selection leave of the graphs of the panes, and what people do to them.
#pragma once

#include "snapshot/hidden.h"
#include "snapshot/kept_view.h"
#include "views/graph/graph_panes.h"

namespace fw::ui {

class PaneFilters {
public:
    explicit PaneFilters(GraphPanes& panes) : m_panes(panes) {} // lives longer

    // --- of what is selected
    void hide() { add(snapshot::KeptFilter::Shows::Others); }
    void showOnly() { add(snapshot::KeptFilter::Shows::These); }
    void around(int by); // steps more, or less, around what was selected

    void takeOut(std::size_t filter);
    void takeOutAll() { m_panes.selection().setFilters({}); }
    bool takeOutAround(); // if the last one is one; false: it is none
    void takeOutWhatHides(std::size_t pane, std::int64_t mark); // the last one that does

    // Null: all of it is shown. The same as before if nothing changed.
    std::shared_ptr<const snapshot::Shown> of(std::size_t pane);
    bool hides(std::size_t pane, snapshot::NodeId node);
    struct Told {
        QString text;
        QString problem; // why it hides nothing; empty: it acts, or there is nothing to act on
    };
    std::vector<Told> told(); // in the order of the filters

private:
    struct Known { // what an answer was made of, and it
        Shared<snapshot::GraphDocument> graph;
        std::vector<snapshot::KeptFilter> filters;
        Shared<snapshot::FuseDocument> plan = {};
        Shared<snapshot::ProfileDocument> times = {};
        Shared<snapshot::VerifyDocument> verified = {};
        std::vector<snapshot::NodeSet> hidden = {}; // by filter
        std::vector<QString> problems = {};
        std::shared_ptr<const snapshot::Shown> shown = {};

        bool isOf(const Known& other) const;
    };
    void add(snapshot::KeptFilter::Shows shows);
    const Known& know(std::size_t pane);
    Result<snapshot::NodeSet> these(std::size_t pane, const Known& known,
                                    const snapshot::KeptFilter& filter) const;

    GraphPanes& m_panes;
    std::map<const GraphPane*, Known> m_known;
};

} // namespace fw::ui
