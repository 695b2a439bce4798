#include "render.h"

#include "gathered.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::cli {

using namespace snapshot;

namespace {

std::string list(const std::vector<std::string>& parts, const std::string& mark = ", ") {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : mark) + part;
    return out;
}

std::string diagLines(const Diags& diags) {
    std::string out;
    for (const std::string& text : gathered(diags))
        out += text + "\n";
    return out;
}

std::string bodyLine(const BodyRecord& body) {
    const auto names = [](const std::vector<TensorRecord>& tensors) {
        std::string out;
        for (const TensorRecord& tensor : tensors)
            out += (out.empty() ? "" : ", ") + tensor.name;
        return oneLine(out, 80);
    };
    std::string out =
        fmt::format("{}({}) -> {}: {} operator{}", oneLine(body.path, 120), names(body.inputs),
                    names(body.outputs), body.nodes, body.nodes == 1 ? "" : "s");
    if (!body.captured.empty())
        out += ", reads " + names(body.captured) + " from outside";
    return out;
}

} // namespace

std::string render(const InfoDocument& document) {
    std::string out = fmt::format("{}\n", document.model);
    Table facts({"", ""});
    facts.row({"graph", document.name});
    facts.row(
        {"from", fmt::format("{}, opset {}",
                             document.producer.empty() ? "unknown producer" : document.producer,
                             document.opset)});
    facts.row({"operators", fmt::format("{}", document.nodes)});
    facts.row({"parameters", fmt::format("{} ({})", large(static_cast<double>(document.parameters)),
                                         bytesText(static_cast<double>(document.parameterBytes)))});
    facts.row(
        {"flops", document.flops ? large(*document.flops) : "depends on the free dimensions"});
    facts.row({"runs", document.runnable ? "yes" : "not as a whole, see below"});
    out += facts.text().substr(facts.text().find('\n') + 1);
    for (const auto& [title, tensors] :
         {std::pair("inputs", &document.inputs), std::pair("outputs", &document.outputs)}) {
        out += fmt::format("{}\n", title);
        for (const TensorRecord& tensor : *tensors)
            out += fmt::format("  {}: {}\n", oneLine(tensor.name, 80), tensor.type);
    }
    Table ops({"operator", "count"}, {false, true});
    std::vector<std::pair<std::string, std::int64_t>> rows(document.ops.begin(),
                                                           document.ops.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [name, count] : rows)
        ops.row({oneLine(name, 60), fmt::format("{}", count)});
    out += ops.text();
    constexpr std::size_t shownBodies = 20;
    if (!document.bodies.empty())
        out += "bodies\n";
    for (std::size_t i = 0; i < std::min(document.bodies.size(), shownBodies); ++i)
        out += "  " + bodyLine(document.bodies[i]) + "\n";
    if (document.bodies.size() > shownBodies)
        out += fmt::format("  and {} more; --json lists them all\n",
                           document.bodies.size() - shownBodies);
    constexpr std::size_t shownReadings = 20;
    if (!document.readings.empty())
        out += "read\n";
    for (std::size_t i = 0; i < std::min(document.readings.size(), shownReadings); ++i) {
        const DecisionRecord& reading = document.readings[i];
        out += fmt::format("  {} {}: {}\n", reading.code, oneLine(reading.from, 60),
                           oneLine(reading.sentence, 120));
    }
    if (document.readings.size() > shownReadings)
        out += fmt::format("  and {} more; --json lists them all\n",
                           document.readings.size() - shownReadings);
    if (!document.diagnostics.empty())
        out += "problems\n" + diagLines(document.diagnostics);
    return out;
}

