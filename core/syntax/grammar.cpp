#include "syntax/parser.h"

namespace fw {

const Grammar& fwGrammar() {
    static const Grammar grammar = {
#define FW_DECLARATION(keyword, Name, ...) {#keyword, parse##Name##Declaration},
#include "base/declarations.def"
    };
    return grammar;
}

} // namespace fw
