// The matcher on small graphs: what matches, what is bound, and what it says of the nearest miss.
#include "common/test.h"
#include "pattern/match_check.h"
#include "pattern/unfinished.h"

#include <fmt/format.h>

#include <utility>

using namespace fw;
using namespace fw::test;

namespace {

// "x=conv w=weights", names of the values bound, without the root.
QString bound(const Graph& graph, const Outcome& outcome) {
    if (!outcome.match)
        return outcome.error.empty() ? QStringLiteral("none")
                                     : QString::fromStdString(outcome.error);
    QStringList out;
    for (const auto& [name, value] : outcome.match->bindings.values)
        if (name != "root")
            out << QString::fromStdString(name + "=" + graph.output(value).name);
    return out.join(u' ');
}

QString boundBy(const std::string& body, const std::string& pattern,
                const std::string& declarations = {}) {
    const GraphPtr graph = graphOf(body);
    const Book book(pattern, declarations);
    return bound(*graph, matchAt(*graph, book));
}

const char* const tail =
    "  w = const random(1) : f32[4, 3]  c = const random(2) : f32[4]\n  d = dense(x, w)\n";

} // namespace

class TestMatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void patterns_data();
    void patterns();
    void attributes_data();
    void attributes();
    void attributesAreHandedOver();
    void nearMiss();
    void theFurthestWayGivesTheReason();
    void kindsOfWhatReadsNothing();
    void beginningsOfChains_data();
    void beginningsOfChains();
    void nodesAreDistinct();
    void severalRoots();
    void namesOfRepeatedStepsAreLists();
    void listsOfOperands();
    void manyOperands();
    void namesOfTypes();
    void namesAtEveryLevel();
    void whatFailsBindsNothing();
    void waysAreBounded();
    void acceptedMatchesOnly();
    void budget();
    void deepGraph();
    void secondOutput();
};

