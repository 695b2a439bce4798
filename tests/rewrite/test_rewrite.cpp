// The driver: what is applied, what is refused and why, and when it stops.
#include "common/test.h"
#include "ir/diff.h"
#include "rewrite/history.h"
#include "rewrite/rewriting.h"

#include <fmt/format.h>

using namespace fw;
using namespace rewriting;

class TestRewrite : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void originsOfWhatIsAdded();
    void refusalLeavesADecision();
    void interiorUsedOutside();
    void duplicate();
    void rightSideReadsTheInterior();
    void severalResults();
    void furtherResultsAreRoots();
    void severalResultsOfOneCall();
    void numbersAndAttributes();
    void optionalCapture();
    void extentsAsAttributes();
    void conditions_data();
    void conditions();
    void demandsOfTheModelStay();
    void rulesThatDemandMore();
    void rulesAndCommonNodes();
    void onceIsOnce();
    void tooManyWaysIsADecision();
    void bookOrderAndTrace();
    void everyStateCanBeSeen();
    void foldsConstants();
    void mergesCommon();
    void illTypedApplicationsAreUndone();
    void sameAgainIsNo_data();
    void sameAgainIsNo();
    void rootsUnderOtherNames();
    void cancelled();
    void chainsInRules();
    void differences();
};

void TestRewrite::refusalLeavesADecision() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n a = relu(x) @node(\"act\")  y = "
                                   "tanh(a) @node(\"top\")  z = exp(a)\n}");
    const Rewritten out = rewritten(graph, bookOf("rule r {\n  match y = tanh(c = relu(x))\n  "
                                                  "where used_once(c)\n  emit y = relu(x)\n}"));
    QCOMPARE(operatorsOf(*out.graph), operatorsOf(*graph));
    QCOMPARE(applications(out.trace, "r"), std::size_t(0));
    QCOMPARE(out.trace.decisions.size(), std::size_t(1));
    const Decision* no = decision(out.trace, ReasonCode::ConditionFalse);
    QVERIFY(no);
    QCOMPARE(no->verdict, Verdict::No);
    QCOMPARE(no->subject, std::string("r at top"));
    QCOMPARE(no->evidence, std::string("used_once(c) is false: used_once(c) = no"));
}

void TestRewrite::interiorUsedOutside() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n a = relu(x) @node(\"act\")  y = "
                                   "tanh(a)  z = exp(a) @node(\"user\")\n}");
    const Rewritten out =
        rewritten(graph, bookOf("rule r {\n match y = tanh(relu(x))\n emit y = sigmoid(x)\n}"));
    QCOMPARE(operatorsOf(*out.graph), operatorsOf(*graph));
    QCOMPARE(decision(out.trace, ReasonCode::ConditionFalse)->evidence,
             std::string("act is used by user outside the match"));
    const GraphPtr result =
        graphOf("graph g(x: f32[2]) -> y, a {\n a = relu(x) @node(\"act\")  y = tanh(a)\n}");
    const Rewritten kept =
        rewritten(result, bookOf("rule r {\n match y = tanh(relu(x))\n emit y = sigmoid(x)\n}"));
    QCOMPARE(decision(kept.trace, ReasonCode::ConditionFalse)->evidence,
             std::string("act is a result of the model"));
}

void TestRewrite::duplicate() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[2]) -> y, z {\n a = neg(x)  y = neg(a)  z = exp(a)\n}");
    const Rewritten out = rewritten(
        graph, bookOf("rule r {\n duplicate\n match y = neg(neg(x))\n emit y = identity(x)\n}"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("neg identity exp"));
    QCOMPARE(difference(*graph, *out.graph), QString());
}

