#include "views/editor/book_page.h"

#include "views/common/combo_box.h"
#include "views/common/numbers.h"
#include "views/editor/find_bar.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QTextBlock>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t outlineLimit = 5000;
constexpr int widestFix = 260; // of the button, in pixels

} // namespace

BookPage::BookPage(QWidget* parent)
    : QWidget(parent), m_editor(new BookEditor(this)), m_find(new FindBar(m_editor, this)),
      m_outline(new ComboBox(this)), m_detail(new QLabel(this)), m_bannerRow(new QFrame(this)),
      m_bannerText(new QLabel(m_bannerRow)), m_bannerButtons{new QPushButton(m_bannerRow),
                                                             new QPushButton(m_bannerRow)},
      m_status(new QLabel(this)), m_fix(new QPushButton(this)) {
    m_outline->setAccessibleName(u"Declarations of this book"_s);
    m_outline->setObjectName(u"bookOutline"_s);
    m_outline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_outline->setMinimumContentsLength(14);
    m_outline->setFocusPolicy(Qt::TabFocus);
    m_detail->setTextFormat(Qt::PlainText);
    m_detail->setProperty("muted", true);
    m_editor->setAccessibleName(u"Text of the book"_s);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setWordWrap(true);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_status->setObjectName(u"bookStatus"_s);
    m_fix->setFocusPolicy(Qt::TabFocus);
    m_fix->setToolTip(u"Put it right (Ctrl+.)"_s);
    m_fix->hide();
    auto* top = new QHBoxLayout;
    top->setContentsMargins(8, 5, 10, 5);
    top->setSpacing(10);
    top->addWidget(m_outline, 1);
    top->addWidget(m_detail);
    m_bannerRow->setObjectName(u"noteBar"_s);
    m_bannerText->setTextFormat(Qt::PlainText);
    m_bannerText->setWordWrap(true);
    auto* banner = new QHBoxLayout(m_bannerRow);
    banner->setContentsMargins(10, 4, 8, 4);
    banner->addWidget(m_bannerText, 1);
    for (QPushButton* button : m_bannerButtons)
        banner->addWidget(button);
    auto* status = new QHBoxLayout;
    status->setContentsMargins(10, 4, 8, 4);
    status->addWidget(m_status, 1);
    status->addWidget(m_fix);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_bannerRow);
    layout->addWidget(m_editor, 1);
    layout->addWidget(m_find);
    layout->addLayout(status);
    setFocusProxy(m_editor);
    m_bannerRow->hide();

    connect(m_bannerButtons[0], &QPushButton::clicked, this, [this] {
        if (m_banner == Banner::ReadOnly)
            Q_EMIT copyRequested();
        else if (m_banner == Banner::ChangedOnDisk)
            Q_EMIT reloadRequested();
        else
            Q_EMIT keepRequested();
    });
    connect(m_bannerButtons[1], &QPushButton::clicked, this, &BookPage::keepRequested);
    connect(m_fix, &QPushButton::clicked, this, [this] {
        m_editor->applyFix();
        m_editor->setFocus();
    });
    connect(m_editor, &BookEditor::caretMoved, this, &BookPage::showCaret);
    connect(m_editor, &BookEditor::marksChanged, this, &BookPage::showCaret);
    m_outlineDelay.setSingleShot(true);
    m_outlineDelay.setInterval(100);
    connect(&m_outlineDelay, &QTimer::timeout, this, &BookPage::fillOutline);
    connect(m_editor->document(), &QTextDocument::contentsChanged, &m_outlineDelay,
            qOverload<>(&QTimer::start));
    connect(m_outline, &QComboBox::activated, this, [this](int index) {
        if (index >= 0 && std::size_t(index) < m_declarations.size())
            m_editor->goTo({m_declarations[std::size_t(index)].line, 1});
        m_editor->setFocus();
    });
    fillOutline();
}

void BookPage::setDetail(const QString& text) {
    m_detail->setText(text);
}

