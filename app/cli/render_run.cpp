// Text of what was measured and compared.
#include "render.h"

#include "snapshot/time_changes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::cli {

using namespace snapshot;

namespace {

std::string optionalText(const std::optional<double>& value, int digits) {
    return value ? decimal(*value, digits) : "";
}

std::string scientific(const std::optional<double>& value) {
    return value ? fmt::format("{:.2e}", *value) : "";
}

std::string typeText(const OutputRecord& tensor) {
    std::string shape;
    for (const std::int64_t extent : tensor.shape)
        shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
    return fmt::format("{}[{}]", tensor.dtype, shape);
}

// Of `profile --each`: every operator of a fused group as a group of its own.
std::string operatorTimes(const ProfileDocument& document) {
    Table table({"alone", "operator", "us"}, {false, false, true});
    bool any = false;
    for (const ProfileRow& row : document.rows) {
        if (!row.aloneUs)
            continue;
        any = true;
        table.row({row.group, "", marked(decimal(*row.aloneUs, 1), row.disturbed)});
        if (row.nodes.size() > 1)
            for (const ShareRecord& node : row.nodes)
                table.row({"", node.name, optionalText(node.aloneUs, 1)});
    }
    return any ? "\n" + table.text() : "";
}

// Beside a baseline: what takes more or less time, and what that is worth.
std::string againstText(const TimesComparison& against) {
    std::string out = fmt::format("\nagainst the baseline: {}\n",
                                  oneLine(takenText(against.machine, against.taken), 120));
    for (const DecisionRecord& reason : against.apart)
        out += fmt::format("{} {}\n", reason.code, oneLine(reason.sentence, 300));
    if (!isComparable(against))
        return out;
    Table table({"group", "before us", "now us", "difference", "noise us", "code"},
                {false, true, true, true, true, false});
    const auto row = [&](const std::string& name, const TimeDifference& time) {
        table.row({name, optionalText(time.beforeUs, 1), optionalText(time.afterUs, 1),
                   differenceText(time), decimal(time.noiseUs, 1), time.code});
    };
    for (const GroupDifference& one : against.groups) {
        std::string name;
        for (const std::string& group : one.groups.empty() ? one.before : one.groups)
            name += (name.empty() ? "" : " + ") + group;
        row(oneLine(name, 60), one.time);
    }
    row("sum of groups", against.sum);
    row("end to end", against.endToEnd);
    return out + table.text();
}

std::string noticeLines(const std::vector<std::string>& notices) {
    std::string out;
    for (const std::string& notice : notices)
        out += "note: " + notice + "\n";
    return out;
}

std::string startText(const StartRecord& start) {
    return fmt::format(
        "start: program {} ms, import {} ms, rewrite {} ms, libraries {} ms, machine {} ms, "
        "fuse {} ms, loops {} ms, kernels {} ms (code {} ms of all threads; {} compiled, {} "
        "from the cache), assemble {} ms, load {} ms",
        decimal(start.processMs, 0), decimal(start.importMs, 0), decimal(start.rewriteMs, 0),
        decimal(start.librariesMs, 0), decimal(start.machineMs, 0), decimal(start.fuseMs, 0),
        decimal(start.lowerMs, 0), decimal(start.kernelsMs, 0), decimal(start.codegenMs, 0),
        start.compiled, start.cached, decimal(start.assembleMs, 0), decimal(start.loadMs, 0));
}

// How far every output of every data set is from what was expected.
class Differences {
public:
    void add(const std::string& place, const ComparisonRecord& set) {
        for (const OutputDifference& output : set.outputs)
            m_table.row({place, output.name, scientific(output.maxAbs),
                         scientific(output.relativeL2),
                         output.cosine ? fmt::format("{:.9f}", *output.cosine) : "",
                         output.sameTop ? *output.sameTop ? "same" : "DIFFERS" : "",
                         fmt::format("{} of {}", output.outside, output.elements),
                         set.pass ? set.rule.str() : "none"});
        m_any = m_any || !set.outputs.empty();
    }
    std::string text() const { return m_any ? m_table.text() : ""; }

private:
    Table m_table{
        {"data", "output", "largest", "relative L2", "cosine", "top 1", "outside", "passed by"},
        {false, false, true, true, true, false, true, false}};
    bool m_any = false;
};

} // namespace

