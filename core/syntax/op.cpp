#include "syntax/op.h"

#include "syntax/foreign_words.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

std::string oneBlank(std::string_view text) {
    std::string out;
    bool blank = false;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            blank = !out.empty();
            continue;
        }
        if (blank)
            out += ' ';
        blank = false;
        out += c;
    }
    return out;
}

// Drops blank lines at both ends and the indentation that all lines share.
std::string withoutIndent(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto blank = [](std::string_view line) {
        return line.find_first_not_of(" \t\r") == std::string_view::npos;
    };
    while (!lines.empty() && blank(lines.front()))
        lines.erase(lines.begin());
    while (!lines.empty() && blank(lines.back()))
        lines.pop_back();
    std::size_t indent = std::string_view::npos;
    for (const std::string_view line : lines)
        if (!blank(line))
            indent = std::min(indent, line.find_first_not_of(' '));
    std::string out;
    for (std::string_view line : lines) {
        line.remove_prefix(std::min({indent, line.size()}));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (!out.empty())
            out += '\n';
        out += line;
    }
    return out;
}

// "int64" is an int, "double" a float, "str" a text.
std::string attrKindHint(std::string_view word) {
    const std::string_view meant = elementTypeMeant(word);
    const std::string_view kind = meant.empty()                        ? ""
                                  : meant == "text"                    ? "text"
                                  : meant == "bool"                    ? "bool"
                                  : meant[0] == 'f' || meant[0] == 'b' ? "float"
                                                                       : "int";
    return kind.empty() ? "int, float, bool, text or dtype" : "write " + std::string(kind);
}

AttrKind attrKind(Parser& parser) {
    const Token token = parser.peek();
    parser.offer({"int", "float", "bool", "text", "dtype"});
    const std::string name = parser.expectName("the type of the attribute");
    if (name == "int")
        return AttrKind::Int;
    if (name == "float" || name == "f32" || name == "f64")
        return AttrKind::Float;
    if (name == "bool")
        return AttrKind::Bool;
    if (name == "text")
        return AttrKind::Text;
    if (name == "dtype")
        return AttrKind::DType;
    if (!parser.failed())
        parser.failAt(token.span, "'" + name + "' is not a type of attributes", attrKindHint(name));
    return AttrKind::Int;
}

AttrParamTree attrParam(Parser& parser, const Token& first) {
    AttrParamTree attr;
    attr.name = parser.bindName("an attribute name");
    parser.expect(":");
    attr.kind = attrKind(parser);
    if (parser.accept("[")) {
        attr.list = true;
        if (!parser.at("]"))
            attr.count = parser.expectInt("the length of the list");
        parser.expect("]");
    }
    const bool isType = attr.kind == AttrKind::DType;
    if (isType)
        parser.standsForType(attr.name);
    const Parser::Expecting expecting(parser, isType ? Expect::ElementType : Expect::Expression);
    if (parser.accept("="))
        attr.fallback = parser.expression();
    attr.span = parser.spanFrom(first);
    return attr;
}

ParamTree param(Parser& parser, const Token& first) {
    ParamTree param;
    param.bcast = parser.at("bcast") && parser.isNameBehind() && parser.accept("bcast");
    param.name = parser.bindName("a parameter");
    param.optional = parser.accept("?");
    param.variadic = parser.accept("*");
    parser.expect(":");
    static const std::set<std::string, std::less<>> attributes = {"int", "float", "bool", "text",
                                                                  "dtype"};
    if (const std::string& type = parser.peek().text;
        attributes.contains(type) && !parser.peek(1).is("["))
        parser.failAt(parser.peek().span, type + " is no tensor",
                      "attr " + param.name + ": " + type);
    parser.offer({"T"});
    param.type = parser.type();
    parser.bindsVariablesOf(param.type);
    param.span = parser.spanFrom(first);
    return param;
}

OutTree out(Parser& parser) {
    OutTree tree;
    const Token first = parser.peek();
    tree.name = parser.bindName("an output");
    if (parser.accept(":")) {
        tree.type = parser.type();
        parser.bindsVariablesOf(tree.type);
    }
    tree.span = parser.spanFrom(first);
    return tree;
}

void outs(Parser& parser, OpTree& op) {
    if (!parser.accept("(")) {
        op.outs.push_back(out(parser));
        if (parser.at(","))
            parser.fail("several results stand in parentheses: -> (y: T[N], m: T[N])");
        return;
    }
    do {
        op.outs.push_back(out(parser));
        if (op.outs.back().type.dtype.empty() != op.standsForCalls())
            parser.failAt(op.outs.back().span, "all results have a type, or none",
                          "without types each is a call of other operators");
    } while (parser.accept(","));
    parser.expect(")");
}

