#include "base/declaration_kind.h"

#include "base/result.h"

#include <algorithm>
#include <string>

namespace fw {

std::span<const DeclarationKind> declarationKinds() {
    static constexpr DeclarationKind kinds[] = {
#define FW_DECLARATION(keyword_, Name, sentence_, ...)                                             \
    {.declares = Declares::Name, .keyword = #keyword_, .sentence = sentence_, __VA_ARGS__},
#include "base/declarations.def"
    };
    return kinds;
}

const DeclarationKind* findKind(std::string_view keywordOrNoun) {
    const auto kinds = declarationKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const DeclarationKind& kind) {
        return kind.keyword == keywordOrNoun || kind.noun == keywordOrNoun;
    });
    return found == kinds.end() ? nullptr : &*found;
}

const DeclarationKind& kindOf(Declares declares) {
    return declarationKinds()[static_cast<std::size_t>(declares)];
}

const DeclarationKind& kindOf(std::string_view keywordOrNoun) {
    if (const DeclarationKind* kind = findKind(keywordOrNoun))
        return *kind;
    throw InternalError("there is no declaration called " + std::string(keywordOrNoun));
}

} // namespace fw
