#include "app/window/plan_results.h"

#include "app/window/questions.h"
#include "snapshot/plan_changes.h"
#include "snapshot/time_changes.h"
#include "views/common/numbers.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;

PlanResults::PlanResults(KeptParts& parts, Questions& questions, DocumentBooks& books)
    : m_parts(parts), m_questions(questions), m_books(books), m_states(parts, questions, books) {}

void PlanResults::begin(const snapshot::SavedTimes& times) {
    m_compared.reset();
    m_changed.reset();
    m_timesOfCompared.reset();
    m_timesBefore.reset();
    m_timed = times.plan;
    m_parts.kept().baseline = times.baseline;
    m_parts.stateOf(Part::Baseline).state = times.baseline ? State::Ready : State::Empty;
    m_parts.kept().profileResult = times.last;
    m_parts.stateOf(Part::Profile).state = times.last ? State::Stale : State::Empty;
    m_used.clear();
    m_states.forget();
    m_parts.nextGeneration();
}

void PlanResults::forgetUsed() {
    m_used.clear();
}

void PlanResults::release(const std::string& path, const std::string& text) {
    for (UsedInputs& used : m_used)
        if (const auto same = used.texts.find(path);
            same != used.texts.end() && same->second == text)
            used.texts.erase(same);
}

template <class T>
void PlanResults::askFor(Part part, const Arguments& arguments, Shared<T>& slot,
                         std::function<void(const Answer<T>&)> always) {
    m_questions.sendLatest<T>(m_parts.stateOf(part).request, arguments,
                              m_parts.ofThisPlan<T>([this, part, &slot](Answer<T> answer) {
                                  if (!answer)
                                      return refused(part, answer.diag(), slot != nullptr);
                                  slot = answer.take();
                                  m_parts.setPart(part, State::Ready);
                                  answered(part);
                              }),
                              WorkerClient::By::First, std::move(always));
    m_parts.setPart(part, State::Busy);
}

void PlanResults::answered(Part part) {
    if (part == Part::Profile)
        m_timed = snapshot::planKey(*m_parts.kept().plan);
    if (part == Part::Plan) {
        comparePlans();
        keepTimes();
        askRules();
    }
    if (part == Part::Plan || part == Part::Fused || part == Part::Imported ||
        part == Part::Profile)
        keep();
    if (part == Part::Profile) {
        compareTimes();
        tellProfile();
    }
}

void PlanResults::refused(Part part, const Diag& why, bool hadOne) {
    const bool cancelled = why.code == DiagCode::Cancelled;
    m_parts.setPart(part, !cancelled ? State::Error : hadOne ? State::Stale : State::Empty, why);
    if (part == Part::Plan && !cancelled && why.code != DiagCode::WorkerDied)
        askRules(); // a book may be why
    if (part == Part::Plan && why.code == DiagCode::LibraryNotAgreed)
        Q_EMIT libraryNotAgreed();
    // Of these it is said where they would stand.
    if (part != Part::Value && part != Part::Sketch && part != Part::Step &&
        part != Part::Schedule && part != Part::Hazards && part != Part::Ops)
        Q_EMIT m_parts.problem(why);
}

void PlanResults::ask(Part part, const Arguments& arguments) {
    const auto askShared = [&]<class Slot>(Slot& slot) {
        if constexpr (requires { typename Slot::element_type; })
            if constexpr (snapshot::commandOf<std::remove_const_t<typename Slot::element_type>>)
                askFor(part, arguments, slot);
    };
    switch (part) {
#define FW_PART(part, getter, type, life, wanted)                                                  \
    case Part::part:                                                                               \
        return askShared(m_parts.kept().getter);
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    }
}

void PlanResults::tellProfile() {
    Q_EMIT m_parts.note(u"profiled: end to end %1%2, %3 runs, compiled in %4 ms"_s
                            .arg(timeText(m_parts.kept().profileResult->endToEndMs * 1e3),
                                 m_parts.kept().profileResult->disturbed
                                     ? u" (disturbed by other work)"_s
                                     : QString())
                            .arg(m_parts.kept().profileResult->runs)
                            .arg(m_parts.kept().profileResult->compileMs, 0, 'f', 0));
}

