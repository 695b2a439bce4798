// One way to write several results, numbers as operands, targets and conditions in front of blocks:
// in every kind of declaration, and laid out as everything else is.
#include "book/book.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "syntax/format.h"
#include "tensor/evaluate_graph.h"

#include <QtTest>

#include <fmt/format.h>

using namespace fw;
using namespace Qt::StringLiterals;

class TestForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void booksAreRight_data();
    void booksAreRight();
    void booksAreWrong_data();
    void booksAreWrong();
    void olderSpellingsAreTold();
    void graphsTakeNumbers();
    void whatANumberMatches_data();
    void whatANumberMatches();
    void targetsDecide();
};

namespace {

QStringList said(const std::string& text) {
    QStringList out;
    const CheckedBook checked = checkBookText(text, "b.fw");
    const auto add = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            out << QString::fromStdString(diag.text());
    };
    add(checked.diagnostics);
    for (const CheckedItem& item : checked.items)
        add(item.diagnostics);
    return out;
}

const char* const halves =
    " { graph g(x: f32[4, 6]) -> y { (a, b) = split(x) {axis = 1, sizes = [2, 4]}  c = relu(b)  "
    "d = tanh(a)  y = concat(d, c) {axis = 1} } expect match 1 }";

} // namespace

void TestForms::booksAreRight_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const std::string& text) {
        QTest::newRow(text.substr(0, 90).c_str()) << QString::fromStdString(text);
    };
    const auto withHalves = [&](const std::string& declaration) {
        row(declaration + "\ntest \"t\"" + halves);
    };
    // several results
    withHalves("pattern p(x) = concat(tanh((a, b) = split(x) {*s}), relu(b))");
    withHalves("pattern p(x) = concat(tanh(a = any), relu((_, b) = split(x) {*s}))");
    withHalves("pattern p(x) = relu((_, b) = split(x))");
    withHalves("chain p = (a, _) = split(^) >> tanh(^)");
    withHalves("rule r { match (a, b) = split(x) {*s} emit (a, b) = split(neg(neg(x))) {*s} }");
    withHalves("rule r { match (_, b) = split(x) {axis, sizes = [m, n]} "
               "emit b = slice(x) {axes = [axis], starts = [m], ends = [m + n]} duplicate }");
    withHalves("rule r { match u = tanh((a, b) = split(x) {*s}), v = relu(b) "
               "let (c, d) = split(neg(neg(x))) {*s} emit u = tanh(c), v = relu(d) }");
    withHalves("rule r { match u = tanh((a, b) = split(x) {*s}), v = relu(b) where rank(b) == 2, "
               "dim(b, 1) == 4 let (_, d) = split(x) {*s} emit u = tanh(a), v = relu(d) }");
    withHalves("fuse f { match concat(tanh((a, b) = split(x)), relu(b)) as stacked }");
    row("op layernorm_parts (x: T[S...]) -> (u: T[S...], v: T[S...]) { u[i...] = x[i...] "
        "v[i...] = x[i...] * 2 }\n"
        "op two (x: T[S...]) -> (a, b) { (a, b) = layernorm_parts(x) }\n"
        "rule r { match (a, b) = layernorm_parts(x) emit (a, b) = layernorm_parts(x + 0) }\n"
        "graph g(x: f32[4]) -> y { (_, b) = layernorm_parts(x)  (c, _) = layernorm_parts(b)  "
        "y = add(b, c) }");
    // numbers
    const std::string graph =
        "{ graph g(x: f32[2, 3]) -> y, z { h = const [0.5, 0.5, 0.5] : f32[3]  "
        "m = mul(x, h)  y = max(m, 0)  z = max(m, -1) } expect match 1 }\n";
    row("pattern p(x) = max(mul(x, 0.5), 0)\ntest \"t\" " + graph);
    row("chain p = mul(^, 0.5) >> max(^, -1)\ntest \"t\" " + graph);
    row("pattern p(x) = max(mul(x, [0.5, 0.5, 0.5]), 0)\ntest \"t\" " + graph);
    row("pattern p(x) = max(mul(x, k = 0.5), 0)\ntest \"t\" " + graph);
    row("rule r { match y = max(mul(x, 0.5), 0) emit y = mul(max(x, 0), 0.5) }\n"
        "test \"t\" { graph g(x: f32[2, 3]) -> y { m = mul(x, 0.5)  y = max(m, 0) } expect match 1 "
        "expect becomes graph g(x: f32[2, 3]) -> y { m = max(x, 0)  y = mul(m, 0.5) } }");
    row("rule r { match y = max(m = mul(x, 0.5), 0) emit y = mul(relu(x), 0.5) }");
    row("rule r { match y = clip(x) {min = a, max = inf} emit y = max(x, a) }");
    row("rule r { match y = relu(x) emit y = where(greater(x, 0), x, 0) }\n"
        "test \"t\" { graph g(x: f32[3]) -> y { y = relu(x) } expect becomes graph g(x: f32[3]) -> "
        "y "
        "{ c = greater(x, 0)  y = where(c, x, 0) } }");
    row("rule r { match y = add(x: i64, 3) emit y = add(2, add(x, 1)) }");
    row("pattern p(x) = and(x, true)\ntest \"t\" { graph g(x: bool[2]) -> y { y = and(x, true) } "
        "expect match 1 }");
    row("pattern p(x) = min(x, inf)\ntest \"t\" { graph g(x: f32[2]) -> y { y = min(x, inf) } "
        "expect match 1 }");
    row("op half (x: T[S...]) -> y { y = where(greater(x, 0), mul(x, 0.5), 0) }\n");
    row("fuse f { match mul(x, 0.5) >> max(^, 0) as stacked }");
    // targets and conditions
    for (const char* head : {"on x86-64", "where rank(x) == 2",
                             "on any, x86-64-v3 where rank(x) == 2, "
                             "dtype(x) == f32"}) {
        const std::string two = "{ graph g(x: f32[2, 3]) -> y { r = relu(x)  y = tanh(r) } expect "
                                "match 1 }\n";
        row(fmt::format("rule r \"doc\" {} {{ match y = tanh(relu(x)) emit y = relu(tanh(x)) }}\n"
                        "test \"t\" {}",
                        head, two));
        row(fmt::format("pattern p(x) \"doc\" {} = tanh(relu(x))\ntest \"t\" {}", head, two));
        row(fmt::format("chain p \"doc\" {} = relu(x) >> tanh(^)\ntest \"t\" {}", head, two));
        row(fmt::format("fuse f \"doc\" {} {{ match tanh(relu(x)) as stacked }}\ntest \"t\" {}",
                        head, two));
        row(fmt::format(
            "composite c \"doc\" for onednn {} {{ match tanh(relu(x)) }}\ntest \"t\" {}", head,
            two));
        row(fmt::format("composite c for onednn \"doc\" {} {{ match tanh(relu(x)) }}", head));
        row(fmt::format("implementations relu(...) \"doc\" {} {{ mine by generated.plain }}",
                        std::string_view(head).starts_with("on") ? head
                                                                 : "on any where rank(x) == 2"));
        row(fmt::format(
            "schedule s \"doc\" for dense {} {{ epilogue.vectorize(n) }}",
            std::string_view(head).starts_with("on x86-64") ? head : "on any where rank(x) == 2"));
    }
    row("grow contraction -> elementwise forward limit 4 on x86-64 where rank(to) == 2, size(from) "
        "<= 64");
    row("grow elementwise -> elementwise never where libs has onednn");
    // Conditions of a pattern where it is used: each use by itself.
    const std::string ranks = "{ graph g(x: f32[2, 3], v: f32[3]) -> a, b { a = relu(x)  b = "
                              "relu(v) } expect match 1 }\n";
    row("pattern flat(x) where rank(x) == 1 = relu(x)\ntest \"t\" " + ranks);
    row("pattern flat(x) where rank(x) == 1 = relu(x)\npattern p(v) = flat(v)\ntest \"t\" " +
        ranks);
    row("pattern flat(x) where rank(x) == 1 = relu(x)\n"
        "rule r { match y = flat(q) emit y = neg(neg(relu(q))) strategy once }\ntest \"t\" " +
        ranks);
    row("pattern flat(x) where rank(x) == 1 = relu(x)\npattern p(v) = (flat(v) | relu(v: f32[2, "
        "3]))\n"
        "test \"t\" { graph g(x: f32[2, 3], v: f32[3], w: f32[4, 4]) -> a, b, c { a = relu(x)  "
        "b = relu(v)  c = relu(w) } expect match 2 }");
    row("chain small where size(r) <= 4 = r = relu(^)\npattern p(x) = tanh(x) >> small\n"
        "test \"t\" { graph g(x: f32[2], w: f32[8]) -> a, b { t = tanh(x)  a = relu(t)  u = "
        "tanh(w)  "
        "b = relu(u) } expect match 1 }");
    row("pattern step(x) where rank(x) == 2 = relu(x)\npattern p(x) = step(tanh(x))\n"
        "test \"t\" { graph g(x: f32[2], w: f32[8, 2]) -> a, b { t = tanh(x)  a = relu(t)  "
        "u = tanh(w)  b = relu(u) } expect match 1 }");
}

