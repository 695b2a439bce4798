// What is wrong with the steps of a schedule in a book, whatever instance it will meet.
#include "base/nearest.h"
#include "schedule/step_parts.h"
#include "schedule/written.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

const std::vector<std::string>& roleNames() {
    static const std::vector<std::string> names = {"anchor", "epilogue", std::string(eachRole)};
    return names;
}

const std::vector<std::string>& loopWords() {
    static const std::vector<std::string> words = {"reduce", "space", "outermost"};
    return words;
}

class StepCheck {
public:
    StepCheck(const ScheduleTree& schedule, const std::optional<OperatorNames>& names,
              const std::string& file)
        : m_schedule(schedule), m_names(names), m_file(file), m_byRole(isByRole(schedule)),
          m_forEach(isForEach(schedule)) {
        for (const std::string& name : machineNumbers())
            m_numbers[name] = 1;
    }

    Diags run() {
        for (const KnobTree& knob : m_schedule.knobs)
            checkKnob(knob);
        if (m_schedule.subjectKind && !m_byRole)
            refuse(DiagCode::RuleIllegal, m_schedule.subjectSpan,
                   "a schedule for every call names its stages by role",
                   "anchor and epilogue; one that is spelled out is used by name");
        for (const StepTree& step : m_schedule.steps)
            checkStep(step);
        return std::move(m_out);
    }

private:
    void refuse(DiagCode code, const Span& span, std::string message, std::string hint = {}) {
        m_out.push_back(makeDiag(code, std::move(message), {m_file, {}, span.line, span.column},
                                 std::move(hint)));
    }

    void checkKnob(const KnobTree& knob) {
        const bool known = !m_numbers.try_emplace(knob.name, knob.value).second;
        m_knobs.try_emplace(knob.name, knob.value);
        if (known)
            return refuse(DiagCode::RuleIllegal, knob.span,
                          fmt::format("there is a number {} already", knob.name));
        const bool isSet = !knob.values.empty();
        const std::int64_t least =
            isSet ? *std::min_element(knob.values.begin(), knob.values.end()) : knob.least;
        if (least < 1)
            return refuse(DiagCode::RuleIllegal, knob.span, "the values of a knob are at least 1");
        if (!isSet && knob.most < knob.least)
            return refuse(DiagCode::RuleIllegal, knob.span,
                          fmt::format("the range {}..{} is empty", knob.least, knob.most));
        if (!isValueOf(knob, knob.value))
            refuse(
                DiagCode::RuleIllegal, knob.span,
                fmt::format("{} is not one of the values of the knob {}", knob.value, knob.name));
    }

    void checkStep(const StepTree& step) {
        const std::size_t before = m_out.size();
        const Result<StepParts> parts = partsOf(step, m_file);
        if (!parts) {
            m_out.push_back(parts.diag());
            return;
        }
        checkStage(step, parts->kind);
        if (parts->number != nullptr)
            checkNumber(*parts->number);
        for (const LayoutAxisTree& axis : step.layout)
            for (const auto* part : {&axis.div, &axis.mod})
                if (*part)
                    checkNumber(**part);
        checkLoops(step, *parts);
        if (!m_byRole && m_out.size() == before)
            checkSpelled(step, *parts);
    }

    void checkStage(const StepTree& step, StepKind kind) {
        if (!m_byRole)
            return;
        if (kind == StepKind::Inline)
            return refuse(DiagCode::RuleIllegal, step.span,
                          "maps are inlined before a schedule by roles, so it has no such step");
        if (kind == StepKind::Layout) {
            if (m_names && !contains(m_names->tensors, step.stage))
                refuse(DiagCode::TextName, step.span,
                       fmt::format("the operator has no operand {}", step.stage),
                       didYouMean(step.stage, m_names->tensors,
                                  fmt::format("{}", fmt::join(m_names->tensors, ", "))));
            return;
        }
        if (!contains(roleNames(), step.stage))
            return refuse(DiagCode::TextName, step.span,
                          fmt::format("a schedule by roles has no stage {}", step.stage),
                          didYouMean(step.stage, roleNames(), "anchor, epilogue or each"));
        if (!m_forEach)
            return;
        if (step.stage != eachRole)
            refuse(DiagCode::RuleIllegal, step.span,
                   fmt::format("{} stands beside steps for each stage", step.stage),
                   "a schedule is for each stage, or for anchor and epilogue");
        else if (kind == StepKind::At || kind == StepKind::Accumulate)
            refuse(DiagCode::RuleIllegal, step.span,
                   "each stage has a nest of its own, and nothing is placed in it",
                   "anchor.at(epilogue, loop)");
    }

