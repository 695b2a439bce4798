#include "strategy/scheduled.h"

#include "base/nearest.h"
#include "rewrite/declaration_check.h"
#include "strategy/call_scope.h"
#include "strategy/generated_code.h"
#include "strategy/targets.h"
#include "syntax/declarations.h"
#include "syntax/header.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

std::string subjectText(const ScheduleTree& schedule) {
    return (schedule.subjectKind == SubjectKind::Kind ? "kind " : "") + schedule.subject;
}

// Other values of a knob for a race: of a set all, of a range its ends, those beside the default,
// and powers of two from a quarter of it to four times as much.
std::set<std::int64_t> triedValues(const KnobTree& knob) {
    constexpr std::size_t most = 16; // of a set
    std::set<std::int64_t> out(knob.values.begin(),
                               knob.values.begin() +
                                   static_cast<std::ptrdiff_t>(std::min(knob.values.size(), most)));
    if (knob.values.empty()) {
        out = {knob.least, knob.most, knob.value - 1, knob.value + 1};
        for (std::int64_t power = 1; power <= knob.most && power / 4 <= knob.value; power *= 2)
            if (power >= knob.value / 4)
                out.insert(power);
    }
    std::erase_if(
        out, [&](std::int64_t value) { return value == knob.value || !isValueOf(knob, value); });
    return out;
}

bool isPlain(const ScheduleTree& schedule) {
    return isForEach(schedule) && !usesLanes(schedule);
}

class Scheduled final : public GeneratedCode {
public:
    explicit Scheduled(WrittenSchedule schedule)
        : m_schedule(std::move(schedule)), m_name(scheduleCode(m_schedule.tree->name)),
          m_text(m_schedule.text()), m_share(isPlain(*m_schedule.tree) ? withoutLanes : 1) {}

    const std::string& name() const override { return m_name; }

    std::string identity() const override {
        return fmt::format("{} {} {}", m_name, m_text, m_schedule.tree->source);
    }

    std::vector<KnobSettings> settings() const override {
        std::vector<KnobSettings> out;
        for (const KnobTree& knob : m_schedule.tree->knobs)
            for (const std::int64_t value : triedValues(knob))
                out.push_back({{knob.name, value}});
        return out;
    }

    ImplementationPtr at(const KnobSettings& settings) const override {
        auto tree = std::make_shared<ScheduleTree>(*m_schedule.tree);
        for (const KnobSetting& setting : settings) {
            const auto knob =
                std::find_if(tree->knobs.begin(), tree->knobs.end(),
                             [&](const KnobTree& one) { return one.name == setting.name; });
            if (knob == tree->knobs.end() || !isValueOf(*knob, setting.value))
                return nullptr;
            knob->value = setting.value;
        }
        return scheduledImplementation({std::move(tree), m_schedule.file});
    }

    Acceptance accepts(const Workload& anchor, const Target&) const override {
        const FusionKind kind = anchor.facts.kind;
        if (kind == FusionKind::Opaque)
            return {Verdict::No, ReasonCode::OpaqueOperator, anchor.node->op};
        const ScheduleTree& tree = *m_schedule.tree;
        const bool fits =
            !tree.subjectKind || tree.subject == "any" ||
            tree.subject == (tree.subjectKind == SubjectKind::Kind ? std::string(kindText(kind))
                                                                   : anchor.node->op);
        if (!fits)
            return {Verdict::No, ReasonCode::GuardFalse,
                    fmt::format("it is for {}, {} is {}", subjectText(tree), anchor.node->op,
                                kindText(kind))};
        return {Verdict::Yes, ReasonCode::ScheduleWritten, m_text};
    }

    // As good as the best template of the kind, or plain loops.
    double estimate(const Facts& work, const Workload&, const Target& target) const override {
        return estimateOwn(work, target, m_share);
    }

    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerAsWritten(m_schedule, site, target);
    }

private:
    bool takesPrologue(FusionKind anchor) const override {
        return anchor != FusionKind::Contraction && anchor != FusionKind::Window;
    }

    WrittenSchedule m_schedule;
    std::string m_name, m_text;
    double m_share;
};

void addName(std::vector<std::string>& names, const Tree& tree) {
    const bool pack = tree.kind == TreeKind::Pack && tree.args[0].isName();
    if (!tree.isName() && !pack) {
        if (tree.kind != TreeKind::Call || tree.isCall("permute"))
            for (const Tree& part : tree.args)
                addName(names, part);
        return;
    }
    std::string name = pack ? tree.args[0].text + "..." : tree.text;
    if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
}

void addReduced(std::vector<std::string>& names, const Tree& tree) {
    if (tree.kind == TreeKind::Reduce)
        for (std::size_t i = 0; i + 1 < tree.args.size(); i += 2)
            addName(names, tree.args[i]);
    for (const Tree& part : tree.args)
        addReduced(names, part);
}

Diag wrong(DiagCode code, const Span& span, const std::string& file, std::string message,
           std::string hint = {}) {
    return makeDiag(code, std::move(message), {file, {}, span.line, span.column}, std::move(hint));
}

} // namespace

