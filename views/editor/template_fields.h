// The fields of a text that was written as a whole: each is selected in turn and typed over, and
// moves with what is typed before it.
#pragma once

#include <QTextCursor>

#include <vector>

class QPlainTextEdit;

namespace fw::ui {

class TemplateFields {
public:
    explicit TemplateFields(QPlainTextEdit& edit) : m_edit(edit) {} // lives longer

    // In place of what the cursor selects. Fields are written "${1:name}"; lines behind the first
    // are indented as the line is. The first field is selected.
    void insert(QTextCursor cursor, const QString& text);
    // Selects the next field, or the one before. False: there is none, and it ends.
    bool go(int step);
    bool isActive() const { return !m_fields.empty(); }
    void end() { m_fields.clear(); }
    // The caret has left what was written: ends.
    void follow();

private:
    QPlainTextEdit& m_edit;
    std::vector<QTextCursor> m_fields; // each selects one
    QTextCursor m_whole;
    std::size_t m_at = 0;
};

} // namespace fw::ui
