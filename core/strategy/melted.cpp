#include "strategy/melted.h"

#include "strategy/generated_code.h"

#include <fmt/format.h>

namespace fw {

namespace {

class Melted final : public GeneratedCode {
public:
    explicit Melted(Melt how) : m_how(how) {}

    const std::string& name() const override {
        static const std::string name = "generated.melted";
        return name;
    }
    std::string identity() const override {
        return m_how == Melt::Always ? name() + " always" : name();
    }

    Acceptance accepts(const Workload& anchor, const Target&) const override {
        const FusionKind kind = anchor.facts.kind;
        if (kind == FusionKind::Contraction || kind == FusionKind::Window ||
            kind == FusionKind::Reduction)
            return {Verdict::Yes, ReasonCode::ScheduleDefault, std::string(kindText(kind))};
        return {Verdict::No, ReasonCode::GuardFalse,
                fmt::format("it is for other kinds, {} is {}", anchor.node->op, kindText(kind))};
    }

    double estimate(const Facts& work, const Workload&, const Target& target) const override {
        return estimateOwn(work, target, 1);
    }

    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerMelted(m_how, site, target);
    }

private:
    bool takesPrologue(FusionKind) const override { return false; }

    Melt m_how;
};

} // namespace

const ImplementationPtr& meltedImplementation(Melt how) {
    static const ImplementationPtr wherePays = std::make_shared<Melted>(Melt::WherePays),
                                   always = std::make_shared<Melted>(Melt::Always);
    return how == Melt::Always ? always : wherePays;
}

} // namespace fw