std::string render(const OpsDocument& document) {
    if (document.ops.size() == 1) {
        const OpRecord& op = document.ops.front();
        std::string out = fmt::format("{}\n{}\n\n{}\n", op.signature, op.doc, op.expression);
        out += fmt::format("\nkind: {}\n", op.kind);
        for (const auto& [input, fact] : op.facts)
            out += fmt::format("  {}: {}\n", input, fact);
        if (!op.implementations.empty())
            out += "implementations: " + list(op.implementations) + "\n";
        return out;
    }
    Table table({"operator", "kind", "what it does"});
    for (const OpRecord& op : document.ops)
        table.row({op.name, op.kind, oneLine(op.doc, 90)});
    return table.text();
}

namespace {

// Of `fuse --measure`: the groups alone, and what splitting them would cost, each with half of its
// spread and what a plan of that form expects.
std::string measuredText(const FuseDocument& document) {
    Table table({"measured", "alone us", "est.", "split us", "est.", "split / alone", "forced us",
                 "est.", "outputs"},
                {false, true, true, true, true, true, true, true, false});
    bool any = false, disturbed = false;
    const auto time = [](const std::optional<double>& us, const std::optional<double>& iqr) {
        if (!us)
            return std::string();
        return decimal(*us, 1) + (iqr ? " ± " + decimal(*iqr / 2, 1) : "");
    };
    const auto expected = [](const std::optional<double>& us) {
        return us ? decimal(*us, 1) : std::string();
    };
    for (const GroupRecord& group : document.groups) {
        if (!group.aloneUs)
            continue;
        any = true;
        const double alone = std::max(*group.aloneUs, 1e-3);
        disturbed = disturbed || group.disturbed;
        table.row({group.name, marked(time(group.aloneUs, group.aloneIqrUs), group.disturbed),
                   expected(group.estUs), time(group.splitUs, group.splitIqrUs),
                   expected(group.splitEstUs),
                   group.splitUs ? decimal(*group.splitUs / alone, 2) : "",
                   time(group.forcedUs, group.forcedIqrUs), expected(group.forcedEstUs),
                   !group.agree   ? ""
                   : *group.agree ? "agree"
                                  : "DIFFER"});
    }
    return any ? "\n" + table.text() + starLine(disturbed) : "";
}

const CandidateRecord* chosenOf(const GroupRecord& group) {
    const auto found = std::find_if(group.candidates.begin(), group.candidates.end(),
                                    [](const auto& one) { return one.verdict == "chosen"; });
    return found == group.candidates.end() ? nullptr : &*found;
}

// Of an anchor what chose the implementation, of another operator the decision that took it along.
std::string whyThere(const FuseDocument& document, const GroupRecord& group, NodeId node) {
    const auto told = [](const auto* from) {
        return from ? fmt::format("{} {}", from->code, oneLine(from->sentence, 120))
                    : std::string();
    };
    if (node == group.anchorId || group.nodeIds.size() == 1)
        return told(chosenOf(group));
    const auto inside = [&](NodeId other) {
        return std::find(group.nodeIds.begin(), group.nodeIds.end(), other) != group.nodeIds.end();
    };
    const DecisionRecord* found = nullptr; // with what it reads, else with its reader
    for (const DecisionRecord& one : document.decisions)
        if (one.verdict == "yes" && inside(one.fromId) && inside(one.toId) &&
            (one.toId == node || (one.fromId == node && !found)))
            found = &one;
    return told(found);
}

} // namespace

std::string renderOperators(const FuseDocument& document) {
    Table table({"operator", "group", "implementation", "chosen by", "where", "why"});
    for (const GroupRecord& group : document.groups) {
        const CandidateRecord* chosen = chosenOf(group);
        for (std::size_t i = 0; i < group.nodes.size(); ++i)
            table.row({oneLine(group.nodes[i], 40), group.name, group.implementation,
                       chosenBy(group), chosen ? chosen->place.str() : "",
                       whyThere(document, group, group.nodeIds[i])});
    }
    return table.text();
}

