// The declaration at the caret as a graph beside its text: what a rule leaves, erases and creates
// in their colours. It follows the caret, and a click on a box leads to its place in the text. The
// clauses of the box at the caret stand below, in fields that change them.
#pragma once

#include "app/window/document.h"
#include "views/common/view.h"

#include <QTimer>

namespace fw::ui {

class ClauseFields;
class GraphPane;

class PatternView : public View {
    Q_OBJECT

public:
    explicit PatternView(Document& document, QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void placeChanged() override;
    void frontChanged() override;
    std::vector<QWidget*> stops() override;
    bool settled() const override;

    GraphPane* pane() const { return m_pane; }
    ClauseFields* clauses() const { return m_clauses; }
    const Shared<snapshot::DrawingDocument>& drawing() const { return m_drawing; } // may be null

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void ask();
    void show(const Shared<snapshot::DrawingDocument>& drawing);
    void showHalos();
    void goTo(std::int64_t box); // where it is written

    Document& m_document;
    GraphPane* m_pane;
    ClauseFields* m_clauses;
    QTimer m_pause;
    Shared<snapshot::DrawingDocument> m_drawing;
    std::uint64_t m_asked = 0;
    bool m_waits = false;
    std::int64_t m_current = -1; // the box at the caret; -1: none
};

} // namespace fw::ui