void TestForms::booksAreRight() {
    QFETCH(QString, text);
    const std::string book = text.toStdString() + "\n";
    QStringList wrong = said(book);
    wrong.removeIf([](const QString& one) { return !one.contains(u": error "_s); });
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    const FormattedText once = formatText(book, "b.fw");
    const FormattedText twice = formatText(once.text, "b.fw");
    QCOMPARE(QString::fromStdString(twice.text), QString::fromStdString(once.text));
    QStringList again = said(once.text);
    again.removeIf([](const QString& one) { return !one.contains(u": error "_s); });
    QVERIFY2(again.isEmpty(), qPrintable(again.join(u'\n')));
}

void TestForms::booksAreWrong_data() {
    QTest::addColumn<QString>("tells");
    const auto row = [](const char* text, const char* tells) {
        QTest::newRow(text) << QString::fromLatin1(tells);
    };
    row("pattern p(x) = relu((_, _) = split(x))",
        "1:21: error TXT01: none of the results has a name");
    row("pattern p(x) = relu((a, a) = split(x))", "a is the name of two results");
    row("rule r { match (a, b) = split(x) emit a = x }", "a rule needs match and emit");
    row("rule r { match (a, b) = relu(x) emit a = x, b = x }", "relu has 1 result");
    row("pattern p(x) = add((a, b) = relu(x), b)", "relu has 1 result");
    row("rule r { match y = relu(x) let (a, _) = split(x) emit y = _ }",
        "_ is bound neither by match nor by let");
    row("pattern p(x) = (a, b)", "')' expected");
    row("rule r { match y = dense(x, w) emit y = dense(x, 1) }",
        "1:50: error RUL01: w of dense has axes, a number has none");
    row("rule r { match y = add(1, 2) emit y = add(1, 2) }",
        "nothing says of which element type this operand of add is");
    row("rule r { match y = relu(x) emit y = max(x, [1, 2]) }", "[1, 2] is a list");
    row("graph g(x: i64[2]) -> y { y = add(x, 0.5) }", "1:38: error");
    row("graph g(x: u8[2]) -> y { y = add(x, 256) }", "1:37: error");
    row("graph g(x: f32[2]) -> y { y = unknown \"a\" \"B\"(x, 1) : f32[2] }",
        "nothing says of which element type");
    row("rule r on nowhere { match y = relu(x) emit y = x }", "1:11: error TXT02");
    row("pattern p(x) on nowhere = relu(x)", "1:17: error TXT02");
    row("chain c on nowhere = relu(^)", "1:12: error TXT02");
    row("composite c for onednn on nowhere { match relu(x) }", "1:27: error TXT02");
    row("grow elementwise -> elementwise forward on nowhere", "1:44: error TXT02");
    row("grow elementwise -> elementwise forward where rank(x) == 2", "error TXT02");
    row("rule r on x86-64 on any { match y = relu(x) emit y = x }", "on stands once");
    row("rule r where rank(x) == 2 on any { match y = relu(x) emit y = x }",
        "on stands before where");
    row("rule r on { match y = relu(x) emit y = x }", "a key of targets expected");
    row("pattern p(x) where = relu(x)", "an expression expected");
    row("pattern p(x) where rank(q) == 2 = relu(x)", "error TXT02");
    row("implementations relu(...) on any where rank(q) == 1 { a by generated.plain  b by "
        "generated.map }",
        "error TXT02");
    row("schedule s where rank(x) == 1 { y.vectorize(i) }", "stands behind for OPERATOR");
    row("schedule s for dense where rank(q) == 1 { epilogue.vectorize(n) }", "error TXT02");
}

