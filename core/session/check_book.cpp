#include "session/check_book.h"

#include "base/files.h"
#include "base/nearest.h"
#include "extern/user_library.h"
#include "fusion/pin_names.h"
#include "session/completions.h"
#include "session/text_range.h"
#include "session/verdicts.h"
#include "strategy/entries_without_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <tuple>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t longestWord = 100;
constexpr std::size_t mostSuggested = 100; // words that others are looked for

// Collects what is wrong, each with the token at its place underlined.
class Marks {
public:
    Marks(const BookText& book, const TextPlaces& places)
        : m_book(book), m_places(places), m_list(tokenize(book.text)), m_tokens(m_list.tokens) {}

    void add(const Diag& diag, std::vector<Fix> fixes) {
        if (diag.where.line == 0 || diag.where.file != m_book.file)
            return;
        MarkRecord mark;
        setRange(mark, m_places, underlined(diag));
        mark.diag = diag;
        mark.fixes = std::move(fixes);
        if (m_known.emplace(mark.line, mark.column, diag.message).second)
            m_marks.push_back(std::move(mark));
    }

    bool empty() const { return m_marks.empty(); }

    // Where a word is not understood: those that could stand there and are spelled much like it.
    void suggest(const BookNames& names) {
        std::size_t suggested = 0;
        std::set<std::string> right; // what is said of words that are spelled as they should be
        for (MarkRecord& mark : m_marks) {
            const std::size_t begin = m_places.offset(mark.line, mark.column),
                              end = m_places.offset(mark.endLine, mark.endColumn);
            const std::string word = m_book.text.substr(begin, end - begin);
            const bool name = mark.diag.code == DiagCode::TextName ||
                              mark.diag.code == DiagCode::UnknownOperator ||
                              mark.diag.code == DiagCode::RuleIllegal ||
                              mark.diag.code == DiagCode::Syntax;
            // A hint about grammar says what is meant; what is spelled alike is something else.
            const bool told = mark.diag.code == DiagCode::Syntax && !mark.diag.hint.empty() &&
                              !mark.diag.hint.starts_with("did you mean");
            if (!name || told || word.empty() || word.size() > longestWord ||
                right.contains(mark.diag.message) || ++suggested > mostSuggested)
                continue;
            const TextContext context = contextAt(m_book.text, m_list, begin);
            if (context.begin != begin || context.end != end)
                continue;
            std::vector<std::string> known;
            for (const CompletionRecord& one : completionsAt(context, m_book.text, names))
                known.push_back(one.text);
            if (std::find(known.begin(), known.end(), word) != known.end()) {
                right.insert(mark.diag.message);
                continue;
            }
            for (const std::string& text : nearest(word, known))
                mark.fixes.push_back(
                    fixOf(m_places, begin, end, text, fmt::format("replace {} by {}", word, text)));
        }
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
    TokenList m_list;
    const std::vector<Token>& m_tokens;
    std::vector<MarkRecord> m_marks;
    std::set<std::tuple<int, int, std::string>> m_known;
};

// What is wrong with a part of a declaration that was accepted is wrong with it.
void refuseAt(const Diag& diag, std::vector<CheckItem>& items) {
    const auto place = [](const auto& at) { return std::pair(at.line, at.column); };
    CheckItem* of = nullptr;
    for (CheckItem& item : items)
        if (place(item) <= place(diag.where) &&
            place(diag.where) < std::pair(item.endLine, item.endColumn))
            of = &item;
    if (of != nullptr && of->verdict == "ok")
        of->verdict = "refused";
}

} // namespace