// A book that was saved under a name, or a word of it that says nothing new, makes the same plan.
void PlanResults::keepTimes() {
    const auto& kept = m_parts.kept();
    if (m_parts.state(Part::Profile) != State::Stale || !kept.profileResult ||
        m_parts.state(Part::Plan) != State::Ready || !kept.doctor ||
        kept.doctor->cpu.name != kept.profileResult->machine ||
        m_timed != snapshot::planKey(*kept.plan))
        return;
    m_parts.setPart(Part::Profile, State::Ready);
    compareTimes();
    keep();
}

snapshot::SavedTimes PlanResults::times() const {
    return {m_parts.baseline(), m_parts.profileResult(), m_timed};
}

void PlanResults::setBaseline(const Shared<snapshot::ProfileDocument>& times) {
    m_parts.kept().baseline = times;
    m_parts.setPart(Part::Baseline, times ? State::Ready : State::Empty);
    compareTimes();
}

void PlanResults::compareTimes() {
    const auto& kept = m_parts.kept();
    if (m_parts.state(Part::Profile) == State::Ready)
        m_timesOfCompared = kept.profileResult;
    if (kept.changes)
        timeChanges(*kept.changes);
    m_parts.kept().against.reset();
    const bool compares = kept.baseline && kept.profileResult;
    m_parts.setPart(Part::Against, compares ? State::Busy : State::Empty);
    if (!compares)
        return;
    m_questions.compute(
        [baseline = kept.baseline, times = kept.profileResult] {
            return std::make_shared<const snapshot::TimesComparison>(
                snapshot::compareTimes(*baseline, *times));
        },
        [this, baseline = kept.baseline,
         times = kept.profileResult](Shared<snapshot::TimesComparison> made) {
            if (baseline != m_parts.baseline() || times != m_parts.profileResult())
                return; // another one follows
            m_parts.kept().against = std::move(made);
            m_parts.setPart(Part::Against, State::Ready);
        });
}

// What was measured of the plan before and of this one, where both were.
void PlanResults::timeChanges(const snapshot::DiffDocument& changes) {
    if (!m_timesBefore || !m_timesOfCompared || m_changed != m_compared)
        return;
    snapshot::DiffDocument timed = changes;
    snapshot::addTimes(timed, *m_timesBefore, *m_timesOfCompared);
    m_parts.kept().changes = std::make_shared<const snapshot::DiffDocument>(std::move(timed));
    m_parts.tell(Part::Changes);
}

void PlanResults::want(Part part, const Arguments& about) {
    if (!m_parts.isOpen() || documentParts[std::size_t(part)].wanted == Wanted::No)
        return;
    ask(part, snapshot::withSaid(arguments(), about));
}

void PlanResults::askProfile(Profiled always) {
    askFor<snapshot::ProfileDocument>(Part::Profile, arguments(), m_parts.kept().profileResult,
                                      std::move(always));
}

void PlanResults::replan() {
    if (m_parts.state(Part::Imported) != State::Ready) {
        Arguments imported = arguments();
        imported.stage = "imported";
        imported.bodies = true;
        ask(Part::Imported, imported);
    }
    Arguments fused = arguments();
    fused.stage = "fused";
    fused.bodies = true;
    ask(Part::Fused, fused);
    Arguments plan = arguments();
    plan.decisions = false; // an edge that is looked at is asked for: explain
    ask(Part::Plan, plan);
}

void PlanResults::cancelAll() {
    for (const PartRow& row : documentParts)
        m_questions.cancel(m_parts.stateOf(row.part).request);
}

void PlanResults::nextGeneration() {
    m_parts.nextGeneration();
    for (const PartRow& row : documentParts)
        if (row.life == Life::OnePlan && m_parts.has(row.part)) {
            m_parts.forget(row.part);
            m_parts.tell(row.part);
        }
}

void PlanResults::planAnew(Importing importing, const std::string& by) {
    nextGeneration();
    m_books.askMatches(by);
    m_parts.tell(Part::Inputs);
    cancelAll();
    m_states.makeOld();
    for (const PartRow& row : documentParts)
        if (row.life == Life::Plan)
            m_parts.makeOld(row.part);
    if (restore())
        return;
    if (importing == Importing::Yes)
        m_parts.makeOld(Part::Imported);
    replan();
}

void PlanResults::dropPlan() {
    nextGeneration();
    cancelAll();
    m_parts.makeOld(Part::Fused);
    m_parts.makeOld(Part::Plan);
}

