// The list of problems and the log: first what is wrong with texts, for as long as it is, then what
// went wrong since the program started, newest last. Problems of earlier inputs stay, but pale.
#pragma once

#include "views/common/view.h"

#include <QAbstractTableModel>

#include <vector>

class QPlainTextEdit;
class QTableView;

namespace fw::ui {

class ProblemsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Level, Code, Message, MenuPlace, Hint, ColumnCount };

    explicit ProblemsModel(QObject* parent = nullptr);
    void add(const Diag& diag);       // equal to the last one: not again
    void clear();                     // of what went wrong
    void setStanding(Diags standing); // in place of those before
    // What is there now belongs to an earlier generation of the document.
    void setGeneration(std::uint64_t generation);
    Diags problems() const; // by row
    const Diag& at(int row) const;
    bool isCurrent(int row) const {
        const int happened = row - int(m_standing.size());
        return happened < 0 || happened >= m_firstCurrent;
    }
    int count(Severity severity) const; // of the current ones

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Diags m_standing;
    Diags m_problems; // that happened
    std::uint64_t m_generation = 0;
    int m_firstCurrent = 0; // of m_problems
    int m_unlisted = 0;     // of the current ones; the last row says so
};

class ProblemsView : public View {
    Q_OBJECT

public:
    explicit ProblemsView(QWidget* parent = nullptr);

    void documentChanged(Parts parts) override;
    void problemAppeared(const Diag& diag) override;

    ProblemsModel& model() { return m_model; }

private:
    void showState();

    ProblemsModel m_model;
    QTableView* m_table;
};

class LogView : public View {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);

    void lineLogged(const QString& line) override;

    QString text() const;

private:
    QPlainTextEdit* m_text;
};

} // namespace fw::ui
