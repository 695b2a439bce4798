#include "book/declarations.h"

#include "fusion/policy.h"
#include "ir/graph_text.h"
#include "rewrite/apply.h"
#include "rewrite/builtin.h"
#include "strategy/user_libraries.h"
#include "syntax/test.h"
#include "tensor/op_check.h"

#include <algorithm>

namespace fw {

namespace {

using Known = BookNamesKnown;
using Declaration = DeclarationTree;

// The grammar makes this tree for the keyword of the row.
template <class T>
const T& as(const Declaration& declaration) {
    return dynamic_cast<const T&>(declaration);
}

Diags operatorCheck(const Declaration& declaration, const Known&, const std::string& file) {
    return checkOperator(as<OpTree>(declaration), file);
}

Diags patternCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkPattern(as<PatternDeclTree>(declaration), known.operators, known.patterns, file,
                        &known.targetKeys);
}

Diags ruleCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkRule(as<RuleTree>(declaration), known.operators, known.patterns, file,
                     &known.targetKeys);
}

Diags builtinCheck(const Declaration& declaration, const Known&, const std::string& file) {
    return checkBuiltin(as<BuiltinTree>(declaration), file);
}

Diags fuseCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkFuse(as<FuseTree>(declaration), known.operators, known.patterns, known.targetKeys,
                     known.libraries, file);
}

Diags growCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkGrow(as<GrowTree>(declaration), known.targetKeys, file);
}

Diags blockCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkBlock(as<ImplementationsTree>(declaration), known.operators, known.patterns,
                      known.schedules, known.targetKeys, file);
}

Diags scheduleCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkSchedule(as<ScheduleTree>(declaration), known.operators, known.targetKeys, file);
}

Diags targetCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkTarget(as<TargetTree>(declaration), known.targets, known.operators, known.patterns,
                       file);
}

Diags graphCheck(const Declaration& declaration, const Known& known, const std::string& file) {
    return checkGraph(as<GraphTree>(declaration), known.operatorSet, file);
}

Diags libraryCheck(const Declaration& declaration, const Known&, const std::string& file) {
    return checkLibrary(as<LibraryTree>(declaration), file);
}

} // namespace

const std::vector<DeclarationKind>& declarationKinds() {
    using enum SameName;
    static const std::vector<DeclarationKind> kinds = {
        {"op", "operator", Hides, true, false, operatorCheck},
        {"pattern", "pattern", Hides, true, true, patternCheck},
        {"chain", "chain", Hides, true, true, patternCheck},
        {"rule", "rule", Replaces, false, true, ruleCheck},
        {"builtin", "builtin", Adds, false, true, builtinCheck},
        {"test", "test", Adds, false, false, nullptr},
        {"target", "target", Replaces, true, false, targetCheck},
        {"library", "library", Replaces, true, false, libraryCheck},
        {"implementations", "implementations", Adds, false, false, blockCheck},
        {"schedule", "schedule", Replaces, true, false, scheduleCheck},
        {"grow", "grow", Adds, false, false, growCheck},
        {"fuse", "fuse", Replaces, false, true, fuseCheck},
        {"composite", "composite", Replaces, false, true, fuseCheck},
        {"pin", "pin", Adds, false, false, nullptr},
        {"graph", "graph", Adds, false, false, graphCheck},
        {"include", "include", Adds, false, false, nullptr},
    };
    return kinds;
}

const DeclarationKind& kindOf(std::string_view keyword) {
    const auto& all = declarationKinds();
    const auto found = std::find_if(all.begin(), all.end(), [&](const DeclarationKind& kind) {
        return kind.keyword == keyword;
    });
    if (found == all.end())
        throw InternalError("the grammar has a declaration that books do not know: " +
                            std::string(keyword));
    return *found;
}

} // namespace fw
