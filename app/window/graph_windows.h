// Small graphs in windows of their own: those inside a node, and counterexamples.
//
// A window is a child of the main window while it is open, and closes when another model is opened.
#pragma once

#include "app/window/document.h"

#include <QPointer>

namespace fw::ui {

class BodyWindow;
class CounterexampleWindow;

class GraphWindows {
public:
    // Both live longer.
    GraphWindows(QWidget* parent, Document& document) : m_parent(parent), m_document(document) {}

    void openBodies(snapshot::NodeId imported); // nothing if the node has none
    void openCounterexample(const QString& book, const snapshot::CheckItem& rule);
    BodyWindow* bodies() const;                   // null: not open
    CounterexampleWindow* counterexample() const; // likewise

private:
    void show(QWidget* window);

    QWidget* m_parent;
    Document& m_document;
    QPointer<QWidget> m_bodies, m_counterexample;
};

} // namespace fw::ui