ImplementationPtr scheduledImplementation(WrittenSchedule schedule) {
    return std::make_shared<Scheduled>(std::move(schedule));
}

std::optional<OperatorNames> namesOf(const Operator& op) {
    if (op.isNative())
        return std::nullopt;
    const auto tree =
        only<OpTree>(parseFile(fmt::format("op {} {{ {} }}", op.signature(), op.body()), {}));
    if (!tree)
        return std::nullopt;
    OperatorNames out;
    for (const StmtTree& statement : tree->stmts) {
        for (const Tree& index : statement.indices)
            addName(out.axes, index);
        addReduced(out.axes, statement.value);
    }
    out.tensors = op.inputNames();
    return out;
}

Diags checkSchedule(const ScheduleTree& schedule, const OperatorSet& operators,
                    const std::vector<std::string>& targetKeys, const std::string& file) {
    Diags out;
    std::optional<OperatorNames> names;
    if (schedule.subjectKind == SubjectKind::Operator) {
        if (const Operator* op = operators.find(schedule.subject))
            names = namesOf(*op);
        else // what its steps name is not known
            return {wrong(DiagCode::UnknownOperator, schedule.subjectSpan, file,
                          "there is no operator named " + schedule.subject,
                          operatorHint(schedule.subject, operators, nullptr))};
    } else if (schedule.subjectKind && schedule.subject != "any" && !parseKind(schedule.subject)) {
        out.push_back(wrong(DiagCode::TextName, schedule.subjectSpan, file,
                            "there is no kind " + schedule.subject,
                            didYouMean(schedule.subject, kindNames(),
                                       fmt::format("{} or any", fmt::join(kindNames(), ", ")))));
    }
    for (Diag& diag : checkKeys(schedule.targets, targetKeys, file))
        out.push_back(std::move(diag));
    if (const auto block = schedule.where.empty() ? nullptr : blockOf(schedule))
        for (Diag& diag : checkGuards(*block, operators.find(schedule.subject), targetKeys, file))
            out.push_back(std::move(diag));
    for (Diag& diag : checkSteps(schedule, names, file))
        out.push_back(std::move(diag));
    return out;
}

std::optional<Diag> checkScheduled(const EntryTree& entry, const ImplementationsTree& block,
                                   const Operator* op, const ScheduleTable& schedules,
                                   const std::string& file) {
    const auto name = scheduleOfCode(entry.code);
    if (!name)
        return std::nullopt;
    const auto found = schedules.find(*name);
    if (found == schedules.end()) {
        std::vector<std::string> known;
        for (const auto& [one, schedule] : schedules)
            known.push_back(one);
        return wrong(
            DiagCode::TextName, entry.codeSpan, file, fmt::format("there is no schedule {}", *name),
            didYouMean(std::string(*name), known,
                       known.empty() ? "no book declares one"
                                     : fmt::format("there are {}", fmt::join(known, ", "))));
    }
    if (found->second.refused)
        return wrong(DiagCode::TextName, entry.codeSpan, file,
                     fmt::format("{} is refused, so this cannot be used", *name),
                     fmt::format("mend {}", *name));
    if (entry.compute) // then it schedules what stands there
        return std::nullopt;
    const ScheduleTree& schedule = *found->second.written.tree;
    const bool other = schedule.subjectKind == block.subjectKind &&
                       schedule.subject != block.subject && schedule.subject != "any" &&
                       block.subject != "any";
    if (other)
        return wrong(DiagCode::RuleIllegal, entry.codeSpan, file,
                     fmt::format("the schedule {} is for {}, not for {}", *name,
                                 subjectText(schedule), block.name),
                     fmt::format("{}:{}", found->second.written.file, schedule.span.line));
    if (op == nullptr || !isByRole(schedule))
        return std::nullopt;
    const Diags misfits = checkSteps(schedule, namesOf(*op), found->second.written.file);
    if (misfits.empty())
        return std::nullopt;
    return wrong(misfits.front().code, entry.codeSpan, file,
                 fmt::format("the schedule {} does not fit {}: {} ({}:{})", *name, block.subject,
                             misfits.front().message, misfits.front().where.file,
                             misfits.front().where.line),
                 misfits.front().hint);
}

std::shared_ptr<const ImplementationsTree> blockOf(const ScheduleTree& schedule) {
    if (!schedule.subjectKind)
        return nullptr;
    auto out = std::make_shared<ImplementationsTree>();
    out->keyword = schedule.keyword;
    out->name = subjectText(schedule);
    out->doc = schedule.doc;
    out->span = schedule.span;
    out->subjectKind = *schedule.subjectKind;
    out->subject = schedule.subject;
    out->subjectSpan = schedule.subjectSpan;
    out->targets = schedule.targets;
    if (out->targets.empty())
        out->targets.push_back({"any", schedule.span});
    EntryTree entry;
    entry.name = entry.code = scheduleCode(schedule.name);
    entry.guard = joinedConditions(schedule.where);
    entry.span = schedule.span;
    out->entries.push_back(std::move(entry));
    return out;
}

} // namespace fw
