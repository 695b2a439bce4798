#include "render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw::cli {

using namespace snapshot;

namespace {

// "conv2d Conv_1(x, w) -> y: f32[1, 8]", as it is behind the application.
std::string lineOf(const NodeRecord& node, const std::vector<std::int64_t>& before) {
    std::string inputs, outputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (std::find(before.begin(), before.end(), static_cast<std::int64_t>(i)) == before.end())
            inputs += (inputs.empty() ? "" : ", ") + node.inputs[i].name;
    for (const TensorRecord& output : node.outputs)
        outputs += fmt::format("{}{}: {}", outputs.empty() ? "" : ", ", output.name, output.type);
    return fmt::format("{} {}({}) -> {}", node.op, node.name, inputs, outputs);
}

std::string lineOf(const StepChoice& choice) {
    std::string matched;
    for (const RewrittenNode& node : choice.matched)
        matched += fmt::format("{}{} {}", matched.empty() ? "" : ", ", node.op, node.name);
    std::string out = fmt::format("{} at {}", choice.rule, choice.at);
    if (!choice.file.empty())
        out += fmt::format(" ({}:{})", choice.file, choice.line);
    out += fmt::format(": {}; both have {}", matched, fmt::join(choice.shared, ", "));
    return choice.unfit.empty() ? out : out + "; " + choice.unfit;
}

std::string lineOf(const StepInstead& instead) {
    if (instead.number == 0)
        return instead.refused + "\n";
    std::string out = "do it instead:";
    for (const std::string& one : instead.leaveOut)
        out += fmt::format(" --leave-out \"{}\"", one);
    for (const std::string& one : instead.again)
        out += fmt::format(", without --leave-out \"{}\"", one);
    return out + fmt::format("; then it is application {}\n", instead.number);
}

} // namespace

std::string render(const StepDocument& document) {
    if (!document.application)
        return "no rule was applied\n";
    const ApplicationRecord& one = *document.application;
    std::string out =
        document.choice
            ? fmt::format("in place of application {} of {}, choice {}: {} at {}", one.number,
                          document.total, *document.choice, one.rule, one.at)
            : fmt::format("application {} of {}: {} at {}", one.number, document.total, one.rule,
                          one.at);
    if (!one.file.empty())
        out += fmt::format(" ({}:{})", one.file, one.line);
    if (!one.body.empty())
        out += " in " + one.body;
    out += document.stopped.empty()    ? "\n"
           : document.stopped == "end" ? ", the last one: none is to be stopped at\n"
                                       : fmt::format(", since {}\n", document.stopped);
    const auto list = [&](const std::string& title, const auto& chosen, char sign) {
        bool any = false;
        for (std::size_t i = 0; i < document.nodes.size(); ++i) {
            const NodeRecord& node = document.graph.nodes[i];
            if (!chosen(document.nodes[i]))
                continue;
            out += any ? "" : title + "\n";
            any = true;
            out += fmt::format("  {} {}\n", sign, lineOf(node, document.nodes[i].before));
        }
    };
    list(
        "match", [](const SteppedNode& node) { return node.matched; }, ' ');
    list(
        "erased", [](const SteppedNode& node) { return node.mark == "erased"; }, '-');
    list(
        "created", [](const SteppedNode& node) { return node.mark == "created"; }, '+');
    list(
        "changed", [](const SteppedNode& node) { return node.mark == "changed"; }, '~');
    if (!one.bindings.empty()) {
        out += "names\n";
        for (const BoundNameRecord& bound : one.bindings)
            out += fmt::format("  {} = {}\n", bound.name, fmt::join(bound.values, ", "));
    }
    if (!one.results.empty()) {
        out += "result\n";
        for (const RewrittenResult& result : one.results)
            out += fmt::format("  {}: {} -> {}: {}\n", result.name, result.before, result.became,
                               result.after);
    }
    out += fmt::format("work: flops {:g} -> {:g}, bytes {:g} -> {:g}\n", one.flopsBefore,
                       one.flopsAfter, one.bytesBefore, one.bytesAfter);
    if (document.instead)
        return out + lineOf(*document.instead);
    out += fmt::format("leave it out: --leave-out \"{} at {}\"\n", one.rule, one.at);
    if (!document.choices.empty())
        out += "what competes for its operators; --choice K shows it, and how to have it\n";
    for (std::size_t i = 0; i < document.choices.size(); ++i)
        out += fmt::format("  {} {}\n", i + 1, lineOf(document.choices[i]));
    if (!document.choicesStopped.empty())
        out += fmt::format("  there may be more: {}\n", document.choicesStopped);
    return out;
}

} // namespace fw::cli
