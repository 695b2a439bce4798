#include "schedule/role_schedule.h"

#include "base/numbers.h"
#include "schedule/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The loops named are put in the places that they take.
void reorderIn(std::vector<Symbol>& loops, const std::vector<Symbol>& named) {
    std::size_t next = 0;
    for (Symbol& loop : loops)
        if (std::find(named.begin(), named.end(), loop) != named.end())
            loop = named[next++];
}

// p0, p1 .. of the pack p.
bool isOfPack(std::string_view axis, std::string_view pack) {
    return axis.size() > pack.size() && axis.starts_with(pack) &&
           axis.find_first_not_of("0123456789", pack.size()) == std::string_view::npos;
}

} // namespace

RolePlan::RolePlan(const WrittenSchedule& schedule, std::int64_t anchor, const OwnNames& names,
                   const OpInst& whole, SchedulePlanner& planner, const NestPlan& nest)
    : m_schedule(schedule), m_node(anchor), m_own(names), m_whole(whole), m_planner(planner),
      m_nest(nest),
      m_numbers(withKnobs(*schedule.tree, {{"lanes", planner.context.vectorLanes},
                                           {"registers", planner.context.vectorRegisters},
                                           {"threads", planner.context.threads}})),
      m_root(nest.root), m_anchor(nest.root), m_forEach(isForEach(*schedule.tree)) {}

Refused RolePlan::run() {
    if (!m_forEach) {
        if (auto why = findAnchor())
            return why;
        findAxes();
    }
    // The loops of the epilogue begin as its result lies in memory.
    for (const Axis& axis : m_planner.storageSpace(m_root)) {
        m_space.push_back(axis.var);
        m_extents[axis.var] = constantOr(axis.extent, 64);
    }
    m_planner.reorder(m_root, m_space);
    for (const Axis& axis : m_planner.stage(m_anchor).reduce) {
        m_reduce.push_back(axis.var);
        m_extents[axis.var] = constantOr(axis.extent, 64);
    }
    for (const StepTree& tree : m_schedule.tree->steps) {
        const std::size_t before = m_planner.schedule.steps.size();
        if (auto why = step(tree))
            return fmt::format("{}:{}:{}: {}: {}", m_schedule.file, tree.span.line,
                               tree.span.column, tree.text, *why);
        for (std::size_t i = before; i < m_planner.schedule.steps.size(); ++i) {
            m_planner.schedule.steps[i].line = tree.span.line;
            m_planner.schedule.steps[i].column = tree.span.column;
        }
    }
    return {};
}

Refused RolePlan::findAnchor() {
    std::vector<std::size_t> stages = m_nest.members;
    stages.push_back(m_root);
    std::vector<std::size_t> reductions;
    for (const std::size_t i : stages)
        if (!m_planner.stage(i).isMap())
            reductions.push_back(i);
    if (reductions.size() > 1)
        return "several stages of the nest reduce, and a schedule by roles has one anchor";
    if (m_nest.members.size() > reductions.size())
        return "the nest has stages between anchor and epilogue";
    if (!reductions.empty())
        m_anchor = reductions.front();
    if (!isOf(m_planner.stage(m_anchor), m_node))
        return "the nest does not compute the operator";
    return {};
}

void RolePlan::findAxes() {
    std::map<Symbol, Symbol> carried;
    const Stage& anchor = m_planner.stage(m_anchor);
    for (const Axis& axis : anchor.space)
        carried[axis.var] = axis.var;
    if (m_anchor != m_root)
        carried = m_nest.axes.at(m_anchor);
    else if (anchor.isMap())
        carried.clear();
    // A formula around the sum is a stage of its own, whose axes are the operator's.
    carried.merge(carriedAxes(m_whole, m_planner.context, m_planner.stage(m_root).out, m_node));
    for (const auto& [own, var] : m_own.axes) {
        if (const auto found = carried.find(var); found != carried.end())
            m_loops[own.text()] = {found->second, false};
        for (const Axis& axis : anchor.reduce)
            if (axis.var == var)
                m_loops[own.text()] = {var, true};
    }
}

Refused RolePlan::number(const Tree& tree, std::int64_t& out) const {
    const Result<std::int64_t> value = numberOf(tree, m_numbers, m_schedule.file);
    if (!value)
        return value.diag().message;
    out = *value;
    if (out < 1)
        return fmt::format("the number is {}, at least 1 is needed", out);
    return {};
}

