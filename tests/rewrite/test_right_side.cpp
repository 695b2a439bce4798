// Right sides: what they compute on one match, and what makes one no way to match.
#include "common/test.h"
#include "rewrite/rewriting.h"

#include "syntax/op.h"
#include "tensor/op_def.h"

using namespace fw;
using namespace rewriting;

class TestRightSide : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void applied_data();
    void applied();
    void refused_data();
    void refused();
    void duplicate();
    void expose_data();
    void expose();
    void operandsAreHandedOver();
    void whatIsExposedMayChangeAlone();
    void namesOfPartsComeBeforeOperators();
    void siblingsThatReadEachOther();
    void whatIsMadeLiesInTheBlockOfWhatWasMatched();
};

namespace {

const char* const conv = "w = const random(1) : f32[4, 3, 3, 3]\n"
                         " p = pad(x) {pads = [0, 0, 1, 2, 0, 0, 1, 2]}\n"
                         " y = conv2d(p, w) {pads = [1, 0, 1, 0]}";

GraphPtr over(const QString& body) {
    return graphOf("graph g(x: f32[1, 3, 6, 6], s: f32[4], t: f32[4], u: f32[4]) -> y {\n " +
                   body.toStdString() + "\n}");
}

QString sortedOperators(const Graph& graph) {
    QStringList out = operatorsOf(graph).split(u' ');
    out.sort();
    return out.join(u' ');
}

RuleBook ruleOf(const QString& text) {
    return bookOf("rule r {\n " + text.toStdString() + "\n strategy once\n}");
}

} // namespace

