#include "schedule/melted_costs.h"

#include "schedule/lower_body.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// A vector of a map, to read and to write.
constexpr double cyclesOfMap = 3;

double bytesPerCycle(double bytes, const ScheduleContext& context) {
    return bytes <= static_cast<double>(context.l2Bytes) * 6 ? fromCaches : fromMemory;
}

std::optional<IndexSum> sumOf(const Expr& e) {
    if (hasLoad(e))
        return std::nullopt;
    IndexSum out;
    const Affine sum = toAffine(e);
    out.constant = sum.constant;
    for (const auto& [atom, factor] : sum.terms) {
        if (!atom.isVar())
            return std::nullopt;
        out.terms.emplace_back(atom->symbol, factor);
    }
    return out;
}

} // namespace

std::vector<TensorAccess> accessesOf(const SchedulePlanner& planner, std::size_t stage) {
    std::vector<TensorAccess> out;
    for (const Expr& load : planner.loads(planner.stage(stage).body)) {
        TensorAccess one;
        one.tensor = load->symbol;
        for (const Expr& index : load.args()) {
            one.dims.push_back(sumOf(index));
            one.vars.push_back(freeVars(index));
        }
        out.push_back(std::move(one));
    }
    return out;
}

MeltedCosts::MeltedCosts(const SchedulePlanner& planner, std::vector<MeltedStage> stages,
                         std::set<Symbol> rowSizes)
    : m_planner(planner), m_stages(std::move(stages)), m_rowSizes(std::move(rowSizes)) {
    for (const MeltedStage& stop : m_stages) {
        MeltedFacts& known = m_facts[stop.stage];
        const Stage& stage = m_planner.stage(stop.stage);
        known.follower = follower(stop);
        for (const Axis& axis : stage.space) {
            known.elements *= static_cast<double>(extentOf(axis.extent));
            known.isFree = known.isFree || isFree(axis);
        }
        known.body = bodyCost(stage.body);
        known.readers = m_planner.readers(stage.out);
        for (const Axis& axis : stage.reduce)
            known.steps *= static_cast<double>(extentOf(axis.extent));
        for (const std::size_t reader : known.readers)
            visitExpr(m_planner.stage(reader).body, [&](const Expr& e) {
                known.isPadded = known.isPadded || e.op() == ExprOp::Pad;
            });
    }
}

// Of a free size that is no row's nor a window's, a batch, there may be but one: what pays then
// pays for more, and leaves no thread idle.
std::int64_t MeltedCosts::extentOf(const Expr& extent) const {
    if (extent.isInt())
        return *extent.asInt();
    constexpr std::int64_t ofRows = 64;
    Substitution sizes;
    for (const Symbol dim : freeVars(extent))
        sizes.emplace(dim, Expr(m_rowSizes.contains(dim) ? ofRows : 1));
    return std::max<std::int64_t>(constantOr(simplify(substitute(extent, sizes)), 1), 1);
}

double MeltedCosts::apart() const {
    double out = 0;
    for (const MeltedStage& stop : m_stages) {
        const Stage& stage = m_planner.stage(stop.stage);
        LoopSpans whole;
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes)
                whole[axis.var] = {extentOf(axis.extent), 0};
        out += cyclesOf(stop, whole, 1, true);
        if (!stop.isRoot && !stop.isInner)
            out += trafficOf(stop);
    }
    return out;
}

// The map that computes element by element of what the stage writes, if nothing else reads it.
const MeltedStage* MeltedCosts::follower(const MeltedStage& stop) const {
    const Stage& stage = m_planner.stage(stop.stage);
    if (stage.isMap())
        return nullptr;
    const std::vector<std::size_t> users = m_planner.readers(stage.out);
    if (users.size() != 1 || !followedAxes(m_planner.stage(users[0]), stage))
        return nullptr;
    const auto found = std::find_if(m_stages.begin(), m_stages.end(),
                                    [&](const MeltedStage& one) { return one.stage == users[0]; });
    return found == m_stages.end() ? nullptr : &*found;
}

bool MeltedCosts::isFollowed(const MeltedStage& stop) const {
    const MeltedStage* map = facts(stop).follower;
    return !stop.isRoot && map != nullptr && !map->isRoot;
}

// So it is, apart, where both are in one nest.
bool MeltedCosts::isFollowedApart(const MeltedStage& stop) const {
    const MeltedStage* map = facts(stop).follower;
    return stop.isInner && map != nullptr && map->nest == stop.nest;
}

double MeltedCosts::ofMap(const MeltedStage& map, bool isApart) const {
    const bool atStore =
        std::any_of(m_stages.begin(), m_stages.end(), [&](const MeltedStage& other) {
            return (isApart ? isFollowedApart(other) : isFollowed(other)) &&
                   facts(other).follower == &map;
        });
    return atStore ? 0 : cyclesOfMap;
}

double MeltedCosts::bytesOf(const MeltedStage& stop) const {
    return 4 * facts(stop).elements;
}

// A sum of products in tiles of registers, or the map at whose store it ends.
bool MeltedCosts::isProduct(std::size_t i) const {
    const Stage& stage = m_planner.stage(i);
    if (!stage.isMap())
        return stage.reducer == Reducer::Sum && stage.body.op() == ExprOp::Mul &&
               m_planner.loads(stage.body).size() > 1;
    return std::any_of(m_stages.begin(), m_stages.end(), [&](const MeltedStage& other) {
        const MeltedStage* map = facts(other).follower;
        return map != nullptr && map->stage == i && isFollowedApart(other) && !other.isRow &&
               isProduct(other.stage);
    });
}

