#include "rewrite/driver.h"
#include "rewrite/embedded.h"
#include "syntax/declarations.h"

#include <fmt/format.h>

namespace fw {

void RuleBook::add(const std::vector<DeclarationPtr>& declarations, const std::string& file) {
    for (const DeclarationPtr& declaration : declarations) {
        if (!file.empty())
            files[declaration.get()] = file;
        if (isA<RuleTree>(*declaration) || isA<BuiltinTree>(*declaration))
            entries.push_back(declaration);
    }
    for (auto& pattern : each<PatternDeclTree>(declarations))
        patterns.push_back(std::move(pattern));
}

std::shared_ptr<const RuleTree> RuleBook::ruleAt(std::size_t entry) const {
    std::shared_ptr<const RuleTree> out;
    byKind(entries.at(entry), [&](const std::shared_ptr<const RuleTree>& rule) { out = rule; });
    return out;
}

AppliedRule RuleBook::appliedRule(const DeclarationTree& entry) const {
    AppliedRule out;
    out.rule = entry.name;
    out.line = entry.span.line;
    if (const auto file = files.find(&entry); file != files.end())
        out.file = file->second;
    return out;
}

std::string RuleBook::place(const DeclarationTree& entry) const {
    const auto file = files.find(&entry);
    return file == files.end()
               ? entry.name
               : fmt::format("{} at {}:{}", entry.name, file->second, entry.span.line);
}

PatternTable RuleBook::table() const {
    PatternTable out;
    for (const auto& pattern : patterns)
        out.insert_or_assign(pattern->name, pattern.get());
    return out;
}

Result<RuleBook> parseRules(std::string_view text, const std::string& file) {
    const FileTree tree = parseFile(text, file);
    if (!tree.errors.empty())
        return tree.errors.front();
    RuleBook out;
    out.add(tree.declarations, file);
    return out;
}

Result<RuleBook> standardRules() {
    RuleBook out;
    for (const EmbeddedRules& rules : embeddedRules()) {
        const FileTree tree = parseFile(rules.text, std::string(rules.file));
        if (!tree.errors.empty())
            return tree.errors.front();
        out.add(tree.declarations, std::string(rules.file));
    }
    return out;
}

} // namespace fw
