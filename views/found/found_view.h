// All that a query finds, by block: the page that the list below the box is the beginning of.
#pragma once

#include "views/common/found_model.h"
#include "views/common/view.h"

class QLabel;
class QTreeView;

namespace fw::ui {

class FoundView : public View {
    Q_OBJECT

public:
    explicit FoundView(NodeFinder& finder, QWidget* parent = nullptr); // lives longer

    void documentChanged(Parts parts) override;
    void frontChanged() override;

    const FoundModel& model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }

private:
    void fill();
    void light();
    void filter(snapshot::KeptFilter::Shows shows);

    NodeFinder& m_finder;
    FoundModel m_model;
    QTreeView* m_tree;
    bool m_filling = false;
    bool m_isOld = true; // the rows, while nobody sees them
};

} // namespace fw::ui
