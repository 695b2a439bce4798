#include "views/editor/template_fields.h"

#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QTextBlock>

namespace fw::ui {

using namespace Qt::StringLiterals;

void TemplateFields::insert(QTextCursor cursor, const QString& text) {
    static const QRegularExpression field(u"\\$\\{\\d+:([^}]*)\\}"_s);
    const QString line = cursor.block().text();
    const auto indent = qsizetype(
        std::find_if(line.begin(), line.end(), [](QChar c) { return c != u' '; }) - line.begin());
    QString whole = text;
    whole.replace(u"\n"_s,
                  u"\n"_s + line.left(std::min<qsizetype>(indent, cursor.positionInBlock())));
    m_fields.clear();
    cursor.beginEditBlock();
    cursor.removeSelectedText();
    const int begin = cursor.position();
    std::vector<std::pair<int, int>> places;
    qsizetype done = 0;
    for (auto all = field.globalMatch(whole); all.hasNext();) {
        const QRegularExpressionMatch one = all.next();
        cursor.insertText(whole.mid(done, one.capturedStart() - done));
        const int first = cursor.position();
        cursor.insertText(one.captured(1));
        places.emplace_back(first, cursor.position());
        done = one.capturedEnd();
    }
    cursor.insertText(whole.mid(done));
    cursor.endEditBlock();
    const auto selecting = [&](int from, int to) {
        QTextCursor out(m_edit.document());
        out.setPosition(from);
        out.setPosition(to, QTextCursor::KeepAnchor);
        return out;
    };
    m_whole = selecting(begin, cursor.position());
    for (const auto& [from, to] : places)
        m_fields.push_back(selecting(from, to));
    if (m_fields.empty())
        return m_edit.setTextCursor(cursor);
    m_at = 0;
    m_edit.setTextCursor(m_fields.front());
}

bool TemplateFields::go(int step) {
    const auto next = std::ptrdiff_t(m_at) + step;
    if (next < 0 || next >= std::ptrdiff_t(m_fields.size())) {
        end();
        return false;
    }
    m_at = std::size_t(next);
    m_edit.setTextCursor(m_fields[m_at]);
    return true;
}

void TemplateFields::follow() {
    const int caret = m_edit.textCursor().position();
    if (isActive() && (caret < m_whole.selectionStart() || caret > m_whole.selectionEnd()))
        end();
}

} // namespace fw::ui