std::string render(const RunDocument& document) {
    std::string out = fmt::format("{}\ntarget {}\ncompiled in {} ms, ran in {} ms\n{}\n",
                                  document.model, document.target, decimal(document.compileMs, 0),
                                  decimal(document.runMs, 2), startText(document.start));
    Table table({"output", "type", "values", "file"});
    for (const OutputRecord& output : document.outputs)
        table.row({output.name, typeText(output), output.summary, output.file});
    out += table.text();
    Table values({"value", "type", "values", "file"});
    for (const OutputRecord& value : document.values)
        values.row({value.name, typeText(value), value.summary, value.file});
    if (!document.values.empty())
        out += values.text();
    for (const ComparisonRecord& set : document.sets)
        out +=
            fmt::format("{}: {}, largest difference {} ({} ulp){}{}\n", set.name,
                        set.pass ? "passed by " + set.rule.str() : "FAILED", scientific(set.maxAbs),
                        optionalText(set.maxUlp, 0), set.worst.empty() ? "" : ", at ", set.worst);
    Differences differences;
    for (const ComparisonRecord& set : document.sets)
        differences.add(set.name, set);
    out += differences.text();
    return out + noticeLines(document.notices);
}

std::string render(const BenchDocument& document) {
    std::string out = fmt::format("target {}\n", document.target);
    Table table({"model", "median ms", "p90 ms", "min ms", "runs", "compile ms", "load ms",
                 "peak MB", "threads"},
                {false, true, true, true, true, true, true, true, true});
    for (const BenchRow& row : document.models)
        table.row({row.model, marked(decimal(row.medianMs, 3), row.disturbed),
                   decimal(row.p90Ms, 3), decimal(row.minMs, 3), fmt::format("{}", row.runs),
                   decimal(row.compileMs, 0), decimal(row.loadMs, 0), decimal(row.peakRssMb, 0),
                   fmt::format("{}", row.threads)});
    out += table.text();
    bool disturbed = false, besides = false;
    Table beside({"model", "busy beside", "quiet ms", "beside ms", "ratio"},
                 {false, true, true, true, true});
    for (const BenchRow& row : document.models) {
        disturbed = disturbed || row.disturbed;
        besides = besides || row.beside;
        if (row.beside && row.besideMs)
            beside.row({row.model, std::to_string(*row.beside),
                        marked(decimal(row.medianMs, 3), row.disturbed), decimal(*row.besideMs, 3),
                        decimal(*row.besideMs / std::max(row.medianMs, 1e-9), 2)});
    }
    if (besides)
        out += beside.text();
    out += starLine(disturbed);
    for (const BenchRow& row : document.models)
        out += fmt::format("{} {}\n", row.model, startText(row.start));
    return out + noticeLines(document.notices);
}

std::string render(const TuneDocument& document) {
    std::string out = fmt::format("{}\ntarget {}\n", document.model, document.target);
    Table table({"group", "times", "size", "implementation", "us", "chosen"},
                {false, true, false, false, true, false});
    const TuneRow* last = nullptr;
    for (const TuneRow& row : document.rows) {
        const bool first = last == nullptr || last->group != row.group;
        const bool firstOfSize = first || last->size != row.size;
        last = &row;
        table.row({first ? row.group : "", first ? std::to_string(row.count) : "",
                   firstOfSize ? row.size : "", row.implementation,
                   marked(decimal(row.us, 1), row.disturbed),
                   row.chosenNow      ? row.chosenBefore ? "as before" : "now"
                   : row.chosenBefore ? "before"
                                      : ""});
    }
    out += table.text();
    out += starLine(std::any_of(document.rows.begin(), document.rows.end(),
                                [](const TuneRow& row) { return row.disturbed; }));
    out += fmt::format("{} of {} workloads measured, {} change their implementation: {} ms before, "
                       "{} ms after; in {}\n",
                       document.measured, document.workloads, document.improved,
                       decimal(document.beforeMs, 3), decimal(document.afterMs, 3), document.log);
    return out + noticeLines(document.notices);
}

