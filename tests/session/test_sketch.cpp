// Text made of operators of a model. What it says is held against what it was made of: it is read
// without errors, matches where it was made, and an operator made of a part computes the part.
#include "common/test.h"
#include "session/asked.h"

#include "base/random.h"

#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestSketch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void texts_data();
    void texts();
    void levels_data();
    void levels();
    void adviceReachesMorePlaces();
    void adviceNamesTheFewestOfSeveral();
    void refusals_data();
    void refusals();
    void aWayOutAndBackIsRefused();
    void whatIsNoGroupIsRefused();
    void whatALevelCannotBeIsTold();
    void anyPartIsReadAndMatches_data();
    void anyPartIsReadAndMatches();
    void anOperatorTakesThePlaceOfItsPart();

private:
    Arguments of(const std::string& graph, const std::vector<std::string>& nodes,
                 const std::string& kind) {
        Arguments out = on("");
        out.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
        QFile file(QString::fromStdString(out.model));
        if (!file.open(QIODevice::WriteOnly) || file.write(graph.c_str()) < 0)
            qFatal("the model cannot be written");
        file.close();
        out.nodes = nodes;
        out.kind = kind;
        out.name = "mine";
        return out;
    }
    SketchDocument sketch(const Arguments& arguments) {
        return Asked().get<SketchDocument>("sketch", arguments);
    }

    QTemporaryDir m_folder;
};

namespace {

const std::string tail =
    "graph g(x: f32[N, 8, 6, 6], r: f32[N, 4, 6, 6]) -> y, p {\n"
    "  w = const random(1) : f32[4, 8, 1, 1]  b = const random(2) : f32[4]  k = const [0.5] : "
    "f32[1]\n"
    "  c = conv2d(x, w) {strides = [1, 1]}  d = bias(c, b) {axis = 1}  e = add(d, r)\n"
    "  h = relu(e)  y = mul(h, k)  p = neg(h)\n"
    "}\n";

// Two convolutions apart by two attributes.
const std::string pair =
    "graph g(x: f32[1, 8, 9, 9]) -> y, z {\n"
    "  w = const random(1) : f32[4, 8, 1, 1]  v = const random(2) : f32[4, 8, 1, 1]\n"
    "  c = conv2d(x, w) {strides = [2, 2], pads = [1, 1, 1, 1]}  y = relu(c)\n"
    "  d = conv2d(x, v) {strides = [3, 3]}  z = relu(d)\n"
    "}\n";

std::vector<std::string> wordsOf(std::string text) {
    std::vector<std::string> out;
    for (const QString& word : QString::fromStdString(text).split(
             QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts))
        out.push_back(word.toStdString());
    return out;
}

std::string told(const SketchDocument& document) {
    std::string out = document.text;
    for (const Diag& diag : document.diagnostics)
        out += "\n" + diag.text();
    return out;
}

bool isRight(const SketchDocument& document) {
    return std::none_of(document.diagnostics.begin(), document.diagnostics.end(),
                        [](const Diag& diag) { return diag.severity == Severity::Error; });
}

} // namespace

