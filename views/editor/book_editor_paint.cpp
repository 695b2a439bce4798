// What a BookEditor paints: gutter, notes, and the marks over the text.
#include "views/common/theme.h"
#include "views/editor/book_editor.h"
#include "views/editor/book_text.h"

#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>

namespace fw::ui {

namespace {

constexpr int gutterMargin = 8;
constexpr int markWidth = 3;
constexpr int noteGap = 24;
// A bracket's partner is looked for in so many lines and pieces, a mark painted so often.
constexpr int bracketLines = 2000;
constexpr int bracketPieces = 50000;
constexpr std::size_t markLimit = 500;

bool isBracket(QChar c) {
    return QStringView(u"()[]{}").contains(c);
}

QChar partnerOf(QChar c) {
    const QStringView all(u"()[]{}");
    const qsizetype at = all.indexOf(c);
    return all[at ^ 1];
}

} // namespace

int BookEditor::gutterWidth() const {
    int digits = 3;
    for (int count = document()->blockCount(); count >= 1000; count /= 10)
        ++digits;
    return 2 * gutterMargin + markWidth + digits * fontMetrics().horizontalAdvance(u'9');
}

void BookEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    const QRect inner = contentsRect();
    m_gutter->setGeometry(inner.left(), inner.top(), gutterWidth(), inner.height());
}

void BookEditor::paintGutter(QPaintEvent* event) {
    const Theme& theme = Theme::instance();
    if (m_gutter->width() != gutterWidth())
        m_gutter->resize(gutterWidth(), m_gutter->height());
    QPainter painter(m_gutter);
    painter.fillRect(event->rect(), theme.colour(Colour::Chrome));
    painter.setFont(font());
    const int current = textCursor().blockNumber();
    QTextBlock block = firstVisibleBlock();
    while (block.isValid()) {
        const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
        if (box.top() > event->rect().bottom())
            break;
        const int line = block.blockNumber() + 1;
        painter.setPen(theme.colour(block.blockNumber() == current ? Colour::Text : Colour::Muted));
        painter.drawText(QRectF(0, box.top(), m_gutter->width() - gutterMargin - markWidth,
                                fontMetrics().height()),
                         Qt::AlignRight, QString::number(line));
        const auto marks = marksOfLine(line);
        if (!marks.empty()) {
            const bool error = std::any_of(marks.begin(), marks.end(), [](const MarkRecord* mark) {
                return mark->diag.severity == Severity::Error;
            });
            painter.fillRect(
                QRectF(m_gutter->width() - markWidth, box.top(), markWidth, fontMetrics().height()),
                theme.colour(error ? Colour::Failing : Colour::NearMiss));
        }
        block = block.next();
    }
}

void BookEditor::setNotes(std::map<int, MarginNote> notes) {
    m_notes = std::move(notes);
    viewport()->update();
}

void BookEditor::paintEvent(QPaintEvent* event) {
    QPlainTextEdit::paintEvent(event);
    m_chips.clear();
    if (m_notes.empty())
        return;
    const Theme& theme = Theme::instance();
    QPainter painter(viewport());
    painter.setFont(Theme::textFont(11));
    const int space = fontMetrics().height();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
        if (box.top() > viewport()->height())
            break;
        const auto found = m_notes.find(block.blockNumber() + 1);
        if (found == m_notes.end())
            continue;
        const MarginNote& note = found->second;
        const qreal text =
            block.layout()->lineCount() > 0 ? block.layout()->lineAt(0).naturalTextWidth() : 0;
        const qreal end = contentOffset().x() + text;
        // At the right edge, shortened where the line is longer. What still has no room lies over
        // the end of the line, unless that is being edited.
        QString said;
        qreal width = 0;
        qreal left = 0;
        for (const QString& form : {note.text, note.text.section(u',', 0, 0)}) {
            said = form;
            width = painter.fontMetrics().horizontalAdvance(said) + 12;
            left = viewport()->width() - width - 6;
            if (end + noteGap <= left)
                break;
        }
        if (end + noteGap > left && block == textCursor().block())
            continue;
        const QRectF chip(left, box.top() + 1, width, space - 2);
        const auto colour = [&] {
            switch (note.look) {
            case MarginNote::Look::Good:
                return Colour::Match;
            case MarginNote::Look::Near:
                return Colour::NearMiss;
            case MarginNote::Look::Bad:
                return Colour::Failing;
            case MarginNote::Look::Quiet:
            case MarginNote::Look::Stale:
                break;
            }
            return Colour::Muted;
        }();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(QRectF(left - 6, box.top(), viewport()->width() - left + 6, space),
                         theme.colour(Colour::Pane));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.colour(Colour::PaneHighlight));
        painter.drawRoundedRect(chip, 4, 4);
        painter.setPen(theme.colour(colour));
        painter.drawText(chip, Qt::AlignCenter, said);
        m_chips.emplace(block.blockNumber() + 1, chip);
    }
}