void TestMatch::patterns_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("declarations");
    const auto row = [](const char* name, const std::string& body, const char* pattern,
                        const char* expected, const char* declarations = "") {
        QTest::newRow(name) << QString::fromStdString(body) << QString::fromLatin1(pattern)
                            << QString::fromLatin1(expected) << QString::fromLatin1(declarations);
    };
    row("call", "y = relu(x)", "relu(a)", "a=x");
    row("other operator", "y = relu(x)", "tanh(a)", "none");
    row("any", "y = add(x, z)", "add(any, b)", "b=z");
    row("nested", "a = relu(x) y = tanh(a)", "tanh(relu(p))", "p=x");
    row("named part", "a = relu(x) y = tanh(a)", "tanh(r = relu(p))", "p=x r=a");
    row("constant", "k = const [1] : f32[1] y = mul(x, k)", "mul(a, k: const)", "a=x k=k");
    row("constant, either order", "k = const [1] : f32[1] y = mul(k, x)", "mul(a, k: const)",
        "a=x k=k");
    row("no constant", "y = mul(x, z)", "mul(a, const)", "none");
    row("not commutative", "k = const [1] : f32[1] y = sub(k, x)", "sub(a, k: const)", "none");
    row("commutative, nested", "a = relu(z) b = add(a, x) y = mul(x, b)", "mul(add(p, relu(q)), r)",
        "p=x q=z r=x");
    row("same value", "y = add(x, x)", "add(a, a)", "a=x");
    row("not the same value", "y = add(x, z)", "add(a, a)", "none");
    row("same value below", "a = relu(x) y = mul(a, x)", "mul(p, relu(p))", "p=x");
    row("nor what another call took", "a = tanh(x) y = sub(a, a)", "sub(tanh(p), not tanh(any))",
        "none");
    row("not, of another kind", "a = tanh(x) y = sub(a, a)", "sub(tanh(p), not relu(any))", "p=x");
    row("first alternative", "y = relu(x)", "relu(a) | tanh(b)", "a=x");
    row("second alternative", "y = tanh(x)", "relu(a) | tanh(b)", "b=x");
    row("no alternative fits", "a = relu(x) y = mul(a, z)", "mul((r | relu(r)), r)", "none");
    row("alternatives after a later failure", "a = relu(x) y = mul(a, x)", "mul((r | relu(r)), r)",
        "r=x");
    row("greedy", std::string(tail) + "e = bias(d, c) y = relu(e)",
        "dense(p, w: const) >> bias(^, b: const)? >> relu(^)?", "b=c p=x w=w");
    row("middle absent", std::string(tail) + "y = relu(d)",
        "dense(p, w: const) >> bias(^, b: const)? >> relu(^)?", "p=x w=w");
    row("both absent", std::string(tail) + "y = identity(d)",
        "identity(dense(p, w: const) >> bias(^, b: const)? >> relu(^)?)", "p=x w=w");
    row("wrong order", std::string(tail) + "e = relu(d) y = bias(e, c)",
        "dense(p, w: const) >> bias(^, b: const)? >> relu(^)?", "none");
    row("repeat none", std::string(tail) + "y = identity(d)", "identity(dense(p, w) >> relu(^)*)",
        "p=x w=w");
    row("repeat three", std::string(tail) + "e = relu(d) f = relu(e) y = relu(f)",
        "dense(p, w) >> relu(^)*", "p=x w=w");
    row("repeat kinds", std::string(tail) + "e = relu(d) f = tanh(e) y = relu(f)",
        "dense(p, w) >> (relu(^) | tanh(^))*", "p=x w=w");
    row("repeat at least", std::string(tail) + "y = relu(d)", "dense(p, w) >> relu(^)* {2..3}",
        "none");
    row("repeat exactly", std::string(tail) + "e = relu(d) y = relu(e)",
        "dense(p, w) >> relu(^)* {2..2}", "p=x w=w");
    row("repeat at most", std::string(tail) + "e = relu(d) f = relu(e) y = relu(f)",
        "dense(p, w) >> relu(^)* {0..2}", "none");
    row("repeat, then the same once", std::string(tail) + "e = relu(d) f = relu(e) y = relu(f)",
        "dense(p, w) >> relu(^)* >> l = relu(^)", "l=y p=x w=w");
    row("sequence in an operand", "a = relu(x) b = tanh(a) y = add(z, b)",
        "add(relu(p) >> tanh(^), q)", "p=x q=z");
    row("sequence in a step", "a = relu(x) b = tanh(z) y = add(a, b)",
        "relu(p) >> add(^, (q >> tanh(^)))", "p=x q=z");
    row("dots", "w = const random(1) : f32[4, 3] y = dense(x, w)", "dense(a, ...)", "a=x");
    row("dots alone", "w = const random(1) : f32[4, 3] y = dense(x, w)", "dense(...)", "");
    row("too few operands", "w = const random(1) : f32[4, 3] y = dense(x, w)", "dense(a)", "none");
    row("chain", std::string(tail) + "e = bias(d, c) y = relu(e)", "dense(p, w) >> ends",
        "b=c p=x w=w", "chain ends = bias(^, b: const)? >> relu(^)?");
    row("empty chain", std::string(tail) + "y = identity(d)", "identity(dense(p, w) >> ends)",
        "p=x w=w", "chain ends = bias(^, b: const)? >> relu(^)?");
    row("declared pattern", std::string(tail) + "y = relu(d)", "block(v, u)", "u=w v=x",
        "pattern block(x, w: const) = relu(dense(x, w))");
    row("argument is a pattern", "a = tanh(x) y = relu(a)", "act(tanh(p))", "p=x",
        "pattern act(x) = relu(x) | tanh(x)");
    row("argument must be constant", "y = mul(x, z)", "scaled(p, q)", "none",
        "pattern scaled(x, k: const) = mul(x, k)");
    row("same parameter twice", "y = mul(x, x)", "square(p)", "p=x",
        "pattern square(v) = mul(v, v)");
    row("same parameter, two values", "y = mul(x, z)", "square(p)", "none",
        "pattern square(v) = mul(v, v)");
    row("pattern in a pattern", "a = mul(x, x) y = relu(a)", "outer(p)", "p=x",
        "pattern square(v) = mul(v, v)\npattern outer(u) = relu(square(u))");
    row("pattern with dots", "a = mul(x, x) y = relu(a)", "relu(square(...))", "square.v=x",
        "pattern square(v) = mul(v, v)");
}

void TestMatch::patterns() {
    QFETCH(QString, body);
    QFETCH(QString, pattern);
    QFETCH(QString, expected);
    QFETCH(QString, declarations);
    QCOMPARE(boundBy(body.toStdString(), pattern.toStdString(), declarations.toStdString()),
             expected);
}

