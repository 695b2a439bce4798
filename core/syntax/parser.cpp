#include "syntax/parser.h"

#include "base/library_names.h"
#include "base/numbers.h"
#include "syntax/foreign_words.h"
#include "syntax/hints.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace fw {

namespace {

const Token& endToken() {
    static const Token end;
    return end;
}

// Where x in {1, 2} is of use.
bool mayBeAmong(Expect stands) {
    return stands == Expect::Condition || stands == Expect::Guard ||
           stands == Expect::Requirement || stands == Expect::Expression;
}

// Infix signs by level, loosest first.
constexpr int levels = 5;
bool isInfix(const Token& token, int level) {
    if (token.kind != TokenKind::Punct)
        return false;
    constexpr std::array<std::string_view, levels> signs = {
        " || ", " && ", " == != < <= > >= ", " + - ", " * / % "};
    return signs[static_cast<std::size_t>(level)].find(" " + token.text + " ") !=
           std::string_view::npos;
}

} // namespace

Parser::Parser(std::string_view text, std::string file)
    : m_text(text), m_file(std::move(file)), m_list(tokenize(text)) {}

Parser::Deeper::Deeper(Parser& parser) : m_parser(parser) {
    if (++m_parser.m_depth > maxTreeDepth)
        m_parser.fail("nested too deeply");
}

const Token& Parser::peek(std::size_t ahead) const {
    if (m_failed)
        return endToken();
    return m_list.tokens[std::min(m_next + ahead, m_list.tokens.size() - 1)];
}

Token Parser::take() {
    Token token = peek();
    if (!m_failed && m_next + 1 < m_list.tokens.size())
        ++m_next;
    return token;
}

bool Parser::accept(std::string_view punctOrWord) {
    if (!at(punctOrWord))
        return false;
    take();
    return true;
}

bool Parser::expect(std::string_view punctOrWord) {
    if (accept(punctOrWord))
        return true;
    const std::size_t before = m_errors.size();
    fail(fmt::format("'{}' expected, found {}", punctOrWord, tokenText(peek())));
    if (m_errors.size() > before && m_errors.back().hint.empty()) // else something else is meant
        m_missing.push_back({before, m_next > 0 ? m_list.tokens[m_next - 1].span.end : 0,
                             std::string(punctOrWord)});
    return false;
}

std::string Parser::expectName(std::string_view what, Expect stands) {
    offer(stands);
    if (peek().kind == TokenKind::Name)
        return take().text;
    fail(fmt::format("{} expected, found {}", what, tokenText(peek())));
    return {};
}

std::string Parser::expectNewName(std::string_view what, Expect stands) {
    if (const Token& found = peek(); found.kind == TokenKind::Name &&
                                     (isBoolean(found.text) || !booleanMeant(found.text).empty()))
        failAt(found.span, fmt::format("{} expected, found {}, which is a value", what, found.text),
               "choose another name");
    return expectName(what, stands);
}

std::string Parser::expectText(std::string_view what) {
    offer(Expect::Nothing);
    if (peek().kind == TokenKind::Text)
        return take().text;
    fail(fmt::format("{} in quotes expected, found {}", what, tokenText(peek())));
    return {};
}

std::string Parser::acceptText() {
    return peek().kind == TokenKind::Text ? take().text : std::string();
}

std::int64_t Parser::expectInt(std::string_view what) {
    const bool negative = accept("-");
    offer(Expect::Nothing);
    if (peek().kind == TokenKind::Int)
        if (const auto value = parseInteger(peek().text)) {
            take();
            return negative ? -*value : *value;
        }
    fail(fmt::format("{} (an integer) expected, found {}", what, tokenText(peek())));
    return 0;
}

void Parser::fail(std::string message) {
    if (m_failed)
        return;
    const Token& found = peek();
    const bool isReason = found.kind == TokenKind::Error && found.text.size() > 4;
    if (isReason && message.find(found.text) == std::string::npos)
        message += ", found " + found.text;
    failAt(found.span, std::move(message), hintOfGrammar(m_list.tokens, m_next));
}

