// The lexer and the parser: what they read, what they say of mistakes, and that no text brings them
// down.
#include "common/test.h"
#include "syntax/declarations.h"
#include "syntax/op.h"
#include "syntax/places.h"

#include <random>

using namespace fw;

namespace {

std::string shape(const Tree& t) {
    std::string out;
    switch (t.kind) {
    case TreeKind::Int:
        return std::to_string(t.integer);
    case TreeKind::Float:
        return "float";
    case TreeKind::Text:
        return quoteText(t.text);
    case TreeKind::Name:
        return t.text;
    case TreeKind::Pack:
        return shape(t.args[0]) + "...";
    case TreeKind::Unary:
    case TreeKind::Binary:
    case TreeKind::Call:
    case TreeKind::Index:
    case TreeKind::Reduce:
    case TreeKind::List:
        break;
    }
    out = "(" + (t.kind == TreeKind::Index    ? "at " + t.text
                 : t.kind == TreeKind::Reduce ? "red " + t.text
                                              : t.text);
    for (const Tree& arg : t.args)
        out += " " + shape(arg);
    return out + ")";
}

std::string read(const char* text) {
    const auto tree = parseTree(text);
    return tree ? shape(*tree) : "error: " + tree.diag().message;
}

} // namespace

class TestSyntax : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tokens();
    void expressions_data();
    void expressions();
    void operatorTree();
    void allErrorsInOnePass();
    void missingBraceKeepsTheNext();
    void names();
    void hostileText();
    void columnsCountCharacters();
    void placesAreOffsets_data();
    void placesAreOffsets();
    void tokensAtPlaces();
    void missingMarksAreKnown();
};

void TestSyntax::tokens() {
    const TokenList list = tokenize("onednn.conv i... 1..4 0.5e-3 \"a\\\"b\" # note\n  >> -> ==");
    QStringList texts;
    for (const Token& token : list.tokens)
        texts << QString::fromStdString(token.text);
    QCOMPARE(texts.join(u' '), QStringLiteral("onednn.conv i ... 1 .. 4 0.5e-3 a\"b >> -> == "));
    QCOMPARE(list.comments.size(), std::size_t(1));
    QCOMPARE(list.comments[0].text, std::string(" note"));
    QCOMPARE(list.tokens[8].span.line, 2);
    QCOMPARE(list.tokens[8].span.column, 3);
    QVERIFY(list.tokens[8].firstOnLine);
    QVERIFY(!list.tokens[9].firstOnLine);
}

void TestSyntax::expressions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("tree");
    const auto row = [](const char* text, const char* tree) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(tree);
    };
    row("a + b * c", "(+ a (* b c))");
    row("a - b - c", "(- (- a b) c)");
    row("-a * b", "(* (- a) b)");
    row("a && b || !c == d", "(|| (&& a b) (== (! c) d))");
    row("x[i..., j + 1]", "(at x i... (+ j 1))");
    row("x[i... * step... + start...]", "(at x (+ (* i... step...) start...))");
    row("sum(c in C, r... in R... : x[c, r...])", "(red sum c C r... R... (at x c r...))");
    row("max(a, b)", "(max a b)");
    row("pad(x[h - 1], -inf)", "(pad (at x (- h 1)) (- inf))");
    row("[1, 2]", "( 1 2)");
    row("permute(i, perm)...", "(permute i perm)...");
    row("a < b < c", "error: comparisons do not chain; use && between them");
    row("(a", "error: ')' expected, found the end of the text");
    row("a b", "error: nothing more expected, found 'b'");
    row("1e999", "error: the number is beyond what f64 holds: its size is 0, or lies from 5e-324 "
                 "to 1.8e308");
    row("1.5e-999", "error: the number is beyond what f64 holds: its size is 0, or lies from "
                    "5e-324 to 1.8e308");
    row("99999999999999999999", "error: the integer is too large");
    row("\"open", "error: an expression expected, found text without a closing quote");
    row("a + \x01", "error: an expression expected, found the byte 0x01");
}

