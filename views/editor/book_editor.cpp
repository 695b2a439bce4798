// Text, places, marks, completion; what is painted is in book_editor_paint.cpp.
#include "views/editor/book_editor.h"

#include "views/common/theme.h"
#include "views/common/tool_tip.h"
#include "views/editor/book_highlighter.h"
#include "views/editor/book_text.h"
#include "views/editor/completion_model.h"
#include "views/editor/template_fields.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int indentStep = 2;
constexpr int fewestLines = 7; // that stay in view, whatever is below
// A shorter word completes only if people ask: Enter behind it is a new line.
constexpr int completedFrom = 2;

QString textOf(const Diag& diag) {
    QString out = QString::fromStdString(diag.message);
    if (!diag.hint.empty())
        out += u"\n"_s + QString::fromStdString(diag.hint);
    return out;
}

bool isWord(QChar c) {
    return c.isLetterOrNumber() || c == u'_' || c == u'.';
}

class Gutter : public QWidget {
public:
    explicit Gutter(BookEditor* editor) : QWidget(editor), m_editor(editor) {}
    QSize sizeHint() const override { return {m_editor->gutterWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { m_editor->paintGutter(event); }

private:
    BookEditor* m_editor;
};

} // namespace

BookEditor::BookEditor(QWidget* parent)
    : QPlainTextEdit(parent), m_gutter(new Gutter(this)),
      m_highlighter(new BookHighlighter(document())), m_completions(new CompletionModel(this)),
      m_completer(new QCompleter(m_completions, this)),
      m_fields(std::make_unique<TemplateFields>(*this)) {
    setPlaceholderText(u"rule, fuse, op, schedule, test, target, ...: a word and Enter write its "
                       "text, Ctrl+Space lists them all"_s);
    setLineWrapMode(NoWrap);
    setProperty("code", true);
    setCenterOnScroll(false);
    setMouseTracking(true);
    setTabChangesFocus(false);
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setMaxVisibleItems(12);
    m_completer->popup()->setItemDelegate(new CompletionDelegate(m_completer->popup()));
    m_completer->popup()->setAccessibleName(u"Completions"_s);
    m_completer->popup()->setObjectName(u"completions"_s);
    setMinimumHeight(fontMetrics().height() * fewestLines);
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this,
            &BookEditor::insertCompletion);
    connect(this, &QPlainTextEdit::blockCountChanged, this,
            [this] { setViewportMargins(gutterWidth(), 0, 0, 0); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int scrolled) {
        if (scrolled)
            m_gutter->scroll(0, scrolled);
        else
            m_gutter->update(0, rect.y(), m_gutter->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        refreshSelections();
        m_fields->follow();
        Q_EMIT caretMoved(caret());
    });
    connect(document(), &QTextDocument::contentsChange, this, [this](int, int removed, int added) {
        if (!m_setting && (removed > 0 || added > 0))
            Q_EMIT edited();
    });
    connect(&Theme::instance(), &Theme::changed, this, &BookEditor::refreshTheme);
    refreshTheme();
    setViewportMargins(gutterWidth(), 0, 0, 0);
}

BookEditor::~BookEditor() = default;

void BookEditor::refreshTheme() {
    setFont(Theme::codeFont());
    setTabStopDistance(fontMetrics().horizontalAdvance(u' ') * 8);
    m_completer->popup()->setFont(Theme::codeFont());
    refreshSelections();
    m_gutter->update();
}

// --- text

void BookEditor::setWholeText(const QString& text) {
    m_setting = true;
    m_folded.clear();
    setPlainText(m_folded.folded(text));
    m_setting = false;
}

void BookEditor::replaceWholeText(const QString& text) {
    const Caret before = caret();
    QTextCursor all(document());
    m_setting = true;
    all.beginEditBlock();
    all.select(QTextCursor::Document);
    all.insertText(m_folded.folded(text));
    all.endEditBlock();
    m_setting = false;
    QTextCursor cursor = textCursor();
    cursor.setPosition(positionOf(before));
    setTextCursor(cursor);
}

QString BookEditor::wholeText() const {
    return m_folded.whole(toPlainText());
}

QString BookEditor::lineText(int line) const {
    return document()->findBlockByNumber(line - 1).text();
}

QMimeData* BookEditor::createMimeDataFromSelection() const {
    auto* out = new QMimeData;
    out->setText(
        m_folded.whole(textCursor().selectedText().replace(QChar::ParagraphSeparator, u'\n')));
    return out;
}

void BookEditor::insertFromMimeData(const QMimeData* source) {
    if (source->hasText())
        textCursor().insertText(m_folded.folded(source->text()));
}

// --- places

Caret BookEditor::placeOf(int position) const {
    const QTextBlock block = document()->findBlock(position);
    if (!block.isValid())
        return {document()->blockCount(), 1};
    return {block.blockNumber() + 1, columnOf(block.text(), position - block.position())};
}

int BookEditor::positionOf(const Caret& place) const {
    const int line = std::clamp(place.line, 1, document()->blockCount());
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (place.line > document()->blockCount())
        return block.position() + block.length() - 1;
    return block.position() + ui::positionOf(block.text(), place.column);
}

QTextCursor BookEditor::cursorOf(const TextRange& range) const {
    QTextCursor out(document());
    out.setPosition(positionOf(startOf(range)));
    if (range.endLine > 0) {
        out.setPosition(std::max(out.position(), positionOf(endOf(range))),
                        QTextCursor::KeepAnchor);
        return out;
    }
    const QString line = out.block().text();
    int end = out.positionInBlock();
    while (end < line.size() && isWord(line[end]))
        ++end;
    end = std::max(end, std::min(out.positionInBlock() + 1, int(line.size())));
    out.setPosition(out.block().position() + end, QTextCursor::KeepAnchor);
    return out;
}

void BookEditor::goTo(const Caret& place) {
    QTextCursor cursor = textCursor();
    cursor.setPosition(positionOf(place));
    setTextCursor(cursor);
    if (!viewport()->rect().contains(cursorRect()))
        centerCursor();
}

void BookEditor::select(const TextRange& range) {
    setTextCursor(cursorOf(range));
    if (!viewport()->rect().contains(cursorRect()))
        centerCursor();
}

// --- marks and fixes

void BookEditor::setMarks(std::vector<MarkRecord> marks) {
    m_marks = std::move(marks);
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const MarkRecord& a, const MarkRecord& b) {
        return startOf(a) < startOf(b);
    });
    refreshSelections();
    m_gutter->update();
    Q_EMIT marksChanged();
}

