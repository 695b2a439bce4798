#include "schedule/melted_cuts.h"

#include "schedule/lower_nest.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

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
std::set<Symbol> rowSizes(const SchedulePlanner& planner, const std::vector<MeltedStage>& stages,
                          const std::optional<Axis>& last) {
    std::set<Symbol> out;
    if (last)
        out = freeVars(last->extent);
    for (const MeltedStage& stop : stages)
        for (const TensorAccess& access : stop.accesses)
            for (std::size_t d = 0; d < access.dims.size(); ++d)
                if (access.vars[d].size() > 1)
                    out.merge(freeVars(planner.inst.find(access.tensor)->type.shape[d]));
    return out;
}

// What one iteration holds of a stage.
struct BoxSize {
    BoxSize(const Stage& stage, const LoopSpans& own) {
        for (const Axis& axis : stage.space) {
            const LoopSpan& span = own.at(axis.var);
            const std::int64_t isNew =
                span.step == 0 ? span.extent : std::min(span.extent, std::abs(span.step));
            all *= static_cast<double>(span.extent);
            fresh *= static_cast<double>(isNew);
            bytes *= span.extent;
            moves = moves || span.step != 0;
        }
    }
    double all = 1, fresh = 1; // elements, and those that the iteration before has not
    std::int64_t bytes = 4;
    bool moves = false;
};

NestPlan partOf(const MeltedStage& stop, const Stage& stage, const LoopSpans& own,
                std::size_t root) {
    NestPlan part{stop.stage, {}, {}, {}};
    part.into = MeltedInto{root, {}, {}};
    for (const Axis& axis : stage.space)
        part.into->box[axis.var] = own.at(axis.var).extent;
    return part;
}

} // namespace

MeltedCuts::MeltedCuts(const SchedulePlanner& planner, const std::vector<MeltedStage>& stages,
                       const NestPlan& root, Axis lane, Symbol rows,
                       std::optional<std::set<Symbol>> row)
    : m_planner(planner), m_root(root), m_lane(std::move(lane)), m_rows(rows),
      m_row(std::move(row)), m_axes(planner.storageSpace(root.root)), m_last(lastAxis()),
      m_costs(planner, stages, rowSizes(planner, stages, m_last)) {}

std::optional<Axis> MeltedCuts::lastAxis() const {
    std::optional<Axis> out;
    for (const Axis& axis : m_axes)
        if (m_rows.empty() ? axis.var != m_lane.var && !axis.extent.isInt(1) &&
                                 !(m_row && m_row->contains(axis.var))
                           : axis.var == m_rows)
            out = axis;
    return out;
}

std::int64_t MeltedCuts::tilesAlong(const Axis& axis, const MeltedLoops& loops) const {
    const std::int64_t tile = loops.tiles.at(axis.var);
    return (m_costs.extentOf(axis.extent) + tile - 1) / tile;
}

std::vector<Melting> MeltedCuts::ways() {
    MeltedLoops loops;
    m_ways.clear();
    choose(0, loops);
    return std::move(m_ways);
}

