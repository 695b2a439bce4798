#include "pattern/kinds.h"

#include <algorithm>

namespace fw {

std::optional<FusionKind> parseKind(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
        if (kindText(static_cast<FusionKind>(i)) == text)
            return static_cast<FusionKind>(i);
    return std::nullopt;
}

const std::vector<std::string>& kindNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
            out.emplace_back(kindText(static_cast<FusionKind>(i)));
        return out;
    }();
    return names;
}

std::optional<FusionKind> patternKind(const Facts& facts) {
    const auto& operands = facts.inputKinds;
    if (facts.kind == FusionKind::Opaque)
        return facts.kind;
    if (operands.empty() ||
        std::find(operands.begin(), operands.end(), FusionKind::Opaque) != operands.end())
        return std::nullopt;
    const FusionKind hardest = *std::max_element(operands.begin(), operands.end());
    return facts.kind <= FusionKind::Injective ? std::max(facts.kind, hardest) : facts.kind;
}

bool countsAs(std::optional<FusionKind> found, FusionKind wanted) {
    return found && (wanted <= FusionKind::Injective ? *found <= wanted : *found == wanted);
}

} // namespace fw
