// Records about the text of books: what is wrong with it, what it finds in a model, and what an
// editor shows at a place of it.
//
// Lines and columns are counted from 1, columns in characters (a tab is one, and so is every code
// point of UTF-8). A range ends behind its last character. Line 0 is nowhere in the text.
#pragma once

#include "base/diag.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fw::snapshot {

using NodeId = std::int64_t;
constexpr NodeId noNode = -1;

// Text that stands for what the file holds: the book of an editor that was not saved.
struct BookSource {
    std::string file;
    std::string text;

    auto operator<=>(const BookSource&) const = default;
};

struct TextPlace {
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const TextPlace&) const = default;
};

struct TextRange {
    int line = 0;
    int column = 0;
    int endLine = 0;
    int endColumn = 0;

    bool operator==(const TextRange&) const = default;
};

// An edit of the text: `text` takes the place of the range.
struct Fix : TextRange {
    std::string text;
    std::string label; // for people: "replace rellu by relu"

    bool operator==(const Fix&) const = default;
};

// --- check

// Values for which a rule that stands says nothing, as "NaN".
struct ButForRecord {
    std::string what;
    std::string difference; // "y[0] is 1 instead of nan", where one was seen

    bool operator==(const ButForRecord&) const = default;
};

struct CheckItem : TextRange { // of the whole declaration
    std::string name;
    std::string kind; // "rule", "operator", "test", ...
    // "ok", "refused", "failed"; of a rule that is not refused "proved exact", "proved", "tested",
    // each with what it leaves out ("proved but for NaN and rounding"), "unknown" (nothing was
    // tried), "refuted"
    std::string verdict;
    Diags diagnostics;
    // Of an operator the calls, of implementations with a computation of their own the instances
    // that it was tried on; of a rule the graphs at which it acted and nothing differed.
    std::optional<std::int64_t> trials;
    // Of a rule that is proved: the graphs among these at which both sides are equal for all
    // values.
    std::int64_t proofs = 0;
    std::vector<ButForRecord> butFor = {}; // what its verdict leaves out
    // Of a rule that is refuted: a graph at which something differs, and what the rule makes of it
    // (empty: it is undone there).
    std::string counterexample = {};
    std::string becomes = {};
    std::string saved = {}; // the file with it, if that was asked for

    // Whether it takes part: it is neither refused nor shown to be wrong.
    bool stands() const {
        return verdict != "refused" && verdict != "failed" && verdict != "refuted";
    }

    bool operator==(const CheckItem&) const = default;
};

// Something wrong, and where to underline it.
struct MarkRecord : TextRange {
    Diag diag;
    std::vector<Fix> fixes; // each alone mends it; the likeliest first

    bool operator==(const MarkRecord&) const = default;
};

struct CheckDocument {
    std::string file;
    std::vector<CheckItem> items;
    Diags diagnostics;
    std::vector<MarkRecord> marks; // all of the file, also those of the items, in order of the text

    bool operator==(const CheckDocument&) const = default;
};

// --- match

// How many nodes satisfy a pattern from its beginning up to this step, or how many matches still
// hold with this condition.
struct FunnelStep : TextRange {
    std::string clause; // "relu(^)", "used_once(c)"
    std::int64_t count = 0;
    bool optional = false; // may be absent: whoever does not have it stays in the running

    bool operator==(const FunnelStep&) const = default;
};

// A name in a declaration that stands for something in a match.
struct CaptureRecord {
    std::string name;              // "x"; of an operator in the pattern: "relu"
    std::string kind;              // "value" or "operator"
    std::vector<TextRange> ranges; // an operator: one place; a value: all of the declaration

    bool operator==(const CaptureRecord&) const = default;
};

struct BindingRecord {
    int capture = 0;      // index in RuleMatches::captures
    NodeId node = noNode; // the operator, or who makes the value
    int output = 0;

    bool operator==(const BindingRecord&) const = default;
};

struct MatchRecord {
    std::string root; // node
    NodeId rootId = noNode;
    std::vector<std::string> nodes; // operators that it takes, in the order of the graph
    std::vector<NodeId> nodeIds;
    std::map<std::string, std::string> bindings; // capture -> value and type, or attributes
    std::vector<BindingRecord> bound = {};
    std::string outcome = {}; // of a rule: what became of it, "RUL11 a rule was applied: number 3"

    bool operator==(const MatchRecord&) const = default;
};

struct NearMissRecord {
    std::string root;
    NodeId rootId = noNode;
    std::int64_t matched = 0; // operators
    std::int64_t total = 0;   // of the pattern in its longest form
    std::string clause;       // the first one that failed, "where" for a condition
    std::string expected;
    std::string found;
    TextRange range = {};          // of the clause
    std::optional<Fix> relax = {}; // an edit that drops or widens the clause

