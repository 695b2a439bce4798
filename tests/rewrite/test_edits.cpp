// Rules about single operators of a graph: by name, meant to change what it computes, giving names.
#include "common/test.h"
#include "rewrite/rewriting.h"
#include "sketch/edit.h"
#include "syntax/lexer.h"
#include "verdict/verdict.h"

using namespace fw;
using namespace rewriting;

class TestEdits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNameIsOnePlace();
    void namesAreAnyText_data();
    void namesAreAnyText();
    void valuesOfTheModelAreRead();
    void typesMayChangeInside();
    void resultsKeepTheirTypes();
    void operatorsGetNames();
    void namesThatAreTakenStay();
    void namesThatComeBackAreACircle();
    void verdicts_data();
    void verdicts();
    void refusals_data();
    void refusals();
};

namespace {

GraphPtr threeInARow() {
    return graphOf("graph g(x: f32[2, 3], k: f32[2, 3]) -> y {\n a = relu(x) @node(\"first\")\n"
                   " b = neg(a) @node(\"middle\")  y = relu(b) @node(\"second\")\n}");
}

QString namesOf(const Graph& graph) {
    QStringList out;
    for (const NodePtr& node : graph.nodes())
        if (!node->isLeaf())
            out << QString::fromStdString(node->name);
    return out.join(u' ');
}

std::string reasonOf(const Rewritten& out) {
    for (const Decision& decision : out.trace.decisions)
        if (decision.verdict == Verdict::No)
            return decision.sentence();
    return {};
}

} // namespace

void TestEdits::aNameIsOnePlace() {
    const Rewritten out =
        rewritten(threeInARow(),
                  bookOf("rule r { match y = relu(x) where name(y) == \"second\" emit y = x }"));
    QCOMPARE(namesOf(*out.graph), QStringLiteral("first middle"));
    const Rewritten either = rewritten(
        threeInARow(),
        bookOf("rule r { match y = relu(x) where name(y) in {\"second\", \"third\"} emit y = x }"));
    QCOMPARE(namesOf(*either.graph), QStringLiteral("first middle"));
    const Rewritten operand = rewritten(
        threeInARow(), bookOf("rule r { match y = neg(x) where name(x) != \"first\" emit y = x }"));
    QCOMPARE(applications(operand.trace, "r"), std::size_t(0));
    QVERIFY(reasonOf(operand).find("name(x) = first") != std::string::npos);
}

void TestEdits::namesAreAnyText_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("quotes") << QByteArray("a \"quoted\" name");
    QTest::newRow("backslashes") << QByteArray("a\\b\\");
    QTest::newRow("controls") << QByteArray("a\nb\tc\x01\x7f");
    QTest::newRow("no UTF-8") << QByteArray("a\xff\xfe");
    QTest::newRow("language") << QByteArray(
        "\" strategy once } rule evil { match y = relu(x) emit y = x }");
    QTest::newRow("comment") << QByteArray("# name");
    QTest::newRow("umlauts") << QByteArray("Schlüssel/äöü");
}

// As an edit writes it, and gives it.
void TestEdits::namesAreAnyText() {
    QFETCH(QByteArray, name);
    GraphEditor editor(standardOperators());
    const ValueRef x = editor.addInput("x", {DType::F32, {Dim(2)}});
    GraphEditor::NewNode relu;
    relu.op = "relu";
    relu.inputs = {x};
    relu.name = name.toStdString();
    const ValueRef first = editor.add(std::move(relu))->front();
    GraphEditor::NewNode last;
    last.op = "relu";
    last.inputs = {first};
    last.name = "last";
    editor.addResult("y", editor.add(std::move(last))->front());
    const GraphPtr graph = editor.finish().value();
    EditWish wish;
    wish.name = "mine";
    const std::string gone = editRule(*graph, first.node, wish).value();
    QCOMPARE(namesOf(*rewritten(graph, bookOf(gone)).graph), QStringLiteral("last"));
    wish.kind = EditKind::Rename;
    wish.to = name.toStdString() + "!";
    const Rewritten renamed =
        rewritten(graph, bookOf(editRule(*graph, graph->findByName("last")->id, wish).value()));
    QVERIFY(renamed.graph->findByName(wish.to) != nullptr);
    QCOMPARE(operatorsOf(*renamed.graph), QStringLiteral("relu relu"));
}