void TestForms::booksAreWrong() {
    QFETCH(QString, tells);
    const QStringList all = said(std::string(QTest::currentDataTag()) + "\n");
    const QStringList errors = all.filter(u": error "_s);
    QVERIFY2(errors.size() == 1 && errors[0].contains(tells), qPrintable(all.join(u'\n')));
}

void TestForms::olderSpellingsAreTold() {
    const QStringList all = said("pattern p(x) = add(s = split(x, ...), out(1, s))\n");
    QCOMPARE(all.size(), 1);
    QVERIFY2(all[0].contains(u": note TXT01: out(N, p) is the older spelling"_s) &&
                 all[0].contains(u"(_, c) = p"_s),
             qPrintable(all[0]));
    QCOMPARE(said("pattern p(x) = relu(out(any, split(x)))\n"), QStringList());
}

void TestForms::graphsTakeNumbers() {
    const Books books = readBooks({});
    const GraphPtr graph =
        parseGraph("graph g(x: f32[3]) -> y { a = mul(x, 2)  b = max(a, -1)  c = greater(b, 0)  "
                   "y = where(c, b, nan) }",
                   books.operators)
            .value();
    const TensorData out =
        evaluateGraph(*graph, {dataFromDoubles(DType::F32, {3}, {-3, 0, 4})}).value().front();
    QVERIFY(std::isnan(out.at(0)) && std::isnan(out.at(1)));
    QCOMPARE(out.at(2), 8.0);
    // The text of the graph has them as constants, and reads back as the same graph.
    const std::string text = printGraph(*graph);
    QCOMPARE(parseGraph(text, books.operators).value()->hash().hex(), graph->hash().hex());
    // A value may have the name of a number.
    QVERIFY(parseGraph("graph g(inf: f32[3]) -> y { y = add(inf, inf) }", books.operators).ok());
    const GraphPtr unread =
        parseGraph("graph g(x: f32[4]) -> y { (_, y) = split(x) {axis = 0, sizes = [1, 3]} }",
                   books.operators)
            .value();
    QCOMPARE(parseGraph(printGraph(*unread), books.operators).value()->hash().hex(),
             unread->hash().hex());
}