void TestSketch::texts_data() {
    QTest::addColumn<QStringList>("nodes");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* nodes, const char* kind, const char* text) {
        QTest::newRow(name) << QString(nodes).split(' ') << QString(kind) << QString(text);
    };
    row("a chain", "c d", "pattern",
        "pattern mine(x, w: const, b: const) \"made of bias\" = conv2d(x, w) >> bias(^, b)");
    row("a value of its own", "d e", "pattern",
        "pattern mine(x, b: const, b2) \"made of add\" = bias(x, b) >> add(^, b2)");
    row("several results", "h y p", "rule",
        "rule mine \"made of neg\" {\n"
        "  match  y = mul(r = relu(x), b: const 0.5), y2 = neg(r)\n"
        "  let    r2 = relu(x)\n"
        "  emit   y = mul(r2, b), y2 = neg(r2)\n"
        "}");
    row("an inner value that others read", "e h y", "rule",
        "rule mine \"made of mul\" {\n"
        "  match  r = add(a, b) >> relu(^), y = mul(r, b2: const 0.5)\n"
        "  let    r2 = relu(add(a, b))\n"
        "  emit   r = r2, y = mul(r2, b2)\n"
        "}");
    row("a fusion rule exposes it", "e h y", "fuse",
        "fuse mine \"made of mul\" {\n"
        "  match  mul(r = (add(a, b) >> relu(^)), b2: const 0.5)\n"
        "  expose r\n"
        "  as     stacked\n"
        "}");
    row("an operator of any size", "c d", "op",
        "op mine \"conv2d, bias as one\"\n"
        "  (x: f32[N, H, K, M], w: f32[P, H, Q, R], b: f32[P]) -> y: f32[N, P, S, U]\n"
        "  where S = K - Q + 1, U = M - R + 1 {\n"
        "  let t0[n, p, s, u] = sum(i0 in H, i1 in Q, i2 in R :\n"
        "      x[n, i0, i1 + s, i2 + u] * w[p, i0, i1, i2])\n"
        "  y[n, p, s, u] = t0[n, p, s, u] + b[p]\n"
        "}\n"
        "rule to_mine \"made of bias\" {\n"
        "  match  y = conv2d(x: f32[N, H, K, M], w: const & f32[P, H, Q, R])\n"
        "             {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], groups = 1}\n"
        "             >> bias(^, b: const & f32[P]) {axis = 1}\n"
        "  emit   y = mine(x, w, b)\n"
        "}");
    row("a test", "h y", "test",
        "test \"made of mul\" of mine {\n"
        "  graph g(x: f32[N, 4, 6, 6]) -> r, y { b = const [0.5] : f32[1] r = relu(x)\n"
        "    y = mul(r, b) }\n"
        "  expect match 1\n"
        "}");
}

void TestSketch::texts() {
    QFETCH(QStringList, nodes);
    QFETCH(QString, kind);
    QFETCH(QString, text);
    std::vector<std::string> names;
    for (const QString& node : nodes)
        names.push_back(node.toStdString());
    const SketchDocument document = sketch(of(tail, names, kind.toStdString()));
    // How it is laid out is another matter.
    QVERIFY2(wordsOf(document.text) == wordsOf(text.toStdString()), document.text.c_str());
    if (kind != "test") {
        QVERIFY2(isRight(document), told(document).c_str());
        QCOMPARE(document.matches, std::optional<std::int64_t>(1));
    }
}

void TestSketch::levels_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("level");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* key, const char* level, const char* part) {
        QTest::addRow("%s %s", key, level) << QString(key) << QString(level) << QString(part);
    };
    row("conv2d.strides", "exact", "conv2d(x, w) {strides = [1, 1]}");
    row("conv2d.strides", "captured", "conv2d(x, w) {strides}");
    row("bias.axis", "any", "bias(^, b)");
    row("x.shape", "exact", "x: any[1, 8, 9, 9]");
    row("x.shape", "range", "x: any[any, any, any, any]");
    row("x.shape", "captured", "x: any[D0, D1, D2, D3]");
    row("x.dtype", "exact", "x: f32");
    row("x.dtype", "captured", "x: T,");
    row("w.value", "any", "w,");
    row("x.value", "exact", "x: input");
}

void TestSketch::levels() {
    QFETCH(QString, key);
    QFETCH(QString, level);
    QFETCH(QString, part);
    Arguments arguments =
        of("graph g(x: f32[1, 8, 9, 9]) -> y {\n"
           "  w = const random(1) : f32[4, 8, 1, 1]  b = const random(2) : f32[4]\n"
           "  c = conv2d(x, w)  y = bias(c, b) {axis = 1}\n}\n",
           {"conv2d", "bias"}, "pattern");
    arguments.levels = {{key.toStdString(), level.toStdString()}};
    const SketchDocument document = sketch(arguments);
    QVERIFY2(document.text.find(part.toStdString()) != std::string::npos, document.text.c_str());
    QVERIFY(isRight(document));
    QCOMPARE(document.matches, std::optional<std::int64_t>(1));
}

