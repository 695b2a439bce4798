#include "strategy/targets.h"

#include "base/nearest.h"
#include "rewrite/declaration_check.h"
#include "rewrite/required.h"
#include "runtime/cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

constexpr std::size_t deepest = 64;

class TargetCheck {
public:
    TargetCheck(const TargetTree& target, const TargetTable& declared, const std::string& file)
        : m_target(target), m_declared(declared), m_out(file) {}

    Diags make(const OperatorSet& operators, const PatternTable& patterns) {
        name();
        cpu();
        keys();
        libraries();
        if (m_cpu)
            capabilities();
        threads();
        for (const SequenceTree& sequence : m_target.required)
            m_out.add(checkRequired(sequence, operators, patterns, m_out.file()));
        return m_out.take();
    }

private:
    void name() {
        if (isTakenTarget(m_target.name))
            m_out.refuse(DiagCode::TextName, m_target.name + " is the name of a shipped target",
                         m_target.nameSpan, "give it a name of its own");
    }

    // The CPU at the end of what it stands on.
    void cpu() {
        std::string way = m_target.name;
        std::set<std::string> seen = {m_target.name};
        std::string on = m_target.on.name;
        while (true) {
            way += " on " + on;
            if (seen.contains(on))
                return m_out.refuse(DiagCode::RuleIllegal, "a target stands on itself: " + way,
                                    m_target.on.span, "let one of them stand on x86-64");
            if (seen.insert(on).second && seen.size() > deepest)
                return m_out.refuse(DiagCode::LimitReached,
                                    fmt::format("a target stands on {} others at most", deepest),
                                    m_target.on.span, "let it stand on a CPU");
            const auto below = m_declared.find(on);
            if (below == m_declared.end())
                break;
            on = below->second->on.name;
        }
        if (contains(knownTargetKeys(), on)) {
            m_cpu = parseTarget(isMachineKey(on) ? "x86-64" : "x86-64 -mcpu=" + on).value();
            return;
        }
        if (on != m_target.on.name)
            return; // told at the target that says so
        std::vector<std::string> known = targetKeysKnown(m_declared);
        std::erase(known, m_target.name);
        m_out.refuse(DiagCode::TextName, "there is no target " + on, m_target.on.span,
                     didYouMean(on, known,
                                "x86-64, x86-64-v3, the name of a CPU, or a target "
                                "that a book declares"));
    }

    bool isMachine() const { return m_cpu->cpu == "native"; }
    std::string cpuName() const { return isMachine() ? "this machine" : m_cpu->cpu; }

    void keys() {
        for (const KeyTree& key : m_target.keys) {
            const bool ofCpu = contains(knownTargetKeys(), key.name) && !isMachineKey(key.name);
            if (!m_cpu || !ofCpu || (!isMachine() && contains(targetKeys(*m_cpu), key.name)))
                continue;
            m_out.refuse(DiagCode::RuleIllegal,
                         fmt::format("{} is the key of another CPU than {}", key.name, cpuName()),
                         key.span, "let the target stand on " + key.name);
        }
    }

    void libraries() {
        for (const KeyTree& library : m_target.libs.value_or(std::vector<KeyTree>()))
            if (!parseTarget("-libs=" + library.name))
                m_out.refuse(
                    DiagCode::TextName, "there is no library " + library.name, library.span,
                    didYouMean(library.name, knownLibraries(),
                               fmt::format("{}; a library of a book is loaded where the "
                                           "user names it only: -libs={}",
                                           fmt::join(knownLibraries(), ", "), library.name)));
    }

