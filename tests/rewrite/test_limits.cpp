// When rewriting stops: rules that undo each other, that never end, that take long and end.
#include "common/test.h"
#include "rewrite/rewriting.h"

#include <fmt/format.h>

using namespace fw;
using namespace rewriting;

class TestLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsBecomeShort();
    void undoingRulesStop();
    void growingRuleStops();
    void manyHonestApplications();
    void tooManyWaysStopTheRule();
};

// Sums of 64 operands, none of which is the relu that is looked for; the other rule works.
void TestLimits::tooManyWaysStopTheRule() {
    std::string text = "graph g(x: f32[2], z: f32[2]) -> y {\n a0 = add(x, z)\n";
    for (int i = 1; i < 10000; ++i)
        text += fmt::format(" a{} = add(a{}, {})\n", i, i - 1, i % 2 == 0 ? "x" : "z");
    std::string operands;
    for (int i = 0; i < 64; ++i)
        operands += fmt::format("w{}, ", i);
    const Rewritten out = rewritten(graphOf(text + " b = neg(a9999)  y = neg(b)\n}"),
                                    bookOf("rule wide {\n match y = assoc add(" + operands +
                                           "relu(q))\n emit y = w0\n}\n"
                                           "rule twice {\n match y = neg(neg(x))\n emit y = x\n}"));
    QCOMPARE(applications(out.trace, "twice"), std::size_t(1));
    const auto told = std::count_if(
        out.trace.decisions.begin(), out.trace.decisions.end(), [](const Decision& one) {
            return one.code == ReasonCode::RuleStopped &&
                   one.evidence == "too many ways to match at 10 places, so the rule is left out";
        });
    QCOMPARE(told, std::ptrdiff_t(1));
}

// B16.
void TestLimits::undoingRulesStop() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n y = sin(x)  z = exp(x)\n}");
    const std::string others = "rule other {\n match y = exp(x)\n emit y = tanh(x)\n}\n";
    const Rewritten out =
        rewritten(graph, bookOf("rule there {\n match y = sin(x)\n emit y = cos(x)\n}\nrule back "
                                "{\n match y = cos(x)\n emit y = sin(x)\n}\n" +
                                others));
    QCOMPARE(out.trace.stopReason, std::string("limit: there, back undo each other"));
    const Decision* circle = decision(out.trace, ReasonCode::RulesInCircle);
    QVERIFY(circle);
    QCOMPARE(circle->subject, std::string("sin"));
    QCOMPARE(applications(out.trace, "there"), std::size_t(1));
    QCOMPARE(applications(out.trace, "back"), std::size_t(0));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("cos tanh"));
    // Both graphs, as text that can be read.
    QCOMPARE(out.trace.circles.size(), std::size_t(1));
    const RulesInCircle& one = out.trace.circles[0];
    QCOMPARE(operatorsOf(*graphOf(one.before)), QStringLiteral("cos"));
    QCOMPARE(operatorsOf(*graphOf(one.after)), QStringLiteral("sin"));
    // Parts of another size, with more than one in between, and at many places.
    std::string many = "graph g(x: f32[2]) -> y {\n a0 = sin(x)\n";
    for (int i = 1; i < 40; ++i)
        many += fmt::format(" a{} = sin(a{})\n", i, i - 1);
    const Rewritten wide =
        rewritten(graphOf(many + " y = exp(a39)\n}"),
                  bookOf("rule a {\n match y = sin(x)\n emit y = cos(neg(x))\n}\n"
                         "rule b {\n match y = cos(neg(x))\n emit y = sigmoid(x)\n}\n"
                         "rule c {\n match y = sigmoid(x)\n emit y = sin(x)\n}\n" +
                         others));
    QCOMPARE(wide.trace.stopReason, std::string("limit: a, b, c undo each other, at 40 places"));
    QCOMPARE(applications(wide.trace, "other"), std::size_t(1));
    // One rule alone: operands swapped for ever, and what makes again what it matches.
    const GraphPtr sum = graphOf("graph g(p: f32[2], q: f32[2]) -> y {\n y = sub(p, q)\n}");
    const Rewritten swaps =
        rewritten(sum, bookOf("rule swap {\n match y = sub(p, q)\n emit y = neg(sub(q, p))\n}"));
    QCOMPARE(swaps.trace.stopReason, std::string("limit: swap makes again what it matches"));
    const Rewritten grown =
        rewritten(graph, bookOf("rule grow {\n match y = sin(x)\n emit y = sin(x) + sin(x)\n}"));
    QCOMPARE(grown.trace.stopReason,
             std::string("limit: grow makes again what it matches, at 2 places"));
    QCOMPARE(applications(grown.trace, "grow"), std::size_t(1));
}

