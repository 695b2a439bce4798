#include "app/window/find_box.h"

#include "app/window/settings.h"
#include "views/common/pane.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int pauseMs = 40;
constexpr int listWidth = 700, listHeight = 420;

QIcon starOf(bool filled, const QPalette& palette) {
    constexpr int size = 32;
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QFont font = painter.font();
    font.setPixelSize(size - 4);
    painter.setFont(font);
    painter.setPen(palette.color(QPalette::Text));
    painter.drawText(pixmap.rect(), Qt::AlignCenter, filled ? u"★"_s : u"☆"_s);
    return pixmap;
}

QModelIndex nextRow(const QTreeView* tree, const QModelIndex& from, int by) {
    const QAbstractItemModel* model = tree->model();
    QModelIndex at = from;
    if (!at.isValid())
        return by > 0 ? model->index(0, 0) : QModelIndex();
    at = by > 0 ? tree->indexBelow(at) : tree->indexAbove(at);
    return at;
}

} // namespace

FindBox::FindBox(NodeFinder& finder, const DocumentParts& document, Settings* settings,
                 QWidget* parent)
    : QWidget(parent), m_finder(finder), m_document(document), m_settings(settings),
      m_line(new QLineEdit(this)), m_count(new QLabel(this)), m_list(new QFrame(this)),
      m_rows(new QTreeView(m_list)) {
    m_line->setObjectName(u"find"_s);
    m_line->setAccessibleName(u"Find"_s);
    m_line->setPlaceholderText(u"⌕ Find: words, op:conv2d, time>1ms …"_s);
    m_line->setClearButtonEnabled(true);
    m_line->setFixedWidth(250);
    m_line->installEventFilter(this);
    m_star = m_line->addAction(QIcon(), QLineEdit::TrailingPosition);
    m_star->setVisible(false);
    connect(m_star, &QAction::triggered, this, &FindBox::keep);
    m_count->setObjectName(u"findCount"_s);
    m_count->setTextFormat(Qt::PlainText);
    m_count->setProperty("muted", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_count);
    layout->addWidget(m_line);

    m_list->setObjectName(u"palette"_s); // it looks like one
    m_rows->setObjectName(u"findRows"_s);
    m_rows->setAccessibleName(u"What was found"_s);
    m_rows->setModel(&m_model);
    prepare(m_rows);
    m_rows->setHeaderHidden(true);
    m_rows->setFocusPolicy(Qt::NoFocus);
    m_rows->setSelectionMode(QAbstractItemView::SingleSelection);
    m_rows->header()->setStretchLastSection(false);
    m_rows->header()->setSectionResizeMode(FoundModel::Node, QHeaderView::Stretch);
    m_rows->header()->resizeSection(FoundModel::Result, 170);
    m_rows->header()->resizeSection(FoundModel::By, 160);
    m_rows->header()->resizeSection(FoundModel::Time, 90);
    auto* inside = new QVBoxLayout(m_list);
    inside->setContentsMargins(6, 6, 6, 6);
    inside->addWidget(m_rows);
    m_list->hide();

    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseMs);
    connect(&m_pause, &QTimer::timeout, this, &FindBox::look);
    connect(m_line, &QLineEdit::textEdited, this, [this] { m_pause.start(); });
    connect(m_line, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty())
            m_pause.start();
    });
    connect(m_rows, &QTreeView::clicked, this, &FindBox::take);
    connect(&m_finder, &NodeFinder::changed, this, [this] {
        showCount();
        if (m_list->isVisible())
            fill();
    });
}

void FindBox::lookFor(const QString& query) {
    m_line->setText(query);
    m_pause.stop();
    m_finder.look(query.trimmed());
}