StmtTree statement(Parser& parser) {
    StmtTree stmt;
    const Token first = parser.peek();
    if (parser.at("each") && parser.isNameBehind()) {
        parser.take();
        stmt.each = parser.expectName("a variadic parameter", Expect::Expression);
        parser.expect(":");
    }
    stmt.let = parser.at("let") && parser.isNameBehind() && parser.accept("let");
    const std::string_view written = "the tensor that the statement writes";
    stmt.name =
        stmt.let ? parser.bindName(written) : parser.expectNewName(written, Expect::Expression);
    if (!stmt.let && parser.at("="))
        parser.failAt(parser.peek().span, stmt.name + " is written element by element",
                      stmt.name + "[i] = ..., or " + stmt.name + "[i...] = ... for any rank");
    parser.expect("[");
    stmt.indices = parser.expressions("]");
    parser.expect("=");
    stmt.value = parser.expression();
    stmt.span = parser.spanFrom(first);
    return stmt;
}

// In an operator whose results have no types.
CallStmtTree callStatement(Parser& parser) {
    CallStmtTree stmt;
    const Token first = parser.peek();
    stmt.let = parser.at("let") && (parser.isNameBehind() || parser.peek(1).is("(")) &&
               parser.accept("let");
    if (parser.accept("(")) {
        do
            stmt.names.push_back(parser.bindName("a value"));
        while (parser.accept(","));
        parser.expect(")");
    } else {
        stmt.names.push_back(stmt.let ? parser.bindName("a value")
                                      : parser.expectNewName("a value", Expect::Expression));
        if (parser.at("["))
            parser.failAt(parser.peek().span,
                          stmt.names.front() + " is written element by element, and has no type",
                          "-> " + stmt.names.front() + ": T[...] behind the operands");
    }
    parser.expect("=");
    const Parser::Expecting expecting(parser, Expect::Call);
    stmt.value = parser.expression();
    stmt.span = parser.spanFrom(first);
    return stmt;
}

std::string nodeAttribute(Parser& parser) {
    return parser.peek().kind == TokenKind::Text ? parser.expectText("an attribute of the node")
                                                 : parser.expectName("an attribute of the node");
}

// Where an attribute of the operator comes from.
void onnxSource(Parser& parser, OnnxAttributeTree& attribute) {
    const Parser::Expecting nothing(parser, Expect::Nothing);
    if (parser.at("operand") && (parser.peek(1).kind == TokenKind::Int || parser.isAtCaret(1))) {
        parser.take();
        attribute.operand = parser.expectInt("which operand of the node, counted from 1");
        attribute.isNumber = parser.accept("[");
        if (attribute.isNumber)
            parser.expect("]");
    } else if (parser.at("op") && parser.isNameBehind()) {
        parser.take();
        Tree name;
        name.kind = TreeKind::Text;
        name.span = parser.peek().span;
        name.text = parser.expectName("an operator", Expect::Operator);
        attribute.value = std::move(name);
    } else if (parser.at("-") || parser.at("true") || parser.at("false") || parser.at("[") ||
               parser.peek().kind == TokenKind::Int || parser.peek().kind == TokenKind::Float) {
        attribute.value = parser.expression();
    } else {
        attribute.theirs = nodeAttribute(parser);
    }
    if (parser.accept("(")) {
        do {
            Tree theirs = parser.expression();
            parser.expect("=");
            const Parser::Expecting type(parser, Expect::ElementType);
            parser.offer({"true", "false"});
            attribute.spellings.emplace_back(std::move(theirs), parser.expression());
        } while (parser.accept(","));
        parser.expect(")");
    }
    if (parser.accept("else")) {
        parser.offer({"all", "reversed"});
        attribute.fallback = parser.expression();
    }
    if (parser.accept("of"))
        attribute.axesOf = parser.expectName("an operand of the operator", Expect::Expression);
}

OnnxAttributeTree onnxAttribute(Parser& parser, const std::string& op) {
    OnnxAttributeTree attribute;
    const Token start = parser.peek();
    if (parser.peek(1).is("==")) {
        attribute.theirs = nodeAttribute(parser);
        parser.expect("==");
        const Parser::Expecting nothing(parser, Expect::Nothing);
        parser.offer({"any"});
        attribute.only = parser.expression();
    } else {
        const Parser::InAttribute named(parser, op);
        attribute.ours = parser.expectName("an attribute of the operator", Expect::Attribute);
        parser.expect("=");
        onnxSource(parser, attribute);
    }
    attribute.span = parser.spanFrom(start);
    return attribute;
}

