#include "strategy/book.h"

#include "base/nearest.h"
#include "ir/tensor_text.h"
#include "rewrite/declaration_check.h"
#include "strategy/computation.h"
#include "strategy/post_ops.h"
#include "strategy/targets.h"
#include "syntax/declarations.h"
#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

extern "C" {
extern const char fwBook_strategy[];
extern const char fwBookEnd_strategy[];
}

namespace fw {

namespace {

// Position of the most specific key that the block names; nullopt: none fits.
std::optional<std::size_t> keyRank(const ImplementationsTree& block,
                                   const std::vector<std::string>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (const KeyTree& key : block.targets)
            if (key.name == keys[i])
                return i;
    return std::nullopt;
}

std::optional<int> subjectRank(const ImplementationsTree& block, std::string_view op,
                               FusionKind kind) {
    if (block.subjectKind == SubjectKind::Operator)
        return block.subject == op ? std::optional(0) : std::nullopt;
    if (block.subject == "any")
        return 2;
    return block.subject == kindText(kind) ? std::optional(1) : std::nullopt;
}

bool globMatches(const std::string& glob, const std::string& name) {
    return glob == "*" || (glob.ends_with(".*") &&
                           name.starts_with(std::string_view(glob).substr(0, glob.size() - 1)));
}

bool isGlob(const std::string& name) {
    return name.ends_with("*");
}

struct Ranked {
    const StrategyBlock* block = nullptr;
    std::size_t key = 0;
    int subject = 0;
    std::size_t position = 0;
};

void change(MergedEntry& merged, const EntryTree& entry, const StrategyBlock& block) {
    if (!entry.code.empty())
        merged.code = entry.code;
    if (entry.compute)
        merged.computed = {&entry, block.tree};
    if (entry.priority) {
        merged.priority = static_cast<int>(*entry.priority);
        merged.prioritized = block.origin;
    }
    if (entry.guard)
        merged.guard = {&*entry.guard, block.tree.get()};
    if (entry.absorbs != AbsorbClause::Unwritten) {
        merged.absorbs = entry.absorbs;
        merged.chain = entry.chain;
    }
    merged.places +=
        fmt::format("{}{}:{}", merged.places.empty() ? "" : ", ", block.file, entry.span.line);
}

} // namespace

void StrategyBook::add(const std::vector<DeclarationPtr>& declarations, const std::string& file,
                       BookOrigin origin) {
    using Block = std::shared_ptr<const ImplementationsTree>;
    using Pattern = std::shared_ptr<const PatternDeclTree>;
    using Schedule = std::shared_ptr<const ScheduleTree>;
    for (const DeclarationPtr& declaration : declarations)
        byKind(
            declaration,
            [&](const Block& block) {
                m_blocks.push_back({block, file, m_books, origin});
            },
            [&](const Pattern& pattern) { m_chains.add(pattern); },
            [&](const Schedule& schedule) { add(schedule, file, origin); });
    ++m_books;
}

void StrategyBook::add(std::shared_ptr<const ScheduleTree> schedule, const std::string& file,
                       BookOrigin origin) {
    std::erase_if(m_schedules,
                  [&](const WrittenSchedule& known) { return known.tree->name == schedule->name; });
    if (auto block = blockOf(*schedule))
        m_blocks.push_back({std::move(block), file, m_books, origin});
    m_schedules.push_back({std::move(schedule), file});
}

std::vector<ShippedSchedule> StrategyBook::shippedSchedules() const {
    std::vector<ShippedSchedule> out;
    for (const StrategyBlock& block : m_blocks)
        for (const EntryTree& entry : block.tree->entries)
            if (block.origin == BookOrigin::Shipped && scheduleOfCode(entry.code))
                out.push_back({entry.name, entry.code});
    return out;
}

bool StrategyBook::names(std::string_view implementation) const {
    for (const StrategyBlock& block : m_blocks)
        for (const EntryTree& entry : block.tree->entries)
            if (entry.code == implementation || entry.name == implementation)
                return true;
    return false;
}

std::vector<MergedEntry> StrategyBook::entries(std::string_view op, FusionKind kind,
                                               const std::vector<std::string>& keys) const {
    std::vector<Ranked> fitting;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        const auto key = keyRank(*m_blocks[i].tree, keys);
        const auto subject = subjectRank(*m_blocks[i].tree, op, kind);
        if (key && subject)
            fitting.push_back({&m_blocks[i], *key, *subject, i});
    }
    // Merging goes from the least to the most specific, so that the latter has the last word.
    std::vector<Ranked> merging = fitting;
    std::sort(merging.begin(), merging.end(), [](const Ranked& a, const Ranked& b) {
        return std::tuple(b.key, b.subject, a.block->book, a.position) <
               std::tuple(a.key, a.subject, b.block->book, b.position);
    });
    std::map<std::string, MergedEntry> merged;
    for (const Ranked& ranked : merging)
        for (const EntryTree& entry : ranked.block->tree->entries) {
            if (isGlob(entry.name)) {
                for (auto& [name, known] : merged)
                    if (globMatches(entry.name, name))
                        change(known, entry, *ranked.block);
                continue;
            }
            MergedEntry& known = merged[entry.name];
            known.name = entry.name;
            known.home = ranked.block->tree.get();
            known.level = fmt::format("{} on {}", ranked.block->tree->name, keys[ranked.key]);
            change(known, entry, *ranked.block);
        }
    std::sort(fitting.begin(), fitting.end(), [](const Ranked& a, const Ranked& b) {
        return std::tuple(a.key, a.subject, b.block->book, a.position) <
               std::tuple(b.key, b.subject, a.block->book, b.position);
    });
    std::vector<MergedEntry> out;
    for (const Ranked& ranked : fitting)
        for (const EntryTree& entry : ranked.block->tree->entries)
            if (auto found = merged.extract(entry.name); !found.empty()) {
                MergedEntry& done = found.mapped();
                if (done.code.empty())
                    done.code = done.name;
                out.push_back(std::move(done));
            }
    return out;
}