void TestSyntax::expressions() {
    QFETCH(QString, text);
    QFETCH(QString, tree);
    QCOMPARE(QString::fromStdString(read(text.toLatin1().constData())), tree);
}

void TestSyntax::operatorTree() {
    const FileTree file = parseFile(R"(
# A comment.
op softmax "exponentials that add up to one" (x: T[P..., D@axis, Q...], attr axis: int = -1, attr pads: int[4] = [0, 0, 0, 0])
   requires D >= 0 -> y: T[P..., D, Q...] where K = D + 1
   onnx "com.example" "Softer" since 3 {
  let m[p..., q...] = max(d in D : x[p..., d, q...])
  y[p..., d, q...] = x[p..., d, q...] - m[p..., q...]
}
op concat(xs*: T[P..., D@axis, Q...], bcast mask?: T[M...], attr axis: int) -> (y: T[P...], z: T[]) {
  each xs: y[p..., d + before(D), q...] = xs[p..., d, q...]
}
)",
                                    "book.fw");
    QVERIFY2(file.errors.empty(), file.errors.empty() ? "" : file.errors[0].text().c_str());
    QCOMPARE(file.declarations.size(), std::size_t(2));
    const auto op = declarationAs<OpTree>(file.declarations[0]);
    QVERIFY(op);
    QCOMPARE(op->name, std::string("softmax"));
    QCOMPARE(op->doc, std::string("exponentials that add up to one"));
    QCOMPARE(op->span.line, 3);
    QCOMPARE(op->params.size(), std::size_t(1));
    QCOMPARE(op->params[0].type.dims[1].axis, std::string("axis"));
    QCOMPARE(op->attrs.size(), std::size_t(2));
    QCOMPARE(op->attrs[1].count.value_or(0), std::int64_t(4));
    QVERIFY(op->attrs[1].list && op->attrs[1].fallback);
    QCOMPARE(op->where[0].name, std::string("K"));
    QCOMPARE(op->onnx.at(0).type, std::string("Softer"));
    QVERIFY(op->stmts[0].let);
    QCOMPARE(op->body, std::string("let m[p..., q...] = max(d in D : x[p..., d, q...])\n"
                                   "y[p..., d, q...] = x[p..., d, q...] - m[p..., q...]"));
    QCOMPARE(op->signature, std::string("softmax(x: T[P..., D@axis, Q...], attr axis: int = -1, "
                                        "attr pads: int[4] = [0, 0, 0, 0]) "
                                        "requires D >= 0 -> y: T[P..., D, Q...]"));
    const auto concat = declarationAs<OpTree>(file.declarations[1]);
    QVERIFY(concat->params[0].variadic && concat->params[1].optional && concat->params[1].bcast);
    QCOMPARE(concat->stmts[0].each, std::string("xs"));
    QCOMPARE(concat->outs.size(), std::size_t(2));
    QVERIFY(!concat->attrs[0].fallback);
}

void TestSyntax::allErrorsInOnePass() {
    const FileTree file = parseFile("op a(x: T[N]) -> y: T[N] { y[n] = x[n] }\n"
                                    "bogus d\n"
                                    "op b(x T[N]) -> y: T[N] { y[n] = x[n] }\n"
                                    "op c(x: T[N]) -> y: T[N] { y[n] = }\n"
                                    "op e(x: T[N]) -> y: T[N] { y[n] = x[n] }\n",
                                    "book.fw");
    QCOMPARE(file.errors.size(), std::size_t(3));
    QCOMPARE(file.errors[0].where.line, 2);
    QCOMPARE(file.errors[1].text(),
             std::string("book.fw:3:8: error TXT01: ':' expected, found 'T'"));
    QCOMPARE(file.errors[2].text(),
             std::string("book.fw:4:35: error TXT01: an expression expected, found '}'"));
    QCOMPARE(file.declarations.size(), std::size_t(2));
    QCOMPARE(file.declarations[1]->name, std::string("e"));
}