void TestMatch::attributes_data() {
    QTest::addColumn<QString>("attrs");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char* attrs, const char* wanted, bool matches) {
        QTest::addRow("%s against %s", wanted, attrs)
            << QString::fromLatin1(attrs) << QString::fromLatin1(wanted) << matches;
    };
    row("{strides = [2, 2]}", "{strides = [2, 2]}", true);
    row("{strides = [2, 2]}", "{strides = [2, 1]}", false);
    row("{strides = [2, 2]}", "{strides = [2]}", false);
    row("{groups = 1}", "{groups = 1}", true);
    row("{groups = 1}", "{groups in 0..4}", true);
    row("{groups = 1}", "{groups in 1..1}", true);
    row("{groups = 1}", "{groups in 2..4}", false);
    row("{groups = 1}", "{groups}", true);
    row("{groups = 1}", "{groups = \"1\"}", false);
    // What is not written stands for its default.
    row("", "{groups = 1}", true);
    row("", "{groups in 1..4}", true);
    row("", "{groups = 2}", false);
    row("", "{pads = [0, 0, 0, 0]}", true);
    row("", "{groups}", true);
    row("{groups = 1}", "{*a}", true);
}

void TestMatch::attributes() {
    QFETCH(QString, attrs);
    QFETCH(QString, wanted);
    QFETCH(bool, matches);
    const GraphPtr graph =
        graphOf("w = const random(1) : f32[4, 3, 1, 1] y = conv2d(x, w) " + attrs.toStdString(),
                "x: f32[1, 3, 8, 8]");
    const Book book("conv2d(a, w) " + wanted.toStdString());
    QCOMPARE(matchAt(*graph, book).match.has_value(), matches);
}

void TestMatch::attributesAreHandedOver() {
    const GraphPtr graph = graphOf("w = const random(1) : f32[4, 3, 1, 1] c = conv2d(x, w) "
                                   "{strides = [2, 2]} y = leaky_relu(c)",
                                   "x: f32[1, 3, 8, 8]");
    const Outcome outcome =
        matchAt(*graph, Book("leaky_relu(conv2d(a, w) {*all, groups}) {alpha}"));
    QVERIFY(outcome.match);
    QCOMPARE(outcome.match->bindings.attrs.at("all").print(), std::string("{strides = [2, 2]}"));
    QVERIFY(outcome.match->bindings.attrValues.at("groups") == AttrValue(std::int64_t(1)));
    const auto* alpha = std::get_if<double>(&outcome.match->bindings.attrValues.at("alpha"));
    QVERIFY(alpha != nullptr && *alpha == 0.01);
}

void TestMatch::nearMiss() {
    const GraphPtr graph =
        graphOf("w = const random(1) : f32[4, 3] d = dense(x, w) e = tanh(d) y = relu(e)");
    const Outcome outcome = matchAt(*graph, Book("relu(tanh(dense(a, b) >> sigmoid(^)))"));
    QVERIFY(!outcome.match);
    QCOMPARE(graph->node(outcome.miss.root).outputs[0].name, std::string("y"));
    QCOMPARE(outcome.miss.matched, std::size_t(2));
    QCOMPARE(outcome.miss.total, std::size_t(4));
    QCOMPARE(outcome.miss.clause, std::string("sigmoid(^)"));
    QCOMPARE(outcome.miss.expected, std::string("sigmoid"));
    QCOMPARE(outcome.miss.found, std::string("dense"));

    const GraphPtr conv =
        graphOf("w = const random(1) : f32[4, 3, 1, 1] y = conv2d(x, w) {strides = [2, 2]}",
                "x: f32[1, 3, 8, 8]");
    const Outcome stride = matchAt(*conv, Book("conv2d(a, w) {strides = [1, 1]}"));
    QCOMPARE(stride.miss.expected, std::string("strides = [1, 1]"));
    QCOMPARE(stride.miss.found, std::string("[2, 2]"));
    const Outcome constant = matchAt(*conv, Book("conv2d(a: const, w)"));
    QCOMPARE(constant.miss.clause, std::string("a: const"));
    QCOMPARE(constant.miss.expected, std::string("a constant"));
    QCOMPARE(constant.miss.found, std::string("input x"));
}

