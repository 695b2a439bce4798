#include "strategy/candidates.h"

#include "base/library_names.h"
#include "strategy/branches.h"
#include "strategy/call_scope.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

Candidate unjudged(const MergedEntry& entry) {
    Candidate out;
    out.implementation = entry.name;
    out.priority = entry.priority;
    out.prioritized = entry.prioritized;
    out.level = entry.level;
    out.place = entry.places;
    out.absorbs = {entry.absorbs, entry.chain, entry.places};
    return out;
}

} // namespace

void CandidateMaker::add(const MergedEntry& entry, ImplementationPtr code,
                         const TargetOffer& offered) {
    m_out.push_back(judged(entry, std::move(code), offered));
    addSettings();
}

Candidate CandidateMaker::judged(const MergedEntry& entry, ImplementationPtr code,
                                 const TargetOffer& offered) const {
    Candidate out = unjudged(entry);
    if (entry.absorbs == AbsorbClause::Chain)
        out.absorbs.offer = std::make_shared<const TargetOffer>(offered);
    out.by = std::move(code);
    std::optional<Refusal> refused = refusedCode(entry, out);
    if (!refused)
        refused = refusedByPin(entry);
    if (!refused)
        refused = refusedByGuard(entry, offered, out);
    if (!refused)
        refused = refusedCall(out);
    if (refused) {
        out.verdict = Verdict::No;
        out.code = refused->code;
        out.evidence = std::move(refused->evidence);
        return out;
    }
    out.estimateUs = out.by->estimate(m_anchor.facts, m_anchor, m_target);
    setTimes(out, out.implementation);
    return out;
}

// There is code, which may be used for the target.
std::optional<CandidateMaker::Refusal> CandidateMaker::refusedCode(const MergedEntry& entry,
                                                                   Candidate& candidate) const {
    if (candidate.by == nullptr) {
        const std::string builtIn = libraryOfCall(entry.code);
        if (builtIn.empty())
            return Refusal{ReasonCode::NoSuchCode, entry.code};
        const std::string why = m_whyNot(builtIn);
        return Refusal{ReasonCode::LibraryAbsent,
                       why.empty() ? fmt::format("{} has no {}", builtIn, entry.code) : why};
    }
    const Library* library = candidate.by->library();
    if (library == nullptr)
        return std::nullopt;
    if (std::string why = m_whyNot(library->name()); !why.empty())
        return Refusal{ReasonCode::LibraryAbsent, std::move(why)};
    const int usual = MergedEntry().priority;
    if (m_target.libraryChoice == LibraryChoice::Found &&
        entry.prioritized == BookOrigin::Shipped && entry.priority >= usual) {
        candidate.byCost = true;
        candidate.priority = usual;
    }
    return std::nullopt;
}

std::optional<CandidateMaker::Refusal>
CandidateMaker::refusedByPin(const MergedEntry& entry) const {
    const std::string family = entry.code.substr(0, entry.code.find('.'));
    for (const Avoided& avoid : m_wishes.avoid)
        if (avoid.name == entry.name || avoid.name == entry.code || avoid.name == family)
            return Refusal{ReasonCode::PinAvoids, avoid.evidence};
    return std::nullopt;
}

// The call fits what the entry says of it, at some sizes at least.
std::optional<CandidateMaker::Refusal> CandidateMaker::refusedByGuard(const MergedEntry& entry,
                                                                      const TargetOffer& offered,
                                                                      Candidate& candidate) const {
    if (entry.home != nullptr && entry.home->ownSignature)
        if (const auto scope = callScope(*entry.home, m_anchor); !scope)
            return Refusal{ReasonCode::GuardFalse, scope.diag().message};
    if (!entry.guard)
        return std::nullopt;
    Result<Scope> scope = callScope(*entry.guard->block, m_anchor);
    if (!scope)
        return Refusal{ReasonCode::GuardFalse, scope.diag().message};
    scope->offer = &offered;
    const ConditionResult verdict = decide(*entry.guard->condition, *scope);
    candidate.guard = verdict.evidence;
    if (verdict.truth == Truth::No)
        return Refusal{ReasonCode::GuardFalse, verdict.evidence};
    if (verdict.truth != Truth::Unknown)
        return std::nullopt;
    std::string evidence = verdict.evidence;
    if (verdict.open)
        decideBySizes(candidate, *verdict.open, *m_anchor.graph, evidence);
    if (candidate.neverHolds)
        return Refusal{ReasonCode::GuardFalse, std::move(evidence)};
    // Branches are by priority: what competes by estimates is one at all sizes or at none.
    if (!verdict.open || (candidate.when && candidate.byCost))
        return Refusal{ReasonCode::GuardUndecided, std::move(evidence)};
    return std::nullopt;
}

std::optional<CandidateMaker::Refusal> CandidateMaker::refusedCall(Candidate& candidate) const {
    Acceptance answer = candidate.by->accepts(m_anchor, m_target);
    if (!answer.yes())
        return Refusal{answer.code, std::move(answer.evidence)};
    candidate.verdict = candidate.when ? Verdict::Note : Verdict::Yes;
    candidate.code = candidate.when ? ReasonCode::GuardUndecided : answer.code;
    candidate.evidence = candidate.when ? candidate.guard : std::move(answer.evidence);
    return std::nullopt;
}

// `name`: with the values of its knobs.
void CandidateMaker::setTimes(Candidate& candidate, const std::string& name) const {
    if (m_log.workload.empty())
        return;
    candidate.measuredUs = m_log.measured->find(m_log.workload, name);
    candidate.disturbed = m_log.measured->onlyDisturbed(m_log.workload, name);
}

void CandidateMaker::addSettings() {
    const Measurements* measured = m_log.measured;
    const Candidate& last = m_out.back();
    const bool pinned =
        m_wishes.use != last.implementation && entryOf(m_wishes.use) == last.implementation;
    if (last.verdict != Verdict::Yes || (measured == nullptr && !pinned) ||
        last.by->settings().empty())
        return;
    const Candidate entry = last;
    std::vector<std::string> names;
    if (!m_log.workload.empty())
        names = measured->settings(m_log.workload, entry.implementation);
    if (pinned && std::find(names.begin(), names.end(), m_wishes.use) == names.end())
        names.push_back(m_wishes.use);
    for (std::string& name : names) {
        const KnobSettings settings = settingsOf(name);
        const ImplementationPtr code = settings.empty() ? nullptr : entry.by->at(settings);
        if (code == nullptr) // of a log that is older than the book
            continue;
        Candidate one = entry;
        one.by = code;
        one.atSetting = true;
        one.evidence = code->accepts(m_anchor, m_target).evidence;
        setTimes(one, name);
        for (const Avoided& avoid : m_wishes.avoid)
            if (avoid.name == name) {
                one.verdict = Verdict::No;
                one.code = ReasonCode::PinAvoids;
                one.evidence = avoid.evidence;
            }
        one.implementation = std::move(name);
        m_out.push_back(std::move(one));
    }
}

} // namespace fw