void TestSketch::adviceReachesMorePlaces() {
    Arguments arguments =
        of("graph g(x: f32[4, 6]) -> y, z {\n"
           "  y = leaky_relu(x) {alpha = 0.1}  z = leaky_relu(x) {alpha = 0.3}\n}\n",
           {"leaky_relu"}, "pattern");
    const SketchDocument first = sketch(arguments);
    QCOMPARE(first.matches, std::optional<std::int64_t>(1));
    QCOMPARE(first.advice.size(), std::size_t(1));
    QCOMPARE(first.advice[0].matches, 2);
    QCOMPARE(first.advice[0].levels,
             (std::map<std::string, std::string>{{"leaky_relu.alpha", "range"}}));
    arguments.levels = first.advice[0].levels;
    const SketchDocument then = sketch(arguments);
    QCOMPARE(then.matches, std::optional<std::int64_t>(2));
    QVERIFY2(then.text.find("alpha in 0.1..0.3") != std::string::npos, then.text.c_str());
    QVERIFY(then.advice.empty());
}

void TestSketch::adviceNamesTheFewestOfSeveral() {
    const SketchDocument document = sketch(of(pair, {"c", "y"}, "pattern"));
    QCOMPARE(document.advice.size(), std::size_t(1));
    QCOMPARE(document.advice[0].matches, 2);
    QCOMPARE(document.advice[0].levels, (std::map<std::string, std::string>{
                                            {"conv2d.strides", "any"}, {"conv2d.pads", "any"}}));
}

void TestSketch::refusals_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("what");
    const auto row = [](const char* name, const char* nodes, const char* kind, const char* what) {
        QTest::newRow(name) << QString(nodes) << QString(kind) << QString(what);
    };
    row("nothing", "x", "pattern", "no operator named x");
    row("apart", "c y", "pattern", "does not hang together");
    row("an unknown name", "bias relu2", "pattern", "no operator named relu2");
    row("two results", "h y p", "pattern", "a pattern has one result");
    row("a word", "c", "picture", "called picture");
}

void TestSketch::refusals() {
    QFETCH(QString, nodes);
    QFETCH(QString, kind);
    QFETCH(QString, what);
    std::vector<std::string> names;
    for (const QString& node : nodes.split(' '))
        names.push_back(node.toStdString());
    const auto answer = Asked().ask("sketch", of(tail, names, kind.toStdString()));
    QVERIFY(!answer);
    QVERIFY2(answer.diag().text().find(what.toStdString()) != std::string::npos,
             answer.diag().text().c_str());
}

void TestSketch::aWayOutAndBackIsRefused() {
    const auto answer = Asked().ask(
        "sketch", of("graph g(x: f32[4]) -> y { a = relu(x)  b = neg(a)  y = add(a, b) }\n",
                     {"relu", "add"}, "pattern"));
    QVERIFY(!answer);
    QVERIFY2(answer.diag().text().find("leaves what is selected at neg") != std::string::npos,
             answer.diag().text().c_str());
}

// A fusion rule that nothing could follow; a pattern of the same operators is one.
void TestSketch::whatIsNoGroupIsRefused() {
    const char* text = "graph g(x: f32[2, 3, 4], w: f32[5, 12]) -> y {\n"
                       "  r = reshape(x) {shape = [2, 12]}\n  y = dense(r, w)\n}\n";
    const auto answer = Asked().ask("sketch", of(text, {"reshape", "dense"}, "fuse"));
    QVERIFY(!answer);
    QCOMPARE(answer.diag().code, DiagCode::Usage);
    QVERIFY2(answer.diag().text().find("can be no group: reshape is a view") != std::string::npos,
             answer.diag().text().c_str());
    QVERIFY(Asked().ask("sketch", of(text, {"reshape", "dense"}, "pattern")).ok());
}

void TestSketch::whatALevelCannotBeIsTold() {
    Arguments arguments = of(pair, {"c", "y"}, "pattern");
    arguments.levels = {{"conv2d.strides", "range"}, {"conv2d.stride", "any"}};
    const SketchDocument document = sketch(arguments);
    QCOMPARE(document.notices,
             (std::vector<std::string>{"nothing here is called conv2d.stride",
                                       "conv2d.strides cannot be range here: it stays exact"}));
}

