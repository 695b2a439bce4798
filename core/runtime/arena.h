// The arena: where each temporary tensor lies, so that tensors that are never alive together share
// memory.
//
// One planner for the runtime (at every new shape) and for the compiler's reports, so what a report
// shows is what runs. Greedy by size, best fit: deterministic, and on the models we measured within
// a few percent of the largest sum of live tensors.
#pragma once

#include "runtime/program.h"

namespace fw::runtime {

// A piece of memory that must stay intact from step `first` to step `last`, both included.
struct Block {
    std::int64_t bytes = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

struct ArenaPlan {
    std::vector<std::int64_t> offsets; // one per block, multiples of memoryAlignment
    std::int64_t bytes = 0;
};

// Refuses negative sizes and sums past 2^47 bytes (FW_OVERFLOW).
Status planArena(const std::vector<Block>& blocks, ArenaPlan& plan);

// True if no two blocks that are alive together overlap and all lie inside the plan.
bool planHolds(const std::vector<Block>& blocks, const ArenaPlan& plan);

// The size of every tensor and the place of every arena tensor for one choice of symbol values.
struct MemoryPlan {
    std::vector<std::int64_t> bytes;   // by tensor
    std::vector<std::int64_t> offsets; // by tensor: offset in the arena of its phase, or for a view
                                       // the offset in its root; else 0
    struct Arena {
        std::int64_t bytes = 0;
        std::int64_t unsharedBytes = 0; // what it would take without reuse
    };
    std::vector<Arena> arenas; // by phase

    std::int64_t arenaBytes() const; // of all
    std::int64_t unsharedBytes() const;
};

// `symbols` has a value for each symbol of the (checked) program. Refuses overflow, views that
// leave their base and inputs or outputs whose size is not that of their extents.
Status planMemory(const Program& program, const std::int64_t* symbols, MemoryPlan& plan);

// The same for the tensors of one phase; those of the ones before it are in `plan` (empty: for the
// first), and of `symbols` only what is known by then is read.
Status planPhase(const Program& program, const Phases& phases, std::uint32_t phase,
                 const std::int64_t* symbols, MemoryPlan& plan);

// Replays the steps on the plan and tells the first read of memory that another tensor has written
// over since.
Status replayMemory(const Program& program, const MemoryPlan& plan);

} // namespace fw::runtime
