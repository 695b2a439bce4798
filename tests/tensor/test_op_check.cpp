// What is wrong with an operator is said before anybody calls it, all of it, with its place.
#include "tensor/op_check.h"
#include "tensor/operators.h"

#include <QtTest>

#include <chrono>
#include <fstream>
#include <sstream>

using namespace fw;

namespace {

QStringList errorsOf(const char* text, OperatorTrials* trials = nullptr) {
    const FileTree tree = parseFile(text, "t.fw");
    if (!tree.errors.empty())
        return {QString::fromStdString(tree.errors.front().text())};
    QStringList out;
    for (const Diag& diag :
         checkOperator(*declarationAs<OpTree>(tree.declarations.at(0)), "t.fw", trials))
        out << QString::fromStdString(std::to_string(diag.where.line) + ":" +
                                      std::to_string(diag.where.column) + " " +
                                      std::string(codeText(diag.code)) + " " + diag.message);
    return out;
}

} // namespace

class TestOpCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLibraryPasses();
    void sound_data();
    void sound();
    void requirementsWithoutACall();
    void wrong_data();
    void wrong();
    void allErrorsInOnePass();
};

void TestOpCheck::theLibraryPasses() {
    int operators = 0;
    std::chrono::steady_clock::duration slowest{};
    for (const char* name : {"elementwise", "contraction", "window", "movement", "normalization",
                             "losses", "quantization", "resample", "selection", "signal"}) {
        std::ifstream file(std::string(FW_SOURCE_DIR "/resources/library/") + name + ".fw");
        std::stringstream text;
        text << file.rdbuf();
        const FileTree tree = parseFile(text.str(), name);
        for (const DeclarationPtr& declaration : tree.declarations) {
            const auto op = declarationAs<OpTree>(declaration);
            if (!op)
                continue;
            OperatorTrials trials;
            const auto begin = std::chrono::steady_clock::now();
            const Diags errors = checkOperator(*op, name, &trials);
            slowest = std::max(slowest, std::chrono::steady_clock::now() - begin);
            QVERIFY2(errors.empty(), errors.empty() ? "" : errors.front().text().c_str());
            QVERIFY2(trials.fitting > 0 && trials.facts > 0, op->name.c_str());
            ++operators;
        }
    }
    QVERIFY(operators > 50);
    QVERIFY2(slowest < std::chrono::milliseconds(500),
             std::to_string(std::chrono::duration<double>(slowest).count()).c_str());
}

void TestOpCheck::sound_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* text) { QTest::newRow(text) << QByteArray(text); };
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n + 1], 0) - x[n] }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] % 2 }");                          // integers only
    row("op a(x: T[N]) -> y: T[N] { y[n] = exp(x[n]) }");                         // floats only
    row("op a(x: T[N]) -> y: T[N] { y[n] = select(x[n] && true, x[n], !x[n]) }"); // truths only
    row("op a(x: T[N], i: I[M]) -> y: T[M] { y[m] = x[wrap(i[m], N)] }");
    row("op a(x: T[N]) requires N >= 1 -> y: T[] { y[] = x[0] }");
    row("op a(x: T[N], attr mode: text = \"near\", attr axes: int[] = [0]) "
        "requires N in {2, 4}, mode != \"far\" && axes != [1], T in {f32, f16} -> y: T[N] { y[n] = "
        "x[n] }");
    row("op a(x: T[N, M], b?: T[M]) -> y: T[N, M] { y[n, m] = x[n, m] + given(b, b[m], 0) }");
    row("op a(x: T[P..., D@axis, Q...], attr axis: int) -> y: T[P..., Q...] {\n"
        "  y[p..., q...] = sum(d in D : x[p..., d, q...]) }");
    row("op a(x: T[N]) -> y: bool[] { y[] = max(k in N : x[k] > 0) }");
    row("op a(x: T[N], b?: T[M]) requires M == 9 || M == N + 20, N > 2 -> y: T[N] {\n"
        "  y[n] = x[n] + given(b, b[n % M], 0) }"); // nothing is asked of b where it is absent
    // Where a few extents or values do only.
    row("op a(x: T[N, M]) requires N == 9, M > 16 && M % 8 == 0 -> y: T[N] {\n"
        "  y[n] = x[n, 16] + sum(m in M : x[n, m]) }");
    row("op a(x: T[N], attr k: int, attr by: int[2] = [1, 1]) requires k >= 7, by in {[2, 2], [3, "
        "3]} -> y: T[N] { y[n] = x[n] + k }");
    row("op a(x: T[N], attr k: int = 9) requires N == 7 || N == 11, k > -3, 0 > k -> y: T[N] {\n"
        "  y[n] = x[n] * k }");
    row("op a(x: T[N]) -> y: T[N, N] { y[i, j] = x[i] * x[j] }");
    row("op a(xs*: T[N]) -> y: T[M] where M = total(N) { each xs: y[before(N) + n] = xs[n] }");
}