const DeclarationLine* BookPage::declarationAtCaret() const {
    const int line = m_editor->caret().line;
    const DeclarationLine* out = nullptr;
    for (const DeclarationLine& one : m_declarations)
        if (one.line <= line)
            out = &one;
    return out;
}

QString BookPage::statusText() const {
    return m_status->text();
}

void BookPage::fillOutline() {
    m_declarations.clear();
    int open = 0; // brackets
    for (QTextBlock block = m_editor->document()->begin();
         block.isValid() && m_declarations.size() < outlineLimit; block = block.next()) {
        const QString line = block.text();
        if (auto found = declarationOf(line, block.blockNumber() + 1,
                                       open == 0 ? Indent::Any : Indent::None)) {
            m_declarations.push_back(std::move(*found));
            open = 0; // what stands before is not closed yet
        }
        open = openBehind(line, open);
    }
    m_outline->clear();
    for (const DeclarationLine& declaration : m_declarations)
        m_outline->addItem(declaration.keyword + u' ' + declaration.name);
    m_outline->setPlaceholderText(
        m_declarations.empty() ? u"no declarations yet"_s
                               : countOf(std::int64_t(m_declarations.size()), u"declaration"_s));
    showCaret();
}

// The declaration the caret is in, and what is wrong on its line.
void BookPage::showCaret() {
    const Caret caret = m_editor->caret();
    const DeclarationLine* current = declarationAtCaret();
    m_outline->setCurrentIndex(current ? int(current - m_declarations.data()) : -1);
    const auto marks = m_editor->marksOfLine(caret.line);
    const MarkRecord* fixable = nullptr;
    for (const MarkRecord* mark : marks)
        if (!fixable && !mark->fixes.empty())
            fixable = mark;
    if (!marks.empty()) {
        m_status->setText(u"✖ "_s + QString::fromStdString(marks.front()->diag.message));
    } else {
        const auto count = m_editor->marks().size();
        m_status->setText(
            count == 0   ? u"line %1, column %2"_s.arg(caret.line).arg(caret.column)
            : count == 1 ? u"1 problem in this book (Ctrl+F8 goes there)"_s
                         : u"%1 problems in this book (Ctrl+F8 goes to the next)"_s.arg(count));
    }
    m_status->setProperty("muted", marks.empty());
    m_status->style()->unpolish(m_status);
    m_status->style()->polish(m_status);
    m_fix->setVisible(fixable != nullptr && !m_editor->isReadOnly());
    if (fixable)
        m_fix->setText(fontMetrics().elidedText(
            QString::fromStdString(fixable->fixes.front().label), Qt::ElideMiddle, widestFix));
}

void BookPage::setBanner(Banner banner) {
    m_banner = banner;
    m_bannerRow->setVisible(banner != Banner::None);
    QStringList buttons;
    switch (banner) {
    case Banner::None:
        break;
    case Banner::ReadOnly:
        m_bannerText->setText(u"This book is shipped with Fusewright and cannot be changed. A copy "
                              "under the same name takes its place."_s);
        buttons = {u"Edit a copy"_s};
        break;
    case Banner::ChangedOnDisk:
        m_bannerText->setText(u"Another program changed this file, and it has changes here too."_s);
        buttons = {u"Reload"_s, u"Keep mine"_s};
        break;
    case Banner::Gone:
        m_bannerText->setText(
            u"The file is gone. The text is still here; saving writes it again."_s);
        buttons = {u"Keep mine"_s};
        break;
    }
    for (std::size_t i = 0; i < m_bannerButtons.size(); ++i) {
        const bool shown = qsizetype(i) < buttons.size();
        m_bannerButtons[i]->setVisible(shown);
        if (shown)
            m_bannerButtons[i]->setText(buttons[qsizetype(i)]);
    }
}

bool BookPage::answer(Answer answer) {
    const bool asked =
        m_banner == Banner::ChangedOnDisk || (m_banner == Banner::Gone && answer == Answer::Keep);
    if (!asked)
        return false;
    if (answer == Answer::Reload)
        Q_EMIT reloadRequested();
    else
        Q_EMIT keepRequested();
    return true;
}

} // namespace fw::ui
