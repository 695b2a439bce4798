#include "book/book.h"

#include "base/files.h"
#include "book/replaced.h"
#include "library/library.h"
#include "rewrite/apply.h"
#include "rewrite/builtin.h"
#include "rewrite/embedded.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace fw {

namespace {

// In the order in which they are read, before the user's.
std::vector<ShippedText> shippedBooks() {
    return {{"simplify.fw", embeddedSimplify()},
            {"strategy.fw", embeddedStrategy()},
            {"fusion.fw", embeddedFusion()}};
}

std::string fileName(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// What is wrong with one declaration, given everything that is known by name.
Diags problemsOf(const DeclarationPtr& declaration, const OperatorSet& operators,
                 const PatternTable& patterns, const std::string& file) {
    if (const auto rule = declarationAs<RuleTree>(declaration))
        return checkRule(*rule, operators, patterns, file);
    if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
        return checkPattern(*pattern, operators, patterns, file);
    if (const auto block = declarationAs<ImplementationsTree>(declaration))
        return checkBlock(*block, operators, patterns, file);
    if (const auto fuse = declarationAs<FuseTree>(declaration))
        return checkFuse(*fuse, operators, patterns, file);
    if (const auto grow = declarationAs<GrowTree>(declaration))
        return checkGrow(*grow, file);
    if (const auto builtin = declarationAs<BuiltinTree>(declaration))
        return checkBuiltin(*builtin, file);
    return {};
}

using Names = std::set<std::string>;

// Where a pattern names one of those.
const PatternTree* reference(const PatternTree& p, const Names& names) {
    const bool refers =
        p.kind == PatternKind::Capture || (p.kind == PatternKind::Call && !p.ofKind);
    if (refers && names.contains(p.name))
        return &p;
    for (const PatternTree& part : p.args)
        if (const PatternTree* found = reference(part, names))
            return found;
    return nullptr;
}

// A declaration that names a pattern or chain which is refused: without that, a chain's name would
// be a capture and stand for any value.
std::optional<Diag> needsRefused(const DeclarationPtr& declaration, const Names& refused,
                                 const std::string& file) {
    const auto refuse = [&](const std::string& name, const Span& span) {
        return makeDiag(DiagCode::TextName, name + " is refused, so this cannot be used",
                        {file, {}, span.line, span.column}, "mend " + name);
    };
    std::vector<const PatternTree*> patterns;
    const auto fuse = declarationAs<FuseTree>(declaration);
    const auto rule = declarationAs<RuleTree>(declaration);
    if (fuse || rule)
        for (const NamedPattern& named : (fuse ? fuse->rule : *rule).match)
            patterns.push_back(&named.pattern);
    if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
        patterns.push_back(&pattern->pattern);
    for (const PatternTree* pattern : patterns)
        if (const PatternTree* found = reference(*pattern, refused))
            return refuse(found->name, found->span);
    if (const auto block = declarationAs<ImplementationsTree>(declaration))
        for (const EntryTree& entry : block->entries)
            if (refused.contains(entry.chain))
                return refuse(entry.chain, entry.chainSpan);
    return std::nullopt;
}

void addRules(RuleBook& rules, const ReadBook& book) {
    for (const DeclarationPtr& declaration : book.declarations) {
        if (auto rule = declarationAs<RuleTree>(declaration))
            rules.entries.push_back(rule);
        else if (auto builtin = declarationAs<BuiltinTree>(declaration))
            rules.entries.push_back(builtin);
        else if (auto pattern = declarationAs<PatternDeclTree>(declaration))
            rules.patterns.push_back(pattern);
    }
}

// Takes out what needs patterns that were taken out, until nothing does.
void refuseDependents(std::vector<ReadBook>& books, const PatternTable& all, Diags& diagnostics) {
    for (bool more = true; more;) {
        Names refused;
        for (const auto& [name, pattern] : all)
            refused.insert(name);
        for (const ReadBook& book : books)
            for (const DeclarationPtr& declaration : book.declarations)
                if (declarationAs<PatternDeclTree>(declaration))
                    refused.erase(declaration->name);
        more = false;
        for (ReadBook& book : books)
            more = std::erase_if(book.declarations,
                                 [&](const DeclarationPtr& declaration) {
                                     auto problem = needsRefused(declaration, refused, book.file);
                                     if (problem)
                                         diagnostics.push_back(std::move(*problem));
                                     return problem.has_value();
                                 }) > 0 ||
                   more;
    }
}

void noteShadowed(const std::vector<ReadBook>& books, Diags& diagnostics) {
    std::map<std::pair<std::string, std::string>, std::string> known; // keyword, name -> file
    for (const ReadBook& book : books)
        for (const DeclarationPtr& declaration : book.declarations) {
            static const std::vector<std::string> named = {"op", "pattern", "chain", "composite",
                                                           "fuse"};
            if (std::find(named.begin(), named.end(), declaration->keyword) == named.end())
                continue;
            const auto [place, isNew] =
                known.emplace(std::pair(declaration->keyword, declaration->name), book.file);
            if (!isNew && place->second != book.file)
                diagnostics.push_back(
                    makeWarning(DiagCode::TextName,
                                fmt::format("{} {} takes the place of that in {}",
                                            declaration->keyword, declaration->name, place->second),
                                {book.file, {}, declaration->span.line, declaration->span.column}));
            place->second = book.file;
        }
}

} // namespace

std::vector<ShippedText> shippedTexts() {
    std::vector<ShippedText> out = shippedBooks();
    for (const LibraryText& library : libraryTexts())
        out.push_back({library.file, library.text, true});
    return out;
}

bool isShippedBook(const std::string& file) {
    const std::vector<ShippedText> all = shippedBooks();
    return std::any_of(all.begin(), all.end(),
                       [&](const ShippedText& book) { return fileName(file) == book.file; });
}

Books readBooks(const std::vector<BookText>& texts) {
    Books out;
    std::vector<BookText> all;
    for (const ShippedText& shipped : shippedBooks()) {
        const auto replaced = std::find_if(texts.begin(), texts.end(), [&](const BookText& book) {
            return fileName(book.file) == shipped.file;
        });
        if (replaced == texts.end()) {
            all.push_back({shipped.file, std::string(shipped.text)});
            continue;
        }
        all.push_back(*replaced);
        out.diagnostics.push_back(makeWarning(DiagCode::TextName,
                                              "takes the place of the shipped " + shipped.file,
                                              {replaced->file}));
    }
    const std::size_t shipped = all.size();
    for (const BookText& book : texts)
        if (!isShippedBook(book.file))
            all.push_back(book);
    std::vector<ReadBook>& books = out.read;
    out.operators = standardOperators();
    PatternTable patterns;
    std::vector<DeclarationPtr> kept; // what `patterns` points to, also where it is refused
    for (const BookText& book : all) {
        FileTree tree = parseFile(book.text, book.file);
        out.diagnostics.insert(out.diagnostics.end(), tree.errors.begin(), tree.errors.end());
        Diags operators;
        out.operators = withOperators(*out.operators, book.text, book.file, operators);
        for (Diag& diag : operators)
            if (std::find(tree.errors.begin(), tree.errors.end(), diag) == tree.errors.end())
                out.diagnostics.push_back(std::move(diag));
        for (const DeclarationPtr& declaration : tree.declarations) {
            if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
                patterns.insert_or_assign(pattern->name, pattern.get());
            if (declarationAs<OpTree>(declaration))
                out.operatorText += declaration->source + "\n";
        }
        kept.insert(kept.end(), tree.declarations.begin(), tree.declarations.end());
        books.push_back({book.file, std::move(tree.declarations)});
    }
    for (ReadBook& book : books)
        std::erase_if(book.declarations, [&](const DeclarationPtr& declaration) {
            Diags problems = problemsOf(declaration, *out.operators, patterns, book.file);
            const bool wrong = hasErrors(problems);
            std::move(problems.begin(), problems.end(), std::back_inserter(out.diagnostics));
            return wrong;
        });
    refuseDependents(books, patterns, out.diagnostics);
    noteShadowed(books, out.diagnostics);
    leaveOutReplaced(books, shipped, patterns, *out.operators, out.diagnostics);
    for (std::size_t i = shipped; i < books.size(); ++i)
        addRules(out.rules, books[i]);
    // Patterns of later books shadow; rules of the user come first.
    RuleBook standard;
    for (std::size_t i = 0; i < shipped; ++i)
        addRules(standard, books[i]);
    out.rules.entries.insert(out.rules.entries.end(), standard.entries.begin(),
                             standard.entries.end());
    out.rules.patterns.insert(out.rules.patterns.begin(), standard.patterns.begin(),
                              standard.patterns.end());
    for (const ReadBook& book : books) {
        out.strategy.add(book.declarations, book.file);
        out.fusion.add(book.declarations, book.file);
    }
    for (Diag& diag : checkStrategy(out.strategy))
        out.diagnostics.push_back(std::move(diag));
    return out;
}

Result<Books> loadBooks(const std::vector<std::string>& files) {
    std::vector<BookText> texts;
    for (const std::string& file : files) {
        FW_TRY(std::string text, readFile(file, largestBook));
        texts.push_back({file, std::move(text)});
    }
    return readBooks(texts);
}

Result<BookChecked> checkBook(const BookText& book, const std::vector<BookText>& beside) {
    // An empty text in place of the book, so that nothing shipped under its name stands in for what
    // it lacks.
    std::vector<BookText> all = beside;
    all.push_back({book.file, {}});
    const Books others = readBooks(all);
    all.back() = book;
    Books books = readBooks(all);
    FW_TRY(CheckedBook out,
           checkRulesText(book.text, book.file, *others.operators, others.rules.patterns));
    const FileTree tree = parseFile(book.text, book.file);
    const PatternTable valid = books.rules.table();
    PatternTable patterns = valid;
    Names refused;
    for (const DeclarationPtr& declaration : tree.declarations)
        if (const auto pattern = declarationAs<PatternDeclTree>(declaration)) {
            patterns.insert_or_assign(pattern->name, pattern.get());
            if (!valid.contains(pattern->name))
                refused.insert(pattern->name);
        }
    for (std::size_t i = 0; i < tree.declarations.size() && i < out.items.size(); ++i) {
        const DeclarationPtr& declaration = tree.declarations[i];
        CheckedItem& item = out.items[i];
        if (const auto problem = needsRefused(declaration, refused, book.file)) {
            item.diagnostics.push_back(*problem);
            item.verdict = "refused";
        }
        const bool ours = declarationAs<ImplementationsTree>(declaration) ||
                          declarationAs<FuseTree>(declaration) ||
                          declarationAs<GrowTree>(declaration);
        if (!ours || !item.diagnostics.empty())
            continue;
        item.diagnostics = problemsOf(declaration, *books.operators, patterns, book.file);
        item.verdict = hasErrors(item.diagnostics) ? "refused" : "ok";
    }
    for (const Diag& diag : books.diagnostics)
        if (diag.severity == Severity::Warning && diag.where.file == book.file)
            out.diagnostics.push_back(diag);
    for (const Diag& diag : checkStrategy(books.strategy))
        if (diag.severity == Severity::Error && diag.where.file == book.file)
            out.diagnostics.push_back(diag);
    return BookChecked{std::move(out), std::move(books)};
}

Result<CheckedBook> checkBookText(std::string_view text, const std::string& file) {
    FW_TRY(BookChecked out, checkBook({file, std::string(text)}, {}));
    return std::move(out.checked);
}

} // namespace fw