void TestRightSide::applied_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("operators");
    QTest::addColumn<QString>("attribute");
    const auto row = [](const char* name, const char* graph, const char* rule,
                        const char* operators, const char* attribute) {
        QTest::newRow(name) << QString::fromLatin1(graph) << QString::fromLatin1(rule)
                            << QString::fromLatin1(operators) << QString::fromLatin1(attribute);
    };
    row("numbers of a constant", "k = const [0.25] : f32[]  z = mul(s, k)  y = max(s, z)",
        "match y = max(v, mul(v, e: const))\n where value(e) > 0 && value(e) < 1\n"
        " emit y = leaky_relu(v) {alpha = value(e)}",
        "leaky_relu", "{alpha = 0.25}");
    row("computed from a constant", "k = const [0.5] : f32[1]  y = mul(s, k)",
        "match y = mul(v, e: const)\n let half = value(e) / 2\n"
        " emit y = (v * half) * 2",
        "mul mul", "");
    row("a list of a constant",
        "k = const [0, 2, 3, 1] : i64[4]  a = transpose(x) {perm = [0, 2, 3, 1]}  c = cast(k) {to "
        "= f32}  b = mul(a, a)  d = reduce_sum(c) {axes = [0], keepdims = 0}  y = add(b, d)",
        "match y = add(mul(transpose(v), any), reduce_sum(cast(k: const)))\n"
        " let t = transpose(v) {perm = value(k)}\n emit y = t * t + 6",
        "transpose mul add", "{perm = [0, 2, 3, 1]}");
    row("lists of two operators added", conv,
        "match y = conv2d(pad(v) {pads = q}, w) {*a, pads}\n"
        " where q == [0, 0, 1, 2, 0, 0, 1, 2]\n"
        " emit y = conv2d(v, w) {*a, pads = pads + [q[2], q[3], q[6], q[7]]}",
        "conv2d", "{pads = [2, 2, 2, 2]}");
    row("a list out of parts", "y = transpose(x) {perm = [0, 2, 3, 1]}",
        "match y = transpose(v) {perm}\n let front = [perm[0], perm[1]], back = [perm[2]]\n"
        " emit y = transpose(relu(v) - relu(-1 * v)) {perm = [...front, ...back, 1]}",
        "relu mul relu sub transpose", "{perm = [0, 2, 3, 1]}");
    row("extents", "y = reshape(s) {shape = [2, 2]}",
        "match y = reshape(v) {shape = d}\n"
        " emit y = reshape(reshape(v) {shape = [1, dim(v, 0)]}) {shape = d}",
        "reshape reshape", "{shape = [1, 4]}");
    row("several results in let", "a = relu(x)  y = neg(a)",
        "match y = neg(relu(v))\n let (p, q) = split(v) {axis = 2, sizes = [2, 4]}\n"
        " emit y = neg(relu(concat(p, q) {axis = 2}))",
        "split concat relu neg", "");
    const char* const joined = "match y = relu(v >> (concat(^, r) {axis = 0})* {1..4})\n"
                               " emit y = relu(concat(v, ...r) {axis = 0})";
    row("a list handed on", "a = concat(s, t)  b = concat(a, u)  y = relu(b)", joined,
        "concat relu", "");
    row("a list of one", "a = concat(s, t)  y = relu(a)",
        "match y = relu(v >> (concat(^, r) {axis = 0})* {1..4})\n"
        " emit y = concat(relu(v), ...r) {axis = 0} * 0 + relu(concat(v, ...r) {axis = 0})",
        "relu concat mul concat relu add", "");
    row("a list in the midst", "a = concat(s, t)  b = concat(a, u)  y = relu(b)",
        "match y = relu(v >> (concat(^, r) {axis = 0})* {1..4})\n"
        " emit y = relu(slice(concat(v, ...r, v) {axis = 0})"
        " {starts = [0], ends = [12], axes = [0], steps = [1]})",
        "concat slice relu", "");
    row("whether there is a list", "y = relu(s)",
        "match y = relu(v >> (add(^, r))* {0..4})\n emit y = given(r, v, exp(log(relu(v))))",
        "relu log exp", "");
    row("what is not needed may be unknown", "y = relu(s)",
        "match y = relu(v >> (add(^, r: const))?)\n let k = value(r), z = v + k\n"
        " emit y = given(r, z, relu(v + 0))",
        "add relu", "");
    const char* const maybe = "match y = relu(v >> (concat(^, r))?)\n"
                              " let k = given(r, 2, 1)\n"
                              " emit y = softmax(relu(v)) {axis = given(r, dim(r, 0), -1)}"
                              " * 0 + relu(given(r, concat(v, r), v)) * given(r, k - 1, k)";
    row("an attribute of a part that is not there", "y = relu(x)", maybe,
        "relu softmax mul relu mul add", "{axis = -1}");
    row("a number that depends on a part", "y = relu(s)",
        "match y = relu(v >> (bias(^, r) {axis = a})?)\n where !given(r)\n let k = given(r, a, 1)\n"
        " emit y = relu(v * k)",
        "mul relu", "");
    row("an attribute that depends on a part",
        "k = const random(2) : f32[3]  a = bias(x, k) {axis = 1}  y = relu(a)",
        "match y = relu(v >> (bias(^, r) {axis = a})?)\n where given(r)\n"
        " emit y = relu(softmax(v) {axis = given(r, a + 1, -1)} * 0 + bias(v, r) {axis = a})",
        "softmax mul bias add relu", "{axis = 2}");
    row("whether there is a list decides a number", "a = add(s, t)  y = relu(a)",
        "match y = relu(v >> (add(^, r))* {0..4})\n where given(r)\n"
        " emit y = relu(add(v, r) * given(r, 1, 2))",
        "add mul relu", "");
}

void TestRightSide::applied() {
    QFETCH(QString, graph);
    QFETCH(QString, rule);
    QFETCH(QString, operators);
    QFETCH(QString, attribute);
    const GraphPtr before = over(graph);
    const Rewritten out = rewritten(before, ruleOf(rule));
    const Decision* no = decision(out.trace, ReasonCode::ConditionFalse);
    QVERIFY2(applications(out.trace, "r") == 1, no ? no->evidence.c_str() : "");
    QCOMPARE(operatorsOf(*out.graph), operators);
    std::string written;
    for (const NodePtr& node : out.graph->nodes())
        if (!node->isLeaf())
            written += node->attrs.print();
    QVERIFY2(written.find(attribute.toStdString()) != std::string::npos, written.c_str());
    QCOMPARE(difference(*before, *out.graph), QString());
}