const MarginNote* BookEditor::noteAt(const QPoint& at, int* line) const {
    for (const auto& [number, chip] : m_chips)
        if (const auto note = m_notes.find(number);
            note != m_notes.end() && chip.contains(QPointF(at))) {
            *line = number;
            return &note->second;
        }
    return nullptr;
}

// The bracket at the caret and its partner, found by counting.
std::vector<int> BookEditor::bracketPair() const {
    const QTextCursor cursor = textCursor();
    const QTextBlock start = cursor.block();
    const QString text = start.text();
    int at = cursor.positionInBlock();
    if (at > 0 && (at >= text.size() || !isBracket(text[at])))
        --at;
    if (at >= text.size() || at >= lineLimit || !isBracket(text[at]))
        return {};
    const auto bracketsOf = [](const QString& line) {
        std::vector<Piece> out = piecesOf(line);
        std::erase_if(out, [](const Piece& piece) { return piece.kind != PieceKind::Bracket; });
        return out;
    };
    const QChar mine = text[at];
    const QChar other = partnerOf(mine);
    const bool forward = QStringView(u"([{").contains(mine);
    int depth = 0;
    int looked = 0;
    bool begun = false;
    QTextBlock block = start;
    for (int lines = 0; block.isValid() && lines < bracketLines && looked < bracketPieces;
         ++lines, block = forward ? block.next() : block.previous()) {
        const QString line = block.text();
        std::vector<Piece> brackets = bracketsOf(line);
        looked += int(brackets.size()) + 1;
        if (!forward)
            std::reverse(brackets.begin(), brackets.end());
        for (const Piece& piece : brackets) {
            if (block == start && !begun) {
                if (piece.begin != at)
                    continue;
                begun = true;
            }
            const QChar c = line[piece.begin];
            depth += c == mine ? 1 : c == other ? -1 : 0;
            if (depth == 0)
                return {start.position() + at, block.position() + piece.begin};
        }
        if (!begun) // inside a text or a comment
            return {};
    }
    if (block.isValid())
        return {}; // further away than was looked
    return {start.position() + at};
}

void BookEditor::refreshSelections() {
    const Theme& theme = Theme::instance();
    QList<QTextEdit::ExtraSelection> out;
    QTextEdit::ExtraSelection current;
    current.cursor = textCursor();
    current.cursor.clearSelection();
    current.format.setBackground(theme.colour(Colour::PaneAlternate));
    current.format.setProperty(QTextFormat::FullWidthSelection, true);
    out << current;
    for (const TextRange& range : m_tints) {
        QTextEdit::ExtraSelection tint;
        tint.cursor = cursorOf(range);
        tint.format.setBackground(theme.colour(Colour::PaneHighlight));
        tint.format.setFontUnderline(true);
        tint.format.setUnderlineColor(theme.colour(Colour::Match));
        out << tint;
    }
    for (std::size_t i = 0; i < std::min(m_marks.size(), markLimit); ++i) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = cursorOf(m_marks[i]);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(theme.colour(
            m_marks[i].diag.severity == Severity::Error ? Colour::Failing : Colour::NearMiss));
        out << mark;
    }
    const std::vector<int> pair = bracketPair();
    for (const int position : pair) {
        QTextEdit::ExtraSelection bracket;
        bracket.cursor = QTextCursor(document());
        bracket.cursor.setPosition(position);
        bracket.cursor.setPosition(position + 1, QTextCursor::KeepAnchor);
        bracket.format.setForeground(
            theme.colour(pair.size() == 2 ? Colour::Accent : Colour::Failing));
        bracket.format.setFontWeight(QFont::Bold);
        out << bracket;
    }
    setExtraSelections(out);
}

} // namespace fw::ui
