#include "schedule/step_parts.h"

#include "base/nearest.h"
#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

Diag wrong(const Span& span, const std::string& file, std::string what, std::string hint = {},
           DiagCode code = DiagCode::Syntax) {
    return makeDiag(code, std::move(what), {file, {}, span.line, span.column}, std::move(hint));
}

struct Form {
    std::size_t leastNames, mostNames;
    bool number;      // behind the names
    bool mayOmit;     // the number
    bool tail;        // behind the number
    const char* text; // how it reads
};

constexpr std::size_t many = 64;

const Form& formOf(StepKind kind) {
    static constexpr Form forms[] = {
        // in the order of StepKind
        {3, 3, true, false, true, "split(axis, outer, inner, factor, guard) or peel"},
        {2, many, false, false, false, "fuse(outer, inner, new)"},
        {1, many, false, false, false, "reorder(outer, ..., inner)"},
        {1, 1, true, true, false, "parallel(loop, grain)"},
        {1, 1, false, false, false, "vectorize(loop)"},
        {1, 1, false, false, false, "unroll(loop)"},
        {0, 0, false, false, false, "inline()"},
        {1, 3, false, false, false, "at(stage, loop), at(stage, loop, recompute) or at(stage)"},
        {0, 1, false, false, false, "accumulate(loop) or accumulate()"},
        {1, 1, false, false, false, "partial(loop)"},
        {0, 0, false, false, false, "layout(d0/32 d1 d0%32)"}};
    return forms[static_cast<std::size_t>(kind)];
}

bool isLoopName(const Tree& tree) {
    return tree.isName() || (tree.kind == TreeKind::Pack && tree.args[0].isName());
}

bool isSeveral(const Tree& tree) {
    return tree.kind == TreeKind::Pack || tree.isName("reduce") || tree.isName("space");
}

Result<std::int64_t> combined(const Tree& tree, std::int64_t a, std::int64_t b,
                              const std::string& file) {
    std::optional<std::int64_t> out;
    if (tree.text == "+")
        out = checkedAdd(a, b);
    else if (tree.text == "-")
        out = b == std::numeric_limits<std::int64_t>::min() ? std::nullopt : checkedAdd(a, -b);
    else if (tree.text == "*")
        out = checkedMul(a, b);
    else if (b == 0)
        return wrong(tree.span, file, "a division by zero");
    else if (b != -1)
        out = floorDiv(a, b);
    if (!out)
        return wrong(tree.span, file, "the number is too large");
    return *out;
}

bool isExtremum(const Tree& tree) {
    return (tree.isCall("min") || tree.isCall("max")) && tree.args.size() == 2 &&
           tree.attrs.empty();
}

bool isArithmetic(const Tree& tree) {
    return tree.kind == TreeKind::Binary &&
           (tree.text == "+" || tree.text == "-" || tree.text == "*" || tree.text == "/");
}

} // namespace

Result<StepParts> partsOf(const StepTree& step, const std::string& file) {
    const auto kind = parseStepKind(step.name);
    if (!kind)
        return wrong(step.nameSpan, file, fmt::format("no step is called {}", step.name),
                     didYouMean(step.name, stepNames(),
                                fmt::format("the steps are {}", fmt::join(stepNames(), ", "))),
                     DiagCode::TextName);
    StepParts out;
    out.kind = *kind;
    const Form& form = formOf(*kind);
    const auto malformed = [&](const Span& span) {
        return wrong(span, file, fmt::format("the step reads {}", form.text));
    };
    std::size_t names = step.args.size();
    if (form.tail) {
        if (names < 2)
            return malformed(step.span);
        const Tree& tail = step.args[--names];
        if (!tail.isName("guard") && !tail.isName("peel"))
            return wrong(tail.span, file, "the tail of a split is guard or peel",
                         fmt::format("the step reads {}", form.text));
        out.tail = tail.isName("guard") ? Tail::Guard : Tail::Peel;
    }
    if (form.number && names > form.mostNames)
        out.number = &step.args[--names];
    if (names < form.leastNames || names > form.mostNames ||
        (form.number && !form.mayOmit && out.number == nullptr))
        return malformed(step.span);
    if (*kind == StepKind::Fuse && names == 2 && !isSeveral(step.args[0]))
        return malformed(step.span);
    for (std::size_t i = 0; i < names; ++i) {
        if (!isLoopName(step.args[i]))
            return malformed(step.args[i].span);
        out.names.push_back(&step.args[i]);
    }
    if (*kind == StepKind::At && names == 3 && !step.args[2].isName("recompute"))
        return malformed(step.args[2].span);
    return out;
}

