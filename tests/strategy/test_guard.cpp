// Guards: three truths over dims, attributes, operands and the target, with the values they saw.
#include "book/book.h"
#include "common/test.h"
#include "condition/exclusion.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "strategy/selection.h"

#include <algorithm>

using namespace fw;
using namespace Qt::StringLiterals;

namespace {

struct Case {
    GraphPtr graph;
    Workload workload;
};

Case caseOf(const std::string& text, const std::string& op,
            const std::shared_ptr<const OperatorSet>& operators = standardOperators()) {
    Case out;
    out.graph = parseGraph(text, operators).value();
    for (const NodePtr& node : out.graph->nodes())
        if (node->op == op)
            out.workload = {
                out.graph.get(), node.get(),
                out.graph->operators().find(op)->facts(callOf(*out.graph, *node)).value()};
    return out;
}

Case dense() {
    return caseOf(
        "graph g(x: f32[4, N, 64]) -> y { w = const random(1) : f32[128, 64]  y = dense(x, w) }",
        "dense");
}

Case convolution() {
    return caseOf("graph g(x: f32[1, 8, 9, 9]) -> y { w = const random(1) : f32[16, 8, 3, 3]  "
                  "y = conv2d(x, w) {strides = [2, 2]} }",
                  "conv2d");
}

Case softmax() {
    return caseOf("graph g(x: f32[2, 5, 7]) -> y { y = softmax(x) {axis = 1} }", "softmax");
}

ConditionResult decide(const Case& test, const std::string& op, const std::string& head,
                       const std::string& guard) {
    const FileTree tree =
        parseFile("implementations " + op + head + " on any { a when " + guard + " }", "g.fw");
    if (!tree.errors.empty())
        qFatal("%s", tree.errors.front().text().c_str());
    const auto block = declarationAs<ImplementationsTree>(tree.declarations.front());
    const EntryTree& entry = block->entries.front();
    const TargetOffer target{{"x86-64-v3", "x86-64", "any"}, {"onednn"}};
    Scope scope = callScope(*block, test.workload).value();
    scope.offer = &target;
    return decide(*entry.guard, scope);
}

} // namespace

class TestGuard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void truths_data();
    void truths();
    void valuesAreTold();
    void optionalOperands();
    void signaturesMustFit();
    void keysGoFromTheSpecific();
    void noSizes_data();
    void noSizes();
    void guardsThatNoSizesMeet_data();
    void guardsThatNoSizesMeet();
};

// Held against all sizes up to 40 in three dimensions: what is said to hold nowhere does not.
void TestGuard::noSizes_data() {
    QTest::addColumn<QString>("guard");
    QTest::addColumn<QString>("known");
    QTest::addColumn<bool>("proved");
    const auto row = [](const char* guard, const char* known, bool proved) {
        QTest::addRow("%s given %s", guard, known)
            << QString::fromUtf8(guard) << QString::fromUtf8(known) << proved;
    };
    row("N > 16 && N < 9", "N >= 0", true);
    row("N > 16 && N < 18", "N >= 0", false); // 17
    row("N > 16 && N < 17", "N >= 0", true);
    row("N > 16", "N <= 16", true);
    row("N > 15", "N <= 16", false);
    row("N == 3 || N > 9", "N < 3", true);
    row("N == 3 || N > 9", "N <= 3", false);
    row("N == 3 || N > 9", "N != 3 && N < 10", true);
    row("!(N <= 4) && !(N > 4)", "N >= 0", true);
    row("B * N <= 12", "B >= 4 && N >= 4", true);
    row("B * N <= 16", "B >= 4 && N >= 4", false);
    row("B * N > 30 && B * N < 20", "N >= 0", true);
    row("B == N && N == C && B != C", "N >= 0", true);
    row("N < 0", "N >= 0", true);
    row("N % 4 == 5", "N >= 0", true);
    row("N % 4 == 3", "N >= 0", false);
    row("N <= 4 && B <= 4 && (N + B > 8)", "N >= 0", true);
    row("N > 2147483648", "N >= 0", true);
    row("N > 2147483647", "N >= 0", false); // beyond what is counted here
}

