#include "views/common/pane.h"

#include "views/common/elided_label.h"
#include "views/common/elided_name.h"
#include "views/common/elided_words.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace fw::ui {
namespace {

int rowHeight(const QFontMetrics& metrics) {
    return std::max(22, metrics.height() + 6);
}

// What is behind the part that stays whole.
QString nameIn(const QModelIndex& index) {
    return index.data().toString().mid(index.data(WholeFrontRole).toInt());
}

// Those that may be seen together with it.
SharedParts sharedWithRows(const QModelIndex& index, const QWidget* view) {
    constexpr int looked = 60; // rows above and below
    SharedParts out;
    const QString name = nameIn(index);
    const auto* tree = qobject_cast<const QTreeView*>(view);
    for (const int step : {-1, +1}) {
        QModelIndex at = index.siblingAtColumn(0);
        for (int i = 0; i < looked; ++i) {
            at = !tree      ? at.siblingAtRow(at.row() + step)
                 : step < 0 ? tree->indexAbove(at)
                            : tree->indexBelow(at);
            if (!at.isValid())
                break;
            out.compare(name, nameIn(at.siblingAtColumn(index.column())));
        }
    }
    return out;
}

QString elidedCell(const QStyleOptionViewItem& item, const QString& text, const QModelIndex& index,
                   int width) {
    if (item.fontMetrics.horizontalAdvance(text) <= width)
        return text;
    const QString front = text.left(index.data(WholeFrontRole).toInt());
    if (front.isEmpty() && text.contains(u' '))
        return elidedWords(text, item.fontMetrics, width);
    const int left = width - item.fontMetrics.horizontalAdvance(front);
    if (left < item.fontMetrics.averageCharWidth())
        return item.fontMetrics.elidedText(text, Qt::ElideRight, width);
    return front + elidedName(text.mid(front.size()), sharedWithRows(index, item.widget),
                              item.fontMetrics, left);
}

void prepareCommon(QAbstractItemView* view) {
    view->setFrameShape(QFrame::NoFrame);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setTextElideMode(Qt::ElideMiddle);
    view->setItemDelegate(new RowDelegate(view));
}

} // namespace

PaneHeader::PaneHeader(const QString& title, QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("paneHeader"));
    setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 10, 0);
    row->setSpacing(8);
    m_title = new QLabel(title, this);
    m_title->setObjectName(QStringLiteral("paneTitle"));
    m_detail = new ElidedLabel(this);
    m_detail->setObjectName(QStringLiteral("paneDetail"));
    m_detail->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_detail->setMinimumWidth(0);
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (QLabel* label : {m_title, static_cast<QLabel*>(m_detail)}) {
        label->setTextFormat(Qt::PlainText);
        label->setAttribute(Qt::WA_TransparentForMouseEvents); // a dock is dragged by its header
    }
    row->addWidget(m_title);
    row->addWidget(m_detail, 1);
    fitHeight();
}

void PaneHeader::fitHeight() {
    const int height = std::max(28, fontMetrics().height() + 12);
    setFixedHeight(height);
    m_title->setMinimumHeight(height); // a dock asks its title bar's size hint only
}

void PaneHeader::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitHeight();
}

void PaneHeader::setTitle(const QString& title) {
    m_title->setText(title);
}
void PaneHeader::setDetail(const QString& detail) {
    m_detail->setFullText(detail);
}
QString PaneHeader::title() const {
    return m_title->text();
}
QString PaneHeader::detail() const {
    return m_detail->fullText();
}
void PaneHeader::addWidget(QWidget* widget) {
    layout()->addWidget(widget);
}

QToolButton* PaneHeader::addMenu(QMenu* menu, const QString& name) {
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("paneMenu"));
    button->setText(QStringLiteral("▾"));
    button->setAccessibleName(name);
    button->setToolTip(name);
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    static_cast<QHBoxLayout*>(layout())->insertWidget(1, button);
    return button;
}