void TestEdits::valuesOfTheModelAreRead() {
    const auto with = [](const std::string& name) {
        return rewritten(threeInARow(),
                         bookOf("rule r { match y = neg(x) emit y = add(neg(x), node(" +
                                quoteText(name) + ")) strategy once changes }"));
    };
    for (const std::string name : {"k", "first", "x"}) {
        const Rewritten out = with(name);
        QCOMPARE(operatorsOf(*out.graph), QStringLiteral("relu neg add relu"));
        const Node* add = nullptr;
        for (const NodePtr& node : out.graph->nodes())
            if (node->op == "add")
                add = node.get();
        QCOMPARE(QString::fromStdString(out.graph->node(add->inputs[1].node).name),
                 QString::fromStdString(name));
    }
    QCOMPARE(applications(with("second").trace, "r"), std::size_t(0)); // it reads what is replaced
    const Rewritten none = with("nobody");
    QCOMPARE(applications(none.trace, "r"), std::size_t(0));
    QVERIFY2(reasonOf(none).find("no operator and no value of the graph is called \"nobody\"") !=
                 std::string::npos,
             reasonOf(none).c_str());
    const Rewritten further = rewritten(
        graphOf("graph g(x: f32[4]) -> y {\n (a, b) = split(x) {axis = 0, sizes = [2, 2]}\n"
                " y = neg(a)\n}"),
        bookOf("rule r { match y = neg(x) emit y = neg(node(\"b\")) strategy once changes }"));
    QCOMPARE(further.graph->node(further.graph->results()[0].value.node).inputs[0].output, 1);
}

