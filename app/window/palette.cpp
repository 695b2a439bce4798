#include "app/window/palette.h"

#include "views/common/pane.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int widest = 720;
constexpr int highest = 360;

// 0: a word of the text begins with it, 1: it is somewhere in the text, 2: it is not.
int rankOf(const QString& text, const QString& word) {
    int rank = 2;
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = text.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        if (at == 0 || !text[at - 1].isLetterOrNumber())
            return 0;
        rank = 1;
    }
    return rank;
}

} // namespace

void PaletteModel::setEntries(std::vector<Choice> entries) {
    m_entries = std::move(entries);
    setTyped({});
}

void PaletteModel::setTyped(const QString& typed) {
    const QStringList words = typed.simplified().split(u' ', Qt::SkipEmptyParts);
    beginResetModel();
    m_shown.clear();
    std::vector<std::size_t> later;
    for (std::size_t i = 0; i < m_entries.size() && m_shown.size() < shownLimit; ++i) {
        int rank = 0;
        for (const QString& word : words)
            rank = std::max(rank, rankOf(m_entries[i].text, word));
        if (rank == 0)
            m_shown.push_back(i);
        else if (rank == 1 && later.size() < shownLimit)
            later.push_back(i);
    }
    for (std::size_t i = 0; i < later.size() && m_shown.size() < shownLimit; ++i)
        m_shown.push_back(later[i]);
    endResetModel();
}

const Choice* PaletteModel::entry(int row) const {
    return row >= 0 && std::size_t(row) < m_shown.size() ? &m_entries[m_shown[std::size_t(row)]]
                                                         : nullptr;
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_shown.size());
}

int PaletteModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 2;
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::DisplayRole)
        return index.column() == 0 ? entry(index.row())->text : entry(index.row())->detail;
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

Palette::Palette(QWidget* window)
    : QFrame(window), m_input(new QLineEdit(this)), m_list(new QTreeView(this)) {
    setObjectName(u"palette"_s);
    m_input->setAccessibleName(u"Type to choose"_s);
    m_input->installEventFilter(this);
    m_list->setAccessibleName(u"What can be chosen"_s);
    m_list->setModel(&m_model);
    prepare(m_list);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setMinimumSectionSize(20);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_input);
    layout->addWidget(m_list, 1);
    connect(m_input, &QLineEdit::textChanged, this, [this](const QString& typed) {
        m_model.setTyped(typed);
        select(0);
    });
    connect(m_list, &QTreeView::clicked, this, &Palette::choose);
    hide();
}

void Palette::open(const QString& hint, std::vector<Choice> entries) {
    if (!isVisible())
        m_before = QApplication::focusWidget();
    const QSize room = parentWidget()->size();
    resize(std::min(widest, room.width() - 20), std::min(highest, room.height() - 80));
    move((room.width() - width()) / 2, 60);
    m_input->clear();
    m_input->setPlaceholderText(hint);
    m_model.setEntries(std::move(entries));
    show();
    raise();
    fitColumns();
    m_input->setFocus(Qt::ShortcutFocusReason);
    select(0);
}

// What is chosen is read first; what is said of it has the rest.
void Palette::fitColumns() {
    const QAbstractItemView* list = m_list;
    const int room = width() - 40, left = list->sizeHintForColumn(0) + 8,
              right = list->sizeHintForColumn(1) + 8;
    m_list->header()->resizeSection(1, std::clamp(room - left, std::min(room / 4, right), right));
}

void Palette::select(int row) {
    const int last = m_model.rowCount() - 1;
    if (last >= 0)
        m_list->setCurrentIndex(m_model.index(std::clamp(row, 0, last), 0));
}

void Palette::leave() {
    const QPointer<QWidget> before = std::exchange(m_before, nullptr);
    hide();
    if (before)
        before->setFocus(Qt::OtherFocusReason);
}

void Palette::choose() {
    const auto* chosen = m_model.entry(m_list->currentIndex().row());
    const auto act = chosen ? chosen->act : std::function<void()>();
    leave();
    m_model.setEntries({});
    if (act)
        act();
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_input && event->type() == QEvent::FocusOut && isVisible())
        hide();
    if (watched != m_input || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const int row = m_list->currentIndex().row();
    constexpr int page = 10;
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
        select(row + 1);
        return true;
    case Qt::Key_Up:
        select(row - 1);
        return true;
    case Qt::Key_PageDown:
        select(row + page);
        return true;
    case Qt::Key_PageUp:
        select(row - page);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose();
        return true;
    case Qt::Key_Escape:
        leave();
        return true;
    default:
        return QFrame::eventFilter(watched, event);
    }
}

} // namespace fw::ui
