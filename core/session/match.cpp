#include "session/match.h"

#include "fusion/policy.h"
#include "library/library.h"
#include "rewrite/apply.h"
#include "rewrite/matches.h"
#include "session/book_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

struct Declared {
    std::vector<std::pair<DeclarationPtr, std::string>> declarations; // with their file
    PatternTable table;
    std::vector<RuleBook> kept; // own the trees of the table
    Diags diagnostics;
};

Result<Declared> readDeclared(const Arguments& arguments) {
    Declared out;
    FW_TRY(const std::vector<BookText> books, bookTexts(arguments.rules, arguments.texts));
    FW_TRY(RuleBook standard, standardRules());
    out.kept.push_back(std::move(standard));
    for (const BookText& text : books) {
        Diags errors;
        FW_TRY(RuleBook book, parseRules(text.text, text.file, &errors));
        out.diagnostics.insert(out.diagnostics.end(), errors.begin(), errors.end());
        out.kept.push_back(std::move(book));
    }
    for (std::size_t i = 0; i < out.kept.size(); ++i) {
        for (const auto& [name, pattern] : out.kept[i].table())
            out.table.insert_or_assign(name, pattern);
        if ((i == 0) == books.empty())
            for (const DeclarationPtr& declaration : out.kept[i].declarations)
                out.declarations.emplace_back(declaration,
                                              i == 0 ? "simplify.fw" : books[i - 1].file);
    }
    return out;
}

std::string valueText(const Graph& graph, ValueRef value) {
    const Output& output = graph.output(value);
    return fmt::format("{}: {}", output.name, output.type.text());
}

MatchRecord record(const Graph& graph, const Match& match) {
    MatchRecord out;
    out.rootId = match.roots.front().node;
    out.root = graph.node(out.rootId).name;
    std::vector<NodeId> nodes = match.nodes;
    std::sort(nodes.begin(), nodes.end());
    for (const NodePtr& node : graph.nodes())
        if (std::binary_search(nodes.begin(), nodes.end(), node->id)) {
            out.nodes.push_back(node->name);
            out.nodeIds.push_back(node->id);
        }
    for (const auto& [name, value] : match.bindings.values)
        out.bindings[name] = valueText(graph, value);
    for (const auto& [name, attrs] : match.bindings.attrs)
        out.bindings["*" + name] = attrs.empty() ? "{}" : attrs.print();
    for (const auto& [name, value] : match.bindings.attrValues)
        out.bindings.emplace(name, attrText(value));
    return out;
}

NearMissRecord record(const Graph& graph, const NearMiss& miss) {
    NearMissRecord out;
    out.rootId = miss.root;
    out.root = graph.node(miss.root).name;
    out.matched = static_cast<std::int64_t>(miss.matched);
    out.total = static_cast<std::int64_t>(miss.total);
    out.clause = miss.clause;
    out.expected = miss.expected;
    out.found = miss.found;
    return out;
}

RuleMatches describe(const Graph& graph, const DeclarationPtr& declaration, const std::string& file,
                     const PatternTable& table) {
    RuleMatches out;
    out.name = declaration->name;
    out.kind = declaration->keyword;
    out.doc = declaration->doc;
    out.file = file;
    out.line = declaration->span.line;
    if (const auto rule = declarationAs<RuleTree>(declaration))
        out.diagnostics = checkRule(*rule, graph.operators(), table, file);
    else if (const auto fuse = declarationAs<FuseTree>(declaration))
        out.diagnostics = checkFuse(*fuse, graph.operators(), table, file);
    else if (const auto pattern = declarationAs<PatternDeclTree>(declaration))
        out.diagnostics = checkPattern(*pattern, graph.operators(), table, file);
    if (hasErrors(out.diagnostics))
        return out;
    const FoundMatches found = findMatches(graph, *declaration, table);
    for (const Match& match : found.matches)
        out.matches.push_back(record(graph, match));
    for (const NearMiss& miss : found.nearMisses)
        out.nearMisses.push_back(record(graph, miss));
    out.diagnostics.insert(out.diagnostics.end(), found.problems.begin(), found.problems.end());
    return out;
}

bool canMatch(const DeclarationTree& declaration) {
    return dynamic_cast<const RuleTree*>(&declaration) != nullptr ||
           dynamic_cast<const FuseTree*>(&declaration) != nullptr ||
           dynamic_cast<const PatternDeclTree*>(&declaration) != nullptr;
}

} // namespace

Result<MatchDocument> matchModel(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    MatchDocument out;
    out.model = arguments.model;
    out.stage = arguments.stage.empty() ? "imported" : arguments.stage;
    FW_TRY(const Declared books, readDeclared(arguments));
    GraphPtr graph;
    if (out.stage == "imported") {
        FW_TRY(const Imported* imported, pipeline.imported(context));
        graph = imported->graph;
    } else if (out.stage == "rewritten") {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        graph = simplified->graph;
    } else {
        return makeDiag(DiagCode::Usage, "nothing is matched in stage " + out.stage, {},
                        "imported or rewritten");
    }
    out.diagnostics = books.diagnostics;
    std::string known;
    for (const auto& [declaration, file] : books.declarations) {
        if (!canMatch(*declaration))
            continue;
        known += (known.empty() ? "" : ", ") + declaration->name;
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "matching was cancelled");
        if (arguments.name.empty() || arguments.name == declaration->name)
            out.rules.push_back(describe(*graph, declaration, file, books.table));
    }
    if (out.rules.empty() && !arguments.name.empty())
        return makeDiag(DiagCode::UnknownName,
                        "the books have no rule, pattern or chain " + arguments.name, {},
                        known.empty() ? "there is none" : "there are " + known);
    return out;
}

} // namespace fw
