#include "fusion/policy.h"

#include "base/nearest.h"
#include "rewrite/apply.h"
#include "strategy/generated_code.h"
#include "strategy/targets.h"
#include "strategy/user_libraries.h"
#include "syntax/declarations.h"
#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>

extern "C" {
extern const char fwBook_fusion[];
extern const char fwBookEnd_fusion[];
}

namespace fw {

namespace {

constexpr std::int64_t usualLimit = 64;
constexpr std::int64_t usualOperands = 64;

std::string placeOf(const std::string& file, const Span& span) {
    return fmt::format("{}:{}", file, span.line);
}

template <class T>
void insertFirst(std::vector<T>& list, std::vector<T> added) {
    list.insert(list.begin(), std::make_move_iterator(added.begin()),
                std::make_move_iterator(added.end()));
}

} // namespace

bool isMapKind(FusionKind kind) {
    return kind == FusionKind::Elementwise || kind == FusionKind::Broadcast;
}

std::size_t GrowRule::limit() const {
    return static_cast<std::size_t>(tree->limit > 0 ? tree->limit : usualLimit);
}

std::size_t GrowRule::operands() const {
    return static_cast<std::size_t>(tree->operands > 0 ? tree->operands : usualOperands);
}

std::string GrowRule::place() const {
    return tree->name + " at " + placeOf(file, tree->span);
}

std::string FuseRule::place() const {
    return tree->name + " at " + placeOf(file, tree->span);
}

std::string PinRule::place() const {
    return file == pinsOfTheUser ? "a pin of yours" : placeOf(file, clause.span);
}

void FusionBook::add(const std::vector<DeclarationPtr>& declarations, const std::string& file) {
    std::vector<GrowRule> grow;
    std::vector<FuseRule> fuse;
    for (const auto& tree : each<GrowTree>(declarations))
        grow.push_back({tree, file});
    for (const auto& tree : each<FuseTree>(declarations))
        fuse.push_back({tree, file});
    const auto patterns = each<PatternDeclTree>(declarations);
    for (const auto& pattern : patterns)
        m_patterns.add(pattern);
    for (const auto& pin : each<PinTree>(declarations))
        for (const PinClause& clause : pin->clauses)
            m_pins.push_back({clause, file});
    insertFirst(m_grow, std::move(grow));
    insertFirst(m_fuse, std::move(fuse));
    // In earlier rules, too, a name stands for the pattern that was read last.
    for (FuseRule& rule : m_fuse)
        if (!rule.patterns || !patterns.empty())
            rule.patterns =
                std::make_shared<const PreparedPatterns>(rule.tree->rule.match, m_patterns.table());
}

const GrowRule* FusionBook::grow(FusionKind from, FusionKind to, GrowDirection direction,
                                 const Holds& holds) const {
    for (const GrowRule& rule : m_grow)
        if (rule.tree->from == kindText(from) && rule.tree->to == kindText(to) &&
            (rule.tree->direction == direction || rule.tree->direction == GrowDirection::Never) &&
            (!holds || holds(rule)))
            return &rule;
    return nullptr;
}

FusionBook FusionBook::onlyAvoiding() const {
    FusionBook out;
    out.m_followsLog = false;
    for (const PinRule& pin : m_pins)
        if (pin.clause.kind == PinKind::Avoid)
            out.m_pins.push_back(pin);
    return out;
}

FusionBook FusionBook::withoutRules() const {
    FusionBook out = *this;
    out.m_fuse.clear();
    out.m_followsLog = false;
    std::erase_if(out.m_pins, [](const PinRule& pin) {
        return pin.clause.kind != PinKind::Avoid && pin.clause.kind != PinKind::Use;
    });
    return out;
}

std::string_view embeddedFusion() {
    return {fwBook_fusion, static_cast<std::size_t>(fwBookEnd_fusion - fwBook_fusion)};
}

const FusionBook& standardFusion() {
    static const FusionBook book = [] {
        const FileTree tree = parseFile(embeddedFusion(), "fusion.fw");
        if (!tree.errors.empty())
            throw InternalError("fusion.fw: " + tree.errors.front().text());
        FusionBook out;
        out.add(tree.declarations, "fusion.fw");
        return out;
    }();
    return book;
}

namespace {

std::optional<Diag> checkLibraryName(const FuseTree& rule, const std::vector<std::string>& declared,
                                     const std::string& file) {
    if (rule.library.empty())
        return std::nullopt;
    const Where where{file, {}, rule.librarySpan.line, rule.librarySpan.column};
    const auto [library, kernel] = kernelName(rule.library);
    if (std::find(declared.begin(), declared.end(), library) != declared.end()) {
        if (!kernel.empty())
            return std::nullopt;
        return makeDiag(
            DiagCode::RuleIllegal,
            fmt::format("{} does not say which kernel of {} computes it", rule.name, library),
            where, fmt::format("for {}.KERNEL, as its descriptor calls it", library));
    }
    std::vector<std::string> known = knownLibraries();
    if (std::find(known.begin(), known.end(), rule.library) != known.end())
        return std::nullopt;
    known.insert(known.end(), declared.begin(), declared.end());
    return makeDiag(DiagCode::TextName, "there is no library " + rule.library, where,
                    didYouMean(library, known,
                               fmt::format("a shared library of yours is declared: library {} "
                                           "\"lib{}.so\"",
                                           library, library)));
}

} // namespace

Diags checkFuse(const FuseTree& rule, const OperatorSet& operators, const PatternTable& patterns,
                const std::vector<std::string>& targetKeys,
                const std::vector<std::string>& libraries, const std::string& file) {
    Diags out = checkRule(rule.rule, operators, patterns, file, &targetKeys);
    if (auto wrong = checkLibraryName(rule, libraries, file))
        out.push_back(std::move(*wrong));
    for (Diag& diag : checkKeys(rule.targets, targetKeys, file))
        out.push_back(std::move(diag));
    return out;
}

namespace {

// Why no group can ever join another one by this line, and what to do; the rules of grow.cpp.
std::optional<std::pair<std::string, std::string>> opensNothing(const GrowTree& rule) {
    const FusionKind from = *parseKind(rule.from), to = *parseKind(rule.to);
    for (const std::string& kind : {rule.from, rule.to})
        if (*parseKind(kind) == FusionKind::Opaque)
            return std::pair(kind +
                                 " operators have no tensor expression, each is a group of its own",
                             std::string("declare the operator with its expression: op"));
    if (rule.direction == GrowDirection::Forward) {
        if (isMapKind(to))
            return std::nullopt;
        return std::pair(
            fmt::format("forward takes readers that are elementwise or broadcast, {} is the anchor "
                        "of a group, and a group has one",
                        rule.to),
            isMapKind(from) || from == FusionKind::Injective
                ? fmt::format("grow {} into, by which the group of {} takes them", rule.name,
                              rule.to)
                : std::string("fuse with `as stacked` puts both into one function"));
    }
    if (from > FusionKind::Injective)
        return std::pair(
            fmt::format("into is for maps and movements, which are computed where they "
                        "are read; {} is the anchor of a group",
                        rule.from),
            isMapKind(to) ? fmt::format("grow {} forward, by which {} joins it", rule.name, rule.to)
                          : std::string("fuse with `as stacked` puts both into one "
                                        "function"));
    if (to > FusionKind::Injective && !mayPrecede(from, to))
        return std::pair(fmt::format("no code moves elements where {} reads them", rule.to),
                         std::string("fuse with `as stacked` puts both into one function"));
    return std::nullopt;
}

} // namespace

Diags checkGrow(const GrowTree& rule, const std::vector<std::string>& targetKeys,
                const std::string& file) {
    Diags out = checkKeys(rule.targets, targetKeys, file);
    Vocabulary known;
    known.targetKeys = &targetKeys;
    for (const char* name : growNames)
        known.names.emplace(name, TermKind::Tensor);
    for (const ConditionTree& condition : rule.where)
        for (Diag& diag : checkCondition(condition.tree, known, file))
            out.push_back(std::move(diag));
    for (const auto& [kind, span] :
         {std::pair(rule.from, rule.fromSpan), std::pair(rule.to, rule.toSpan)})
        if (!parseKind(kind))
            out.push_back(makeDiag(
                DiagCode::TextName, "there is no kind " + kind, {file, {}, span.line, span.column},
                didYouMean(kind, kindNames(), fmt::format("{}", fmt::join(kindNames(), ", ")))));
    if (!out.empty() || rule.direction == GrowDirection::Never)
        return out;
    if (const auto why = opensNothing(rule))
        out.push_back(makeDiag(
            DiagCode::RuleIllegal,
            fmt::format("grow {} {} opens nothing: {}", rule.name,
                        rule.direction == GrowDirection::Into ? "into" : "forward", why->first),
            {file, {}, rule.fromSpan.line, rule.fromSpan.column}, why->second));
    return out;
}

} // namespace fw