    bool operator==(const NearMissRecord&) const = default;
};

struct RuleMatches : TextRange { // of the declaration
    std::string name;
    std::string kind; // "rule", "pattern", "chain", "composite", "fuse"
    std::string doc;
    std::string file;
    std::vector<CaptureRecord> captures;
    std::vector<FunnelStep> funnel; // what is read before what reads it; conditions last
    std::vector<MatchRecord> matches;
    std::vector<NearMissRecord> nearMisses; // the nearest first
    std::int64_t nearMissCount = 0;         // of them there are, listed or not
    double ms = 0;                          // that looking for them took
    std::string stopped;                    // why this is not all; empty: it is
    Diags diagnostics;                      // why it was not tried, or not everywhere
    // Looked for in the imported graph: how many matches there are behind the rules, and the rules
    // that made operators of them. Of a rule only where there is no match in front of them.
    std::optional<std::int64_t> behindRules = {};
    std::vector<std::string> madeBy = {};
    // Looked for behind the rules and not found: how many matches there are in the imported graph,
    // and the rules that took operators of them.
    std::optional<std::int64_t> beforeRules = {};
    std::vector<std::string> takenBy = {};

    bool operator==(const RuleMatches&) const = default;
};

struct MatchDocument {
    std::string model;
    std::string stage; // "imported" or "rewritten": whose nodes are meant
    std::vector<RuleMatches> rules;
    Diags diagnostics; // of the books

    bool operator==(const MatchDocument&) const = default;
};

// --- order

// A declaration that takes part, where it stands in the order in which the engine asks.
struct OrderRecord {
    std::string phase; // "rewrite", "pin", "fuse", "grow", "implement", "name"
    std::string kind;  // "rule", "builtin", "pin", "fuse", "composite", "grow", "implementations",
                       // "pattern", "chain", "operator", "target"
    std::string name;
    std::string doc;
    std::string file; // without a folder: shipped
    int line = 0;
    // Applications of a rule, groups that a fusion rule made, pairs that a growth rule let join,
    // groups whose implementation a block has. Names do nothing by themselves.
    std::optional<std::int64_t> count = {};
    std::optional<double> ms = {}; // looking and applying, where that is measured
    std::string shadowed = {};     // what is asked in its place, always; empty: it has its turn

    bool operator==(const OrderRecord&) const = default;
};

// A book whose rules acted, and what the plan is without it.
struct BookGain {
    std::string file;
    std::int64_t applied = 0; // applications of its rules
    std::int64_t operatorsWithout = 0;
    std::optional<double> estUsWithout; // of all groups; absent: there is no plan without it

    bool operator==(const BookGain&) const = default;
};

// The first asked stands first, phase by phase.
struct OrderDocument {
    std::string model;
    std::vector<OrderRecord> entries;
    bool planned = false; // else there are no counts of what decides about groups
    Diags diagnostics;    // of the books together
    // If they were asked for: the estimate of all groups, and what each book of rules won.
    std::optional<double> estUs = {};
    std::vector<BookGain> books = {};

    bool operator==(const OrderDocument&) const = default;
};

// --- assist and book

struct CompletionRecord {
    std::string text;          // that takes the place of AssistDocument::replace
    std::string kind;          // "operator", "attribute", "capture", "keyword", "library", ...
    std::string detail;        // short, beside the text: a signature, a type and default
    std::string documentation; // lines of plain text

    bool operator==(const CompletionRecord&) const = default;
};

struct HoverRecord : TextRange {
    std::vector<std::string> lines; // plain text

    bool operator==(const HoverRecord&) const = default;
};

struct LocationRecord : TextRange {
    std::string file;
    bool shipped = false; // `book` gives its text

    bool operator==(const LocationRecord&) const = default;
};

// What there is to say about one place of one book.
struct AssistDocument {
    TextRange replace; // what is written of the word so far, and behind the place
    std::vector<CompletionRecord> completions;
    std::optional<HoverRecord> hover;
    std::optional<LocationRecord> definition;
    std::vector<LocationRecord> references; // of the name at the place, with its definition

    bool operator==(const AssistDocument&) const = default;
};

struct ShippedBook {
    std::string file;    // "simplify.fw"
    std::string title;   // its first comment
    bool library = true; // only operators: no book of the user can take its place

    bool operator==(const ShippedBook&) const = default;
};

struct BookDocument {
    std::string file;
    std::string text;
    std::vector<ShippedBook> books; // without a name: all, in the order in which they are read

    bool operator==(const BookDocument&) const = default;
};

// --- format

struct FormatDocument {
    std::string file;
    std::string text;     // laid out; the given one if there are errors
    bool changed = false; // it is another text
    Diags diagnostics;    // of the grammar: what cannot be read is left alone

    bool operator==(const FormatDocument&) const = default;
};

} // namespace fw::snapshot
