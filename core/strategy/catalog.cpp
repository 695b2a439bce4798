#include "strategy/catalog.h"

#include "base/hash.h"
#include "base/library_names.h"
#include "base/memo.h"
#include "strategy/branches.h"
#include "strategy/chains.h"
#include "strategy/computation.h"
#include "strategy/generated_code.h"
#include "strategy/melted.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

// What the books offer for calls of one operator, whatever its operands are.
struct Catalog::Offers {
    Offer target;
    std::vector<MergedEntry> entries; // those of the books, then implementations that none names
};

namespace {

// What offers depend on.
struct OfferKey {
    std::string op;
    FusionKind kind = FusionKind::Opaque;
    std::string cpu;
    CpuLevel level = CpuLevel::V2;
    LibraryChoice choice = LibraryChoice::Found;
    std::vector<std::string> libs, ownKeys;

    bool operator==(const OfferKey&) const = default;

    struct Hash {
        std::size_t operator()(const OfferKey& key) const {
            return mixHash(std::hash<std::string>()(key.op), static_cast<std::uint64_t>(key.kind));
        }
    };
};

} // namespace

struct Catalog::OfferMemo : Memo<OfferKey, Offers, OfferKey::Hash> {};

Catalog::Catalog(std::vector<ImplementationPtr> all, StrategyBook book,
                 std::vector<std::shared_ptr<const Library>> libraries,
                 std::optional<Measurements> measured)
    : m_all(std::move(all)), m_book(std::move(book)), m_libraries(std::move(libraries)),
      m_measured(std::move(measured)), m_offers(std::make_shared<OfferMemo>()),
      m_chains(std::make_shared<Chains>()) {
    for (const WrittenSchedule& schedule : m_book.schedules())
        m_scheduled.push_back(scheduledImplementation(schedule));
    for (const ShippedSchedule& shipped : m_book.shippedSchedules())
        if (ImplementationPtr code = find(shipped.code))
            m_shipped.emplace_back(shipped.entry, std::move(code));
}

Catalog catalogOf(const std::vector<std::shared_ptr<const Library>>& libraries, StrategyBook book,
                  std::optional<Measurements> measured) {
    std::vector<ImplementationPtr> all = generatedImplementations();
    for (const auto& library : libraries)
        for (auto& implementation : library->implementations())
            all.push_back(std::move(implementation));
    return Catalog(std::move(all), std::move(book), libraries, std::move(measured));
}

ImplementationPtr Catalog::find(std::string_view name) const {
    for (const auto* list : {&m_all, &m_scheduled})
        for (const auto& implementation : *list)
            if (implementation->name() == name)
                return implementation;
    for (const auto& [entry, implementation] : m_shipped)
        if (entry == name)
            return implementation;
    return name == meltedImplementation()->name() ? meltedImplementation() : nullptr;
}

Diags Catalog::entriesWithoutCode() const {
    // Entries by name, of all blocks; behind `by` stands code, which no entry is.
    std::map<std::string, const EntryTree*, std::less<>> entries;
    for (const StrategyBlock& block : m_book.blocks())
        for (const EntryTree& entry : block.tree->entries)
            if (const EntryTree*& known = entries[entry.name];
                known == nullptr || !entry.code.empty())
                known = &entry;
    std::string known;
    for (const auto& implementation : m_all)
        known += (known.empty() ? "" : ", ") + implementation->name();
    for (const auto& [entry, implementation] : m_shipped)
        known += ", " + entry;
    const auto other = [&](std::string_view name) -> const EntryTree* {
        const auto found = entries.find(name);
        return found == entries.end() || find(name) ? nullptr : found->second;
    };
    const auto isFront = [&](const std::string& front) {
        return std::any_of(m_all.begin(), m_all.end(),
                           [&](const auto& one) { return one->name().starts_with(front); }) ||
               std::any_of(entries.begin(), entries.end(), [&](const auto& one) {
                   return one.first.starts_with(front) && one.first != front + "*";
               });
    };
    Diags out;
    for (const StrategyBlock& block : m_book.blocks())
        for (const EntryTree& entry : block.tree->entries) {
            const Where where{block.file, {}, entry.span.line, entry.span.column};
            const std::string& code = entry.code.empty() ? entry.name : entry.code;
            if (code.ends_with(".*") && !isFront(code.substr(0, code.size() - 1)))
                out.push_back(makeWarning(DiagCode::TextName,
                                          fmt::format("no implementation is meant by {}", code),
                                          where, "there are " + known));
            if (code.find('*') != std::string::npos || find(code) ||
                (entry.compute && entry.code.empty()) ||
                (entry.code.empty() && !other(code)->code.empty()))
                continue;
            if (entry.code.empty() || other(code) == nullptr) {
                const bool schedule = find(scheduleCode(code)) != nullptr;
                out.push_back(makeWarning(
                    DiagCode::TextName, fmt::format("there is no implementation {}", code), where,
                    schedule ? fmt::format("a schedule of this name is `by schedule {}`", code)
                             : "there are " + known));
                continue;
            }
            // Over the entries until one has code or none, or comes again.
            std::string way = entry.name;
            std::set<std::string_view> seen{entry.name};
            const EntryTree* next = &entry;
            while (next != nullptr && !next->code.empty()) {
                const std::string& by = next->code;
                way += " by " + by;
                if (by == entry.name || !seen.insert(by).second)
                    break;
                next = other(by);
            }
            const bool circle = next != nullptr && next->code == entry.name;
            out.push_back(makeDiag(
                circle ? DiagCode::RuleIllegal : DiagCode::TextName,
                circle ? fmt::format("entries compute each other: {}", way)
                       : fmt::format("{} is an entry, not an implementation: {}", code, way),
                where, "behind `by` stands one of " + known));
        }
    return out;
}

