// What is said to people who write patterns and rules as in other languages.
#include "common/test.h"
#include "syntax/parser.h"

using namespace fw;
using namespace Qt::StringLiterals;

class TestHints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mistakesHaveHints_data();
    void mistakesHaveHints();
    void otherMistakesHaveNone();
    void hintsTakeThePlaceOfFixes();
};

void TestHints::mistakesHaveHints_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* text, int column, const char* hint) {
        QTest::newRow(text) << QString::fromUtf8(text) << column << QString::fromUtf8(hint);
    };
    row("rule r { match add(a, b) emit sub(a, b) }", 19, "match y = add(...)");
    row("rule r { match y = a + b emit y = a }", 22, "add(a, b)");
    row("rule r { match y = relu(x) -> y = x }", 28, "emit y = x");
    row("rule r { match y = concat(xs..., z) emit y = z }", 29, "...xs");
    row("rule r { match y = relu(x); emit y = x }", 27, "between clauses");
    row("rule r { match y = relu(x) {alpha == 1} emit y = x }", 35, "{axis = 1}");
    row("rule r { match y = relu(x) when rank(x) == 2 emit y = x }", 28, "where");
    row("rule r { match y = relu(x) if rank(x) == 2 emit y = x }", 28, "where");
    row("rule r { match y = relu(x: f32[N]) where N = 4 emit y = x }", 44, "==");
    row("fuse f { match relu(x) when rank(x) == 2 }", 24, "where");
    row("pattern p = relu(^)", 11, "pattern p(x) = ...");
    row("pattern p(x) { relu(x) }", 14, "no braces");
    row("pattern p(x) = relu(x) && tanh(x)", 24, "p | q");
    row("pattern p(x) = relu(x) or tanh(x)", 24, "p | q");
    row("chain c = relu(^){1..3}", 19, "relu(^)* {1..3}");
    row("rule r { match y = relu(x) | emit y = x }", 30, "leave | out");
    row("rule r { match y = relu(x) >> where rank(x) == 2 emit y = x }", 31, "leave >> out");
    row("fuse f { match relu(x) >> as stacked }", 27, "leave >> out");
    row("rule r { match y = relu(x) {*} emit y = x }", 29, "{*a} captures them");
    row("rule r { match y = relu(x) emit y = relu(x) {*} }", 46, "as {*a}");
    row("rule r { match y = relu(x) where x == const 2 emit y = x }", 45, "value(x) == 2");
    // Lists, numbers and types of other languages.
    row("rule r { match y = conv2d(x, w) {strides = (2, 2)} emit y = x }", 46, "[2, 2]");
    row("rule r { match y = relu(x) emit y = pad(x) {pads = (1, 1)} }", 54, "[2, 2]");
    row("rule r { match y = softmax(x) {axis in (0, 1)} emit y = x }", 42, "{1, 2}");
    row("rule r { match y = relu(x) where rank(x) in (2, 4) emit y = x }", 42, "x in {1, 2}");
    row("op f(x: T[N], attr s: int[2] = (1, 1)) -> y: T[N] { y[n] = x[n] }", 34, "[2, 2]");
    row("pattern p(x) = add(x, const(0))", 28, "const 0");
    row("pattern p(x) = add(x, const & f32[4])", 29, "w: const & f32[4]");
    row("pattern p(x) = add(x, f32[4])", 26, "x: f32[...]");
    row("pattern p(x) = relu(x: tensor<4xf32>)", 30, "f32[N, 4]");
    row("pattern p(x) = relu(x: f32[?, 4])", 28, "any");
    row("graph g(x: f32[?, 4]) -> y { y = relu(x) }", 16, "has a name");
    // Several results.
    row("pattern p(x) = relu(split(x)[0])", 29, "(_, b) = split(x)");
    row("rule r { match y = relu(x) emit y = split(x)[0] }", 45, "let (a, b) = split(x)");
    row("graph g(x: f32[4]) -> y { y = split(x)[0] }", 39, "(a, b) = split(x)");
    // Clauses.
    row("rule r { match y = relu(x) on vta emit y = x }", 28, "rule NAME on vta { ... }");
    row("pattern p(x) = relu(x) on vta", 24, "pattern NAME on vta = ...");
    row("chain c = relu(^) where rank(x) == 2", 19, "chain NAME where rank(x) == 2 = ...");
    row("rule r { match y = relu(x), emit y = x }", 34, "comma in front of emit");
    row("rule r { match y = relu(x) where rank(x) == 2, emit y = x }", 53,
        "comma in front of emit");
    row("rule r { match y = relu(x) emit y = x, }", 40, "leave the comma out");
    row("rule r { match y = relu(x) where rank(x) == 2 and const(x) emit y = x }", 47, "&&");
    row("rule r { match y = relu(x) where rank(x) == 2 or const(x) emit y = x }", 47, "||");
    row("rule r { match y = relu(x) where not const(x) emit y = x }", 38, "!");
    row("rule r { match y = relu(x) where rank(x) is 2 emit y = x }", 42, "==");
    row("implementations dense(...) on any { a when M > 16 and K > 2 }", 51, "&&");
    row("implementations dense(...) on any { a when not const(w) }", 48, "!");
    row("implementations dense(...) on any { a plevel 20 }", 39, "priority 20");
    row("implementations dense(...) on any { a if M > 16 }", 39, "when");
    row("pin { fuse a with b }", 7, "together a, b");
    row("pin { separate a, b }", 7, "apart a, b");
    // Graphs.
    row("graph g(x: f32[4]) -> y { y = x + x }", 33, "add(a, b)");
    row("graph g(x: f32[4]) -> y { y = relu(x) return y }", 46, "graph g(x: f32[4]) -> y");
    row("graph g(x: f32[4]) -> y { y = relu(x) : f32[4] }", 39, "inferred");
    row("graph g(x: f32[4]) -> y { relu(x) }", 31, "y = relu(...)");
    // Declarations and comments.
    row("import \"tails.fw\"", 1, "include");
    row("from tails import *", 1, "include");
    row("def relu6(x)", 1, "op NAME(...)");
    row("rules r { match y = relu(x) emit y = x }", 1, "did you mean rule?");
    row("// a comment", 1, "begins with #");
    row("-- a comment", 1, "begins with #");
    row("rule r { match y = relu(x) // a comment\n emit y = x }", 28, "begins with #");
    row("rule r { match y = relu(x) emit y = x // a comment\n }", 40, "begins with #");
}