std::vector<const MarkRecord*> BookEditor::marksOfLine(int line) const {
    std::vector<const MarkRecord*> out;
    for (const MarkRecord& mark : m_marks)
        if (mark.line == line)
            out.push_back(&mark);
    const int column = caret().column;
    std::stable_sort(out.begin(), out.end(), [&](const MarkRecord* a, const MarkRecord* b) {
        return std::abs(a->column - column) < std::abs(b->column - column);
    });
    return out;
}

bool BookEditor::goToMark(int step) {
    if (m_marks.empty())
        return false;
    const Caret now = caret();
    const auto later = [&](const MarkRecord& mark) { return startOf(mark) > now; };
    const auto earlier = [&](const MarkRecord& mark) { return startOf(mark) < now; };
    const MarkRecord* next = nullptr;
    if (step > 0) {
        const auto found = std::find_if(m_marks.begin(), m_marks.end(), later);
        next = found == m_marks.end() ? &m_marks.front() : &*found;
    } else {
        const auto found = std::find_if(m_marks.rbegin(), m_marks.rend(), earlier);
        next = found == m_marks.rend() ? &m_marks.back() : &*found;
    }
    goTo(startOf(*next));
    return true;
}

bool BookEditor::applyFix() {
    for (const MarkRecord* mark : marksOfLine(caret().line))
        if (!mark->fixes.empty()) {
            apply(Fix(mark->fixes.front())); // marks may go while it is applied
            return true;
        }
    return false;
}

void BookEditor::apply(const Fix& fix) {
    if (isReadOnly())
        return;
    QTextCursor cursor(document());
    cursor.setPosition(positionOf(startOf(fix)));
    cursor.setPosition(std::max(cursor.position(), positionOf(endOf(fix))),
                       QTextCursor::KeepAnchor);
    cursor.insertText(m_folded.folded(QString::fromStdString(fix.text)));
    setTextCursor(cursor);
}

void BookEditor::setTints(std::vector<TextRange> ranges) {
    m_tints = std::move(ranges);
    refreshSelections();
}

// --- completion and hover