std::string Catalog::whyNot(std::string_view library, const Target& target) const {
    const bool listed =
        std::find(target.libs.begin(), target.libs.end(), library) != target.libs.end();
    for (const auto& known : m_libraries) {
        if (known->name() != library)
            continue;
        if (known->isDeclared() && !listed)
            return fmt::format("{0} is loaded only where the target names it: -libs={0}", library);
        if (target.libraryChoice == LibraryChoice::Listed && !listed)
            return fmt::format("library {} is not in the target", library);
        const SavedMachinePtr machine = known->isDeclared() ? nullptr : machineOf(target);
        if (machine && machine->library(library) == nullptr)
            return fmt::format("the machine of {} has no {}", machine->file, library);
        const LibraryStatus& status = known->status();
        if (status.state == LibraryState::Ready)
            return {};
        return fmt::format("{}{}", status.reason.empty() ? "it is not there" : status.reason,
                           status.package.empty() ? "" : ", install " + status.package);
    }
    if (target.libraryChoice == LibraryChoice::Listed && !listed)
        return fmt::format("library {} is not in the target", library);
    return fmt::format("there is no adapter for {}", library);
}

std::shared_ptr<const Library> Catalog::library(std::string_view name) const {
    for (const auto& library : m_libraries)
        if (library->name() == name)
            return library;
    return nullptr;
}

std::vector<std::string> Catalog::libraries(const Target& target) const {
    std::vector<std::string> out;
    for (const auto& library : m_libraries)
        if (whyNot(library->name(), target).empty())
            out.push_back(library->name());
    return out;
}

ImplementationPtr Catalog::codeOf(const MergedEntry& entry) const {
    if (entry.computed == nullptr)
        return find(entry.code);
    std::vector<ImplementationPtr> inner;
    if (entry.code != entry.name) {
        inner.push_back(find(entry.code));
        if (inner.front() == nullptr || inner.front()->library() != nullptr)
            return nullptr;
    } else {
        inner = generatedImplementations();
        for (const auto& [shipped, implementation] : m_shipped)
            inner.push_back(implementation);
    }
    return computedBy({entry.computed, entry.computedBlock.get()}, entry.computedBlock,
                      fmt::format("{} by {}\n{}", entry.name,
                                  inner.size() == 1 ? inner.front()->identity() : entry.code,
                                  entry.computedBlock->source),
                      std::move(inner));
}

