#include "strategy/catalog.h"

#include "base/hash.h"
#include "base/memo.h"
#include "strategy/branches.h"
#include "strategy/candidates.h"
#include "strategy/chains.h"
#include "strategy/computation.h"
#include "strategy/generated_code.h"
#include "strategy/melted.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

// What the books offer for calls of one operator, whatever its operands are.
struct Catalog::Offers {
    TargetOffer target;
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

std::vector<std::string> Catalog::codeNames() const {
    std::vector<std::string> out;
    for (const auto& implementation : m_all)
        out.push_back(implementation->name());
    for (const auto& [entry, implementation] : m_shipped)
        out.push_back(entry);
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
    if (!entry.computed)
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
    return computedBy({entry.computed->entry, entry.computed->block.get()}, entry.computed->block,
                      fmt::format("{} by {}\n{}", entry.name,
                                  inner.size() == 1 ? inner.front()->identity() : entry.code,
                                  entry.computed->block->source),
                      std::move(inner));
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
    CandidateMaker out(anchor, target, wishes, {measurements(), timed},
                       [&](const std::string& name) { return whyNot(name, target); });
    for (const MergedEntry& entry : kept->entries)
        out.add(entry, codeOf(entry), kept->target);
    return out.take();
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

// One selection while it is made.
class Selecting {
public:
    Selecting(const Workload& anchor, const Wishes& wishes, const Measurements* measured,
              const MeasuredWorkload& timed, Candidates candidates)
        : m_anchor(anchor), m_pinned(wishes.use), m_timed(timed),
          m_bySize(timed.text.empty() ? nullptr : measured->bySize(timed.text)) {
        m_out.candidates = std::move(candidates);
        m_pin = pinnedOf(m_out.candidates, m_pinned);
    }

    // Whether something computes the anchor.
    bool choose() {
        if (std::optional<Choice> choice = chosen()) {
            take(std::move(*choice));
            return true;
        }
        return false;
    }

    // What the user should know of the choice.
    void noteWhatIsOpen() {
        if (m_pin.branch && m_out.branches.empty())
            note(Verdict::No, ReasonCode::PinRefused,
                 fmt::format("{} for {}: nothing else computes it where {} does not", m_pinned,
                             m_anchor.node->name, m_pinned));
        for (const Candidate& candidate : m_out.candidates)
            if (candidate.neverHolds || (candidate.code == ReasonCode::GuardUndecided &&
                                         !candidate.branch && !candidate.chosen))
                note(Verdict::No, candidate.code,
                     fmt::format("{}, {}", candidate.implementation, candidate.evidence));
    }

    void noteUntuned(const Target& target) {
        if (!m_pinned.empty() || m_bySize != nullptr || !isUntuned(m_out.candidates))
            return;
        m_out.untuned = true;
        note(Verdict::Note, ReasonCode::Untuned,
             fmt::format("chosen by {}; there is no time of {}", m_out.source,
                         workloadText(*m_anchor.graph, *m_anchor.node, target)));
    }

    Selection result() { return std::move(m_out); }

private:
    void note(Verdict verdict, ReasonCode code, std::string evidence) {
        m_out.notices.push_back({m_anchor.node->name, verdict, code, std::move(evidence)});
    }

    // At every size, or where no guard decides.
    std::optional<Choice> chosen() {
        if (m_pin.everywhere)
            return Choice{*m_pin.everywhere, ReasonCode::ChosenPin, m_pinned, "pin", {}};
        if (!m_pinned.empty() && !m_pin.branch)
            note(Verdict::No, ReasonCode::PinRefused,
                 fmt::format("{} for {}: {}", m_pinned, m_anchor.node->name, m_pin.refusal));
        std::optional<Choice> out = chooseAmong(m_out.candidates);
        if (out && out->notice) {
            out->notice->subject = m_anchor.node->name;
            m_out.notices.push_back(*out->notice);
        }
        return out;
    }

    void take(Choice choice) {
        Candidate& winner = m_out.candidates[choice.index];
        winner.chosen = true;
        if (winner.code == ReasonCode::OwnComputation)
            choice.evidence += ", which computes " + winner.evidence;
        const bool tellsTimes =
            choice.source == "log" || (choice.why == ReasonCode::NotMeasured && winner.measuredUs);
        if (tellsTimes && m_timed.nodes.size() > 1) {
            std::string others;
            for (std::size_t i = 1; i < m_timed.nodes.size(); ++i)
                others += (i == 1 ? "" : ", ") + m_anchor.graph->node(m_timed.nodes[i]).name;
            choice.evidence += fmt::format(", each with {}", others);
        }
        winner.code = choice.why;
        winner.evidence = choice.evidence;
        m_out.source = choice.source;
        m_out.plain = choice.index;
        if (choice.source == "pin") {
            m_out.take(winner);
            return;
        }
        if (m_bySize != nullptr && !readTimesBySize(m_out.candidates, m_out.plain, *m_bySize))
            note(Verdict::Note, ReasonCode::NotMeasured,
                 "it has no time at a size of what would be chosen there");
        chooseBranches(m_out, m_pin.branch ? m_pinned : std::string(), *m_anchor.graph);
    }

    const Workload& m_anchor;
    const std::string& m_pinned;
    const MeasuredWorkload& m_timed;
    const TimesBySize* m_bySize;
    Pinned m_pin;
    Selection m_out;
};

} // namespace

Selection Catalog::select(const Workload& anchor, const Target& target,
                          const Wishes& wishes) const {
    const MeasuredWorkload timed =
        m_measured ? m_measured->around(*anchor.graph, anchor.node->id, wishes.nodes, target)
                         .value_or(MeasuredWorkload())
                   : MeasuredWorkload();
    Selecting out(anchor, wishes, measurements(), timed,
                  candidatesFor(anchor, target, wishes, timed.text));
    const bool computed = out.choose();
    out.noteWhatIsOpen();
    if (computed && m_measured)
        out.noteUntuned(target);
    return out.result();
}

namespace {

// The answer of all that may compute the anchor: the first refusal, else that of the plain one. A
// call of a library that takes less has kernels beside it.
template <class Ask>
Acceptance ofEach(const Selection& by, const Ask& ask) {
    Acceptance out = ask(by);
    for (const Branch& branch : by.branches) {
        if (!out.yes())
            return out;
        if (branch.implementation->library() != nullptr)
            continue;
        Acceptance answer = ask(branch);
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

Acceptance Catalog::absorbsEpilogue(const Selection& by, const Growing& group,
                                    const Workload& next) const {
    return ofEach(by, [&](const Computing& one) { return takesEpilogue(one, group, next); });
}

Acceptance Catalog::absorbsPrologue(const Selection& by, const Workload& before,
                                    const Workload& anchor) const {
    return ofEach(by, [&](const Computing& one) { return takesPrologue(one, before, anchor); });
}

Acceptance Catalog::takesEpilogue(const Computing& by, const Growing& group,
                                  const Workload& next) const {
    bool open = false;
    switch (by.absorbs.clause) {
    case AbsorbClause::None:
        return {Verdict::No, ReasonCode::AbsorbsNothing,
                fmt::format("{} absorbs none ({})", by.name, by.absorbs.place)};
    case AbsorbClause::Chain: {
        const Acceptance answer = m_chains->takes(m_book.chains(), by.absorbs, group, next);
        if (!answer.yes())
            return answer;
        open = answer.open;
        break;
    }
    case AbsorbClause::Unwritten:
    case AbsorbClause::Any:
        break;
    }
    Acceptance answer = by.implementation->absorbsEpilogue(group, next);
    if (answer.code == ReasonCode::FusedEpilogue && by.implementation->library() == nullptr)
        answer.evidence = epilogueSentence(next.node->op, by.name); // as the book calls it
    answer.open = open;
    return answer;
}

Acceptance Catalog::takesPrologue(const Computing& by, const Workload& before,
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
