// What is derived about each operand survives when single elements of it are changed.
#include "common/test.h"
#include "operators.h"
#include "tensor/falsify.h"

using namespace fw;
using namespace fw::testing;

class TestOperandKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds_data();
    void kinds();
};

void TestOperandKinds::kinds_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("types");
    QTest::addColumn<QStringList>("kinds");
    const auto row = [](const char* text, const QStringList& types, const QStringList& kinds) {
        QTest::newRow(text) << QByteArray(text) << types << kinds;
    };
    row("op a(x: T[N, M], b: T[M]) -> y: T[N, M] { y[n, m] = x[n, m] + b[m] * b[m] }",
        {"f32[3, 4]", "f32[4]"}, {"elementwise", "broadcast"});
    row("op a(x: T[N]) -> y: T[N, N] { y[i, j] = x[i] * x[j] }", {"f32[4]"}, {"injective"});
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] + x[N - 1 - n] }", {"f32[4]"}, {"injective"});
    row("op a(x: T[N, M]) -> y: T[N] { y[n] = sum(m in M : x[n, m]) / max(m in M : x[n, m]) }",
        {"f32[3, 4]"}, {"reduction"});
    row("op a(x: T[N, N]) -> y: T[N] { y[n] = sum(m in N : x[n, m]) + sum(m in N : x[m, n]) }",
        {"f32[4, 4]"}, {"rowwise"});
    row("op a(x: T[N, K], w: T[K, M], z: T[S]) -> y: T[N, M] {\n"
        "  y[n, m] = sum(k in K : x[n, k] * w[k, m]) + sum(s in S : z[s]) }",
        {"f32[2, 3]", "f32[3, 4]", "f32[5]"}, {"contraction", "contraction", "rowwise"});
    row("op a(x: T[N, M], z: T[M]) -> y: T[N] { let a[n, m] = x[n, m] + z[m]\n"
        "  y[n] = sum(m in M : a[n, m]) }",
        {"f32[3, 4]", "f32[4]"}, {"reduction", "window"});
    row("op a(x: T[N, M]) -> y: T[] { let r[n] = sum(m in M : x[n, m])\n"
        "  y[] = max(n in N : r[n]) }",
        {"f32[3, 4]"}, {"reduction"});
    row("op a(x: T[N, M]) -> y: T[N, M] { let h[n] = max(m in M : x[n, m])\n"
        "  y[n, m] = x[n, m] - h[n] }",
        {"f32[3, 4]"}, {"rowwise"});
    row("op a(x: T[N, M], attr k: int = 7) -> y: T[N, K] where K = k { y[n, m] = pad(x[n, m], 0) }",
        {"f32[3, 4]"}, {"injective"});
    row("op a(x: T[N, M], attr k: int = 2) -> y: T[N, K] where K = k {\n"
        "  y[n, m] = x[n, wrap(m, M)] }",
        {"f32[3, 4]"}, {"injective"});
    row("op a(x: T[N], b: T[M]) -> y: T[M, N] { y[m, n] = pad(x[n], 0) + b[m] }",
        {"f32[4]", "f32[3]"}, {"broadcast", "broadcast"});
    row("op a(x: T[N]) -> (y: T[N], z: T[N]) { z[n] = x[N - 1 - n]  y[n] = x[n] + z[n] }",
        {"f32[4]"}, {"injective"});
}

void TestOperandKinds::kinds() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, types);
    QFETCH(QStringList, kinds);
    const OperatorSet operators = operatorsOf(text.toStdString(), "t.fw");
    std::vector<std::string> operands;
    for (const QString& type : types)
        operands.push_back(type.toStdString());
    const OpCall call = callOf(operands);
    const Operator& op = *operators.find("a");
    const Result<Facts> facts = op.facts(call);
    QVERIFY2(facts.ok(), facts.ok() ? "" : facts.diag().text().c_str());
    QStringList derived;
    for (const FusionKind kind : facts->inputKinds)
        derived << QString::fromUtf8(kindText(kind).data(), qsizetype(kindText(kind).size()));
    QCOMPARE(derived, kinds);
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
        const Status survived = falsifyFacts(op, call, seed);
        QVERIFY2(survived.ok(), survived.ok() ? "" : survived.diag().text().c_str());
    }
}

FW_TEST(TestOperandKinds, QCoreApplication)
#include "test_operand_kinds.moc"