void Parser::failAt(const Span& span, std::string message, std::string hint) {
    if (m_failed)
        return;
    m_failed = true;
    if (m_errors.size() < mostErrors)
        m_errors.push_back(makeDiag(DiagCode::Syntax, std::move(message),
                                    {m_file, {}, span.line, span.column}, std::move(hint)));
}

void Parser::remark(const Span& span, std::string message, std::string hint) {
    if (m_failed || m_remarks.size() >= mostErrors)
        return;
    m_remarks.push_back({DiagCode::Syntax,
                         std::move(message),
                         {m_file, {}, span.line, span.column},
                         std::move(hint),
                         Severity::Note});
}

Span Parser::spanFrom(const Token& first) const {
    Span span = first.span;
    if (m_next > 0)
        span.end = std::max(span.end, m_list.tokens[m_next - 1].span.end);
    return span;
}

std::string Parser::source(const Span& from) const {
    return std::string(m_text.substr(from.begin, from.end - from.begin));
}

void Parser::finish(Tree& tree, const Token& first) {
    tree.span = spanFrom(first);
    for (const Tree& arg : tree.args)
        tree.depth = std::max(tree.depth, arg.depth + 1);
    for (const TreeAttr& attr : tree.attrs)
        tree.depth = std::max(tree.depth, attr.value.depth + 1);
    if (tree.depth > maxTreeDepth)
        failAt(tree.span, "nested too deeply",
               "an expression has at most 200 levels; use several statements");
}

Tree Parser::expression() {
    return binary(0);
}

// Whether it is compared with element types: dtype(x), T.
bool Parser::isElementType(const Tree& tree) const {
    return tree.isCall("dtype") || (tree.isName() && m_types.contains(tree.text));
}

ConditionTree Parser::condition() {
    const Token first = peek();
    ConditionTree out;
    out.tree = expression();
    out.text = source(spanFrom(first));
    return out;
}

std::vector<ConditionTree> Parser::conditions() {
    std::vector<ConditionTree> out;
    const auto add = [&](const auto& self, Tree tree) -> void {
        if (tree.kind == TreeKind::Binary && tree.text == "&&") {
            self(self, std::move(tree.args[0]));
            self(self, std::move(tree.args[1]));
            return;
        }
        std::string text = source(tree.span);
        out.push_back({std::move(tree), std::move(text)});
    };
    do
        add(add, expression());
    while (accept(","));
    return out;
}

Tree Parser::binary(int level) {
    if (level == levels)
        return unary();
    const Token first = peek();
    Tree left = binary(level + 1);
    const bool isType = level == 2 && isElementType(left);
    if (level == 2 && mayBeAmong(m_stands))
        offer({"in"});
    if (level == 2 && peek().is("in") && peek(1).is("{")) {
        take();
        const Token open = take();
        const Expecting expecting(*this, isType ? Expect::ElementType : m_stands);
        Tree list;
        list.kind = TreeKind::List;
        list.args = expressions("}");
        finish(list, open);
        Tree tree;
        tree.kind = TreeKind::Binary;
        tree.text = "in";
        tree.args = {std::move(left), std::move(list)};
        finish(tree, first);
        return tree;
    }
    while (isInfix(peek(), level)) {
        Tree tree;
        tree.kind = TreeKind::Binary;
        tree.text = take().text;
        tree.args.push_back(std::move(left));
        {
            const Expecting expecting(*this, isType ? Expect::ElementType : m_stands);
            tree.args.push_back(binary(level + 1));
        }
        finish(tree, first);
        left = std::move(tree);
        if (level == 2 && isInfix(peek(), level))
            fail("comparisons do not chain; use && between them");
    }
    return left;
}

