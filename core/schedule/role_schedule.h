// The steps of a schedule by roles, for one nest.
#pragma once

#include "schedule/nest_plan.h"
#include "schedule/step_parts.h"
#include "schedule/written.h"

namespace fw {

class RolePlan {
public:
    // `whole`: the computation before maps were inlined.
    RolePlan(const WrittenSchedule& schedule, std::int64_t anchor, const OwnNames& names,
             const OpInst& whole, SchedulePlanner& planner, const NestPlan& nest);
    Refused run();

private:
    struct Loop {
        Symbol var;
        bool reduced = false;
    };
    using Loops = std::vector<Loop>;

    bool skipped(const StepParts& parts);
    std::string loopNames() const; // "there are n, p0"
    Refused findAnchor();
    void findAxes();
    Refused step(const StepTree& tree);
    Refused split(const StepParts& parts);
    Refused fuse(const StepParts& parts);
    Refused reorder(const StepParts& parts);
    Refused mark(const StepParts& parts);
    Refused place(const StepParts& parts);
    Refused pack(const StepTree& tree);
    Refused named(const Tree& tree, Loops& out) const;
    Refused namedOnce(const StepParts& parts, std::size_t count, Loops& out) const;
    Refused number(const Tree& tree, std::int64_t& out) const;
    std::size_t stageOf(const Loop& loop) const { return loop.reduced ? m_anchor : m_root; }
    std::vector<Symbol>& loopsOf(const Loop& loop) { return loop.reduced ? m_reduce : m_space; }
    std::int64_t grainOf(Symbol loop) const;

    const WrittenSchedule& m_schedule;
    std::int64_t m_node;
    const OwnNames& m_own;
    const OpInst& m_whole;
    SchedulePlanner& m_planner;
    const NestPlan& m_nest;
    StepNumbers m_numbers;
    std::size_t m_root, m_anchor;
    const bool m_forEach;                             // every stage: it has no operator's names
    std::map<std::string, Loop, std::less<>> m_loops; // by the name in the book
    std::set<std::string> m_none;                     // loops that a stage of `each` does not have
    std::vector<Symbol> m_space, m_reduce;            // in the order in which they lie
    std::map<Symbol, std::int64_t> m_extents;         // about: 64 of those that are not known
};

} // namespace fw
