// The text of one stage: loops, LLVM IR, assembly. Lines that belong to the selected nodes are
// tinted; a click on a line tells which nodes it comes from.
#pragma once

#include "views/common/view.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;

namespace fw::ui {

class StagesView : public View {
    Q_OBJECT

public:
    explicit StagesView(QWidget* parent = nullptr);

    QString stage() const; // "loops", as the worker knows it
    void setStage(const QString& stage);
    QPlainTextEdit* textEdit() const { return m_text; }
    snapshot::NodeSet nodesOfLine(int line) const; // from 1

    void pickNodesOf(int line);

    void documentChanged(Parts parts) override;
    void selectionChanged(const QObject* origin) override;
    // Asks for the text, but not while it is hidden.
    void selectionSettled() override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void setText(const Shared<snapshot::StagesDocument>& text);
    void showTitle();
    void tint();

    QComboBox* m_stages;
    QLabel* m_title;
    QPlainTextEdit* m_text;
    Shared<snapshot::StagesDocument> m_shown;
};

} // namespace fw::ui
