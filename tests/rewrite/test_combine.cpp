// The book combine.fw with the rules that every model goes through: any number of siblings, and
// what stands behind them. A test of the book applies one rule alone.
#include "common/test.h"
#include "rewrite/embedded.h"
#include "rewrite/rewriting.h"

using namespace fw;
using namespace rewriting;

namespace {

RuleBook everyRule() {
    RuleBook out;
    std::vector<EmbeddedRules> books = embeddedByName();
    for (const EmbeddedRules& book : embeddedRules())
        books.push_back(book);
    for (const EmbeddedRules& book : books)
        out.add(parseFile(book.text, std::string(book.file)).declarations, std::string(book.file));
    return out;
}

const char* const image = "graph g(x: f32[N, 4, 6, 6]) -> y {\n"
                          " w = const random(1) : f32[2, 4, 1, 1]\n"
                          " v = const random(2) : f32[3, 4, 1, 1]\n"
                          " u = const random(3) : f32[2, 4, 3, 3]\n"
                          " t = const random(4) : f32[4, 4, 1, 1]\n";
const char* const rows = "graph g(x: f32[N, 3]) -> y {\n"
                         " w = const random(1) : f32[4, 3]  v = const random(2) : f32[2, 3]\n"
                         " u = const random(3) : f32[5, 3]  i = const random(4) : f32[4]\n"
                         " j = const random(5) : f32[2]  k = const random(6) : f32[5]\n";

} // namespace

class TestCombine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void siblings_data();
    void siblings();
};

void TestCombine::siblings_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("left");
    const auto row = [](const char* name, const std::string& head, const char* body,
                        const char* left) {
        QTest::newRow(name) << QString::fromStdString(head + body + "}") << QString::fromUtf8(left);
    };
    row("I1 three of four convolutions", image,
        " a = conv2d(x, w) b = conv2d(x, v) c = conv2d(x, u) {pads = [1, 1, 1, 1]}\n"
        " d = conv2d(x, t) y = concat(a, b, c, d) {axis = 1}\n",
        "conv2d conv2d split split concat");
    row("I2 factors and relus, a residual stays", image,
        " k = const [2, -3] : f32[2, 1, 1]  l = const [4, 5, 6] : f32[3, 1, 1]\n"
        " a = conv2d(x, w) b = mul(a, k) c = relu(b) d = conv2d(x, v) e = mul(d, l)\n"
        " f = relu(e) h = conv2d(x, t) s = add(h, x) y = concat(c, f, s) {axis = 1}\n",
        "conv2d split relu split add concat");
    row("I2 batch norms", image,
        " p = const random(5) : f32[2] q = const [3, 4] : f32[2]\n"
        " r = const random(6) : f32[3] s = const [5, 6, 7] : f32[3]\n"
        " a = conv2d(x, w) b = batch_norm(a, p, p, p, q) c = relu(b)\n"
        " d = conv2d(x, v) e = batch_norm(d, r, r, r, s) f = relu(e)\n"
        " y = concat(c, f) {axis = 1}\n",
        "conv2d bias relu split concat");
    row("I3 a number behind one part", image,
        " k = const [2] : f32[1] a = conv2d(x, w) b = mul(a, k) c = conv2d(x, v)\n"
        " y = concat(b, c) {axis = 1}\n",
        "conv2d split mul concat");
    row("I6 three products with biases", rows,
        " a = dense(x, w) b = bias(a, i) c = dense(x, v) d = bias(c, j)\n"
        " e = dense(x, u) f = bias(e, k) y = concat(b, d, f) {axis = 1}\n",
        "dense bias split split concat");
    row("I6 a bias behind one of two", rows,
        " a = dense(x, w) b = bias(a, i) c = dense(x, v) y = concat(b, c) {axis = 1}\n",
        "dense split bias concat");
    row("I5 two values", "graph g(x: f32[N, 3], z: f32[N, 3]) -> y {\n",
        " w = const random(1) : f32[4, 3]  v = const random(2) : f32[4, 3]\n"
        " i = const random(4) : f32[4]  j = const random(5) : f32[4]\n"
        " a = dense(x, w) b = bias(a, i) c = dense(z, v) d = bias(c, j) y = mul(b, d)\n",
        "reshape reshape concat batch_matmul add split reshape reshape mul");
    row("I8 batches with biases", "graph g(x: f32[2, N, 3]) -> y {\n",
        " w = const random(1) : f32[2, 3, 4]  v = const random(2) : f32[2, 3, 1]\n"
        " u = const random(3) : f32[2, 3, 2]  i = const random(4) : f32[4]\n"
        " j = const random(5) : f32[1]  k = const random(6) : f32[2]\n"
        " a = batch_matmul(x, w) b = bias(a, i) {axis = 2} c = batch_matmul(x, v)\n"
        " d = bias(c, j) {axis = 2} e = batch_matmul(x, u) f = bias(e, k) {axis = 2}\n"
        " y = concat(b, d, f) {axis = 2}\n",
        "batch_matmul bias split split concat");
}

void TestCombine::siblings() {
    QFETCH(QString, graph);
    QFETCH(QString, left);
    const RuleBook book = everyRule();
    const GraphPtr before = graphOf(graph.toStdString());
    const Rewritten after = rewritten(before, book);
    QStringList found = operatorsOf(*after.graph).split(u' '), wanted = left.split(u' ');
    found.sort();
    wanted.sort();
    QCOMPARE(found, wanted);
    QCOMPARE(difference(*before, *after.graph), QString());
    QCOMPARE(rewritten(after.graph, book).trace.applications.size(), std::size_t(0));
}

FW_TEST(TestCombine, QCoreApplication)
#include "test_combine.moc"
