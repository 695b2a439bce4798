#include "views/explain/gate_table.h"

#include "views/common/theme.h"
#include "views/common/tool_tip.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int toneRole = Qt::UserRole;
// Names of nodes are long words: they may wrap after these signs.
QString wrapping(QString value) {
    for (const QChar sign : {u'_', u'.', u'/'})
        value.replace(sign, QString(sign) + QChar(0x200B));
    return value;
}

// Colours come from the theme while painting, so a change of theme needs no new rows.
class ToneDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    // Rows are as high as the text that wraps in its column.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        constexpr int padding = 9; // of the style, and the margin beside a text
        const auto* tree = qobject_cast<const QTreeView*>(option.widget);
        const int width = tree ? tree->columnWidth(index.column()) - 2 * padding : 100;
        const QRect text =
            option.fontMetrics.boundingRect(QRect(0, 0, std::max(width, 20), 10000),
                                            Qt::TextWordWrap, wrapping(index.data().toString()));
        return {width, std::max(text.height() + 2 * 3, 22)};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->features |= QStyleOptionViewItem::WrapText;
        option->text = wrapping(option->text);
        const auto set = [&](Colour meaning) {
            const QColor value = Theme::instance().colour(meaning);
            option->palette.setColor(QPalette::Text, value);
            option->palette.setColor(QPalette::HighlightedText, value);
        };
        switch (GateTone(index.data(toneRole).toInt())) {
        case GateTone::Plain:
            break;
        case GateTone::Good:
            set(Colour::Created);
            break;
        case GateTone::Bad:
            set(Colour::Failing);
            break;
        case GateTone::Muted:
            set(Colour::Muted);
            break;
        }
    }
};

} // namespace

QTreeWidget* makeGateTable(QWidget* parent, const QString& name, const QStringList& titles) {
    auto* table = new QTreeWidget(parent);
    table->setAccessibleName(name);
    table->setColumnCount(int(titles.size()));
    table->setHeaderLabels(titles);
    table->setRootIsDecorated(false);
    table->setAlternatingRowColors(true);
    table->setWordWrap(true);
    table->setItemDelegate(new ToneDelegate(table));
    table->setTextElideMode(Qt::ElideNone);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    QObject::connect(table->header(), &QHeaderView::sectionResized, table,
                     [table] { table->doItemsLayout(); });
    return table;
}

void setCell(QTreeWidgetItem* item, int column, const QString& value, GateTone tone) {
    item->setText(column, value);
    item->setData(column, toneRole, int(tone));
    item->setToolTip(column, toolTipOf(value));
    item->setTextAlignment(column, Qt::AlignLeft | Qt::AlignTop);
}

} // namespace fw::ui
