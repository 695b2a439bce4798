#include "strategy/entries_without_code.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace fw {

namespace {

class EntryCheck {
public:
    explicit EntryCheck(const Catalog& catalog) : m_catalog(catalog) {
        for (const StrategyBlock& block : catalog.book().blocks())
            for (const EntryTree& entry : block.tree->entries)
                if (const EntryTree*& known = m_entries[entry.name];
                    known == nullptr || !entry.code.empty())
                    known = &entry;
        for (const std::string& name : catalog.codeNames())
            m_known += (m_known.empty() ? "" : ", ") + name;
    }

    void check(const EntryTree& entry, const std::string& file) {
        const Where where{file, {}, entry.span.line, entry.span.column};
        const std::string& code = entry.code.empty() ? entry.name : entry.code;
        if (code.ends_with(".*") && !isFront(code.substr(0, code.size() - 1)))
            out.push_back(makeWarning(DiagCode::TextName,
                                      fmt::format("no implementation is meant by {}", code), where,
                                      "there are " + m_known));
        if (code.find('*') != std::string::npos || m_catalog.find(code) ||
            (entry.compute && entry.code.empty()) ||
            (entry.code.empty() && !other(code)->code.empty()))
            return;
        if (entry.code.empty() || other(code) == nullptr)
            out.push_back(unknownCode(code, where));
        else
            out.push_back(otherEntry(entry, where));
    }

    Diags out;

private:
    // Another entry of that name; null: there is none, or it is code.
    const EntryTree* other(std::string_view name) const {
        const auto found = m_entries.find(name);
        return found == m_entries.end() || m_catalog.find(name) ? nullptr : found->second;
    }

    bool isFront(const std::string& front) const {
        const std::vector<ImplementationPtr>& all = m_catalog.all();
        return std::any_of(all.begin(), all.end(),
                           [&](const auto& one) { return one->name().starts_with(front); }) ||
               std::any_of(m_entries.begin(), m_entries.end(), [&](const auto& one) {
                   return one.first.starts_with(front) && one.first != front + "*";
               });
    }

    Diag unknownCode(const std::string& code, const Where& where) const {
        const bool schedule = m_catalog.find(scheduleCode(code)) != nullptr;
        return makeWarning(
            DiagCode::TextName, fmt::format("there is no implementation {}", code), where,
            schedule ? fmt::format("a schedule of this name is `by schedule {}`", code)
                     : "there are " + m_known);
    }

    // Over the entries until one has code or none, or comes again.
    Diag otherEntry(const EntryTree& entry, const Where& where) const {
        std::string way = entry.name;
        std::set<std::string_view> seen{entry.name};
        const EntryTree* next = &entry;
        while (next != nullptr && !next->code.empty()) {
            const std::string& by = next->code;
            way += " by " + by;
            if (by == entry.name || !seen.insert(by).second)
                break;
            next = other(by);
        }
        const std::string hint = "behind `by` stands one of " + m_known;
        if (next != nullptr && next->code == entry.name)
            return makeDiag(DiagCode::RuleIllegal,
                            fmt::format("entries compute each other: {}", way), where, hint);
        return makeDiag(DiagCode::TextName,
                        fmt::format("{} is an entry, not an implementation: {}", entry.code, way),
                        where, hint);
    }

    const Catalog& m_catalog;
    // By name, of all blocks; behind `by` stands code, which no entry is.
    std::map<std::string, const EntryTree*, std::less<>> m_entries;
    std::string m_known;
};

} // namespace

Diags entriesWithoutCode(const Catalog& catalog) {
    EntryCheck check(catalog);
    for (const StrategyBlock& block : catalog.book().blocks())
        for (const EntryTree& entry : block.tree->entries)
            check.check(entry, block.file);
    return std::move(check.out);
}

} // namespace fw
