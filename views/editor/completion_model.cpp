#include "views/editor/completion_model.h"

#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QPainter>

namespace fw::ui {

namespace {

constexpr int margin = 8;
constexpr int gap = 24;
constexpr int detailWidth = 260;

} // namespace

void CompletionModel::setList(std::vector<CompletionRecord> list) {
    beginResetModel();
    m_list = std::move(list);
    endResetModel();
}

int CompletionModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_list.size());
}

QVariant CompletionModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const CompletionRecord& item = m_list[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return QString::fromStdString(item.text);
    case Qt::ToolTipRole:
        return item.documentation.empty() ? QVariant()
                                          : toolTipOf(QString::fromStdString(item.documentation));
    case Qt::AccessibleDescriptionRole:
        return QString::fromStdString(item.kind + " " + item.detail);
    case DetailRole:
        return QString::fromStdString(item.detail.empty() ? item.kind : item.detail);
    case SnippetRole:
        return QString::fromStdString(item.snippet);
    case KindRole:
        return QString::fromStdString(item.kind);
    default:
        return {};
    }
}

void CompletionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const Theme& theme = Theme::instance();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->fillRect(option.rect, theme.colour(selected ? Colour::Accent : Colour::Pane));
    const QRect inner = option.rect.adjusted(margin, 0, -margin, 0);
    const QString text = index.data().toString();
    painter->setFont(Theme::codeFont());
    painter->setPen(theme.colour(selected ? Colour::OnAccent : Colour::Text));
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, text);
    const QRect rest =
        inner.adjusted(painter->fontMetrics().horizontalAdvance(text) + gap, 0, 0, 0);
    painter->setFont(Theme::textFont(11));
    painter->setPen(theme.colour(selected ? Colour::OnAccent : Colour::Muted));
    painter->drawText(
        rest, Qt::AlignRight | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data(CompletionModel::DetailRole).toString(),
                                          Qt::ElideRight, rest.width()));
    painter->restore();
}

QSize CompletionDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const QFontMetrics code(Theme::codeFont());
    const QFontMetrics text(Theme::textFont(11));
    const int detail = std::min(
        detailWidth, text.horizontalAdvance(index.data(CompletionModel::DetailRole).toString()));
    return {2 * margin + gap + code.horizontalAdvance(index.data().toString()) + detail, 20};
}

} // namespace fw::ui
