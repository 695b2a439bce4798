// Own computations of entries: what is wrong with them as they are written, and calls on which they
// are not what their operator computes.
#include "book/book.h"
#include "common/test.h"
#include "common/thread_time.h"

#include <fmt/format.h>

using namespace fw;

namespace {

const std::string pointwise = R"(
op pointwise "a convolution by single pixels" (x: T[N, C, H, V], w: T[O, C, KH, KW]) requires KH == 1, KW == 1 -> y: T[N, O, H, V] {
  y[n, o, h, v] = sum(c in C : x[n, c, h, v] * w[o, c, 0, 0]) }
)";
const std::string pixels = "KH == 1 && KW == 1 && strides == [1, 1] && pads == [0, 0, 0, 0] && "
                           "groups == 1";

// The errors of the last declaration.
std::string said(const std::string& text) {
    const CheckedBook book = checkBookText(text, "my.fw");
    std::string out;
    for (const Diag& diag : book.diagnostics)
        out += diag.text() + "\n";
    for (const CheckedItem& item : book.items)
        for (const Diag& diag : item.diagnostics)
            out += diag.text() + "\n";
    return out;
}

} // namespace

class TestComputation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agree_data();
    void agree();
    void specialValues_data();
    void specialValues();
    void wrong_data();
    void wrong();
    void differ_data();
    void differ();
    void theCallIsTold();
    void whatIsTypedBesideIsNotTriedAgain();
};

void TestComputation::agree_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& text) {
        QTest::newRow(name) << QString::fromStdString(text);
    };
    row("single pixels", pointwise +
                             "implementations conv2d(...) on any {\n  pixels compute "
                             "pointwise(x, w) priority 20 when " +
                             pixels + "\n}\n");
    row("calls in calls", "implementations swish(...) on any {\n  parts compute mul(x, "
                          "sigmoid(x)) priority 20 when alpha == 1\n}\n");
    row("attributes are handed on", "op softly (x: T[P..., D@axis, Q...], attr axis: int = 0) -> "
                                    "y: T[P..., D, Q...] {\n"
                                    "  let m[p..., q...] = max(d in D : x[p..., d, q...])\n"
                                    "  let s[p..., q...] = sum(d in D : exp(x[p..., d, q...] - "
                                    "m[p..., q...]))\n"
                                    "  y[p..., d, q...] = exp(x[p..., d, q...] - m[p..., q...]) / "
                                    "s[p..., q...] }\n"
                                    "implementations softmax(...) on any {\n  own compute "
                                    "softly(x) priority 20\n}\n");
    row("attributes are computed", "implementations global_average_pool(...) on any {\n  window "
                                   "compute avg_pool2d(x) {kernel_shape = [dim(x, 2), dim(x, 3)]} "
                                   "priority 20 when rank(x) == 4 && dim(x, 2) > 0 && dim(x, 3) > "
                                   "0\n}\n");
    row("another implementation's code", "implementations swish(...) on any {\n  parts by "
                                         "generated.plain compute mul(x, sigmoid(x)) priority "
                                         "20 when alpha == 1\n}\n");
    const std::string product = "op product(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n"
                                "  y[p..., n] = sum(k in K : x[p..., k] * w[n, k]) }\n"
                                "implementations dense(x: f32[P..., K], w: f32[N, K]) let M = "
                                "size(P) on any {\n  own compute product(x, w) when ";
    row("large ones", product + "N > 16 && K % 16 == 0\n}\n");
    row("one of several sizes", product + "K in {33, 65} && 20 <= N\n}\n");
    row("a large product of sizes", product + "M > 200\n}\n");
    for (const char* guard : {"const(w)", "finite(x)", "all(w > 0) || !const(w)", "dtype(x) == f64",
                              "dtype(x) == i64", "rank(x) == 4", "size(P) > 64", "K * N > 500",
                              "dim(x, 0) > 16", "K == 333 && const(w) && N > 8"})
        row(guard, std::string("op summed(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n"
                               "  y[p..., n] = sum(k in K : w[n, k] * x[p..., k])\n}\n"
                               "implementations dense(x: T[P..., K], w: T[N, K]) on any {\n"
                               "  same compute summed(x, w) when ") +
                       guard + "\n}\n");
    for (const char* guard :
         {"N == 1 || K == 1", "N == 64 && K == 1 || N == 1", "K == 1 || N == 1",
          "(N == 1 || K == 1) && N != 64", "N == 1 || K == 1 || N == 64 && K == 65 && K < 64"})
        row(guard,
            std::string("implementations dense(x: f32[P..., K], w: f32[N, K]) on any {\n  own "
                        "compute batch_matmul(x, reshape(w) {shape = [K, N]}) when ") +
                guard + "\n}\n");
    row("a real attribute", "op leaky(x: T[S...], attr alpha: float) -> y: T[S...] {\n"
                            "  y[i...] = max(x[i...], 0) + min(x[i...], 0) * alpha\n}\n"
                            "implementations leaky_relu(...) on any {\n"
                            "  same compute leaky(x) {alpha = alpha} when alpha > 2.0\n}\n");
}

