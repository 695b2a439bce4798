#include "session/explain_unplanned.h"

#include "session/explain.h"
#include "session/explain_ends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostNamed = 8;

std::string namesOf(std::vector<std::string> names) {
    const std::size_t all = names.size();
    names.resize(std::min(all, mostNamed));
    return all > mostNamed ? fmt::format("{} and {} more", fmt::join(names, ", "), all - mostNamed)
                           : fmt::format("{}", fmt::join(names, ", "));
}

// The application that took it out, if one did.
Decision whyErased(const RewriteTrace& trace, const Node& node) {
    for (std::size_t i = 0; i < trace.applications.size(); ++i) {
        const Application& one = trace.applications[i];
        const auto erases = [&](const GraphStep::Edit& edit) {
            return edit.before && !edit.after && edit.before->id == node.id;
        };
        if (one.body != nullptr ||
            std::none_of(one.step.edits.begin(), one.step.edits.end(), erases))
            continue;
        const AppliedRule& by = trace.applied.at(one.entry);
        return {node.name, Verdict::Note, ReasonCode::RuleApplied,
                fmt::format("number {}, {}{}", i + 1, by.rule,
                            by.file.empty() ? std::string()
                                            : fmt::format(" ({}:{})", by.file, by.line))};
    }
    return {node.name, Verdict::Note, ReasonCode::ResultUnread, node.name};
}

ExplainDocument explainErased(const Simplified& simplified, const Node& node) {
    ExplainDocument out;
    out.subject = node.name;
    out.verdict = "note";
    std::vector<std::string> now;
    for (const NodePtr& one : simplified.graph->nodes())
        if (!one->isLeaf() &&
            std::find(one->origins.begin(), one->origins.end(), node.id) != one->origins.end()) {
            out.nodes.push_back(one->id);
            now.push_back(one->name);
        }
    const Decision why = whyErased(simplified.trace, node);
    out.code = codeText(why.code);
    out.sentence =
        fmt::format("{} is not in what is planned: {}{}", node.name, why.sentence(),
                    now.empty() ? std::string() : "; in its place: " + namesOf(std::move(now)));
    DecisionRecord row;
    row.from = node.name;
    row.verdict = "note";
    row.code = out.code;
    row.sentence = why.sentence();
    out.decisions.push_back(std::move(row));
    return out;
}

} // namespace

std::optional<ExplainDocument> explainUnplanned(const Imported& imported,
                                                const Simplified& simplified,
                                                const FusionPlan& plan, const std::string& name) {
    if (nodeNamed(*simplified.graph, name) != nullptr)
        return std::nullopt;
    const Node* node = nodeNamed(*imported.inlined, name);
    if (node == nullptr)
        return std::nullopt;
    return node->isLeaf() ? explainEnds(*imported.inlined, plan, {name})
                          : explainErased(simplified, *node);
}

} // namespace fw