std::string render(const FuseDocument& document) {
    std::string out = fmt::format("{}\ntarget {}\n", document.model, document.target);
    Table table({"group", "operators", "implementation", "chosen by", "est. us"},
                {false, true, false, false, true});
    for (const GroupRecord& group : document.groups) {
        table.row({group.name, fmt::format("{}", group.nodes.size()), group.implementation,
                   chosenBy(group), group.estUs ? decimal(*group.estUs, 1) : ""});
        for (const ReorderRecord& reorder : group.reorders)
            table.row({"  " + reorder.name, "",
                       fmt::format("{}: {}{}", oneLine(reorder.value, 40), reorder.layout,
                                   reorder.bytes ? ", " + bytesText(*reorder.bytes) : ""),
                       "", reorder.estUs ? decimal(*reorder.estUs, 1) : ""});
    }
    out += table.text() + measuredText(document);
    for (const GroupRecord& group : document.groups)
        for (const std::string& warning : group.warnings)
            out += fmt::format("warning: {}: {}\n", group.name, warning);
    Table edges({"from", "to", "fused", "code", "reason"});
    for (const DecisionRecord& decision : document.decisions)
        edges.row({oneLine(decision.from, 40), oneLine(decision.to, 40), decision.verdict,
                   decision.code, oneLine(decision.sentence, 120)});
    out += "\n" + edges.text();
    if (!document.assumptions.empty()) {
        Table assumed({"asked by", "code", "checked before a run"});
        for (const DecisionRecord& row : document.assumptions)
            assumed.row({oneLine(row.from, 40), row.code, oneLine(row.sentence, 160)});
        out += "\n" + assumed.text();
    }
    if (!document.notices.empty())
        out += "\n" + list(document.notices, "\n") + "\n";
    return out;
}

std::string render(const ExplainDocument& document) {
    std::string out = document.sentence + "\n";
    for (const GateRecord& gate : document.gates)
        out +=
            fmt::format("  {} {}{}{}\n",
                        gate.candidate == "ready" ? "○"
                        : gate.pass               ? "✓"
                                                  : "✗",
                        gate.name, gate.evidence.empty() ? "" : ": ", oneLine(gate.evidence, 160));
    if (!document.way.empty()) {
        std::vector<std::string> names;
        for (const WayRecord& node : document.way)
            names.push_back(oneLine(node.name, 60));
        out += fmt::format("  the way: {}\n", list(names, " -> "));
    }
    if (!document.decisions.empty() && document.gates.size() != 1) {
        out += "decisions\n";
        for (const DecisionRecord& decision : document.decisions)
            out += fmt::format(
                "  {}{}: {}{}\n", oneLine(decision.from, 60),
                decision.to.empty() ? "" : " -> " + oneLine(decision.to, 60),
                decision.code.empty() ? "" : decision.verdict.str() + " (" + decision.code + ") ",
                oneLine(decision.sentence, 160));
    }
    if (!document.counterfactuals.empty()) {
        out += "otherwise\n";
        for (const CounterfactualRecord& other : document.counterfactuals)
            out += fmt::format("  {}: {}, {}\n", other.change, other.verdict,
                               oneLine(list(other.groups), 160));
    }
    return out;
}

std::string render(const StagesDocument& document) {
    return document.text;
}

std::string render(const ExportDocument& document) {
    std::string out =
        fmt::format("wrote {} files to {}\n", document.files.size(), document.directory);
    for (const std::string& file : document.files)
        out += "  " + file + "\n";
    out += fmt::format("target {}, needs {}\n", document.target,
                       document.libraries.empty() ? "the C library"
                                                  : "the C library, " + list(document.libraries));
    for (const std::string& notice : document.notices)
        out += "note: " + notice + "\n";
    return out;
}

std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (out.empty() || out.back() == '\n')
            out += "    ";
        out += c;
    }
    return out;
}

