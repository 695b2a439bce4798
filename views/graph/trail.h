// Where in the graph one is: the model, then the graphs inside nodes around what is selected, each
// a click away.
#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

class QToolButton;

namespace fw::ui {

class GraphPanes;

class Trail : public QWidget {
    Q_OBJECT

public:
    explicit Trail(QWidget* parent = nullptr);

    struct Step {
        QString text;
        std::int64_t container = -1; // in the picture; -1: all of it
        bool operator==(const Step&) const = default;
    };
    void setSteps(std::vector<Step> steps); // of several; none: it is not there
    QString text() const;                   // "model › Loop_3 body"

protected:
    void resizeEvent(QResizeEvent* event) override;

Q_SIGNALS:
    void followed(qint64 container);

private:
    void fit(); // as much of each text as there is room for

    std::vector<Step> m_steps;
    std::vector<QToolButton*> m_buttons; // with all of their text as their names
};

// In all panes whose graphs have graphs inside.
void showTrails(const GraphPanes& panes);

} // namespace fw::ui
