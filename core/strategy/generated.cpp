// The implementations that we generate: one per family of default schedules, as rows of a table.
//
// An epilogue is taken by every family but the plain one, if it reads the value element by element.
// A prologue is taken only where an element is read a fixed small number of times: maps and
// row-wise operators, never a contraction, which would compute it again for every output tile.
#include "strategy/implementation.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace fw {

namespace {

// Of this machine's class, per core: what a measured ceiling would replace.
constexpr double flopsPerCycleLane = 4; // two FMAs
constexpr double clockGhz = 2.8;
constexpr double bytesPerUs = 12000;
constexpr double launchUs = 1.2;

struct Family {
    std::string name;
    int priority;
    std::vector<FusionKind> kinds;
    bool epilogue;
    bool prologue;
    double efficiency; // of the FMA peak
};

bool isMapKind(FusionKind kind) {
    return kind == FusionKind::Elementwise || kind == FusionKind::Broadcast;
}

class Generated final : public Implementation {
public:
    explicit Generated(Family family) : m_family(std::move(family)) {}

    const std::string& name() const override { return m_family.name; }
    int priority() const override { return m_family.priority; }

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
        if (!isMapKind(before.facts.kind))
            return {
                Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} is {}, not a map", before.node->op, kindText(before.facts.kind))};
        if (anchor.facts.kind == FusionKind::Injective &&
            before.facts.kind != FusionKind::Elementwise)
            return {Verdict::No, ReasonCode::CannotAbsorb,
                    "a data movement takes element-wise operators only"};
        return {Verdict::Yes, ReasonCode::FusedPrologue,
                fmt::format("{} where {} reads it", before.node->op, anchor.node->op)};
    }

    double estimate(const Facts& work, const Target& target) const override {
        const double threads = std::max(1, target.threads);
        const double peak = flopsPerCycleLane * clockGhz * 1000 * target.vectorLanesF32 * threads;
        const double compute =
            (work.flops + 12 * work.transcendentals) / (peak * m_family.efficiency);
        const double memory = (work.bytesRead + work.bytesWritten) / (bytesPerUs * threads);
        return std::max(compute, memory) + launchUs;
    }

private:
    Family m_family;
};

} // namespace

const Catalog& generatedCatalog() {
    using K = FusionKind;
    static const Catalog catalog = [] {
        const std::array families = {
            Family{"generated.tiled", 10, {K::Contraction}, true, false, 0.6},
            Family{"generated.window", 10, {K::Window}, true, false, 0.2},
            Family{"generated.rowwise", 10, {K::Rowwise, K::Reduction}, true, true, 0.2},
            Family{
                "generated.map", 10, {K::Elementwise, K::Broadcast, K::Injective}, true, true, 0.2},
            Family{"generated.plain", 5, {}, false, false, 0.02},
        };
        std::vector<std::shared_ptr<const Implementation>> out;
        for (const Family& family : families)
            out.push_back(std::make_shared<Generated>(family));
        return Catalog(std::move(out));
    }();
    return catalog;
}

} // namespace fw
