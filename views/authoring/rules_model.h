// Rule books, their rules, and below a rule the places where it matches and what it did. The box of
// a book says whether it takes part in the plan; behind those that were opened stand the books that
// they include, which have none, and the shipped ones.
#pragma once

#include "views/authoring/rules_rows.h"
#include "views/common/pane.h"

#include <QAbstractItemModel>

namespace fw::ui {

class RulesModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Detail, Verdict, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole + 1, // of a book; empty for what is shipped
        NodesRole,                   // QList<qint64>: of a match, or of all of a rule
        RewrittenRole,               // bool: the nodes are of the graph as the rules left it
        FileRole,                    // where it is written: a path, or the name of a shipped book
        LineRole,                    // int from 1; 0: the file as a whole
        ClosedRole,                  // bool: a book of which nothing acted
    };

    explicit RulesModel(QObject* parent = nullptr);

    void setContent(RulesContent content);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // A book is dragged to another place among the books.
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;
    int bookCount() const { return int(m_content.books.size()); }

Q_SIGNALS:
    void bookSwitched(const QString& path, bool on);    // by people
    void shippedSwitched(const QString& file, bool on); // likewise
    void bookMoved(const QString& path, int to);        // its place from 0, counted without it

private:
    const RulesItem& item(const QModelIndex& index) const {
        return m_rows.items()[std::size_t(index.internalId())];
    }
    const std::vector<int>& childrenOf(const QModelIndex& parent) const {
        return parent.isValid() ? item(parent).children : m_rows.top();
    }

    RulesContent m_content;
    RulesRows m_rows{m_content};
};

} // namespace fw::ui
