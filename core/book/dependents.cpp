#include "book/dependents.h"

#include "book/declarations.h"
#include "rewrite/matches.h"
#include "syntax/declarations.h"
#include "syntax/fusion.h"
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

// What is wrong, by name, with the keywords of what is called so; without what is declared rightly
// as well.
std::map<std::string, std::set<std::string>> wrongNames(const std::vector<ReadBook>& books) {
    std::map<std::string, std::set<std::string>> out;
    for (const ReadBook& book : books) {
        for (const BrokenDeclaration& broken : book.broken)
            if (kindOf(broken.keyword).isUsed && !broken.name.empty())
                out[broken.name].insert(broken.keyword);
        for (std::size_t i = 0; i < book.written.size(); ++i)
            if (const DeclarationTree& one = *book.written[i];
                book.items[i].verdict != "ok" && kindOf(one.keyword).isUsed)
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
    std::optional<Diag> out; // about the first one
    const auto named = [&](const std::string& name, const Span& span) {
        if (!out && refused.contains(name))
            out = refusedBelow(name, span, file);
    };
    const auto pattern = [&](const PatternTree& p) {
        if (const PatternTree* found = reference(p, refused))
            named(found->name, found->span);
    };
    const auto rule = [&](const RuleTree& one) {
        for (const NamedPattern& matched : one.match)
            pattern(matched.pattern);
    };
    byKind(
        *declaration, rule, [&](const FuseTree& fuse) { rule(fuse.rule); },
        [&](const PatternDeclTree& declared) { pattern(declared.pattern); },
        [&](const TargetTree& target) {
            for (const SequenceTree& sequence : target.required)
                pattern(sequence.pattern);
        },
        [&](const ImplementationsTree& block) {
            for (const EntryTree& entry : block.entries)
                named(entry.chain, entry.chainSpan);
        });
    return out;
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
                        one.first == declaration.name && kindOf(declaration.keyword).isUsed;
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
    if (!test.of.empty()) {
        for (const ReadBook& one : books)
            for (const DeclarationPtr& known : one.written)
                if (known->name == test.of && kindOf(known->keyword).canBeTested)
                    return std::nullopt;
        for (const ReadBook& one : books)
            for (const BrokenDeclaration& broken : one.broken)
                if (broken.name == test.of && kindOf(broken.keyword).canBeTested)
                    return refused(broken);
        return std::nullopt;
    }
    const BrokenDeclaration* last = nullptr;
    for (const BrokenDeclaration& broken : book.broken)
        if (broken.begin < test.span.begin && kindOf(broken.keyword).canBeTested)
            last = &broken;
    const bool isHidden =
        last == nullptr ||
        std::any_of(book.written.begin(), book.written.end(), [&](const DeclarationPtr& one) {
            return kindOf(one->keyword).canBeTested && one->span.begin > last->begin &&
                   one->span.begin < test.span.begin;
        });
    return isHidden ? std::nullopt : std::optional(refused(*last));
}

} // namespace fw