Candidate Catalog::judge(const MergedEntry& entry, const Workload& anchor, const Target& target,
                         const Offer& offered, const std::vector<Avoided>& avoided,
                         const std::string& timed) const {
    Candidate candidate;
    candidate.implementation = entry.name;
    candidate.priority = entry.priority;
    candidate.prioritized = entry.prioritized;
    candidate.level = entry.level;
    candidate.place = entry.places;
    candidate.absorbs = {entry.absorbs, entry.chain, entry.places};
    const auto refuse = [&](ReasonCode code, std::string evidence) {
        candidate.verdict = Verdict::No;
        candidate.code = code;
        candidate.evidence = std::move(evidence);
        return candidate;
    };
    const ImplementationPtr implementation = candidate.by = codeOf(entry);
    const std::string builtIn = libraryOfCall(entry.code);
    if (!implementation && !builtIn.empty()) {
        const std::string why = whyNot(builtIn, target);
        return refuse(ReasonCode::LibraryAbsent,
                      why.empty() ? fmt::format("{} has no {}", builtIn, entry.code) : why);
    }
    if (!implementation)
        return refuse(ReasonCode::NoSuchCode, entry.code);
    if (const Library* library = implementation->library()) {
        if (const std::string why = whyNot(library->name(), target); !why.empty())
            return refuse(ReasonCode::LibraryAbsent, why);
        const int usual = MergedEntry().priority;
        if (target.libraryChoice == LibraryChoice::Found &&
            entry.prioritized == BookOrigin::Shipped && entry.priority >= usual) {
            candidate.byCost = true;
            candidate.priority = usual;
        }
    }
    const std::string family = entry.code.substr(0, entry.code.find('.'));
    for (const Avoided& avoid : avoided)
        if (avoid.name == entry.name || avoid.name == entry.code || avoid.name == family)
            return refuse(ReasonCode::PinAvoids, avoid.evidence);
    if (entry.home != nullptr && entry.home->ownSignature)
        if (const auto scope = callScope(*entry.home, anchor); !scope)
            return refuse(ReasonCode::GuardFalse, scope.diag().message);
    if (entry.guard != nullptr) {
        Result<Scope> scope = callScope(*entry.guardBlock, anchor);
        if (!scope)
            return refuse(ReasonCode::GuardFalse, scope.diag().message);
        scope->offer = &offered;
        const ConditionResult verdict = decide(*entry.guard, *scope);
        candidate.guard = verdict.evidence;
        if (verdict.truth == Truth::No)
            return refuse(ReasonCode::GuardFalse, verdict.evidence);
        if (verdict.truth == Truth::Unknown) {
            std::string evidence = verdict.evidence;
            if (verdict.open)
                decideBySizes(candidate, *verdict.open, *anchor.graph, evidence);
            if (candidate.neverHolds)
                return refuse(ReasonCode::GuardFalse, std::move(evidence));
            // Branches are by priority: what competes by estimates is one at all sizes or at none.
            if (!verdict.open || (candidate.when && candidate.byCost))
                return refuse(ReasonCode::GuardUndecided, std::move(evidence));
        }
    }
    const Answer answer = implementation->accepts(anchor, target);
    if (!answer.yes())
        return refuse(answer.code, answer.evidence);
    candidate.verdict = candidate.when ? Verdict::Note : Verdict::Yes;
    candidate.code = candidate.when ? ReasonCode::GuardUndecided : answer.code;
    candidate.evidence = candidate.when ? candidate.guard : answer.evidence;
    candidate.estimateUs = implementation->estimate(anchor.facts, anchor, target);
    if (!timed.empty()) {
        candidate.measuredUs = m_measured->find(timed, candidate.implementation);
        candidate.disturbed = m_measured->onlyDisturbed(timed, candidate.implementation);
    }
    return candidate;
}

Catalog::Offers Catalog::offersFor(const Workload& anchor, const Target& target) const {
    Offers out;
    out.target = {targetKeys(target), libraries(target)};
    out.entries = m_book.entries(anchor.node->op, anchor.facts.kind, out.target.keys);
    for (const auto& implementation : m_all)
        if (!m_book.names(implementation->name())) {
            MergedEntry own;
            own.name = own.code = implementation->name();
            own.priority = implementation->priority();
            out.entries.push_back(std::move(own));
        }
    return out;
}

Candidates Catalog::candidatesFor(const Workload& anchor, const Target& target,
                                  const Wishes& wishes, const std::string& timed) const {
    const auto kept =
        m_offers->answer({anchor.node->op, anchor.facts.kind, target.cpu, target.level,
                          target.libraryChoice, target.libs, target.ownKeys},
                         [&] { return offersFor(anchor, target); });
    const Offers& offers = *kept;
    Candidates out;
    out.reserve(offers.entries.size());
    for (const MergedEntry& entry : offers.entries) {
        out.push_back(judge(entry, anchor, target, offers.target, wishes.avoid, timed));
        addSettings(out, anchor, target, wishes, timed);
    }
    return out;
}

