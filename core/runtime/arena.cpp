#include "runtime/arena.h"

#include <algorithm>
#include <numeric>

namespace fw::runtime {

namespace {

constexpr std::int64_t largestArena = std::int64_t{1} << 47;

std::int64_t aligned(std::int64_t bytes) {
    constexpr auto unit = static_cast<std::int64_t>(memoryAlignment);
    return (bytes + unit - 1) / unit * unit;
}

bool aliveTogether(const Block& a, const Block& b) {
    return a.first <= b.last && b.first <= a.last;
}

struct Placed {
    std::int64_t begin;
    std::int64_t end;
    std::size_t block;
};

// The start of the smallest gap that holds `bytes` among `busy` (sorted by begin), else behind the
// last one.
std::int64_t bestFit(const std::vector<Placed>& busy, std::int64_t bytes) {
    std::int64_t best = -1;
    std::int64_t bestGap = 0;
    std::int64_t end = 0;
    for (const Placed& placed : busy) {
        const std::int64_t gap = placed.begin - end;
        if (gap >= bytes && (best < 0 || gap < bestGap)) {
            best = end;
            bestGap = gap;
        }
        end = std::max(end, placed.end);
    }
    return best < 0 ? end : best;
}

} // namespace

Status planArena(const std::vector<Block>& blocks, ArenaPlan& plan) {
    plan.offsets.assign(blocks.size(), 0);
    plan.bytes = 0;
    std::vector<std::size_t> order;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].bytes < 0 || blocks[i].bytes > largestArena - sum)
            return fail(FW_OVERFLOW, "the temporary tensors do not fit into memory");
        sum += aligned(blocks[i].bytes);
        if (blocks[i].bytes > 0)
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (blocks[a].bytes != blocks[b].bytes)
            return blocks[a].bytes > blocks[b].bytes;
        if (blocks[a].first != blocks[b].first)
            return blocks[a].first < blocks[b].first;
        return a < b;
    });

    std::vector<Placed> placed; // sorted by begin
    std::vector<Placed> busy;
    for (std::size_t block : order) {
        busy.clear();
        for (const Placed& other : placed)
            if (aliveTogether(blocks[other.block], blocks[block]))
                busy.push_back(other);
        const std::int64_t bytes = aligned(blocks[block].bytes);
        const std::int64_t begin = bestFit(busy, bytes);
        const Placed entry{begin, begin + bytes, block};
        placed.insert(
            std::upper_bound(placed.begin(), placed.end(), entry,
                             [](const Placed& a, const Placed& b) { return a.begin < b.begin; }),
            entry);
        plan.offsets[block] = begin;
        plan.bytes = std::max(plan.bytes, begin + bytes);
    }
    return {};
}

bool planHolds(const std::vector<Block>& blocks, const ArenaPlan& plan) {
    if (plan.offsets.size() != blocks.size())
        return false;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t begin = plan.offsets[i];
        if (begin < 0 || begin % static_cast<std::int64_t>(memoryAlignment) != 0 ||
            begin + blocks[i].bytes > plan.bytes)
            return false;
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart = begin >= plan.offsets[j] + blocks[j].bytes ||
                               plan.offsets[j] >= begin + blocks[i].bytes;
            if (!apart && aliveTogether(blocks[i], blocks[j]))
                return false;
        }
    }
    return true;
}

namespace {

Status sizeOf(const Program& program, ExpressionId id, const std::int64_t* symbols,
              const Tensor& tensor, std::int64_t& value) {
    if (evaluate(program.expressions[id], symbols, value) != Evaluation::Ok || value < 0 ||
        value > largestArena)
        return fail(FW_OVERFLOW, "tensor %s is too large for these shapes", tensor.name.c_str());
    return {};
}

Status logicalBytes(const Program& program, const Tensor& tensor, const std::int64_t* symbols,
                    std::int64_t& bytes) {
    bytes = elementBytes(tensor.type);
    bool empty = false;
    std::int64_t filled =
        bytes; // product of the extents that are not 0: an empty tensor must not overflow either
    for (ExpressionId dim : tensor.dims) {
        std::int64_t extent = 0;
        if (Status status = sizeOf(program, dim, symbols, tensor, extent); !status.ok())
            return status;
        empty = empty || extent == 0;
        if (extent != 0 && __builtin_mul_overflow(filled, extent, &filled))
            return fail(FW_OVERFLOW, "tensor %s is too large for these shapes",
                        tensor.name.c_str());
    }
    bytes = empty ? 0 : filled;
    return {};
}

} // namespace

std::int64_t MemoryPlan::arenaBytes() const {
    return std::accumulate(arenas.begin(), arenas.end(), std::int64_t(0),
                           [](std::int64_t sum, const Arena& arena) { return sum + arena.bytes; });
}

