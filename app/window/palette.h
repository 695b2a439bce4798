// A list to choose from by typing, over the window: commands, or things by name. It goes when
// something is chosen, at Escape, and when the keys go elsewhere; they return to where they were
// before what was chosen acts.
#pragma once

#include "views/common/choice.h"

#include <QAbstractTableModel>
#include <QFrame>
#include <QPointer>

#include <vector>

class QLineEdit;
class QTreeView;

namespace fw::ui {

// Those that hold every typed word, in any case; where a word begins with what was typed first, and
// otherwise in the order in which they were given. At most `shownLimit`.
class PaletteModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr std::size_t shownLimit = 300;

    using QAbstractTableModel::QAbstractTableModel;

    void setEntries(std::vector<Choice> entries);
    void setTyped(const QString& typed);
    const Choice* entry(int row) const; // null if there is none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::vector<Choice> m_entries;
    std::vector<std::size_t> m_shown;
};

class Palette : public QFrame {
    Q_OBJECT

public:
    explicit Palette(QWidget* window);

    void open(const QString& hint, std::vector<Choice> entries);
    PaletteModel& model() { return m_model; }
    QLineEdit* input() const { return m_input; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void choose();
    void leave();
    void select(int row);
    void fitColumns();

    PaletteModel m_model;
    QLineEdit* m_input;
    QTreeView* m_list;
    QPointer<QWidget> m_before; // had the keys
};

} // namespace fw::ui
