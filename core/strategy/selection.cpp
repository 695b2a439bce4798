#include "strategy/implementation.h"

#include <fmt/format.h>

namespace fw {

const Implementation* Catalog::find(std::string_view name) const {
    for (const auto& implementation : m_all)
        if (implementation->name() == name)
            return implementation.get();
    return nullptr;
}

Selection Catalog::select(const Workload& anchor, const Target& target) const {
    Selection out;
    std::size_t best = 0, ready = 0, equal = 0;
    for (const auto& implementation : m_all) {
        const Answer answer = implementation->accepts(anchor, target);
        Candidate candidate{implementation->name(),
                            answer.verdict,
                            false,
                            answer.code,
                            answer.evidence,
                            implementation->priority(),
                            implementation->estimate(anchor.facts, target)};
        if (answer.yes()) {
            ++ready;
            const int previous = out.implementation ? out.implementation->priority() : -1;
            if (candidate.priority > previous) {
                out.implementation = implementation.get();
                best = out.candidates.size();
                equal = 1;
            } else if (candidate.priority == previous) {
                ++equal;
            }
        }
        out.candidates.push_back(std::move(candidate));
    }
    if (out.implementation == nullptr)
        return out;
    Candidate& chosen = out.candidates[best];
    chosen.chosen = true;
    if (ready == 1) {
        chosen.code = ReasonCode::ChosenOnly;
        chosen.evidence = chosen.implementation;
        out.source = "only";
    } else if (equal > 1) {
        chosen.code = ReasonCode::ChosenOrder;
        chosen.evidence =
            fmt::format("{} of {} with priority {}", chosen.implementation, equal, chosen.priority);
        out.source = "order";
    } else {
        chosen.code = ReasonCode::ChosenPriority;
        chosen.evidence =
            fmt::format("{} with priority {}", chosen.implementation, chosen.priority);
        out.source = "priority";
    }
    return out;
}

} // namespace fw
