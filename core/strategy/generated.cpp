// The implementations that we generate by a template of C++, as rows of a table. Those whose
// schedule is text stand in the shipped book.
#include "strategy/catalog.h"
#include "strategy/generated_code.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace fw {

namespace {

struct Family {
    std::string name;
    ScheduleTemplate schedule;
    std::vector<FusionKind> kinds;
    bool prologue;
    double share; // of what the best schedule of a contraction reaches
};

class Generated final : public GeneratedCode {
public:
    explicit Generated(Family family) : m_family(std::move(family)) {}

    const std::string& name() const override { return m_family.name; }

    Acceptance accepts(const Workload& anchor, const Target&) const override {
        const FusionKind kind = anchor.facts.kind;
        if (kind == FusionKind::Opaque)
            return {Verdict::No, ReasonCode::OpaqueOperator, anchor.node->op};
        const bool takes =
            std::find(m_family.kinds.begin(), m_family.kinds.end(), kind) != m_family.kinds.end();
        if (!takes)
            return {
                Verdict::No, ReasonCode::GuardFalse,
                fmt::format("it is for other kinds, {} is {}", anchor.node->op, kindText(kind))};
        return {Verdict::Yes, ReasonCode::ScheduleDefault, std::string(kindText(kind))};
    }

    double estimate(const Facts& work, const Workload&, const Target& target) const override {
        const bool contraction = work.kind == FusionKind::Contraction;
        return estimateOwn(work, target, contraction ? m_family.share : 1);
    }

    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerByTemplate(m_family.schedule, site, target);
    }

private:
    bool takesPrologue(FusionKind) const override { return m_family.prologue; }

    Family m_family;
};

} // namespace

const std::vector<ImplementationPtr>& generatedImplementations() {
    using K = FusionKind;
    using T = ScheduleTemplate;
    static const std::vector<ImplementationPtr> all = [] {
        const std::array families = {
            Family{"generated.tiled", T::Tiled, {K::Contraction}, false, 1},
            Family{"generated.window",
                   T::Window,
                   {K::Window, K::Reduction, K::Rowwise, K::Contraction},
                   false,
                   0.3},
            Family{"generated.rowwise",
                   T::Rowwise,
                   {K::Rowwise, K::Reduction, K::Window, K::Contraction},
                   true,
                   0.3},
            Family{"generated.map", T::Map, {K::Elementwise, K::Broadcast, K::Injective}, true, 1},
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
