#include "views/common/state_overlay.h"

#include "views/common/elided_label.h"
#include "views/common/theme.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

namespace fw::ui {

namespace {

QHeaderView* headerOf(QWidget* view) {
    if (const auto* tree = qobject_cast<QTreeView*>(view))
        return tree->header();
    if (const auto* table = qobject_cast<QTableView*>(view))
        return table->horizontalHeader();
    return nullptr;
}

} // namespace

StateOverlay::StateOverlay(QWidget* view) : QWidget(view) {
    m_card = new QFrame(this);
    m_card->setObjectName(QStringLiteral("stateCard"));
    auto* column = new QVBoxLayout(m_card);
    column->setContentsMargins(24, 20, 24, 20);
    column->setSpacing(10);
    m_title = new QLabel(m_card);
    m_title->setObjectName(QStringLiteral("stateTitle"));
    m_text = new QLabel(m_card);
    m_text->setObjectName(QStringLiteral("stateText"));
    for (QLabel* label : {m_title, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    m_progress = new QProgressBar(m_card);
    m_progress->setTextVisible(false);
    column->addWidget(m_progress);
    m_button = new QPushButton(m_card);
    column->addWidget(m_button, 0, Qt::AlignHCenter);

    m_ribbon = new QFrame(this);
    m_ribbon->setObjectName(QStringLiteral("staleRibbon"));
    auto* row = new QHBoxLayout(m_ribbon);
    row->setContentsMargins(10, 3, 6, 3);
    m_ribbonText = new ElidedLabel(m_ribbon);
    m_ribbonButton = new QPushButton(m_ribbon);
    row->addWidget(m_ribbonText, 1);
    row->addWidget(m_ribbonButton);

    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_state == ViewState::Busy)
            Q_EMIT cancelRequested();
        else
            Q_EMIT actionRequested();
    });
    connect(m_ribbonButton, &QPushButton::clicked, this, &StateOverlay::actionRequested);
    m_delay.setSingleShot(true);
    m_delay.setInterval(busyDelay);
    connect(&m_delay, &QTimer::timeout, this, [this] {
        place();
        setVisible(true);
        raise();
    });
    m_margins = view->contentsMargins();
    view->installEventFilter(this);
    hide();
}

QString StateOverlay::text() const {
    if (m_state == ViewState::Ready)
        return {};
    if (m_state == ViewState::Stale)
        return m_ribbonText->fullText();
    return m_text->text().isEmpty() ? m_title->text()
                                    : m_title->text() + QLatin1Char('\n') + m_text->text();
}

void StateOverlay::setReady() {
    m_state = ViewState::Ready;
    m_delay.stop();
    hide();
    coverParent();
    shiftParent(0);
}

void StateOverlay::setQuiet(bool quiet) {
    m_quiet = quiet;
    showCard();
}

void StateOverlay::showCard() {
    m_card->setVisible(m_state != ViewState::Stale && !(m_quiet && m_state == ViewState::Empty));
}

// The ribbon stands above what the view shows, not over it.
void StateOverlay::shiftParent(int by) {
    const QMargins wanted = m_margins + QMargins(0, by, 0, 0);
    if (parentWidget()->contentsMargins() != wanted)
        parentWidget()->setContentsMargins(wanted);
}

// Above a view without rows stand no titles of columns, and beside it no scroll bars.
void StateOverlay::coverParent() {
    const auto* items = qobject_cast<QAbstractItemView*>(parentWidget());
    const bool covers = m_state == ViewState::Empty || m_state == ViewState::Error ||
                        (m_state == ViewState::Busy && items && items->model() &&
                         items->model()->rowCount(items->rootIndex()) == 0);
    auto* area = qobject_cast<QAbstractScrollArea*>(parentWidget());
    if (!area || covers == m_covers)
        return;
    m_covers = covers;
    if (covers) {
        QHeaderView* header = headerOf(area);
        m_header = header && !header->isHidden() ? header : nullptr;
        m_across = area->horizontalScrollBarPolicy();
        m_down = area->verticalScrollBarPolicy();
    }
    if (m_header)
        m_header->setVisible(!covers);
    area->setHorizontalScrollBarPolicy(covers ? Qt::ScrollBarAlwaysOff : m_across);
    area->setVerticalScrollBarPolicy(covers ? Qt::ScrollBarAlwaysOff : m_down);
}

void StateOverlay::show(ViewState state, const QString& title, const QString& text,
                        const QString& action) {
    const bool stillBusy = state == ViewState::Busy && m_state == ViewState::Busy;
    m_state = state;
    showCard();
    m_ribbon->setVisible(state == ViewState::Stale);
    m_title->setText(title);
    m_title->setProperty("state", state == ViewState::Error ? QStringLiteral("error") : QString());
    m_title->style()->unpolish(m_title);
    m_title->style()->polish(m_title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    m_progress->setVisible(state == ViewState::Busy);
    m_button->setText(action);
    m_button->setVisible(!action.isEmpty());
    coverParent();
    if (state == ViewState::Busy) {
        if (!isVisible() && !m_delay.isActive())
            m_delay.start();
        else if (!stillBusy && isVisible())
            place();
        return;
    }
    m_delay.stop();
    place();
    setVisible(true);
    raise();
}

void StateOverlay::setEmpty(const QString& title, const QString& text, const QString& action) {
    show(ViewState::Empty, title, text, action);
}

void StateOverlay::setBusy(const QString& title, int percent) {
    m_progress->setRange(0, percent < 0 ? 0 : 100);
    if (percent >= 0)
        m_progress->setValue(percent);
    if (m_state == ViewState::Busy && m_title->text() == title)
        return;
    show(ViewState::Busy, title, {}, tr("Cancel"));
}

void StateOverlay::setStale(const QString& text, const QString& action) {
    m_ribbonText->setFullText(text);
    m_ribbonButton->setText(action);
    m_ribbonButton->setVisible(!action.isEmpty());
    show(ViewState::Stale, {}, {}, {});
}

void StateOverlay::setError(const QString& message, const QString& details, const QString& action) {
    show(ViewState::Error, message, details, action);
}

void StateOverlay::place() {
    const QRect view = parentWidget()->rect();
    if (m_state == ViewState::Stale) {
        const int height = m_ribbon->sizeHint().height();
        shiftParent(height);
        setGeometry(0, 0, view.width(), height);
        m_ribbon->setGeometry(rect());
        return;
    }
    shiftParent(0);
    setGeometry(view);
    const int width = std::clamp(view.width() - 40, 120, 380);
    m_card->setFixedWidth(width);
    m_card->layout()->activate();
    const int wanted = m_card->layout()->hasHeightForWidth()
                           ? m_card->layout()->totalHeightForWidth(width)
                           : m_card->sizeHint().height();
    m_card->resize(width, wanted);
    m_card->move((view.width() - width) / 2, std::max(8, (view.height() - wanted) / 2));
}

bool StateOverlay::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == parentWidget() && m_state != ViewState::Ready)
        place();
    else if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    return QWidget::eventFilter(watched, event);
}

void StateOverlay::paintEvent(QPaintEvent*) {
    if (m_state == ViewState::Stale)
        return;
    QPainter painter(this);
    QColor veil = Theme::instance().colour(Colour::Pane);
    veil.setAlpha(m_state == ViewState::Busy ? 140 : 255); // of the rest nothing can be used
    painter.fillRect(rect(), veil);
    if (parentWidget()->hasFocus()) { // the frame of the view lies below
        painter.setPen(Theme::instance().colour(Colour::Accent));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace fw::ui