    void checkNumber(const Tree& tree) {
        const Result<std::int64_t> value = numberOf(tree, m_numbers, m_file);
        const bool machine = std::any_of(machineNumbers().begin(), machineNumbers().end(),
                                         [&](const std::string& name) { return uses(tree, name); });
        // What depends on the machine may fail for the numbers at hand only.
        if (!value && (!machine || value.diag().code == DiagCode::TextName ||
                       value.diag().message.ends_with("is an integer")))
            m_out.push_back(value.diag());
        else if (value && !machine && *value < 1)
            refuse(DiagCode::RuleIllegal, tree.span,
                   fmt::format("the number is {}, at least 1 is needed", *value));
    }

    static bool uses(const Tree& tree, const std::string& name) {
        return tree.isName(name) || std::any_of(tree.args.begin(), tree.args.end(),
                                                [&](const Tree& arg) { return uses(arg, name); });
    }

    // A name is an axis, or the work of a step before; a split or fused loop is none any more.
    void checkLoops(const StepTree& step, const StepParts& parts) {
        const std::size_t used = loopsUsed(parts);
        for (std::size_t i = parts.kind == StepKind::At ? 1 : 0; i < used; ++i)
            checkUse(*parts.names[i]);
        if (parts.kind == StepKind::At && m_byRole && !parts.names[0]->isName("epilogue"))
            refuse(DiagCode::TextName, parts.names[0]->span,
                   fmt::format("the anchor is computed in the nest of the epilogue, not of {}",
                               parts.names[0]->text),
                   "anchor.at(epilogue, loop)");
        if (parts.kind == StepKind::At && m_byRole && parts.names.size() > used)
            refuse(DiagCode::RuleIllegal, parts.names[used]->span,
                   "no iteration computes again what the one before summed for the anchor",
                   "anchor.at(epilogue, loop)");
        if (parts.kind != StepKind::Split && parts.kind != StepKind::Fuse)
            return;
        for (std::size_t i = 0; i < used; ++i)
            if (parts.names[i]->isName())
                m_gone[parts.names[i]->text] = step.span.line;
        for (std::size_t i = used; i < parts.names.size(); ++i) {
            const Tree& made = *parts.names[i];
            if (!made.isName())
                refuse(DiagCode::Syntax, made.span, "a new loop has a name of its own");
            else if (isWord(made.text) || m_gone.contains(made.text) ||
                     !m_made.insert(made.text).second ||
                     (m_names && contains(m_names->axes, made.text)))
                refuse(DiagCode::RuleIllegal, made.span,
                       fmt::format("the name {} is taken", made.text));
        }
    }

    bool isWord(const std::string& name) const { return m_byRole && contains(loopWords(), name); }

    void checkUse(const Tree& tree) {
        const std::string name = tree.isName() ? tree.text : tree.args[0].text + "...";
        if (!m_byRole || isWord(name) || m_made.contains(name))
            return checkGone(name, tree.span);
        const bool axes = m_names && !m_forEach;
        if (m_forEach || (axes && !contains(m_names->axes, name))) {
            std::vector<std::string> known = axes ? m_names->axes : std::vector<std::string>();
            known.insert(known.end(), m_made.begin(), m_made.end());
            known.insert(known.end(), loopWords().begin(), loopWords().end());
            return refuse(DiagCode::TextName, tree.span,
                          fmt::format("no step makes a loop {}, and {}", name,
                                      m_forEach ? "not each stage has an axis of that name"
                                                : "the operator has no axis of that name"),
                          didYouMean(name, known, fmt::format("{}", fmt::join(known, ", "))));
        }
        checkGone(name, tree.span);
    }

    void checkGone(const std::string& name, const Span& span) {
        if (const auto gone = m_gone.find(name); gone != m_gone.end())
            refuse(DiagCode::RuleIllegal, span,
                   fmt::format("{} is no loop any more: line {} made others of it", name,
                               gone->second));
    }

    // One spelled out reads as it is printed. Numbers were checked.
    void checkSpelled(const StepTree& step, const StepParts& parts) {
        if (parts.number != nullptr && unknownNumber(*parts.number, m_knobs) != nullptr)
            return; // of the machine
        const Result<ScheduleStep> made = spelledStep(step, m_knobs, m_file);
        if (!made && step.layout.empty())
            m_out.push_back(made.diag());
    }

    static bool contains(const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    }

    const ScheduleTree& m_schedule;
    const std::optional<OperatorNames>& m_names;
    const std::string& m_file;
    bool m_byRole, m_forEach;
    StepNumbers m_numbers, m_knobs; // all; those of the knobs
    std::set<std::string> m_made;
    std::map<std::string, int> m_gone; // loop -> the line that split or fused it
    Diags m_out;
};

} // namespace

Diags checkSteps(const ScheduleTree& schedule, const std::optional<OperatorNames>& names,
                 const std::string& file) {
    return StepCheck(schedule, names, file).run();
}

} // namespace fw
