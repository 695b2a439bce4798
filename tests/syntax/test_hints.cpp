// What is said to people who write patterns and rules as in other languages.
#include "syntax/parser.h"

#include <QtTest>

using namespace fw;
using namespace Qt::StringLiterals;

class TestHints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mistakesHaveHints_data();
    void mistakesHaveHints();
    void otherMistakesHaveNone();
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
    row("rule r { match y = mul(x, 1) emit y = x }", 27, "const 1");
    row("rule r { match y = mul(x, 0.5) emit y = x }", 27, "const 0.5");
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

QTEST_GUILESS_MAIN(TestHints)
#include "test_hints.moc"
