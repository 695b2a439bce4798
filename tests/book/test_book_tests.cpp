// `test` blocks in books: each verdict can be reached, a wrong rule is found out, and the standard
// book tests every rule that it has.
#include "book/book.h"
#include "common/test.h"
#include "ir/same_structure.h"
#include "rewrite/embedded.h"
#include "rewrite/matches.h"
#include "rewrite/rewriting.h"
#include "rewrite/same_values.h"
#include "syntax/test.h"

using namespace fw;
using namespace rewriting;

namespace {

// "verdict CODE message" of the last item, and of its first diagnostic.
QString verdictOf(const std::string& text) {
    const CheckedBook book = checkBookText(text, "book.fw");
    if (!book.diagnostics.empty())
        return QString::fromStdString(book.diagnostics[0].text());
    const CheckedItem& item = book.items.back();
    QString out = QString::fromStdString(item.verdict);
    if (!item.diagnostics.empty()) {
        const Diag& diag = item.diagnostics[0];
        out += QStringLiteral(" %1:%2 %3 %4")
                   .arg(diag.where.line)
                   .arg(diag.where.column)
                   .arg(QString::fromUtf8(codeText(diag.code).data()),
                        QString::fromStdString(diag.message));
    }
    return out;
}

const char* const idempotent = "rule once { match y = relu(a = relu(x)) emit y = a }\n";

} // namespace

class TestBookTests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void verdicts_data();
    void verdicts();
    void standardBook();
    void scenarios_data();
    void scenarios();
    void innerMatchesAreNotListed();
    void nearMisses();
    void unexpectedMatchesAreListed();
    void structure();
};

