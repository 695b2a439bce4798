#include "fusion/policy.h"

#include "base/nearest.h"
#include "rewrite/apply.h"
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
    return placeOf(file, clause.span);
}

void FusionBook::add(const std::vector<DeclarationPtr>& declarations, const std::string& file) {
    std::vector<GrowRule> grow;
    std::vector<FuseRule> fuse;
    for (const DeclarationPtr& declaration : declarations) {
        if (auto tree = declarationAs<GrowTree>(declaration))
            grow.push_back({tree, file});
        else if (auto rule = declarationAs<FuseTree>(declaration))
            fuse.push_back({rule, file});
        else if (auto pattern = declarationAs<PatternDeclTree>(declaration))
            m_patterns.add(pattern);
        else if (auto pin = declarationAs<PinTree>(declaration))
            for (const PinClause& clause : pin->clauses)
                m_pins.push_back({clause, file});
    }
    insertFirst(m_grow, std::move(grow));
    insertFirst(m_fuse, std::move(fuse));
}

const GrowRule* FusionBook::grow(FusionKind from, FusionKind to, GrowDirection direction) const {
    for (const GrowRule& rule : m_grow)
        if (rule.tree->from == kindText(from) && rule.tree->to == kindText(to) &&
            (rule.tree->direction == direction || rule.tree->direction == GrowDirection::Never))
            return &rule;
    return nullptr;
}

FusionBook FusionBook::onlyAvoiding() const {
    FusionBook out;
    for (const PinRule& pin : m_pins)
        if (pin.clause.kind == PinKind::Avoid)
            out.m_pins.push_back(pin);
    return out;
}

FusionBook FusionBook::withoutRules() const {
    FusionBook out = *this;
    out.m_fuse.clear();
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

Diags checkFuse(const FuseTree& rule, const OperatorSet& operators, const PatternTable& patterns,
                const std::vector<std::string>& targetKeys, const std::string& file) {
    Diags out = checkRule(rule.rule, operators, patterns, file, &targetKeys);
    const std::vector<std::string>& known = knownLibraries();
    if (!rule.library.empty() && std::find(known.begin(), known.end(), rule.library) == known.end())
        out.push_back(makeDiag(DiagCode::TextName, "there is no library " + rule.library,
                               {file, {}, rule.librarySpan.line, rule.librarySpan.column},
                               didYouMean(rule.library, known)));
    for (Diag& diag : checkKeys(rule.keys, targetKeys, file))
        out.push_back(std::move(diag));
    return out;
}

Diags checkGrow(const GrowTree& rule, const std::string& file) {
    Diags out;
    for (const auto& [kind, span] :
         {std::pair(rule.from, rule.fromSpan), std::pair(rule.to, rule.toSpan)})
        if (!parseKind(kind))
            out.push_back(makeDiag(
                DiagCode::TextName, "there is no kind " + kind, {file, {}, span.line, span.column},
                didYouMean(kind, kindNames(), fmt::format("{}", fmt::join(kindNames(), ", ")))));
    return out;
}

} // namespace fw