std::string render(const VerifyDocument& document) {
    std::string out;
    for (const VerifyModel& model : document.models) {
        out += fmt::format("{}\ntarget {}\n", model.model, document.target);
        Table table({"group", "times", "implementation", "verdict", "integers", "random",
                     "of what is allowed"},
                    {false, true, false, false, true, true, true});
        const std::string* last = nullptr;
        for (const VerifyRow& row : model.rows) {
            const bool first = last == nullptr || *last != row.group;
            last = &row.group;
            table.row({first ? row.group : "", first ? std::to_string(row.groups.size()) : "",
                       row.implementation, row.verdict, scientific(row.integers),
                       scientific(row.random), optionalText(row.share, 3)});
        }
        out += table.text();
        for (const VerifyRow& row : model.rows) {
            if (!row.differs && row.reason.empty())
                continue;
            out += fmt::format("{} by {}: {}\n", row.group, row.implementation,
                               row.differs ? row.worst : row.reason);
            if (!row.file.empty())
                out += fmt::format("  shown by {}\n", row.file);
        }
        const double judged = model.elements == 0 ? 100
                                                  : 100 * static_cast<double>(model.judged) /
                                                        static_cast<double>(model.elements);
        out += fmt::format("{} groups, {} implementations agree, {} differ, {} not run; {} % of "
                           "the values judged, in {} s\n",
                           model.groups, model.agreeing, model.differing, model.notRun,
                           decimal(judged, 1), decimal(model.seconds, 1));
        out += noticeLines(model.notices);
    }
    return out;
}

std::string render(const ProfileDocument& document) {
    std::string out = fmt::format("{}\ntarget {}\n", document.model, document.target);
    Table table(
        {"group", "implementation", "median us", "est. us", "p95 us", "share %", "GFLOP/s", "GB/s"},
        {false, false, true, true, true, true, true, true});
    for (const ProfileRow& row : document.rows)
        table.row({row.group, row.implementation, marked(decimal(row.medianUs, 1), row.disturbed),
                   optionalText(row.estUs, 1), optionalText(row.p95Us, 1),
                   decimal(row.share * 100, 1), optionalText(row.gflops, 1),
                   optionalText(row.gbps, 1)});
    out += table.text();
    out += starLine(document.disturbed ||
                    std::any_of(document.rows.begin(), document.rows.end(),
                                [](const ProfileRow& row) { return row.disturbed; }));
    out += fmt::format("sum of groups {} ms, end to end {} ms (not instrumented), {} runs, IQR {} "
                       "%, {} threads, compiled in {} ms\n",
                       decimal(document.sumMs, 3),
                       marked(decimal(document.endToEndMs, 3), document.disturbed), document.runs,
                       decimal(document.iqrPercent, 1), document.threads,
                       decimal(document.compileMs, 0));
    out += startText(document.start) + "\n";
    for (const std::string& miss : document.misses)
        out += "missed: " + miss + "\n";
    out += operatorTimes(document);
    if (document.against)
        out += againstText(*document.against);
    return out + noticeLines(document.notices);
}

std::string render(const TestDocument& document) {
    std::string out;
    Table table({"case", "verdict", "reason"});
    for (const CaseRecord& item : document.cases)
        table.row({item.name, item.verdict, item.reason});
    out += table.text();
    Differences differences;
    for (const CaseRecord& item : document.cases)
        for (const ComparisonRecord& set : item.sets)
            differences.add(item.name + "/" + set.name, set);
    out += differences.text();
    return out + fmt::format("{} folders: {} passed, {} failed, {} unsupported, {} crashed\n",
                             document.total, document.passed, document.failed, document.unsupported,
                             document.crashed);
}

} // namespace fw::cli
