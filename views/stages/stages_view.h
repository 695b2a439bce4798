// The text of one stage: loops, LLVM IR, assembly. Lines that belong to the selected nodes are
// tinted; a click on a line tells which nodes it comes from.
#pragma once

#include "snapshot/provenance.h"
#include "snapshot/records.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QPlainTextEdit;

namespace fw::ui {

class StateOverlay;

class StagesView : public QWidget {
    Q_OBJECT

public:
    explicit StagesView(QWidget* parent = nullptr);

    QString stage() const; // "loops", as the worker knows it
    void setStage(const QString& stage);
    void setText(std::shared_ptr<const snapshot::StagesDocument> document, const QString& title);
    void setSelected(const snapshot::NodeSet& nodes); // of stage "fused"
    StateOverlay* overlay() const { return m_overlay; }
    QPlainTextEdit* textEdit() const { return m_text; }
    snapshot::NodeSet nodesOfLine(int line) const; // from 1

Q_SIGNALS:
    void stageChanged(const QString& stage);
    void nodesActivated(const std::vector<std::int64_t>& nodes);

private:
    void tint();

    QComboBox* m_stages;
    QLabel* m_title;
    QPlainTextEdit* m_text;
    StateOverlay* m_overlay;
    std::shared_ptr<const snapshot::StagesDocument> m_document;
    snapshot::NodeSet m_selected;
};

} // namespace fw::ui
