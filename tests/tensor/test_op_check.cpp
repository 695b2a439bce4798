// What is wrong with an operator is said before anybody calls it, all of it, with its place.
#include "common/test.h"
#include "common/thread_time.h"
#include "tensor/op_check.h"
#include "tensor/operators.h"

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
    void requirementsThatExcludeEachOther_data();
    void requirementsThatExcludeEachOther();
    void requirementsThatMayHold_data();
    void requirementsThatMayHold();
    void defaults_data();
    void defaults();
    void wrong_data();
    void wrong();
    void allErrorsInOnePass();
};

void TestOpCheck::theLibraryPasses() {
    int operators = 0;
    double slowest = 0;
    for (const char* name :
         {"elementwise", "contraction", "window", "movement", "normalization", "integers", "losses",
          "quantization", "resample", "selection", "signal"}) {
        std::ifstream file(std::string(FW_SOURCE_DIR "/resources/library/") + name + ".fw");
        std::stringstream text;
        text << file.rdbuf();
        const FileTree tree = parseFile(text.str(), name);
        for (const DeclarationPtr& declaration : tree.declarations) {
            const auto op = declarationAs<OpTree>(declaration);
            if (!op || op->standsForCalls())
                continue;
            OperatorTrials trials;
            const double begin = test::threadSeconds();
            const Diags errors = checkOperator(*op, name, &trials);
            slowest = std::max(slowest, test::threadSeconds() - begin);
            QVERIFY2(errors.empty(), errors.empty() ? "" : errors.front().text().c_str());
            // The extents of its operands follow from products of each other: no draw meets them.
            const bool isMet = op->name != "deform_conv2d";
            QVERIFY2((trials.fitting > 0 && trials.facts > 0) == isMet, op->name.c_str());
            ++operators;
        }
    }
    QVERIFY(operators > 50);
    QVERIFY2(slowest < 0.5, std::to_string(slowest).c_str());
}

void TestOpCheck::sound_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* text) { QTest::newRow(text) << QByteArray(text); };
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n + 1], 0) - x[n] }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] % 2 }");                          // integers only
    row("op a(x: T[N]) -> y: T[N] { y[n] = exp(x[n]) }");                         // floats only
    row("op a(x: T[N]) -> y: T[N] { y[n] = select(x[n] && true, x[n], !x[n]) }"); // truths only
    row("op a(x: T[N], i: I[M]) -> y: T[M] { y[m] = x[wrap(i[m], N)] }");
    // Far outside, and within 64 bits.
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n + 9223372036854770000], 0) }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[min(n + 1, 9223372036854775807)], 0) }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n - 9223372036854775807], 0) }");
    // Into the range of no element, whatever the index is there.
    for (const char* index : {"clamp(0, 0, N - 1)", "clamp(cast(i[m], i64) * N, 0, N - 1)",
                              "wrap(m * N / 2, N)", "wrap(N, N)"})
        row(("op a(x: T[N], i: I[M]) -> y: T[M] { y[m] = x[" + std::string(index) + "] }").c_str());
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
    row("op a(x: T[N], attr k: int, attr by: int[2] = [2, 2]) requires k >= 7, by in {[2, 2], [3, "
        "3]} -> y: T[N] { y[n] = x[n] + k }");
    row("op a(x: T[N], attr k: int = -1) requires N == 7 || N == 11, k > -3, 0 > k -> y: T[N] {\n"
        "  y[n] = x[n] * k }");
    row("op a(x: T[N]) -> y: T[N, N] { y[i, j] = x[i] * x[j] }");
    row("op a(xs*: T[N]) -> y: T[M] where M = total(N) { each xs: y[before(N) + n] = xs[n] }");
    // Every element once, in another order than that of the axes.
    row("op a(x: T[N]) -> y: T[N] { y[N - 1 - n] = x[n] }");
    row("op a(x: T[N, M]) -> y: T[M, N] { y[m, n] = x[n, m] }");
    row("op a(x: T[N]) requires N % 2 == 1 -> y: T[N] { y[(n * 2) % N] = x[n] }");
    row("op a(x: T[N], z: T[M]) -> y: T[K] where K = 2 * N { y[k] = pad(x[k / 2], 0) }");
    // Rounded down, the rest by a number below 0 lies between that and 0.
    row("op a(x: T[N]) requires N >= 1 -> y: T[N] { y[n] = x[n % -1] }");
    row("op a(x: T[N, M]) requires M >= 1 -> y: T[N] { y[n] = x[n, n % (-1)] }");
    row("op a(x: T[N]) requires N >= 3 -> y: T[N] { y[n] = x[n % -3 + 2] }");
    row("op a(x: T[N]) requires N >= 3 -> y: T[N] { y[n] = x[-(n % -3)] }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n % -3], 0) }");
    row("op a(x: T[N], n: i64[]) requires N >= 1 -> y: T[N] {\n"
        "  y[i] = x[min(max(i % n[], 0), N - 1)] }");
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in N, j in N + 1 : x[k] * j) }");
    // Refused where the attribute is 0, of use elsewhere.
    row("op a(x: T[N], attr k: int) -> y: T[N / k] { y[n] = pad(x[n], 0) }");
    row("op a(x: T[S...], attr k: int[]) -> y: T[(S / k)...] { y[s...] = pad(x[s...], 0) }");
    row("op a(x: T[N], attr k: int) -> y: T[N] { y[n] = sum(j in N / k : x[n % k]) }");
}

