#include "views/editor/find_bar.h"

#include "views/editor/book_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t hitLimit = 100000;

} // namespace

FindBar::FindBar(BookEditor* editor, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_wanted(new QLineEdit(this)),
      m_replacement(new QLineEdit(this)), m_case(new QToolButton(this)), m_count(new QLabel(this)),
      m_replaceRow(new QWidget(this)) {
    const auto button = [this](const QString& text, const QString& tip, auto act) {
        auto* out = new QPushButton(text, this);
        out->setToolTip(tip);
        out->setAccessibleName(tip);
        connect(out, &QPushButton::clicked, this, act);
        return out;
    };
    m_wanted->setPlaceholderText(u"Find in this book"_s);
    m_wanted->setAccessibleName(u"Find in this book"_s);
    m_replacement->setPlaceholderText(u"Replace with"_s);
    m_replacement->setAccessibleName(u"Replace with"_s);
    m_case->setText(u"Aa"_s);
    m_case->setCheckable(true);
    m_case->setToolTip(u"Capitals matter"_s);
    m_case->setAccessibleName(u"Capitals matter"_s);
    m_count->setProperty("muted", true);
    m_count->setMinimumWidth(70);
    auto* first = new QHBoxLayout;
    first->setContentsMargins(8, 5, 8, 5);
    first->setSpacing(6);
    first->addWidget(m_wanted, 1);
    first->addWidget(m_case);
    first->addWidget(m_count);
    first->addWidget(button(u"↑"_s, u"Find previous (Shift+Enter)"_s, [this] { find(-1); }));
    first->addWidget(button(u"↓"_s, u"Find next (Enter)"_s, [this] { find(+1); }));
    first->addWidget(button(u"✕"_s, u"Close (Esc)"_s, [this] {
        hide();
        m_editor->setFocus();
    }));
    auto* second = new QHBoxLayout(m_replaceRow);
    second->setContentsMargins(8, 0, 8, 5);
    second->setSpacing(6);
    second->addWidget(m_replacement, 1);
    second->addWidget(
        button(u"Replace"_s, u"Replace what is found (Enter)"_s, [this] { replaceOne(); }));
    second->addWidget(
        button(u"Replace all"_s, u"Replace all (Ctrl+Enter)"_s, [this] { replaceAll(); }));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(first);
    layout->addWidget(m_replaceRow);
    connect(m_wanted, &QLineEdit::textChanged, this, &FindBar::showCount);
    connect(m_case, &QToolButton::toggled, this, &FindBar::showCount);
    hide();
}

void FindBar::open(Row row) {
    const QString selected = m_editor->textCursor().selectedText();
    if (!selected.isEmpty() && selected.size() < 200 &&
        !selected.contains(QChar::ParagraphSeparator))
        m_wanted->setText(selected);
    m_replaceRow->setVisible(row == Row::Replace && !m_editor->isReadOnly());
    show();
    m_wanted->setFocus(Qt::ShortcutFocusReason);
    m_wanted->selectAll();
    showCount();
}

std::vector<FindBar::Hit> FindBar::hits() const {
    std::vector<Hit> out;
    const QString wanted = m_wanted->text();
    if (wanted.isEmpty())
        return out;
    const auto exact = m_case->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
    const QString text = m_editor->toPlainText();
    for (qsizetype at = text.indexOf(wanted, 0, exact); at >= 0 && out.size() < hitLimit;
         at = text.indexOf(wanted, at + wanted.size(), exact))
        out.push_back({int(at), int(wanted.size())});
    return out;
}

bool FindBar::find(int step) {
    const std::vector<Hit> all = hits();
    if (all.empty()) {
        showCount();
        return false;
    }
    const QTextCursor now = m_editor->textCursor();
    const Hit* next = nullptr;
    if (step > 0) {
        next = &all.front();
        for (const Hit& hit : all)
            if (hit.position >= now.selectionEnd()) {
                next = &hit;
                break;
            }
    } else {
        next = &all.back();
        for (const Hit& hit : all)
            if (hit.position < now.selectionStart())
                next = &hit;
            else
                break;
    }
    m_editor->select(between(m_editor->placeOf(next->position),
                             m_editor->placeOf(next->position + next->length)));
    showCount();
    return true;
}

bool FindBar::replaceOne() {
    QTextCursor now = m_editor->textCursor();
    const auto exact = m_case->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
    const bool found =
        now.hasSelection() && now.selectedText().compare(m_wanted->text(), exact) == 0;
    if (found && !m_editor->isReadOnly())
        now.insertText(m_replacement->text());
    find(+1);
    return found;
}

int FindBar::replaceAll() {
    if (m_editor->isReadOnly())
        return 0;
    const std::vector<Hit> all = hits();
    QTextCursor edit(m_editor->document());
    edit.beginEditBlock();
    for (auto hit = all.rbegin(); hit != all.rend(); ++hit) {
        edit.setPosition(hit->position);
        edit.setPosition(hit->position + hit->length, QTextCursor::KeepAnchor);
        edit.insertText(m_replacement->text());
    }
    edit.endEditBlock();
    showCount();
    return int(all.size());
}

QString FindBar::summary() const {
    return m_count->text();
}

void FindBar::showCount() {
    const std::vector<Hit> all = hits();
    const int now = m_editor->textCursor().selectionStart();
    QString text;
    if (!m_wanted->text().isEmpty())
        text = all.empty() ? u"not found"_s : QString::number(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].position == now && m_editor->textCursor().hasSelection())
            text = u"%1 of %2"_s.arg(i + 1).arg(all.size());
    m_count->setText(text);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape) {
        hide();
        m_editor->setFocus();
    } else if (enter && m_replacement->hasFocus()) {
        if (event->modifiers() & Qt::ControlModifier)
            replaceAll();
        else
            replaceOne();
    } else if (enter) {
        find(event->modifiers() & Qt::ShiftModifier ? -1 : +1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace fw::ui