// Nothing fits, and nothing overflows.
void TestOpCheck::requirementsWithoutACall() {
    for (const char* requirement :
         {"N > 4, N < 3", "N == 9223372036854775807", "N > -9223372036854775807, N < 0",
          "N % 1000000007 == 1000000006, N < 1000"}) {
        OperatorTrials trials;
        const QStringList errors = errorsOf(
            ("op a(x: T[N]) requires " + std::string(requirement) + " -> y: T[N] { y[n] = x[n] }")
                .c_str(),
            &trials);
        QVERIFY2(errors.isEmpty(), qPrintable(errors.join(u'\n')));
        QCOMPARE(trials.fitting, 0);
    }
}

void TestOpCheck::sound() {
    QFETCH(QByteArray, text);
    OperatorTrials trials;
    const QStringList errors = errorsOf(text.constData(), &trials);
    QVERIFY2(errors.isEmpty(), qPrintable(errors.join(u'\n')));
    QVERIFY(trials.fitting > 0);
    QVERIFY(trials.facts > 0);
}

void TestOpCheck::wrong_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* text, const char* said) {
        QTest::newRow(text) << QByteArray(text) << QString::fromLatin1(said);
    };
    row("op a(x: T[N]) requires M >= 1 -> y: T[N] { y[n] = x[n] }",
        "1:24 TXT02 nothing is named M here");
    row("op a(x: T[N], attr mode: text = \"\") requires N > mode -> y: T[N] { y[n] = x[n] }",
        "1:46 RUL01 an integer and a text are not compared by >");
    row("op a(x: T[N]) -> y: T[N] { y[n] = foo(x[n]) }",
        "1:35 TXT02 a: there is no function 'foo'");
    row("op a(x: T[N]) -> y: T[N] { y[n] = median(k in N : x[k]) }",
        "1:35 TXT02 a: there is no reduction 'median'");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] + q }", "1:42 TXT02 a: 'q' is not known here");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n + 1] }",
        "1:35 TXT04 a: x[n + 1] may lie outside f32[2]");
    row("op a(x: T[N], i: I[M]) -> y: T[M] { y[m] = x[i[m]] }",
        "1:44 TXT04 a: x[i[m]] may lie outside f32[2]");
    // Only where there is one element more, or none.
    row("op a(x: T[N]) -> y: T[] { y[] = x[0] }", "1:33 TXT04 a: x[0] may lie outside f32[0]");
    row("op a(x: T[N]) -> y: T[] { y[] = x[1] }", "1:33 TXT04 a: x[1] may lie outside f32[1]");
    // Where x has no element; `requires` speaks of it, so the read is not guarded.
    row("op a(x: T[N], i: I[M]) requires N >= 0 -> y: T[M] { y[m] = x[wrap(i[m], N)] }",
        "may lie outside f32[0]");
    // Only from a certain rank on.
    row("op a(x: T[S...]) -> y: T[S...] { y[s...] = x[s... * 2] }", "1:44 TXT04");
    row("op a(x: T[N]) -> y: T[N] { y[n + 1] = x[n] }", "1:28 TXT04 a: a write may lie outside y");
    row("op a(x: T[N]) -> y: T[M] where M = 2 * N { y[n + 0] = x[n] }", "of 4 elements of y");
    row("op a(x: T[N]) -> y: bool[N] { y[n] = x[n] + 1 }", "1:38 TXT03 a: y is bool");
    row("op a(x: T[N]) -> y: bool[] { y[] = sum(k in N : x[k] > 0) }",
        "1:36 TXT03 a: sum() takes numbers, not bool");
    row("op a(x: T[N]) -> y: bool[] { y[] = prod(k in N : x[k] > 0) || true }",
        "1:36 TXT03 a: prod() takes numbers, not bool");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n, n] }", "has 1 dimensions, read with 2 indices");
    row("op a(x: T[N], attr k: int = 3) -> y: T[N] { y[n] = x[n] + x[k] }", "TXT04 a: x[3]");
}

void TestOpCheck::wrong() {
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    const QStringList errors = errorsOf(text.constData());
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors[0].contains(said), qPrintable(errors[0]));
}

void TestOpCheck::allErrorsInOnePass() {
    QStringList errors =
        errorsOf("op bad (x: T[N]) -> y: T[N] {\n"
                 "  y[n] = foo(x[n + 1]) + argmax(k in N : x[k]) + x[n - 1] * bar() }");
    QCOMPARE(errors.size(), 5);
    QVERIFY2(errors[0].startsWith(u"2:10 TXT02 bad: there is no function 'foo'"),
             qPrintable(errors[0]));
    QVERIFY2(errors[1].startsWith(u"2:14 TXT04 bad: x[n + 1] may lie outside"),
             qPrintable(errors[1]));
    QVERIFY2(errors[2].startsWith(u"2:26 TXT02 bad: there is no reduction 'argmax'"),
             qPrintable(errors[2]));
    QVERIFY2(errors[3].startsWith(u"2:50 TXT04 bad: x[n - 1] may lie outside"),
             qPrintable(errors[3]));
    QVERIFY2(errors[4].startsWith(u"2:61 TXT02 bad: there is no function 'bar'"),
             qPrintable(errors[4]));
    // Of the declaration, too.
    errors = errorsOf("op two(x: T[N], x: T[N]) -> (y: T[N], z: T[N]) { y[n] = w[n] }");
    QCOMPARE(errors.size(), 3);
}

QTEST_GUILESS_MAIN(TestOpCheck)
#include "test_op_check.moc"