// A body begins with a name, too: one of a result, which no attribute has, or an element of it.
bool atOnnxAttributes(const Parser& parser, const OpTree& op) {
    return parser.at("{") && (parser.peek(2).is("=") || parser.peek(2).is("==")) &&
           std::none_of(op.outs.begin(), op.outs.end(),
                        [&](const OutTree& out) { return parser.peek(1).is(out.name); });
}

OnnxTree onnxClause(Parser& parser, const OpTree& op) {
    OnnxTree onnx;
    const Token first = parser.take();
    onnx.domain = parser.expectText("the domain");
    onnx.type = parser.expectText("the operator type");
    if (parser.accept("since"))
        onnx.since = parser.expectInt("the first opset");
    if (parser.accept("until"))
        onnx.until = parser.expectInt("the last opset");
    onnx.isChain = parser.accept("chain");
    if (atOnnxAttributes(parser, op)) {
        parser.take();
        do {
            onnx.attributes.push_back(onnxAttribute(parser, op.name));
        } while (parser.accept(","));
        parser.expect("}");
    }
    onnx.span = parser.spanFrom(first);
    return onnx;
}

// From the parameters on.
void definition(Parser& parser, OpTree& op) {
    const Token open = parser.peek();
    const Parser::Expecting expecting(parser, Expect::Expression);
    parser.expect("(");
    if (!parser.accept(")")) {
        do {
            const Token start = parser.peek();
            if (parser.at("attr") && parser.isNameBehind()) {
                parser.take();
                op.attrs.push_back(attrParam(parser, start));
            } else {
                op.params.push_back(param(parser, start));
            }
        } while (parser.accept(","));
        parser.expect(")");
    }
    if (parser.accept("requires")) {
        const Parser::Expecting requirement(parser, Expect::Requirement);
        op.requirements = parser.conditions();
    }
    parser.expect("->");
    outs(parser, op);
    if (parser.peek().is("requires"))
        parser.fail("requires stands before '->': (x: T[N]) requires N >= 1 -> y: T[N] { ... }");
    op.signature = op.name + oneBlank(parser.source(parser.spanFrom(open)));
    if (parser.accept("where")) {
        do {
            WhereTree where;
            where.name = parser.expectNewName("a dimension");
            parser.expect("=");
            where.value = parser.expression();
            op.where.push_back(std::move(where));
        } while (parser.accept(","));
    }
    while (parser.at("onnx"))
        op.onnx.push_back(onnxClause(parser, op));
    const Token brace = parser.peek();
    parser.expect("{");
    while (!parser.failed() && !parser.at("}"))
        if (op.standsForCalls())
            op.calls.push_back(callStatement(parser));
        else
            op.stmts.push_back(statement(parser));
    if (!parser.failed()) {
        const Span inside = parser.spanFrom(brace);
        op.body = withoutIndent(parser.source({inside.begin + 1, inside.end, 0, 0}));
    }
    parser.expect("}");
}

} // namespace

Result<std::vector<OnnxTree>> parseOnnxClauses(std::string_view text, const std::string& file) {
    Parser parser(text, file);
    std::vector<OnnxTree> out;
    while (parser.at("onnx"))
        out.push_back(onnxClause(parser, OpTree()));
    if (!parser.failed() && !parser.atEnd())
        parser.fail("an onnx clause is expected");
    const Diags errors = parser.takeErrors();
    return errors.empty() ? Result(std::move(out)) : Result<std::vector<OnnxTree>>(errors.front());
}

std::shared_ptr<DeclarationTree> parseOpDeclaration(Parser& parser) {
    auto op = std::make_shared<OpTree>();
    op->name = parser.expectNewName("the name of the operator");
    op->doc = parser.acceptText();
    definition(parser, *op);
    return op;
}

std::shared_ptr<OpTree> parseOperatorInPlace(Parser& parser, const std::string& name) {
    auto op = std::make_shared<OpTree>();
    const Token first = parser.peek();
    op->keyword = "op";
    op->name = name;
    definition(parser, *op);
    if (!parser.failed() && op->standsForCalls())
        parser.failAt(op->outs.front().span, "an operator in place says what type its result has",
                      op->outs.front().name + ": T[...]; calls of others are written as they are");
    op->span = parser.spanFrom(first);
    op->source = "op " + name + parser.source(op->span);
    return op;
}

} // namespace fw