    void capabilities() {
        for (const KeyTree& feature : m_target.features) {
            const auto bit = cpuFeature(feature.name);
            if (!bit)
                m_out.refuse(DiagCode::TextName, "no CPU feature is called " + feature.name,
                             feature.span,
                             didYouMean(feature.name, knownCpuFeatures(),
                                        fmt::format("{}", fmt::join(knownCpuFeatures(), ", "))));
            else if (!isMachine() && levelOfFeature(*bit) > m_cpu->level)
                m_out.refuse(DiagCode::RuleIllegal,
                             fmt::format("{} has no {}", cpuName(), feature.name), feature.span,
                             fmt::format("let the target stand on x86-64-v{}",
                                         static_cast<int>(levelOfFeature(*bit))));
        }
        if (!m_target.vectorBits)
            return;
        const auto& [bits, span] = *m_target.vectorBits;
        const int most = isMachine() ? 512 : m_cpu->vectorLanesF32 * 32;
        if (bits != 128 && bits != 256 && bits != 512)
            m_out.refuse(DiagCode::RuleIllegal,
                         fmt::format("vectors have 128, 256 or 512 bits, not {}", bits), span);
        else if (bits > most)
            m_out.refuse(DiagCode::RuleIllegal,
                         fmt::format("{} has vectors of {} bits, not of {}", cpuName(), most, bits),
                         span, "let the target stand on x86-64-v4");
    }

    void threads() {
        if (!m_target.threads)
            return;
        const auto& [count, span] = *m_target.threads;
        if (const auto target = parseTarget(fmt::format("-threads={}", count)); !target)
            m_out.refuse(DiagCode::RuleIllegal, fmt::format("{} is not a number of threads", count),
                         span, target.diag().hint);
    }

    const TargetTree& m_target;
    const TargetTable& m_declared;
    Refusals m_out;
    std::optional<Target> m_cpu;
};

} // namespace

bool isTakenTarget(const std::string& name) {
    return name == "native" || contains(knownTargetKeys(), name);
}

std::vector<std::string> targetKeysKnown(const TargetTable& declared) {
    std::vector<std::string> out = knownTargetKeys();
    const auto add = [&](const std::string& key) {
        if (!contains(out, key))
            out.push_back(key);
    };
    for (const auto& [name, target] : declared) {
        add(name);
        for (const KeyTree& key : target->keys)
            add(key.name);
    }
    return out;
}

bool isFor(const DeclarationTree& declaration, const TargetOffer& offer) {
    const auto& targets = declaration.targets;
    return targets.empty() || std::any_of(targets.begin(), targets.end(), [&](const KeyTree& key) {
               return std::find(offer.keys.begin(), offer.keys.end(), key.name) != offer.keys.end();
           });
}

Diags checkKeys(const std::vector<KeyTree>& keys, const std::vector<std::string>& known,
                const std::string& file) {
    Diags out;
    for (const KeyTree& key : keys)
        if (std::find(known.begin(), known.end(), key.name) == known.end())
            out.push_back(
                makeDiag(DiagCode::TextName, "there is no target key " + key.name,
                         {file, {}, key.span.line, key.span.column},
                         didYouMean(key.name, known,
                                    "any, cpu, x86-64, x86-64-v3, the name of a CPU or of "
                                    "a target that a book declares")));
    return out;
}

Diags checkTarget(const TargetTree& target, const TargetTable& declared,
                  const OperatorSet& operators, const PatternTable& patterns,
                  const std::string& file) {
    return TargetCheck(target, declared, file).make(operators, patterns);
}

DeclaredTarget declaredTarget(const TargetTree& target) {
    DeclaredTarget out;
    out.name = target.name;
    out.on = target.on.name;
    for (const KeyTree& key : target.keys)
        out.keys.push_back(key.name);
    if (target.libs) {
        out.libs.emplace();
        for (const KeyTree& library : *target.libs)
            out.libs->push_back(library.name);
    }
    for (const KeyTree& feature : target.features)
        out.features |= cpuFeature(feature.name).value_or(0);
    if (target.vectorBits)
        out.vectorBits = static_cast<int>(target.vectorBits->value);
    if (target.threads)
        out.threads = static_cast<int>(target.threads->value);
    return out;
}

std::vector<const SequenceTree*> requiredBy(std::string_view target, const TargetTable& declared) {
    std::vector<const SequenceTree*> out;
    std::set<std::string, std::less<>> seen;
    for (auto one = declared.find(target); one != declared.end() && seen.insert(one->first).second;
         one = declared.find(one->second->on.name))
        for (const SequenceTree& sequence : one->second->required)
            out.push_back(&sequence);
    return out;
}

} // namespace fw
