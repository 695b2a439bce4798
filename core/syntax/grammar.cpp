// Every declaration of the language, by its keyword.
#include "syntax/op.h"

namespace fw {

const Grammar& fwGrammar() {
    static const Grammar grammar = {
        {"op", parseOpDeclaration},
    };
    return grammar;
}

} // namespace fw
