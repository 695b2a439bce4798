#include "syntax/include.h"

namespace fw {

std::shared_ptr<DeclarationTree> parseIncludeDeclaration(Parser& parser) {
    auto out = std::make_shared<IncludeTree>();
    out->pathSpan = parser.peek().span;
    out->name = parser.expectText("the path of a book");
    return out;
}

std::vector<std::shared_ptr<const IncludeTree>> includesOf(std::string_view text) {
    std::vector<std::shared_ptr<const IncludeTree>> out;
    if (text.find("include") == std::string_view::npos)
        return out;
    for (const DeclarationPtr& declaration : parseFile(text, {}).declarations)
        if (auto include = declarationAs<IncludeTree>(declaration))
            out.push_back(std::move(include));
    return out;
}

} // namespace fw