void FindBox::edit() {
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

void FindBox::look() {
    m_finder.look(m_line->text().trimmed());
    fill();
    if (m_line->hasFocus() && m_model.rowCount() > 0)
        showList();
    else
        m_list->hide();
}

FoundModel::Offers FindBox::earlier() const {
    FoundModel::Offers out;
    if (m_settings == nullptr)
        return out;
    const QStringList kept = m_settings->keptQueries();
    const auto add = [&](const QString& query, const char* detail) {
        out.push_back(
            {query.toStdString(), query.toStdString(), detail, std::size_t(query.toUtf8().size())});
    };
    for (const QString& query : kept)
        add(query, "★ kept");
    for (const QString& query : m_settings->recentQueries())
        if (!kept.contains(query))
            add(query, "looked for before");
    return out;
}

void FindBox::fill() {
    const QString typed = m_line->text();
    m_model.show(m_finder, m_document,
                 typed.isEmpty() ? earlier()
                                 : m_finder.completions(typed, m_line->cursorPosition()),
                 mostListed);
    m_rows->expandAll();
    for (int row = 0; row < m_model.rowCount(); ++row) {
        const auto kind = m_model.kindOf(m_model.index(row, 0));
        m_rows->setFirstColumnSpanned(row, {}, kind == FoundModel::Row::Block);
    }
    if (const QModelIndex at = m_model.indexOfHit(m_finder.at()); at.isValid()) {
        m_rows->setCurrentIndex(at);
        m_rows->scrollTo(at);
    }
}

void FindBox::showList() {
    QWidget* over = window();
    if (m_list->parentWidget() != over)
        m_list->setParent(over);
    const QPoint below = m_line->mapTo(over, QPoint(m_line->width(), m_line->height() + 2));
    const int width = std::min(listWidth, over->width() - 16);
    const int height = std::min(listHeight, over->height() - below.y() - 16);
    m_list->setGeometry(std::clamp(below.x() - width, 8, std::max(8, over->width() - width - 8)),
                        below.y(), width, height);
    m_list->show();
    m_list->raise();
}

void FindBox::showCount() {
    const auto& problem = m_finder.problem();
    m_count->setText(problem ? text(problem->message) : m_finder.countText());
    m_count->setToolTip(problem ? toolTipOf(text(problem->message + "\n" + problem->hint))
                                : QString());
    const bool isKept =
        m_settings != nullptr && m_settings->keptQueries().contains(m_finder.query());
    m_star->setVisible(m_settings != nullptr && !m_finder.hits().empty());
    m_star->setIcon(starOf(isKept, palette()));
    m_star->setText(isKept ? u"Keep no longer"_s : u"Keep this query"_s);
}

void FindBox::keep() {
    if (m_settings == nullptr || m_finder.query().isEmpty())
        return;
    QStringList kept = m_settings->keptQueries();
    if (!kept.removeOne(m_finder.query()))
        kept.prepend(m_finder.query());
    m_settings->setKeptQueries(kept);
    showCount();
}

void FindBox::take(const QModelIndex& row) {
    switch (m_model.kindOf(row)) {
    case FoundModel::Row::Offer: {
        m_line->setText(row.siblingAtColumn(0).data(FoundModel::TextRole).toString());
        look();
        return;
    }
    case FoundModel::Row::Hit:
        if (m_settings != nullptr)
            m_settings->addRecentQuery(m_finder.query());
        m_finder.go(m_model.hitOf(row));
        m_list->hide();
        return;
    case FoundModel::Row::Rest:
        m_list->hide();
        Q_EMIT allWanted();
        return;
    case FoundModel::Row::Block:
    case FoundModel::Row::Note:
        return;
    }
}

// To the next row that can be taken.
void FindBox::select(int by) {
    QModelIndex at = nextRow(m_rows, m_rows->currentIndex(), by);
    while (at.isValid() && (m_model.kindOf(at) == FoundModel::Row::Block ||
                            m_model.kindOf(at) == FoundModel::Row::Note))
        at = nextRow(m_rows, at, by);
    if (at.isValid())
        m_rows->setCurrentIndex(at);
}

bool FindBox::keyPressed(int key, Qt::KeyboardModifiers modifiers) {
    const bool isListed = m_list->isVisible();
    switch (key) {
    case Qt::Key_Down:
    case Qt::Key_Up:
        if (!isListed) {
            fill();
            if (m_model.rowCount() > 0)
                showList();
        }
        select(key == Qt::Key_Down ? +1 : -1);
        return true;
    case Qt::Key_Tab: {
        const QModelIndex first = m_model.index(0, 0);
        if (!isListed || !first.isValid() || m_model.kindOf(first) != FoundModel::Row::Offer)
            return false;
        take(first);
        return true;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter: {
        if (const QString typed = m_line->text().trimmed(); typed != m_finder.query()) {
            m_pause.stop();
            m_finder.look(typed);
            fill();
        }
        if (modifiers.testFlag(Qt::ControlModifier)) {
            m_list->hide();
            Q_EMIT allWanted();
            return true;
        }
        const QModelIndex row = m_rows->currentIndex();
        const bool isThere = row.isValid() && m_model.kindOf(row) == FoundModel::Row::Hit &&
                             m_model.hitOf(row) == m_finder.at();
        if (isListed && row.isValid() && !isThere) {
            take(row);
            return true;
        }
        m_list->hide();
        if (m_settings != nullptr && !m_finder.hits().empty())
            m_settings->addRecentQuery(m_finder.query());
        Q_EMIT stepWanted(modifiers.testFlag(Qt::ShiftModifier) ? -1 : +1);
        return true;
    }
    case Qt::Key_Escape:
        if (isListed) {
            m_list->hide();
            return true;
        }
        lookFor({});
        Q_EMIT left();
        return true;
    default:
        return false;
    }
}

bool FindBox::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_line)
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::FocusOut)
        m_list->hide();
    if (event->type() == QEvent::ShortcutOverride) { // Escape is a key of the window, too
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Down || key == Qt::Key_Up)
            event->accept();
        return false;
    }
    if (event->type() == QEvent::KeyPress) {
        const auto* pressed = static_cast<QKeyEvent*>(event);
        return keyPressed(pressed->key(), pressed->modifiers());
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace fw::ui