std::string_view embeddedStrategy() {
    return {fwBook_strategy, static_cast<std::size_t>(fwBookEnd_strategy - fwBook_strategy)};
}

const StrategyBook& standardStrategy() {
    static const StrategyBook book = [] {
        StrategyBook out;
        for (const auto& [file, text] : {std::pair("post_ops.fw", embeddedPostOps()),
                                         std::pair("strategy.fw", embeddedStrategy())}) {
            const FileTree tree = parseFile(text, file);
            if (!tree.errors.empty())
                throw InternalError(std::string(file) + ": " + tree.errors.front().text());
            out.add(tree.declarations, file, BookOrigin::Shipped);
        }
        return out;
    }();
    return book;
}

Diags checkBlock(const ImplementationsTree& block, const OperatorSet& operators,
                 const PatternTable& chains, const ScheduleTable& schedules,
                 const std::vector<std::string>& targetKeys, const std::string& file) {
    Diags out;
    const auto refuse = [&](DiagCode code, std::string message, const Span& span,
                            std::string hint = {}) {
        out.push_back(makeDiag(code, std::move(message), {file, {}, span.line, span.column},
                               std::move(hint)));
    };
    const Operator* op = nullptr;
    if (block.subjectKind == SubjectKind::Operator) {
        op = operators.find(block.subject);
        if (op == nullptr)
            refuse(DiagCode::UnknownOperator, "there is no operator named " + block.subject,
                   block.subjectSpan, operatorHint(block.subject, operators, nullptr));
    } else if (block.subject != "any" && !parseKind(block.subject)) {
        refuse(DiagCode::TextName, "there is no kind " + block.subject, block.subjectSpan,
               didYouMean(block.subject, kindNames(),
                          fmt::format("{} or any", fmt::join(kindNames(), ", "))));
    }
    for (Diag& diag : checkKeys(block.targets, targetKeys, file))
        out.push_back(std::move(diag));
    for (const ParamTree& param : block.params)
        for (Diag& diag : checkSignatureType(param.type, file))
            out.push_back(std::move(diag));
    if (op != nullptr && block.params.size() > op->arity().most)
        refuse(
            DiagCode::OperatorArity,
            fmt::format("{} has {}, not {}", op->name(), op->arity().text(), block.params.size()),
            block.params.back().span, op->signature());
    for (const EntryTree& entry : block.entries) {
        if (auto problem = checkScheduled(entry, block, op, schedules, file))
            out.push_back(std::move(*problem));
        if (entry.absorbs == AbsorbClause::Chain) {
            const auto chain = chains.find(entry.chain);
            if (chain == chains.end() || !chain->second->isChain)
                refuse(DiagCode::TextName, "there is no chain " + entry.chain, entry.chainSpan,
                       didYouMean(entry.chain, chainNames(chains),
                                  "none, any or the name of a chain"));
        }
    }
    if (op != nullptr || block.subjectKind == SubjectKind::Kind)
        for (Diag& diag : checkGuards(block, op, targetKeys, file))
            if (std::find(out.begin(), out.end(), diag) == out.end()) // of the whole block: once
                out.push_back(std::move(diag));
    for (const EntryTree& entry : block.entries)
        if (entry.compute)
            for (Diag& diag : checkComputation({&entry, &block}, operators, file))
                out.push_back(std::move(diag));
    return out;
}

