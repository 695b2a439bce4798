#include "syntax/fusion.h"

#include "base/library_names.h"
#include "syntax/clauses.h"
#include "syntax/header.h"
#include "syntax/schedule.h"

#include <algorithm>

namespace fw {

namespace {

void partClause(Parser& parser, FuseTree& tree) {
    const Token first = parser.peek();
    if (!tree.rule.match.empty())
        parser.failAt(parser.spanFrom(first), "match stands once");
    tree.rule.match.push_back({"result", parsePattern(parser)});
}

void whereClause(Parser& parser, FuseTree& tree) {
    parseWhere(parser, tree.rule);
}

void exposeClause(Parser& parser, FuseTree& tree) {
    parseExposed(parser, tree.rule);
}

void asClause(Parser& parser, FuseTree& tree) {
    const bool library = parser.accept("for");
    tree.as = library ? FuseAs::Library : FuseAs::Stacked;
    tree.librarySpan = parser.peek().span;
    if (library)
        tree.library = libraryMeant(parser.expectName("a library", Expect::Library));
    else if (parser.accept("melted"))
        tree.as = FuseAs::Melted;
    else
        parser.expect("stacked");
}

constexpr Clause<FuseTree> compositeClauses[] = {
    {"match", partClause, Stands::Often},
    {"where", whereClause, Stands::Often},
    {"expose", exposeClause, Stands::Often},
};
constexpr Clause<FuseTree> fuseClauses[] = {
    {"match", partClause, Stands::Often},
    {"where", whereClause, Stands::Often},
    {"expose", exposeClause, Stands::Often},
    {"as", asClause},
};

void finishRule(Parser& parser, FuseTree& tree, const Token& first) {
    parser.expect("}");
    if (!parser.failed() && tree.rule.match.empty())
        parser.failAt(parser.spanFrom(first), "a pattern is missing",
                      "match conv2d(...) >> relu(^)");
    tree.rule.name = tree.name;
    tree.rule.span = parser.spanFrom(first);
}

std::vector<std::string> values(Parser& parser) {
    std::vector<std::string> out;
    do
        out.push_back(parser.peek().kind == TokenKind::Text
                          ? parser.expectText("a result")
                          : parser.expectName("a result or an operator", Expect::Node));
    while (!parser.failed() && parser.accept(","));
    return out;
}

std::int64_t limit(Parser& parser, std::string_view what) {
    const Token first = parser.peek();
    const std::int64_t value = parser.expectInt(what);
    if (value < 1)
        parser.failAt(parser.spanFrom(first), "a limit is at least 1");
    return value;
}

void limitClause(Parser& parser, GrowTree& tree) {
    tree.limit = limit(parser, "how many operators a group may have");
}

void operandsClause(Parser& parser, GrowTree& tree) {
    tree.operands = limit(parser, "how many tensors a group may read");
}

constexpr Clause<GrowTree> growClauses[] = {{"limit", limitClause}, {"operands", operandsClause}};

void togetherClause(Parser& parser, PinClause& clause) {
    clause.names = values(parser);
    if (parser.accept("with"))
        clause.implementation = parseImplementationName(parser, "an implementation");
}

void apartClause(Parser& parser, PinClause& clause) {
    clause.kind = PinKind::Apart;
    clause.names = values(parser);
}

void useClause(Parser& parser, PinClause& clause) {
    clause.kind = PinKind::Use;
    clause.implementation = parseImplementationName(parser, "an implementation");
    parser.expect("for");
    clause.names = values(parser);
}

void avoidClause(Parser& parser, PinClause& clause) {
    clause.kind = PinKind::Avoid;
    clause.implementation =
        parseImplementationName(parser, "an implementation or a library", Expect::Avoided);
    parser.expect("for");
    if (!parser.accept("any"))
        clause.names = values(parser);
    if (parser.accept("because"))
        clause.because = parser.expectText("the reason");
}

constexpr Clause<PinClause> pinClauses[] = {
    {"together", togetherClause, Stands::Often},
    {"apart", apartClause, Stands::Often},
    {"use", useClause, Stands::Often},
    {"avoid", avoidClause, Stands::Often},
};

} // namespace

std::shared_ptr<DeclarationTree> parseCompositeDeclaration(Parser& parser) {
    auto out = std::make_shared<FuseTree>();
    const Token first = parser.peek();
    out->name = parser.expectNewName("the name of the composite");
    out->doc = parser.acceptText();
    if (parser.accept("for")) {
        out->librarySpan = parser.peek().span;
        out->library = libraryMeant(parser.expectName("a library", Expect::Library));
        out->as = FuseAs::Library;
    }
    if (out->doc.empty())
        out->doc = parser.acceptText();
    out->rule.where = parseHeader(parser, *out);
    parser.expect("{");
    Clauses<FuseTree>(compositeClauses).parse(parser, *out);
    finishRule(parser, *out, first);
    return out;
}

std::shared_ptr<DeclarationTree> parseFuseDeclaration(Parser& parser) {
    auto out = std::make_shared<FuseTree>();
    const Token first = parser.peek();
    out->name = parser.expectNewName("the name of the fusion rule");
    out->doc = parser.acceptText();
    out->rule.where = parseHeader(parser, *out);
    parser.expect("{");
    Clauses<FuseTree>(fuseClauses).parse(parser, *out);
    finishRule(parser, *out, first);
    return out;
}

std::shared_ptr<DeclarationTree> parseGrowDeclaration(Parser& parser) {
    auto out = std::make_shared<GrowTree>();
    out->fromSpan = parser.peek().span;
    out->from = parser.expectName("a kind of operators", Expect::Kind);
    parser.expect("->");
    out->toSpan = parser.peek().span;
    out->to = parser.expectName("a kind of operators", Expect::Kind);
    out->name = out->from + " -> " + out->to;
    parser.binds(BoundName::Kind::Value, growNames[0], out->fromSpan);
    parser.binds(BoundName::Kind::Value, growNames[1], out->toSpan);
    if (parser.accept("into"))
        out->direction = GrowDirection::Into;
    else if (parser.accept("never"))
        out->direction = GrowDirection::Never;
    else if (!parser.accept("forward"))
        parser.fail("expected forward, into or never");
    Clauses<GrowTree> clauses(growClauses);
    while (!parser.failed() && clauses.accept(parser, *out)) {
    }
    out->where = parseHeader(parser, *out);
    return out;
}

std::shared_ptr<DeclarationTree> parsePinDeclaration(Parser& parser) {
    auto out = std::make_shared<PinTree>();
    out->name = "pin";
    parser.expect("{");
    Clauses<PinClause> clauses(pinClauses);
    while (!parser.failed() && !parser.at("}")) {
        PinClause clause;
        const Token first = parser.peek();
        if (!clauses.accept(parser, clause))
            parser.fail("expected " + clauses.anyOf("}"));
        clause.span = parser.spanFrom(first);
        const bool joins = clause.kind == PinKind::Together || clause.kind == PinKind::Apart;
        if (!parser.failed() && joins && clause.names.size() < 2)
            parser.failAt(clause.span, "at least two operators are named");
        std::vector<std::string> sorted = clause.names;
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (!parser.failed() && twice != sorted.end())
            parser.failAt(clause.span, *twice + " is named twice");
        out->clauses.push_back(std::move(clause));
    }
    parser.expect("}");
    return out;
}

} // namespace fw