std::string RolePlan::loopNames() const {
    std::vector<std::string> names;
    for (const auto& [name, loop] : m_loops)
        names.push_back(name);
    return names.empty() ? std::string("it has none")
                         : fmt::format("there are {}", fmt::join(names, ", "));
}

// The loops that one operand stands for.
Refused RolePlan::named(const Tree& tree, Loops& out) const {
    const bool pack = tree.kind == TreeKind::Pack;
    const std::string& name = pack ? tree.args[0].text : tree.text;
    if (!pack && (name == "reduce" || name == "space")) {
        for (const Symbol var : name == "reduce" ? m_reduce : m_space)
            out.push_back({var, name == "reduce"});
        return {};
    }
    if (!pack && name == "outermost") {
        const auto several = std::find_if(m_space.begin(), m_space.end(),
                                          [&](Symbol var) { return m_extents.at(var) != 1; });
        if (!m_space.empty())
            out.push_back({several == m_space.end() ? m_space.front() : *several, false});
        return {};
    }
    if (!pack && m_none.contains(name))
        return {};
    if (!pack) {
        const auto found = m_loops.find(name);
        if (found == m_loops.end())
            return name + " is no loop of it; " + loopNames();
        out.push_back(found->second);
        return {};
    }
    std::map<std::int64_t, Loop> parts; // by number
    for (const auto& [axis, loop] : m_loops)
        if (isOfPack(axis, name))
            parts.emplace(*parseInteger(std::string_view(axis).substr(name.size())), loop);
    for (const auto& [number, loop] : parts)
        out.push_back(loop);
    return {};
}

// The first `count` operands in their order. `reduce` and `space` stand for those that no other
// operand names.
Refused RolePlan::namedOnce(const StepParts& parts, std::size_t count, Loops& out) const {
    std::vector<Loops> each(count);
    std::set<Symbol> single;
    const auto isRest = [&](std::size_t i) {
        return parts.names[i]->isName("reduce") || parts.names[i]->isName("space");
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (auto why = named(*parts.names[i], each[i]))
            return why;
        if (!isRest(i))
            for (const Loop& loop : each[i])
                single.insert(loop.var);
    }
    for (std::size_t i = 0; i < count; ++i)
        for (const Loop& loop : each[i])
            if (!isRest(i) || !single.contains(loop.var))
                out.push_back(loop);
    if (out.empty())
        return "it has none of these loops; " + loopNames();
    for (const Loop& loop : out)
        if (loop.reduced != out.front().reduced)
            return "some of the loops are reduced and some are not";
    return {};
}

Refused RolePlan::step(const StepTree& tree) {
    const Result<StepParts> parts = partsOf(tree, m_schedule.file);
    if (!parts)
        return parts.diag().message;
    if (m_forEach && skipped(*parts))
        return {};
    switch (parts->kind) {
    case StepKind::Split:
        return split(*parts);
    case StepKind::Fuse:
        return fuse(*parts);
    case StepKind::Reorder:
        return reorder(*parts);
    case StepKind::Parallel:
    case StepKind::Vectorize:
    case StepKind::Unroll:
    case StepKind::Partial:
        return mark(*parts);
    case StepKind::At:
    case StepKind::Accumulate:
        return place(*parts);
    case StepKind::Layout:
        return pack(tree);
    case StepKind::Inline:
        return "maps are inlined before a schedule by roles";
    }
    return {};
}

// A stage of `each` without the loops that a step is about is left as it is.
bool RolePlan::skipped(const StepParts& parts) {
    const std::size_t used = loopsUsed(parts);
    Loops loops;
    for (std::size_t i = 0; i < used; ++i)
        if (named(*parts.names[i], loops) || !loops.empty())
            return false;
    for (std::size_t i = used; i < parts.names.size(); ++i)
        m_none.insert(parts.names[i]->text);
    return used > 0;
}

Refused RolePlan::split(const StepParts& parts) {
    Loops axis;
    std::int64_t factor = 1;
    if (auto why = namedOnce(parts, 1, axis))
        return why;
    if (axis.size() != 1)
        return "it stands for several loops";
    if (auto why = number(*parts.number, factor))
        return why;
    if (auto why = tooLargeFactor(factor))
        return why;
    if (auto why = tooManyLoops(m_space.size() + m_reduce.size()))
        return why;
    const Loop loop = axis.front();
    const std::string &outer = parts.names[1]->text, &inner = parts.names[2]->text;
    const Symbol first = m_planner.fresh(Symbol(outer), ""),
                 second = m_planner.fresh(Symbol(inner), "");
    m_planner.split(stageOf(loop), loop.var, first, second, factor, parts.tail);
    std::vector<Symbol>& loops = loopsOf(loop);
    const auto at = std::find(loops.begin(), loops.end(), loop.var);
    if (at == loops.end())
        return "it is no loop any more";
    *at = first;
    loops.insert(at + 1, second);
    m_loops[outer] = {first, loop.reduced};
    m_loops[inner] = {second, loop.reduced};
    m_extents[first] = (m_extents[loop.var] + factor - 1) / factor;
    m_extents[second] = factor;
    return {};
}

