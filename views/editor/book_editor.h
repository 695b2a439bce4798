// BookEditor: the text of one book, with line numbers, notes beside declarations, marks under what
// is wrong, completion and hover.
//
// It knows no engine: what is wrong, what completes and what a word means is given by setters, and
// asked for by signals that carry a place. An answer that comes when the text has moved on is
// dropped (completions carry the revision they were asked for). Places are those of diagnostics:
// lines and columns from 1 (book_text.h).
#pragma once

#include "snapshot/book_records.h"
#include "views/editor/folded_lines.h"

#include <QPlainTextEdit>

#include <map>
#include <memory>
#include <optional>
#include <vector>

class QCompleter;

namespace fw::ui {

class BookHighlighter;
class CompletionModel;
class TemplateFields;

using snapshot::CompletionRecord;
using snapshot::Fix;
using snapshot::MarkRecord;
using snapshot::TextRange;

struct Caret {
    int line = 0;
    int column = 0;

    auto operator<=>(const Caret&) const = default;
};

inline Caret startOf(const TextRange& range) {
    return {range.line, range.column};
}
inline Caret endOf(const TextRange& range) {
    return {range.endLine, range.endColumn};
}
inline TextRange between(const Caret& from, const Caret& to) {
    return {from.line, from.column, to.line, to.column};
}

// What stands behind the first line of a declaration: "17 matches, 3.1 ms". A form that ends at a
// comma is shown where there is no room for all of it.
struct MarginNote {
    enum class Look : std::uint8_t { Quiet, Good, Near, Stale, Bad };
    QString text;
    QString tip = {};
    Look look = Look::Quiet;
    bool opens = false; // a click tells noteActivated

    bool operator==(const MarginNote&) const = default;
};

class BookEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit BookEditor(QWidget* parent = nullptr);
    ~BookEditor() override;

    // Long lines are folded (FoldedLines); wholeText() is what to save.
    void setWholeText(const QString& text); // forgets undo
    // As one step of undo; the caret stays on its line.
    void replaceWholeText(const QString& text);
    QString wholeText() const;

    Caret placeOf(int position) const;
    int positionOf(const Caret& place) const; // the nearest that exists
    Caret caret() const { return placeOf(textCursor().position()); }
    void goTo(const Caret& place); // and shows it in the middle if it was out of sight
    void select(const TextRange& range);
    QString lineText(int line) const;

    // A mark without an end marks the word that begins there.
    void setMarks(std::vector<MarkRecord> marks);
    const std::vector<MarkRecord>& marks() const { return m_marks; }
    // Of the caret's line, the nearest to the caret first.
    std::vector<const MarkRecord*> marksOfLine(int line) const;
    // Moves the caret to the next mark (+1) or the one before (-1), around the ends.
    bool goToMark(int step);
    // The fix nearest to the caret on its line.
    bool applyFix();
    void apply(const Fix& fix);

    void setNotes(std::map<int, MarginNote> notes); // by line
    const std::map<int, MarginNote>& notes() const { return m_notes; }
    // A quiet background behind ranges: what a selected node is bound to.
    void setTints(std::vector<TextRange> ranges);

    void complete(); // asks
    void askHover(); // of the word at the caret
    int revision() const { return document()->revision(); }
    void showCompletions(const std::vector<CompletionRecord>& list, const TextRange& replaced,
                         int revision);
    QCompleter* completer() const { return m_completer; }
    void showHover(const QString& text, const QPoint& global);

    int gutterWidth() const;
    void paintGutter(QPaintEvent* event);

Q_SIGNALS:
    void completionAsked(const fw::ui::Caret& place, int revision);
    void hoverAsked(const fw::ui::Caret& place, const QPoint& global);
    void definitionAsked(const fw::ui::Caret& place); // Ctrl+click
    void noteActivated(int line);
    void edited(); // by people or by a fix, not by setWholeText
    void caretMoved(const fw::ui::Caret& place);
    void marksChanged();

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QMimeData* createMimeDataFromSelection() const override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    void refreshTheme();
    void refreshSelections(); // current line, marks, brackets, tints
    void newLine();
    void indentSelection(int step);
    bool takesCompletion(const QKeyEvent& event);
    bool closeBrace();
    bool laysOut(const QKeyEvent& event);
    void narrowCompletions();
    int wordBefore() const; // how long the word before the caret is; a number is none
    void insertCompletion(const QModelIndex& index);
    QTextCursor cursorOf(const TextRange& range) const;
    std::vector<int> bracketPair() const; // positions; empty: none, one: it has no partner

    QWidget* m_gutter;
    BookHighlighter* m_highlighter;
    CompletionModel* m_completions;
    QCompleter* m_completer;
    TextRange m_completed;     // what a completion replaces
    int m_completedBehind = 0; // of it, characters behind the caret
    std::unique_ptr<TemplateFields> m_fields;
    FoldedLines m_folded;
    std::vector<MarkRecord> m_marks;
    std::vector<TextRange> m_tints;
    const MarginNote* noteAt(const QPoint& at, int* line) const; // null: there is none
    std::map<int, MarginNote> m_notes;
    std::map<int, QRectF> m_chips; // of notes, as they were painted last
    bool m_setting = false;
};

} // namespace fw::ui