void BookEditor::complete() {
    if (!isReadOnly())
        Q_EMIT completionAsked(caret(), revision());
}

void BookEditor::askHover() {
    Q_EMIT hoverAsked(caret(), viewport()->mapToGlobal(cursorRect().bottomLeft()));
}

void BookEditor::showCompletions(const std::vector<CompletionRecord>& list,
                                 const TextRange& replaced, int revision) {
    if (revision != this->revision() || isReadOnly() || !hasFocus())
        return;
    m_completed = replaced;
    m_completedBehind = std::max(0, positionOf(endOf(replaced)) - textCursor().position());
    m_completions->setList(list);
    const QTextCursor before = cursorOf(between(startOf(replaced), caret()));
    m_completer->setCompletionPrefix(startOf(replaced) == caret() ? QString()
                                                                  : before.selectedText());
    const int count = m_completer->completionCount();
    const bool written =
        count == 1 && m_completer->currentCompletion() == m_completer->completionPrefix();
    if (count == 0 || written) {
        m_completer->popup()->hide();
        return;
    }
    QAbstractItemView* popup = m_completer->popup();
    popup->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    int width = 0;
    for (int row = 0; row < std::min(count, 200); ++row)
        width = std::max(
            width, popup->sizeHintForIndex(m_completer->completionModel()->index(row, 0)).width());
    QTextCursor start(document());
    start.setPosition(positionOf(startOf(replaced)));
    QRect at = cursorRect(start).translated(gutterWidth(), 2);
    at.setWidth(std::clamp(width + 24, 220, 560));
    m_completer->complete(at);
}

void BookEditor::insertCompletion(const QModelIndex& index) {
    const QString text = index.data(Qt::EditRole).toString();
    QTextCursor cursor(document());
    cursor.setPosition(positionOf(startOf(m_completed)));
    const int end = std::min(textCursor().position() + m_completedBehind,
                             textCursor().block().position() + textCursor().block().length() - 1);
    cursor.setPosition(std::max(cursor.position(), end), QTextCursor::KeepAnchor);
    if (const QString snippet = index.data(CompletionModel::SnippetRole).toString();
        !snippet.isEmpty())
        return m_fields->insert(cursor, snippet.trimmed());
    cursor.insertText(text);
    setTextCursor(cursor);
}

void BookEditor::showHover(const QString& text, const QPoint& global) {
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(global, codeTipOf(text, Theme::codeFont().family()), viewport());
}

bool BookEditor::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QPlainTextEdit::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (int line = 0; const MarginNote* note = noteAt(help->pos(), &line)) {
        QToolTip::showText(help->globalPos(), toolTipOf(note->tip), viewport());
        return true;
    }
    const Caret place = placeOf(cursorForPosition(help->pos()).position());
    QStringList lines;
    for (const MarkRecord& mark : m_marks) {
        const QTextCursor marked = cursorOf(mark);
        const int at = positionOf(place);
        if (at >= marked.selectionStart() && at <= marked.selectionEnd()) {
            lines << textOf(mark.diag);
            if (!mark.fixes.empty())
                lines << u"Ctrl+. : "_s + QString::fromStdString(mark.fixes.front().label);
        }
    }
    if (!lines.isEmpty())
        QToolTip::showText(help->globalPos(), toolTipOf(lines.join(u'\n')), viewport());
    else
        Q_EMIT hoverAsked(place, help->globalPos());
    return true;
}

// --- keys

bool BookEditor::event(QEvent* event) {
    // Tab indents here; without this the window would take it.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape && m_completer->popup()->isVisible()) {
            event->accept();
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

void BookEditor::newLine() {
    QTextCursor cursor = textCursor();
    const QString line = cursor.block().text();
    const QStringView before = QStringView(line).left(cursor.positionInBlock());
    const int indent = indentAfter(before);
    const QStringView behind = QStringView(line).mid(cursor.positionInBlock()).trimmed();
    cursor.beginEditBlock();
    cursor.insertText(u'\n' + QString(indent, u' '));
    // Between two brackets the second goes on a line of its own.
    if (!before.isEmpty() && before.trimmed().endsWith(u'{') && behind == u"}") {
        const int here = cursor.position();
        cursor.insertText(u'\n' + QString(std::max(0, indent - indentStep), u' '));
        cursor.setPosition(here);
    }
    cursor.endEditBlock();
    setTextCursor(cursor);
    ensureCursorVisible();
}

void BookEditor::indentSelection(int step) {
    QTextCursor cursor = textCursor();
    const QTextBlock last = document()->findBlock(cursor.selectionEnd());
    QTextCursor edit(document()->findBlock(cursor.selectionStart()));
    edit.beginEditBlock();
    while (true) {
        const QTextBlock block = edit.block();
        edit.movePosition(QTextCursor::StartOfBlock);
        if (step > 0) {
            edit.insertText(QString(indentStep, u' '));
        } else {
            const QString line = block.text().left(indentStep);
            int blanks = 0;
            while (blanks < line.size() && line[blanks] == u' ')
                ++blanks;
            edit.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, blanks);
            edit.removeSelectedText();
        }
        if (block == last || !edit.movePosition(QTextCursor::NextBlock))
            break;
    }
    edit.endEditBlock();
}

