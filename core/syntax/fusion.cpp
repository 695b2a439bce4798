#include "syntax/fusion.h"

#include "base/library_names.h"
#include "syntax/expose.h"
#include "syntax/header.h"
#include "syntax/once.h"
#include "syntax/schedule.h"

#include <algorithm>

namespace fw {

namespace {

void matchClause(Parser& parser, FuseTree& tree) {
    const Token first = parser.peek();
    if (!tree.rule.match.empty())
        parser.failAt(parser.spanFrom(first), "match stands once");
    tree.rule.match.push_back({"result", parsePattern(parser)});
}

void whereClause(Parser& parser, FuseTree& tree) {
    const Parser::Expecting expecting(parser, Expect::Condition);
    for (ConditionTree& condition : parser.conditions())
        tree.rule.where.push_back(std::move(condition));
}

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
    while (!parser.failed() && !parser.at("}")) {
        if (parser.accept("match"))
            matchClause(parser, *out);
        else if (parser.accept("where"))
            whereClause(parser, *out);
        else if (parser.accept("expose"))
            parseExposed(parser, out->rule.expose);
        else
            parser.fail("expected match, where or expose");
    }
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
    Once once;
    while (!parser.failed() && !parser.at("}")) {
        if (parser.accept("match")) {
            matchClause(parser, *out);
        } else if (parser.accept("where")) {
            whereClause(parser, *out);
        } else if (parser.accept("expose")) {
            parseExposed(parser, out->rule.expose);
        } else if (once.accept(parser, "as")) {
            const bool library = parser.accept("for");
            out->as = library ? FuseAs::Library : FuseAs::Stacked;
            out->librarySpan = parser.peek().span;
            if (library)
                out->library = libraryMeant(parser.expectName("a library", Expect::Library));
            else if (parser.accept("melted"))
                out->as = FuseAs::Melted;
            else
                parser.expect("stacked");
        } else {
            parser.fail("expected match, where, expose or as");
        }
    }
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
    if (parser.accept("into"))
        out->direction = GrowDirection::Into;
    else if (parser.accept("never"))
        out->direction = GrowDirection::Never;
    else if (!parser.accept("forward"))
        parser.fail("expected forward, into or never");
    const auto count = [&](std::string_view what) {
        const Token first = parser.peek();
        const std::int64_t value = parser.expectInt(what);
        if (value < 1)
            parser.failAt(parser.spanFrom(first), "a limit is at least 1");
        return value;
    };
    Once once;
    while (!parser.failed()) {
        if (once.accept(parser, "limit"))
            out->limit = count("how many operators a group may have");
        else if (once.accept(parser, "operands"))
            out->operands = count("how many tensors a group may read");
        else
            break;
    }
    out->where = parseHeader(parser, *out);
    return out;
}

std::shared_ptr<DeclarationTree> parsePinDeclaration(Parser& parser) {
    auto out = std::make_shared<PinTree>();
    out->name = "pin";
    parser.expect("{");
    while (!parser.failed() && !parser.at("}")) {
        PinClause clause;
        const Token first = parser.peek();
        if (parser.accept("together")) {
            clause.names = values(parser);
            if (parser.accept("with"))
                clause.implementation = parseImplementationName(parser, "an implementation");
        } else if (parser.accept("apart")) {
            clause.kind = PinKind::Apart;
            clause.names = values(parser);
        } else if (parser.accept("use")) {
            clause.kind = PinKind::Use;
            clause.implementation = parseImplementationName(parser, "an implementation");
            parser.expect("for");
            clause.names = values(parser);
        } else if (parser.accept("avoid")) {
            clause.kind = PinKind::Avoid;
            clause.implementation =
                parseImplementationName(parser, "an implementation or a library");
            parser.expect("for");
            if (!parser.accept("any"))
                clause.names = values(parser);
            if (parser.accept("because"))
                clause.because = parser.expectText("the reason");
        } else {
            parser.fail("expected together, apart, use or avoid");
        }
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