void TestEdits::typesMayChangeInside() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[2, 3, 4]) -> y {\n a = reduce_sum(x) {axes = [1], keepdims = "
                "false} @node(\"sum\")\n"
                " b = relu(a)  y = reduce_sum(b) {axes = [0, 1], keepdims = false}\n}");
    const std::string rule = "rule r { match y = reduce_sum(x) {*a} where name(y) == \"sum\" "
                             "emit y = reduce_sum(x) {*a, axes = [2]} strategy once";
    const Rewritten without = rewritten(graph, bookOf(rule + " }"));
    QVERIFY2(decision(without.trace, ReasonCode::RuleUndone) != nullptr, "types differ");
    const Rewritten out = rewritten(graph, bookOf(rule + " changes }"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    for (const NodePtr& node : out.graph->nodes())
        if (node->op == "relu")
            QCOMPARE(QString::fromStdString(node->outputs[0].type.text()),
                     QStringLiteral("f32[2, 3]"));
}

void TestEdits::resultsKeepTheirTypes() {
    const Rewritten out = rewritten(
        graphOf("graph g(x: f32[2, 3]) -> y {\n a = relu(x)  y = transpose(a) {perm = [1, 0]}\n}"),
        bookOf("rule r { match y = transpose(x) emit y = x strategy once changes }"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(0));
    const Decision* told = decision(out.trace, ReasonCode::RuleTurnsResult);
    QVERIFY(told != nullptr);
    QCOMPARE(QString::fromStdString(told->sentence()),
             QStringLiteral("a result of the model would have another type: y from f32[3, 2] into "
                            "f32[2, 3]"));
}

void TestEdits::operatorsGetNames() {
    const Rewritten out =
        rewritten(threeInARow(), bookOf("rule r { match y = neg(x) let t = tanh(x) emit y = exp(t) "
                                        "name t = \"t\", y = \"e\" strategy once changes }"));
    QCOMPARE(namesOf(*out.graph), QStringLiteral("first t e second"));
    // Again and again: it has its name.
    const Rewritten same = rewritten(
        threeInARow(), bookOf("rule r { match y = neg(x) emit y = neg(x) name y = \"minus\" }"));
    QCOMPARE(namesOf(*same.graph), QStringLiteral("first minus second"));
    QCOMPARE(applications(same.trace, "r"), std::size_t(1));
    QCOMPARE(difference(*threeInARow(), *same.graph), QString());
}

void TestEdits::namesThatAreTakenStay() {
    const Rewritten out = rewritten(
        threeInARow(), bookOf("rule r { match y = neg(x) emit y = neg(x) name y = \"second\" }"));
    QCOMPARE(namesOf(*out.graph), namesOf(*threeInARow()));
    QCOMPARE(applications(out.trace, "r"), std::size_t(0));
}

void TestEdits::namesThatComeBackAreACircle() {
    const Rewritten out = rewritten(
        threeInARow(),
        bookOf("rule there { match y = neg(x) where name(y) == \"middle\" emit y = neg(x) name y = "
               "\"b\" }\n"
               "rule back { match y = neg(x) where name(y) == \"b\" emit y = neg(x) name y = "
               "\"middle\" }"));
    QCOMPARE(out.trace.circles.size(), std::size_t(1));
    QCOMPARE(applications(out.trace, "there"), std::size_t(1));
}

void TestEdits::verdicts_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("verdict");
    const auto row = [](const char* name, const char* rule, const char* verdict) {
        QTest::newRow(name) << QString(rule) << QString(verdict);
    };
    row("equal", "rule r { match y = relu(relu(x)) where name(y) == \"a\" emit y = relu(x) }",
        "proved");
    row("of two",
        "rule r { match y = neg(c = neg(x)) where name(y) == \"a\", name(c) == \"b\" "
        "emit y = x }",
        "proved exact");
    row("of an operand",
        "rule r { match y = relu(relu(x)) where name(x) == \"in\" emit y = "
        "relu(x) }",
        "proved");
    row("wrong", "rule r { match y = relu(x) where name(y) == \"a\" emit y = x }", "refuted");
    row("asked", "rule r { match y = relu(x) where name(y) == \"a\" emit y = x changes }",
        "changes results");
    row("asked, but equal", "rule r { match y = relu(relu(x)) emit y = relu(x) changes }",
        "proved");
    row("another type",
        "rule r { match y = transpose(x) {*a} where name(y) == \"a\" emit y = x "
        "strategy once changes }",
        "changes results");
    row("an attribute",
        "rule r { match y = leaky_relu(x) {*a} where name(y) == \"a\" emit y = "
        "leaky_relu(x) {*a, alpha = 0.5} strategy once changes }",
        "changes results");
    row("a value of the model",
        "rule r { match y = add(a, b) where name(y) == \"a\" emit y = "
        "add(a, node(\"other\")) strategy once changes }",
        "changes results");
    row("a name",
        "rule r { match y = relu(x) where name(y) == \"a\" emit y = relu(x) name y = "
        "\"b\" strategy once }",
        "proved exact");
}

void TestEdits::verdicts() {
    QFETCH(QString, rule);
    const RuleBook book = bookOf(rule.toStdString());
    const RuleTrial trial = tryRule(book.ruleAt(0), book, standardOperators());
    QTEST(QString::fromStdString(trial.verdict()), "verdict");
    QVERIFY(trial.wrong || trial.cases > 20);
}

void TestEdits::refusals_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const char* rule, const char* said) {
        QTest::newRow(name) << QString(rule) << QString(said);
    };
    row("of nothing", "rule r { match y = relu(x) emit y = relu(x) name z = \"a\" }",
        "z is no value that an operator of the right side makes");
    row("of what was there", "rule r { match y = relu(x) emit y = x name y = \"a\" }",
        "y is no value that an operator of the right side makes");
    row("empty", "rule r { match y = relu(x) emit y = relu(x) name y = \"\" }",
        "an operator has a name that is not empty");
    row("no text", "rule r { match y = relu(x) where name(y) == 3 emit y = x }",
        "a text and an integer are not compared by ==");
    row("no name", "rule r { match y = relu(x) emit y = node(x) }",
        "node wants the name of an operator or a value of the graph");
    row("no name of it", "rule r { match y = relu(x) emit y = node(\"\") }",
        "node wants the name of an operator or a value of the graph");
    row("a number", "rule r { match y = relu(x) emit y = add(x, node(3)) }",
        "node wants the name of an operator or a value of the graph");
    row("one name for two",
        "rule r { match y = relu(x) let a = relu(x) emit y = relu(a) name a = \"n\" name y = \"n\" "
        "}",
        "another operator of the rule is called \"n\"");
}

void TestEdits::refusals() {
    QFETCH(QString, rule);
    QFETCH(QString, said);
    const auto out = rewriteGraph(threeInARow(), bookOf(rule.toStdString()), {});
    QVERIFY(!out.ok());
    QVERIFY2(out.diag().message.find(said.toStdString()) != std::string::npos,
             out.diag().text().c_str());
}

FW_TEST(TestEdits, QCoreApplication)
#include "test_edits.moc"