// Nothing that is tried fits, and nothing overflows.
void TestOpCheck::requirementsWithoutACall() {
    for (const char* requirement :
         {"N == 9223372036854775807", "N % 1000000007 == 1000000006, N % 7 == 1"}) {
        OperatorTrials trials;
        const QStringList errors = errorsOf(
            ("op a(x: T[N]) requires " + std::string(requirement) + " -> y: T[N] { y[n] = x[n] }")
                .c_str(),
            &trials);
        QVERIFY2(errors.isEmpty(), qPrintable(errors.join(u'\n')));
        QCOMPARE(trials.fitting, 0);
    }
}

void TestOpCheck::requirementsThatExcludeEachOther_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* operands, const char* requirement, const char* said) {
        QTest::newRow(requirement) << QByteArray((std::string("op a(") + operands + ") requires " +
                                                  requirement + " -> y: T[N] { y[n] = x[n] }")
                                                     .c_str())
                                   << QString::fromLatin1(said);
    };
    const char* const never = "RUL01 a: no call meets requires ";
    row("x: T[N]", "N < 0", never);
    row("x: T[N]", "N > 4, N < 3", never);
    row("x: T[N]", "N > 4 && N < 3", never);
    row("x: T[N]", "N > -9223372036854775807, N < 0", never);
    row("x: T[N]", "N == 2, N == 3", never);
    row("x: T[N]", "N != N", never);
    row("x: T[N]", "N % 2 == 3", never);
    row("x: T[N]", "1 == 2", never);
    row("x: T[N]", "2 * N < N", never);
    row("x: T[N], z: T[M]", "N > M, M > N", never);
    row("x: T[N]", "T == f32, T in {f64, i32}", never);
    row("x: T[N], z: U[N]", "T == U, T == f32, U == f64", never);
    row("x: T[N], attr k: int", "k > 3, k < 2", never);
    row("x: T[N], attr k: int = -5", "k < 0 - N, k > 0", never);
    // A default that cannot stay.
    const char* const left = "RUL01 a: the default of k does not meet requires ";
    row("x: T[N], attr k: int = 0", "k >= 1", left);
    row("x: T[N], attr k: int = 0", "k > N", left);
    row("x: T[N], attr k: bool = false", "k == 1", left);
    row("x: T[N], attr k: float = 0.5", "k > 1.0", left);
    row("x: T[N], attr k: int[2] = [0, 0]", "k[1] > 0", left);
    row("x: T[N], attr k: int[2] = [1, 2]", "k == [2, 2]", left);
    row("x: T[N], attr k: text = \"near\"", "k in {\"far\", \"middle\"}", left);
    row("x: T[N], attr k: dtype = f16", "k == f32", left);
}

