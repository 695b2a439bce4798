// What the books offer for a node, judged: the candidates, among which one is chosen.
#pragma once

#include "strategy/library.h"
#include "strategy/selection.h"

#include <functional>

namespace fw {

class CandidateMaker {
public:
    // What a log knows of the node.
    struct Log {
        const Measurements* measured; // null: no log was named
        const std::string& workload;  // whose times it has; empty: it has none
    };
    // Of a library: why it may not be used for the target; empty: it may.
    using WhyNot = std::function<std::string(const std::string& library)>;

    // The caller keeps all.
    CandidateMaker(const Workload& anchor, const Target& target, const Wishes& wishes, Log log,
                   WhyNot whyNot)
        : m_anchor(anchor), m_target(target), m_wishes(wishes), m_log(log),
          m_whyNot(std::move(whyNot)) {}

    // The candidate of the entry, which `code` computes (null: there is none), and itself with
    // other values of its knobs which a pin or the log names. `offered`: of the target.
    void add(const MergedEntry& entry, ImplementationPtr code, const TargetOffer& offered);
    Candidates take() { return std::move(m_out); }

private:
    struct Refusal {
        ReasonCode code;
        std::string evidence;
    };

    Candidate judged(const MergedEntry& entry, ImplementationPtr code,
                     const TargetOffer& offered) const;
    std::optional<Refusal> refusedCode(const MergedEntry& entry, Candidate& candidate) const;
    std::optional<Refusal> refusedByPin(const MergedEntry& entry) const;
    std::optional<Refusal> refusedByGuard(const MergedEntry& entry, const TargetOffer& offered,
                                          Candidate& candidate) const;
    std::optional<Refusal> refusedCall(Candidate& candidate) const;
    void addSettings();
    void setTimes(Candidate& candidate, const std::string& name) const;

    const Workload& m_anchor;
    const Target& m_target;
    const Wishes& m_wishes;
    Log m_log;
    WhyNot m_whyNot;
    Candidates m_out;
};

} // namespace fw