// Of several ways not the first one that failed, but that which found most of what it looked for.
void TestMatch::theFurthestWayGivesTheReason() {
    const auto missAt = [](const std::string& body, const std::string& pattern,
                           const std::string& inputs = "x: f32[2, 3], z: f32[2, 3], b: f32[3]") {
        const Outcome outcome = matchAt(*graphOf(body, inputs), Book(pattern));
        return outcome.match
                   ? std::string("a match")
                   : outcome.miss.clause + ": " + outcome.miss.expected + ", " + outcome.miss.found;
    };
    const std::string sum = "relu(p) >> (tanh(^) | add(^, r: same(^)))*";
    const std::string same = "r: same(^): f32[2, 3], f32[3]";
    QCOMPARE(missAt("a = relu(x) y = add(a, b)", sum), same);
    QCOMPARE(missAt("a = relu(x) y = add(b, a)", sum), same); // the other operand gets less far
    const std::string six =
        missAt("a = relu(x) c = clip(a) {max = 5} y = tanh(c)",
               "relu(p) >> (exp(^) | clip(^) {max = 6}) >> (relu(^) | tanh(^))");
    QVERIFY2(six.starts_with("clip(^) {max = 6}: max = 6, 5"), six.c_str());
    QCOMPARE(missAt("a = relu(x) y = tanh(a)", "(exp(^) | relu(exp(^)) | tanh(relu(exp(p))))"),
             std::string("exp(p): exp, input x"));
}

// What is true of a kind of maps says nothing of an operator that does not read its operand, has
// none, or looks at places.
void TestMatch::kindsOfWhatReadsNothing() {
    const auto counts = [](const std::string& body, const std::string& kind) {
        return matchAt(*graphOf(body), Book("kind " + kind + "(...)")).match.has_value();
    };
    for (const char* kind : {"elementwise", "broadcast", "injective", "opaque"}) {
        QVERIFY(!counts("y = shape(x)", kind));
        QVERIFY(!counts("y = eye(x) {to = f32}", kind));
        QVERIFY(!counts("y = constant_of_shape() {shape = [2, 3]}", kind));
        QVERIFY(counts("y = relu(x)", kind) == (std::string(kind) != "opaque"));
    }
    QVERIFY(!counts("y = trilu(x) {upper = 1}", "elementwise"));
    QVERIFY(!counts("y = trilu(x) {upper = 1}", "broadcast"));
    QVERIFY(counts("y = trilu(x) {upper = 1}", "injective"));
    for (const char* body : {"y = add(x, z)", "y = clip(x) {max = 6}", "y = cast(x) {to = i32}",
                             "c = less(x, z) y = where(c, x, z)"})
        QVERIFY2(counts(body, "elementwise"), body);
    QVERIFY(counts("b = const [1, 2, 3] : f32[3] y = bias(x, b)", "broadcast"));
    QVERIFY(counts("y = softmax(x)", "rowwise"));
}

void TestMatch::beginningsOfChains_data() {
    QTest::addColumn<QString>("chain");
    QTest::addColumn<QString>("begun");
    const auto row = [](const char* chain, const char* begun) {
        QTest::newRow(chain) << chain << begun;
    };
    row("relu(^)", "none");
    row("(relu(^) | tanh(^) | add(^, r: same(^)))* {0..8}", "none");
    row("relu(^)? >> tanh(^)?", "none");
    row("clip(^) >> cast(^)", "clip(^)");
    row("relu(^)? >> (clip(^) >> cast(^))?", "relu(^)? >> clip(^)");
    row("relu(^) >> tanh(^) >> exp(^)?", "relu(^)");
    row("relu(^)* {3..3}", "relu(^)* {1..2}");
    row("(relu(^) >> tanh(^))* {0..2}", "(relu(^) >> tanh(^))* {0..1} >> relu(^)");
    row("exp(relu(tanh(^)))", "(relu(tanh(^)) | tanh(^))");
    row("mul(^, sigmoid(^))?", "sigmoid(^)");
}

void TestMatch::beginningsOfChains() {
    QFETCH(QString, chain);
    QFETCH(QString, begun);
    Parser parser(chain.toStdString(), "chain");
    const PatternTree whole = parsePattern(parser);
    const std::optional<PatternTree> inside = unfinished(whole, {});
    QCOMPARE(inside ? QString::fromStdString(patternText(*inside)) : QStringLiteral("none"), begun);
}

void TestMatch::nodesAreDistinct() {
    // One relu cannot be both operands; two can.
    QCOMPARE(boundBy("a = relu(x) y = add(a, a)", "add(relu(p), relu(q))"), QStringLiteral("none"));
    QCOMPARE(boundBy("a = relu(x) b = relu(x) y = add(a, b)", "add(relu(p), relu(q))"),
             QStringLiteral("p=x q=x"));
}

