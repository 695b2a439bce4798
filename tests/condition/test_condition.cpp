// Conditions over a scope: three truths, parts that are absent, terms and what is seen of them.
#include "common/test.h"
#include "condition/condition.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "syntax/parser.h"

using namespace fw;

namespace {

ConditionTree conditionOf(const std::string& text) {
    Parser parser(text, "c");
    ConditionTree out = parser.condition();
    if (parser.failed() || !parser.atEnd())
        qFatal("%s", text.c_str());
    return out;
}

} // namespace

class TestCondition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void truths_data();
    void truths();
    void whatIsLeftOpen_data();
    void whatIsLeftOpen();
    void terms_data();
    void terms();
    void namesThatAreNotThere();
    void seen();
    void functionsSayWhatTheyDo();

private:
    GraphPtr m_graph;
    Scope m_scope;
};

void TestCondition::initTestCase() {
    m_graph =
        parseGraph(
            "graph g(x: f32[2, N, 4]) -> y, z { w = const [1, 2] : f32[2]\n"
            "  v = const [1, inf] : f32[2]  e = const [0.5] : f32[1, 1]  k = const [3] : i64[]\n"
            "  ks = const [3, 4] : i64[2]  m = const random(1) : f32[2, 2]\n"
            "  long = const random(1) : f32[1025]  a = relu(x)  y = tanh(a)  z = exp(a) }",
            standardOperators())
            .value();
    for (const NodePtr& node : m_graph->nodes())
        m_scope.names.emplace(node->outputs[0].name, TensorValue{m_graph.get(), {node->id, 0}});
    m_scope.names.emplace("axis", Expr(1));
    m_scope.names.emplace("eps", double(float(1e-5)));
    m_scope.names.emplace("mode", std::string("linear"));
    m_scope.names.emplace("to", DType::F32);
    m_scope.names.emplace("pads", Exprs{Expr(1), Expr(2)});
    m_scope.names.emplace("scales", Reals{1, 2.5});
    m_scope.names.emplace("free", Exprs{Expr(2), varExpr(Symbol("N")), Expr(4)});
    m_scope.names.emplace("b", AbsentPart());
}

void TestCondition::truths_data() {
    QTest::addColumn<int>("truth");
    const auto row = [](const char* text, Truth truth) {
        QTest::newRow(text) << static_cast<int>(truth);
    };
    row("dim(x, 0) == 2 && rank(x) == 3", Truth::Yes);
    row("dim(x, 1) == dim(a, 1)", Truth::Yes); // free, but one
    row("dim(x, 1) == 4", Truth::Unknown);
    row("dim(x, 1) >= 0", Truth::Yes);
    row("!(dim(x, 1) == 4)", Truth::Unknown);
    row("dim(x, 7) == 4", Truth::Unknown);
    row("dim(x, 1) == 4 && axis == 2", Truth::No);
    row("dim(x, 1) == 4 || axis == 1", Truth::Yes);
    row("eps == 0.00001", Truth::Yes); // as the f32 of a model
    row("eps < 1 && eps > 0", Truth::Yes);
    row("axis == 1.0", Truth::Yes);
    row("mode == \"linear\" && mode != \"cubic\"", Truth::Yes);
    row("mode in {\"cubic\", \"linear\"}", Truth::Yes);
    row("to == f32 && dtype(x) == to", Truth::Yes);
    row("dtype(x) in {f16, bf16}", Truth::No);
    row("dim(x, 1) in {3, 4}", Truth::Unknown);
    row("pads == [1, 2] && pads[1] == 2 && pads != [1, 1]", Truth::Yes);
    row("pads == [1, 2, 3]", Truth::No);
    row("scales == [1, 2.5] && scales[1] > 2", Truth::Yes);
    row("size(pads) == 2 && size(w) == 2", Truth::Yes);
    row("const(w) && !const(x) && finite(w) && !finite(v) && !finite(x)", Truth::Yes);
    row("used_once(x) && !used_once(a) && not_result(a) && !not_result(y)", Truth::Yes);
    row("value(e) == 0.5 && value(k) == 3 && value(ks) == [3, 4]", Truth::Yes);
    row("value(e) > 1", Truth::No);
    row("value(x) > 1", Truth::Unknown);
    row("value(m) == 1", Truth::Unknown);
    row("value(b) == 1", Truth::Yes);
    // What is said of a part that is absent holds, whatever it is.
    row("used_once(b)", Truth::Yes);
    row("!used_once(b)", Truth::Yes);
    row("dim(b, 0) == 4 && !(rank(b) == 1)", Truth::Yes);
    row("dim(b, 0) == 4 && axis == 2", Truth::No);
    row("dim(b, 0) == 4 || axis == 2", Truth::Yes);
    // Whether it is there is said of the match.
    row("given(b)", Truth::No);
    row("!given(b)", Truth::Yes);
    row("given(x) && given(axis)", Truth::Yes);
    row("given(b, dim(b, 0), 7) == 7", Truth::Yes);
    row("given(x, dim(x, 0), 7) == 7", Truth::No);
    row("given(nowhere)", Truth::Unknown);
    row("!(rank(b) == 1 || axis == 1)", Truth::No);
    // Lists in which a dimension is free: element by element.
    row("all(free >= 0)", Truth::Yes);
    row("all(free >= 1)", Truth::Unknown);
    row("!all(free >= 1)", Truth::Unknown);
    row("all(free < 4)", Truth::No);
    row("any(free == 4)", Truth::Yes);
    row("any(free == 0)", Truth::Unknown);
    row("any(free < 0)", Truth::No);
    row("all(free >= 0 && free + free >= 0)", Truth::Yes);
    row("all(free + [1, 2, 3] >= 2)", Truth::Yes);
    row("all(free >= pads)", Truth::Unknown);
    row("all(free >= pads[0] - 1)", Truth::Yes);
    row("all(free >= rank(x) - 3)", Truth::Yes);
    row("all(free >= b)", Truth::Yes);
}