void TestBookTests::verdicts_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("verdict");
    const auto row = [](const char* name, const std::string& text, const char* verdict) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(verdict);
    };
    const std::string graph = "  graph g(x: f32[N]) -> y { a = relu(x) y = relu(a) }\n";
    const std::string rule = idempotent;
    row("match", rule + "test \"t\" {\n" + graph + "  expect match 1\n}", "ok");
    row("match of another number", rule + "test \"t\" {\n" + graph + "  expect match 2\n}",
        "failed 4:10 CMP01 once matches 1 times, 2 expected");
    row("none", rule + "test \"t\" {\n graph g(x: f32[N]) -> y { y = tanh(x) }\n expect none\n}",
        "ok");
    row("none, but it matches", rule + "test \"t\" {\n" + graph + "  expect none\n}",
        "failed 4:10 CMP01 once matches 1 times, 0 expected");
    row("none with its reason",
        rule + "test \"t\" {\n graph g(x: f32[N]) -> y { a = tanh(x) y = relu(a) }\n"
               " expect none \"found tanh\"\n}",
        "ok");
    row("none for another reason",
        rule + "test \"t\" {\n graph g(x: f32[N]) -> y { a = tanh(x) y = relu(a) }\n"
               " expect none \"found gelu\"\n}",
        "failed 4:9 CMP01 the nearest miss does not say \"found gelu\"");
    row("becomes",
        rule + "test \"t\" {\n" + graph +
            "  expect becomes graph h(x: f32[N]) -> y { y = relu(x) }\n}",
        "ok");
    row("becomes something else",
        rule + "test \"t\" {\n" + graph +
            "  expect becomes graph h(x: f32[N]) -> y { y = tanh(x) }\n}",
        "failed 4:10 CMP01 result y: relu (relu) instead of tanh (tanh)");
    row("a wrong rule",
        "rule wrong { match y = relu(relu(x)) emit y = x }\ntest \"t\" {\n" + graph +
            "  expect becomes graph h(x: f32[N]) -> y { y = identity(x) }\n}",
        "failed 4:10 CMP01 result y: x is shared where identity is not");
    row("a rule that changes values",
        "rule wrong { match y = relu(x) emit y = tanh(x) }\ntest \"t\" {\n graph g(x: f32[N]) -> y "
        "{ y = relu(x) }\n expect becomes graph h(x: f32[N]) -> y { y = tanh(x) }\n}",
        "failed 4:9 CMP01 wrong changes what the graph computes: element 0 of y was 0 and became "
        "-0.");
    const auto constants = [](const char* body, const char* operands, const char* before,
                              const char* after) {
        return std::string("rule r { ") + body + " }\ntest \"t\" {\n graph g() -> y { " + operands +
               " " + before + " }\n expect becomes graph h() -> y { " + operands + " " + after +
               " }\n}";
    };
    const char* const says = "failed 4:9 CMP01 r changes what the graph computes: element 0 of y ";
    row("an infinity that becomes the other",
        constants("match y = relu(x) emit y = neg(x)", "x = const [inf] : f32[1]", "y = relu(x)",
                  "y = neg(x)"),
        (std::string(says) + "was inf and became -inf").c_str());
    row("an infinity that becomes a number",
        constants("match y = relu(x) emit y = tanh(x)", "x = const [inf] : f64[1]", "y = relu(x)",
                  "y = tanh(x)"),
        (std::string(says) + "was inf and became 1").c_str());
    row("a number that becomes an infinity",
        constants("match y = tanh(x) emit y = neg(x)", "x = const [-inf] : f16[1]", "y = tanh(x)",
                  "y = neg(x)"),
        (std::string(says) + "was -1 and became inf").c_str());
    row("an infinity that is none any more",
        constants("match y = relu(x) emit y = sub(x, x)", "x = const [inf] : f32[1]", "y = relu(x)",
                  "y = sub(x, x)"),
        (std::string(says) + "was inf and became nan").c_str());
    row("an infinity that stays",
        constants("match y = relu(x) emit y = abs(x)", "x = const [inf] : f32[1]", "y = relu(x)",
                  "y = abs(x)"),
        "ok");
    row("what is no number stays none",
        constants("match y = log(x) emit y = sqrt(x)", "x = const [-1] : f32[1]", "y = log(x)",
                  "y = sqrt(x)"),
        "ok");
    row("an integer that is one more",
        constants("match y = relu(x) emit y = add(x, sign(x))",
                  "x = const [9007199254740992] : i64[1]", "y = relu(x)",
                  "z = sign(x) y = add(x, z)"),
        (std::string(says) + "was 9007199254740992 and became 9007199254740993").c_str());
    row("a rule that does not end",
        "rule grow { match y = relu(x) emit y = relu(neg(neg(x))) }\ntest \"t\" {\n graph g(x: "
        "f32[N]) -> y { y = relu(x) }\n expect becomes graph h(x: f32[N]) -> y { y = relu(x) }\n}",
        "failed 4:9 RUL02 limit: the graph grew past 1004 operators; still firing: "
        "grow");
    row("a pattern",
        "pattern twice(x) = relu(relu(x))\ntest \"t\" {\n" + graph + "expect match 1\n}", "ok");
    row("a composite",
        "composite pair for onednn { match relu(^) >> relu(^) }\ntest \"t\" {\n" + graph +
            "expect match 1\n}",
        "ok");
    row("a chain", "chain tail = relu(^)* {1..4}\ntest \"t\" {\n" + graph + "expect match 1\n}",
        "ok");
    row("a pattern becomes nothing",
        "pattern twice(x) = relu(relu(x))\ntest \"t\" {\n" + graph +
            " expect becomes graph h(x: f32[N]) -> y { y = relu(x) }\n}",
        "refused 4:9 RUL01 a pattern changes no graph");
    row("named subject",
        rule + "builtin cse\ntest \"t\" of once {\n" + graph + "  expect match 1\n}", "ok");
    row("unknown subject", rule + "test \"t\" of twice {\n" + graph + "  expect match 1\n}",
        "refused 2:1 TXT02 there is no rule, pattern, chain or built-in rewrite named twice");
    row("no subject", "test \"t\" {\n" + graph + "  expect match 1\n}",
        "refused 1:1 TXT02 nothing before this test can match");
    row("a subject with mistakes",
        "rule r { match y = rellu(x) emit y = x }\ntest \"t\" {\n" + graph + " expect none\n}",
        "refused 2:1 RUL01 r cannot be tested");
    row("a wrong graph",
        rule + "test \"t\" {\n graph g(x: f32[N]) -> y { y = rellu(x) }\n expect none\n}",
        "refused 3:32 OPR01 there is no operator named rellu");
    row("an operator of the book",
        "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }\n"
        "rule r { match y = add(x, x) emit y = twice(x) }\ntest \"t\" {\n"
        " graph g(x: f32[N]) -> y { y = add(x, x) }\n"
        " expect becomes graph g(x: f32[N]) -> y { y = twice(x) }\n}",
        "ok");
}