void TestRightSide::refused_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* graph, const char* rule, const char* reason) {
        QTest::newRow(name) << QString::fromLatin1(graph) << QString::fromLatin1(rule)
                            << QString::fromLatin1(reason);
    };
    row("no constant", "y = mul(s, t)",
        "match y = mul(v, e)\n emit y = leaky_relu(v) {alpha = value(e)}",
        "alpha of leaky_relu has no value here: value(e) is not known: it is no constant");
    row("a constant that is too large", "k = const random(1) : f32[3, 6, 6]  y = mul(x, k)",
        "match y = mul(v, e: const)\n let a = value(e)\n emit y = v * a",
        "a has no value here: value(e) is not known: f32[3, 6, 6] is neither one element nor a "
        "list of at most 1024");
    row("a real for an integer", "k = const [0.5] : f32[]  y = mul(s, k)",
        "match y = mul(v, e: const)\n emit y = softmax(v) {axis = value(e)}",
        "axis of softmax is an integer, not 0.5");
    row("a list for a number", "k = const [1, 2, 3, 4] : f32[4]  y = mul(s, k)",
        "match y = mul(v, e: const)\n emit y = v * value(e)",
        "[1, 2, 3, 4] is no number that is known here");
    row("behind the end of a list", "y = transpose(x) {perm = [0, 2, 3, 1]}",
        "match y = transpose(v) {perm}\n emit y = transpose(v) {perm = [perm[4], 1, 2, 3]}",
        "perm of transpose has no value here: perm = [0, 2, 3, 1], perm has no element 4");
    row("lists of two lengths", "y = transpose(x) {perm = [0, 2, 3, 1]}",
        "match y = transpose(v) {perm}\n emit y = transpose(v) {perm = perm + [1, 2]}",
        "perm of transpose has no value here: perm = [0, 2, 3, 1]");
    row("too many operands", "a = add(s, t)  b = add(a, u)  y = relu(b)",
        "match y = relu(v >> (add(^, r))* {1..4})\n emit y = relu(add(v, ...r))",
        "add has 2 operands, not 3");
    row("an integer for a real", "y = leaky_relu(s) {alpha = 1.0}",
        "match y = leaky_relu(v)\n emit y = leaky_relu(v) {alpha = 1}",
        "the right side is what was matched");
    row("an absent part", "y = relu(s)",
        "match y = relu(v >> (add(^, r: const))?)\n emit y = v + r", "r was not matched");
}

void TestRightSide::refused() {
    QFETCH(QString, graph);
    QFETCH(QString, rule);
    QFETCH(QString, reason);
    const GraphPtr before = over(graph);
    const Rewritten out = rewritten(before, ruleOf(rule));
    QCOMPARE(out.graph, before);
    const Decision* no = decision(out.trace, ReasonCode::ConditionFalse);
    QVERIFY(no);
    QCOMPARE(QString::fromStdString(no->evidence), reason);
}

// An inner value that is used elsewhere stays, and what that costs is told.
void TestRightSide::duplicate() {
    const RuleBook book = bookOf("rule r {\n duplicate\n match y = relu(add(c = mul(v, w), t))\n"
                                 " emit y = relu(w * v + t) * 1\n strategy once\n}");
    const std::string head = "graph g(x: f32[N, 4], w: f32[N, 4]) -> y, z {\n m = mul(x, w)\n"
                             " a = add(m, x)  y = relu(a)\n";
    const GraphPtr graph = graphOf(head + " z = exp(m) @node(\"reader\")\n}");
    const Rewritten out = rewritten(graph, book);
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("mul mul add relu mul exp"));
    QCOMPARE(difference(*graph, *out.graph), QString());
    const Decision* twice = decision(out.trace, ReasonCode::RuleRepeats);
    QVERIFY(twice);
    QCOMPARE(twice->subject, std::string("r at mul"));
    QCOMPARE(twice->evidence,
             std::string("for reader; N * 4 operations and N * 16 bytes more in every run"));
    // Nobody else reads it: nothing is computed twice.
    const Rewritten once = rewritten(graphOf(head + " z = exp(x)\n}"), book);
    QCOMPARE(applications(once.trace, "r"), std::size_t(1));
    QVERIFY(!decision(once.trace, ReasonCode::RuleRepeats));
}

