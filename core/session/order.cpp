#include "session/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <typeindex>

namespace fw {

namespace {

using namespace snapshot;

std::string placeOf(const std::string& file, const Span& span) {
    return fmt::format("{}:{}", file, span.line);
}

class Order {
public:
    Order(const Books& books, const RewriteTrace& trace, const FusionPlan* plan)
        : m_books(books), m_trace(trace), m_plan(plan) {}

    std::vector<OrderRecord> entries() {
        rewrites();
        for (const PinRule& pin : m_books.fusion.pins())
            add("pin", std::string(kindOf(Declares::Pin).noun),
                fmt::format("{}", fmt::join(pin.clause.names, ", ")), {}, pin.file,
                pin.clause.span);
        fusionRules();
        growth();
        implementations();
        names();
        return std::move(m_entries);
    }

private:
    OrderRecord& add(OrderPhase phase, std::string kind, std::string name, std::string doc,
                     const std::string& file, const Span& span) {
        OrderRecord row;
        row.phase = phase;
        row.kind = std::move(kind);
        row.name = std::move(name);
        row.doc = std::move(doc);
        row.file = file;
        row.line = static_cast<int>(span.line);
        return m_entries.emplace_back(std::move(row));
    }
    OrderRecord& add(OrderPhase phase, const DeclarationTree& declaration,
                     const std::string& file) {
        return add(phase, std::string(kindOf(declaration).noun), declaration.name, declaration.doc,
                   file, declaration.span);
    }

    const std::string& fileOf(const DeclarationTree* declaration) const {
        static const std::string none;
        for (const ReadBook& book : m_books.read)
            for (const DeclarationPtr& one : book.declarations)
                if (one.get() == declaration)
                    return book.file;
        return none;
    }

    void rewrites() {
        for (const std::string& stage : rewriteStages())
            for (std::size_t i = 0; i < m_books.rules.entries.size(); ++i) {
                const DeclarationTree& entry = *m_books.rules.entries[i];
                if (stageOf(entry) != stage)
                    continue;
                OrderRecord& row = add("rewrite", entry, fileOf(&entry));
                if (stage != rewriteStages().front())
                    row.kind += ", " + stage;
                if (i < m_trace.applied.size()) {
                    row.count = static_cast<std::int64_t>(m_trace.applied[i].count);
                    row.ms = m_trace.applied[i].ms;
                }
            }
    }

    void fusionRules() {
        const auto& rules = m_books.fusion.fuseRules();
        for (std::size_t i = 0; i < rules.size(); ++i) {
            OrderRecord& row = add("fuse", *rules[i].tree, rules[i].file);
            if (m_plan != nullptr && i < m_plan->asked.size()) {
                row.count = static_cast<std::int64_t>(m_plan->asked[i].formed.size());
                row.ms = m_plan->asked[i].ms;
            }
        }
    }

    // Who is asked where this rule could be; nothing if it is asked itself somewhere.
    const GrowRule* before(const GrowRule& rule) const {
        const auto from = parseKind(rule.tree->from), to = parseKind(rule.tree->to);
        if (!from || !to)
            return nullptr;
        const GrowRule* out = nullptr;
        for (const GrowDirection direction : {GrowDirection::Forward, GrowDirection::Into}) {
            if (rule.tree->direction != GrowDirection::Never && rule.tree->direction != direction)
                continue;
            const GrowRule* asked = m_books.fusion.grow(*from, *to, direction);
            if (asked == &rule)
                return nullptr;
            out = out == nullptr ? asked : out;
        }
        return out;
    }

    void growth() {
        std::map<std::string, std::int64_t> joined; // by place
        if (m_plan != nullptr)
            for (const EdgeDecision& edge : m_plan->edges)
                if (edge.decision.verdict == Verdict::Yes)
                    for (const Gate& gate : edge.gates)
                        if (gate.name == growthGate)
                            ++joined[gate.evidence.str()];
        for (const GrowRule& rule : m_books.fusion.growRules()) {
            OrderRecord& row = add("grow", *rule.tree, rule.file);
            const char* directions[] = {"forward", "into", "never"};
            row.name += fmt::format(" {}", directions[static_cast<int>(rule.tree->direction)]);
            if (const GrowRule* other = before(rule))
                row.shadowed =
                    fmt::format("{} is asked first", placeOf(other->file, other->tree->span));
            // A rule that closes the way lets nothing join.
            if (m_plan != nullptr)
                row.count = rule.tree->direction == GrowDirection::Never ? 0 : joined[rule.place()];
        }
    }

    // Later books win, so theirs come first.
    void implementations() {
        std::map<std::string, std::set<int>> groups; // that have an entry, by its place
        if (m_plan != nullptr)
            for (const Group& group : m_plan->groups)
                for (const Candidate& candidate : group.candidates)
                    for (std::size_t at = 0; candidate.chosen && at < candidate.place.size();) {
                        const std::size_t end =
                            std::min(candidate.place.find(", ", at), candidate.place.size());
                        groups[candidate.place.substr(at, end - at)].insert(group.id);
                        at = end + 2;
                    }
        const auto& blocks = m_books.strategy.blocks();
        for (auto last = blocks.end(); last != blocks.begin();) {
            auto first = last;
            while (first != blocks.begin() && (first - 1)->book == (last - 1)->book)
                --first;
            for (auto block = first; block != last; ++block) {
                OrderRecord& row = add("implement", *block->tree, block->file);
                if (m_plan == nullptr)
                    continue;
                std::set<int> chosen;
                for (const EntryTree& entry : block->tree->entries)
                    if (const auto found = groups.find(placeOf(block->file, entry.span));
                        found != groups.end())
                        chosen.insert(found->second.begin(), found->second.end());
                row.count = static_cast<std::int64_t>(chosen.size());
            }
            last = first;
        }
    }

    // What others name: the one that is read last is meant.
    void names() {
        // Patterns and chains are one kind of name, and one kind of tree. -> place
        std::map<std::pair<std::type_index, std::string>, std::string> meant;
        for (auto book = m_books.read.rbegin(); book != m_books.read.rend(); ++book)
            for (const DeclarationPtr& declaration : book->declarations) {
                if (!kindOf(*declaration).isUsed)
                    continue;
                OrderRecord& row = add("name", *declaration, book->file);
                const DeclarationTree& tree = *declaration;
                const auto [known, first] =
                    meant.emplace(std::pair(std::type_index(typeid(tree)), tree.name),
                                  placeOf(book->file, declaration->span));
                if (!first)
                    row.shadowed = fmt::format("{} takes its place", known->second);
            }
    }

    const Books& m_books;
    const RewriteTrace& m_trace;
    const FusionPlan* m_plan;
    std::vector<OrderRecord> m_entries;
};

} // namespace

Result<OrderDocument> describeOrder(Pipeline& pipeline, const Arguments& arguments,
                                    const Context& context) {
    OrderDocument out;
    out.model = arguments.model;
    FW_TRY(const Books* books, pipeline.books());
    FW_TRY(const Simplified* simplified, pipeline.simplified(context));
    const Result<const FusionPlan*> plan = pipeline.plan(context);
    if (!plan && plan.diag().code == DiagCode::Cancelled)
        return plan.diag();
    out.planned = plan.ok();
    out.entries = Order(*books, simplified->trace, plan ? *plan : nullptr).entries();
    out.diagnostics = books->diagnostics;
    return out;
}

} // namespace fw
