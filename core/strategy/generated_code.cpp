#include "strategy/generated_code.h"

#include "tensor/images.h"
#include "tensor/movement.h"

#include <fmt/format.h>

namespace fw {

namespace {

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

// Measured on an EPYC 9004 by tests/bench/calls.cpp.
constexpr Efficiency efficiencies[] = {
    {WorkClass::Convolution, 0.97, 0.98}, {WorkClass::Grouped, 0.7, 0.65},
    {WorkClass::Product, 0.95, 0.95},     {WorkClass::FewRows, 0.44, 0.25},
    {WorkClass::Pool, 0.2, 0.12},         {WorkClass::Rows, 0.3, 0.23},
};

} // namespace

std::span<const Efficiency> ownEfficiencies() {
    return efficiencies;
}

std::string epilogueSentence(const std::string& op, const std::string& implementation) {
    return fmt::format("{} at the store of {}", op, implementation);
}

bool mayPrecede(FusionKind before, FusionKind anchor) {
    return isMapKind(before) ||
           (before == FusionKind::Injective && anchor == FusionKind::Injective);
}

double GeneratedCode::estimateOwn(const Facts& work, const Target& target, double share) {
    return rooflineUs(work, target, share * efficiencyOf(work.work, target, ownCode, efficiencies));
}

Acceptance GeneratedCode::absorbsEpilogue(const Growing&, const Workload& next) const {
    if (!isMapKind(next.facts.kind))
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} takes maps, {} is {}", name(), next.node->op,
                            kindText(next.facts.kind))};
    return {Verdict::Yes, ReasonCode::FusedEpilogue, epilogueSentence(next.node->op, name())};
}

Acceptance GeneratedCode::absorbsPrologue(const Workload& before, const Workload& anchor) const {
    if (!takesPrologue(anchor.facts.kind))
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} reads its operands more than once", name())};
    // Every vector would come from several pieces; joined by itself, what is put together is
    // computed in place and costs nothing.
    if (before.facts.kind == FusionKind::Injective && anchor.facts.kind == FusionKind::Injective &&
        readsPiecesAcross(before, anchor))
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} reads across the pieces of {}", anchor.node->op, before.node->op)};
    if (!mayPrecede(before.facts.kind, anchor.facts.kind))
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} is {}, not a map", before.node->op, kindText(before.facts.kind))};
    return {Verdict::Yes, ReasonCode::FusedPrologue,
            fmt::format("{} where {} reads it", before.node->op, anchor.node->op)};
}

LayoutWish GeneratedCode::wants(const Graph& graph, const Node& node, const Target& target) const {
    const Result<OpInst> inst = computationOf(graph, node);
    return inst && worksOnChannels(*inst) ? wishChannelsLast(graph, node, target) : LayoutWish();
}

} // namespace fw
