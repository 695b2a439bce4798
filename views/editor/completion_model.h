// The list behind a completion popup: the text, its detail beside it, its documentation as a tip.
#pragma once

#include "views/editor/book_editor.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace fw::ui {

class CompletionModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { DetailRole = Qt::UserRole + 1, KindRole, SnippetRole };

    using QAbstractListModel::QAbstractListModel;

    void setList(std::vector<CompletionRecord> list);
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<CompletionRecord> m_list;
};

// Text left, detail muted on the right.
class CompletionDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace fw::ui
