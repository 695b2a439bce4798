#include "gathered.h"

#include <fmt/format.h>

#include <map>

namespace fw::cli {

namespace {

constexpr std::size_t placesShown = 3;

std::string keyOf(const Diag& diag) {
    // "MatMul reads a value of unknown type: WHY"
    const std::size_t why = diag.code == DiagCode::TypeUnknown ? diag.message.find(": ") : 0;
    return fmt::format("{} {} {} {}", static_cast<int>(diag.severity), static_cast<int>(diag.code),
                       diag.where.file, diag.message.substr(why == std::string::npos ? 0 : why));
}

} // namespace

std::vector<std::string> gathered(const Diags& diags) {
    std::map<std::string, std::size_t> groups;
    std::vector<std::vector<const Diag*>> all;
    for (const Diag& diag : diags) {
        std::size_t place = all.size();
        if (!diag.where.node.empty())
            place = groups.emplace(keyOf(diag), place).first->second;
        if (place == all.size())
            all.emplace_back();
        all[place].push_back(&diag);
    }
    std::vector<std::string> out;
    for (const auto& group : all) {
        Diag first = *group.front();
        const std::size_t others = group.size() - 1;
        if (others > 0) {
            std::string names;
            for (std::size_t i = 1; i <= std::min(others, placesShown); ++i)
                names += (names.empty() ? "" : ", ") + group[i]->where.node;
            first.message +=
                fmt::format("; so it is with {} other node{}: {}{}", others, others > 1 ? "s" : "",
                            names, others > placesShown ? ", ..." : "");
        }
        out.push_back(first.text());
    }
    return out;
}

} // namespace fw::cli