Result<CheckDocument> checkBook(const Arguments& arguments, const Context& context) {
    if (arguments.rules.empty())
        return makeDiag(DiagCode::Usage, "check needs a book", {}, "fw check BOOK.fw");
    CheckDocument out;
    out.file = arguments.book.empty() ? arguments.rules.front() : arguments.book;
    // A book beside it that cannot be read is told where it is asked about itself.
    std::vector<std::string> files;
    for (const std::string& file : arguments.rules)
        if (file == out.file || bookText(file, arguments.texts))
            files.push_back(file);
    FW_TRY(const std::vector<BookText> all, bookTexts(files, arguments.texts));
    const auto asked = std::find_if(all.begin(), all.end(),
                                    [&](const BookText& one) { return one.file == out.file; });
    if (asked == all.end())
        return makeDiag(DiagCode::Usage, out.file + " is none of the books", {out.file});
    const BookText& book = *asked;
    Books books = readBooks(all);
    CheckedBook checked = checkBook(books, book.file).value();
    const auto written = std::find_if(books.read.begin(), books.read.end(),
                                      [&](const ReadBook& one) { return one.file == book.file; });
    const TextPlaces places(book.text);
    Marks marks(book, places);
    std::vector<std::vector<Fix>> fixes(checked.diagnostics.size());
    for (const MissingMark& missing : checked.missing)
        if (missing.error < fixes.size())
            fixes[missing.error].push_back(fixOf(places, missing.offset, missing.offset,
                                                 missing.text, "insert " + missing.text));
    for (std::size_t i = 0; i < checked.diagnostics.size(); ++i)
        marks.add(checked.diagnostics[i], std::move(fixes[i]));
    const bool typed = std::any_of(arguments.texts.begin(), arguments.texts.end(),
                                   [&](const BookSource& text) { return text.file == book.file; });
    const Verdicts verdicts(books, book.file,
                            typed ? Verdicts::Order::Leave : Verdicts::Order::Tell, context.cancel);
    for (CheckedItem& item : checked.items) {
        CheckItem row;
        setRange(row, places, item.span);
        row.name = std::move(item.name);
        row.kind = std::move(item.kind);
        row.verdict = std::move(item.verdict);
        row.diagnostics = std::move(item.diagnostics);
        if (row.verdict == "ok") {
            if (context.cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the check was cancelled");
            context.report("check", row.name, out.items.size(), checked.items.size());
            verdicts.judge(written->written[out.items.size()], row);
        }
        for (const Diag& diag : row.diagnostics)
            marks.add(diag, {});
        out.items.push_back(std::move(row));
    }
    out.diagnostics = std::move(checked.diagnostics);
    for (Diag& diag : errorsOfIncluded(books, book.file))
        out.diagnostics.push_back(std::move(diag));
    std::vector<std::shared_ptr<const Library>> libraries = externLibraries();
    for (const auto& own : userLibraries(books.libraries, {}))
        libraries.push_back(own);
    const Catalog catalog = catalogOf(libraries, std::move(books.strategy));
    for (const Diags& found :
         {entriesWithoutCode(catalog), pinsWithoutCode(catalog, books.fusion, out.file)})
        for (const Diag& diag : found)
            if (diag.where.file == out.file) {
                marks.add(diag, {});
                out.diagnostics.push_back(diag);
            }
    for (const Diag& diag : out.diagnostics)
        if (diag.severity == Severity::Error)
            refuseAt(diag, out.items);
    if (!marks.empty())
        marks.suggest(namesOf(all, nullptr));
    out.marks = marks.take();
    return out;
}

Status saveCounterexamples(CheckDocument& document, const std::string& folder) {
    for (CheckItem& item : document.items) {
        if (item.counterexample.empty())
            continue;
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error)
            return makeDiag(DiagCode::FileUnwritable,
                            "the folder cannot be made: " + error.message(), {folder});
        std::string name = item.name;
        for (char& c : name)
            c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        item.saved = (std::filesystem::path(folder) / (name + ".fw")).string();
        const std::string text =
            fmt::format("# {}\n# fw rewrite {}.fw --rules {}\n{}", item.diagnostics.back().message,
                        name, document.file, item.counterexample);
        FW_CHECK(writeFile(item.saved, text));
    }
    return {};
}

} // namespace fw
