#include "session/candidates.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The group that it computes, at some sizes at least.
const Group* groupBy(const FusionPlan& plan, const std::string& implementation) {
    for (const Group& one : plan.groups)
        if (one.implementation == implementation ||
            std::any_of(one.parts.begin(), one.parts.end(), [&](const Group& way) {
                return way.when && way.implementation == implementation;
            }))
            return &one;
    return nullptr;
}

// Why there is none; nullopt: there is.
std::optional<Diag> whyNotChosen(const FusionPlan& plan, const std::string& implementation) {
    if (groupBy(plan, implementation) != nullptr)
        return std::nullopt;
    for (const Decision& notice : plan.notices)
        if (notice.code == ReasonCode::LoweringRefused &&
            notice.evidence.starts_with(implementation + ": "))
            return makeDiag(DiagCode::ScheduleIllegal, notice.sentence());
    return makeDiag(DiagCode::NotRunnable, "it is not chosen there");
}

// The same of a graph that could not be compiled: what failed may be the code of another.
std::optional<Diag> whyNotChosen(Pipeline& pipeline, const Graph& part, const PinRule& pin,
                                 const std::string& implementation, const Context& context) {
    Result<PlanOptions> options = pipeline.planOptions();
    const Result<const Target*> target = pipeline.target();
    if (!options || !target)
        return std::nullopt;
    FusionBook book = *options->book;
    book.addPin(pin);
    options->book = &book;
    options->memo = nullptr; // what the plan made stays known
    options->cancel = context.cancel;
    const Result<FusionPlan> plan = planFusion(part, **target, *options);
    return plan ? whyNotChosen(*plan, implementation) : std::nullopt;
}

} // namespace

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
    Result<Apart> made = compiled();
    if (!made) {
        if (made.diag().code == DiagCode::Cancelled || made.diag().code == DiagCode::Internal)
            return made;
        if (std::optional<Diag> other =
                whyNotChosen(pipeline, *part, {pin, by}, implementation, context))
            return *std::move(other);
        return made;
    }
    Apart out = made.take();
    if (std::optional<Diag> why = whyNotChosen(out.plan, implementation))
        return *std::move(why);
    const Group* group = groupBy(out.plan, implementation);
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
