#include "syntax/test.h"

namespace fw {

namespace {

std::shared_ptr<const GraphTree> innerGraph(Parser& parser) {
    const Token first = parser.peek();
    if (!parser.expect("graph"))
        return nullptr;
    const auto graph = std::dynamic_pointer_cast<GraphTree>(parseGraphDeclaration(parser));
    if (graph) {
        graph->keyword = "graph";
        graph->span = parser.spanFrom(first);
        graph->source = parser.source(graph->span);
    }
    return graph;
}

ExpectTree expectation(Parser& parser) {
    ExpectTree tree;
    const Token first = parser.peek();
    if (parser.accept("match")) {
        tree.count = parser.expectInt("how many matches");
    } else if (parser.accept("none")) {
        tree.kind = ExpectKind::None;
        tree.reason = parser.acceptText();
    } else if (parser.accept("becomes")) {
        tree.kind = ExpectKind::Becomes;
        tree.graph = innerGraph(parser);
    } else {
        parser.fail("expected match N, none or becomes graph");
    }
    tree.span = parser.spanFrom(first);
    return tree;
}

} // namespace

std::shared_ptr<DeclarationTree> parseTestDeclaration(Parser& parser) {
    auto out = std::make_shared<TestTree>();
    const Token first = parser.peek();
    out->name = parser.expectText("what the test shows");
    if (parser.accept("of"))
        out->of = parser.expectName("a rule, pattern, chain or built-in rewrite", Expect::Subject);
    parser.expect("{");
    out->graph = innerGraph(parser);
    while (!parser.failed() && parser.accept("expect"))
        out->expects.push_back(expectation(parser));
    parser.expect("}");
    if (!parser.failed() && out->expects.empty())
        parser.failAt(parser.spanFrom(first), "a test needs a graph and an expectation");
    return out;
}

} // namespace fw
