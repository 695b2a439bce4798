// The filters of the graphs in their order, above them. A click on one takes it out.
#pragma once

#include <QWidget>

#include <vector>

class QToolButton;

namespace fw::ui {

class FlowLayout;

class FilterStrip : public QWidget {
    Q_OBJECT

public:
    explicit FilterStrip(QWidget* parent = nullptr); // not there without filters

    struct Row {
        QString text, tip;
        bool acts = true; // grey: it hides nothing
        bool operator==(const Row&) const = default;
    };
    void setRows(const std::vector<Row>& rows);
    const std::vector<Row>& rows() const { return m_rows; }
    QToolButton* button(std::size_t row) const; // that takes it out
    QToolButton* everything() const { return m_everything; }

Q_SIGNALS:
    void takenOut(std::size_t row);
    void everythingWanted();

private:
    std::vector<Row> m_rows;
    std::vector<QToolButton*> m_buttons;
    FlowLayout* m_flow;
    QToolButton* m_everything;
};

} // namespace fw::ui
