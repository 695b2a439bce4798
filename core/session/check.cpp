#include "session/check.h"

#include "extern/extern.h"
#include "session/text_range.h"

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

// Collects what is wrong, each with the token at its place underlined.
class Marks {
public:
    Marks(const BookText& book, const TextPlaces& places)
        : m_book(book), m_places(places), m_tokens(tokenize(book.text).tokens) {}

    void add(const Diag& diag, std::vector<Fix> fixes) {
        if (diag.where.line == 0 || diag.where.file != m_book.file)
            return;
        MarkRecord mark;
        setRange(mark, m_places, underlined(diag));
        mark.diag = diag;
        mark.fixes = std::move(fixes);
        if (std::find(m_marks.begin(), m_marks.end(), mark) == m_marks.end())
            m_marks.push_back(std::move(mark));
    }

    std::vector<MarkRecord> take() {
        std::stable_sort(m_marks.begin(), m_marks.end(), [](const auto& a, const auto& b) {
            return std::pair(a.line, a.column) < std::pair(b.line, b.column);
        });
        return std::move(m_marks);
    }

private:
    Span underlined(const Diag& diag) const {
        const std::size_t offset = m_places.offset(diag.where.line, diag.where.column);
        const auto behind = std::upper_bound(
            m_tokens.begin(), m_tokens.end(), offset,
            [](std::size_t at, const Token& token) { return at < token.span.begin; });
        if (behind == m_tokens.begin())
            return m_places.span(offset, offset);
        const Token& token = *(behind - 1);
        if (token.kind != TokenKind::End)
            return token.span;
        // At the end there is nothing to underline but what comes last.
        return m_tokens.size() > 1 ? (behind - 2)->span : token.span;
    }

    const BookText& m_book;
    const TextPlaces& m_places;
    std::vector<Token> m_tokens;
    std::vector<MarkRecord> m_marks;
};

} // namespace

Result<CheckDocument> checkBook(const Arguments& arguments) {
    if (arguments.rules.empty())
        return makeDiag(DiagCode::Usage, "check needs a book", {}, "fw check BOOK.fw");
    CheckDocument out;
    out.file = arguments.rules.front();
    FW_TRY(std::vector<BookText> books, bookTexts(arguments.rules, arguments.texts));
    const BookText book = std::move(books.front());
    books.erase(books.begin());
    FW_TRY(BookChecked read, checkBook(book, books));
    CheckedBook& checked = read.checked;
    const TextPlaces places(book.text);
    Marks marks(book, places);
    std::vector<std::vector<Fix>> fixes(checked.diagnostics.size());
    for (const MissingMark& missing : checked.missing)
        if (missing.error < fixes.size())
            fixes[missing.error].push_back(fixOf(places, missing.offset, missing.offset,
                                                 missing.text, "insert " + missing.text));
    for (std::size_t i = 0; i < checked.diagnostics.size(); ++i)
        marks.add(checked.diagnostics[i], std::move(fixes[i]));
    for (CheckedItem& item : checked.items) {
        for (const Diag& diag : item.diagnostics)
            marks.add(diag, {});
        CheckItem row;
        setRange(row, places, item.span);
        row.name = std::move(item.name);
        row.kind = std::move(item.kind);
        row.verdict = std::move(item.verdict);
        row.diagnostics = std::move(item.diagnostics);
        out.items.push_back(std::move(row));
    }
    out.diagnostics = std::move(checked.diagnostics);
    for (Diag& diag :
         catalogOf(externLibraries(), std::move(read.books.strategy)).entriesWithoutCode())
        if (diag.where.file == out.file) {
            marks.add(diag, {});
            out.diagnostics.push_back(std::move(diag));
        }
    out.marks = marks.take();
    return out;
}

} // namespace fw
