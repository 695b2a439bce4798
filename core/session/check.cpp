#include "session/check.h"

#include "base/files.h"
#include "base/nearest.h"
#include "extern/extern.h"
#include "session/completions.h"
#include "session/text_range.h"
#include "strategy/computation.h"
#include "tensor/op_check.h"
#include "verdict/hidden.h"
#include "verdict/termination.h"
#include "verdict/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <mutex>
#include <set>
#include <tuple>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t longestWord = 100;
constexpr std::size_t mostSuggested = 100; // words that others are looked for

// On how many calls a declaration that was accepted was tried; nothing if it is of no kind that is.
std::optional<std::int64_t> trialsOf(const DeclarationTree& declaration,
                                     const OperatorSet& operators, const std::string& file) {
    if (const auto* op = dynamic_cast<const OpTree*>(&declaration)) {
        OperatorTrials trials;
        (void)checkOperator(*op, file, &trials);
        return trials.fitting;
    }
    const auto* block = dynamic_cast<const ImplementationsTree*>(&declaration);
    std::optional<std::int64_t> out;
    if (block != nullptr)
        for (const EntryTree& entry : block->entries)
            if (entry.compute) {
                const std::shared_ptr<const OperatorSet> borrowed(std::shared_ptr<void>(),
                                                                  &operators);
                int agreed = 0;
                (void)disagreement({&entry, block}, borrowed, file, &agreed);
                out = out.value_or(0) + agreed;
            }
    return out;
}

// What small graphs say, by the texts that it depends on: a book is checked at every pause in
// typing.
template <class Make>
auto remembered(const std::string& texts, const CancelToken& cancel, Make make) {
    static std::mutex mutex;
    static std::map<Hash, decltype(make())> known;
    const Hash key = hashOf(texts);
    const std::lock_guard lock(mutex);
    if (known.size() > 1024)
        known.clear();
    if (const auto found = known.find(key); found != known.end())
        return found->second;
    auto out = make();
    if (!cancel.cancelled())
        known[key] = out;
    return out;
}

// What every trial depends on.
std::string textsAround(const Books& books) {
    std::string out = books.operatorText;
    for (const auto& pattern : books.rules.patterns)
        out += "\n" + pattern->source;
    return out;
}

RuleTrial trialOf(const std::shared_ptr<const RuleTree>& rule, const Books& books,
                  const CancelToken& cancel) {
    return remembered(rule->source + "\n" + textsAround(books), cancel,
                      [&] { return tryRule(rule, books.rules, books.operators, 1, cancel); });
}

std::optional<HiddenBy> hiddenRule(const std::shared_ptr<const RuleTree>& rule,
                                   const Books& books) {
    std::string texts = textsAround(books);
    for (const auto& entry : books.rules.entries) {
        texts += "\n" + entry->source;
        if (entry == rule)
            return remembered(texts, {},
                              [&] { return hiddenBy(rule, books.rules, books.operators); });
    }
    return std::nullopt;
}

// By rules that are asked before it wherever it is asked, and of its library or of none.
std::optional<HiddenBy> hiddenFuse(const std::shared_ptr<const FuseTree>& fuse,
                                   const Books& books) {
    std::string texts = textsAround(books);
    std::vector<const RuleTree*> earlier;
    for (const FuseRule& one : books.fusion.fuseRules()) {
        texts += "\n" + one.tree->source;
        if (one.tree == fuse)
            return remembered(texts, {}, [&] {
                return hiddenBy(fuse->rule, earlier, books.fusion.patterns(), books.operators);
            });
        if (one.tree->keys.empty() &&
            (one.tree->library.empty() || one.tree->library == fuse->library))
            earlier.push_back(&one.tree->rule);
    }
    return std::nullopt;
}

void tellHidden(const DeclarationPtr& declaration, const Books& books, const Where& where,
                CheckItem& row) {
    const auto fuse = declarationAs<FuseTree>(declaration);
    const auto rule = declarationAs<RuleTree>(declaration);
    const std::optional<HiddenBy> hidden = fuse ? hiddenFuse(fuse, books)
                                           : rule && rule->keyword == "rule"
                                               ? hiddenRule(rule, books)
                                               : std::nullopt;
    if (hidden)
        row.diagnostics.push_back(makeWarning(
            DiagCode::RuleIllegal,
            fmt::format("{} leaves nothing for {}: it took a part of the match at each of {} small "
                        "graphs",
                        hidden->name, declaration->name, hidden->graphs),
            where, fmt::format("put {} before {}", declaration->name, hidden->name)));
}

