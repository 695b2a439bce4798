// What came of a declaration in a model, place by place: a rule that was applied, undone or came
// too late, a group that a fusion rule made, an edge that a growth rule opened or closed, what a
// schedule, an entry, an operator or a library computes, whether a test passes.
#pragma once

#include "book/book.h"
#include "fusion/plan.h"
#include "onnx/read/import.h"
#include "snapshot/authoring_records.h"

namespace fw {

// What a declaration acts through: the places of fusion rules and entries that name it, "my.fw:3",
// and how each is called, "fuse pooled".
using NamedThrough = std::map<std::string, std::string>;

// Where it is looked for. All stays alive.
struct CameIn {
    const Books& books;
    const Imported& imported;
    const RewriteTrace& trace;
    const Graph& graph;       // as the rules left it
    const FusionPlan* plan;   // null: there is none
    const Target* target;     // likewise
    const TargetOffer* offer; // likewise
    std::string targetText;   // as the user wrote it
    CancelToken cancel = {};
};

// `declared`: of a book of `in.books`; `text`: of that book. Fills said, came and moreCame.
void tellWhatCame(const CameIn& in, const DeclarationPtr& declared, const std::string& file,
                  const std::string& text, const NamedThrough& through,
                  snapshot::UsesDocument& out);

} // namespace fw