void TestForms::whatANumberMatches_data() {
    QTest::addColumn<QString>("number");
    QTest::addColumn<QString>("constant");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char* number, const char* constant, bool matches) {
        QTest::addRow("%s, %s", number, constant)
            << QString::fromLatin1(number) << QString::fromLatin1(constant) << matches;
    };
    row("0.5", "[0.5] : f32[]", true);
    row("0.5", "[0.5, 0.5] : f32[2]", true);
    row("0.5", "[0.5, 0.25] : f32[2]", false);
    row("0.5", "[] : f32[0]", false);
    // As the element type holds it.
    row("0.1", "[0.1] : f32[]", true);
    row("0.1", "[0.1] : f16[]", true);
    row("0.1", "[0.1] : bf16[]", true);
    row("0.1", "[0.1] : f64[]", true);
    row("0.1", "[0.100006] : f32[]", false);
    row("0.1", "[0.1001] : f16[]", false);
    row("2049", "[2048] : f16[]", true); // f16 rounds it
    row("2049", "[2050] : f16[]", false);
    row("257", "[1] : u8[]", false);
    row("-1", "[255] : u8[]", false);
    row("0.5", "[0] : i32[]", false);
    row("2.0", "[2] : i32[]", true);
    row("9007199254740993", "[9007199254740992] : i64[]", false);
    row("9007199254740993", "[9007199254740993] : i64[]", true);
    row("inf", "[inf] : f32[]", true);
    row("1e300", "[inf] : f32[]", false);
    row("100000", "[inf] : f16[]", false);
    // Of f64 also what f32 makes of the number, but nothing else that it would take for the same.
    row("0.1", "[0.1] : f64[]", true);
    row("0.1", "[0.10000000149011612] : f64[]", true);
    row("0.1", "[0.10000000149] : f64[]", false);
    row("1", "[1.00000001] : f64[]", false);
    row("0", "[1e-60] : f64[]", false);
    row("1e60", "[2e60] : f64[]", false);
    row("-inf", "[inf] : f32[]", false);
    row("nan", "[nan, nan] : f32[2]", true);
    row("nan", "[1] : f32[]", false);
    row("0", "[-0.0] : f32[]", true);
    row("[1, 2]", "[1, 2] : i8[2]", true);
    row("[1, 2]", "[1, 2] : i8[1, 2]", false);
    row("[1, 300]", "[1, 44] : i8[2]", false);
}

