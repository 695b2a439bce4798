// Applications that the user does not want.
#include "common/test.h"
#include "rewrite/rewriting.h"

using namespace fw;
using namespace rewriting;

class TestLeftOut : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leftOutAndTheRestRunsAgain();
    void builtIns();
    void unmetIsTold();
    void textsAreRead();

private:
    static Rewritten without(const GraphPtr& graph, const RuleBook& book, const LeftOut& leftOut) {
        RewriteOptions options;
        options.leftOut = leftOut;
        return rewriteGraph(graph, book, options).take();
    }
    static std::vector<std::string> told(const Rewritten& out, ReasonCode code) {
        std::vector<std::string> all;
        for (const Decision& decision : out.trace.decisions)
            if (decision.code == code)
                all.push_back(decision.subject);
        return all;
    }
};

// What it would have taken away is there for the others.
void TestLeftOut::leftOutAndTheRestRunsAgain() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n"
                                   " a = relu(x) @node(\"one\")  y = tanh(a) @node(\"two\")\n"
                                   " z = relu(x) @node(\"three\")\n}");
    const RuleBook book = bookOf("rule first {\n match y = relu(x)\n emit y = neg(x)\n}\n"
                                 "rule pair {\n match y = tanh(relu(x))\n emit y = exp(x)\n}");
    QCOMPARE(operatorsOf(*without(graph, book, {}).graph), QStringLiteral("neg tanh neg"));
    const Rewritten out = without(graph, book, {{"first", "one"}});
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("exp neg"));
    QCOMPARE(told(out, ReasonCode::RuleLeftOut), std::vector<std::string>{"first at one"});
    QCOMPARE(told(out, ReasonCode::LeftOutUnmet), std::vector<std::string>());
    // Of the other pair the first operator is the one that reads.
    const Rewritten neither = without(graph, book, {{"first", "one"}, {"pair", "two"}});
    QCOMPARE(operatorsOf(*neither.graph), QStringLiteral("relu tanh neg"));
}

void TestLeftOut::builtIns() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n"
                                   " c = const [1, 2] : f32[2]  d = neg(c) @node(\"folded\")\n"
                                   " a = relu(x) @node(\"one\")  b = relu(x) @node(\"two\")\n"
                                   " s = add(a, b)  y = add(s, d)\n}");
    const RuleBook book = bookOf("builtin fold_constants\nbuiltin cse");
    QCOMPARE(operatorsOf(*without(graph, book, {}).graph), QStringLiteral("relu add add"));
    const Rewritten out = without(graph, book, {{"fold_constants", "folded"}, {"cse", "two"}});
    QCOMPARE(out.graph->hash(), graph->hash());
    QCOMPARE(told(out, ReasonCode::LeftOutUnmet), std::vector<std::string>());
}

void TestLeftOut::unmetIsTold() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n y = relu(x) @node(\"one\")\n}");
    const RuleBook book = bookOf("rule first {\n match y = relu(x)\n emit y = neg(x)\n}");
    const Rewritten out = without(graph, book, {{"first", "gone"}, {"other", "one"}});
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("neg"));
    QCOMPARE(told(out, ReasonCode::LeftOutUnmet),
             (std::vector<std::string>{"first at gone", "other at one"}));
}

void TestLeftOut::textsAreRead() {
    const LeftOut two = parseLeftOut({"a at b", "c at d at e"}).take();
    QCOMPARE(two, (LeftOut{{"a", "b"}, {"c", "d at e"}}));
    for (const char* wrong : {"", "a", "a at ", " at b"})
        QVERIFY2(!parseLeftOut({wrong}), wrong);
}

FW_TEST(TestLeftOut, QCoreApplication)
#include "test_left_out.moc"