PaneHeader* PaneHeader::install(QDockWidget* dock) {
    auto* header = new PaneHeader(dock->windowTitle(), dock);
    connect(dock, &QDockWidget::windowTitleChanged, header, &PaneHeader::setTitle);
    dock->setTitleBarWidget(header);
    auto* back = new QToolButton(header);
    back->setObjectName(QStringLiteral("dockBack"));
    back->setText(tr("Put back"));
    back->setToolTip(tr("Put it back into the window"));
    back->setAutoRaise(true);
    back->hide();
    header->addWidget(back);
    connect(dock, &QDockWidget::topLevelChanged, back, &QWidget::setVisible);
    connect(back, &QToolButton::clicked, dock, [dock] {
        dock->setFloating(false);
        dock->raise();
    });
    return header;
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.data(MakerRole).isValid())
        size.rwidth() += 36;
    if (index.data(ShareRole).isValid())
        size.setWidth(std::max(size.width(), 120));
    size.setHeight(std::max(size.height(), rowHeight(option.fontMetrics)));
    return size;
}

namespace {

Colour colourOf(Tone tone) {
    switch (tone) {
    case Tone::None:
        break;
    case Tone::Good:
        return Colour::Created;
    case Tone::Warning:
        return Colour::NearMiss;
    case Tone::Bad:
        return Colour::Failing;
    }
    return Colour::Text;
}

void paintShare(QPainter* painter, const QRect& row, double share) {
    QRectF bar = QRectF(row).adjusted(8, 0, -8, 0);
    bar.setWidth(bar.width() * std::clamp(share, 0.0, 1.0));
    bar = QRectF(bar.x(), bar.center().y() - 4.5, std::max(bar.width(), 1.0), 9);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(Theme::instance().colour(Colour::Bar));
    painter->drawRoundedRect(bar, 1.5, 1.5);
    painter->restore();
}

void paintChip(QPainter* painter, const QRect& row, const picture::MakerRecord& maker) {
    const QRectF frame(row.x() + 6.5, row.center().y() - 7 + 0.5, 27, 15);
    painter->setPen(QPen(Theme::instance().colour(picture::tintOf(maker).line), 1));
    painter->setBrush(Theme::instance().colour(Colour::BoxFill));
    painter->drawRoundedRect(frame, 3, 3);
    painter->setFont(Theme::textFont(9, QFont::Bold));
    painter->drawText(frame, Qt::AlignCenter, QString::fromStdString(picture::chipText(maker)));
}

} // namespace

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const Theme& theme = Theme::instance();
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    item.state &= ~QStyle::State_HasFocus;
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();

    const QVariant tone = index.data(ToneRole);
    if (tone.isValid()) {
        item.palette.setColor(QPalette::Text,
                              theme.colour(colourOf(static_cast<Tone>(tone.toInt()))));
    }

    const QVariant share = index.data(ShareRole);
    if (share.isValid()) {
        item.text.clear();
        style->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
        paintShare(painter, option.rect, share.toDouble());
        return;
    }
    const QVariant chip = index.data(MakerRole);
    const auto maker = chip.value<picture::MakerRecord>();
    if (!maker.isSomebody()) {
        if (item.textElideMode == Qt::ElideMiddle) {
            const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &item, widget) + 1;
            const QRect room = style->subElementRect(QStyle::SE_ItemViewItemText, &item, widget);
            item.text = elidedCell(item, item.text, index, room.width() - 2 * margin);
        }
        style->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
        return;
    }
    // Background first, then the chip, then the text behind it.
    const QString text = item.text;
    item.text.clear();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintChip(painter, option.rect, maker);
    painter->setFont(item.font);
    painter->setPen(item.palette.color(QPalette::Text));
    const QRect room = option.rect.adjusted(40, 0, -4, 0);
    painter->drawText(room, static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft),
                      elidedCell(item, text, index, room.width()));
    painter->restore();
}

void prepare(QTreeView* view) {
    prepareCommon(view);
    view->setUniformRowHeights(true);
    view->setIndentation(14);
    view->setAllColumnsShowFocus(true);
    view->header()->setHighlightSections(false);
    view->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void prepare(QTableView* view) {
    prepareCommon(view);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setCornerButtonEnabled(false);
    view->setTabKeyNavigation(false); // else Tab goes round in it for ever
    view->verticalHeader()->hide();
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    const auto setHeight = [view] {
        view->verticalHeader()->setDefaultSectionSize(rowHeight(view->fontMetrics()));
    };
    setHeight();
    QObject::connect(&Theme::instance(), &Theme::changed, view, setHeight);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view->horizontalHeader()->setStretchLastSection(true);
}

} // namespace fw::ui
