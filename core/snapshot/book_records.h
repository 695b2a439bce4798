// Records about the text of books: what is wrong with it, what it finds in a model, and what an
// editor shows at a place of it.
//
// Lines and columns are counted from 1, columns in characters (a tab is one, and so is every code
// point of UTF-8). A range ends behind its last character. Line 0 is nowhere in the text.
#pragma once

#include "base/diag.h"
#include "snapshot/record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

// clang-format off

using NodeId = std::int64_t;
constexpr NodeId noNode = -1;

// Text that stands for what the file holds: the book of an editor that was not saved.
struct BookSource {
    std::string file;
    std::string text;

    auto operator<=>(const BookSource&) const = default;
};

FW_RECORD(TextPlace,
    (std::string, file),
    (int, line),
    (int, column)
)

FW_RECORD(TextRange,
    (int, line),
    (int, column),
    (int, endLine),
    (int, endColumn)
)

// An edit of the text: `text` takes the place of the range.
FW_RECORD_THAT_IS(TextRange, Fix,
    (std::string, text),
    (std::string, label) // for people: "replace rellu by relu"
)

// --- check

// Values for which a rule that stands says nothing, as "NaN".
FW_RECORD(ButForRecord,
    (std::string, what),
    (std::string, difference) // "y[0] is 1 instead of nan", where one was seen
)

FW_RECORD_THAT_IS(TextRange, CheckItem, // of the whole declaration
    (std::string, name),
    (std::string, kind),                 // "rule", "operator", "test", ...
    // "ok", "refused", "failed"; of a rule that is not refused "proved exact", "proved", "tested",
    // each with what it leaves out ("proved but for NaN and rounding"), "unknown" (nothing was
    // tried), "refuted", "changes results" (as it says)
    (std::string, verdict),
    (Diags, diagnostics),
    // Of an operator the calls, of implementations with a computation of their own the instances
    // that it was tried on; of a rule the graphs at which it acted and nothing differed.
    (std::optional<std::int64_t>, trials),
    // Of a rule that is proved: the graphs among these at which both sides are equal for all
    // values.
    (std::int64_t, proofs),
    (std::vector<ButForRecord>, butFor), // what its verdict leaves out
    // Of a rule that is refuted, or changes results: a graph at which something differs, and what the rule makes of it
    // (empty: it is undone there).
    (std::string, counterexample),
    (std::string, becomes),
    (std::string, saved)                 // the file with it, if that was asked for
)
// Whether it takes part: it is neither refused nor shown to be wrong.
inline bool stands(const CheckItem& item) {
    return item.verdict != "refused" && item.verdict != "failed" && item.verdict != "refuted";
}

// Something wrong, and where to underline it.
FW_RECORD_THAT_IS(TextRange, MarkRecord,
    (Diag, diag),
    (std::vector<Fix>, fixes) // each alone mends it; the likeliest first
)

FW_RECORD(CheckDocument,
    (std::string, file),
    (std::vector<CheckItem>, items),
    (Diags, diagnostics),
    (std::vector<MarkRecord>, marks) // all of the file, also those of the items, in order of the text
)

// --- match

// How many nodes satisfy a pattern from its beginning up to this step, or how many matches still
// hold with this condition.
FW_RECORD_THAT_IS(TextRange, FunnelStep,
    (std::string, clause), // "relu(^)", "used_once(c)"
    (std::int64_t, count),
    (bool, optional),      // may be absent: whoever does not have it stays in the running
    (bool, alternative),   // one of several that may stand there
    (std::optional<std::int64_t>, before) // nodes, or matches, that could have got so far; none: it reads no other step
)

FW_WORDS(CaptureKind, "value", "operator")

// A name in a declaration that stands for something in a match.
FW_RECORD(CaptureRecord,
    (std::string, name),             // "x"; of an operator in the pattern: "relu"
    (CaptureKind, kind),             // an operator of the pattern, or what a name stands for
    (std::vector<TextRange>, ranges) // an operator: one place; a value: all of the declaration
)

FW_RECORD(BindingRecord,
    (int, capture),         // index in RuleMatches::captures
    (NodeId, node, noNode), // the operator, or who makes the value
    (int, output)
)

// What came of a declaration at a place of the model. Applied, undone, taken (another one was
// there before), left out, circle: of a rule. Formed: a group of a fusion rule. Opened, closed: an
// edge, by a growth rule. Used: it computes a group. Ready: it could compute it, and another one
// does. Refused: the declaration, or what it asks for, says no.
FW_WORDS(CameHow, "", "applied", "undone", "taken", "left out", "circle", "formed", "opened", "closed", "used", "ready",
         "refused", "passed", "failed")

FW_RECORD(MatchRecord,
    (std::string, root),               // node
    (NodeId, rootId, noNode),
    (std::vector<std::string>, nodes), // operators that it takes, in the order of the graph
    (std::vector<NodeId>, nodeIds),
    (ByName<std::string>, bindings),   // capture -> value and type, or attributes
    (std::vector<BindingRecord>, bound),
    (CameHow, came),                   // of a rule that is asked: what became of it; empty: nothing is known
    (std::string, outcome)             // "RUL11 a rule was applied: number 3"
)