void TestGuard::noSizes() {
    QFETCH(QString, guard);
    QFETCH(QString, known);
    QFETCH(bool, proved);
    const auto conditionOf = [](const QString& text) {
        const Case test =
            caseOf("graph g(x: f32[B, N, C], w: f32[8, C]) -> y { y = dense(x, w) }", "dense");
        const ConditionResult found =
            decide(test, "dense", "(x: f32[B, N, C], w: f32[O, C])", text.toStdString());
        return found.truth == Truth::Unknown ? *found.open : boolExpr(found.truth == Truth::Yes);
    };
    const Expr condition = conditionOf(guard), given = conditionOf(known);
    QCOMPARE(holdsNowhere(condition, {given}), proved);
    for (std::int64_t b = 0; b <= 40; ++b)
        for (std::int64_t n = 0; n <= 40; ++n)
            for (std::int64_t c = 0; c <= 40; c += 5) {
                const Bindings sizes{{Symbol("B"), b}, {Symbol("N"), n}, {Symbol("C"), c}};
                const bool holds = evalIndex(condition, sizes).value() != 0 &&
                                   evalIndex(given, sizes).value() != 0;
                QVERIFY(!proved || !holds);
            }
}

void TestGuard::guardsThatNoSizesMeet_data() {
    QTest::addColumn<QString>("guard");
    QTest::addColumn<bool>("wrong");
    const auto row = [](const char* guard, bool wrong) {
        QTest::newRow(guard) << QString::fromUtf8(guard) << wrong;
    };
    row("M > 16 && M < 9", true); // size(P)
    row("M > 16 && M < 18", false);
    row("K < 0", true);
    row("K > 2147483648", true);
    row("K > 2147483647", false);
    row("M > 4294967296", false); // a product of extents
    row("K == 3 && libs has onednn && K == 4", true);
    row("K == 3 && const(w) || K == 4", false);
}

void TestGuard::guardsThatNoSizesMeet() {
    QFETCH(QString, guard);
    QFETCH(bool, wrong);
    const Books books = readBooks(
        {{"own.fw",
          "implementations dense(x: f32[P..., K], w: f32[O, K]) let M = size(P) on any {\n"
          "  none by generated.tiled priority 20 when " +
              guard.toStdString() + "\n  other by generated.plain }\n"}});
    // The block counts all the same.
    const std::vector<MergedEntry> entries =
        books.strategy.entries("dense", FusionKind::Contraction, {"any"});
    for (const char* name : {"none", "other"})
        QVERIFY(std::any_of(entries.begin(), entries.end(),
                            [&](const MergedEntry& entry) { return entry.name == name; }));
    std::string said;
    for (const Diag& diag : books.diagnostics)
        if (diag.code == DiagCode::RuleIllegal)
            said = diag.text();
    QCOMPARE(QString::fromStdString(said).section(u": "_s, 1),
             wrong
                 ? QStringLiteral("warning RUL01: none computes nothing: no sizes meet %1 (a size "
                                  "lies between 0 and 2147483648)")
                       .arg(guard)
                 : QString());
    QVERIFY(!wrong || said.starts_with("own.fw:2:"));
}

void TestGuard::truths_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("guard");
    QTest::addColumn<int>("truth");
    const auto row = [](const char* op, const char* guard, Truth truth) {
        QTest::newRow(guard) << QString::fromUtf8(op) << QString::fromUtf8(guard)
                             << static_cast<int>(truth);
    };
    row("dense", "K == 64", Truth::Yes);
    row("dense", "K > 64", Truth::No);
    row("dense", "K >= 64 && K <= 64 && K < 65", Truth::Yes);
    row("dense", "K != 64 || K == 64", Truth::Yes);
    row("dense", "M > 16", Truth::Unknown); // 4 * N, and N is free
    row("dense", "M >= 0", Truth::Yes);     // as every dim
    row("dense", "M > 16 && K == 1", Truth::No);
    row("dense", "M > 16 || K == 64", Truth::Yes);
    row("dense", "!(M > 16)", Truth::Unknown);
    row("dense", "M % 4 == 0", Truth::Yes);
    row("dense", "const(w) && !const(x)", Truth::Yes);
    row("dense", "dtype(x) == f32", Truth::Yes);
    row("dense", "dtype(x) != f32", Truth::No);
    row("dense", "rank(x) == 3 && dim(x, 2) == K", Truth::Yes);
    row("dense", "size(w) == 128 * 64", Truth::Yes);
    row("dense", "min(K, 128) == 64 && max(K, 128) == 128", Truth::Yes);
    row("dense", "libs has onednn", Truth::Yes);
    row("dense", "libs has openblas", Truth::No);
    row("dense", "target has x86-64-v3 && !(target has x86-64-v4)", Truth::Yes);
    row("dense", "dim(x, 9) == 1", Truth::Unknown);
    row("conv2d", "KH == 3 && KW == 3", Truth::Yes);
    row("conv2d", "strides == [1, 1]", Truth::No);
    row("conv2d", "strides != [1, 1] && strides[0] == 2", Truth::Yes);
    row("conv2d", "pads == [0, 0, 0, 0]", Truth::Yes); // the default, not written at the node
    row("conv2d", "OH == 4 && O == 16", Truth::Yes);
    row("conv2d", "groups == 1", Truth::Yes);
    row("softmax", "D == 5 && size(P) == 2 && size(Q) == 7", Truth::Yes);
}