std::string render(const BisectDocument& document) {
    const auto number = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.3g}", *value) : std::string("not finite");
    };
    std::string out = fmt::format("{} applications, {} states computed{}\n", document.applications,
                                  document.states, document.randomInputs ? ", random inputs" : "");
    if (!document.errors.empty()) {
        Table table({"application", "rule", "at", "error before", "behind", ""},
                    {true, false, false, true, true});
        std::optional<double> before = 0;
        for (const ApplicationError& one : document.errors) {
            table.row({fmt::format("{}", one.number), one.rule, one.at, number(before),
                       number(one.maxAbs), one.within ? "" : "out of tolerance"});
            before = one.maxAbs;
        }
        out += table.text();
    }
    for (const std::string& notice : document.notices)
        out += notice + "\n";
    if (!document.first)
        return out + fmt::format("the outputs stay within rtol {:g}, atol {:g}: largest error {}\n",
                                 document.rtol, document.atol, number(document.maxAbs));
    const ApplicationRecord& first = *document.first;
    out +=
        fmt::format("{}:{}: application {} of {} takes the outputs out of rtol {:g}, atol {:g}\n",
                    first.file, first.line, first.number, first.rule, document.rtol, document.atol);
    out += fmt::format("  largest error {} before, {} behind; {}\n", number(document.maxAbsBefore),
                       number(document.maxAbsAfter), document.worst);
    if (!document.before.empty())
        out += "before\n" + indented(document.before);
    if (!document.after.empty())
        out += "behind\n" + indented(document.after);
    if (!document.alone.empty())
        out += "alone, on random values: " + document.alone + "\n";
    if (!document.file.empty())
        out += "written: " + document.file + "\n";
    return out;
}

std::string render(const RewriteDocument& document) {
    if (!document.text.empty())
        return document.text;
    std::string out;
    Table table({"rule", "applied", "ms"}, {false, true, true});
    for (const AppliedRecord& rule : document.applied)
        table.row({rule.rule, fmt::format("{}", rule.count), decimal(rule.ms, 1)});
    out += table.text();
    out += fmt::format("{} operators became {}, stopped at: {}\n", document.nodesBefore,
                       document.nodesAfter, document.stopReason);
    if (!document.file.empty())
        out += "wrote " + document.file +
               (document.opset ? fmt::format(" (opset {})", *document.opset) : "") + "\n";
    for (const std::string& notice : document.notices)
        out += notice + "\n";
    return out + diagLines(document.diagnostics);
}

std::string render(const DoctorDocument& document) {
    std::string out =
        fmt::format("fusewright {}\n{}: {} cores, vectors of {} bits\ntarget {}\nfeatures {}\n",
                    document.version, document.cpu.name, document.cpu.cores,
                    document.cpu.vectorBits, document.cpu.target, list(document.cpu.features, " "));
    for (const LibraryRecord& library : document.libraries)
        out += fmt::format("{} {} {}: {}\n", library.name, library.version, library.core,
                           library.status.text());
    for (const LevelsRecord& levels : document.levels)
        out += fmt::format("levels of {}: {}{}\n", levels.of, list(levels.plays, ", "),
                           levels.lacks.empty() ? std::string()
                                                : "; not here: " + list(levels.lacks, ", "));
    out +=
        document.problems.empty() ? "nothing is missing\n" : list(document.problems, "\n") + "\n";
    if (std::none_of(document.ceilings.begin(), document.ceilings.end(),
                     [](const CeilingRecord& one) { return one.value.has_value(); }))
        return out;
    out += fmt::format("what it does at best ({}):\n", document.ceilingsFrom);
    for (const CeilingRecord& one : document.ceilings)
        out += one.value ? fmt::format("{:10.4g} {:8} {}\n", *one.value, one.unit, one.sentence)
                         : fmt::format("{:>10} {:8} {}\n", "-", one.unit, one.sentence);
    return out;
}

std::string render(const DrawDocument& document) {
    std::string out = fmt::format("wrote {}: {} boxes, stage {}\n", document.file, document.nodes,
                                  document.stage);
    for (const std::string& notice : document.notices)
        out += "note: " + notice + "\n";
    return out;
}

} // namespace fw::cli