bool Parser::atNumber() const {
    static const std::set<std::string, std::less<>> beyond = {"inf", "nan"};
    const Token& token = peek();
    const bool number = token.kind == TokenKind::Int || token.kind == TokenKind::Float;
    const bool word = token.kind == TokenKind::Name &&
                      (isBoolean(token.text) || beyond.contains(token.text)) && !peek(1).is("(") &&
                      !peek(1).is("=");
    return number || word || at("-") || at("[");
}

Tree Parser::unary() {
    const bool spread = m_operatorInPlace && at("...");
    if (!at("-") && !at("!") && !spread)
        return primary();
    const Deeper deeper(*this);
    const Token first = peek();
    Tree tree;
    if (spread) {
        tree.kind = TreeKind::Pack;
        tree.text = take().text;
        Tree list;
        const Token name = peek();
        list.kind = TreeKind::Name;
        list.text = expectName("a list of values or numbers", Expect::Capture);
        finish(list, name);
        tree.args.push_back(std::move(list));
        finish(tree, first);
        return tree;
    }
    if (at("-") && peek(1).kind == TokenKind::Int && peek(1).text == "9223372036854775808") {
        take();
        take();
        tree.integer = std::numeric_limits<std::int64_t>::min(); // its magnitude is no integer
        finish(tree, first);
        return tree;
    }
    tree.kind = TreeKind::Unary;
    tree.text = take().text;
    tree.args.push_back(unary());
    finish(tree, first);
    return tree;
}

Tree Parser::primary() {
    const Deeper deeper(*this);
    const Token first = peek();
    Tree tree;
    switch (first.kind) {
    case TokenKind::Int:
        if (const auto value = parseInteger(first.text))
            tree.integer = *value;
        else
            fail("the integer is too large");
        take();
        break;
    case TokenKind::Float:
        tree.kind = TreeKind::Float;
        if (const auto value = parseNumber(first.text))
            tree.real = *value;
        else
            fail("the number is beyond what f64 holds: its size is 0, or lies from 5e-324 to "
                 "1.8e308");
        take();
        break;
    case TokenKind::Text:
        tree.kind = TreeKind::Text;
        tree.text = take().text;
        break;
    case TokenKind::Name:
        tree = callOrIndex(take());
        break;
    case TokenKind::Punct:
        if (accept("(")) {
            tree = expression();
            expect(")");
            break;
        }
        if (accept("[")) {
            tree.kind = TreeKind::List;
            tree.args = expressions("]");
            break;
        }
        [[fallthrough]];
    case TokenKind::Error:
    case TokenKind::End:
        offer(m_stands);
        fail(fmt::format("an expression expected, found {}", tokenText(first)));
        return tree;
    }
    finish(tree, first);
    if (at("...")) {
        take();
        Tree pack;
        pack.kind = TreeKind::Pack;
        pack.args.push_back(std::move(tree));
        finish(pack, first);
        return pack;
    }
    return tree;
}

bool Parser::atReduction() const {
    const std::size_t behind = peek(1).is("...") ? 2 : 1;
    return peek().kind == TokenKind::Name && peek(behind).is("in") && !peek(behind + 1).is("{");
}

Tree Parser::callOrIndex(Token name) {
    Tree tree;
    if (m_operatorInPlace && name.text == "op" && at("(")) {
        OperatorInPlace parse = std::exchange(m_operatorInPlace, {}); // its text is that of no rule
        name.text = parse(*this);
        m_operatorInPlace = std::move(parse);
        if (!at("("))
            fail(fmt::format("the operands expected behind the operator, found {}",
                             tokenText(peek())));
    }
    if (accept("(")) {
        if (atReduction())
            return reduction(std::move(name));
        tree.kind = TreeKind::Call;
        tree.args = operands(name.text);
        if (atAttributes()) {
            take();
            tree.attrs = attributes(name.text);
        }
    } else if (accept("[")) {
        tree.kind = TreeKind::Index;
        tree.args = expressions("]");
    } else if ((name.text == "libs" || name.text == "target") && at("has")) {
        // `libs has onednn`, `target has x86-64-v3` in guards: has(libs, onednn)
        take();
        Tree set, member;
        set.kind = member.kind = TreeKind::Name;
        set.text = std::move(name.text);
        const Token first = peek();
        member.text =
            expectName("what it has", set.text == "libs" ? Expect::Library : Expect::TargetKey);
        while (accept("-"))
            member.text += "-" + take().text;
        if (set.text == "libs")
            member.text = libraryMeant(member.text);
        finish(member, first);
        tree.kind = TreeKind::Call;
        tree.args = {std::move(set), std::move(member)};
        tree.text = "has";
        return tree;
    } else {
        tree.kind = TreeKind::Name;
    }
    tree.text = std::move(name.text);
    return tree;
}

