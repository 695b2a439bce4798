#include "syntax/graph.h"

#include "base/numbers.h"
#include "syntax/foreign_words.h"

#include <utility>

namespace fw {

namespace {

std::string valueName(Parser& parser, std::string_view what, Expect stands = Expect::Nothing) {
    if (parser.peek().kind == TokenKind::Text && !parser.peek().text.empty())
        return parser.take().text;
    return parser.expectNewName(what, stands);
}

ValueTree value(Parser& parser, Expect stands = Expect::Nothing) {
    ValueTree tree;
    const Token first = parser.peek();
    tree.name = valueName(parser, "the name of a value", stands);
    tree.span = parser.spanFrom(first);
    return tree;
}

ValueTree boundValue(Parser& parser) {
    ValueTree out = value(parser);
    parser.binds(BoundName::Kind::Value, out.name, out.span);
    return out;
}

ValueTree operand(Parser& parser) {
    if (parser.atNumber() && !parser.at("[")) {
        ValueTree number;
        number.number = parser.unary();
        number.span = number.number->span;
        // A value may have such a name.
        if (number.number->isName() && !isBoolean(number.number->text))
            number.name = number.number->text;
        return number;
    }
    if (!parser.at("none"))
        return value(parser, Expect::GraphValue);
    ValueTree absent;
    absent.span = parser.take().span;
    return absent;
}

std::vector<std::int64_t> origins(Parser& parser) {
    std::vector<std::int64_t> list;
    parser.expect("(");
    if (parser.accept(")"))
        return list;
    do
        list.push_back(parser.expectInt("the number of a node"));
    while (parser.accept(","));
    parser.expect(")");
    return list;
}

// `@from(...)` if it comes next.
std::optional<std::vector<std::int64_t>> acceptOrigins(Parser& parser) {
    if (!parser.at("@") || (!parser.peek(1).is("from") && !parser.isAtCaret(1)))
        return std::nullopt;
    parser.take();
    parser.offer({"node"});
    parser.expect("from");
    return origins(parser);
}

// Those of u64 and the least i64 are no integers of expressions: their text stands for them.
Tree element(Parser& parser) {
    const Token first = parser.peek();
    const Token number = parser.peek(first.is("-") ? 1 : 0);
    if (number.kind != TokenKind::Int || parseInteger(number.text))
        return parser.expression();
    Tree tree;
    tree.kind = TreeKind::Int;
    tree.text = (first.is("-") ? "-" : "") + number.text;
    parser.accept("-");
    parser.take();
    tree.span = parser.spanFrom(first);
    return tree;
}

Tree elements(Parser& parser) {
    const Token first = parser.peek();
    Tree tree;
    tree.kind = TreeKind::List;
    parser.expect("[");
    while (!parser.failed() && !parser.accept("]")) {
        tree.args.push_back(element(parser));
        if (!parser.at("]"))
            parser.expect(",");
    }
    tree.span = parser.spanFrom(first);
    return tree;
}

ConstantTree constant(Parser& parser) {
    ConstantTree tree;
    if (parser.accept("random")) {
        tree.kind = ConstantKind::Random;
        parser.expect("(");
        tree.seed = parser.expectInt("the seed");
        parser.expect(")");
    } else if (parser.accept("@")) {
        tree.kind = ConstantKind::Reference;
        tree.name = parser.expectText("the name of the constant");
        if (parser.accept("hash"))
            tree.hash = parser.expectText("the hash of the constant");
    } else if (parser.at("[")) {
        tree.elements = elements(parser);
    } else {
        parser.fail("expected the elements in brackets, random(SEED) or @\"name\"");
    }
    return tree;
}

std::vector<TreeAttr> graphAttrs(Parser& parser, const std::string& op) {
    std::vector<TreeAttr> list;
    while (!parser.failed() && !parser.at("}")) {
        TreeAttr attr;
        const Token first = parser.peek();
        {
            const Parser::InAttribute named(parser, op);
            attr.name = valueName(parser, "an attribute", Expect::Attribute);
        }
        parser.expect("=");
        const Parser::InAttribute inside(parser, op, attr.name);
        const Parser::Expecting expecting(parser, Expect::AttributeValue);
        attr.value = parser.expression();
        attr.span = parser.spanFrom(first);
        list.push_back(std::move(attr));
        if (!parser.accept(","))
            break;
    }
    parser.expect("}");
    return list;
}

void call(Parser& parser, GraphNodeTree& node) {
    node.opSpan = parser.peek().span;
    parser.offer({"unknown"});
    node.op = parser.expectName("an operator", Expect::Operator);
    if (node.op == "unknown") {
        node.domain = parser.expectText("the domain");
        node.type = parser.expectText("the operator type");
    }
    parser.expect("(");
    while (!parser.failed() && !parser.at(")")) {
        node.operands.push_back(operand(parser));
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    if (parser.accept("{"))
        node.attrs = graphAttrs(parser, node.op);
}

void types(Parser& parser, GraphNodeTree& node) {
    parser.expect(":");
    do
        node.types.push_back(parser.type());
    while (node.op == "unknown" && parser.accept(","));
}

// Behind "body".
GraphBodyTree body(Parser& parser) {
    GraphBodyTree tree;
    const Parser::Deeper deeper(parser);
    tree.name = value(parser);
    parser.expect("(");
    while (!parser.failed() && !parser.at(")")) {
        tree.operands.push_back(-1);
        if (!parser.accept("none")) {
            tree.operands.back() = parser.expectInt("the number of an operand, or none");
            if (tree.operands.back() < 0)
                parser.fail("operands are counted from 0");
        }
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    const Token first = parser.peek();
    parser.expect("graph");
    if (parser.failed())
        return tree;
    const std::shared_ptr<DeclarationTree> graph = parseGraphDeclaration(parser);
    graph->span = parser.spanFrom(first);
    tree.graph = std::static_pointer_cast<const GraphTree>(graph);
    return tree;
}

// One of several: `_` is none that anybody reads.
ValueTree result(Parser& parser) {
    const bool unread = parser.peek().kind == TokenKind::Name && parser.peek().is("_");
    ValueTree tree = value(parser);
    if (unread)
        tree.name.clear();
    else
        parser.binds(BoundName::Kind::Value, tree.name, tree.span);
    return tree;
}

GraphNodeTree node(Parser& parser) {
    GraphNodeTree tree;
    const Token first = parser.peek();
    if (parser.accept("(")) {
        while (!parser.failed() && !parser.at(")")) {
            tree.results.push_back(result(parser));
            if (!parser.accept(","))
                break;
        }
        parser.expect(")");
    } else {
        tree.results.push_back(boundValue(parser));
    }
    parser.expect("=");
    if (parser.at("const") && !parser.peek(1).is("(")) {
        parser.take();
        tree.constant = constant(parser);
        types(parser, tree);
    } else {
        call(parser, tree);
        if (tree.op == "unknown" && !tree.results.empty())
            types(parser, tree);
    }
    bool isNamed = false;
    while (parser.at("@") && !parser.failed()) {
        const Span place = parser.peek().span;
        if (auto from = acceptOrigins(parser)) {
            if (tree.origins)
                parser.failAt(place, "@from stands once");
            tree.origins = std::move(from);
            continue;
        }
        parser.take();
        parser.expect("node");
        if (std::exchange(isNamed, true))
            parser.failAt(place, "@node stands once");
        parser.expect("(");
        tree.name = parser.expectText("the name of the node");
        parser.expect(")");
    }
    tree.span = parser.spanFrom(first);
    while (parser.at("body") && !parser.peek(1).is("=") && !parser.failed()) {
        parser.take();
        tree.bodies.push_back(body(parser));
    }
    return tree;
}

// Behind "assume". A value may have that name, too: then "=" follows.
GraphAssumptionTree assumption(Parser& parser) {
    GraphAssumptionTree tree;
    const Token first = parser.peek();
    tree.condition = parser.expression();
    tree.sentence = parser.acceptText();
    if (parser.accept("@")) {
        parser.expect("node");
        parser.expect("(");
        tree.node = parser.expectText("the name of the node");
        parser.expect(")");
    }
    tree.span = parser.spanFrom(first);
    return tree;
}

} // namespace

std::shared_ptr<DeclarationTree> parseGraphDeclaration(Parser& parser) {
    auto graph = std::make_shared<GraphTree>();
    graph->name = valueName(parser, "the name of the graph");
    parser.expect("(");
    while (!parser.failed() && !parser.at(")")) {
        GraphInputTree input;
        input.value = boundValue(parser);
        parser.expect(":");
        input.type = parser.type();
        input.origins = acceptOrigins(parser);
        graph->inputs.push_back(std::move(input));
        if (!parser.accept(","))
            break;
    }
    parser.expect(")");
    parser.expect("->");
    while (!parser.failed() && !parser.at("{")) {
        GraphResultTree result;
        result.value = value(parser, Expect::GraphValue);
        result.name = result.value.name;
        if (parser.accept("="))
            result.value = value(parser, Expect::GraphValue);
        graph->results.push_back(std::move(result));
        if (!parser.accept(","))
            break;
    }
    parser.expect("{");
    while (!parser.failed() && !parser.at("}")) {
        if (parser.at("assume") && !parser.peek(1).is("=")) {
            parser.take();
            graph->assumptions.push_back(assumption(parser));
        } else {
            graph->nodes.push_back(node(parser));
        }
    }
    parser.expect("}");
    return graph;
}

} // namespace fw
