// Small graphs and patterns as text, and one pattern tried at one value.
#pragma once

#include "ir/graph_text.h"
#include "library/library.h"
#include "pattern/match.h"
#include "syntax/declarations.h"

#include <QtGlobal>

#include <optional>
#include <string>
#include <vector>

namespace fw::test {

inline GraphPtr graphOf(const std::string& body,
                        const std::string& inputs = "x: f32[2, 3], z: f32[2, 3]",
                        const std::string& result = "y") {
    auto graph = parseGraph("graph g(" + inputs + ") -> " + result + " {\n" + body + "\n}",
                            standardOperators());
    if (!graph)
        qFatal("%s", graph.diag().text().c_str());
    return *graph;
}

// Declarations and, at last, the pattern.
struct Book {
    FileTree file;
    PatternTable table;
    std::vector<NamedPattern> patterns;

    explicit Book(const std::string& pattern, const std::string& declarations = {})
        : file(parseFile(declarations, "book.fw")) {
        if (!file.errors.empty())
            qFatal("%s", file.errors[0].text().c_str());
        for (const DeclarationPtr& declaration : file.declarations)
            if (const auto tree = declarationAs<PatternDeclTree>(declaration))
                table.insert_or_assign(tree->name, tree.get());
        Parser parser(pattern, "pattern");
        patterns.push_back({"root", parsePattern(parser)});
        if (parser.failed() || !parser.atEnd())
            qFatal("bad pattern %s", pattern.c_str());
    }
    PreparedPatterns prepared() const { return PreparedPatterns(patterns, table); }
};

struct Outcome {
    std::optional<Match> match;
    NearMiss miss;
    std::string error;
};

inline Outcome matchAt(const Graph& graph, const Book& book, const std::string& value = "y",
                       MatchOptions options = {}) {
    Matcher matcher(graph, book.table, options);
    const Node* node = graph.findByName(value);
    if (node == nullptr)
        qFatal("no value %s", value.c_str());
    int output = 0;
    for (std::size_t i = 0; i < node->outputs.size(); ++i)
        if (node->outputs[i].name == value)
            output = static_cast<int>(i);
    auto match = matcher.matchAt(book.prepared(), {node->id, output});
    return match ? Outcome{*match, matcher.nearMiss(), {}}
                 : Outcome{{}, matcher.nearMiss(), match.diag().text()};
}

} // namespace fw::test
