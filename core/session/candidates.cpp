#include "session/candidates.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

std::vector<std::string> readyCandidates(const Group& group) {
    std::vector<std::string> out;
    for (const Candidate& candidate : group.candidates)
        if (candidate.verdict == Verdict::Yes)
            out.push_back(candidate.implementation);
    std::stable_partition(out.begin(), out.end(),
                          [&](const std::string& name) { return name == group.implementation; });
    return out;
}

Result<Apart> apartPinned(Pipeline& pipeline, const GraphPtr& part, const PinRule& pin,
                          const Context& context, const ApartRuns& runs) {
    FW_TRY(PlanOptions options, pipeline.planOptions());
    FusionBook book = *options.book;
    book.addPin(pin);
    options.book = &book;
    return pipeline.apart(part, options, context, runs);
}

Result<Apart> candidateApart(Pipeline& pipeline, const GraphPtr& part, const std::string& anchor,
                             const std::string& implementation, const std::string& by,
                             const Context& context, const ApartRuns& runs) {
    PinClause pin;
    pin.kind = PinKind::Use;
    pin.names = {anchor};
    pin.implementation = implementation;
    const auto compiled = [&]() -> Result<Apart> {
        try {
            return apartPinned(pipeline, part, {pin, by}, context, runs);
        } catch (const InternalError& error) { // of this implementation: the others go on
            return makeDiag(DiagCode::Internal, error.what());
        }
    };
    FW_TRY(Apart out, compiled());
    const auto group =
        std::find_if(out.plan.groups.begin(), out.plan.groups.end(), [&](const Group& one) {
            return one.implementation == implementation ||
                   std::any_of(one.parts.begin(), one.parts.end(), [&](const Group& way) {
                       return way.when && way.implementation == implementation;
                   });
        });
    if (group == out.plan.groups.end()) {
        for (const Decision& notice : out.plan.notices)
            if (notice.code == ReasonCode::LoweringRefused &&
                notice.evidence.starts_with(implementation + ": "))
                return makeDiag(DiagCode::ScheduleIllegal, notice.sentence());
        return makeDiag(DiagCode::NotRunnable, "it is not chosen there");
    }
    for (const KernelReport& report : out.compiled->reports)
        if (report.group == group->id)
            for (const Decision& decision : report.decisions)
                if (decision.code == ReasonCode::MovedFromLibrary)
                    return makeDiag(DiagCode::NotRunnable, decision.sentence());
    return out;
}

Result<Trials> trialsOf(Pipeline& pipeline, const GraphPtr& part, const std::string& anchor,
                        const std::string& implementation, const Context& context) {
    Trials out;
    for (const int threads : {1, 2}) {
        FW_TRY(Apart apart, candidateApart(pipeline, part, anchor, implementation, "verify",
                                           context, {threads, runtime::ArenaFill::Poison}));
        out.add(threads, std::move(apart.module));
    }
    return out;
}

} // namespace fw