void TestComputation::agree() {
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(said(text.toStdString())), QString());
}

// Computations that agree on ordinary numbers, with what is told of them; nothing of right ones.
void TestComputation::specialValues_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* op, const char* call, const char* own,
                        const char* sentence) {
        QTest::newRow(name) << QString::fromStdString(fmt::format(
                                   "{}\nimplementations {}(...) on any {{\n  own compute {} "
                                   "priority 20\n}}\n",
                                   own, op, call))
                            << QString::fromLatin1(sentence);
    };
    row("a maximum that loses the NaN of its first operand", "max", "mx(a, b)",
        "op mx(bcast a: T[S...], bcast b: T[S...]) requires T != bool -> y: T[S...] {\n"
        "  y[i...] = select(a[i...] > b[i...], a[i...], b[i...]) }",
        "instead of nan, where operands hold NaN");
    row("a maximum that asks for NaN", "max", "mx(a, b)",
        "op mx(bcast a: T[S...], bcast b: T[S...]) requires T != bool -> y: T[S...] {\n"
        "  y[i...] = select(a[i...] != a[i...] || a[i...] > b[i...], a[i...], b[i...]) }",
        "");
    const auto of = [](const char* body) {
        return std::string("op own(x: T[S...]) requires T in {f16, bf16, f32, f64} -> y: T[S...] { "
                           "y[i...] = ") +
               body + " }";
    };
    row("the logarithm of a power that overflows", "softplus", "own(x)",
        of("log(1 + exp(x[i...]))").c_str(), "is inf instead of");
    row("the same without it", "softplus", "own(x)",
        of("max(x[i...], 0) + log(1 + exp(0 - abs(x[i...])))").c_str(), "");
    row("a choice by products", "where",
        "add(mul(cast(c) {to = f32}, a), mul(cast(not(c)) {to = f32}, b))", "",
        "is nan instead of");
    row("a quotient by a square", "reciprocal", "div(x, mul(x, x))", "", "is nan instead of");
    row("a threshold that keeps NaN", "thresholded_relu", "own(x)",
        "op own(x: T[S...], attr alpha: float = 1) -> y: T[S...] {\n"
        "  y[i...] = select(x[i...] <= alpha, 0, x[i...]) }",
        "is nan instead of 0, where operands hold NaN");
    row("a softmax of powers as they are", "softmax", "own(x)",
        "op own(x: T[P..., D@axis, Q...], attr axis: int = 0) -> y: T[P..., D, Q...] {\n"
        "  let s[p..., q...] = sum(d in D : exp(x[p..., d, q...]))\n"
        "  y[p..., d, q...] = exp(x[p..., d, q...]) / s[p..., q...] }",
        "is nan instead of");
    row("a product whose zeros leave terms out", "dense", "own(x, w)",
        "op own(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n  y[p..., n] = sum(k in K : "
        "select(x[p..., k] == 0, 0, x[p..., k] * w[n, k])) }",
        "instead of nan, where operands hold NaN");
    row("a term that is taken away again", "dense", "own(x, w)",
        "op own(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n"
        "  let m[n] = sum(j in N, k in K : w[j, k]) - sum(j in N, k in K : w[j, k])\n"
        "  y[p..., n] = sum(k in K : x[p..., k] * w[n, k]) + m[n] }",
        "");
}

void TestComputation::specialValues() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    const QString all = QString::fromStdString(said(text.toStdString()));
    QVERIFY2(sentence.isEmpty() ? all.isEmpty() : all.contains(sentence), qPrintable(all));
}

void TestComputation::wrong_data() {
    QTest::addColumn<QString>("entry");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* entry, const char* sentence) {
        QTest::newRow(entry) << QString::fromLatin1(entry) << QString::fromLatin1(sentence);
    };
    row("a compute dense(x, w)", "2:13: error RUL01: dense is computed by itself");
    row("a compute relu(dense(x, w))", "2:18: error RUL01: dense is computed by itself");
    row("a compute denze(x, w)", "2:13: error OPR01: there is no operator named denze");
    row("a compute batch_matmul(x, q)", "2:29: error TXT02: there is no operand q");
    row("a compute batch_matmul(x)", "2:13: error");
    row("a compute softmax(x) {axes = 1}", "2:25: error TXT02: softmax has no attribute axes");
    row("a compute softmax(x) {axis = size(q)}", "2:37: error TXT02: nothing is named q");
    row("a compute softmax(x) {axis = \"x\"}", "axis of softmax is an integer, not a text");
    row("a by onednn.matmul compute batch_matmul(x, w)",
        "onednn.matmul is a library's code, which computes operators of its own");
    row("a compute x", "2:13: error RUL01: behind `compute` stands a call of an operator");
    row("a compute relu(3)", "2:18: error RUL01: an operand is a name of the signature or a call");
}