// What the right side reads stays, with everything it is computed from.
void TestRewrite::rightSideReadsTheInterior() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[2]) -> y {\n a = neg(x)  b = relu(a)  y = relu(b)\n}");
    const Rewritten out =
        rewritten(graph, bookOf("rule r {\n match y = relu(c = relu(n = neg(x)))\n emit y = c\n}"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("neg relu"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(difference(*graph, *out.graph), QString());
}

void TestRewrite::severalResults() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n y = sin(x)  z = cos(x)\n}");
    const Rewritten out = rewritten(
        graph, bookOf("rule r {\n strategy once\n match s = sin(x), c = cos(x)\n let n = neg(x)\n"
                      " emit s = neg(sin(n)), c = cos(n)\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("neg sin neg cos"));
    QCOMPARE(difference(*graph, *out.graph), QString());
}

void TestRewrite::furtherResultsAreRoots() {
    const GraphPtr graph = graphOf("graph g(x: f32[4]) -> y, z {\n"
                                   " (y, z) = split(x) {axis = 0, sizes = [1, 3]}\n}");
    const Rewritten out = rewritten(
        graph,
        bookOf("rule part {\n duplicate match y = out(1, split(x) {axis = 0})"
               " emit y = slice(x) {starts = [1], ends = [4], axes = [0], steps = [1]}\n}\n"));
    QCOMPARE(applications(out.trace, "part"), std::size_t(1));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("split slice"));
    QCOMPARE(difference(*graph, *out.graph), QString());
}

void TestRewrite::severalResultsOfOneCall() {
    const GraphPtr graph = graphOf(
        "graph g(x: f32[3, 6]) -> y, z {\n"
        " a = slice(x) {starts = [0], ends = [2], axes = [1], steps = [1]}  y = relu(a)\n"
        " b = slice(x) {starts = [2], ends = [6], axes = [1], steps = [1]}  z = tanh(b)\n}");
    const std::string match = "rule r {\n match a = slice(x) {starts = [0], ends = [2]},"
                              " b = slice(x) {starts = [2], ends = [6]}\n";
    const Rewritten out =
        rewritten(graph, bookOf(match + " emit (a, b) = split(x) {axis = 1, sizes = [2, 4]}\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(operatorsOf(*out.graph).split(u' ').count(QStringLiteral("split")), 1);
    QCOMPARE(operatorsOf(*out.graph).split(u' ').size(), 3);
    QCOMPARE(difference(*graph, *out.graph), QString());
}

void TestRewrite::numbersAndAttributes() {
    const GraphPtr graph =
        graphOf("graph g(x: f64[2, 3]) -> y {\n y = leaky_relu(x) {alpha = 0.25}\n}");
    const Rewritten out = rewritten(
        graph,
        bookOf("rule r {\n match y = leaky_relu(x) {alpha}\n emit y = max(x, x * alpha)\n}\n"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("mul max"));
    QCOMPARE(difference(*graph, *out.graph), QString());
    // An attribute that is not written counts with its default, and lists and numbers can be
    // written.
    const GraphPtr plain = graphOf("graph g(x: f32[1, 3, 5, 5]) -> y {\n w = const random(1) : "
                                   "f32[4, 3, 3, 3]  c = conv2d(x, w)  y = leaky_relu(c)\n}");
    const Rewritten second = rewritten(
        plain,
        bookOf(
            "rule r {\n match y = leaky_relu(conv2d(x, w) {*a, groups = 1}) {alpha}\n"
            " emit y = neg(neg(leaky_relu(conv2d(x, w) {*a, strides = [1, 1]}) {alpha = alpha}))\n "
            "strategy once\n}"));
    QCOMPARE(applications(second.trace, "r"), std::size_t(1));
    QCOMPARE(second.graph->findByName("leaky_relu")->attrs.real("alpha", 0), 0.01);
    QCOMPARE(difference(*plain, *second.graph), QString());
}

void TestRewrite::optionalCapture() {
    const RuleBook book =
        bookOf("rule r {\n match y = relu(dense(x, w) >> bias(^, b: const) {axis = 1}?)\n emit y = "
               "tanh(add(dense(x, w), given(b, b + 1, w * 0 + 1)))\n}");
    const std::string head = "graph g(x: f32[2, 3]) -> y {\n w = const random(1) : f32[1, 3]  k = "
                             "const [4] : f32[1]  d = dense(x, w)\n";
    QCOMPARE(operatorsOf(*rewritten(graphOf(head + " e = bias(d, k)  y = relu(e) }"), book).graph),
             QStringLiteral("dense add add tanh"));
    QCOMPARE(applications(
                 rewritten(graphOf(head + " y = relu(d) }"),
                           bookOf("rule r {\n match y = relu(dense(x, w) >> bias(^, b: const)?)\n"
                                  " emit y = tanh(dense(x, given(b, w * 2, w * 3)))\n}"))
                     .trace,
                 "r"),
             std::size_t(1));
}

// An extent becomes an attribute; one that is free refuses the rewrite.
void TestRewrite::extentsAsAttributes() {
    const GraphPtr graph = graphOf("graph g(x: f32[N, 3, 5]) -> y { y = relu(x) }");
    const auto rule = [](const std::string& axis) {
        return bookOf(
            "rule r {\n match y = relu(x)\n emit y = channel_shuffle(x) {groups = dim(x, " + axis +
            ")}\n strategy once\n}");
    };
    const Rewritten out = rewritten(graph, rule("1"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("channel_shuffle"));
    const Rewritten free = rewritten(graph, rule("0"));
    QCOMPARE(operatorsOf(*free.graph), QStringLiteral("relu"));
    QCOMPARE(decision(free.trace, ReasonCode::ConditionFalse)->evidence,
             std::string("groups of channel_shuffle has no value that is known here: N"));
}

void TestRewrite::conditions_data() {
    QTest::addColumn<QString>("condition");
    QTest::addColumn<bool>("holds");
    const auto row = [](const char* condition, bool holds) {
        QTest::newRow(condition) << QString::fromLatin1(condition) << holds;
    };
    row("used_once(x)", true);
    row("not_result(y)", false);
    row("!not_result(y)", true);
    row("rank(x) == 2", true);
    row("rank(x) > 2 || dim(x, 1) == 3", true);
    row("rank(x) >= 2 && dim(x, 1) != 3", false);
    row("dim(x, 0) == 2", false); // free: not decided, so no
    row("dim(x, 0) == dim(k, 0)", false);
    row("dim(x, 0) == dim(y, 0)", true); // free, and one and the same
    row("dim(x, 1) == dim(y, 1)", true);
    row("dim(x, 1) * rank(x) == 6", true);
    row("dim(x, 0) * 2 == 6", false);
    row("dtype(x) == f32", true);
    row("dtype(x) != f32", false);
    row("f64 == dtype(x)", false);
    row("axis == -1", true);
    row("axis < -1", false);
    row("finite(k)", true);
    row("finite(x)", false); // not a constant
    row("rank(x) == 2, finite(i)", false);
}

void TestRewrite::conditions() {
    QFETCH(QString, condition);
    QFETCH(bool, holds);
    const GraphPtr graph = graphOf("graph g(x: f32[N, 3]) -> y {\n k = const [1] : f32[1]  i = "
                                   "const [inf] : f32[1]  a = softmax(x) {axis = -1}\n"
                                   " b = add(a, k)  y = add(b, i)\n}");
    const Rewritten out =
        rewritten(graph, bookOf("rule r {\n strategy once\n match y = add(add(softmax(x) {axis}, "
                                "k: const), i: const)\n where " +
                                condition.toStdString() + "\n emit y = relu(x)\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(holds ? 1 : 0));
    QCOMPARE(decision(out.trace, ReasonCode::ConditionFalse) == nullptr, holds);
}

// A rule takes an operator out; what it asked of the inputs is asked all the same.
void TestRewrite::demandsOfTheModelStay() {
    const GraphPtr graph = graphOf(
        "graph g(x: f32[N], z: f32[M]) -> y {\n a = add(x, z)  b = sub(a, z)  y = relu(x)\n}");
    QCOMPARE(graph->assumptions().size(), std::size_t(1));
    const Rewritten out =
        rewritten(graph, bookOf("rule r {\n match y = relu(x)\n emit y = tanh(x)\n}"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("tanh"));
    QCOMPARE(out.graph->assumptions(), graph->assumptions());
}

// add() takes [3] and [1], prelu() takes its slope no longer than what it multiplies.
void TestRewrite::rulesThatDemandMore() {
    const RuleBook book = bookOf("rule r {\n match y = add(a, b)\n emit y = prelu(a, b)\n}");
    const GraphPtr graph =
        graphOf("graph g(p: f32[N], q: f32[M]) -> y, z {\n"
                " y = add(p, q) @node(\"two\")  z = add(p, p) @node(\"one\")\n}");
    const Rewritten out = rewritten(graph, book);
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("add prelu"));
    const Decision* no = decision(out.trace, ReasonCode::RuleDemands);
    QVERIFY(no);
    QCOMPARE(no->subject, std::string("r at two"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(out.graph->assumptions(), graph->assumptions());
    // Where the model says so already, it is no more than it asks.
    const GraphPtr same = graphOf("graph g(p: f32[N], q: f32[M]) -> y, c {\n"
                                  " c = concat(p, q) {axis = 0}  y = add(p, q)\n assume M == 1\n}");
    QCOMPARE(operatorsOf(*rewritten(same, book).graph), QStringLiteral("concat prelu"));
}

// K14: what rules make equal becomes one node, which rules see again.
void TestRewrite::rulesAndCommonNodes() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[4], z: f32[4]) -> y {\n"
                " a = neg(x)  b = neg(a)  c = add(b, z)  d = add(x, z)  y = sub(c, d)\n}");
    const Rewritten out =
        rewritten(graph, bookOf("rule twice {\n match y = neg(neg(x))\n emit y = x\n}\n"
                                "rule nothing {\n match y = sub(x, x)\n emit y = x * 0\n}\n"
                                "builtin cse"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("add mul"));
    QCOMPARE(difference(*graph, *out.graph), QString());
}

void TestRewrite::onceIsOnce() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n a = sin(x)  y = sin(a)\n}");
    const auto after = [&](const std::string& strategy) {
        const Rewritten out =
            rewritten(graph, bookOf("rule grow {\n strategy " + strategy +
                                    "\n match y = sin(x)\n emit y = sin(neg(x))\n}"));
        return out.trace.stopReason == "fixpoint" ? operatorsOf(*out.graph) : QString();
    };
    QCOMPARE(after("once"), QStringLiteral("neg sin sin")); // the first place only
    QCOMPARE(after("sweep"), QStringLiteral("neg sin neg sin"));
}

void TestRewrite::tooManyWaysIsADecision() {
    std::string body = "a0 = relu(x)\n", pattern = "tanh(q)";
    for (int i = 1; i <= 12; ++i) {
        body += "a" + std::to_string(i) + " = add(a" + std::to_string(i - 1) + ", a" +
                std::to_string(i - 1) + ")\n";
        pattern = "add((p" + std::to_string(i) + " | any), " + pattern + ")";
    }
    const GraphPtr graph =
        graphOf("graph g(x: f32[2]) -> y {\n" + body + "b = identity(a12) y = relu(b)\n}");
    const Rewritten out = rewritten(
        graph, bookOf("rule wide {\n match y = " + pattern +
                      "\n emit y = q\n}\nrule r {\n match y = identity(x)\n emit y = x\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    const Decision* stopped = decision(out.trace, ReasonCode::RuleStopped);
    QVERIFY(stopped);
    QCOMPARE(stopped->evidence, std::string("there are too many ways to match"));
    QVERIFY(stopped->subject.starts_with("wide at "));
}

void TestRewrite::bookOrderAndTrace() {
    const GraphPtr graph = graphOf(
        "graph g(x: f32[2]) -> y {\n a = sin(x) @node(\"first\")  y = sin(a) @node(\"second\")\n}");
    const RuleBook book = bookOf("rule one {\n match y = sin(x)\n emit y = cos(x)\n}\nrule two {\n "
                                 "match y = cos(x)\n emit y = tanh(x)\n}");
    const Rewritten out = rewritten(graph, book);
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("tanh tanh"));
    QCOMPARE(out.trace.applied.size(), std::size_t(2));
    QCOMPARE(out.trace.applied[0].rule, std::string("one"));
    QCOMPARE(out.trace.applied[1].rule, std::string("two"));
    // Every entry has its own count, also one whose name another one has.
    const Rewritten both =
        rewritten(graph, bookOf("rule one {\n match y = tanh(x)\n emit y = sin(x)\n}\n"
                                "rule one {\n match y = sin(x)\n emit y = cos(x)\n}"));
    QCOMPARE(both.trace.applied.size(), std::size_t(2));
    QCOMPARE(both.trace.applied[0].count, std::size_t(0));
    QCOMPARE(both.trace.applied[1].count, std::size_t(2));
    QCOMPARE(out.trace.applications.size(), std::size_t(4));
    const Application& applied = out.trace.applications[0];
    QCOMPARE(out.trace.applied[applied.entry].rule, std::string("one"));
    QCOMPARE(out.trace.applied[applied.entry].file, std::string("book.fw"));
    QCOMPARE(out.trace.applied[applied.entry].line, 1);
    QCOMPARE(applied.matched.size(), std::size_t(1));
    QCOMPARE(applied.matched[0]->name, std::string("first"));
    // Names of the values that stay are the names of the nodes they replace; origins are theirs.
    const Node* first = out.graph->findByName("first");
    QVERIFY(first);
    QCOMPARE(first->op, std::string("tanh"));
    QCOMPARE(first->origins, graph->findByName("first")->origins);
    QVERIFY(decision(out.trace, ReasonCode::RuleApplied));
}

// The graph behind every application, made from the records.
void TestRewrite::everyStateCanBeSeen() {
    const GraphPtr graph = graphOf(
        "graph g(x: f32[1, 3, 8, 8]) -> y, z, n {\n w = const random(1) : f32[4, 3, 3, 3]\n"
        " k = const [1, 2] : f32[2]  l = const [1, 2] : f32[2]  m = mul(k, l)  n = add(m, k)\n"
        " c = conv2d(x, w)  i = identity(c)  a = relu(i)  b = relu(a)  y = identity(b)\n"
        " p = relu(i)  z = neg(p)  dead = exp(n)\n}");
    const Rewritten out = rewritten(graph, *standardRules());
    const std::size_t count = out.trace.applications.size();
    QVERIFY(count >= 4);
    for (std::size_t k = 0; k <= count; ++k) {
        const auto state = graphBehind(graph, out.trace.applications, k);
        QVERIFY(state);
        QCOMPARE(difference(*graph, **state), QString());
        if (k == count)
            QCOMPARE((*state)->hash(), out.graph->hash());
        else if (k == 0)
            QCOMPARE((*state)->hash(), graph->hash());
    }
    // What a record says is what the graph shows: matched before, created behind it.
    RewriteHistory history(graph, out.trace.applications);
    while (!history.atEnd()) {
        const Application& one = history.next();
        for (const NodePtr& node : one.matched)
            QVERIFY(history.graph().find(node->id) == node.get());
        const Graph& behind = history.graph();
        history.step();
        for (const GraphStep::Edit& edit : one.step.edits)
            QVERIFY((edit.after ? behind.find(edit.after->id) : nullptr) == edit.after.get());
    }
}

void TestRewrite::foldsConstants() {
    const GraphPtr graph = graphOf(
        "graph g(x: f32[2]) -> y, big {\n k = const [1, 2] : f32[2]  l = const [3, 4] : f32[2]\n"
        " a = add(k, l)  b = mul(a, k)  y = sub(x, b)\n c = const [1] : f32[1]  big = add(c, c)\n"
        " u = unknown \"d\" \"Odd\"(k) : f32[2]\n}");
    const Rewritten out = rewritten(graph, bookOf("builtin fold_constants"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("sub"));
    const Node* sub = out.graph->findByName("sub");
    QVERIFY(sub);
    const TensorData* folded = out.graph->constant(sub->inputs[1]);
    QVERIFY(folded);
    QVERIFY(*folded == dataFromDoubles(DType::F32, {2}, {4, 12}));
    QCOMPARE(out.graph->node(sub->inputs[1].node).origins, graph->findByName("b")->origins);
    QCOMPARE(decision(out.trace, ReasonCode::FoldedConstant)->verdict, Verdict::Yes);
    QCOMPARE(
        difference(
            *graphOf("graph g(x: f32[2]) -> y {\n b = const [4, 12] : f32[2]  y = sub(x, b)\n}"),
            *rewritten(graphOf("graph g(x: f32[2]) -> y {\n k = const [1, 2] : f32[2]  l = const "
                               "[3, 4] : f32[2]  a = add(k, l)  b = mul(a, k)  y = sub(x, b)\n}"),
                       bookOf("builtin fold_constants"))
                 .graph),
        QString());
    // Too large: refused, said once, and the rest goes on.
    RewriteOptions options;
    options.foldBytes = 4;
    const Rewritten small = rewritten(graph, bookOf("builtin fold_constants"), options);
    QCOMPARE(applications(small.trace, "fold_constants"), std::size_t(1)); // big has four bytes
    QCOMPARE(std::count_if(small.trace.decisions.begin(), small.trace.decisions.end(),
                           [](const Decision& one) {
                               return one.verdict == Verdict::No && one.subject == "add";
                           }),
             std::ptrdiff_t(1));
}

void TestRewrite::mergesCommon() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[2, 3]) -> y, m2 {\n w = const random(1) : f32[3]\n"
                " (n1, m1, r1) = layernorm(x, w, w)  (n2, m2, r2) = layernorm(x, w, w)\n a = "
                "exp(m1)  b = exp(m2)  y = add(a, b)\n}");
    const Rewritten out = rewritten(graph, bookOf("builtin cse"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("layernorm exp add"));
    QCOMPARE(difference(*graph, *out.graph), QString());
    QCOMPARE(applications(out.trace, "cse"), std::size_t(2));
    // The one that stays stands for both.
    QCOMPARE(out.graph->findByName("n1")->origins.size(), std::size_t(2));
    // Unknown operators may do anything: two of them are two.
    const GraphPtr odd = graphOf("graph g(x: f32[2]) -> u, v {\n u = unknown \"d\" \"Rand\"(x) : "
                                 "f32[2]  v = unknown \"d\" \"Rand\"(x) : f32[2]\n}");
    QCOMPARE(operatorsOf(*rewritten(odd, bookOf("builtin cse")).graph),
             QStringLiteral("unknown unknown"));
}

void TestRewrite::illTypedApplicationsAreUndone() {
    // Of rank 1 its right side has rank 0, of rank 2 it fits after all.
    const GraphPtr graph = graphOf("graph g(x: f32[2, 3], u: f32[4]) -> y, z {\n"
                                   " y = relu(x) @node(\"act\")  z = neg(u)\n}");
    for (const char* right : {"cast(x) {to = f64}", "transpose(x) {perm = [1, 0]}", "bias(x, x)",
                              "softmax(x) {axis = 7}"}) {
        const std::string text =
            fmt::format("rule other {{\n match y = neg(x)\n emit y = exp(x)\n}}\n"
                        "rule r {{\n match y = relu(x)\n emit y = {}\n}}",
                        right);
        const Rewritten out = rewritten(graph, bookOf(text));
        QCOMPARE(operatorsOf(*out.graph), QStringLiteral("relu exp"));
        QCOMPARE(applications(out.trace, "other"), std::size_t(1));
        const Decision* undone = decision(out.trace, ReasonCode::RuleUndone);
        QVERIFY2(undone, right);
        QCOMPARE(undone->subject, std::string("r at act"));
        QVERIFY2(undone->evidence.starts_with("r at ") &&
                     undone->evidence.find(":5: ") != std::string::npos,
                 undone->evidence.c_str());
    }
    // The others of the rule stay.
    const GraphPtr two = graphOf("graph g(x: f32[4], u: f32[6, 3]) -> y, z {\n"
                                 " y = relu(x)  z = relu(u) @node(\"wide\")\n}");
    const Rewritten some =
        rewritten(two, bookOf("rule r {\n match y = relu(x)\n"
                              " emit y = reduce_sum(x * 2) {axes = [1], keepdims = 0}\n}"));
    QCOMPARE(applications(some.trace, "r"), std::size_t(0));
    const Rewritten first = rewritten(
        two, bookOf("rule r {\n match y = relu(x)\n emit y = transpose(x) {perm = [0]}\n}"));
    QCOMPARE(operatorsOf(*first.graph), QStringLiteral("transpose relu"));
    QCOMPARE(decision(first.trace, ReasonCode::RuleUndone)->subject, std::string("r at wide"));
    // A rule that keeps doing that keeps those that fit, and says the rest in one sentence.
    std::string many = "graph g(x: f32[2, 3], u: f32[4]) -> y, z {\n z = relu(u)\n a0 = relu(x)\n";
    for (int i = 1; i < 40; ++i)
        many += fmt::format(" a{} = relu(a{})\n", i, i - 1);
    const Rewritten most =
        rewritten(graphOf(many + " y = exp(a39)\n}"),
                  bookOf("rule r {\n match y = relu(x)\n emit y = transpose(x) {perm = [0]}\n}"));
    QCOMPARE(applications(most.trace, "r"), std::size_t(1));
    QCOMPARE(std::count_if(most.trace.decisions.begin(), most.trace.decisions.end(),
                           [](const Decision& one) { return one.code == ReasonCode::RuleUndone; }),
             std::ptrdiff_t(17));
    QCOMPARE(most.trace.decisions.back().evidence, std::string("24 more were undone"));
}

void TestRewrite::sameAgainIsNo_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("times");
    const auto row = [](const char* name, const char* graph, const char* rule, int times) {
        QTest::newRow(name) << QString::fromLatin1(graph) << QString::fromLatin1(rule) << times;
    };
    const char* const sum = "a = add(x, z)  y = add(a, a)";
    row("as it was", "y = relu(x)", "match y = relu(v)\n emit y = relu(v)", 0);
    row("swapped", sum, "match y = add(a, b)\n emit y = add(b, a)", 0);
    row("swapped inside", sum, "match y = add(add(a, b), c)\n emit y = (b + a) + c", 0);
    row("swapped where that is something else", "y = sub(x, z)",
        "match y = sub(a, b)\n strategy once\n emit y = sub(b, a) * -1", 1);
    row("through let", "y = relu(x)", "match y = relu(v)\n let r = relu(v)\n emit y = r", 0);
    row("its root by another name", "y = relu(x)", "match y = c = relu(v)\n emit y = c", 0);
    row("an attribute that is the default", "y = softmax(x)",
        "match y = softmax(v)\n emit y = softmax(v) {axis = -1}", 0);
    row("another attribute", "y = softmax(x) {axis = 0}",
        "match y = softmax(v)\n emit y = softmax(v) {axis = 1}\n strategy once", 1);
    row("a number that is the constant", "k = const [2] : f32[]  y = mul(x, k)",
        "match y = mul(v, const)\n emit y = v * 2", 0);
    row("another number", "k = const [2] : f32[]  y = mul(x, k)",
        "match y = mul(v, const)\n emit y = v * 3\n strategy once", 1);
    row("one of two", "p = relu(x)  q = tanh(x)  y = sub(p, q)",
        "match a = relu(v), b = tanh(v)\n emit a = relu(v), b = sin(v)\n strategy once", 1);
    row("the next way changes something", "n = neg(x)  m = neg(n)  y = sub(m, z)",
        "match y = sub((p | p = neg(neg(v))), b)\n emit y = sub(given(v, v, p), b)", 1);
}

// A right side that is the left side is no way to match: nothing is done for ever.
void TestRewrite::sameAgainIsNo() {
    QFETCH(QString, graph);
    QFETCH(QString, rule);
    QFETCH(int, times);
    const GraphPtr before =
        graphOf("graph g(x: f32[2, 2], z: f32[2, 2]) -> y { " + graph.toStdString() + " }");
    const Rewritten out = rewritten(before, bookOf("rule r {\n " + rule.toStdString() + "\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(times));
    QCOMPARE(out.trace.stopReason, std::string("fixpoint"));
    QCOMPARE(out.graph == before, times == 0);
    if (times == 0)
        QCOMPARE(decision(out.trace, ReasonCode::ConditionFalse)->evidence,
                 std::string("the right side is what was matched"));
}

void TestRewrite::rootsUnderOtherNames() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n y = relu(x)  z = tanh(y)\n}");
    const auto after = [&](const std::string& emit) {
        return rewritten(graph, bookOf("rule r {\n match a = relu(v), b = tanh(c)\n emit " + emit +
                                       "\n strategy once\n}"));
    };
    // What takes the place of the first root is read.
    const Rewritten out = after("a = exp(v), b = sin(c)");
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("exp sin"));
    const Rewritten handed = after("a = exp(v), b = c");
    QCOMPARE(operatorsOf(*handed.graph), QStringLiteral("exp"));
    QCOMPARE(handed.graph->results()[0].value, handed.graph->results()[1].value);
    const Rewritten circle = after("a = exp(c), b = sin(v)");
    QCOMPARE(circle.graph, graph);
    QCOMPARE(decision(circle.trace, ReasonCode::ConditionFalse)->evidence,
             std::string("the right side reads y, which it replaces"));
}

void TestRewrite::cancelled() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n y = identity(x)\n}");
    RewriteOptions options;
    options.cancel.cancel();
    const auto out = rewriteGraph(graph, *standardRules(), options);
    QVERIFY(!out);
    QCOMPARE(out.diag().code, DiagCode::Cancelled);
}

void TestRewrite::chainsInRules() {
    const RuleBook book =
        bookOf("chain ends = bias(^, b: const)? >> relu(^)?\npattern block(x, w: const) = dense(x, "
               "w) >> ends\n"
               "rule r {\n match y = tanh(c = block(x, k))\n emit y = sigmoid(dense(x, k))\n}");
    const std::string head = "graph g(x: f32[2, 3]) -> y {\n w = const random(1) : f32[4, 3]  k = "
                             "const random(2) : f32[4]  d = dense(x, w)\n";
    QCOMPARE(
        operatorsOf(
            *rewritten(graphOf(head + "e = bias(d, k)  f = relu(e)  y = tanh(f)\n}"), book).graph),
        QStringLiteral("dense sigmoid"));
    QCOMPARE(operatorsOf(*rewritten(graphOf(head + "y = tanh(d)\n}"), book).graph),
             QStringLiteral("dense sigmoid"));
}

// What a rule did is the difference of two snapshots.
void TestRewrite::differences() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y {\n a = identity(x) @node(\"copy\")  b "
                                   "= relu(a) @node(\"act\")  y = exp(b) @node(\"last\")\n}");
    const Rewritten out =
        rewritten(graph, bookOf("rule gone {\n match y = identity(x)\n emit y = x\n}\nrule r {\n "
                                "match y = exp(x)\n emit y = exp(neg(x))\n strategy once\n}"));
    QStringList lines;
    for (const NodeChange& change : diffGraphs(*graph, *out.graph))
        lines << QString::fromStdString(change.text);
    QCOMPARE(lines, (QStringList{QStringLiteral("- identity copy (a: f32[2]) of 1"),
                                 QStringLiteral("- exp last (y: f32[2]) of 3"),
                                 QStringLiteral("~ relu act (b: f32[2]) of 2"),
                                 QStringLiteral("+ neg neg (neg.y: f32[2]) of 3"),
                                 QStringLiteral("+ exp last (last.y: f32[2]) of 3")}));
    QVERIFY(diffGraphs(*graph, *graph).empty());
}

// What is added stands for all that led to it, over applications, stages and built-in rewrites.
void TestRewrite::originsOfWhatIsAdded() {
    const GraphPtr graph = graphOf("graph g(x: f32[2]) -> y, z {\n a = exp(x)  b = relu(a)\n"
                                   " c = abs(b)  d = neg(c)  e = tanh(c)  y = sqrt(d)\n"
                                   " f = tanh(c)  z = add(e, f)\n}");
    const Rewritten out = rewritten(
        graph, bookOf("builtin cse\n"
                      "rule less { match y = relu(exp(x)) | abs(exp(x)) emit y = exp(x) }\n"
                      "rule later { stage before fusion match y = neg(exp(x)) duplicate "
                      "emit y = neg(cos(x)) }"));
    const auto originsOf = [&](const char* op) {
        QStringList names;
        for (const NodePtr& node : out.graph->nodes())
            if (node->op == op)
                for (const NodeId id : node->origins)
                    names << QString::fromStdString(graph->node(id).outputs[0].name);
        names.sort();
        return names.join(u' ');
    };
    QCOMPARE(operatorsOf(*out.graph).split(u' ').size(), 6);
    QCOMPARE(originsOf("exp"), QStringLiteral("a b c"));
    QCOMPARE(originsOf("neg"), QStringLiteral("a b c d"));
    QCOMPARE(originsOf("cos"), QStringLiteral("a b c d"));
    QCOMPARE(originsOf("tanh"), QStringLiteral("e f"));
    QCOMPARE(originsOf("sqrt"), QStringLiteral("y"));
}

FW_TEST(TestRewrite, QCoreApplication)
#include "test_rewrite.moc"
