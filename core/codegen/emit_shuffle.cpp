// Loads whose lanes lie apart by what is known while compiling: the channels of several groups of a
// grouped convolution, the channels that a shuffle brings together. A few vectors are read and
// their elements put in order, instead of one read per lane.
//
// Nothing is read that need not be there: between two elements that are read lies the same buffer,
// and so does the whole of an aligned run of which one element is read, if the buffer consists of
// such runs.
#include "base/numbers.h"
#include "codegen/emitter.h"
#include "codegen/half.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace fw::codegen {

namespace {

// What every lane reads, in elements; lanes that are off read what another one reads.
struct Lanes {
    std::vector<std::int64_t> places;
    std::int64_t origin = 0; // what the first one reads, or would read if it were on

    std::int64_t least() const { return *std::min_element(places.begin(), places.end()); }
    std::int64_t most() const { return *std::max_element(places.begin(), places.end()); }
};

std::optional<Lanes> knownLanes(const Index& at, const llvm::Value* mask, unsigned count) {
    const auto* steps = llvm::dyn_cast<llvm::Constant>(at.lanes);
    const auto* isOn = mask ? llvm::dyn_cast<llvm::Constant>(mask) : nullptr;
    if (!steps || (mask && !isOn))
        return std::nullopt;
    Lanes out;
    std::optional<std::int64_t> first;
    for (unsigned lane = 0; lane < count; ++lane) {
        const auto* step =
            llvm::dyn_cast_or_null<llvm::ConstantInt>(steps->getAggregateElement(lane));
        const auto* on =
            isOn ? llvm::dyn_cast_or_null<llvm::ConstantInt>(isOn->getAggregateElement(lane))
                 : nullptr;
        if (!step || (isOn && !on))
            return std::nullopt;
        out.places.push_back(step->getSExtValue() + at.laneStride * lane);
        if (lane == 0)
            out.origin = out.places[0];
        if (!on || on->isOne())
            first = first.value_or(out.places.back());
        else
            out.places.back() = INT64_MIN;
    }
    if (!first)
        return std::nullopt;
    std::replace(out.places.begin(), out.places.end(), INT64_MIN, *first);
    return out;
}

struct Run {
    std::int64_t begin, end;
};

// The aligned run in fewest registers, up to two; whole registers first.
std::optional<Run> alignedRun(const Lanes& lanes, const Aligned& aligned, unsigned count) {
    const std::int64_t shift = aligned.phase - lanes.origin; // from a place to its element
    std::optional<Run> best;
    std::int64_t least = INT64_MAX;
    for (std::int64_t unit = 2 * static_cast<std::int64_t>(count); unit > 1; --unit) {
        if (aligned.unit % unit != 0)
            continue;
        const std::int64_t begin = floorDiv(lanes.least() + shift, unit) * unit,
                           end = (floorDiv(lanes.most() + shift, unit) + 1) * unit;
        const auto length =
            static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(end - begin)));
        if (length >= least || length > 2 * static_cast<std::int64_t>(count))
            continue;
        least = length;
        best = Run{begin - shift, end - shift};
    }
    return best;
}

} // namespace

std::optional<Aligned> Emitter::alignment(const Expr& index, const Buffer& buffer) {
    const Affine sum = toAffine(m_constants.empty() ? index : substitute(index, m_constants));
    std::int64_t unit = 0, phase = sum.constant;
    for (const auto& [atom, coefficient] : sum.terms) {
        Substitution lane;
        for (const Symbol var : freeVars(atom)) {
            const auto bound = m_vars.find(var);
            if (bound == m_vars.end() || bound->second.isUniform())
                continue;
            if (bound->second.base || bound->second.lanes)
                return std::nullopt;
            lane.emplace(var, Expr(bound->second.constant));
        }
        if (lane.empty()) {
            unit = std::gcd(unit, coefficient);
            continue;
        }
        const auto first = simplify(substitute(atom, lane)).asInt();
        if (!first)
            return std::nullopt;
        phase += coefficient * *first;
    }
    const Expr size = simplify(substitute(buffer.size, m_constants));
    if (unit == 0) // places from the start of the buffer: all of it is one run
        unit = size.asInt().value_or(0);
    if (unit < 2 || !simplify(modExpr(size, Expr(unit))).isInt(0))
        return std::nullopt;
    return Aligned{unit, phase};
}

llvm::Value* Emitter::shuffledLoad(Storage& from, const Expr& e, const Index& at) {
    if (!at.lanes || from.perLane || from.buffer->scope != BufferScope::Parameter ||
        from.buffer->dtype != e.dtype() || e.dtype() == DType::Bool)
        return nullptr;
    const auto lanes = knownLanes(at, m_mask.lanes, m_lanes);
    if (!lanes)
        return nullptr;
    if (m_mask.lanes && !llvm::isa<llvm::Constant>(m_mask.lanes))
        return nullptr;
    // Runs of memory that hold all of them: one aligned run, else as few as possible.
    std::vector<Run> runs;
    if (const auto aligned = alignment(e.arg(0), *from.buffer))
        if (const auto run = alignedRun(*lanes, *aligned, m_lanes))
            runs = {*run};
    if (runs.empty()) {
        std::vector<std::int64_t> sorted = lanes->places;
        std::sort(sorted.begin(), sorted.end());
        for (const std::int64_t place : sorted) {
            if (runs.empty() || place >= runs.back().begin + m_lanes || place > runs.back().end + 4)
                runs.push_back({place, place});
            runs.back().end = place + 1;
        }
        if (runs.size() > std::max(2U, m_lanes / 2))
            return nullptr;
    }
    llvm::Type* element = memoryType(*from.buffer);
    llvm::Value* out = nullptr;
    for (const Run& run : runs) {
        Index place = at;
        place.lanes = nullptr;
        place.laneStride = 0;
        place.constant += run.begin;
        auto* type =
            llvm::FixedVectorType::get(element, static_cast<unsigned>(run.end - run.begin));
        llvm::LoadInst* part = m_builder.CreateAlignedLoad(type, address(from, element, place),
                                                           llvm::Align(dtypeBytes(e.dtype())));
        tag(part, from);
        std::vector<int> pick(m_lanes, -1), join(m_lanes);
        for (unsigned lane = 0; lane < m_lanes; ++lane) {
            const bool here = lanes->places[lane] >= run.begin && lanes->places[lane] < run.end;
            pick[lane] = here ? static_cast<int>(lanes->places[lane] - run.begin) : -1;
            join[lane] = static_cast<int>(here ? m_lanes + lane : lane);
        }
        llvm::Value* picked = m_builder.CreateShuffleVector(part, pick);
        out = out ? m_builder.CreateShuffleVector(out, picked, join) : picked;
    }
    if (isHalf(e.dtype()))
        return floatOfHalf(m_builder, *m_request.target, e.dtype(), out);
    return out;
}

} // namespace fw::codegen