void TestForms::whatANumberMatches() {
    QFETCH(QString, number);
    QFETCH(QString, constant);
    QFETCH(bool, matches);
    const QString type = constant.section(u": "_s, 1).section(u'[', 0, 0);
    for (const QString& written : {number, u"const "_s + number}) {
        const QString book =
            u"pattern p(x) = add(x, %1)\ntest \"t\" { graph g(x: %2[2]) -> y { c = const %3  "
            "y = add(x, c) } expect %4 }\n"_s.arg(written, type, constant,
                                                  matches ? u"match 1"_s : u"none"_s);
        const QStringList all = said(book.toStdString());
        // What is broadcast with no elements does not fit the graph.
        if (!constant.startsWith(u"[] "_s) && !constant.contains(u"[1, 2]"_s + u" : i8[1"_s))
            QVERIFY2(all.isEmpty(), qPrintable(all.join(u'\n')));
    }
}

// What is for another target does nothing; tests take it as given.
void TestForms::targetsDecide() {
    for (const char* text : {"pattern p(x) on haswell = relu(x)", "chain p on haswell = relu(^)"}) {
        const Books books = readBooks({{"b.fw", std::string(text) + "\n"}});
        const GraphPtr graph =
            parseGraph("graph g(x: f32[3]) -> y { y = relu(x) }", books.operators).value();
        const PreparedPatterns prepared(books.patterns.at("p")->pattern, books.patterns);
        for (const bool offered : {true, false}) {
            const TargetOffer offer{{offered ? "haswell" : "x86-64", "any"}, {}};
            MatchOptions options;
            options.offer = &offer;
            Matcher matcher(*graph, books.patterns, options);
            const bool chain = std::string_view(text).starts_with("chain");
            if (!chain)
                QCOMPARE(matcher.matchesAt(prepared, graph->results()[0].value), offered);
        }
    }
}

FW_TEST(TestForms, QCoreApplication)
#include "test_forms.moc"