Tree Parser::reduction(Token name) {
    Tree tree;
    tree.kind = TreeKind::Reduce;
    tree.text = std::move(name.text);
    do {
        const Token first = peek();
        Tree var;
        var.kind = TreeKind::Name;
        var.text = expectNewName("a reduction variable");
        finish(var, first);
        if (accept("...")) {
            Tree pack;
            pack.kind = TreeKind::Pack;
            pack.args.push_back(std::move(var));
            finish(pack, first);
            var = std::move(pack);
        }
        tree.args.push_back(std::move(var));
        expect("in");
        tree.args.push_back(expression());
    } while (accept(","));
    expect(":");
    tree.args.push_back(expression());
    expect(")");
    return tree;
}

std::vector<Tree> Parser::expressions(std::string_view close) {
    std::vector<Tree> list;
    if (accept(close))
        return list;
    do
        list.push_back(expression());
    while (accept(","));
    expect(close);
    return list;
}

// Of a call. The second one of a cast is an element type.
std::vector<Tree> Parser::operands(std::string_view of) {
    std::vector<Tree> list;
    if (accept(")"))
        return list;
    do {
        const bool isType = !list.empty() && of.ends_with("cast");
        const Expecting expecting(*this, isType ? Expect::ElementType : m_stands);
        list.push_back(expression());
    } while (accept(","));
    expect(")");
    return list;
}

// Attributes follow only where they cannot be a block of statements.
bool Parser::atAttributes() const {
    if (!peek().is("{"))
        return false;
    if (isAtCaret(1))
        return m_stands == Expect::Value || m_stands == Expect::Call ||
               m_stands == Expect::Operator;
    return peek(1).is("*") ||
           (peek(1).kind == TokenKind::Name && (peek(2).is("=") || isAtCaret(2)));
}

std::vector<TreeAttr> Parser::attributes(const std::string& op) {
    std::vector<TreeAttr> list;
    if (accept("}"))
        return list;
    do {
        TreeAttr attr;
        const Token first = peek();
        if (accept("*")) { // {*a}: all attributes that a pattern captured
            attr.name = "*";
            offer(Expect::Capture);
            if (peek().kind != TokenKind::Name)
                failAt(spanFrom(first), "the attributes that are handed on need their name",
                       "{*a} hands on what match captures as {*a}");
            attr.value = primary();
        } else {
            {
                const InAttribute named(*this, op);
                attr.name = expectName("an attribute", Expect::Attribute);
            }
            expect("=");
            const InAttribute inside(*this, op, attr.name);
            const Expecting expecting(*this, Expect::AttributeValue);
            attr.value = expression();
        }
        attr.span = spanFrom(first);
        list.push_back(std::move(attr));
    } while (accept(","));
    expect("}");
    return list;
}

TypeTree Parser::type() {
    TypeTree tree;
    const Token first = peek();
    tree.dtype = expectName("an element type", Expect::ElementType);
    standsForType(tree.dtype);
    expect("[");
    if (!accept("]")) {
        do {
            DimTree dim;
            dim.value = expression();
            if (accept("@"))
                dim.axis = expectName("the attribute that picks the axis", Expect::Expression);
            tree.dims.push_back(std::move(dim));
        } while (accept(","));
        expect("]");
    }
    tree.span = spanFrom(first);
    return tree;
}

} // namespace fw
