#include "book/book.h"

#include "base/files.h"
#include "book/declarations.h"
#include "book/default_stage.h"
#include "book/dependents.h"
#include "book/include.h"
#include "book/reached.h"
#include "book/replaced.h"
#include "book/scope_names.h"
#include "library/library.h"
#include "rewrite/embedded.h"
#include "rewrite/matches.h"
#include "strategy/post_ops.h"
#include "syntax/include.h"
#include "syntax/test.h"
#include "tensor/calls_check.h"
#include "tensor/op_check.h"
#include "tensor/op_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace fw {

namespace {

// In the order in which they are read, before the user's.
std::vector<ShippedText> shippedBooks() {
    std::vector<ShippedText> out;
    for (const EmbeddedRules& rules : embeddedRules())
        out.push_back({std::string(rules.file), rules.text});
    out.push_back({"post_ops.fw", embeddedPostOps()});
    out.push_back({"strategy.fw", embeddedStrategy()});
    out.push_back({"fusion.fw", embeddedFusion()});
    return out;
}

std::string fileName(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// A shipped text is part of the program: it is parsed once for every command of a process.
FileTree shippedTree(const BookText& shipped) {
    static std::mutex mutex;
    static std::map<std::string, FileTree> known;
    const std::lock_guard lock(mutex);
    const auto [place, isNew] = known.try_emplace(shipped.file);
    if (isNew)
        place->second = parseFile(shipped.text, shipped.file);
    return place->second;
}

// As it is, in whatever folder.
bool isShippedText(const BookText& book) {
    const std::vector<ShippedText> all = shippedTexts();
    return std::any_of(all.begin(), all.end(), [&](const ShippedText& shipped) {
        return fileName(book.file) == shipped.file && book.text == shipped.text;
    });
}

using Names = std::set<std::string>;

// What an operator takes, as its signature says it: operands, attributes, requirements.
std::string takenBy(const Operator& op) {
    const std::string signature = op.signature();
    const std::size_t open = std::min(signature.find('('), signature.size());
    return signature.substr(open, signature.rfind("->") - open);
}

// A clause about nodes that another operator of the same book is, which takes the same operands: of
// two that take others each reads what it takes.
std::optional<Diag> takenNodes(const OperatorSet& operators, const Operator& op) {
    for (const OnnxBinding& clause : op.onnx())
        for (const OnnxReading& other : operators.onnxReadings())
            if (other.op != op.name() && other.binding.where.file == clause.where.file &&
                other.binding.overlaps(clause) &&
                takenBy(*operators.findReader(other.op)) == takenBy(op))
                return makeDiag(DiagCode::TextName,
                                fmt::format("{}: nodes of type {} are {} by the clause in line {}",
                                            op.name(), clause.type, other.op,
                                            other.binding.where.line),
                                clause.where, "end one of the clauses with 'until'");
    return std::nullopt;
}

// The user's rules are asked first; patterns of later books hide those of earlier ones.
RuleBook ruleBook(const std::vector<ReadBook>& books, std::size_t shipped) {
    RuleBook out, standard;
    for (std::size_t i = 0; i < books.size(); ++i)
        (i < shipped ? standard : out).add(books[i].declarations, books[i].file);
    out.entries.insert(out.entries.end(), standard.entries.begin(), standard.entries.end());
    out.patterns.insert(out.patterns.begin(), standard.patterns.begin(), standard.patterns.end());
    out.files.merge(standard.files);
    return out;
}

// Reads the books in steps: what is known by name, verdicts, what falls with what was refused.
class Reading {
public:
    Reading(Books& books, const std::vector<BookText>& texts,
            const std::vector<BookOrigin>& origins)
        : m_books(books) {
        m_books.operators = standardOperators();
        for (std::size_t i = 0; i < texts.size(); ++i)
            add(texts[i], origins[i],
                origins[i] == BookOrigin::Shipped ? shippedTree(texts[i])
                                                  : parseFile(texts[i].text, texts[i].file));
        std::vector<bool> isShipped;
        for (std::size_t i = 0; i < texts.size(); ++i)
            isShipped.push_back(origins[i] == BookOrigin::Shipped || isShippedText(texts[i]));
        scopeNames(m_books.read, isShipped, *m_books.operators);
    }

    void read() {
        for (ReadBook& book : m_books.read)
            declareOperators(book);
        for (const ReadBook& book : m_books.read)
            for (const auto& pattern : each<PatternDeclTree>(book.written))
                m_books.patterns.insert_or_assign(pattern->name, pattern.get());
        for (ReadBook& book : m_books.read)
            declareTargets(book);
        m_targetKeys = targetKeysKnown(m_books.targets);
        for (ReadBook& book : m_books.read)
            declareLibraries(book);
        m_libraries = namesOf(m_books.libraries);
        for (ReadBook& book : m_books.read)
            declareSchedules(book);
        for (ReadBook& book : m_books.read)
            for (std::size_t i = 0; i < book.written.size(); ++i)
                judge(book, i);
        while (refuseDependents()) {
        }
        while (refuseTargets()) {
        }
        tellDependents(m_books.read);
        m_books.patterns.clear();
        for (const ReadBook& book : m_books.read)
            for (const auto& [item, pattern] : book.each<PatternDeclTree>())
                if (book.stands(item))
                    m_books.patterns.insert_or_assign(pattern->name, pattern.get());
        noteSameNames();
        const ReachedBooks reached(m_books.read);
        for (ReadBook& book : m_books.read)
            noteIncluded(book, reached);
        for (ReadBook& book : m_books.read)
            for (std::size_t i = 0; i < book.written.size(); ++i)
                if (book.items[i].verdict == "ok" && !m_replaced.contains(book.written[i].get()))
                    book.declarations.push_back(book.written[i]);
    }

private:
    void add(const BookText& text, BookOrigin origin, FileTree tree) {
        ReadBook book;
        book.file = text.file;
        book.origin = origin;
        book.written = std::move(tree.declarations);
        book.errors = std::move(tree.errors);
        book.missing = std::move(tree.missing);
        book.broken = std::move(tree.broken);
        book.remarks = std::move(tree.remarks);
        for (const DeclarationPtr& declaration : book.written)
            book.items.push_back({declaration->name,
                                  std::string(kindOf(declaration->keyword).noun),
                                  "ok",
                                  {},
                                  declaration->span});
        for (const Diag& problem : text.problems)
            for (std::size_t i = 0; i < book.written.size(); ++i)
                if (book.items[i].span.line == problem.where.line &&
                    book.items[i].span.column == problem.where.column)
                    book.refuse(i, problem);
        m_books.read.push_back(std::move(book));
    }

    void declareOperators(ReadBook& book) {
        auto operators = std::make_shared<OperatorSet>(*m_books.operators);
        using Op = std::shared_ptr<const OpTree>;
        for (std::size_t i = 0; i < book.written.size(); ++i)
            byKind(
                book.written[i],
                [&](const Op& op) {
                    judge(book, i);
                    declareOperator(book, i, op, *operators);
                },
                [&](const std::shared_ptr<const RuleTree>& rule) {
                    for (const Op& op : rule->operators) {
                        refuseWhat(book, i, [&] { return checkOperator(*op, book.file); });
                        declareOperator(book, i, op, *operators);
                    }
                });
        m_books.operators = operators;
    }

    void declareOperator(ReadBook& book, std::size_t i, const std::shared_ptr<const OpTree>& op,
                         OperatorSet& operators) {
        if (book.items[i].verdict != "ok")
            return;
        if (op->standsForCalls())
            refuseWhat(book, i, [&] { return checkCallsOf(*op, operators, book.file); });
        if (book.items[i].verdict != "ok")
            return;
        const std::shared_ptr<const Operator> defined = operatorOf(op, book.file);
        Status added;
        if (auto taken = takenNodes(operators, *defined))
            added = std::move(*taken);
        if (added)
            added = operators.add(defined);
        if (!added)
            book.refuse(i, added.takeDiag().at({book.file, {}, op->span.line, op->span.column}));
        else
            m_books.operatorText += op->source + "\n";
    }

    // Before the composites that name them.
    void declareLibraries(ReadBook& book) {
        for (const auto& [item, library] : book.each<LibraryTree>()) {
            judge(book, item);
            if (!book.stands(item))
                continue;
            std::erase_if(m_books.libraries, [&name = library->name](const DeclaredLibrary& one) {
                return one.name == name;
            });
            m_books.libraries.push_back(declaredLibrary(*library, book.file));
        }
    }

    // Before the blocks that name them.
    void declareSchedules(ReadBook& book) {
        for (const auto& [item, schedule] : book.each<ScheduleTree>()) {
            judge(book, item);
            m_schedules.insert_or_assign(
                schedule->name, DeclaredSchedule{{schedule, book.file}, !book.stands(item)});
        }
    }

    void declareTargets(ReadBook& book) {
        for (const auto& [item, target] : book.each<TargetTree>()) {
            if (isTakenTarget(target->name))
                continue;
            if (m_books.targets.size() < mostTargets || m_books.targets.contains(target->name))
                m_books.targets.insert_or_assign(target->name, target);
            else
                book.refuse(item, makeDiag(DiagCode::LimitReached,
                                           fmt::format("there are {} targets already", mostTargets),
                                           {book.file, {}, target->span.line, target->span.column},
                                           "leave out those that are not used"));
        }
    }

    // Once: what others name is judged before them.
    void judge(ReadBook& book, std::size_t i) {
        if (!m_judged.insert(book.written[i].get()).second)
            return;
        const BookNamesKnown known{*m_books.operators, m_books.patterns, m_schedules,
                                   m_books.targets,    m_targetKeys,     m_libraries,
                                   m_books.operators,  book.origin};
        refuseWhat(book, i, [&] { return checkDeclaration(*book.written[i], known, book.file); });
    }

    static void refuseWhat(ReadBook& book, std::size_t i, const std::function<Diags()>& check) {
        try {
            for (Diag& diag : check())
                book.refuse(i, std::move(diag));
        } catch (const InternalError& error) { // what stands beside it is used
            const Span& span = book.written[i]->span;
            book.refuse(i, makeDiag(DiagCode::Internal, error.what(),
                                    {book.file, {}, span.line, span.column},
                                    "this is a mistake of the program, please report it"));
        }
    }

    // Takes out what names patterns that were taken out; whether there was any. What falls in one
    // pass takes what stands behind it along, so that few passes are needed.
    bool refuseDependents() {
        std::map<std::string, int> valid;
        for (const auto& [name, pattern] : m_books.patterns)
            valid[name] = 0;
        for (const ReadBook& book : m_books.read)
            for (const auto& [item, pattern] : book.each<PatternDeclTree>())
                valid[pattern->name] += book.stands(item) ? 1 : 0;
        Names refused;
        for (const auto& [name, count] : valid)
            if (count == 0)
                refused.insert(name);
        bool any = false;
        for (ReadBook& book : m_books.read)
            for (std::size_t i = 0; i < book.written.size() && !refused.empty(); ++i) {
                if (book.items[i].verdict != "ok")
                    continue;
                auto problem = needsRefused(book.written[i], refused, book.file);
                if (!problem)
                    continue;
                book.refuse(i, std::move(*problem));
                any = true;
                const std::string& name = book.written[i]->name;
                if (isA<PatternDeclTree>(*book.written[i]) && --valid[name] == 0)
                    refused.insert(name);
            }
        return any;
    }

    // Takes out what stands on targets that were taken out; whether there was any. An earlier one
    // of the name stays in force.
    bool refuseTargets() {
        TargetTable valid;
        for (const ReadBook& book : m_books.read)
            for (const auto& [item, target] : book.each<TargetTree>())
                if (book.stands(item))
                    valid.insert_or_assign(target->name, target);
        bool any = false;
        for (ReadBook& book : m_books.read)
            for (const auto& [item, target] : book.each<TargetTree>()) {
                if (!book.stands(item) || valid.contains(target->on.name) ||
                    !m_books.targets.contains(target->on.name))
                    continue;
                book.refuse(item, refusedBelow(target->on.name, target->on.span, book.file));
                any = true;
            }
        for (ReadBook& book : m_books.read)
            for (std::size_t i = 0; i < book.written.size() && !any; ++i)
                for (const KeyTree& key : book.written[i]->targets)
                    if (book.items[i].verdict == "ok" && !valid.contains(key.name) &&
                        m_books.targets.contains(key.name))
                        book.refuse(i, refusedBelow(key.name, key.span, book.file));
        if (!any)
            m_books.targets = std::move(valid);
        return any;
    }

    void noteSameNames() {
        struct Declared {
            const ReadBook* book;
            const DeclarationTree* declaration;
        };
        std::map<std::pair<std::string_view, std::string>, Declared> known;
        for (ReadBook& book : m_books.read)
            for (std::size_t i = 0; i < book.written.size(); ++i) {
                const DeclarationTree& declaration = *book.written[i];
                const DeclarationKind& kind = kindOf(declaration.keyword);
                if (kind.sameName == SameName::Adds || book.items[i].verdict != "ok")
                    continue;
                const auto [place, isNew] =
                    known.insert({{kind.keyword, declaration.name}, {&book, &declaration}});
                if (isNew)
                    continue;
                const Declared earlier = std::exchange(place->second, {&book, &declaration});
                if (kind.sameName == SameName::Replaces)
                    m_replaced.insert(earlier.declaration);
                const std::string where =
                    earlier.book == &book ? fmt::format("line {}", earlier.declaration->span.line)
                                          : earlier.book->file;
                book.items[i].diagnostics.push_back(
                    makeWarning(DiagCode::TextName,
                                fmt::format("{} {} takes the place of that in {}", kind.keyword,
                                            declaration.name, where),
                                {book.file, {}, declaration.span.line, declaration.span.column}));
            }
    }

    // A book with mistakes is named where an include leads to it, too.
    void noteIncluded(ReadBook& book, const ReachedBooks& reached) {
        for (const auto& [item, include] : book.each<IncludeTree>()) {
            if (!book.stands(item))
                continue;
            for (const ReadBook* other : reached.through(book, item)) {
                const bool wrong =
                    !other->errors.empty() ||
                    std::any_of(other->items.begin(), other->items.end(),
                                [](const CheckedItem& item) { return item.verdict != "ok"; });
                if (wrong && other != &book)
                    book.items[item].diagnostics.push_back(makeWarning(
                        DiagCode::TextName, "declarations of " + other->file + " are refused",
                        {book.file, {}, include->span.line, include->span.column},
                        "fw check " + other->file));
            }
        }
    }

    Books& m_books;
    ScheduleTable m_schedules;
    std::vector<std::string> m_targetKeys;
    std::vector<std::string> m_libraries;
    std::set<const DeclarationTree*> m_judged, m_replaced;
};

} // namespace

void ReadBook::refuse(std::size_t item, Diag diag) {
    if (diag.severity == Severity::Error)
        items[item].verdict = "refused";
    items[item].diagnostics.push_back(std::move(diag));
}

std::vector<ShippedText> shippedTexts() {
    std::vector<ShippedText> out = shippedBooks();
    for (const EmbeddedRules& rules : embeddedByName())
        out.push_back({std::string(rules.file), rules.text});
    for (const LibraryText& library : libraryTexts())
        out.push_back({library.file, library.text, true});
    return out;
}

bool isShippedBook(const std::string& file) {
    const std::vector<ShippedText> all = shippedBooks();
    return std::any_of(all.begin(), all.end(),
                       [&](const ShippedText& book) { return fileName(file) == book.file; });
}

Books readBooks(const std::vector<BookText>& given) {
    Books out;
    std::vector<BookText> texts; // a file that is named twice is one book
    for (const BookText& book : given)
        if (std::none_of(texts.begin(), texts.end(),
                         [&](const BookText& one) { return one.file == book.file; }))
            texts.push_back(book);
    std::vector<BookText> all;
    std::vector<BookOrigin> origins;
    for (const ShippedText& shipped : shippedBooks()) {
        const auto replaced = std::find_if(texts.begin(), texts.end(), [&](const BookText& book) {
            return fileName(book.file) == shipped.file;
        });
        if (replaced == texts.end()) {
            all.push_back({shipped.file, std::string(shipped.text)});
            origins.push_back(BookOrigin::Shipped);
            continue;
        }
        // An empty text under the bare name switches it off, which is no surprise to anybody.
        if (replaced->file != shipped.file || !replaced->text.empty())
            out.ofWholeBooks.push_back(makeWarning(DiagCode::TextName,
                                                   "takes the place of the shipped " + shipped.file,
                                                   {replaced->file}));
        all.push_back(std::move(*replaced));
        origins.push_back(BookOrigin::User);
        texts.erase(replaced); // another one of the name is a book like others
    }
    const std::size_t shipped = all.size();
    std::move(texts.begin(), texts.end(), std::back_inserter(all));
    origins.resize(all.size(), BookOrigin::User);
    Reading(out, all, origins).read();
    std::vector<bool> asShipped;
    std::transform(all.begin(), all.end(), std::back_inserter(asShipped), isShippedText);
    placeRules(out.read, shipped, asShipped, out.patterns, *out.operators);
    leaveOutReplaced(out.read, shipped, out.patterns, *out.operators, out.ofWholeBooks);
    out.rules = ruleBook(out.read, shipped);
    for (std::size_t i = 0; i < out.read.size(); ++i) {
        const ReadBook& book = out.read[i];
        out.strategy.add(book.declarations, book.file, origins[i]);
        out.fusion.add(book.declarations, book.file);
        out.diagnostics.insert(out.diagnostics.end(), book.errors.begin(), book.errors.end());
        for (const CheckedItem& item : book.items)
            out.diagnostics.insert(out.diagnostics.end(), item.diagnostics.begin(),
                                   item.diagnostics.end());
    }
    for (Diag& diag : checkStrategy(out.strategy))
        out.ofWholeBooks.push_back(std::move(diag));
    out.diagnostics.insert(out.diagnostics.end(), out.ofWholeBooks.begin(), out.ofWholeBooks.end());
    return out;
}

DeclaredTargets declaredTargets(const Books& books) {
    DeclaredTargets out;
    for (const auto& [name, target] : books.targets)
        out.emplace(name, declaredTarget(*target));
    return out;
}

Result<Books> loadBooks(const std::vector<std::string>& files) {
    std::vector<BookText> texts;
    for (const std::string& file : files) {
        FW_TRY(std::string text, readFile(file, largestBook));
        texts.push_back({file, std::move(text)});
    }
    return readBooks(withIncluded(
        std::move(texts), [](const std::string& file) { return readFile(file, largestBook); }));
}

std::optional<CheckedBook> checkBook(const Books& books, const std::string& file) {
    const auto book = std::find_if(books.read.begin(), books.read.end(),
                                   [&](const ReadBook& one) { return one.file == file; });
    if (book == books.read.end())
        return std::nullopt;
    CheckedBook out{book->items, book->errors, book->missing};
    std::copy_if(books.ofWholeBooks.begin(), books.ofWholeBooks.end(),
                 std::back_inserter(out.diagnostics),
                 [&](const Diag& diag) { return diag.where.file == file; });
    out.diagnostics.insert(out.diagnostics.end(), book->remarks.begin(), book->remarks.end());
    // A test without `of` is about what stands before it; `of` may name a rule of another book.
    TestSurroundings around{{}, {}, books.patterns, books.operators, file};
    for (const ReadBook& one : books.read)
        around.declared.insert(around.declared.end(), one.declarations.begin(),
                               one.declarations.end());
    around.declared.insert(around.declared.end(), book->written.begin(), book->written.end());
    for (const auto& [item, test] : book->each<TestTree>()) {
        const auto at = [&](std::size_t i) {
            return book->written.begin() + static_cast<std::ptrdiff_t>(i);
        };
        around.before.insert(around.before.end(), at(around.before.size()), at(item));
        if (auto broken = brokenSubject(books.read, *book, *test)) {
            out.items[item].verdict = "refused";
            out.items[item].diagnostics = {std::move(*broken)};
        } else {
            out.items[item] = runBookTest(*test, around);
        }
    }
    return out;
}

Diags errorsOfIncluded(const Books& books, const std::string& file) {
    Diags out;
    const auto book = std::find_if(books.read.begin(), books.read.end(),
                                   [&](const ReadBook& one) { return one.file == file; });
    const ReachedBooks reached(books.read);
    std::set<const ReadBook*> told;
    const auto tell = [&](const Diags& diags) {
        std::copy_if(diags.begin(), diags.end(), std::back_inserter(out),
                     [](const Diag& diag) { return diag.severity == Severity::Error; });
    };
    if (book == books.read.end())
        return out;
    told.insert(&*book);
    for (const auto& [item, include] : book->each<IncludeTree>())
        for (const ReadBook* other : reached.through(*book, item))
            if (told.insert(other).second) {
                tell(other->errors);
                for (const CheckedItem& one : other->items)
                    tell(one.diagnostics);
            }
    return out;
}

CheckedBook checkBookText(std::string_view text, const std::string& file) {
    return checkBook(readBooks({{file, std::string(text)}}), file).value();
}

} // namespace fw
