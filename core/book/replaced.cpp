#include "book/replaced.h"

#include "library/library.h"
#include "syntax/op.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace fw {

namespace {

using Names = std::set<std::string>;

void collect(const PatternTree& pattern, Names& names) {
    if (pattern.kind == PatternKind::Call && !pattern.ofKind)
        names.insert(pattern.name);
    for (const PatternTree& part : pattern.args)
        collect(part, names);
}

void collect(const Tree& tree, Names& names) {
    if (tree.kind == TreeKind::Call)
        names.insert(tree.text);
    for (const Tree& part : tree.args)
        collect(part, names);
}

Names operatorsOf(const RuleTree& rule, const PatternTable& patterns) {
    Names out;
    for (const NamedPattern& named : rule.match)
        collect(withDeclared(named.pattern, patterns), out);
    for (const auto* trees : {&rule.let, &rule.emit})
        for (const NamedTree& named : *trees)
            collect(named.value, out);
    return out;
}

} // namespace

void leaveOutReplaced(std::vector<ReadBook>& books, std::size_t shipped,
                      const PatternTable& patterns, const OperatorSet& operators,
                      Diags& diagnostics) {
    std::map<std::string, std::string> left; // operator -> rules
    for (std::size_t i = 0; i < shipped; ++i)
        std::erase_if(books[i].declarations, [&](const DeclarationPtr& declaration) {
            bool out = false;
            byKind(*declaration, [&](const RuleTree& rule) {
                for (const std::string& name : operatorsOf(rule, patterns))
                    if (operators.isReplaced(name)) {
                        out = true;
                        left[name] += (left[name].empty() ? "" : ", ") + rule.name;
                    }
            });
            return out;
        });
    for (std::size_t i = shipped; i < books.size(); ++i)
        for (const auto& op : each<OpTree>(books[i].declarations))
            if (standardOperators()->find(op->name) != nullptr && operators.isReplaced(op->name)) {
                const auto rules = left.find(op->name);
                diagnostics.push_back(makeWarning(
                    DiagCode::TextName,
                    fmt::format("op {} takes the place of the shipped one{}{}", op->name,
                                rules == left.end() ? "" : ", whose rules are left out: ",
                                rules == left.end() ? "" : rules->second),
                    {books[i].file, {}, op->span.line, op->span.column}));
            }
}

} // namespace fw
