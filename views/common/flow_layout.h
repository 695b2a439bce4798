// Rows of widgets that wrap: a pane stays as narrow as its widest button, however many there are.
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace fw::ui {

class FlowLayout : public QLayout {
    Q_OBJECT

public:
    explicit FlowLayout(int gap) : m_gap(gap) {}

    void addItem(QLayoutItem* item) override { m_items.emplace_back(item); }
    int count() const override { return int(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override;
    QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect& rect) override;

private:
    enum class Move { Yes, No };
    int place(const QRect& rect, Move move) const; // the height that it takes

    std::vector<std::unique_ptr<QLayoutItem>> m_items;
    int m_gap;
};

} // namespace fw::ui