void TestComputation::wrong() {
    QFETCH(QString, entry);
    QFETCH(QString, sentence);
    const QString all = QString::fromStdString(
        said("implementations dense(...) on any {\n  " + entry.toStdString() + "\n}\n"));
    QVERIFY2(all.contains(sentence), qPrintable(all));
}

void TestComputation::differ_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const std::string& text, const char* sentence) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(sentence);
    };
    row("its guard lets strides through",
        pointwise + "implementations conv2d(...) on any {\n  pixels compute pointwise(x, w) when "
                    "KH == 1 && KW == 1 && pads == [0, 0, 0, 0] && groups == 1 && strides[0] == "
                    "strides[1]\n}\n",
        "5:18");
    row("another function", "implementations gelu(...) on any {\n  near compute swish(x)\n}\n",
        "CMP01: near is not what gelu computes: for x: f32[");
    row("nearly the same",
        "op short (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * sigmoid(1.702 * x[i...]) }\n"
        "implementations gelu(...) on any {\n  near compute short(x)\n}\n",
        "CMP01: near is not what gelu computes");
    row("operands in another order",
        "implementations sub(...) on any {\n  turned compute sub_(y, x)\n}\n"
        "op sub_ (bcast a: T[S...], bcast b: T[S...]) -> c: T[S...] { c[i...] = a[i...] - b[i...] "
        "}\n",
        "error");
    row("for no call",
        "implementations relu(...) on any {\n  none compute abs(x) when rank(x) > 9\n}\n",
        "RUL01: none was not tried: rank(x) > 9 held for none of 4000 calls");
    row("large ones only",
        "op product(x: T[P..., K], w: T[N, K]) -> y: T[P..., N] {\n  y[p..., n] = sum(k in K : "
        "select(k < 17, x[p..., k], 0) * w[n, k]) }\nimplementations dense(x: f32[P..., K], w: "
        "f32[N, K]) on any {\n  own compute product(x, w) when K > 16\n}\n",
        "CMP01: own is not what dense computes");
    // Its weights are read as if they were turned, which is right where one extent is 1.
    const auto turned = [](const char* guard) {
        return std::string("implementations dense(x: f32[P..., K], w: f32[N, K]) on any {\n  own "
                           "compute batch_matmul(x, reshape(w) {shape = [K, N]}) when ") +
               guard + "\n}\n";
    };
    for (const char* guard :
         {"N == 1 || K == 1 || N == 64", "N == 64 || N == 1 || K == 1",
          "K == 1 || N == 48 || N == 1", "(N == 1 || K == 1 || N >= 100) && K < 9",
          "K == 1 || (N == 33 && K > 2) || N == 1", "N == 1 || (K == 1 || K % 40 == 0)",
          "K in {1, 17} || N == 1"})
        row(guard, turned(guard), "CMP01: own is not what dense computes");
    row("another shape",
        "implementations relu(...) on any {\n  flat compute global_average_pool(x) "
        "\n}\n",
        "flat");
}

void TestComputation::differ() {
    QFETCH(QString, text);
    QFETCH(QString, sentence);
    const QString all = QString::fromStdString(said(text.toStdString()));
    QVERIFY2(all.contains(sentence), qPrintable(all));
}

void TestComputation::theCallIsTold() {
    const QString all = QString::fromStdString(
        said("implementations relu(...) on any {\n  wrong compute abs(x)\n}\n"));
    QVERIFY2(all.contains("CMP01: wrong is not what relu computes: for x: f64[] its result is "),
             qPrintable(all));
}

void TestComputation::whatIsTypedBesideIsNotTriedAgain() {
    const std::string text =
        pointwise + "implementations conv2d(...) on any {\n  pixels compute pointwise(x, w) when " +
        pixels + "\n}\n";
    said(text);
    const double begin = fw::test::threadSeconds();
    for (int i = 0; i < 20; ++i)
        QCOMPARE(said(text + "# " + std::to_string(i) + "\n"), std::string());
    QVERIFY(fw::test::threadSeconds() - begin < 2);
}

FW_TEST(TestComputation, QCoreApplication)
#include "test_computation.moc"
