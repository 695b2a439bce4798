// Why something is fused, or not, and implemented so: a sentence, the gates in the order in which
// they were asked with ✓ or ✖ and their evidence, then the implementation of the group with its
// candidates and its schedule. Everything can be copied as text.
#pragma once

#include "snapshot/records.h"

#include <QWidget>

#include <memory>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace fw::ui {

class StateOverlay;

class ExplainView : public QWidget {
    Q_OBJECT

public:
    explicit ExplainView(QWidget* parent = nullptr);

    // Any of them may be null.
    void setContent(std::shared_ptr<const snapshot::ExplainDocument> explanation,
                    const snapshot::GroupRecord* group);
    StateOverlay* overlay() const { return m_overlay; }
    QString asText() const;
    int gateCount() const;

private:
    void fillGates(const snapshot::ExplainDocument& explanation);
    void fillCandidates(const snapshot::GroupRecord& group);

    QLabel* m_sentence;
    QTreeWidget* m_gates;
    QLabel* m_groupTitle;
    QTreeWidget* m_candidates;
    QPlainTextEdit* m_schedule;
    QPushButton* m_copy;
    StateOverlay* m_overlay;
};

} // namespace fw::ui