void TestMatch::severalRoots() {
    const GraphPtr graph = graphOf("a = relu(x) u = tanh(z) t = tanh(x) y = add(a, t)");
    Book book("relu(p)");
    book.patterns.push_back({"second", Book("tanh(p)").patterns[0].pattern});
    const Outcome outcome = matchAt(*graph, book, "a");
    QVERIFY(outcome.match);
    QCOMPARE(outcome.match->roots.size(), std::size_t(2));
    QCOMPARE(graph->output(outcome.match->roots[1]).name, std::string("t")); // not u, which reads z
}

void TestMatch::namesOfRepeatedStepsAreLists() {
    const GraphPtr graph = graphOf("h = relu(x) p = add(h, z) q = add(x, p) r = tanh(q) "
                                   "s = add(r, h) y = relu(s)");
    const Outcome outcome = matchAt(*graph, Book("relu(o) >> (add(^, v) | tanh(^))* >> relu(^)"));
    QVERIFY(outcome.match);
    const MatchBindings& bindings = outcome.match->bindings;
    std::vector<std::string> names;
    for (const ValueRef& value : bindings.lists.at("v"))
        names.push_back(graph->output(value).name);
    QCOMPARE(names, (std::vector<std::string>{"z", "x", "h"}));
    // Only what is written is a name, and one that stands for several is no single value.
    QCOMPARE(bindings.values.size(), std::size_t(2));
    QVERIFY(bindings.values.contains("root") && bindings.values.contains("o"));
    // One repetition: a list of one, which is a value as well.
    const Outcome once = matchAt(*graph, Book("relu(o) >> (add(^, v))*"), "p");
    QVERIFY(once.match);
    QCOMPARE(once.match->bindings.lists.at("v").size(), std::size_t(1));
    QCOMPARE(graph->output(once.match->bindings.values.at("v")).name, std::string("z"));
}

namespace {

std::string listed(const Graph& graph, const Match& match, const std::string& name) {
    std::string out;
    for (const ValueRef& value : match.bindings.lists.at(name))
        out += (out.empty() ? "" : " ") + graph.output(value).name;
    return out;
}

} // namespace

void TestMatch::listsOfOperands() {
    const GraphPtr graph =
        graphOf("a = relu(x) b = relu(z) c = tanh(x) y = concat(a, c, b, z) {axis = 0}");
    const Outcome all = matchAt(*graph, Book("concat(p, ...others)"));
    QVERIFY(all.match);
    QCOMPARE(listed(*graph, *all.match, "others"), std::string("c b z"));
    const Outcome middle = matchAt(*graph, Book("concat(relu(p), ...others, q, r)"));
    QVERIFY(middle.match);
    QCOMPARE(listed(*graph, *middle.match, "others"), std::string("c"));
    const Outcome none = matchAt(*graph, Book("concat(o, p, ...others, q, r)"));
    QVERIFY(none.match && none.match->bindings.lists.at("others").empty());
    // Leaves of a tree of sums, in the order of the graph; what is named takes the first that fits.
    const GraphPtr sums = graphOf("a = relu(x) b = add(x, z) c = add(b, a) y = add(c, z)");
    const Outcome leaves = matchAt(*sums, Book("assoc add(relu(p), ...others)"));
    QVERIFY(leaves.match);
    QCOMPARE(listed(*sums, *leaves.match, "others"), std::string("x z z"));
    QCOMPARE(leaves.match->nodes.size(), std::size_t(4));
}

