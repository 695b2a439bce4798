// Text of what books find in a model.
#include "render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw::cli {

using namespace snapshot;

namespace {

constexpr std::size_t longestClause = 60;
constexpr std::size_t mostMisses = 10; // of one rule; all of them are in --json

std::string counted(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string shortened(const std::string& clause) {
    return clause.size() <= longestClause ? clause : clause.substr(0, longestClause - 3) + "...";
}

// Where candidates are lost, if there were any.
std::string funnelText(const RuleMatches& rule) {
    Table funnel({"step", "nodes"}, {false, true});
    std::int64_t candidates = 0;
    for (const FunnelStep& step : rule.funnel) {
        candidates = std::max(candidates, step.count);
        funnel.row({shortened(step.clause) + (step.alternative ? " |"
                                              : step.optional  ? " ?"
                                                               : ""),
                    fmt::format("{}", step.count)});
    }
    return candidates > 0 ? funnel.text() : std::string();
}

std::string matchesText(const RuleMatches& rule) {
    std::string out = fmt::format("\n{} {}: {}", rule.kind, rule.name,
                                  counted(rule.matches.size(), "match", "matches"));
    if (!rule.nearMisses.empty())
        out += ", " +
               counted(static_cast<std::size_t>(rule.nearMissCount), "near miss", "near misses");
    out += "\n";
    if (rule.behindRules && *rule.behindRules != static_cast<std::int64_t>(rule.matches.size()))
        out += fmt::format(
            "behind {}: {}\n",
            rule.madeBy.empty() ? "the rules" : fmt::format("{}", fmt::join(rule.madeBy, ", ")),
            counted(static_cast<std::size_t>(*rule.behindRules), "match", "matches"));
    if (rule.beforeRules)
        out += fmt::format(
            "before {}: {}\n",
            rule.takenBy.empty() ? "the rules" : fmt::format("{}", fmt::join(rule.takenBy, ", ")),
            counted(static_cast<std::size_t>(*rule.beforeRules), "match", "matches"));
    out += funnelText(rule);
    if (!rule.stopped.empty())
        out += "not all: " + rule.stopped + "\n";
    for (const MatchRecord& match : rule.matches) {
        std::string nodes;
        for (const std::string& node : match.nodes)
            nodes += (nodes.empty() ? "" : ", ") + node;
        out += fmt::format("  {}: {}\n", match.root, nodes);
        if (!match.outcome.empty())
            out += fmt::format("    {}\n", match.outcome);
        for (const auto& [name, value] : match.bindings)
            out += fmt::format("    {} = {}\n", name, value);
    }
    Table nearest({"near miss", "matched", "clause", "expected", "found"},
                  {false, true, false, false, false});
    for (std::size_t i = 0; i < rule.nearMisses.size() && i < mostMisses; ++i) {
        const NearMissRecord& miss = rule.nearMisses[i];
        nearest.row({miss.root, fmt::format("{} of {}", miss.matched, miss.total), miss.clause,
                     miss.expected, miss.found});
    }
    if (!rule.nearMisses.empty())
        out += nearest.text();
    const auto misses = static_cast<std::size_t>(rule.nearMissCount);
    if (misses > mostMisses)
        out += fmt::format("... and {} more\n", misses - mostMisses);
    for (const Diag& diag : rule.diagnostics)
        out += diag.text() + "\n";
    return out;
}

} // namespace

std::string render(const MatchDocument& document) {
    std::string out = fmt::format("{}, as {}\n", document.model, document.stage.text());
    for (const Diag& diag : document.diagnostics)
        out += diag.text() + "\n";
    for (const RuleMatches& rule : document.rules)
        out += matchesText(rule);
    return out;
}

std::string render(const ProbeDocument& document) {
    std::string out = fmt::format("{} {} at {} ({}), as {}\n", document.kind, document.rule,
                                  document.node, document.op, document.stage.text());
    Table table({"asked", "", "expected", "found"}, {});
    for (const ProbeRow& row : document.rows)
        table.row({(row.kind == "clause" ? "  " : "") + shortened(row.clause), row.verdict,
                   row.expected, row.found});
    if (!document.rows.empty())
        out += table.text();
    for (const Diag& diag : document.diagnostics)
        out += diag.text() + "\n";
    return out;
}

std::string render(const UsesDocument& document) {
    std::string out = fmt::format(
        "{} {}: {}\n", document.kind, document.name,
        document.uses.empty() ? "nobody uses it" : counted(document.uses.size(), "use", "uses"));
    Table table({"used by", "how", "where"}, {});
    for (const UseRecord& use : document.uses)
        table.row({use.kind + " " + use.name, use.how,
                   fmt::format("{}:{}:{}", use.file, use.line, use.column)});
    if (!document.uses.empty())
        out += table.text();
    if (document.more > 0)
        out += fmt::format("... and {} more\n", document.more);
    if (!document.said.empty())
        out += fmt::format("what came of it: {}\n", document.said);
    Table came({"", "where", "why", "line", "us", "measured us"},
               {false, false, false, true, true, true});
    const auto time = [](const std::optional<double>& us) {
        return us ? fmt::format("{:.3g}", *us) : std::string();
    };
    for (const CameRecord& row : document.came)
        came.row({row.how.str(), row.what, row.why,
                  row.line > 0 ? fmt::format("{}", row.line) : std::string(), time(row.estUs),
                  time(row.measuredUs)});
    if (!document.came.empty())
        out += came.text();
    if (document.moreCame > 0)
        out += fmt::format("... and {} more\n", document.moreCame);
    if (!document.planned)
        out += "there is no plan: groups are missing\n";
    return out;
}

std::string render(const LintDocument& document) {
    std::string out;
    for (const HazardRecord& row : document.hazards) {
        const std::size_t others = static_cast<std::size_t>(row.count) -
                                   std::min<std::size_t>(row.names.size(), row.count);
        out += fmt::format(
            "{} {}\n      at {}{}\n      {}\n", row.code, row.what, fmt::join(row.names, ", "),
            others > 0 ? fmt::format(" and {} more", others) : std::string(), row.todo);
    }
    if (document.hazards.empty())
        out += "nothing stands in the way\n";
    if (!document.planned)
        out += "there is no plan: what groups tell is missing\n";
    return out;
}

std::string render(const SketchDocument& document) {
    std::string out = document.text;
    if (document.edit) { // which may be appended to a book as it is
        for (const std::string& notice : document.notices)
            out += "# " + notice + "\n";
        return out;
    }
    out += "\n";
    if (!document.facts.empty()) {
        Table table({"fact", "value", "asked", "may be"}, {});
        for (const SketchFactRecord& fact : document.facts) {
            std::string levels;
            for (const FactLevel level : fact.levels)
                levels += (levels.empty() ? "" : ", ") + level.str();
            table.row({fact.key, fact.value, fact.level, levels});
        }
        out += "\n" + table.text();
    }
    if (document.matches)
        out += fmt::format("\nit matches at {} {}\n", *document.matches,
                           *document.matches == 1 ? "place" : "places");
    for (const SketchAdvice& advice : document.advice) {
        std::string levels;
        for (const auto& [key, level] : advice.levels)
            levels += fmt::format(" --set {}={}", key, level);
        out += fmt::format("at {} with{}\n", advice.matches, levels);
    }
    for (const std::string& notice : document.notices)
        out += notice + "\n";
    for (const Diag& diag : document.diagnostics)
        out += diag.text() + "\n";
    return out;
}

} // namespace fw::cli