std::vector<std::int64_t> MeltedCuts::tilesOf(const Axis& axis) const {
    constexpr std::int64_t most = 64, mostOfOthers = 4, mostOfFree = 16;
    const bool isLast = m_last && axis.var == m_last->var;
    const std::int64_t extent = m_costs.extentOf(axis.extent);
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

MeltedCuts::Iterations MeltedCuts::iterationsOf(const MeltedLoops& loops) const {
    Iterations out;
    for (const Axis& axis : m_axes) {
        const std::int64_t tiles = tilesAlong(axis, loops);
        out.around *= static_cast<double>(tiles);
        out.share *= static_cast<double>(m_costs.extentOf(axis.extent)) /
                     static_cast<double>(tiles * loops.tiles.at(axis.var));
        out.strips *= static_cast<double>(
            axis.var == loops.slides ? (tiles + loops.strip - 1) / loops.strip : tiles);
    }
    return out;
}

// Of a stage in the root's nest; false if no loop of the root is along an axis of free size.
bool MeltedCuts::rootSpans(const MeltedStage& stop, const MeltedLoops& loops,
                           LoopSpans& own) const {
    for (const Axis& axis : m_planner.stage(stop.stage).space)
        own[axis.var] = {isFree(axis) ? 0 : m_costs.extentOf(axis.extent), 0};
    for (const auto& [mine, its] : m_root.axes.at(stop.stage))
        own[mine] = {loops.tiles.at(its), its == loops.slides ? loops.tiles.at(its) : 0};
    return std::none_of(own.begin(), own.end(),
                        [](const auto& span) { return span.second.extent == 0; });
}

// Of every stage what one iteration needs, from the root backwards.
void MeltedCuts::rate(const MeltedLoops& loops) {
    const auto [around, strips, share] = iterationsOf(loops);
    if (around < 2 && std::none_of(m_axes.begin(), m_axes.end(), isFree))
        return;
    const std::vector<MeltedStage>& stages = m_costs.stages();
    std::map<std::size_t, LoopSpans> spans;
    Melting made;
    made.root = m_root;
    made.root.melted = loops;
    double traffic = 0;        // cycles
    double operands = 0;       // bytes that one iteration reads
    std::set<std::size_t> cut; // stages whose boxes may end beside the tensor
    for (auto stop = stages.rbegin(); stop != stages.rend(); ++stop) {
        const Stage& stage = m_planner.stage(stop->stage);
        LoopSpans& own = spans[stop->stage];
        for (const Axis& axis : stage.reduce)
            own[axis.var] = {m_costs.extentOf(axis.extent), 0};
        if (!(stop->isRoot ? rootSpans(*stop, loops, own) : boxOf(*stop, spans, own)))
            return;
        operands += operandBytes(*stop, own);
        if (stop->isRoot) {
            made.cycles += m_costs.cyclesOf(*stop, own, around, true);
            continue;
        }
        const MeltedFacts& facts = m_costs.facts(*stop);
        const BoxSize box(stage, own);
        if (box.bytes > mostStackBytes || (box.all >= facts.elements && !facts.isFree))
            return;
        const double kept = static_cast<double>(loops.strip) - 1;
        const double times = loops.slides.empty() ? around
                             : !box.moves         ? strips
                                                  : strips * (1 + kept * box.fresh / box.all);
        const bool isHeld = !m_costs.isFollowed(*stop);
        made.held += isHeld ? box.bytes : 0;
        const bool edges = hasEdges(*stop, own, cut);
        if (edges)
            cut.insert(stop->stage);
        const bool isLong = hasLongRows(*stop, own);
        made.cycles += m_costs.cyclesOf(*stop, own, times, false) *
                           (isLong ? ofLongLoops : ofShortLoops) * (edges ? ofGuards : 1) +
                       times * (isLong ? cyclesOfLongLoops : cyclesOfLoops);
        made.repeated += std::max(times * box.all * share / facts.elements - 1, 0.0) *
                         m_planner.work(stop->stage);
        traffic += isHeld ? 8 * times * box.all / (isLong ? fromSecond : fromCaches) : 0;
        if (!stop->isInner)
            made.saved += 2 * m_costs.bytesOf(*stop);
        made.parts.insert(made.parts.begin(), partOf(*stop, stage, own, m_root.root));
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
            const std::int64_t whole = m_costs.extentOf(shape[d]);
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
        length *= m_costs.facts(stop).steps;
    return length >= static_cast<double>(vectorsOfLong * m_planner.context.vectorLanes);
}

// Whether a box may end beside the tensor: windows of a part of a row are padded.
bool MeltedCuts::hasEdges(const MeltedStage& stop, const LoopSpans& own,
                          const std::set<std::size_t>& others) const {
    const Stage& stage = m_planner.stage(stop.stage);
    bool isPadded = m_costs.facts(stop).isPadded;
    for (const std::size_t reader : m_costs.facts(stop).readers)
        isPadded = isPadded || others.contains(reader);
    const auto row = std::find_if(stage.space.rbegin(), stage.space.rend(),
                                  [&](const Axis& axis) { return axis.var != stop.lane; });
    return isPadded && row != stage.space.rend() &&
           own.at(row->var).extent < m_costs.extentOf(row->extent);
}

// The hull of what the stages behind it read; false if they read it by no known sum.
bool MeltedCuts::boxOf(const MeltedStage& stop, const std::map<std::size_t, LoopSpans>& spans,
                       LoopSpans& own) const {
    const Stage& stage = m_planner.stage(stop.stage);
    std::vector<std::optional<IndexSum>> known(stage.space.size());
    for (const MeltedStage& reader : m_costs.stages()) {
        const auto at = spans.find(reader.stage);
        if (at == spans.end() || reader.stage == stop.stage)
            continue;
        for (const TensorAccess& access : reader.accesses) {
            for (std::size_t d = 0; access.tensor == stage.out && d < stage.space.size(); ++d) {
                const std::int64_t whole = m_costs.extentOf(stage.space[d].extent);
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