Refused RolePlan::fuse(const StepParts& parts) {
    Loops all;
    if (auto why = namedOnce(parts, parts.names.size() - 1, all))
        return why;
    const std::string& name = parts.names.back()->text;
    std::vector<Symbol>& loops = loopsOf(all.front());
    Symbol fused = all.front().var;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Symbol both = m_planner.fresh(Symbol(name), "");
        m_planner.fuse(stageOf(all.front()), fused, all[i].var, both);
        std::replace(loops.begin(), loops.end(), fused, both);
        std::erase(loops, all[i].var);
        m_extents[both] = checkedMul(m_extents[fused], m_extents[all[i].var]).value_or(1);
        fused = both;
    }
    m_loops[name] = {fused, all.front().reduced};
    return {};
}

Refused RolePlan::reorder(const StepParts& parts) {
    Loops all;
    if (auto why = namedOnce(parts, parts.names.size(), all))
        return why;
    std::vector<Symbol> order;
    for (const Loop& loop : all)
        order.push_back(loop.var);
    m_planner.reorder(stageOf(all.front()), order);
    reorderIn(loopsOf(all.front()), order);
    return {};
}

// Iterations worth a thread, of a nest whose work is spread over its loop.
std::int64_t RolePlan::grainOf(Symbol loop) const {
    double work = m_planner.work(m_root);
    if (m_root != m_anchor)
        work += m_planner.work(m_anchor);
    if (usesLanes(*m_schedule.tree))
        work /= static_cast<double>(m_planner.context.vectorLanes);
    return grainFor(work / static_cast<double>(std::max<std::int64_t>(m_extents.at(loop), 1)));
}

Refused RolePlan::mark(const StepParts& parts) {
    Loops all;
    if (auto why = namedOnce(parts, 1, all))
        return why;
    for (const Loop& loop : all) {
        std::int64_t grain = 0;
        if (parts.kind == StepKind::Parallel && parts.number == nullptr)
            grain = grainOf(loop.var);
        else if (parts.kind == StepKind::Parallel)
            if (auto why = number(*parts.number, grain))
                return why;
        m_planner.mark(parts.kind, stageOf(loop), loop.var, grain);
    }
    return {};
}

// anchor.at(epilogue, loop) and anchor.accumulate(loop) say the same: the sums of a tile are held
// inside the loop.
Refused RolePlan::place(const StepParts& parts) {
    const std::size_t at = parts.kind == StepKind::At ? 1 : 0;
    if (at == 1 && !parts.names[0]->isName("epilogue"))
        return "the anchor is computed in the nest of the epilogue";
    if (parts.names.size() > loopsUsed(parts))
        return "no iteration computes again what the one before summed for the anchor";
    if (m_planner.stage(m_anchor).isMap())
        return "the operator reduces nothing";
    Loops loop;
    if (parts.names.size() > at)
        if (auto why = named(*parts.names[at], loop))
            return why;
    if (loop.size() > 1 || (loop.size() == 1 && loop.front().reduced))
        return "it takes one loop of the epilogue";
    const Symbol inside = loop.empty() ? Symbol() : loop.front().var;
    if (m_anchor == m_root)
        m_planner.accumulate(m_root, inside);
    else
        m_planner.at(m_anchor, m_root, inside);
    return {};
}

// Packs an operand that is a constant; any other is read as it lies.
Refused RolePlan::pack(const StepTree& tree) {
    const auto tensor = m_own.tensors.find(Symbol(tree.stage));
    if (tensor == m_own.tensors.end())
        return tree.stage + " is no operand of the operator";
    const Result<StorageMap> map = layoutOf(tree, m_numbers, m_schedule.file);
    if (!map)
        return map.diag().message;
    if (!m_planner.context.constants.contains(tensor->second))
        return {};
    if (auto why = tooMuchPacked(*map, m_planner.inst.find(tensor->second)->type.shape))
        return why;
    m_planner.packs[tensor->second] = *map;
    return {};
}

} // namespace fw