void TestSyntax::missingBraceKeepsTheNext() {
    const FileTree file = parseFile("op a(x: T[N]) -> y: T[N] { y[n] = x[n]\n"
                                    "op b(x: T[N]) -> y: T[N] { y[n] = x[n] }\n",
                                    "");
    QCOMPARE(file.errors.size(), std::size_t(1));
    QCOMPARE(file.declarations.size(), std::size_t(1));
    QCOMPARE(file.declarations[0]->name, std::string("b"));
}

void TestSyntax::names() {
    QCOMPARE(tokenize("\xef\xbb\xbfrule").tokens[0].text, std::string("rule")); // a mark of UTF-8
    QCOMPARE(nameOrQuoted("conv.relu_1"), std::string("conv.relu_1"));
    QCOMPARE(nameOrQuoted("/l.0/Add:0"), std::string("\"/l.0/Add:0\""));
    QCOMPARE(nameOrQuoted(""), std::string("\"\""));
    const TokenList list = tokenize(quoteText("a\"b\\c\nd"));
    QCOMPARE(list.tokens[0].text, std::string("a\"b\\c\nd"));
    const std::string bytes("\xff\xc3\xa9\xc3(\r\0\xed\xa0\x80\x7f\xf0\x9f\x98\x80", 15);
    QCOMPARE(tokenize(quoteText(bytes)).tokens[0].text, bytes);
    QCOMPARE(quoteText(bytes), std::string("\"\\xff\xc3\xa9\\xc3(\\x0d\\x00\\xed\\xa0\\x80\\x7f"
                                           "\xf0\x9f\x98\x80\""));
    QCOMPARE(tokenize("\"\\x4a\\x4B\"").tokens[0].text, std::string("JK"));
}

void TestSyntax::hostileText() {
    QVERIFY(!parseTree(std::string(100000, '(')).ok());
    QVERIFY(!parseTree(std::string(100000, '-') + "1").ok());
    QVERIFY(!parseTree(std::string(100000, '[')).ok());
    std::string sum = "1";
    for (int i = 0; i < 100000; ++i)
        sum += "+1";
    QCOMPARE(parseTree(sum).diag().message, std::string("nested too deeply"));
    std::string calls;
    for (int i = 0; i < 50000; ++i)
        calls += "f(";
    QVERIFY(!parseTree(calls).ok());
    std::string garbage;
    for (int i = 0; garbage.size() < 1000000; ++i)
        garbage += "op x( ";
    QVERIFY(!parseFile(garbage, "").errors.empty());
    std::string lines;
    for (int i = 0; i < 50000; ++i)
        lines += "op x(\n";
    QCOMPARE(parseFile(lines, "").errors.size(), std::size_t(100));

    std::mt19937 random(7);
    const std::string seed = "op f(x: T[N...], attr a: int[2] = [1, 2]) -> y: T[N...] where K = "
                             "a[0] { y[i...] = max(x[i...], 0) }\n";
    for (int round = 0; round < 3000; ++round) {
        std::string text = seed + seed;
        for (int edit = 0; edit < 5; ++edit) {
            const std::size_t at = random() % text.size();
            if (random() % 2 == 0)
                text[at] = static_cast<char>(random() % 256);
            else
                text.erase(at, random() % 9);
        }
        const FileTree file = parseFile(text, "");
        QVERIFY(file.declarations.size() <= 3);
    }
    std::string bytes(200000, ' ');
    for (char& c : bytes)
        c = static_cast<char>(random() % 256);
    QVERIFY(!parseFile(bytes, "").errors.empty());
}

