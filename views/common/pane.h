// The pieces that give all panes one look: a title row, and rows of trees and tables.
#pragma once

#include "picture/diagram.h"

#include <QStyledItemDelegate>
#include <QWidget>

class QDockWidget;
class QLabel;
class QMenu;
class QTableView;
class QToolButton;
class QTreeView;

namespace fw::ui {

class ElidedLabel;

// What the delegates below read from a model, besides Qt's roles.
enum ItemRole {
    ShareRole = Qt::UserRole + 100, // double 0..1: a bar
    MakerRole,                      // picture::MakerRecord: a chip before the text
    ToneRole,                       // int of Tone: colours the text green, red or as usual
    WholeFrontRole, // int: so many characters at the front stay whole where a text is elided
};

enum class Tone : std::uint8_t { None, Good, Warning, Bad };

// A bold title on the left, a grey detail on the right, a line below. Also a dock's title bar.
class PaneHeader : public QWidget {
    Q_OBJECT

public:
    explicit PaneHeader(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setDetail(const QString& detail);
    QString title() const;
    QString detail() const;
    void addWidget(QWidget* widget);                        // after the detail
    QToolButton* addMenu(QMenu* menu, const QString& name); // beside the title

    // Replaces the dock's own title bar; the dock keeps being dragged by it. While it floats a
    // button leads back into the window.
    static PaneHeader* install(QDockWidget* dock);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fitHeight();

    QLabel* m_title = nullptr;
    ElidedLabel* m_detail = nullptr;
};

// Draws bars, chips and verdict colours where a model has them, and everything else as usual.
class RowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// Striped rows of one height, no grid, header without frames, whole rows selected, RowDelegate.
void prepare(QTreeView* view);
void prepare(QTableView* view);

} // namespace fw::ui