void TestBookTests::verdicts() {
    QFETCH(QString, text);
    QFETCH(QString, verdict);
    const QString got = verdictOf(text.toStdString());
    QVERIFY2(got.startsWith(verdict) && (verdict != u"ok" || got == u"ok"), qPrintable(got));
}

void TestBookTests::standardBook() {
    const auto simplify = checkBook(readBooks({}), "simplify.fw");
    QVERIFY(simplify);
    std::vector<CheckedBook> books = {*simplify};
    for (const EmbeddedRules& named : embeddedByName())
        books.push_back(checkBookText(named.text, std::string(named.file)));
    for (const CheckedBook& book : books) {
        QVERIFY(book.diagnostics.empty());
        for (const CheckedItem& item : book.items)
            QVERIFY2(item.verdict == "ok",
                     (item.kind + " " + item.name + ": " +
                      (item.diagnostics.empty() ? "" : item.diagnostics[0].text()))
                         .c_str());
        for (std::size_t i = 0; i < book.items.size(); ++i)
            if (book.items[i].kind == "rule" || book.items[i].kind == "builtin")
                QVERIFY2(i + 1 < book.items.size() && book.items[i + 1].kind == "test",
                         (book.items[i].name + " has no test").c_str());
    }
}

// The acceptance scenarios, as books of patterns and rules with their tests.
void TestBookTests::scenarios_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"scenarios.fw", "pattern_scenarios.fw", "call_scenarios.fw"})
        QTest::newRow(name) << QString::fromUtf8(name);
}

