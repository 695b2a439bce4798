#include "syntax/library.h"

#include "syntax/declarations.h"

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
    if (text.find("library") == std::string_view::npos)
        return {};
    return each<LibraryTree>(parseFile(text, {}).declarations);
}

} // namespace fw