void PlanResults::askRules() {
    // Why a book was refused is told with the plan.
    m_questions.send<snapshot::RewriteDocument>(
        arguments(), m_parts.ofThisPlan<snapshot::RewriteDocument>(
                         [this](Answer<snapshot::RewriteDocument> answer) {
                             m_parts.keptAs(Part::Rewrite, m_parts.kept().rewrite)(answer);
                             if (answer && m_parts.kept().rewrite->stopReason.starts_with("limit"))
                                 Q_EMIT m_parts.problem(makeWarning(
                                     DiagCode::RuleLimit,
                                     "rewriting stopped at a " + m_parts.kept().rewrite->stopReason,
                                     {}, "the Rules dock says which rules fired how often"));
                         }));
    m_questions.send<snapshot::OrderDocument>(
        arguments(), m_parts.ofThisPlan<snapshot::OrderDocument>(
                         m_parts.keptAs(Part::Order, m_parts.kept().order)));
    m_books.askChecks();
    askMatches();
}

void PlanResults::askMatches() {
    m_parts.kept().matches.clear();
    const auto wanted = [&](const char* stage) {
        Arguments question = arguments();
        question.stage = stage;
        question.shipped = question.stage == "imported";
        m_questions.send<snapshot::MatchDocument>(
            question, m_parts.ofThisPlan<snapshot::MatchDocument>(
                          [this](Answer<snapshot::MatchDocument> answer) {
                              if (!answer)
                                  return; // a book that cannot be read is told by its check
                              m_parts.kept().matches.push_back(answer.take());
                              m_parts.tell(Part::Matches);
                          }));
    };
    wanted("imported");
    if (!m_parts.inputs().enabledBooks().empty())
        wanted("rewritten");
}

// Results belong to their inputs; a failed or a half made plan is not kept.
void PlanResults::keep() {
    for (const Part part : {Part::Imported, Part::Fused, Part::Plan})
        if (m_parts.state(part) != State::Ready)
            return;
    std::erase_if(m_used, [this](const UsedInputs& used) { return isOfNow(used); });
    m_used.push_front(
        {m_parts.inputs(), m_books.acting(), m_parts.kept().imported, m_parts.kept().fused,
         m_parts.kept().plan,
         m_parts.state(Part::Profile) == State::Ready ? m_parts.kept().profileResult : nullptr});
    if (m_used.size() > keptLimit)
        m_used.pop_back();
}

bool PlanResults::isOfNow(const UsedInputs& used) const {
    return used.inputs == m_parts.inputs() && used.texts == m_books.acting();
}

bool PlanResults::restore() {
    const auto found = std::find_if(m_used.begin(), m_used.end(),
                                    [this](const UsedInputs& used) { return isOfNow(used); });
    if (found == m_used.end())
        return false;
    const UsedInputs used = *found;
    m_parts.kept().imported = used.imported;
    m_parts.kept().fused = used.fused;
    m_parts.kept().plan = used.plan;
    if (used.profile) {
        m_parts.kept().profileResult = used.profile;
        m_timed = snapshot::planKey(*used.plan);
    }
    m_parts.setPart(Part::Imported, State::Ready);
    m_parts.setPart(Part::Fused, State::Ready);
    m_parts.setPart(Part::Plan, State::Ready);
    m_parts.setPart(Part::Profile, used.profile                   ? State::Ready
                                   : m_parts.kept().profileResult ? State::Stale
                                                                  : State::Empty);
    comparePlans();
    keepTimes(); // those of the plan before, if it was the same
    compareTimes();
    askRules();
    keep();
    return true;
}

void PlanResults::comparePlans() {
    const auto before = std::exchange(m_compared, m_parts.kept().plan);
    if (before == m_parts.kept().plan)
        return;
    m_timesBefore = std::exchange(m_timesOfCompared, nullptr);
    if (!before)
        return;
    m_questions.compute(
        [before, after = m_parts.kept().plan] {
            return std::make_shared<const snapshot::DiffDocument>(
                snapshot::comparePlans(*before, *after, snapshot::Unchanged::List));
        },
        [this, after = m_parts.kept().plan,
         generation = m_parts.generation()](Shared<snapshot::DiffDocument> diff) {
            if (generation != m_parts.generation())
                return;
            m_changed = after;
            m_parts.kept().changes = std::move(diff);
            m_parts.tell(Part::Changes);
            timeChanges(*m_parts.kept().changes);
        });
}

} // namespace fw::ui
