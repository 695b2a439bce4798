// What the books say about fusion: growth rules, fusion rules and composites, pins.
//
// The default policy is resources/library/fusion.fw. Later books come before earlier ones, so what
// a user writes is asked first: `grow A -> B never` of the user wins over `grow A -> B forward` of
// the shipped book.
#pragma once

#include "strategy/book.h"
#include "syntax/fusion.h"

#include <functional>

namespace fw {

bool isMapKind(FusionKind kind);

struct GrowRule {
    std::shared_ptr<const GrowTree> tree;
    std::string file;

    std::size_t limit() const;    // operators in the group
    std::size_t operands() const; // tensors that the group reads
    std::string place() const;    // "contraction -> elementwise at fusion.fw:12"
};

struct FuseRule {
    std::shared_ptr<const FuseTree> tree;
    std::string file;
    std::shared_ptr<const PreparedPatterns> patterns = {}; // FusionBook makes them

    std::string place() const; // "conv_tail at my.fw:3"
};

// What the text of pins that stand in no book is called.
inline constexpr const char* pinsOfTheUser = "pins";

struct PinRule {
    PinClause clause;
    std::string file;

    std::string place() const; // "my.fw:3"; of a pin that no book has: "a pin of yours"
};

class FusionBook {
public:
    // Trees of other declarations are passed over.
    void add(const std::vector<DeclarationPtr>& declarations, const std::string& file);
    // Only what may not be used: nothing grows.
    FusionBook onlyAvoiding() const;
    // Growth as it is, no fusion rules, and of the pins what implementations are used or avoided;
    // the log puts nothing together.
    FusionBook withoutRules() const;
    bool followsLog() const { return m_followsLog; }
    void addPin(PinRule pin) { m_pins.push_back(std::move(pin)); }

    // The rule that speaks for this pair and direction, or the one that forbids it; nullptr: none.
    // `holds`: whether it is for the target, and its conditions are met.
    using Holds = std::function<bool(const GrowRule&)>;
    const GrowRule* grow(FusionKind from, FusionKind to, GrowDirection direction,
                         const Holds& holds = {}) const;
    const std::vector<GrowRule>& growRules() const { return m_grow; } // first asked first
    const std::vector<FuseRule>& fuseRules() const { return m_fuse; } // first asked first
    const std::vector<PinRule>& pins() const { return m_pins; }
    const PatternTable& patterns() const { return m_patterns.table(); }

private:
    std::vector<GrowRule> m_grow; // first asked first
    std::vector<FuseRule> m_fuse;
    std::vector<PinRule> m_pins;
    bool m_followsLog = true;
    DeclaredPatterns m_patterns;
};

// resources/library/fusion.fw
const FusionBook& standardFusion();
std::string_view embeddedFusion();

// What is wrong with one declaration: kinds, patterns, conditions, libraries. `libraries`: those
// that books declare.
Diags checkFuse(const FuseTree& rule, const OperatorSet& operators, const PatternTable& patterns,
                const std::vector<std::string>& targetKeys,
                const std::vector<std::string>& libraries, const std::string& file);
Diags checkGrow(const GrowTree& rule, const std::vector<std::string>& targetKeys,
                const std::string& file);

} // namespace fw