// Written and read again, from the cache that is large enough. Between products that is hidden:
// what they read comes from the caches while they compute. Measured on pairs of a depthwise and a
// pointwise convolution, whose results of 0.4 to 1.8 MB are written and read in no time.
double MeltedCosts::trafficOf(const MeltedStage& stop) const {
    const double bytes = bytesOf(stop);
    const double rate = bytesPerCycle(bytes, m_planner.context);
    const std::vector<std::size_t>& readers = facts(stop).readers;
    const auto isDense = [&](std::size_t i) { return isProduct(i); };
    if (rate == fromCaches && isProduct(stop.stage) &&
        std::all_of(readers.begin(), readers.end(), isDense))
        return 0;
    return 2 * bytes / rate;
}

// One step of a sum for so many elements, in tiles that fill the registers.
double MeltedCosts::tileCycles(const MeltedStage& stop, std::int64_t wide,
                               std::int64_t tall) const {
    const auto [known, isNew] = m_facts.at(stop.stage).tiles.try_emplace({wide, tall}, 0);
    if (!isNew)
        return known->second;
    const std::int64_t lanes = m_planner.context.vectorLanes,
                       registers = m_planner.context.vectorRegisters;
    const std::int64_t vectors = (wide + lanes - 1) / lanes;
    // Whether an operand that is no constant changes from lane to lane, and from row to row.
    bool spread = false;
    const std::vector<Axis>& space = m_planner.stage(stop.stage).space;
    const auto row = std::find_if(space.rbegin(), space.rend(), [&](const Axis& axis) {
        return axis.var != stop.lane && !axis.extent.isInt(1);
    });
    for (const TensorAccess& access : stop.accesses) {
        const auto moves = [&](Symbol var) {
            return std::any_of(access.vars.begin(), access.vars.end(),
                               [&](const std::set<Symbol>& vars) { return vars.contains(var); });
        };
        spread = spread || (!m_planner.context.constants.contains(access.tensor) &&
                            moves(stop.lane) && (row == space.rend() || moves(row->var)));
    }
    const auto tile = [&](std::int64_t rows, std::int64_t vectorsOfTile) {
        const auto t = static_cast<double>(rows), n = static_cast<double>(vectorsOfTile);
        return std::max({t * n / 2, (spread ? t * n + n : t + n) / 2, 4.0}) + 0.6;
    };
    double best = INFINITY;
    for (std::int64_t v = 1; v <= std::min<std::int64_t>(vectors, 4); ++v)
        for (std::int64_t r = 1; r <= tall && r * v + v + 1 <= registers; ++r) {
            const double blocks = static_cast<double>((vectors + v - 1) / v);
            const double cycles = blocks * (static_cast<double>(tall / r) * tile(r, v) +
                                            (tall % r > 0 ? tile(tall % r, v) : 0));
            best = std::min(best, cycles);
        }
    return known->second = best;
}

// One row, in vectors along it that are folded at its end.
double MeltedCosts::rowCycles(const MeltedStage& stop) const {
    constexpr double ofFold = 20;
    return std::ceil(facts(stop).steps / static_cast<double>(m_planner.context.vectorLanes)) *
               std::max(facts(stop).body / 2, 1.0) +
           ofFold;
}

// All packed operands from the cache that holds them, once.
double MeltedCosts::weightCycles(const MeltedStage& stop, std::int64_t wide) const {
    const Stage& stage = m_planner.stage(stop.stage);
    double whole = 1, out = 0;
    for (const Axis& axis : stage.space)
        if (axis.var == stop.lane)
            whole = static_cast<double>(extentOf(axis.extent));
    for (const TensorAccess& access : stop.accesses) {
        if (!m_planner.context.constants.contains(access.tensor))
            continue;
        double bytes = 4 * static_cast<double>(wide) / std::max(whole, 1.0);
        for (const Dim& dim : m_planner.inst.find(access.tensor)->type.shape)
            bytes *= static_cast<double>(extentOf(dim));
        if (bytes > static_cast<double>(m_planner.context.l1Bytes) / 2)
            out += bytes / bytesPerCycle(bytes, m_planner.context);
    }
    return out;
}

double MeltedCosts::cyclesOf(const MeltedStage& stop, const LoopSpans& spans, double times,
                             bool isApart) const {
    const Stage& stage = m_planner.stage(stop.stage);
    const auto lanes = static_cast<double>(m_planner.context.vectorLanes);
    double others = 1;
    std::int64_t wide = 1, tall = 1;
    for (const Axis& axis : stage.space) {
        const auto found = spans.find(axis.var);
        const std::int64_t extent = found == spans.end() ? 1 : found->second.extent;
        if (axis.var == stop.lane) {
            wide = extent;
        } else if (extent > 1) { // the last of them is the rows of a tile
            others *= static_cast<double>(tall);
            tall = extent;
        }
    }
    if (stage.isMap())
        return times * others * static_cast<double>(tall) *
               std::ceil(static_cast<double>(wide) / lanes) *
               (facts(stop).body / 2 + ofMap(stop, isApart));
    if (stop.isRow)
        return times * others * static_cast<double>(tall * wide) * rowCycles(stop);
    return times * others *
           (facts(stop).steps * tileCycles(stop, wide, tall) + weightCycles(stop, wide));
}

} // namespace fw
