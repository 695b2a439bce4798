// The implementations that we generate: one per family of default schedules, as rows of a table.
//
// An epilogue is taken by every family but the plain one, if it reads the value element by element.
// A prologue is taken only where an element is read a fixed small number of times: maps and
// row-wise operators, never a contraction, which would compute it again for every output tile.
#include "strategy/machine.h"
#include "strategy/selection.h"
#include "tensor/images.h"
#include "tensor/movement.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace fw {

namespace {

struct Family {
    std::string name;
    ScheduleTemplate schedule;
    std::vector<FusionKind> kinds;
    bool epilogue;
    bool prologue;
    double efficiency; // of the FMA peak
};

bool isMapKind(FusionKind kind) {
    return kind == FusionKind::Elementwise || kind == FusionKind::Broadcast;
}

Result<OpInst> computationOf(const Graph& graph, const Node& node) {
    return graph.operators().find(node.op)->instantiate(callOf(graph, node));
}

bool readsPiecesAcross(const Workload& before, const Workload& reader) {
    if (before.graph == nullptr)
        return false;
    const Result<OpInst> made = computationOf(*before.graph, *before.node);
    const auto pieces = made ? piecesOf(*made) : std::nullopt;
    if (!pieces)
        return false;
    const Result<OpInst> read = computationOf(*reader.graph, *reader.node);
    if (!read || read->inputs.size() != reader.node->inputs.size())
        return false;
    for (std::size_t i = 0; i < read->inputs.size(); ++i)
        if (reader.node->inputs[i].node == before.node->id &&
            readsAcross(*pieces, *read, read->inputs[i].name))
            return true;
    return false;
}

class Generated final : public Implementation {
public:
    explicit Generated(Family family) : m_family(std::move(family)) {}

    const std::string& name() const override { return m_family.name; }

    Answer accepts(const Workload& anchor, const Target&) const override {
        const FusionKind kind = anchor.facts.kind;
        if (kind == FusionKind::Opaque)
            return {Verdict::No, ReasonCode::OpaqueOperator, anchor.node->op};
        const bool takes =
            m_family.kinds.empty() ||
            std::find(m_family.kinds.begin(), m_family.kinds.end(), kind) != m_family.kinds.end();
        if (!takes)
            return {
                Verdict::No, ReasonCode::GuardFalse,
                fmt::format("it is for other kinds, {} is {}", anchor.node->op, kindText(kind))};
        return {Verdict::Yes, ReasonCode::ScheduleDefault, std::string(kindText(kind))};
    }

    Answer absorbsEpilogue(const Growing&, const Workload& next) const override {
        if (!m_family.epilogue)
            return {Verdict::No, ReasonCode::AbsorbsNothing, m_family.name};
        if (!isMapKind(next.facts.kind))
            return {Verdict::No, ReasonCode::CannotAbsorb,
                    fmt::format("{} takes maps, {} is {}", m_family.name, next.node->op,
                                kindText(next.facts.kind))};
        return {Verdict::Yes, ReasonCode::FusedEpilogue,
                fmt::format("{} at the store of {}", next.node->op, m_family.name)};
    }

    Answer absorbsPrologue(const Workload& before, const Workload& anchor) const override {
        if (!m_family.prologue)
            return {Verdict::No, ReasonCode::CannotAbsorb,
                    fmt::format("{} reads its operands more than once", m_family.name)};
        // What a movement reads may be moved itself: indices compose.
        const bool movements = before.facts.kind == FusionKind::Injective &&
                               anchor.facts.kind == FusionKind::Injective;
        // Every vector would come from several pieces; joined by itself, what is put together is
        // computed in place and costs nothing.
        if (movements && readsPiecesAcross(before, anchor))
            return {
                Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} reads across the pieces of {}", anchor.node->op, before.node->op)};
        if (!isMapKind(before.facts.kind) && !movements)
            return {
                Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} is {}, not a map", before.node->op, kindText(before.facts.kind))};
        return {Verdict::Yes, ReasonCode::FusedPrologue,
                fmt::format("{} where {} reads it", before.node->op, anchor.node->op)};
    }

    LayoutWish wants(const Graph& graph, const Node& node, const Target& target) const override {
        const Result<OpInst> inst = computationOf(graph, node);
        return inst && worksOnChannels(*inst) ? wishChannelsLast(graph, node, target)
                                              : LayoutWish();
    }

    double estimate(const Facts& work, const Workload&, const Target& target) const override {
        return rooflineUs(work, target, m_family.efficiency);
    }

    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerByTemplate(m_family.schedule, site, target);
    }

private:
    Family m_family;
};

} // namespace

const std::vector<ImplementationPtr>& generatedImplementations() {
    using K = FusionKind;
    using T = ScheduleTemplate;
    static const std::vector<ImplementationPtr> all = [] {
        const std::array families = {
            Family{"generated.tiled", T::Tiled, {K::Contraction}, true, false, 0.6},
            Family{"generated.window",
                   T::Window,
                   {K::Window, K::Reduction, K::Rowwise, K::Contraction},
                   true,
                   false,
                   0.2},
            Family{"generated.rowwise",
                   T::Rowwise,
                   {K::Rowwise, K::Reduction, K::Window, K::Contraction},
                   true,
                   true,
                   0.2},
            Family{"generated.map",
                   T::Map,
                   {K::Elementwise, K::Broadcast, K::Injective},
                   true,
                   true,
                   0.2},
            Family{"generated.plain", T::Plain, {}, false, false, 0.02},
        };
        std::vector<ImplementationPtr> out;
        for (const Family& family : families)
            out.push_back(std::make_shared<Generated>(family));
        return out;
    }();
    return all;
}

const Catalog& generatedCatalog() {
    static const Catalog catalog(generatedImplementations(), standardStrategy());
    return catalog;
}

} // namespace fw