void TestBookTests::scenarios() {
    QFETCH(QString, name);
    QFile file(QStringLiteral(FW_SOURCE_DIR "/tests/book/") + name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const CheckedBook book = checkBookText(file.readAll().toStdString(), name.toStdString());
    QVERIFY2(book.diagnostics.empty(),
             book.diagnostics.empty() ? "" : book.diagnostics[0].text().c_str());
    QStringList wrong;
    int tests = 0;
    for (const CheckedItem& item : book.items) {
        tests += item.kind == "test" ? 1 : 0;
        if (item.verdict != "ok")
            wrong << QString::fromStdString(item.name + ": " + item.diagnostics.at(0).text());
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    QVERIFY(tests > 0);
}

void TestBookTests::innerMatchesAreNotListed() {
    const RuleBook book = bookOf("pattern p(x, w) = conv2d(x, w) >> relu(^)? >> tanh(^)?");
    const GraphPtr graph = graphOf("graph g(x: f32[1, 1, 4, 4]) -> y, z {\n"
                                   " w = const random(1) : f32[1, 1, 1, 1]\n"
                                   " a = conv2d(x, w) b = relu(a) y = tanh(b)\n"
                                   " c = conv2d(y, w) z = exp(c) }");
    const FoundMatches found = findMatches(*graph, *book.patterns.at(0), book.table());
    QCOMPARE(found.matches.size(), std::size_t(2));
    QCOMPARE(found.matches[0].nodes.size(), std::size_t(3));
    QCOMPARE(graph->node(found.matches[0].roots[0].node).op, std::string("tanh"));
    QCOMPARE(found.matches[1].nodes.size(), std::size_t(1));
    // The first match is as long as it can be, behind the second one stands an exp.
    QCOMPARE(found.nearMisses.size(), std::size_t(1));
    QCOMPARE(found.nearMisses[0].expected, std::string("one of relu, tanh"));
    QCOMPARE(found.nearMisses[0].found, std::string("exp"));
    QCOMPARE(found.nearMisses[0].total, std::size_t(2));
}

void TestBookTests::nearMisses() {
    const RuleBook book = bookOf("rule r { match y = relu(bias(conv2d(x, w: const), b)) "
                                 "where rank(x) == 3 emit y = x }");
    const GraphPtr graph =
        graphOf("graph g(x: f32[1, 1, 4, 4], u: f32[1, 1, 1, 1]) -> p, q, r {\n"
                " w = const random(1) : f32[1, 1, 1, 1]  b = const [1] : f32[1]\n"
                " a = tanh(x)  p = relu(a)\n"
                " c = conv2d(x, u) d = bias(c, b) q = relu(d)\n"
                " e = conv2d(x, w) f = bias(e, b) r = relu(f) }");
    const FoundMatches found = findMatches(*graph, *book.entries.at(0), book.table());
    QVERIFY(found.matches.empty());
    QCOMPARE(found.nearMisses.size(), std::size_t(3));
    const auto text = [&](std::size_t i) {
        const NearMiss& miss = found.nearMisses[i];
        return QStringLiteral("%1 %2/%3 %4: %5, not %6")
            .arg(QString::fromStdString(graph->node(miss.root).outputs[0].name))
            .arg(miss.matched)
            .arg(miss.total)
            .arg(QString::fromStdString(miss.clause), QString::fromStdString(miss.expected),
                 QString::fromStdString(miss.found));
    };
    QCOMPARE(text(0),
             QStringLiteral("r 3/3 where: every condition holds, not rank(x) == 3 is false: "
                            "rank(x) = 4"));
    QCOMPARE(text(1), QStringLiteral("q 3/3 w: const: a constant, not input u"));
    QCOMPARE(text(2), QStringLiteral("p 1/3 bias(conv2d(x, w: const), b): bias, not tanh"));
}

void TestBookTests::unexpectedMatchesAreListed() {
    const auto said = [](const std::string& body) {
        return checkBookText(
                   "pattern p(x) = relu(relu(x))\ntest \"t\" {\n graph g(x: f32[N]) -> y {" + body +
                       "}\n expect match 1\n}",
                   "book.fw")
            .items.back()
            .diagnostics.at(0)
            .hint;
    };
    QCOMPARE(said("a = relu(x) b = relu(a) y = relu(b)"),
             std::string("it matches the operators of b, a; y, b"));
    const std::string many = said("a = relu(x) b = relu(a) c = relu(b) d = relu(c) e = relu(d) "
                                  "f = relu(e) y = relu(f)");
    QVERIFY2(many.ends_with("e, d; and 2 more"), many.c_str());
}

void TestBookTests::structure() {
    const GraphPtr one = graphOf("graph g(x: f32[N]) -> y { a = exp(x) b = exp(x) y = mul(a, b) }");
    const GraphPtr two = graphOf("graph h(z: f32[N]) -> y { a = exp(z) y = mul(a, a) }");
    QVERIFY(structuralDifference(*one, *one).empty());
    QCOMPARE(structuralDifference(*one, *two),
             std::string("operand 1 of mul (mul): exp_1 is shared where exp is not"));
    QVERIFY(!structuralDifference(*two, *one).empty());
    QVERIFY(valueDifference(*one, *two)->empty());
    const GraphPtr eps = graphOf("graph g(x: f32[4, 4]) -> y { y = softmax(x) {axis = 0} }");
    const GraphPtr other = graphOf("graph g(x: f32[4, 4]) -> y { y = softmax(x) }");
    QVERIFY(structuralDifference(*eps, *other).find("axis = 0 instead of") != std::string::npos);
    QVERIFY(!valueDifference(*eps, *other)->empty());
}

FW_TEST(TestBookTests, QCoreApplication)
#include "test_book_tests.moc"