FW_RECORD(NearMissRecord,
    (std::string, root),
    (NodeId, rootId, noNode),
    (std::int64_t, matched),    // operators
    (std::int64_t, total),      // of the pattern in its longest form
    (std::string, clause),      // the first one that failed, "where" for a condition
    (std::string, expected),
    (std::string, found),
    (TextRange, range),         // of the clause
    (std::optional<Fix>, relax) // an edit that drops or widens the clause
)

FW_RECORD_THAT_IS(TextRange, RuleMatches, // of the declaration
    (std::string, name),
    (std::string, kind),                       // "rule", "pattern", "chain", "composite", "fuse"
    (std::string, doc),
    (std::string, file),
    (std::vector<CaptureRecord>, captures),
    (std::vector<FunnelStep>, funnel),         // what is read before what reads it; conditions last
    (std::vector<MatchRecord>, matches),
    (std::vector<NearMissRecord>, nearMisses), // the nearest first
    (std::int64_t, nearMissCount),             // of them there are, listed or not
    (double, ms),                              // that looking for them took
    (std::string, stopped),                    // why this is not all; empty: it is
    (Diags, diagnostics),                      // why it was not tried, or not everywhere
    // Looked for in the imported graph: how many matches there are behind the rules, and the rules
    // that made operators of them. Of a rule only where there is no match in front of them.
    (std::optional<std::int64_t>, behindRules),
    (std::vector<std::string>, madeBy),
    // Looked for behind the rules and not found: how many matches there are in the imported graph,
    // and the rules that took operators of them.
    (std::optional<std::int64_t>, beforeRules),
    (std::vector<std::string>, takenBy)
)

// In which graph matches are looked for.
FW_WORDS(MatchedStage, "imported", "rewritten")

FW_RECORD(MatchDocument,
    (std::string, model),
    (MatchedStage, stage), // whose nodes are meant
    (std::vector<RuleMatches>, rules),
    (Diags, diagnostics)  // of the books
)

// --- order

// When a declaration is asked; a name does nothing by itself.
FW_WORDS(OrderPhase, "rewrite", "pin", "fuse", "grow", "implement", "name")

// A declaration that takes part, where it stands in the order in which the engine asks.
FW_RECORD(OrderRecord,
    (OrderPhase, phase),
    // "rule", "builtin", "pin", "fuse", "composite", "grow", "implementations", "pattern", "chain",
    // "operator", "target"
    (std::string, kind),
    (std::string, name),
    (std::string, doc),
    (std::string, file),         // without a folder: shipped
    (int, line),
    // Applications of a rule, groups that a fusion rule made, pairs that a growth rule let join,
    // groups whose implementation a block has. Names do nothing by themselves.
    (std::optional<std::int64_t>, count),
    (std::optional<double>, ms), // looking and applying, where that is measured
    (std::string, shadowed)      // what is asked in its place, always; empty: it has its turn
)

// A book whose rules acted, and what the plan is without it.
FW_RECORD(BookGain,
    (std::string, file),
    (std::int64_t, applied),              // applications of its rules
    (std::int64_t, operatorsWithout),
    (std::optional<double>, estUsWithout) // of all groups; absent: there is no plan without it
)

// The first asked stands first, phase by phase.
FW_RECORD(OrderDocument,
    (std::string, model),
    (std::vector<OrderRecord>, entries),
    (bool, planned),      // else there are no counts of what decides about groups
    (Diags, diagnostics), // of the books together
    // If they were asked for: the estimate of all groups, and what each book of rules won.
    (std::optional<double>, estUs),
    (std::vector<BookGain>, books)
)

// --- assist and book

FW_RECORD(CompletionRecord,
    (std::string, text),         // that takes the place of AssistDocument::replace
    (std::string, kind),         // "operator", "attribute", "capture", "keyword", "library", ...
    (std::string, detail),       // short, beside the text: a signature, a type and default
    (std::string, documentation), // lines of plain text
    // What is written instead of the text, with fields to fill in: "rule ${1:my_rule} { ...". Empty:
    // the text is.
    (std::string, snippet)
)

FW_RECORD_THAT_IS(TextRange, HoverRecord,
    (std::vector<std::string>, lines) // plain text
)

FW_RECORD_THAT_IS(TextRange, LocationRecord,
    (std::string, file),
    (bool, shipped) // `book` gives its text
)

// What there is to say about one place of one book.
FW_RECORD(AssistDocument,
    (TextRange, replace),                     // what is written of the word so far, and behind the place
    (std::vector<CompletionRecord>, completions),
    (std::optional<HoverRecord>, hover),
    (std::optional<LocationRecord>, definition),
    (std::vector<LocationRecord>, references) // of the name at the place, with its definition
)

FW_RECORD(ShippedBook,
    (std::string, file),  // "simplify.fw"
    (std::string, title), // its first comment
    (bool, library, true) // only operators: no book of the user can take its place
)

FW_RECORD(BookDocument,
    (std::string, file),
    (std::string, text),
    (std::vector<ShippedBook>, books) // without a name: all, in the order in which they are read
)

// --- format

FW_RECORD(FormatDocument,
    (std::string, file),
    (std::string, text), // laid out; the given one if there are errors
    (bool, changed),     // it is another text
    (Diags, diagnostics) // of the grammar: what cannot be read is left alone
)

// clang-format on

} // namespace fw::snapshot