// As many as no stack could hold one inside the other, each way and with what is refused at the
// end.
void TestMatch::manyOperands() {
    constexpr int count = 5000;
    std::string body, values, names, other;
    for (int i = 0; i < count; ++i) {
        body += fmt::format("  r{0} = {1}(x)\n", i, i % 2 == 0 ? "relu" : "tanh");
        values += fmt::format("{}r{}", i > 0 ? ", " : "", i);
        names += fmt::format("{}a{}", i > 0 ? ", " : "", i);
        other += fmt::format("{}{}(x)", i > 0 ? ", " : "", i % 2 == 0 ? "relu" : "tanh");
    }
    const GraphPtr graph = graphOf(body + "  y = concat(" + values + ") {axis = 0}");
    const auto matched = [&](const std::string& pattern) {
        const Book book(pattern);
        return matchAt(*graph, book);
    };
    const Outcome named = matched("concat(" + names + ")");
    QVERIFY2(named.match, named.error.c_str());
    QCOMPARE(named.match->bindings.values.size(), std::size_t(count) + 1);
    QCOMPARE(graph->output(named.match->bindings.values.at("a4999")).name, std::string("r4999"));
    const Outcome written = matched("concat(" + other + ")");
    QVERIFY2(written.match, written.error.c_str());
    QCOMPARE(written.match->nodes.size(), std::size_t(count) + 1);
    QCOMPARE(written.match->bindings.values.size(), std::size_t(2)); // x and the root
    const Outcome all = matched("concat(...parts)");
    QVERIFY2(all.match, all.error.c_str());
    QCOMPARE(all.match->bindings.lists.at("parts").size(), std::size_t(count));
    QCOMPARE(graph->output(all.match->bindings.lists.at("parts")[7]).name, std::string("r7"));
    QVERIFY(matched("concat(relu(x), ...)").match);
    QVERIFY(matched("concat(..., tanh(x))").match);
    // The last one is refused: no name keeps a value, and the reason is the one nearest to a match.
    const Outcome refused = matched("concat(..., relu(x))");
    QVERIFY(!refused.match && refused.error.empty());
    QCOMPARE(refused.miss.found, std::string("tanh"));
    const Outcome either = matched("(concat(..., relu(x)) | concat(..., tanh(x)))");
    QVERIFY(either.match);
    QCOMPARE(either.match->nodes.size(), std::size_t(2));
    const Outcome twice = matched("concat(" + names.substr(0, names.rfind("a4999")) + "a0)");
    QVERIFY(!twice.match && twice.error.empty());
}

void TestMatch::namesOfTypes() {
    const GraphPtr graph = graphOf("y = softmax(x) {axis = 1}", "x: f64[M, 3, 2 * M]");
    const Outcome outcome =
        matchAt(*graph, Book("(softmax(p: T[N, S...]) {axis = a}): T[N, 2 + a, b]"));
    QVERIFY2(outcome.match, outcome.miss.expected.c_str());
    const auto& terms = outcome.match->bindings.terms;
    QCOMPARE(textOf(terms.at("T")), std::string("f64"));
    QCOMPARE(textOf(terms.at("N")), std::string("M"));
    QCOMPARE(textOf(terms.at("S")), std::string("[3, 2 * M]"));
    QCOMPARE(textOf(terms.at("b")), std::string("M * 2"));
    QVERIFY(outcome.match->bindings.attrValues.at("a") == AttrValue(std::int64_t(1)));
}

void TestMatch::namesAtEveryLevel() {
    const GraphPtr graph = graphOf("a = abs(x) b = sub(a, z) c = sub(b, x) y = tanh(c)");
    const Outcome outcome =
        matchAt(*graph, Book("tanh(less(p))", "pattern less(v) = (sub(less(v), r) | abs(v))"));
    QVERIFY(outcome.match);
    QCOMPARE(listed(*graph, *outcome.match, "r"), std::string("z x"));
    QCOMPARE(graph->output(outcome.match->bindings.values.at("p")).name, std::string("x"));
}

// What a first alternative bound is gone when the second one is tried.
void TestMatch::whatFailsBindsNothing() {
    const GraphPtr graph = graphOf("a = softmax(x) {axis = 0} y = relu(a)");
    const Outcome outcome = matchAt(
        *graph,
        Book("relu((softmax(tanh(p): any[N, M]) {axis = k} | softmax(p: any[M, N]) {axis = j}))"));
    QVERIFY(outcome.match);
    QCOMPARE(textOf(outcome.match->bindings.terms.at("M")), std::string("2"));
    QVERIFY(!outcome.match->bindings.attrValues.contains("k"));
    QVERIFY(outcome.match->bindings.attrValues.contains("j"));
    const Outcome notThere = matchAt(*graph, Book("relu(not tanh(p))"));
    QVERIFY(notThere.match && !notThere.match->bindings.values.contains("p"));
}