void TestOpCheck::requirementsThatExcludeEachOther() {
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    const QStringList errors = errorsOf(text.constData());
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors[0].contains(said), qPrintable(errors[0]));
}

void TestOpCheck::requirementsThatMayHold_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* operands, const char* requirement) {
        QTest::newRow(requirement) << QByteArray((std::string("op a(") + operands + ") requires " +
                                                  requirement + " -> y: T[N] { y[n] = x[n] }")
                                                     .c_str());
    };
    row("x: T[N]", "N < 1"); // an empty one
    row("x: T[N]", "N > 3, N < 5");
    row("x: T[N], b?: T[M]", "M < 0"); // holds where b is absent
    row("x: T[N], attr k: int", "k < 0");
    row("x: T[N], attr k: int", "k < 0 - N");
    row("x: T[N], attr k: float", "k > 0.5, k < 0.9");
    // One of them must be written; which one is up to the call.
    row("x: T[N], attr k: int = 0, attr j: int = 0", "k > 0 || j > 0");
    row("x: T[N], attr k: int = 0", "k < N");
    row("x: T[N], z: U[N]", "T != U");
    row("x: T[N, S...]", "rank(S) == 9");
}

void TestOpCheck::requirementsThatMayHold() {
    QFETCH(QByteArray, text);
    for (const QString& error : errorsOf(text.constData()))
        QVERIFY2(!error.contains(u"no call meets") && !error.contains(u"does not meet"),
                 qPrintable(error));
}

void TestOpCheck::defaults_data() {
    QTest::addColumn<QByteArray>("attribute");
    QTest::addColumn<QString>("said"); // empty: it is right
    const auto row = [](const char* attribute, const char* said = "") {
        QTest::newRow(attribute) << QByteArray(attribute) << QString::fromLatin1(said);
    };
    row("int = 3");
    row("int = -3");
    row("int = true");
    row("int = 2 * 3");
    row("int = 1.5", "the default of k is not an integer");
    row("int = inf", "the default of k is not an integer");
    row("int = \"a\"", "the default of k is not an integer");
    row("int = [1]", "the default of k is not an integer");
    row("float = 1");
    row("float = 1.5");
    row("float = -inf");
    row("float = 1 / 4.0");
    row("float = \"a\"", "the default of k is not a number");
    row("float = [1.0]", "the default of k is not a number");
    row("bool = true");
    row("bool = 0");
    row("bool = 5", "the default of k is not true or false");
    row("bool = -1", "the default of k is not true or false");
    row("bool = 0.5", "the default of k is not true or false");
    row("bool = \"true\"", "the default of k is not true or false");
    row("text = \"a\"");
    row("text = 1", "the default of k is not a text");
    row("text = near", "the default of k is not a text");
    row("dtype = f16");
    row("dtype = 1", "the default of k is not an element type");
    row("dtype = f33", "the default of k is not an element type");
    row("dtype = \"f32\"", "the default of k is not an element type");
    row("int[2] = [1, 2]");
    row("int[] = []");
    row("int[2] = [1, 2, 3]", "the default of k has 3 elements, not 2");
    row("int[2] = []", "the default of k has 0 elements, not 2");
    row("int[2] = 1", "the default of k is not a list of integers, 2 of them");
    row("int[2] = [1, 2.5]", "the default of k is not a list of integers, 2 of them");
    row("float[2] = [1, 2.5]");
    row("float[2] = [1.0]", "the default of k has 1 elements, not 2");
    row("float[] = 1.0", "the default of k is not a list of numbers");
    row("float[] = [\"a\"]", "the default of k is not a list of numbers");
    row("text[1] = [\"a\"]");
    row("text[2] = [\"a\"]", "the default of k has 1 elements, not 2");
    row("text[] = [1]", "the default of k is not a list of texts");
    row("bool[2] = [true, false]", "there are no lists of truths");
    row("dtype[] = [f32]", "there are no lists of element types");
    row("int[-1]", "-1 is not the length of a list");
    row("int[4611686018427387904]", "4611686018427387904 is not the length of a list");
}