void TestGuard::truths() {
    QFETCH(QString, op);
    QFETCH(QString, guard);
    QFETCH(int, truth);
    const bool isDense = op == QStringLiteral("dense");
    const Case test = isDense                           ? dense()
                      : op == QStringLiteral("softmax") ? softmax()
                                                        : convolution();
    const ConditionResult verdict = decide(
        test, op.toStdString(), isDense ? "(...) let M = size(P)" : "(...)", guard.toStdString());
    QCOMPARE(static_cast<int>(verdict.truth), truth);
}

void TestGuard::valuesAreTold() {
    QCOMPARE(decide(dense(), "dense", "(...)", "K > 100 && libs has openblas").evidence,
             std::string("K > 100 && libs has openblas: K = 64, openblas is not in the target's "
                         "libraries"));
    QCOMPARE(decide(dense(), "dense", "(x: f32[P..., K], w: f32[O, K])", "O == 128").truth,
             Truth::Yes);
}

// Said of an operand that is not there, anything but given() holds.
void TestGuard::optionalOperands() {
    const Books books = readBooks({{"own.fw", "op shifted(x: T[N], b?: T[N]) -> y: T[N] {\n"
                                              "  y[n] = given(b, x[n] + b[n], x[n]) }\n"}});
    const Case with = caseOf("graph g(x: f32[4], c: f32[4]) -> y { y = shifted(x, c) }", "shifted",
                             books.operators);
    const Case without =
        caseOf("graph g(x: f32[4]) -> y { y = shifted(x) }", "shifted", books.operators);
    const auto truth = [](const Case& test, const char* guard) {
        return decide(test, "shifted", "(...)", guard).truth;
    };
    QCOMPARE(truth(with, "given(b)"), Truth::Yes);
    QCOMPARE(truth(with, "!given(b)"), Truth::No);
    QCOMPARE(truth(without, "given(b)"), Truth::No);
    QCOMPARE(truth(without, "!given(b)"), Truth::Yes);
    QCOMPARE(truth(with, "rank(b) == 2"), Truth::No);
    QCOMPARE(truth(without, "rank(b) == 2"), Truth::Yes);
    QCOMPARE(truth(with, "given(b, rank(b), 7) == 1"), Truth::Yes);
    QCOMPARE(truth(without, "given(b, rank(b), 7) == 7"), Truth::Yes);
}

void TestGuard::signaturesMustFit() {
    const Case test = dense();
    for (const char* head :
         {"(x: f64[P..., K], w: f64[N, K])", "(x: f32[K], w: f32[N, K])",
          "(x: f32[P..., 32], w: f32[N, K])", "(x: f32[P..., K], w: f32[K, K])"}) {
        const FileTree tree =
            parseFile(std::string("implementations dense") + head + " on any { a }", "g.fw");
        QVERIFY(tree.errors.empty());
        const auto block = declarationAs<ImplementationsTree>(tree.declarations.front());
        QVERIFY2(!callScope(*block, test.workload).ok(), head);
    }
}

void TestGuard::keysGoFromTheSpecific() {
    QCOMPARE(targetKeys(parseTarget("x86-64 -mcpu=x86-64-v3").value()),
             (std::vector<std::string>{"x86-64-v3", "x86-64-v2", "x86-64", "cpu", "any"}));
    QCOMPARE(targetKeys(parseTarget("x86-64 -mcpu=haswell").value()).front(),
             std::string("haswell"));
}

FW_TEST(TestGuard, QCoreApplication)
#include "test_guard.moc"
