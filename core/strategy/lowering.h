// Lowering: what an implementation makes of a group: loops with the schedule that made them, or a
// call of a library.
#pragma once

#include "base/hash.h"
#include "schedule/default.h"
#include "strategy/group_body.h"
#include "target/target.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace fw {

struct ExternCall; // extern/call.h

// Of equal groups it is the same; names and values of one group are not in it.
struct KernelCode {
    GroupBody body;
    ScheduleChoice choice; // its loops take constants in the order of `packs`
};

struct Lowering {
    std::shared_ptr<const KernelCode> kernel;
    std::shared_ptr<const ExternCall> call; // then there is no kernel
};

// The group by a template of schedules, its anchor's nest by this one. Refuses with the reason.
Result<Lowering> lowerByTemplate(ScheduleTemplate own, const GroupSite& site, const Target& target);
// The group by a schedule of a book. Refuses with the step, its line and the reason.
Result<Lowering> lowerAsWritten(const WrittenSchedule& schedule, const GroupSite& site,
                                const Target& target);

class Implementation;

// Lowerings by content: what is the same is lowered once, whichever plan asks. Equal groups have
// one kernel, whatever they are called; a call of a library is that of its values, constants
// included. From any thread.
class LoweringMemo {
public:
    // `operators`: the text of those that are not shipped, which a group may hold.
    explicit LoweringMemo(std::string operators = {}) : m_operators(std::move(operators)) {}

    // Of everything that lowering by this implementation depends on.
    Hash keyOf(const GroupSite& site, const Target& target, const Implementation& by) const;
    std::shared_ptr<const Result<Lowering>> find(const Hash& key); // nullptr: not known
    std::shared_ptr<const Result<Lowering>> add(const Hash& key, Result<Lowering> lowering);
    // Before a plan: of many, what the last plan did not ask for is forgotten.
    void beginPlan();
    std::size_t made() const; // how many were added in all

private:
    struct Known {
        std::shared_ptr<const Result<Lowering>> lowering;
        std::uint64_t plan = 0; // that asked last
    };
    static constexpr std::size_t many = 1024;

    std::string m_operators;
    mutable std::mutex m_mutex;
    std::map<Hash, Known> m_known;
    std::uint64_t m_plan = 0;
    std::size_t m_made = 0;
};

} // namespace fw
