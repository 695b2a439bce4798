#include "session/answers.h"

#include "session/decision_records.h"
#include "session/describe.h"
#include "session/document.h"
#include "session/group_times.h"
#include "session/log_use.h"
#include "strategy/entries_without_code.h"
#include "strategy/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

using namespace snapshot;

namespace {

// Names of libraries that were written in another spelling than the one that is shown.
std::vector<std::string> aliasNotices(const std::string& target) {
    std::vector<std::string> out;
    const std::string word = "-libs=";
    const std::size_t at = target.find(word);
    std::size_t from = at == std::string::npos ? target.size() : at + word.size();
    while (from < target.size() && target[from] != ' ') {
        const std::size_t end = std::min(target.find_first_of(", ", from), target.size());
        const std::string name = target.substr(from, end - from);
        const Result<Target> known = parseTarget(word + name);
        if (known && known->libs.size() == 1 && known->libs[0] != name)
            out.push_back(fmt::format("{} is another name of {}", name, known->libs[0]));
        from = end < target.size() && target[end] == ',' ? end + 1 : target.size();
    }
    return out;
}

// Its code, or its call with the reorders around it.
void tellCode(const KernelReport& report, const Target& target, GroupRecord& group) {
    group.schedule = report.libraryCall.empty() ? report.scheduleText : report.libraryCall;
    if (!report.libraryCall.empty())
        group.call = CallRecord{report.library, report.postOps};
    for (const ReorderStep& step : report.reorders) {
        ReorderRecord row{step.name, step.value, step.layout, {}, {}};
        if (step.bytes >= 0) {
            Facts work;
            work.bytesRead = work.bytesWritten = step.bytes / 2;
            row.bytes = step.bytes;
            row.estUs = rooflineUs(work, target, 1);
        }
        group.reorders.push_back(std::move(row));
    }
}

void tellDecisions(const KernelReport& report, const GroupRecord& group,
                   std::vector<std::string>& notices) {
    const auto isOfFirst = [&](const Decision& decision) {
        return decision.subject == report.decisions.front().subject;
    };
    const bool nests = !std::all_of(report.decisions.begin(), report.decisions.end(), isOfFirst);
    for (Decision decision : report.decisions) {
        decision.subject = nests && decision.subject != group.name
                               ? fmt::format("{} ({})", group.name, decision.subject)
                               : group.name;
        notices.push_back(noticeText(decision));
    }
}

} // namespace

Result<FuseDocument> fuseCommand(PipelineStore& store, const Arguments& given,
                                 const Context& context) {
    const bool measure = given.measure.value_or(false) || !given.nodes.empty();
    FW_TRY(const Arguments arguments,
           measure ? withBoundDims(store, given, context) : Result<Arguments>(given));
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(arguments)));
    const MadeStages before = pipeline->made();
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Target* target, pipeline->target());
    const bool decisions = arguments.decisions.value_or(true);
    FuseDocument out = describePlan(arguments.model, *simplified->graph, *plan, *target,
                                    decisions ? Edges::Describe : Edges::Leave);
    FW_TRY(const Books* books, pipeline->books());
    for (const Diag& diag : books->diagnostics)
        out.notices.push_back(diag.text());
    FW_TRY(const PlanOptions options, pipeline->planOptions());
    for (const Diag& diag : entriesWithoutCode(*options.catalog))
        out.notices.push_back(diag.text());
    for (std::string& notice : aliasNotices(pipeline->inputs().target))
        out.notices.push_back(std::move(notice));
    FW_TRY(const TuningLog* log, pipeline->log());
    FW_TRY(const Diags machine, checkMachine(*target));
    for (const Diags* told : {&log->diagnostics, &machine})
        for (const Diag& diag : *told)
            out.notices.push_back(diag.text());
    for (const Decision& stale :
         staleRecords(*log, pipeline->inputs().log, *simplified->graph, *plan, *target))
        out.notices.push_back(noticeText(stale));
    for (GroupRecord& group : out.groups) {
        if (!plan->groups[static_cast<std::size_t>(group.id)].hasCode())
            continue;
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "planning was cancelled");
        FW_TRY(const KernelReport report, pipeline->lowered(group.id, context));
        tellCode(report, *target, group);
        if (decisions)
            tellDecisions(report, group, out.notices);
    }
    const MadeStages& after = pipeline->made();
    out.made = {after.imported > before.imported, after.simplified > before.simplified,
                after.planned > before.planned,
                static_cast<std::int64_t>(after.lowered - before.lowered)};
    for (const auto& [name, extent] : arguments.dims)
        if (!given.dims.contains(name))
            out.notices.push_back(fmt::format("measured with {} = {}", name, extent));
    if (measure)
        FW_CHECK(measureGroups(*pipeline, arguments, out, context));
    if (!decisions) { // but what people asked for and did not get
        const std::string ofPins = std::string(codeText(ReasonCode::PinRefused)) + " ";
        std::erase_if(out.notices,
                      [&](const std::string& notice) { return !notice.starts_with(ofPins); });
    }
    return out;
}

} // namespace fw
