#include "syntax/library.h"

namespace fw {

std::shared_ptr<DeclarationTree> parseLibraryDeclaration(Parser& parser) {
    auto out = std::make_shared<LibraryTree>();
    out->nameSpan = parser.peek().span;
    out->name = parser.expectNewName("the name of a library");
    out->fileSpan = parser.peek().span;
    out->file = parser.expectText("the path of its file");
    out->doc = parser.acceptText();
    return out;
}

std::vector<std::shared_ptr<const LibraryTree>> librariesOf(std::string_view text) {
    std::vector<std::shared_ptr<const LibraryTree>> out;
    if (text.find("library") == std::string_view::npos)
        return out;
    for (const DeclarationPtr& declaration : parseFile(text, {}).declarations)
        if (auto library = declarationAs<LibraryTree>(declaration))
            out.push_back(std::move(library));
    return out;
}

} // namespace fw
