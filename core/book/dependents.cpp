#include "book/dependents.h"

#include "rewrite/matches.h"
#include "syntax/test.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace fw {

namespace {

using Names = std::set<std::string>;

// Where a pattern names one of those.
const PatternTree* reference(const PatternTree& p, const Names& names) {
    if (refers(p) && names.contains(p.name))
        return &p;
    for (const PatternTree& part : p.args)
        if (const PatternTree* found = reference(part, names))
            return found;
    return nullptr;
}

// Kinds whose names others use.
bool isNamed(std::string_view keyword) {
    static const std::set<std::string_view> kinds = {"op",       "pattern", "chain",
                                                     "schedule", "target",  "library"};
    return kinds.contains(keyword);
}

// What is wrong, by name, with the keywords of what is called so; without what is declared rightly
// as well.
std::map<std::string, std::set<std::string>> wrongNames(const std::vector<ReadBook>& books) {
    std::map<std::string, std::set<std::string>> out;
    for (const ReadBook& book : books) {
        for (const BrokenDeclaration& broken : book.broken)
            if (isNamed(broken.keyword) && !broken.name.empty())
                out[broken.name].insert(broken.keyword);
        for (std::size_t i = 0; i < book.written.size(); ++i)
            if (const DeclarationTree& one = *book.written[i];
                book.items[i].verdict != "ok" && isNamed(one.keyword))
                out[one.name].insert(one.keyword);
    }
    for (const ReadBook& book : books)
        for (std::size_t i = 0; i < book.written.size(); ++i)
            if (const auto known = out.find(book.written[i]->name);
                known != out.end() && book.items[i].verdict == "ok")
                known->second.erase(book.written[i]->keyword);
    std::erase_if(out, [](const auto& one) { return one.second.empty(); });
    return out;
}

// The text of a declaration from a place on; empty if the place is none of it.
std::string_view textAt(const DeclarationTree& declaration, const Where& where) {
    std::string_view text = declaration.source;
    int line = declaration.span.line, column = declaration.span.column;
    for (; line < where.line; ++line, column = 1) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos)
            return {};
        text.remove_prefix(end + 1);
    }
    const int ahead = where.column - column;
    if (line != where.line || ahead < 0 || static_cast<std::size_t>(ahead) >= text.size())
        return {};
    return text.substr(static_cast<std::size_t>(ahead));
}

bool beginsWith(std::string_view text, std::string_view name) {
    const auto isPart = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    return text.starts_with(name) && (text.size() == name.size() || !isPart(text[name.size()]));
}

bool isAboutName(const Diag& diag) {
    return diag.severity == Severity::Error &&
           (diag.code == DiagCode::UnknownOperator || diag.code == DiagCode::TextName);
}

} // namespace

Diag refusedBelow(const std::string& name, const Span& span, const std::string& file) {
    return makeDiag(DiagCode::TextName, name + " is refused, so this cannot be used",
                    {file, {}, span.line, span.column}, "mend " + name);
}

std::optional<Diag> needsRefused(const DeclarationPtr& declaration, const Names& refused,
                                 const std::string& file) {
    const auto refuse = [&](const std::string& name, const Span& span) {
        return refusedBelow(name, span, file);
    };
    if (const auto rule = ruleOf(*declaration))
        for (const NamedPattern& named : rule->match)
            if (const PatternTree* found = reference(named.pattern, refused))
                return refuse(found->name, found->span);
    if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
        if (const PatternTree* found = reference(pattern->pattern, refused))
            return refuse(found->name, found->span);
    if (const auto target = declarationAs<TargetTree>(declaration))
        for (const SequenceTree& sequence : target->required)
            if (const PatternTree* found = reference(sequence.pattern, refused))
                return refuse(found->name, found->span);
    if (const auto block = declarationAs<ImplementationsTree>(declaration))
        for (const EntryTree& entry : block->entries)
            if (refused.contains(entry.chain))
                return refuse(entry.chain, entry.chainSpan);
    return std::nullopt;
}

void tellDependents(std::vector<ReadBook>& books) {
    const auto wrong = wrongNames(books);
    if (wrong.empty())
        return;
    for (ReadBook& book : books)
        for (std::size_t i = 0; i < book.written.size(); ++i) {
            if (book.items[i].verdict == "ok")
                continue;
            const DeclarationTree& declaration = *book.written[i];
            const auto named = [&](const Diag& diag) {
                const std::string_view text =
                    isAboutName(diag) ? textAt(declaration, diag.where) : std::string_view();
                return std::find_if(wrong.begin(), wrong.end(), [&](const auto& one) {
                    const bool itself =
                        one.first == declaration.name && isNamed(declaration.keyword);
                    return !itself && beginsWith(text, one.first);
                });
            };
            Diags& told = book.items[i].diagnostics;
            const auto first = std::find_if(told.begin(), told.end(), [&](const Diag& diag) {
                return named(diag) != wrong.end();
            });
            if (first == told.end())
                continue;
            const Where& where = first->where;
            *first =
                refusedBelow(named(*first)->first, {0, 0, where.line, where.column}, book.file);
            told.erase(std::remove_if(first + 1, told.end(),
                                      [&](const Diag& diag) { return named(diag) != wrong.end(); }),
                       told.end());
        }
}

std::optional<Diag> brokenSubject(const std::vector<ReadBook>& books, const ReadBook& book,
                                  const TestTree& test) {
    const auto refused = [&](const BrokenDeclaration& broken) {
        return refusedBelow(broken.name.empty() ? "the " + broken.keyword + " before it"
                                                : broken.name,
                            test.span, book.file);
    };
    const auto canBeSubject = [](const std::string& keyword) {
        static const std::set<std::string> kinds = {"rule", "pattern",   "chain",
                                                    "fuse", "composite", "builtin"};
        return kinds.contains(keyword);
    };
    if (!test.of.empty()) {
        for (const ReadBook& one : books)
            for (const DeclarationPtr& known : one.written)
                if (known->name == test.of && canBeSubject(known->keyword))
                    return std::nullopt;
        for (const ReadBook& one : books)
            for (const BrokenDeclaration& broken : one.broken)
                if (broken.name == test.of && canBeSubject(broken.keyword))
                    return refused(broken);
        return std::nullopt;
    }
    const BrokenDeclaration* last = nullptr;
    for (const BrokenDeclaration& broken : book.broken)
        if (broken.begin < test.span.begin && canBeSubject(broken.keyword))
            last = &broken;
    const bool isHidden =
        last == nullptr ||
        std::any_of(book.written.begin(), book.written.end(), [&](const DeclarationPtr& one) {
            return canBeSubject(one->keyword) && one->span.begin > last->begin &&
                   one->span.begin < test.span.begin;
        });
    return isHidden ? std::nullopt : std::optional(refused(*last));
}

} // namespace fw
