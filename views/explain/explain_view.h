// Why something is fused, or not: a sentence, the gates in the order in which they were asked with
// ✓ or ✖ and their evidence, the decisions about the neighbours, and what would change the answer:
// each counterfactual is a button that makes the change (it can be undone). Of a region its calls,
// each with what it does behind its own computation, what crosses its border, and who else could
// compute it. Everything can be copied as text.
#pragma once

#include "views/common/view.h"

#include <vector>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace fw::ui {

class FlowLayout;

class ExplainView : public View {
    Q_OBJECT

public:
    explicit ExplainView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    void selectionSettled() override;

    QString asText() const;
    QString sentence() const;
    int gateCount() const;
    QPushButton* measureButton() const { return m_measure; }
    const std::vector<QPushButton*>& whatIfButtons() const { return m_whatIfs; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // Whether two nodes are selected that can be kept together, or apart.
    enum class Pair { No, Yes };
    void setContent(const Shared<snapshot::ExplainDocument>& explanation); // may be null
    void setPair(Pair pair);
    void showInside(const QString& why);
    void showRegion(const snapshot::RegionRecord& region);
    void showResult(int number);
    void showFailing();
    void pinSelection(snapshot::PinKind kind);
    // Of the groups that are selected, one or two; stops it while it is at work.
    void measureForms();
    void showForms(const std::vector<int>& groups);
    void tryChange(const QString& change); // "-libs=onednn"
    void fillGates(const snapshot::ExplainDocument& explanation);
    void fillWhatIfs(const snapshot::ExplainDocument& explanation);

    QLabel* m_sentence;
    QTreeWidgetItem* m_failing = nullptr; // the first gate that failed
    QTreeWidget* m_gates;
    QWidget* m_actions;
    FlowLayout* m_whatIfRow;
    std::vector<QPushButton*> m_whatIfs;
    QPushButton* m_together;
    QPushButton* m_apart;
    QPushButton* m_copy;
    QPushButton* m_measure;
    std::vector<int> m_groups; // that are selected, as far as they can be measured
};

} // namespace fw::ui