void Catalog::addSettings(Candidates& candidates, const Workload& anchor, const Target& target,
                          const Wishes& wishes, const std::string& timed) const {
    const Candidate& last = candidates.back();
    const bool pinned =
        wishes.use != last.implementation && entryOf(wishes.use) == last.implementation;
    if (last.verdict != Verdict::Yes || (!m_measured && !pinned) || last.by->settings().empty())
        return;
    const Candidate entry = candidates.back();
    const std::string& own = entry.implementation;
    std::vector<std::string> names;
    if (!timed.empty())
        names = m_measured->settings(timed, own);
    if (pinned && std::find(names.begin(), names.end(), wishes.use) == names.end())
        names.push_back(wishes.use);
    for (std::string& name : names) {
        const KnobSettings settings = settingsOf(name);
        const ImplementationPtr code = settings.empty() ? nullptr : entry.by->at(settings);
        if (code == nullptr) // of a log that is older than the book
            continue;
        Candidate one = entry;
        one.by = code;
        one.atSetting = true;
        one.evidence = code->accepts(anchor, target).evidence;
        if (!timed.empty()) {
            one.measuredUs = m_measured->find(timed, name);
            one.disturbed = m_measured->onlyDisturbed(timed, name);
        }
        for (const Avoided& avoid : wishes.avoid)
            if (avoid.name == name) {
                one.verdict = Verdict::No;
                one.code = ReasonCode::PinAvoids;
                one.evidence = avoid.evidence;
            }
        one.implementation = std::move(name);
        candidates.push_back(std::move(one));
    }
}

namespace {

// The candidate that a pin wants: at every size, at some, or why at none.
struct Pinned {
    std::optional<std::size_t> everywhere, branch;
    std::string refusal;
};

Pinned pinnedOf(const Candidates& candidates, const std::string& name) {
    Pinned out;
    if (name.empty())
        return out;
    out.refusal = "no entry of that name computes it";
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& candidate = candidates[i];
        const auto why = [&] {
            return Decision{{}, Verdict::No, candidate.code, candidate.evidence}.sentence();
        };
        if (candidate.implementation != name) {
            if (candidate.implementation == entryOf(name))
                out.refusal = candidate.verdict == Verdict::Yes
                                  ? candidate.implementation + " has no such knob or value"
                                  : why();
        } else if (candidate.verdict == Verdict::Yes) {
            out.everywhere = i;
        } else if (candidate.verdict == Verdict::Note) {
            out.branch = i;
        } else {
            out.refusal = why();
        }
    }
    return out;
}

} // namespace

