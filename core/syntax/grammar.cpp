// Every declaration of the language, by its keyword.
#include "syntax/fusion.h"
#include "syntax/graph.h"
#include "syntax/include.h"
#include "syntax/library.h"
#include "syntax/op.h"
#include "syntax/rule.h"
#include "syntax/schedule.h"
#include "syntax/target.h"
#include "syntax/test.h"

namespace fw {

const Grammar& fwGrammar() {
    static const Grammar grammar = {
        {"op", parseOpDeclaration},
        {"rule", parseRuleDeclaration},
        {"pattern", parsePatternDeclaration},
        {"chain", parseChainDeclaration},
        {"builtin", parseBuiltinDeclaration},
        {"graph", parseGraphDeclaration},
        {"test", parseTestDeclaration},
        {"target", parseTargetDeclaration},
        {"library", parseLibraryDeclaration},
        {"implementations", parseImplementationsDeclaration},
        {"schedule", parseScheduleDeclaration},
        {"composite", parseCompositeDeclaration},
        {"fuse", parseFuseDeclaration},
        {"grow", parseGrowDeclaration},
        {"pin", parsePinDeclaration},
        {"include", parseIncludeDeclaration},
    };
    return grammar;
}

} // namespace fw
