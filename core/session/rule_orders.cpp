#include "session/rule_orders.h"

#include "session/remembered_trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fw {

namespace {

constexpr std::size_t mostPairs = 300;

} // namespace

RuleOrders::RuleOrders(const Books& books, std::string file)
    : m_books(books), m_file(std::move(file)), m_pairs(books.rules, books.operators),
      m_left(mostPairs) {
    std::string texts = textsAround(books);
    for (const auto& entry : books.rules.entries)
        texts += "\n" + entry->source;
    m_texts = hashOf(texts).hex();
}

void RuleOrders::tell(const std::shared_ptr<const RuleTree>& rule, const CancelToken& cancel,
                      snapshot::CheckItem& row) {
    const Asked asked =
        remembered(fmt::format("{}\n{}\n{}\n{}", m_texts, m_file, m_left, rule->source), cancel,
                   [&] { return ask(rule, cancel); });
    m_left -= asked.drawn;
    const Where where{m_file, {}, row.line, row.column};
    const auto remark = [&](std::string said, std::string advice) {
        Diag out = makeWarning(DiagCode::RuleOrder, std::move(said), where, std::move(advice));
        out.severity = Severity::Note;
        row.diagnostics.push_back(std::move(out));
    };
    if (!asked.others.empty())
        remark(fmt::format("{} and {} leave different graphs where both match: the one that is "
                           "asked first decides",
                           rule->name, fmt::join(asked.others, ", ")),
               "fw rules tells the order");
    if (asked.left > 0)
        remark(fmt::format("whether {} and {} others leave different graphs where both match "
                           "was not tried: {} pairs of rules that want some of the same "
                           "operators are tried in a book",
                           rule->name, asked.left, mostPairs),
               "put the rules of one subject into a book of their own");
}

RuleOrders::Asked RuleOrders::ask(const std::shared_ptr<const RuleTree>& rule,
                                  const CancelToken& cancel) {
    Asked out;
    bool behind = false;
    for (const auto& other : each<RuleTree>(m_books.rules.entries)) {
        behind = behind || other == rule;
        if (other == rule || cancel.cancelled())
            continue;
        const auto from = m_books.rules.files.find(other.get());
        const bool sameBook = from != m_books.rules.files.end() && from->second == m_file;
        if ((behind && sameBook) || !m_pairs.overlap(rule, other))
            continue;
        if (out.drawn == m_left) {
            ++out.left;
            continue;
        }
        ++out.drawn;
        if (m_pairs.of(rule, other, cancel))
            out.others.push_back(other->name);
    }
    return out;
}

} // namespace fw
