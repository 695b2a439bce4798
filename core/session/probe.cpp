#include "session/probe.h"

#include "rewrite/probe.h"
#include "session/book_texts.h"
#include "session/explain.h"
#include "session/text_range.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

const char* kindText(ProbedClause::Of of) {
    switch (of) {
    case ProbedClause::Of::Step:
        return "step";
    case ProbedClause::Of::Clause:
        return "clause";
    case ProbedClause::Of::Match:
        return "match";
    case ProbedClause::Of::Condition:
        return "condition";
    }
    return "";
}

const char* verdictText(Truth truth) {
    return truth == Truth::Yes ? "yes" : truth == Truth::No ? "no" : "undecided";
}

struct Asked {
    DeclarationPtr declaration;
    const BookText* book = nullptr;
    Diags verdict; // on it
};

Result<Asked> askedDeclaration(const Books& books, const std::vector<BookText>& texts,
                               const Arguments& arguments) {
    std::string known;
    for (const BookText& text : texts) {
        if (arguments.position && arguments.position->file != text.file)
            continue;
        const auto read = std::find_if(books.read.begin(), books.read.end(),
                                       [&](const ReadBook& one) { return one.file == text.file; });
        if (read == books.read.end())
            continue;
        const TextPlaces places(text.text);
        const std::size_t at =
            arguments.position ? places.offset(arguments.position->line, arguments.position->column)
                               : 0;
        for (std::size_t i = 0; i < read->written.size(); ++i) {
            const DeclarationTree& one = *read->written[i];
            if (!canMatch(one))
                continue;
            known += (known.empty() ? "" : ", ") + one.name;
            const bool here = arguments.position ? one.span.begin <= at && at <= one.span.end
                                                 : one.name == arguments.name;
            if (here)
                return Asked{read->written[i], &text, read->items[i].diagnostics};
        }
    }
    return makeDiag(DiagCode::UnknownName,
                    arguments.position
                        ? "there is nothing at this place that can match"
                        : "the books have no rule, pattern or chain " + arguments.name,
                    {}, known.empty() ? "there is none" : "there are " + known);
}

} // namespace

Result<ProbeDocument> probeModel(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    if (arguments.nodes.empty() || (!arguments.position && arguments.name.empty()))
        return makeDiag(DiagCode::Usage, "a declaration and an operator are needed", {},
                        "fw probe MODEL OPERATOR --rules BOOK.fw --rule NAME");
    FW_TRY(std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    if (arguments.position && std::none_of(texts.begin(), texts.end(), [&](const BookText& one) {
            return one.file == arguments.position->file;
        })) {
        FW_TRY(BookText shipped, bookText(arguments.position->file, arguments.texts));
        texts.push_back(std::move(shipped));
    }
    const Books books = readBooks(texts);
    FW_TRY(const Asked asked, askedDeclaration(books, texts, arguments));
    const bool rule = isA<RuleTree>(*asked.declaration);
    FW_TRY(const Imported* imported, pipeline.imported(context));
    const Graph* graph = imported->inlined.get();
    if (!rule) {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        graph = simplified->graph.get();
    }
    FW_TRY(const Node* node, findNode(*graph, arguments.nodes.front()));
    ProbeDocument out;
    out.model = arguments.model;
    out.stage = rule ? MatchedStage("imported") : "rewritten";
    out.rule = asked.declaration->name;
    out.kind = asked.declaration->keyword;
    out.node = node->name;
    out.nodeId = node->id;
    out.op = node->shownOp();
    out.diagnostics = asked.verdict;
    if (hasErrors(out.diagnostics))
        return out;
    FW_TRY(const TargetOffer* offered, pipeline.offer());
    RuleMatchOptions options;
    options.offer = offered;
    options.refuse = refusalOfGroups(*asked.declaration, *graph);
    const TextPlaces places(asked.book->text);
    for (const ProbedClause& clause :
         probeNode(*graph, *asked.declaration, books.patterns, node->id, options)) {
        ProbeRow row;
        if (clause.span.line > 0)
            setRange(row, places, clause.span);
        row.kind = ProbeKind::of(kindText(clause.of));
        row.verdict = ProbeVerdict::of(verdictText(clause.truth));
        row.clause = clause.clause;
        row.expected = clause.expected;
        row.found = clause.found;
        out.rows.push_back(std::move(row));
    }
    return out;
}

} // namespace fw