void TestMatch::waysAreBounded() {
    // Sums of which no permutation fits, and ways up that do not end.
    std::string body = "a0 = relu(x)\n";
    for (int i = 1; i <= 400; ++i)
        body += fmt::format("a{} = add(a{}, z)\n", i, i - 1);
    const GraphPtr graph = graphOf(body + "y = tanh(a400)");
    const Outcome sums = matchAt(*graph, Book("assoc add(p, q, r, s, t, u, v, w, tanh(o))"), "a60");
    QVERIFY(!sums.match);
    QVERIFY2(sums.error.find("LIM01") != std::string::npos, sums.error.c_str());
    const Outcome ways = matchAt(*graph, Book("dominated(exp(p), kind elementwise(...), tanh(^))"));
    QVERIFY(!ways.match && ways.error.empty());
    QCOMPARE(ways.miss.expected, std::string("at most 256 operators"));
    const Outcome inside =
        matchAt(*graph, Book("dominated(relu(p), kind elementwise(...), add(^, any))"), "a200");
    QVERIFY(inside.match);
    QCOMPARE(inside.match->nodes.size(), std::size_t(201));
}

void TestMatch::acceptedMatchesOnly() {
    const GraphPtr graph = graphOf("h = relu(x) t = tanh(x) y = add(h, t)");
    const Book book("add(p, q)");
    Matcher matcher(*graph, book.table);
    int asked = 0;
    const auto swapped = [&](const Match& match) {
        ++asked;
        return graph->output(match.bindings.values.at("p")).name == "t";
    };
    const ValueRef root{graph->findByName("y")->id, 0};
    const auto match = matcher.matchAt(book.prepared(), root, swapped).value();
    QVERIFY(match);
    QCOMPARE(asked, 2);
    QVERIFY(!matcher.matchAt(book.prepared(), root, [](const Match&) { return false; }).value());
}

void TestMatch::budget() {
    // Every level tries both orders and both alternatives; nothing matches at the bottom.
    std::string body = "a0 = relu(x)\n", pattern = "tanh(q)";
    for (int i = 1; i <= 24; ++i) {
        body += "a" + std::to_string(i) + " = add(a" + std::to_string(i - 1) + ", a" +
                std::to_string(i - 1) + ")\n";
        pattern = "add((p" + std::to_string(i) + " | any), " + pattern + ")";
    }
    const GraphPtr graph = graphOf(body + "y = relu(a24)");
    const Outcome outcome = matchAt(*graph, Book(pattern), "a24");
    QVERIFY(!outcome.match);
    QVERIFY2(outcome.error.find("LIM01") != std::string::npos, outcome.error.c_str());
    QVERIFY(outcome.error.find("too many ways to match") != std::string::npos);
    const Outcome few =
        matchAt(*graph, Book("add(add(p, q), r)"), "a24", {.budget = 2, .bound = {}});
    QVERIFY(few.error.find("LIM01") != std::string::npos);
}

void TestMatch::deepGraph() {
    // A repetition over a long chain ends, whatever its length, without the stack deciding.
    std::string body = "a0 = relu(x)\n";
    for (int i = 1; i <= 5000; ++i)
        body += "a" + std::to_string(i) + " = relu(a" + std::to_string(i - 1) + ")\n";
    const GraphPtr graph = graphOf(body, "x: f32[2, 3]", "a5000");
    QVERIFY(matchAt(*graph, Book("relu(^)* {0..100}"), "a5000").match);
    const Outcome thousand = matchAt(*graph, Book("tanh(^) >> relu(^)* {0..1000}"), "a5000");
    QVERIFY(!thousand.match);
    // A chain made of itself is refused in books; the matcher survives one all the same.
    const Outcome endless =
        matchAt(*graph, Book("again", "chain again = again >> relu(^)"), "a5000");
    QVERIFY(endless.error.find("LIM01") != std::string::npos);
    // Nor does it for steps that are left out.
    std::string steps;
    for (int i = 0; i < 40000; ++i)
        steps += "tanh(^)? >> ";
    QVERIFY(matchAt(*graph, Book(steps + "relu(^)"), "a5000").match);
}

void TestMatch::secondOutput() {
    const GraphPtr graph = graphOf(
        "g = const random(1) : f32[3] (n, m, s) = layernorm(x, g, g) e = exp(m) y = relu(n)",
        "x: f32[2, 3]", "y, e");
    QVERIFY(matchAt(*graph, Book("relu(layernorm(a, b, c))")).match);
    const Outcome other = matchAt(*graph, Book("exp(layernorm(a, b, c))"), "e");
    QVERIFY(!other.match);
    QCOMPARE(other.miss.found, std::string("result 1"));
}

FW_TEST(TestMatch, QCoreApplication)
#include "test_match.moc"
