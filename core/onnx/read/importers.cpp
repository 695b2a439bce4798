#include "onnx/read/importers.h"

#include "onnx/schema/standard_operators.h"

#include <algorithm>
#include <map>

namespace fw {

ImportFunction findImporter(std::string_view domain, std::string_view type, std::int64_t opset) {
    using Versions = std::vector<std::pair<std::int64_t, ImportFunction>>;
    static const auto table = [] {
        std::map<std::pair<std::string_view, std::string_view>, Versions> rows;
        for (const auto& family :
             {elementwiseImporters(), contractionImporters(), windowImporters(),
              movementImporters(), shapeImporters(), normalizationImporters(), resampleImporters(),
              einsumImporters(), attentionImporters(), contribAttentionImporters(),
              runningImporters(), sequenceImporters()})
            for (const ImporterRow& row : family)
                rows[{row.domain, row.type}].emplace_back(row.since, row.import);
        for (auto& [name, versions] : rows)
            std::sort(versions.begin(), versions.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
        return rows;
    }();
    const auto found = table.find({isStandardDomain(domain) ? "" : domain, type});
    if (found == table.end())
        return nullptr;
    ImportFunction best = nullptr;
    for (const auto& [since, function] : found->second)
        if (since <= opset)
            best = function;
    return best;
}

} // namespace fw