void TestRightSide::expose_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("emit");
    QTest::addColumn<QString>("operators");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, const char* graph, const char* emit,
                        const char* operators, const char* told) {
        QTest::newRow(name) << QString::fromLatin1(graph) << QString::fromLatin1(emit)
                            << QString::fromLatin1(operators) << QString::fromLatin1(told);
    };
    const char* const read = "a = neg(x) y = neg(a) z = exp(a) @node(\"reader\")";
    row("read by another", read, "c = v * -1, y = v + 0", "mul exp add", "for reader; 8 bytes");
    row("a result", "z = neg(x) y = neg(z)", "c = v * -1, y = v + 0", "mul add",
        "for the caller; 8 bytes");
    row("read by nobody", "a = neg(x) y = neg(a) z = exp(x)", "c = v * -1, y = v + 0", "exp add",
        "");
    row("what is given anew is read", read, "c = v * -1, y = c * -1", "mul exp mul",
        "for reader; 8 bytes");
    row("read by the right side only", "a = neg(x) y = neg(a) z = exp(x)", "c = v * -1, y = c * -1",
        "exp mul mul", "");
    row("behind the root", read, "y = v + 0, c = v * -1", "mul exp add", "for reader; 8 bytes");
}

// Readers of an inner value get what emit gives for it; without any it is not computed.
void TestRightSide::expose() {
    QFETCH(QString, graph);
    QFETCH(QString, emit);
    QFETCH(QString, operators);
    QFETCH(QString, told);
    const GraphPtr before = graphOf("graph g(x: f32[2]) -> y, z { " + graph.toStdString() + " }");
    const Rewritten out =
        rewritten(before, bookOf("rule r {\n match y = neg(c = neg(v))\n expose c\n emit " +
                                 emit.toStdString() + "\n}"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QStringList got = operatorsOf(*out.graph).split(u' '), wanted = operators.split(u' ');
    got.sort();
    wanted.sort();
    QCOMPARE(got, wanted);
    QCOMPARE(difference(*before, *out.graph), QString());
    const Decision* exposed = decision(out.trace, ReasonCode::RuleExposes);
    QCOMPARE(exposed ? QString::fromStdString(exposed->evidence) : QString(), told);
}

// Two roots become one operator only where neither is computed from the other.
// An operand takes the place of a value that others read: relu of what is not negative.
void TestRightSide::operandsAreHandedOver() {
    for (const char* const emit : {"c = v, y = exp(v)", "c = v, y = exp(c)", "y = exp(v), c = v"}) {
        const RuleBook book =
            bookOf("rule r {\n match y = exp(c = relu(v = abs(u)))\n expose c, v\n "
                   "emit v = abs(u), " +
                   std::string(emit) + "\n}");
        const GraphPtr before =
            graphOf("graph g(x: f32[2]) -> y, z, c {\n a = abs(x) c = relu(a) y = exp(c) "
                    "z = tanh(c)\n}");
        const Rewritten out = rewritten(before, book);
        QCOMPARE(applications(out.trace, "r"), std::size_t(1));
        QCOMPARE(sortedOperators(*out.graph), QStringLiteral("abs exp tanh"));
        QCOMPARE(difference(*before, *out.graph), QString());
    }
    // The operand stays where it is.
    const GraphPtr before = graphOf("graph g(x: f32[2]) -> y, z { a = abs(x) c = relu(a) "
                                    "y = exp(c) z = tanh(c) }");
    const Rewritten out =
        rewritten(before, ruleOf(QStringLiteral("match y = exp(c = relu(v))\n expose c\n "
                                                "emit c = v, y = exp(v)")));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(sortedOperators(*out.graph), QStringLiteral("abs exp tanh"));
    QCOMPARE(difference(*before, *out.graph), QString());
}

// The root is as it was, what others read is not.
void TestRightSide::whatIsExposedMayChangeAlone() {
    const GraphPtr before = graphOf("graph g(x: f32[2]) -> y, z { c = relu(x) y = exp(c) "
                                    "z = tanh(c) }");
    const Rewritten out = rewritten(before, bookOf("rule r { match y = exp(c = relu(v)) expose c\n"
                                                   " emit c = max(v, v * 0), y = exp(relu(v)) }"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(difference(*before, *out.graph), QString());
}

// A model may have operators that are called like a part of a rule, or like one of its operands.
void TestRightSide::namesOfPartsComeBeforeOperators() {
    auto operators = std::make_shared<OperatorSet>(*standardOperators());
    for (const char* const name : {"e", "v", "k", "b", "s"}) {
        const FileTree tree = parseFile("op " + std::string(name) +
                                            "(x: T[S...]) -> z: T[S...] { z[i...] = x[i...] + 5 }",
                                        "model.fw");
        const auto op = declarationAs<OpTree>(tree.declarations.front());
        QVERIFY(operators->add(defineOperator(op, "model.fw").value()).ok());
    }
    const GraphPtr before = parseGraph("graph g(x: f32[2, 3]) -> y { a = tanh(x) "
                                       "b = transpose(a) {perm = [1, 0]} y = e(b) }",
                                       operators)
                                .value();
    const Rewritten out =
        rewritten(before, bookOf("rule r { match y = transpose(e = kind elementwise(v)) {perm}\n"
                                 " emit y = e(transpose(v) {perm = perm}) }"));
    QCOMPARE(applications(out.trace, "r"), std::size_t(1));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("transpose tanh e"));
    QCOMPARE(difference(*before, *out.graph), QString());
    QVERIFY(rewriteGraph(before, standardRules().value(), {}).ok());
}

void TestRightSide::siblingsThatReadEachOther() {
    const RuleBook book =
        bookOf("rule r {\n match a = dense(x, w: const), b = dense(z, w)\n"
               " let (p, q) = split(dense(concat(x, z) {axis = 0}, w)) {axis = 0, sizes = [2, 2]}\n"
               " emit (a, b) = split(dense(concat(x, z) {axis = 0}, w)) {axis = 0, sizes = [2, 2]}"
               "\n strategy once\n}");
    const std::string head =
        "graph g(x: f32[2, 3], v: f32[2, 3]) -> y, z {\n w = const random(1) : f32[3, 3]\n"
        " y = dense(x, w) @node(\"first\")\n";
    const Rewritten apart = rewritten(graphOf(head + " z = dense(v, w)\n}"), book);
    QCOMPARE(operatorsOf(*apart.graph), QStringLiteral("concat dense split"));
    const GraphPtr chain = graphOf(head + " r = relu(y)  z = dense(r, w)\n}");
    const Rewritten out = rewritten(chain, book);
    QCOMPARE(out.graph, chain);
    const Decision* no = decision(out.trace, ReasonCode::ConditionFalse);
    QVERIFY(no);
    QCOMPARE(no->evidence, std::string("the right side reads r, which is computed from y, which it "
                                       "replaces"));
}

void TestRightSide::whatIsMadeLiesInTheBlockOfWhatWasMatched() {
    const RuleBook book = bookOf("rule r { match y = tanh(relu(v)) emit y = neg(exp(abs(v))) }");
    const auto made = [&](const std::string& first, const std::string& second) {
        const Rewritten out =
            rewritten(graphOf("graph g(x: f32[4]) -> y { a = relu(x) @node(\"" + first +
                              "\")  y = tanh(a) @node(\"" + second + "\") }"),
                      book);
        QStringList names;
        for (const NodePtr& node : out.graph->nodes())
            if (!node->isInput())
                names << QString::fromStdString(node->name);
        return names.join(u' ');
    };
    QCOMPARE(made("/net/3/norm/Relu", "/net/3/act/Tanh"),
             QStringLiteral("/net/3/abs /net/3/exp /net/3/act/Tanh"));
    QCOMPARE(made("net.a.relu", "net.a.tanh"), QStringLiteral("net.a.abs net.a.exp net.a.tanh"));
    QCOMPARE(made("net.a.relu", "other"), QStringLiteral("abs exp other"));
    QCOMPARE(made("Relu_1", "Relu_2"), QStringLiteral("abs exp Relu_2"));
}

FW_TEST(TestRightSide, QCoreApplication)
#include "test_right_side.moc"