Selection Catalog::select(const Workload& anchor, const Target& target,
                          const Wishes& wishes) const {
    Selection out;
    const std::string& pinned = wishes.use;
    const MeasuredWorkload timed =
        m_measured ? m_measured->around(*anchor.graph, anchor.node->id, wishes.nodes, target)
                         .value_or(MeasuredWorkload())
                   : MeasuredWorkload();
    out.candidates = candidatesFor(anchor, target, wishes, timed.text);
    const TimesBySize* known = timed.text.empty() ? nullptr : m_measured->bySize(timed.text);
    const Pinned pin = pinnedOf(out.candidates, pinned);
    const std::optional<std::size_t>& pinnedBranch = pin.branch;
    std::optional<Choice> choice;
    if (pin.everywhere)
        choice = Choice{*pin.everywhere, ReasonCode::ChosenPin, pinned, "pin", {}};
    else if (!pinned.empty() && !pinnedBranch)
        out.notices.push_back(
            {anchor.node->name, Verdict::No, ReasonCode::PinRefused,
             fmt::format("{} for {}: {}", pinned, anchor.node->name, pin.refusal)});
    if (!choice) {
        choice = chooseAmong(out.candidates);
        if (choice && choice->notice) {
            choice->notice->subject = anchor.node->name;
            out.notices.push_back(*choice->notice);
        }
    }
    if (choice) {
        Candidate& winner = out.candidates[choice->index];
        winner.chosen = true;
        if (winner.code == ReasonCode::OwnComputation)
            choice->evidence += ", which computes " + winner.evidence;
        if (choice->source == "log" && timed.nodes.size() > 1) {
            std::string others;
            for (std::size_t i = 1; i < timed.nodes.size(); ++i)
                others += (i == 1 ? "" : ", ") + anchor.graph->node(timed.nodes[i]).name;
            choice->evidence += fmt::format(", each with {}", others);
        }
        winner.code = choice->why;
        winner.evidence = choice->evidence;
        out.source = choice->source;
        out.plain = choice->index;
        if (choice->source == "pin") {
            compute(out, winner);
        } else {
            if (known != nullptr && !readTimesBySize(out.candidates, out.plain, *known))
                out.notices.push_back({anchor.node->name, Verdict::Note, ReasonCode::NotMeasured,
                                       "it has no time at a size of what would be chosen there"});
            chooseBranches(out, pinnedBranch ? pinned : std::string(), *anchor.graph);
        }
    }
    if (pinnedBranch && out.branches.empty())
        out.notices.push_back({anchor.node->name, Verdict::No, ReasonCode::PinRefused,
                               fmt::format("{} for {}: nothing else computes it where {} does not",
                                           pinned, anchor.node->name, pinned)});
    for (const Candidate& candidate : out.candidates)
        if (candidate.neverHolds || (candidate.code == ReasonCode::GuardUndecided &&
                                     !candidate.branch && !candidate.chosen))
            out.notices.push_back(
                {anchor.node->name, Verdict::No, candidate.code,
                 fmt::format("{}, {}", candidate.implementation, candidate.evidence)});
    if (choice && pinned.empty() && known == nullptr && m_measured && isUntuned(out.candidates)) {
        out.untuned = true;
        out.notices.push_back({anchor.node->name, Verdict::Note, ReasonCode::Untuned,
                               fmt::format("chosen by {}; there is no time of {}", out.source,
                                           workloadText(*anchor.graph, *anchor.node, target))});
    }
    return out;
}

namespace {

// The answer of all that may compute the anchor: the first refusal, else that of the plain one. A
// call of a library that takes less has kernels beside it.
template <class Ask>
Answer ofEach(const Selection& by, const Ask& ask) {
    Answer out = ask(by);
    for (const Branch& branch : by.branches) {
        if (!out.yes())
            return out;
        if (branch.implementation->library() != nullptr)
            continue;
        Answer answer = ask(branch);
        if (answer.yes()) {
            out.open = out.open || answer.open;
            continue;
        }
        answer.evidence += fmt::format("; {} computes the anchor at some sizes", branch.name);
        return answer;
    }
    return out;
}

} // namespace

Answer Catalog::absorbsEpilogue(const Selection& by, const Growing& group,
                                const Workload& next) const {
    return ofEach(by, [&](const Computing& one) { return takesEpilogue(one, group, next); });
}

Answer Catalog::absorbsPrologue(const Selection& by, const Workload& before,
                                const Workload& anchor) const {
    return ofEach(by, [&](const Computing& one) { return takesPrologue(one, before, anchor); });
}

Answer Catalog::takesEpilogue(const Computing& by, const Growing& group,
                              const Workload& next) const {
    bool open = false;
    switch (by.absorbs.clause) {
    case AbsorbClause::None:
        return {Verdict::No, ReasonCode::AbsorbsNothing,
                fmt::format("{} absorbs none ({})", by.name, by.absorbs.place)};
    case AbsorbClause::Chain: {
        const Answer answer = m_chains->takes(m_book.chains(), by.absorbs, group, next);
        if (!answer.yes())
            return answer;
        open = answer.open;
        break;
    }
    case AbsorbClause::Unwritten:
    case AbsorbClause::Any:
        break;
    }
    Answer answer = by.implementation->absorbsEpilogue(group, next);
    if (answer.code == ReasonCode::FusedEpilogue && by.implementation->library() == nullptr)
        answer.evidence = epilogueSentence(next.node->op, by.name); // as the book calls it
    answer.open = open;
    return answer;
}

Answer Catalog::takesPrologue(const Computing& by, const Workload& before,
                              const Workload& anchor) const {
    if (by.absorbs.clause == AbsorbClause::None)
        return {Verdict::No, ReasonCode::AbsorbsNothing,
                fmt::format("{} absorbs none ({})", by.name, by.absorbs.place)};
    if (by.absorbs.clause == AbsorbClause::Chain)
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} takes the chain {} only, which comes behind it", by.name,
                            by.absorbs.chain)};
    return by.implementation->absorbsPrologue(before, anchor);
}

} // namespace fw