Diags tryComputations(const ImplementationsTree& block,
                      const std::shared_ptr<const OperatorSet>& operators,
                      const std::string& file) {
    Diags out;
    for (const EntryTree& entry : block.entries)
        if (entry.compute)
            if (auto diag = disagreement({&entry, &block}, operators, file))
                out.push_back(std::move(*diag));
    return out;
}

Diags checkStrategy(const StrategyBook& book) {
    Diags out;
    std::set<std::string> subjects;
    for (const StrategyBlock& block : book.blocks()) {
        const ImplementationsTree& tree = *block.tree;
        if (!subjects.insert(tree.name).second)
            continue;
        const bool isOp = tree.subjectKind == SubjectKind::Operator;
        // Some kind that is not opaque: only entries for `kind any` stand behind every operator.
        const FusionKind kind =
            isOp ? FusionKind::Opaque : parseKind(tree.subject).value_or(FusionKind::Opaque);
        const std::vector<MergedEntry> entries =
            book.entries(isOp ? tree.subject : std::string(), kind, {"any"});
        if (std::none_of(entries.begin(), entries.end(),
                         [](const MergedEntry& entry) { return !entry.guard; }))
            out.push_back(makeDiag(DiagCode::RuleIllegal,
                                   "every implementation of " + tree.name + " has a condition",
                                   {block.file, {}, tree.span.line, tree.span.column},
                                   "leave one entry on any without `when`"));
    }
    for (std::size_t i = 0; i < book.blocks().size(); ++i)
        for (const EntryTree& entry : book.blocks()[i].tree->entries)
            for (std::size_t k = 0; k < i; ++k) {
                const StrategyBlock &later = book.blocks()[i], &earlier = book.blocks()[k];
                if (earlier.tree->name != later.tree->name || earlier.book == later.book)
                    continue;
                for (const EntryTree& known : earlier.tree->entries)
                    if (!isGlob(known.name) &&
                        (known.name == entry.name || globMatches(entry.name, known.name)))
                        out.push_back(makeWarning(
                            DiagCode::TextName,
                            fmt::format("changes {} of {} at {}:{}", known.name, later.tree->name,
                                        earlier.file, known.span.line),
                            {later.file, {}, entry.span.line, entry.span.column}));
            }
    return out;
}

} // namespace fw