void TestSketch::anyPartIsReadAndMatches_data() {
    QTest::addColumn<QString>("model");
    for (const char* sample : {"residual", "unet", "recommender", "encoder", "inception",
                               "conv_zoo", "free_batch", "lenet"})
        QTest::newRow(sample) << QString(sample);
}

// Operators that hang together, drawn; where no text can be made of them the reason says so.
void TestSketch::anyPartIsReadAndMatches() {
    QFETCH(QString, model);
    Asked asked;
    Random random(20261123);
    int made = 0;
    for (const char* stage : {"imported", "rewritten"}) {
        Arguments arguments = on(model.toStdString());
        arguments.stage = stage;
        arguments.name = "mine";
        const auto graph = asked.get<GraphDocument>("graph", arguments);
        std::map<NodeId, std::set<NodeId>> near;
        for (const auto& node : graph.nodes)
            if (node.op != "input" && node.op != "constant")
                near[node.id];
        for (const auto& node : graph.nodes)
            for (const auto& input : node.inputs)
                if (near.contains(node.id) && near.contains(input.node)) {
                    near[node.id].insert(input.node);
                    near[input.node].insert(node.id);
                }
        for (int round = 0; round < 4; ++round) {
            std::vector<NodeId> part{
                std::next(near.begin(), std::ptrdiff_t(random.below(near.size())))->first};
            for (std::size_t size = random.below(7); size > 0; --size) {
                const auto& around = near.at(part[random.below(part.size())]);
                if (around.empty())
                    break;
                const NodeId next =
                    *std::next(around.begin(), std::ptrdiff_t(random.below(around.size())));
                if (std::find(part.begin(), part.end(), next) == part.end())
                    part.push_back(next);
            }
            arguments.nodes.clear();
            for (const NodeId id : part)
                arguments.nodes.push_back("#" + std::to_string(id));
            for (const char* kind : {"pattern", "rule", "op", "fuse", "test"}) {
                arguments.kind = kind;
                const auto answer = asked.ask("sketch", arguments);
                if (!answer) {
                    QCOMPARE(answer.diag().code, DiagCode::Usage);
                    continue;
                }
                const auto document = fromJson<SketchDocument>(*answer).value();
                ++made;
                if (document.kind == "test")
                    continue; // what it is of stands in another text
                QVERIFY2(isRight(document), told(document).c_str());
                QVERIFY2(document.matches.value_or(0) > 0, document.text.c_str());
                if (document.kind != "op" || round > 1)
                    continue;
                Arguments check;
                check.book = "/nowhere/mine.fw";
                check.rules = {check.book};
                check.texts = {{check.book, document.text}};
                for (const auto& item : asked.get<CheckDocument>("check", check).items)
                    QVERIFY2(stands(item) && item.verdict != "refused",
                             (document.text + "\n" + item.counterexample).c_str());
            }
        }
    }
    QVERIFY(made > 10);
}

void TestSketch::anOperatorTakesThePlaceOfItsPart() {
    Arguments arguments = on("residual");
    arguments.nodes = {"Conv_left1", "BatchNormalization_left1_bn", "Relu_left_relu"};
    arguments.kind = "op";
    arguments.name = "mine";
    Asked asked;
    const auto document = asked.get<SketchDocument>("sketch", arguments);
    Arguments run = on("residual");
    run.rules = {"/nowhere/mine.fw"};
    run.texts = {{run.rules[0], document.text}};
    const auto plan = asked.get<FuseDocument>("fuse", run);
    QVERIFY(std::any_of(plan.groups.begin(), plan.groups.end(), [](const auto& group) {
        return group.name.starts_with("mine_") && group.implementation != "reference";
    }));
    for (const auto& set : asked.get<RunDocument>("run", run).sets)
        QVERIFY(set.pass);
}

FW_TEST(TestSketch, QCoreApplication)
#include "test_sketch.moc"
