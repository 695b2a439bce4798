// Trees of the blocks that say how operators are computed, written as in resources/docs/grammar.md.
//
// The NAME of an entry may end in `.*`: it changes entries that other blocks made. A guard is an
// expression (tree.h) with `libs has NAME` and `target has KEY` beside comparisons.
#pragma once

#include "syntax/op.h"
#include "syntax/rule.h"

namespace fw {

enum class AbsorbClause : std::uint8_t { Unwritten, None, Any, Chain };

struct EntryTree {
    std::string name; // "openblas.sgemm", "generated.*"
    Span chainSpan;
    std::string code; // behind `by`: the implementation that computes it; empty: that of its name
    std::optional<Tree>
        compute; // a call of other operators that computes it in the operator's place
    Span codeSpan;
    std::optional<std::int64_t> priority;
    std::optional<ConditionTree> guard;
    AbsorbClause absorbs = AbsorbClause::Unwritten;
    std::string chain; // of AbsorbClause::Chain
    Span span;
};

enum class SubjectKind : std::uint8_t { Operator, Kind };

struct ImplementationsTree : DeclarationTree { // name: of the operator, or "kind contraction"
    SubjectKind subjectKind = SubjectKind::Operator;
    std::string subject; // "dense", "contraction", "any"
    Span subjectSpan;
    bool ownSignature = false;     // false: `(...)`, the names of the operator's own signature
    std::vector<ParamTree> params; // of an own signature
    std::vector<NamedTree> let;
    std::vector<EntryTree> entries;
};

// The operands and results of a signature as an operator prints it: "relu(x: T[S...]) -> y:
// T[S...]". Native operators may print one that is for people only: nullopt.
struct SignatureTree {
    std::vector<ParamTree> params;
    std::vector<OutTree> outs;
};
std::optional<SignatureTree> parseSignature(const std::string& text);

} // namespace fw