void TestCondition::truths() {
    QFETCH(int, truth);
    const ConditionResult result = decide(conditionOf(QTest::currentDataTag()), m_scope);
    QCOMPARE(static_cast<int>(result.truth), truth);
}

void TestCondition::whatIsLeftOpen_data() {
    QTest::addColumn<QString>("open");
    const auto row = [](const char* text, const char* open) {
        QTest::newRow(text) << QString::fromLatin1(open);
    };
    row("dim(x, 1) == 4", "N == 4");
    row("!(dim(x, 1) < 4)", "!(N < 4)");
    row("dim(x, 1) > 2 && dim(x, 0) == 2", "2 < N");
    row("dim(x, 1) > 2 && dim(x, 1) < 9", "2 < N && N < 9");
    row("dim(x, 1) > 2 || dim(x, 0) == 3", "2 < N");
    row("dim(x, 1) in {3, 5}", "N == 3 || N == 5");
    row("dim(x, 1) > 2 && dim(x, 7) == 4", ""); // of an axis that is not there nothing is known
    row("dim(x, 0) == 2", "");
    row("all(free >= 1)", "1 <= N");
    row("all(free > 1 && free < 9)", "1 < N && N < 9");
    row("any(free > 7)", "7 < N");
    row("all(free >= pads)", ""); // three and two elements
}

void TestCondition::whatIsLeftOpen() {
    QFETCH(QString, open);
    const ConditionResult result = decide(conditionOf(QTest::currentDataTag()), m_scope);
    QCOMPARE(QString::fromStdString(result.open ? result.open->text() : std::string()), open);
}

void TestCondition::terms_data() {
    QTest::addColumn<QString>("value");
    const auto row = [](const char* text, const char* value) {
        QTest::newRow(text) << QString::fromLatin1(value);
    };
    row("axis * 2 + 1", "3");
    row("dim(x, 1) * 4", "N * 4");
    row("-axis", "-1");
    row("pads + pads", "[2, 4]");
    row("pads * 2 - 1", "[1, 3]");
    row("[dim(x, 0), axis]", "[2, 1]");
    row("eps * 0", "0");
    row("max(dim(x, 0), 7) / 2", "3");
    row("given(x, dim(x, 0), axis) + given(b, dim(b, 0), axis)", "3");
    row("given(b, [], pads)", "[1, 2]");
    row("extents(x)", "[2, N, 4]");
    row("value(e) * 2", "1");
    row("value(w)", "[1, 2]");
    row("value(k) + dim(x, 1)", "N + 3");
    row("value(ks) + pads", "[4, 6]");
    row("value(long)", "");
    row("7 % 0", "");
    row("7 / 0", "");
    row("pads[2]", "");
    row("pads[[1, 0, 1]]", "[2, 1, 2]");
    row("scales[[1, 0]]", "[2.5, 1]");
    row("pads[ks - 3]", "");
    row("pads[value(ks) - 3]", "[1, 2]");
    row("pads[value(ks)]", "");
    row("pads[[]]", "[]");
    row("pads[extents(x)]", "");
    row("pads + [1, 2, 3]", "");
    row("mode + 1", "");
    row("b + 1", "");
}

void TestCondition::terms() {
    QFETCH(QString, value);
    const auto got = evaluate(conditionOf(QTest::currentDataTag()).tree, m_scope);
    QCOMPARE(got ? QString::fromStdString(textOf(*got)) : QString(), value);
}

// In the scope of a match they are absent, in that of a call not known.
void TestCondition::namesThatAreNotThere() {
    Scope rest = m_scope;
    QCOMPARE(decide(conditionOf("rank(q) == 1"), rest).truth, Truth::Unknown);
    rest.restIsAbsent = true;
    QCOMPARE(decide(conditionOf("rank(q) == 1"), rest).truth, Truth::Yes);
    QCOMPARE(decide(conditionOf("libs has onednn"), rest).truth, Truth::Unknown);
}

void TestCondition::seen() {
    const ConditionResult result = decide(conditionOf("dim(x, 0) > axis && const(x)"), m_scope);
    QCOMPARE(result.truth, Truth::No);
    QCOMPARE(result.evidence, std::string("dim(x, 0) > axis && const(x): dim(x, 0) = 2, axis = 1, "
                                          "const(x) = no"));
    QCOMPARE(decide(conditionOf("value(e) > 1"), m_scope).evidence,
             std::string("value(e) > 1: value(e) = 0.5"));
    QCOMPARE(decide(conditionOf("value(x) > 1"), m_scope).seen,
             std::string("value(x) is not known: it is no constant"));
    QCOMPARE(decide(conditionOf("value(m) > 1"), m_scope).seen,
             std::string("value(m) is not known: f32[2, 2] is neither one element nor a list of at "
                         "most 1024"));
}

void TestCondition::functionsSayWhatTheyDo() {
    for (const ConditionFunction& function : conditionFunctions()) {
        QVERIFY2(!function.sentence.empty(), std::string(function.name).c_str());
        QCOMPARE(conditionFunction(function.name), &function);
    }
    QVERIFY(conditionFunction("sometimes") == nullptr);
}

FW_TEST(TestCondition, QCoreApplication)
#include "test_condition.moc"
