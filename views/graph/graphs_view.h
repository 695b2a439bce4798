// The middle of the window: the imported and the fused graph side by side.
#pragma once

#include "views/common/view.h"
#include "views/graph/graph_pane.h"

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
    void revealed(GraphSide side, snapshot::NodeId node, Selection::Reveal how) override;
    std::vector<QWidget*> stops() override;
    bool settled() const override { return !m_imported->busy() && !m_fused->busy(); }

    GraphPane* pane(GraphSide side) const {
        return side == GraphSide::Imported ? m_imported : m_fused;
    }
    GraphSide side() const; // that the keys go to
    void setHeat(Heat heat);
    // In place of groups what each library, and code of ours, gets in a row.
    void setRegionsShown(bool shown);

private:
    void connectPane(GraphSide side);
    void addCommands();
    void showGraph(GraphSide side);
    void showState(GraphSide side);
    void showHeat();
    void showStatus();
    void walk(int step);
    // On the right: the fused graph, with groups or with regions.
    const Shared<snapshot::GraphDocument>& graphOf(GraphSide side) const;
    GraphCanvas* current() const { return pane(side())->canvas(); }

    GraphPane* m_imported;
    GraphPane* m_fused;
    Heat m_heat = Heat::None;
    bool m_regions = false;
    // What the pictures were made of; of the fused one also the profile.
    Shared<snapshot::GraphDocument> m_drawn[2];
    Shared<snapshot::ProfileDocument> m_drawnTimes;
};

} // namespace fw::ui
