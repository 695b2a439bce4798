#include "rewrite/left_out.h"

namespace fw {

namespace {

constexpr std::string_view at = " at ";

} // namespace

std::string leftOutText(const std::string& rule, const std::string& node) {
    return rule + std::string(at) + node;
}

Result<LeftOut> parseLeftOut(const std::vector<std::string>& texts) {
    LeftOut out;
    for (const std::string& text : texts) {
        const std::size_t place = text.find(at); // no rule has a blank in its name
        if (place == std::string::npos || place == 0 || place + at.size() == text.size())
            return makeDiag(DiagCode::Usage, "'" + text + "' names no application of a rule", {},
                            "\"RULE at OPERATOR\", as fw step and fw rewrite --trace say it");
        out.emplace(text.substr(0, place), text.substr(place + at.size()));
    }
    return out;
}

Decisions unmet(const LeftOut& leftOut, const Decisions& decided) {
    std::set<std::string> met;
    for (const Decision& decision : decided)
        if (decision.code == ReasonCode::RuleLeftOut)
            met.insert(decision.subject);
    Decisions out;
    for (const auto& [rule, node] : leftOut)
        if (const std::string text = leftOutText(rule, node); !met.contains(text))
            out.push_back({text, Verdict::Note, ReasonCode::LeftOutUnmet, {}});
    return out;
}

} // namespace fw