void TestHints::mistakesHaveHints() {
    QFETCH(QString, text);
    QFETCH(int, column);
    QFETCH(QString, hint);
    const FileTree file = parseFile(text.toStdString(), "b.fw");
    QCOMPARE(file.errors.size(), std::size_t(1));
    QCOMPARE(file.errors[0].where.line, 1);
    QCOMPARE(file.errors[0].where.column, column);
    QVERIFY2(QString::fromStdString(file.errors[0].hint).contains(hint),
             file.errors[0].text().c_str());
}

void TestHints::otherMistakesHaveNone() {
    for (const char* text :
         {"grow a when b", "rule r {", "= 3", "rule", "graph g(x: f32[N]) -> y {;}"})
        for (const Diag& error : parseFile(text, "b.fw").errors)
            QVERIFY2(error.hint.empty(), error.text().c_str());
}

// What the grammar would go on with is no advice where something else is meant.
void TestHints::hintsTakeThePlaceOfFixes() {
    QCOMPARE(parseFile("rule r on vta { match y = relu(x) emit y = x }", "b.fw").missing.size(),
             std::size_t(0));
    QCOMPARE(parseFile("rule r { match y = relu(x emit y = x }", "b.fw").missing.size(),
             std::size_t(1));
}

FW_TEST(TestHints, QCoreApplication)
#include "test_hints.moc"