std::int64_t MemoryPlan::unsharedBytes() const {
    return std::accumulate(
        arenas.begin(), arenas.end(), std::int64_t(0),
        [](std::int64_t sum, const Arena& arena) { return sum + arena.unsharedBytes; });
}

Status planPhase(const Program& program, const Phases& phases, std::uint32_t phase,
                 const std::int64_t* symbols, MemoryPlan& plan) {
    plan.bytes.resize(program.tensors.size(), 0);
    plan.offsets.resize(program.tensors.size(), 0);
    std::vector<Block> blocks;
    std::vector<TensorId> owners;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        if (phases.ofTensor[i] != phase)
            continue;
        const Tensor& tensor = program.tensors[i];
        std::int64_t logical = 0;
        if (Status status = sizeOf(program, tensor.bytes, symbols, tensor, plan.bytes[i]);
            !status.ok())
            return status;
        if (Status status = logicalBytes(program, tensor, symbols, logical); !status.ok())
            return status;
        const bool exact = tensor.storage == Storage::Input || tensor.storage == Storage::Output;
        if (exact && plan.bytes[i] != logical)
            return fail(FW_BAD_PROGRAM, "tensor %s is not as large as its extents say",
                        tensor.name.c_str());
        if (tensor.storage == Storage::Arena) {
            blocks.push_back(Block{plan.bytes[i], tensor.firstStep, tensor.lastStep});
            owners.push_back(static_cast<TensorId>(i));
        } else if (tensor.storage == Storage::View) {
            std::int64_t offset = 0;
            if (Status status = sizeOf(program, tensor.viewOffset, symbols, tensor, offset);
                !status.ok())
                return status;
            if (offset + plan.bytes[i] > plan.bytes[tensor.base])
                return fail(FW_BAD_PROGRAM, "view %s leaves its tensor", tensor.name.c_str());
            const bool nested = program.tensors[tensor.base].storage == Storage::View;
            plan.offsets[i] = offset + (nested ? plan.offsets[tensor.base] : 0);
        }
    }
    ArenaPlan arena;
    if (Status status = planArena(blocks, arena); !status.ok())
        return status;
    std::int64_t unshared = 0;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        plan.offsets[owners[i]] = arena.offsets[i];
        unshared += aligned(blocks[i].bytes);
    }
    plan.arenas.resize(phase);
    plan.arenas.push_back({arena.bytes, unshared});
    return {};
}

Status planMemory(const Program& program, const std::int64_t* symbols, MemoryPlan& plan) {
    plan = MemoryPlan{};
    const Phases phases = phasesOf(program);
    for (std::uint32_t phase = 0; phase < phases.count; ++phase)
        if (Status status = planPhase(program, phases, phase, symbols, plan); !status.ok())
            return status;
    return {};
}

Status replayMemory(const Program& program, const MemoryPlan& plan) {
    std::vector<TensorId> holders; // arena tensors whose bytes are intact
    const Phases phases = phasesOf(program);
    const auto overlap = [&](TensorId a, TensorId b) {
        return phases.ofTensor[a] == phases.ofTensor[b] &&
               plan.offsets[a] < plan.offsets[b] + plan.bytes[b] &&
               plan.offsets[b] < plan.offsets[a] + plan.bytes[a];
    };
    for (const Step& step : program.steps) {
        for (const BufferUse& use : step.buffers) {
            const TensorId root = rootOf(program, use.tensor);
            if (program.tensors[root].storage != Storage::Arena || use.access == Access::Write ||
                plan.bytes[root] == 0)
                continue;
            if (std::find(holders.begin(), holders.end(), root) == holders.end())
                return fail(FW_BAD_PROGRAM, "step %s reads %s after its memory was reused",
                            step.name.c_str(), program.tensors[root].name.c_str());
        }
        for (const BufferUse& use : step.buffers) {
            const TensorId root = rootOf(program, use.tensor);
            if (program.tensors[root].storage != Storage::Arena || use.access == Access::Read)
                continue;
            for (const BufferUse& other : step.buffers) {
                const TensorId beside = rootOf(program, other.tensor);
                if (beside != root && program.tensors[beside].storage == Storage::Arena &&
                    overlap(root, beside))
                    return fail(FW_BAD_PROGRAM, "step %s: %s and %s share memory",
                                step.name.c_str(), program.tensors[root].name.c_str(),
                                program.tensors[beside].name.c_str());
            }
            holders.erase(
                std::remove_if(holders.begin(), holders.end(),
                               [&](TensorId held) { return held == root || overlap(held, root); }),
                holders.end());
            holders.push_back(root);
        }
    }
    return {};
}

} // namespace fw::runtime
