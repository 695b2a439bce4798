// Where a rule stands that does not say it: one about operators into whose weights the library
// folds batch norms and factors stands behind that folding, so it does not switch it off.
#include "book/book.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "rewrite/driver.h"

#include <QtTest>

using namespace fw;
using namespace Qt::StringLiterals;

class TestDefaultStage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stages_data();
    void stages();
    void foldingGoesFirst();
    void whatItCostsIsTold();
    void shippedRulesStay();
};

namespace {

const char* const mine = "op conv_mine (x: T[N, C, H, W], w: T[M, C, 1, 1]) -> y: T[N, M, H, W] {\n"
                         "  y[n, m, h, w_] = sum(c in C : x[n, c, h, w_] * w[m, c, 0, 0]) }\n";

std::string stageIn(const std::string& text) {
    const Books books = readBooks({{"b.fw", text}});
    for (const DeclarationPtr& entry : books.rules.entries)
        if (entry->name == "r")
            return stageOf(*entry);
    return "none: " + (books.diagnostics.empty() ? std::string() : books.diagnostics[0].text());
}

QString operatorsAfter(const std::string& text) {
    const Books books = readBooks({{"b.fw", text}});
    const GraphPtr graph =
        parseGraph("graph g(x: f32[1, 2, 3, 3]) -> y {\n"
                   "  w = const [1, 2, 3, 4] : f32[2, 2, 1, 1]  g = const [1, 2] : f32[2]\n"
                   "  c = conv2d(x, w)  b = batch_norm(c, g, g, g, g)  y = relu(b) }\n",
                   books.operators)
            .value();
    QStringList out;
    const GraphPtr after = rewriteGraph(graph, books.rules, {}).value().graph;
    for (const NodePtr& node : after->nodes())
        if (!node->isInput() && !node->isConstant())
            out << QString::fromStdString(node->op);
    return out.join(u' ');
}

} // namespace

void TestDefaultStage::stages_data() {
    QTest::addColumn<QString>("stage");
    const auto row = [](const char* text, const char* stage) {
        QTest::newRow(text) << QString::fromLatin1(stage);
    };
    row("rule r { match y = conv2d(x, w) {*a} emit y = neg(conv2d(neg(x), w) {*a}) }",
        "before fusion");
    row("rule r { match y = relu(conv2d(x, w) {*a}) emit y = conv2d(x, w) {*a} }", "before fusion");
    row("rule r { match y = dense(x, w) emit y = neg(dense(neg(x), w)) }", "before fusion");
    row("pattern c(x, w) = conv2d(x, w)\nrule r { match y = c(x, w) emit y = x }", "before fusion");
    row("rule r { match y = relu(relu(x)) emit y = relu(x) }", "simplify");
    row("rule r { match y = mul(x, k: const) emit y = x }", "simplify");
    // About what is folded away itself.
    row("rule r { match y = batch_norm(conv2d(x, w) {*a}, g, t, m, v) emit y = conv2d(x, w) {*a} }",
        "simplify");
    row("rule r { match y = scale(conv2d(x, w) {*a}, k: const) {axis = 1} emit y = conv2d(x, w) "
        "{*a} }",
        "simplify");
    // As it says.
    row("rule r { match y = conv2d(x, w) {*a} emit y = neg(conv2d(neg(x), w) {*a}) stage simplify "
        "}",
        "simplify");
    row("rule r { match y = conv2d(x, w) {*a} emit y = neg(conv2d(neg(x), w) {*a}) "
        "stage before partition }",
        "before partition");
}

void TestDefaultStage::stages() {
    QFETCH(QString, stage);
    QCOMPARE(QString::fromStdString(stageIn(std::string(QTest::currentDataTag()) + "\n")), stage);
}

void TestDefaultStage::foldingGoesFirst() {
    const std::string rule = std::string(mine) +
                             "rule r { match y = conv2d(x, w: const & T[M, C, 1, 1]) {groups = 1, "
                             "strides = [1, 1], pads = [0, 0, 0, 0]} emit y = conv_mine(x, w)";
    QCOMPARE(operatorsAfter(rule + " }\n"), u"conv_mine bias relu"_s);
    QCOMPARE(operatorsAfter(rule + " stage before fusion }\n"), u"conv_mine bias relu"_s);
    QVERIFY(operatorsAfter(rule + " stage simplify }\n") != u"conv_mine bias relu"_s);
}

void TestDefaultStage::whatItCostsIsTold() {
    const auto told = [](const std::string& clause) {
        const CheckedBook checked = checkBookText(
            "rule r { match y = conv2d(x, w) {*a} emit y = relu(x) " + clause +
                " }\n"
                "rule same { match y = conv2d(x, w) {*a} emit y = conv2d(x, w) {*a, groups = 1} " +
                clause + " }\n",
            "b.fw");
        QStringList out;
        for (const Diag& diag : checked.diagnostics)
            out << QString::fromStdString(diag.text());
        return out;
    };
    QCOMPARE(told(""), QStringList());
    QCOMPARE(told("stage before fusion"), QStringList());
    QCOMPARE(told("stage before partition"), QStringList());
    QCOMPARE(
        told("stage simplify"),
        QStringList(u"b.fw:1:61: note RUL03: r takes conv2d before the rules of the library fold "
                    "batch norms and factors into its weights: those stay as operators of their "
                    "own (without a stage, or with `stage before fusion`, it acts behind them)"_s));
}

void TestDefaultStage::shippedRulesStay() {
    std::map<std::string, std::string> written;
    for (const ReadBook& book : readBooks({}).read)
        for (const DeclarationPtr& one : book.written)
            if (const auto rule = declarationAs<RuleTree>(one))
                QCOMPARE(rule->stageSpan.line > 0, rule->stage != "simplify");
}

FW_TEST(TestDefaultStage, QCoreApplication)
#include "syntax/declarations.h"
#include "test_default_stage.moc"