// A rule that is accepted computes what it replaces wherever it was tried.
void tryRuleOf(const DeclarationPtr& declaration, const Books& books, const Where& where,
               const CancelToken& cancel, CheckItem& row) {
    const auto rule = declarationAs<RuleTree>(declaration);
    if (!rule || rule->keyword != "rule")
        return;
    const RuleTrial trial = trialOf(rule, books, cancel);
    row.trials = trial.cases;
    row.proofs = trial.proved;
    row.verdict = trial.proof == Proof::Exact       ? "proved exact"
                  : trial.proof == Proof::OverReals ? "proved over reals"
                  : trial.cases > 0                 ? "tested"
                                                    : "unknown";
    if (!trial.wrong)
        return;
    row.verdict = "refuted";
    row.counterexample = withValues(*trial.wrong->before, trial.wrong->inputs);
    row.diagnostics.push_back(makeWarning(
        DiagCode::OutputsDiffer, fmt::format("{} {}", rule->name, trial.wrong->difference), where,
        "mend the right side, or keep such graphs out behind where"));
}

// Of the rules of one book that nothing shows to end, with those before them: a remark each.
std::map<const DeclarationTree*, Diag> remarksOnEnding(const Books& books,
                                                       const std::string& file) {
    std::vector<std::shared_ptr<const RuleTree>> rules;
    std::string texts = textsAround(books);
    for (const ReadBook& book : books.read)
        for (const DeclarationPtr& declaration : book.declarations)
            if (auto rule = declarationAs<RuleTree>(declaration); rule && rule->keyword == "rule") {
                texts += "\n" + rule->source;
                rules.push_back(std::move(rule));
            }
    std::map<const DeclarationTree*, Diag> out;
    for (const NotShownToEnd& one :
         remembered(texts, {}, [&] { return notShownToEnd(rules, books.rules.table()); })) {
        const auto& rule = rules[one.rule];
        Diag remark = makeWarning(
            DiagCode::RuleLimit,
            one.alone
                ? fmt::format("nothing shows that {} ends: it may match what it made", rule->name)
            : one.beside.empty()
                ? fmt::format("nothing shows that {} ends beside the rules before it", rule->name)
                : fmt::format("nothing shows that {} and {} end beside each other", rule->name,
                              one.beside),
            {file, {}, rule->span.line, rule->span.column},
            "strategy sweep or once ends it; else what comes back, or grows, is stopped");
        remark.severity = Severity::Note;
        out.emplace(rule.get(), std::move(remark));
    }
    return out;
}

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
        for (MarkRecord& mark : m_marks) {
            const std::size_t begin = m_places.offset(mark.line, mark.column),
                              end = m_places.offset(mark.endLine, mark.endColumn);
            const std::string word = m_book.text.substr(begin, end - begin);
            const bool name = mark.diag.code == DiagCode::TextName ||
                              mark.diag.code == DiagCode::UnknownOperator ||
                              mark.diag.code == DiagCode::RuleIllegal ||
                              mark.diag.code == DiagCode::Syntax;
            if (!name || word.empty() || word.size() > longestWord || ++suggested > mostSuggested)
                continue;
            const TextContext context = contextAt(m_book.text, m_list, begin);
            if (context.begin != begin || context.end != end)
                continue;
            std::vector<std::string> known;
            for (const CompletionRecord& one : completionsAt(context, m_book.text, names))
                known.push_back(one.text);
            if (std::find(known.begin(), known.end(), word) != known.end())
                continue; // the word is right, what is said of it is something else
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
    const std::map<const DeclarationTree*, Diag> remarks = remarksOnEnding(books, book.file);
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
            const DeclarationPtr& declaration = written->written[out.items.size()];
            row.trials = trialsOf(*declaration, *books.operators, book.file);
            tryRuleOf(declaration, books, {book.file, {}, row.line, row.column}, context.cancel,
                      row);
            if (row.stands())
                tellHidden(declaration, books, {book.file, {}, row.line, row.column}, row);
            if (const auto remark = remarks.find(declaration.get()); remark != remarks.end())
                row.diagnostics.push_back(remark->second);
        }
        for (const Diag& diag : row.diagnostics)
            marks.add(diag, {});
        out.items.push_back(std::move(row));
    }
    out.diagnostics = std::move(checked.diagnostics);
    for (Diag& diag : catalogOf(externLibraries(), std::move(books.strategy)).entriesWithoutCode())
        if (diag.where.file == out.file) {
            marks.add(diag, {});
            out.diagnostics.push_back(std::move(diag));
        }
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