// Whether it was for the list of completions.
bool BookEditor::takesCompletion(const QKeyEvent& event) {
    QAbstractItemView* popup = m_completer->popup();
    switch (event.key()) {
    case Qt::Key_Enter:
    case Qt::Key_Return:
    case Qt::Key_Tab: {
        const QModelIndex current = popup->currentIndex();
        popup->hide();
        if (!current.isValid() || current.data() == m_completer->completionPrefix())
            return false;
        insertCompletion(current);
        return true;
    }
    case Qt::Key_Escape:
        popup->hide();
        return true;
    default:
        return false;
    }
}

// A closing bracket on a line of its own stands below what it closes.
bool BookEditor::closeBrace() {
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    if (cursor.hasSelection() || before.size() < indentStep || !before.trimmed().isEmpty())
        return false;
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, indentStep);
    cursor.insertText(u"}"_s);
    setTextCursor(cursor);
    return true;
}

// Whether the key lays out lines.
bool BookEditor::laysOut(const QKeyEvent& event) {
    if (isReadOnly() || event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        newLine();
        return true;
    case Qt::Key_Tab:
        if (m_fields->isActive() && m_fields->go(+1))
            return true;
        if (textCursor().hasSelection())
            indentSelection(+1);
        else
            insertPlainText(
                QString(indentStep - textCursor().positionInBlock() % indentStep, u' '));
        return true;
    case Qt::Key_Backtab:
        if (!m_fields->isActive() || !m_fields->go(-1))
            indentSelection(-1);
        return true;
    case Qt::Key_BraceRight:
        return closeBrace();
    default:
        return false;
    }
}

void BookEditor::narrowCompletions() {
    const QTextCursor word = cursorOf(between(startOf(m_completed), caret()));
    m_completer->setCompletionPrefix(word.selectedText());
    const bool ended = caret().line != m_completed.line ||
                       textCursor().position() <= positionOf(startOf(m_completed)) ||
                       m_completer->completionCount() == 0;
    if (ended)
        m_completer->popup()->hide();
    else
        m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
}

void BookEditor::keyPressEvent(QKeyEvent* event) {
    const bool popup = m_completer->popup()->isVisible();
    if ((popup && takesCompletion(*event)) || laysOut(*event))
        return;
    const int before = revision();
    QPlainTextEdit::keyPressEvent(event);
    if (revision() == before) {
        if (popup && event->key() != Qt::Key_Shift && event->key() != Qt::Key_Control)
            m_completer->popup()->hide();
        return;
    }
    if (popup)
        narrowCompletions();
    const QString typed = event->text();
    if (!m_completer->popup()->isVisible() && !typed.isEmpty() && isWord(typed[0]) &&
        wordBefore() >= completedFrom)
        complete();
}

int BookEditor::wordBefore() const {
    const QString line = textCursor().block().text();
    const int at = textCursor().positionInBlock();
    int begin = at;
    while (begin > 0 && isWord(line[begin - 1]))
        --begin;
    return begin < at && line[begin].isDigit() ? 0 : at - begin;
}

void BookEditor::mousePressEvent(QMouseEvent* event) {
    if (int line = 0; const MarginNote* note = noteAt(event->pos(), &line))
        if (note->opens && event->button() == Qt::LeftButton) {
            Q_EMIT noteActivated(line);
            return;
        }
    QPlainTextEdit::mousePressEvent(event);
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::ControlModifier)
        Q_EMIT definitionAsked(caret());
}

} // namespace fw::ui