void TestSyntax::columnsCountCharacters() {
    const TokenList list = tokenize("\"gr\xc3\xb6\xc3\x9f\x65r\" a \xe2\x82\xac b\n# \xc3\xa4\nc");
    QCOMPARE(list.tokens[1].text, std::string("a"));
    QCOMPARE(list.tokens[1].span.column, 10);
    QCOMPARE(list.tokens[2].kind, TokenKind::Error);
    QCOMPARE(list.tokens[2].text, std::string("\xe2\x82\xac"));
    QCOMPARE(list.tokens[3].span.column, 14);
    QCOMPARE(list.tokens[4].span.line, 3);
    QCOMPARE(QString::fromStdString(read("a + \xe2\x82\xac")),
             QString::fromUtf8("error: an expression expected, found the character \xe2\x82\xac"));
}

void TestSyntax::placesAreOffsets_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("lines") << 50;
    QTest::newRow("one long line") << 600;
}

void TestSyntax::placesAreOffsets() {
    QFETCH(int, width);
    // Long enough for several counts in between.
    std::string text;
    for (int i = 0; i < 700; ++i)
        text += i % width == width - 1 ? "\n"
                : i % 3 == 0           ? "\xe2\x82\xac"
                : i % 7 == 0           ? "\xc3\xa4"
                                       : "ab";
    const TextPlaces places(text);
    int line = 1, column = 1;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80)
            continue;
        QCOMPARE(places.at(i).line, line);
        QCOMPARE(places.at(i).column, column);
        QCOMPARE(places.offset(line, column), i);
        ++column;
        if (i < text.size() && text[i] == '\n') {
            ++line;
            column = 1;
        }
    }
    QCOMPARE(places.offset(1, 5000), text.find('\n'));
    QCOMPARE(places.offset(1000, 1), text.size());
    QCOMPARE(places.offset(0, 0), std::size_t(0));
    QCOMPARE(TextPlaces("").offset(5, 5), std::size_t(0));
    for (const Token& token : tokenize(text).tokens) {
        QCOMPARE(places.at(token.span.begin).line, token.span.line);
        QCOMPARE(places.at(token.span.begin).column, token.span.column);
    }
}

void TestSyntax::tokensAtPlaces() {
    const std::string text = "relu(x) ";
    const std::vector<Token> tokens = tokenize(text).tokens;
    const auto at = [&](std::size_t offset) {
        const Token* token = tokenAt(tokens, offset);
        return token == nullptr ? std::string("-") : token->text;
    };
    QCOMPARE(at(0), std::string("relu"));
    QCOMPARE(at(4), std::string("relu")); // where a caret stands behind the word
    QCOMPARE(at(5), std::string("x"));
    QCOMPARE(at(6), std::string("x"));
    QCOMPARE(at(7), std::string("-"));
    QCOMPARE(at(8), std::string("-"));
    const std::vector<Token> last = tokenize("ab").tokens;
    QCOMPARE(tokenAt(last, 2)->text, std::string("ab"));
    QVERIFY(tokenAt(tokenize("").tokens, 0) == nullptr);
}

void TestSyntax::missingMarksAreKnown() {
    const std::string text = "rule a { match y = relu(x }\nchain c relu(^)\nbuiltin 7\n";
    const FileTree file = parseFile(text, "b.fw");
    QCOMPARE(file.errors.size(), std::size_t(3));
    QCOMPARE(file.missing.size(), std::size_t(2)); // what stands for a name is not known
    QCOMPARE(file.missing[0].error, std::size_t(0));
    QCOMPARE(file.missing[0].text, std::string(")"));
    QCOMPARE(file.missing[0].offset, text.find(" }"));
    QCOMPARE(file.missing[1].error, std::size_t(1));
    QCOMPARE(file.missing[1].text, std::string("="));
    QCOMPARE(file.missing[1].offset, text.find(" relu(^)"));
}

FW_TEST(TestSyntax, QCoreApplication)
#include "test_syntax.moc"