void TestLimits::growingRuleStops() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n y = sin(x)\n}");
    RewriteOptions options;
    options.applications = 0;
    const RuleBook book = bookOf("rule grow {\n match y = sin(x)\n emit y = sin(neg(x))\n}");
    const Rewritten some = rewritten(graph, book, options);
    QCOMPARE(some.trace.stopReason, std::string("limit: 100 applications; still firing: grow"));
    QCOMPARE(applications(some.trace, "grow"), std::size_t(100));
    QVERIFY(decision(some.trace, ReasonCode::RuleStopped));
    const Rewritten grown = rewritten(graph, book);
    QVERIFY2(grown.trace.stopReason.starts_with("limit: the graph grew past 1004 operators"),
             grown.trace.stopReason.c_str());
    // Neither grows nor comes back.
    const Rewritten counts =
        rewritten(graphOf("graph g(x: f32[2]) -> y {\n y = leaky_relu(x) {alpha = 1}\n}"),
                  bookOf("rule more {\n match y = leaky_relu(x) {alpha}\n"
                         " emit y = leaky_relu(x) {alpha = alpha + 1}\n}"),
                  options);
    QCOMPARE(counts.trace.stopReason, std::string("limit: 100 applications; still firing: more"));
}

// B17, each enables the next: no sweep of all rules over the whole graph between two.
void TestLimits::manyHonestApplications() {
    std::string text = "graph g(x: f32[2]) -> y {\n a0 = relu(x)\n";
    for (int i = 1; i <= 2000; ++i)
        text += fmt::format(" a{} = neg(a{})\n", i, i - 1);
    const Rewritten out =
        rewritten(graphOf(text + " y = exp(a2000)\n}"),
                  bookOf("rule down {\n match y = neg(relu(x))\n emit y = relu(exp(x))\n}"));
    QCOMPARE(out.trace.stopReason, std::string("fixpoint"));
    QCOMPARE(applications(out.trace, "down"), std::size_t(2000));
}

// A part that looks the same each time is no circle while the row gets shorter.
void TestLimits::rowsBecomeShort() {
    std::string text = "graph g(x: f32[2]) -> y {\n a0 = relu(x)\n";
    for (int i = 1; i < 100; ++i)
        text += fmt::format(" a{} = relu(a{})\n", i, i - 1);
    for (const char* rule : {"rule one { match y = relu(relu(x)) emit y = relu(x) }",
                             "rule one { match y = relu(r = relu(x)) emit y = r }"}) {
        const Rewritten out = rewritten(graphOf(text + " y = exp(a99)\n}"), bookOf(rule));
        QCOMPARE(out.trace.stopReason, std::string("fixpoint"));
        QCOMPARE(applications(out.trace, "one"), std::size_t(99));
        QCOMPARE(operatorsOf(*out.graph), QStringLiteral("relu exp"));
    }
    // What is read stays and comes back for ever all the same.
    const Rewritten kept =
        rewritten(graphOf("graph g(x: f32[2]) -> y, z {\n e = exp(x)  y = sin(e)  z = neg(e)\n}"),
                  bookOf("rule there { duplicate match y = sin(e = exp(x)) emit y = cos(e) }\n"
                         "rule back { duplicate match y = cos(e = exp(x)) emit y = sin(e) }"));
    QCOMPARE(kept.trace.stopReason, std::string("limit: there, back undo each other"));
}

FW_TEST(TestLimits, QCoreApplication)
#include "test_limits.moc"
