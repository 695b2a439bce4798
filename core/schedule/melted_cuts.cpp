#include "schedule/melted_cuts.h"

#include "schedule/lower_body.h"
#include "schedule/lower_nest.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// Bytes per cycle of one core that it waits for: caches behind the second one hold several times as
// much, and run ahead of nests that are read in order. Measured on an EPYC 9004: results of up to
// 5 MB are not worth melting for their bytes alone, those of 8 MB are.
constexpr double fromCaches = 48, fromMemory = 6;
// Tiles of a box that ends inside a padded row ask for every element whether it is there, and
// boxes are short: their loops begin and end often.
constexpr double ofGuards = 1.5, ofShortLoops = 1.2, cyclesOfLoops = 100;
// So many vectors in a row are long: they begin seldom, and come from the second cache while others
// are computed.
constexpr std::int64_t vectorsOfLong = 8;
constexpr double ofLongLoops = 1, cyclesOfLongLoops = 25, fromSecond = 128;
// Operands that an iteration reads beyond this share of the second cache are gone when the next
// iteration reads them again.
constexpr double ofSecondCache = 0.75, fromThird = 16;
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

bool isFree(const Axis& axis) {
    return !axis.extent.isInt();
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

MeltedCuts::MeltedCuts(const SchedulePlanner& planner, std::vector<MeltedStage> stages,
                       const NestPlan& root, Axis lane, Symbol rows,
                       std::optional<std::set<Symbol>> row)
    : m_planner(planner), m_stages(std::move(stages)), m_root(root), m_lane(std::move(lane)),
      m_rows(rows), m_row(std::move(row)), m_axes(planner.storageSpace(root.root)) {
    for (const Axis& axis : m_axes)
        if (m_rows.empty() ? axis.var != m_lane.var && !axis.extent.isInt(1) &&
                                 !(m_row && m_row->contains(axis.var))
                           : axis.var == m_rows)
            m_last = axis;
    if (m_last)
        m_rowSizes = freeVars(m_last->extent);
    for (const MeltedStage& stop : m_stages)
        for (const TensorAccess& access : stop.accesses)
            for (std::size_t d = 0; d < access.dims.size(); ++d)
                if (access.vars[d].size() > 1)
                    m_rowSizes.merge(freeVars(m_planner.inst.find(access.tensor)->type.shape[d]));
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
std::int64_t MeltedCuts::extentOf(const Expr& extent) const {
    if (extent.isInt())
        return *extent.asInt();
    constexpr std::int64_t ofRows = 64;
    Substitution sizes;
    for (const Symbol dim : freeVars(extent))
        sizes.emplace(dim, Expr(m_rowSizes.contains(dim) ? ofRows : 1));
    return std::max<std::int64_t>(constantOr(simplify(substitute(extent, sizes)), 1), 1);
}

std::int64_t MeltedCuts::tilesAlong(const Axis& axis, const MeltedLoops& loops) const {
    const std::int64_t tile = loops.tiles.at(axis.var);
    return (extentOf(axis.extent) + tile - 1) / tile;
}

std::vector<Melting> MeltedCuts::ways() {
    MeltedLoops loops;
    m_ways.clear();
    choose(0, loops);
    return std::move(m_ways);
}

double MeltedCuts::apart() const {
    double out = 0;
    for (const MeltedStage& stop : m_stages) {
        const Stage& stage = m_planner.stage(stop.stage);
        LoopSpans whole;
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes)
                whole[axis.var] = {extentOf(axis.extent), 0};
        out += cyclesOf(stop, whole, 1, ofMap(stop, true));
        if (!stop.isRoot && !stop.isInner)
            out += trafficOf(stop);
    }
    return out;
}

// The map that computes element by element of what the stage writes, if nothing else reads it.
const MeltedStage* MeltedCuts::follower(const MeltedStage& stop) const {
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

// Of stages that are melted, the map is computed where the sums are stored.
bool MeltedCuts::isFollowed(const MeltedStage& stop) const {
    const MeltedStage* map = facts(stop).follower;
    return !stop.isRoot && map != nullptr && !map->isRoot;
}

// So it is, apart, where both are in one nest.
bool MeltedCuts::isFollowedApart(const MeltedStage& stop) const {
    const MeltedStage* map = facts(stop).follower;
    return stop.isInner && map != nullptr && map->nest == stop.nest;
}

double MeltedCuts::ofMap(const MeltedStage& map, bool isApart) const {
    const bool atStore =
        std::any_of(m_stages.begin(), m_stages.end(), [&](const MeltedStage& other) {
            return (isApart ? isFollowedApart(other) : isFollowed(other)) &&
                   facts(other).follower == &map;
        });
    return atStore ? 0 : cyclesOfMap;
}

double MeltedCuts::bytesOf(const MeltedStage& stop) const {
    return 4 * facts(stop).elements;
}

// A sum of products in tiles of registers, or the map at whose store it ends.
bool MeltedCuts::isProduct(std::size_t i) const {
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
double MeltedCuts::trafficOf(const MeltedStage& stop) const {
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
double MeltedCuts::tileCycles(const MeltedStage& stop, std::int64_t wide, std::int64_t tall) const {
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
double MeltedCuts::rowCycles(const MeltedStage& stop) const {
    constexpr double ofFold = 20;
    return std::ceil(facts(stop).steps / static_cast<double>(m_planner.context.vectorLanes)) *
               std::max(facts(stop).body / 2, 1.0) +
           ofFold;
}

// All packed operands from the cache that holds them, once.
double MeltedCuts::weightCycles(const MeltedStage& stop, std::int64_t wide) const {
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

// Of a stage over these iterations, so many times.
double MeltedCuts::cyclesOf(const MeltedStage& stop, const LoopSpans& spans, double times,
                            double ofMap) const {
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
               std::ceil(static_cast<double>(wide) / lanes) * (facts(stop).body / 2 + ofMap);
    if (stop.isRow)
        return times * others * static_cast<double>(tall * wide) * rowCycles(stop);
    return times * others *
           (facts(stop).steps * tileCycles(stop, wide, tall) + weightCycles(stop, wide));
}

std::vector<std::int64_t> MeltedCuts::tilesOf(const Axis& axis) const {
    constexpr std::int64_t most = 64, mostOfOthers = 4, mostOfFree = 16;
    const bool isLast = m_last && axis.var == m_last->var;
    const std::int64_t extent = extentOf(axis.extent);
    const bool isWhole = m_row && m_row->contains(axis.var);
    if (isFree(axis) && (isWhole || axis.var == m_lane.var))
        return {};
    if (isFree(axis)) { // a tile has a size, and the last one a rest
        std::vector<std::int64_t> powers;
        for (std::int64_t n = 1;
             n == 1 || (n < extent && n <= (isLast ? mostOfFree : mostOfOthers)); n *= 2)
            powers.push_back(n);
        return powers;
    }
    std::vector<std::int64_t> out{extent};
    if (isWhole)
        return out;
    if (axis.var == m_lane.var) {
        for (std::int64_t n = m_planner.context.vectorLanes; n < extent; n *= 2)
            if (extent % n == 0)
                out.push_back(n);
        return out;
    }
    // Of those that make as many tiles the least: the last of them has the least rest.
    std::int64_t tiles = 0;
    for (std::int64_t n = 1; n < extent && n <= (isLast ? most : mostOfOthers); ++n)
        if (const std::int64_t needed = (extent + n - 1) / n; needed != tiles) {
            tiles = needed;
            out.push_back(n);
        }
    return out;
}

void MeltedCuts::choose(std::size_t at, MeltedLoops& loops) {
    if (at == m_axes.size())
        return slide(loops);
    for (const std::int64_t tile : tilesOf(m_axes[at])) {
        loops.tiles[m_axes[at].var] = tile;
        choose(at + 1, loops);
    }
}

void MeltedCuts::slide(MeltedLoops& loops) {
    loops.slides = Symbol();
    loops.strip = 1;
    rate(loops);
    if (m_row)
        return;
    const auto threads = static_cast<std::int64_t>(m_planner.context.threads);
    for (const Axis& axis : m_axes) {
        const std::int64_t tiles = tilesAlong(axis, loops);
        if (tiles < 2 || axis.var == m_lane.var || isFree(axis))
            continue;
        std::set<std::int64_t> strips{tiles};
        for (const std::int64_t parts : {threads, 2 * threads, 4 * threads})
            if (const std::int64_t strip = (tiles + parts - 1) / parts; parts > 1 && strip > 1)
                strips.insert(strip);
        for (const std::int64_t strip : strips) {
            loops.slides = axis.var;
            loops.strip = strip;
            rate(loops);
        }
    }
}

// Of every stage what one iteration needs, from the root backwards.
void MeltedCuts::rate(const MeltedLoops& loops) {
    double around = 1, strips = 1, share = 1; // of the tiles lies so much inside
    for (const Axis& axis : m_axes) {
        const std::int64_t tiles = tilesAlong(axis, loops);
        around *= static_cast<double>(tiles);
        share *= static_cast<double>(extentOf(axis.extent)) /
                 static_cast<double>(tiles * loops.tiles.at(axis.var));
        strips *= static_cast<double>(
            axis.var == loops.slides ? (tiles + loops.strip - 1) / loops.strip : tiles);
    }
    if (around < 2 && std::none_of(m_axes.begin(), m_axes.end(), isFree))
        return;
    std::map<std::size_t, LoopSpans> spans;
    Melting made;
    made.root = m_root;
    made.root.melted = loops;
    double traffic = 0;        // cycles
    double operands = 0;       // bytes that one iteration reads
    std::set<std::size_t> cut; // stages whose boxes may end beside the tensor
    for (auto stop = m_stages.rbegin(); stop != m_stages.rend(); ++stop) {
        const Stage& stage = m_planner.stage(stop->stage);
        LoopSpans& own = spans[stop->stage];
        for (const Axis& axis : stage.reduce)
            own[axis.var] = {extentOf(axis.extent), 0};
        if (stop->isRoot) {
            for (const Axis& axis : stage.space)
                own[axis.var] = {isFree(axis) ? 0 : extentOf(axis.extent), 0};
            for (const auto& [mine, its] : m_root.axes.at(stop->stage))
                own[mine] = {loops.tiles.at(its), its == loops.slides ? loops.tiles.at(its) : 0};
            if (std::any_of(own.begin(), own.end(),
                            [](const auto& span) { return span.second.extent == 0; }))
                return; // no loop of the root is along it
            made.cycles += cyclesOf(*stop, own, around, ofMap(*stop, true));
            operands += operandBytes(*stop, own);
            continue;
        }
        if (!boxOf(*stop, spans, own))
            return;
        operands += operandBytes(*stop, own);
        double all = 1, fresh = 1; // elements, and those that the iteration before has not
        std::int64_t bytes = 4;
        bool moves = false;
        for (const Axis& axis : stage.space) {
            const LoopSpan& span = own.at(axis.var);
            const std::int64_t isNew =
                span.step == 0 ? span.extent : std::min(span.extent, std::abs(span.step));
            all *= static_cast<double>(span.extent);
            fresh *= static_cast<double>(isNew);
            bytes *= span.extent;
            moves = moves || span.step != 0;
        }
        if (bytes > mostStackBytes || (all >= facts(*stop).elements && !facts(*stop).isFree))
            return;
        const double kept = static_cast<double>(loops.strip) - 1;
        const double times = loops.slides.empty() ? around
                             : !moves             ? strips
                                                  : strips * (1 + kept * fresh / all);
        const bool isHeld = !isFollowed(*stop);
        made.held += isHeld ? bytes : 0;
        const bool edges = hasEdges(*stop, own, cut);
        if (edges)
            cut.insert(stop->stage);
        const bool isLong = hasLongRows(*stop, own);
        made.cycles += cyclesOf(*stop, own, times, ofMap(*stop, false)) *
                           (isLong ? ofLongLoops : ofShortLoops) * (edges ? ofGuards : 1) +
                       times * (isLong ? cyclesOfLongLoops : cyclesOfLoops);
        made.repeated += std::max(times * all * share / facts(*stop).elements - 1, 0.0) *
                         m_planner.work(stop->stage);
        traffic += isHeld ? 8 * times * all / (isLong ? fromSecond : fromCaches) : 0;
        if (!stop->isInner)
            made.saved += 2 * bytesOf(*stop);
        NestPlan part{stop->stage, {}, {}, {}};
        part.into = MeltedInto{m_root.root, {}, {}};
        for (const Axis& axis : stage.space)
            part.into->box[axis.var] = own.at(axis.var).extent;
        made.parts.insert(made.parts.begin(), std::move(part));
    }
    if (made.held * 3 / 2 > mostHeldBytes)
        return;
    if (made.held > m_planner.context.l1Bytes / 2)
        made.cycles += traffic;
    if (operands > ofSecondCache * static_cast<double>(m_planner.context.l2Bytes))
        made.cycles += around * operands / fromThird;
    const auto threads = static_cast<double>(m_planner.context.threads);
    made.cycles *= std::ceil(strips / threads) * threads / strips;
    m_ways.push_back(std::move(made));
}

// Of the group's inputs that are no constants.
double MeltedCuts::operandBytes(const MeltedStage& stop, const LoopSpans& own) const {
    double out = 0;
    for (const TensorAccess& access : stop.accesses) {
        if (!m_planner.isInput(access.tensor) ||
            m_planner.context.constants.contains(access.tensor))
            continue;
        double bytes = 4;
        const Shape& shape = m_planner.inst.find(access.tensor)->type.shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t whole = extentOf(shape[d]);
            std::int64_t extent = access.dims[d] ? 1 : whole;
            if (access.dims[d])
                for (const auto& [var, factor] : access.dims[d]->terms)
                    if (const auto span = own.find(var); span != own.end())
                        extent += std::abs(factor) * (span->second.extent - 1);
            bytes *= static_cast<double>(std::min(extent, whole));
        }
        out += bytes;
    }
    return out;
}

bool MeltedCuts::hasLongRows(const MeltedStage& stop, const LoopSpans& own) const {
    double length =
        stop.isRow || stop.lane.empty() ? 1 : static_cast<double>(own.at(stop.lane).extent);
    if (stop.isRow)
        length *= facts(stop).steps;
    return length >= static_cast<double>(vectorsOfLong * m_planner.context.vectorLanes);
}

// Whether a box may end beside the tensor: windows of a part of a row are padded.
bool MeltedCuts::hasEdges(const MeltedStage& stop, const LoopSpans& own,
                          const std::set<std::size_t>& others) const {
    const Stage& stage = m_planner.stage(stop.stage);
    bool isPadded = facts(stop).isPadded;
    for (const std::size_t reader : facts(stop).readers)
        isPadded = isPadded || others.contains(reader);
    const auto row = std::find_if(stage.space.rbegin(), stage.space.rend(),
                                  [&](const Axis& axis) { return axis.var != stop.lane; });
    return isPadded && row != stage.space.rend() && own.at(row->var).extent < extentOf(row->extent);
}

// The hull of what the stages behind it read; false if they read it by no known sum.
bool MeltedCuts::boxOf(const MeltedStage& stop, const std::map<std::size_t, LoopSpans>& spans,
                       LoopSpans& own) const {
    const Stage& stage = m_planner.stage(stop.stage);
    std::vector<std::optional<IndexSum>> known(stage.space.size());
    for (const MeltedStage& reader : m_stages) {
        const auto at = spans.find(reader.stage);
        if (at == spans.end() || reader.stage == stop.stage)
            continue;
        for (const TensorAccess& access : reader.accesses) {
            for (std::size_t d = 0; access.tensor == stage.out && d < stage.space.size(); ++d) {
                const std::int64_t whole = extentOf(stage.space[d].extent);
                LoopSpan span{whole, 0};
                if (const auto& index = access.dims[d]) {
                    span.extent = 1;
                    for (const auto& [var, factor] : index->terms) {
                        const auto found = at->second.find(var);
                        if (found == at->second.end())
                            return false;
                        span.extent += std::abs(factor) * (found->second.extent - 1);
                        span.step += factor * found->second.step;
                    }
                    // Reads a constant distance apart share a box.
                    if (known[d] && known[d]->terms == index->terms)
                        span.extent += std::abs(known[d]->constant - index->constant);
                    known[d] = index;
                }
                // Nothing holds all of an axis whose size is free.
                const bool isUnknown = isFree(stage.space[d]);
                if (isUnknown && !access.dims[d])
                    return false;
                const auto [before, isNew] = own.try_emplace(stage.space[d].var, span);
                if (!isNew && span.extent > before->second.extent)
                    before->second = span;
                if (before->second.extent >= whole && !isUnknown)
                    before->second = {whole, 0};
            }
        }
    }
    return std::all_of(stage.space.begin(), stage.space.end(),
                       [&](const Axis& axis) { return own.contains(axis.var); });
}

} // namespace fw