void TestOpCheck::defaults() {
    QFETCH(QByteArray, attribute);
    QFETCH(QString, said);
    const QStringList errors = errorsOf(
        ("op a(x: f32[N], attr k: " + attribute + ") -> y: f32[N] { y[n] = x[n] }").constData());
    if (said.isEmpty()) {
        QVERIFY2(errors.isEmpty(), qPrintable(errors.join(u'\n')));
        return;
    }
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors[0].startsWith(u"1:") && errors[0].contains(said), qPrintable(errors[0]));
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
    // What stands in the place of an unknown name is no index that anybody wrote.
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[foo(n - 1)] }",
        "1:37 TXT02 a: there is no function 'foo'");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[clamp(n - 1, 0)] }",
        "1:37 TXT03 a: clamp() takes 3 operands, not 2");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[wrap(n)] }",
        "1:37 TXT03 a: wrap() takes 2 operands, not 1");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] + cast(n) }",
        "1:42 TXT03 a: cast() takes 2 operands, not 1");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n] * sqr(x[n], 2) }",
        "1:42 TXT03 a: sqr() takes 1 operand, not 2");
    row("op a(x: T[N]) -> y: T[ceil_div(N)] { y[n] = x[n] }",
        "1:23 TXT03 a: ceil_div() takes 2 operands, not 1");
    // A default that no call can use.
    row("op a(x: T[N], attr a: int[] = [1, 2]) -> y: T[N] { y[n] = x[n] * a[5] }",
        "1:66 OPR02 a: 'a' has 2 elements, there is no 5: every call with the default is refused");
    row("op a(x: T[N], attr a: int[] = [1, 2]) -> y: T[a[2]] { y[n] = x[0] }",
        "a: 'a' has 2 elements, there is no 2: every call with the default is refused");
    row("op a(x: T[N], attr a: int[] = [1, 2], attr k: int = 2) -> y: T[M] where M = N + a[k + 1] "
        "{ y[n] = pad(x[n], 0) }",
        "a: 'a' has 2 elements, there is no 3: every call with the default is refused");
    row("op a(x: T[N], attr a: int[] = []) -> y: T[N] { y[n] = x[n] * a[0] }",
        "a: 'a' has 0 elements, there is no 0: every call with the default is refused");
    row("op a(x: T[N], attr k: int = 0) -> y: T[N / k] { y[n] = pad(x[n], 0) }",
        "1:40 OPR02 a: division by 0: k is 0: every call with the default is refused");
    row("op a(x: T[N], attr k: int[2] = [2, 0]) -> y: T[N] { y[n] = x[n % k[1]] }",
        "a: division by 0: k[1] is 0: every call with the default is refused");
    // Absent operands tell nothing.
    row("op a(x?: T[N]) -> y: T[N] { y[n] = x[n] }",
        "1:19 TXT02 a: an optional operand alone cannot tell T: x may be absent");
    row("op a(z: T[], x?: T[N]) -> y: T[N] { y[n] = z[] }",
        "TXT02 a: an optional operand alone cannot tell N: x may be absent");
    row("op a(z: f32[], x?: f32[S...]) -> y: f32[S...] { y[s...] = z[] }",
        "TXT02 a: an optional operand alone cannot tell S: x may be absent");
    row("op a(x: T[N]) -> y: T[N] requires N > 3 { y[n] = x[n] }",
        "t.fw:1:26: error TXT01: requires stands before '->'");
    row("op a(x: T[N]) -> y: T[N], z: T[N] { y[n] = x[n] z[n] = x[n] }",
        "t.fw:1:25: error TXT01: several results stand in parentheses");
    row("op a(x: T[N]) -> y: T[N] { y[n] = median(k in N : x[k]) }",
        "1:35 TXT02 a: there is no reduction 'median'");
    // Of any type, behind each of them.
    for (const char* const divides : {"x[n] % 0", "div(n, 0)", "ceil_div(n, 0)", "n / 0", "n % 0"})
        row(("op a(x: T[N]) -> y: T[N] { y[n] = x[n] + cast(" + std::string(divides) + ", T) }")
                .c_str(),
            "TXT03 a: division by 0");
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
    row("op a(x: T[N]) -> y: T[M] where M = 2 * N { y[n + 0] = x[n] }",
        "1:44 TXT04 a: 2 of 4 elements of y are written");
    row("op a(x: T[P..., D@axis], attr axis: float = 0) -> y: T[P..., D] { y[p..., d] = x[p..., d] "
        "}",
        "1:6 TXT03 a: 'axis' picks an axis, and is no integer");
    row("op a(x: T[N]) -> y: T[M] where M = 2 * N { y[2 * n] = x[n] }",
        "1:44 TXT04 a: 2 of 4 elements of y are written");
    // One element twice, and another not at all.
    row("op a(x: T[N]) -> y: T[N] { y[n / 2] = x[n] }",
        "1:28 TXT04 a: y[0] is written more than once");
    row("op a(x: T[N]) -> y: T[N] {\n  y[(n * 2) % N] = x[n] }",
        "2:3 TXT04 a: y[0] is written more than once");
    row("op a(x: T[N]) -> y: T[N] { y[n * n % N] = x[n] }", "is written more than once");
    row("op a(x: T[N]) -> y: T[N] { y[min(n, 1)] = x[n] }", "is written more than once");
    row("op a(x: T[N, M]) -> y: T[N, M] { y[(n + m) % N, m / 2] = x[n, m] }",
        "is written more than once");
    row("op a(x: T[N], i: I[N]) -> y: T[N] { y[clamp(i[n], 0, N - 1)] = x[n] }",
        "is written depends on a value");
    row("op a(xs*: T[N]) -> y: T[N] { each xs: y[n] = xs[n] }",
        "1:30 TXT04 a: 4 of 2 elements of y are written");
    row("op a(x: T[N]) -> y: bool[N] { y[n] = x[n] + 1 }", "1:38 TXT03 a: y is bool");
    row("op a(x: T[N]) -> y: bool[] { y[] = sum(k in N : x[k] > 0) }",
        "1:36 TXT03 a: sum() takes numbers, not bool");
    row("op a(x: T[N]) -> y: bool[] { y[] = prod(k in N : x[k] > 0) || true }",
        "1:36 TXT03 a: prod() takes numbers, not bool");
    row("op a(x: T[N]) -> y: T[N] { y[n] = x[n, n] }", "has 1 dimensions, read with 2 indices");
    row("op a(x: T[N], attr k: int = 3) -> y: T[N] { y[n] = x[n] + x[k] }", "TXT04 a: x[3]");
    row("op a(x: T[N]) requires N >= 3 -> y: T[N] { y[n] = x[n % -3] }",
        "1:51 TXT04 a: x[n % (-3)] may lie outside");
    row("op a(x: T[N]) requires N >= 3 -> y: T[N] { y[n] = x[n % -3 + 3] }",
        "1:51 TXT04 a: x[n % (-3) + 3] may lie outside");
    // The rest by what was read may lie below 0.
    row("op a(x: T[N], n: i64[]) requires N >= 1 -> y: T[N] { y[i] = x[min(i % n[], N - 1)] }",
        "1:61 TXT04 a: x[");
    // Texts are no numbers.
    row("op a(x: text[N]) -> y: bool[N] { y[n] = x[n] == x[n] }",
        "1:9 TXT03 a: the expressions of an operator compute no text");
    row("op a(x: T[N], z: text[]) -> y: T[N] { y[n] = x[n] }", "1:18 TXT03 a: the expressions");
    row("op a(x: T[N]) -> y: text[N] { y[n] = x[n] }", "1:21 TXT03 a: the expressions");
    row("op a(x: T[N], attr to: dtype = text) -> y: to[N] { y[n] = cast(x[n], to) }",
        "1:32 TXT03 a: the default of to is text, which no expression computes");
    row("op a(x: T[N]) -> y: T[N] { y[n] = cast(cast(x[n], text), T) }",
        "1:40 TXT03 a: cast() makes no text");
    row("op a(x: T[N]) -> y: T[N] { y[n] = max(x[n], lowest(text)) }",
        "1:45 TXT03 a: text has no lowest value");
    // How far a reduction runs is a number.
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in n + 1 : x[k]) }",
        "1:44 TXT03 a: how far k runs depends on the index n: n + 1");
    row("op a(x: T[N]) -> y: T[N] { y[n] = 2 * sum(k in n : x[k]) }",
        "1:48 TXT03 a: how far k runs depends on the index n: n");
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in N, j in k : x[j]) }",
        "1:52 TXT03 a: how far j runs depends on the index k: k");
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in N : max(j in N - k : x[j])) }",
        "1:57 TXT03 a: how far j runs depends on the index k");
    row("op a(x: T[S...], z: T[N]) -> y: T[N] { y[n] = sum(s... in [n, 2] : z[n]) }",
        "1:59 TXT03 a: how far s runs depends on the index n");
    row("op a(x: T[N], n: i64[]) -> y: T[N] { y[i] = sum(k in n[] : x[i]) }",
        "1:54 TXT03 a: how far k runs is read from a tensor: n[]");
    row("op a(x: T[N], n: i32[N]) -> y: T[N] { y[i] = sum(k in cast(n[i], i64) : x[i]) }",
        "1:55 TXT03 a: how far k runs is read from a tensor");
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in sum(j in N : 1) : x[n]) }",
        "1:44 TXT03 a: how far k runs is read from a tensor");
    // Sums inside each other take as many steps as both together.
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in 1000000000000 : sum(j in 100000000 : x[n])) }",
        "1:60 LIM01 a: y takes ");
    row("op a(x: T[N]) -> y: T[N] { y[n] = 1 + max(k in 16777216 : 1 + sum(j in 33554432 : x[n])) "
        "}",
        "1:63 LIM01 a: y takes ");
    row("op a(x: T[N]) -> y: T[N] { y[n] = sum(k in 1000000000000000 : x[n]) }",
        "1:28 LIM01 a: y takes ");
    // A guard would compare what is left of the index.
    row("op a(x: T[N], attr k: int = 9223372036854775807) -> y: T[N] { y[n] = pad(x[n + k], 0) }",
        "1:74 TXT03 a: an index of x leaves 64 bits: n + 9223372036854775807");
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[-9223372036854775807 - 3 * n], 0) }",
        "1:39 TXT03 a: an index of x leaves 64 bits: ");
    row("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[n * 4611686018427387904], 0) }",
        "1:39 TXT03 a: an index of x leaves 64 bits: n * 4611686018427387904");
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
    errors = errorsOf("op a(x: T[N]) -> y: T[N] { y[n] = pad(x[foo(n - 1)], 0) + x[q] }");
    QCOMPARE(errors.size(), 2);
    QVERIFY2(errors[0].startsWith(u"1:41 TXT02 a: there is no function 'foo'"),
             qPrintable(errors[0]));
    QVERIFY2(errors[1].startsWith(u"1:61 TXT02 a: 'q' is not known here"), qPrintable(errors[1]));
    // Of the declaration, too.
    errors = errorsOf("op two(x: T[N], x: T[N]) -> (y: T[N], z: T[N]) { y[n] = w[n] }");
    QCOMPARE(errors.size(), 3);
}

FW_TEST(TestOpCheck, QCoreApplication)
#include "test_op_check.moc"