std::size_t loopsUsed(const StepParts& parts) {
    if (parts.kind == StepKind::Split)
        return 1;
    if (parts.kind == StepKind::At)
        return std::min<std::size_t>(parts.names.size(), 2);
    return parts.kind == StepKind::Fuse ? parts.names.size() - 1 : parts.names.size();
}

const std::vector<std::string>& machineNumbers() {
    static const std::vector<std::string> names = {"lanes", "registers", "threads"};
    return names;
}

StepNumbers withKnobs(const ScheduleTree& schedule, StepNumbers machine) {
    for (const KnobTree& knob : schedule.knobs)
        machine.insert_or_assign(knob.name, knob.value);
    return machine;
}

Result<std::int64_t> numberOf(const Tree& tree, const StepNumbers& names, const std::string& file) {
    if (tree.kind == TreeKind::Int)
        return tree.integer;
    if (tree.isName()) {
        const auto found = names.find(tree.text);
        if (found != names.end())
            return found->second;
        std::vector<std::string> known;
        for (const auto& [name, value] : names)
            known.push_back(name);
        return wrong(tree.span, file, fmt::format("there is no number {}", tree.text),
                     didYouMean(tree.text, known, "lanes, registers, threads or a knob"),
                     DiagCode::TextName);
    }
    if (tree.kind == TreeKind::Unary && tree.text == "-") {
        FW_TRY(const std::int64_t value, numberOf(tree.args[0], names, file));
        return value == std::numeric_limits<std::int64_t>::min() ? value : -value;
    }
    if (!isArithmetic(tree) && !isExtremum(tree))
        return wrong(tree.span, file, "a number of a schedule is an integer",
                     "integers, lanes, registers, threads, knobs, + - * /, min(a, b), max(a, b)");
    FW_TRY(const std::int64_t a, numberOf(tree.args[0], names, file));
    FW_TRY(const std::int64_t b, numberOf(tree.args[1], names, file));
    if (tree.kind == TreeKind::Call)
        return tree.text == "min" ? std::min(a, b) : std::max(a, b);
    return combined(tree, a, b, file);
}

const Tree* unknownNumber(const Tree& tree, const StepNumbers& names) {
    if (tree.isName())
        return names.contains(tree.text) ? nullptr : &tree;
    for (const Tree& part : tree.args)
        if (const Tree* found = unknownNumber(part, names))
            return found;
    return nullptr;
}

Result<StorageMap> layoutOf(const StepTree& step, const StepNumbers& names,
                            const std::string& file) {
    StorageMap out;
    for (const LayoutAxisTree& axis : step.layout) {
        StorageAxis made{static_cast<int>(axis.dim), 1, 0};
        if (axis.div) {
            FW_TRY(made.div, numberOf(*axis.div, names, file));
        }
        if (axis.mod) {
            FW_TRY(made.mod, numberOf(*axis.mod, names, file));
        }
        if (made.div < 1 || (axis.mod && made.mod < 1))
            return wrong(axis.span, file, "the parts of a layout are at least 1");
        out.axes.push_back(made);
    }
    return out;
}

Result<ScheduleStep> spelledStep(const StepTree& tree, const StepNumbers& names,
                                 const std::string& file) {
    FW_TRY(const StepParts parts, partsOf(tree, file));
    ScheduleStep step;
    step.kind = parts.kind;
    step.stage = tree.stage;
    step.tail = parts.tail;
    step.line = tree.span.line;
    step.column = tree.span.column;
    for (const Tree* name : parts.names) {
        if (!name->isName())
            return wrong(name->span, file, "a loop is named by itself here");
        step.names.emplace_back(name->text);
    }
    if (parts.kind == StepKind::Fuse && parts.names.size() != 3)
        return wrong(tree.span, file, "two loops are fused at a time here");
    if (parts.kind == StepKind::Parallel && parts.number == nullptr)
        return wrong(tree.span, file, "the grain is written here: parallel(loop, grain)");
    if (parts.number != nullptr) {
        FW_TRY(step.number, numberOf(*parts.number, names, file));
        if (step.number < 1)
            return wrong(parts.number->span, file,
                         fmt::format("the number is {}, at least 1 is needed", step.number));
    }
    if (parts.kind == StepKind::Layout) {
        FW_TRY(step.layout, layoutOf(tree, names, file));
    }
    return step;
}

Result<Schedule> spelledSchedule(const ScheduleTree& schedule, const StepNumbers& machine,
                                 const std::string& file) {
    const StepNumbers names = withKnobs(schedule, machine);
    Schedule out;
    for (const StepTree& tree : schedule.steps) {
        FW_TRY(ScheduleStep step, spelledStep(tree, names, file));
        out.steps.push_back(std::move(step));
    }
    return out;
}

} // namespace fw
