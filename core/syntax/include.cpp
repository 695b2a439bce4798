#include "syntax/include.h"

#include "syntax/declarations.h"

namespace fw {

std::shared_ptr<DeclarationTree> parseIncludeDeclaration(Parser& parser) {
    auto out = std::make_shared<IncludeTree>();
    out->pathSpan = parser.peek().span;
    out->name = parser.expectText("the path of a book");
    return out;
}

std::vector<std::shared_ptr<const IncludeTree>> includesOf(std::string_view text) {
    if (text.find("include") == std::string_view::npos)
        return {};
    return each<IncludeTree>(parseFile(text, {}).declarations);
}

} // namespace fw
