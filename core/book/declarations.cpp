#include "book/declarations.h"

#include "fusion/policy.h"
#include "ir/graph_text.h"
#include "rewrite/apply.h"
#include "rewrite/builtin.h"
#include "strategy/user_libraries.h"
#include "syntax/test.h"
#include "tensor/op_check.h"

namespace fw {

using Known = BookNamesKnown;
using Declaration = DeclarationTree;

#define FW_DECLARATION(keyword, Name, ...)                                                         \
    Diags check##Name##Declaration(const Declaration&, const Known&, const std::string& file);
#include "base/declarations.def"

Diags checkDeclaration(const Declaration& declaration, const Known& known,
                       const std::string& file) {
    static constexpr decltype(&checkDeclaration) checks[] = {
#define FW_DECLARATION(keyword, Name, ...) check##Name##Declaration,
#include "base/declarations.def"
    };
    return checks[static_cast<std::size_t>(kindOf(declaration.keyword).declares)](declaration,
                                                                                  known, file);
}

namespace {

// The grammar makes this tree for the keyword of the row.
template <class T>
const T& as(const Declaration& declaration) {
    return dynamic_cast<const T&>(declaration);
}

} // namespace

Diags checkOpDeclaration(const Declaration& declaration, const Known&, const std::string& file) {
    return checkOperator(as<OpTree>(declaration), file);
}

Diags checkPatternDeclaration(const Declaration& declaration, const Known& known,
                              const std::string& file) {
    return checkPattern(as<PatternDeclTree>(declaration), known.operators, known.patterns, file,
                        &known.targetKeys);
}

Diags checkRuleDeclaration(const Declaration& declaration, const Known& known,
                           const std::string& file) {
    return checkRule(as<RuleTree>(declaration), known.operators, known.patterns, file,
                     &known.targetKeys);
}

Diags checkBuiltinDeclaration(const Declaration& declaration, const Known&,
                              const std::string& file) {
    return checkBuiltin(as<BuiltinTree>(declaration), file);
}

Diags checkFuseDeclaration(const Declaration& declaration, const Known& known,
                           const std::string& file) {
    return checkFuse(as<FuseTree>(declaration), known.operators, known.patterns, known.targetKeys,
                     known.libraries, file);
}

Diags checkGrowDeclaration(const Declaration& declaration, const Known& known,
                           const std::string& file) {
    return checkGrow(as<GrowTree>(declaration), known.targetKeys, file);
}

Diags checkImplementationsDeclaration(const Declaration& declaration, const Known& known,
                                      const std::string& file) {
    const auto& block = as<ImplementationsTree>(declaration);
    Diags out =
        checkBlock(block, known.operators, known.patterns, known.schedules, known.targetKeys, file);
    if (known.origin == BookOrigin::User && !hasErrors(out))
        for (Diag& diag : tryComputations(block, known.operatorSet, file))
            out.push_back(std::move(diag));
    return out;
}

Diags checkScheduleDeclaration(const Declaration& declaration, const Known& known,
                               const std::string& file) {
    return checkSchedule(as<ScheduleTree>(declaration), known.operators, known.targetKeys, file);
}

Diags checkTargetDeclaration(const Declaration& declaration, const Known& known,
                             const std::string& file) {
    return checkTarget(as<TargetTree>(declaration), known.targets, known.operators, known.patterns,
                       file);
}

Diags checkGraphDeclaration(const Declaration& declaration, const Known& known,
                            const std::string& file) {
    return checkGraph(as<GraphTree>(declaration), known.operatorSet, file);
}

Diags checkLibraryDeclaration(const Declaration& declaration, const Known&,
                              const std::string& file) {
    return checkLibrary(as<LibraryTree>(declaration), file);
}

Diags checkChainDeclaration(const Declaration& declaration, const Known& known,
                            const std::string& file) {
    return checkPatternDeclaration(declaration, known, file);
}

Diags checkCompositeDeclaration(const Declaration& declaration, const Known& known,
                                const std::string& file) {
    return checkFuseDeclaration(declaration, known, file);
}

// A test is run; nothing can be wrong with the others alone.
Diags checkTestDeclaration(const Declaration&, const Known&, const std::string&) {
    return {};
}

Diags checkPinDeclaration(const Declaration&, const Known&, const std::string&) {
    return {};
}

Diags checkIncludeDeclaration(const Declaration&, const Known&, const std::string&) {
    return {};
}

} // namespace fw
