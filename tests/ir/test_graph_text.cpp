// Graphs as text: what is printed reads back as the same graph, what is written by hand means what
// it says, and no text brings the reader down.
#include "common/test.h"
#include "ir/graph_text.h"

#include "docs/page.h"
#include "library/library.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace fw;

namespace {

GraphPtr readGraph(const std::string& text, const ConstantResolver& constants = {}) {
    Result<GraphPtr> graph =
        parseGraph(text, standardOperators(), {.constants = constants, .file = "test.fw"});
    if (!graph) {
        qWarning("%s\n%s", graph.diag().text().c_str(), text.c_str());
        return nullptr;
    }
    return *graph;
}

// Ids by position, so that graphs of different lineages compare.
QStringList originsOf(const Graph& graph) {
    QStringList out;
    for (const NodePtr& node : graph.nodes()) {
        QString line = QString::fromStdString(node->name);
        for (const NodeId id : node->origins)
            line += QStringLiteral(" %1").arg(id);
        out << line;
    }
    return out;
}

std::string refusal(const std::string& text) {
    const Result<GraphPtr> graph = parseGraph(text, standardOperators(), {.file = "t.fw"});
    return graph ? "accepted" : graph.diag().text();
}

TensorData bits(DType dtype, const std::vector<std::uint32_t>& words) {
    std::vector<std::byte> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    const auto count = static_cast<std::int64_t>(bytes.size() / dtypeBytes(dtype));
    return TensorData(dtype, {count}, std::move(bytes));
}

} // namespace

class TestGraphText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void handWritten();
    void assumptionsAreKept();
    void assumptionsAsText();
    void exampleOfTheDocs();
    void everythingReadsBack();
    void attributesReadBack();
    void hardNumbersReadBack();
    void largestIntegersReadBack();
    void hardNamesReadBack();
    void constantsByReference();
    void originsSurviveAnotherOrder();
    void dimensionsGiven();
    void refusals_data();
    void refusals();
    void hostileText();

private:
    void roundTrip(const GraphPtr& graph);
};

void TestGraphText::roundTrip(const GraphPtr& graph) {
    const std::string text = printGraph(*graph);
    const GraphPtr back = readGraph(text, constantsOf(*graph));
    QVERIFY(back);
    QCOMPARE(QString::fromStdString(printGraph(*back)), QString::fromStdString(text));
    QCOMPARE(QString::fromStdString(back->hash().hex()),
             QString::fromStdString(graph->hash().hex()));
    QCOMPARE(originsOf(*back), originsOf(*graph));
}

void TestGraphText::handWritten() {
    const GraphPtr graph = readGraph(R"(
graph small(x: f32[B, 4]) -> y, mean = m {
  w = const random(7) : f32[3, 4]   b = const [1, -2.5, inf] : f32[3]
  d = dense(x, w)
  h = relu(d) @node("act") @from(4, 2)
  g = const [1, 1, 1] : f32[3]
  (n, m, rstd) = layernorm(h, g, b) {eps = 0.5}
  "/l.0/Add:0" = add(n, h)
  q = unknown "com.example" "Odd"("/l.0/Add:0", none) {mode = "fast"} : f32[B, 3]
  y = softmax(q) {axis = -1}
}
)");
    QVERIFY(graph);
    QCOMPARE(graph->name(), std::string("small"));
    QCOMPARE(graph->inputs().size(), std::size_t(1));
    QCOMPARE(graph->type({graph->inputs()[0], 0}).text(), std::string("f32[B, 4]"));
    const Node* act = graph->findByName("act");
    QVERIFY(act);
    QCOMPARE(act->op, std::string("relu"));
    QCOMPARE(act->outputs[0].name, std::string("h"));
    QCOMPARE(act->outputs[0].type.text(), std::string("f32[B, 3]"));
    QCOMPARE(act->origins, (std::vector<NodeId>{2, 4}));
    const Node* norm = graph->findByName("rstd");
    QVERIFY(norm);
    QCOMPARE(norm->op, std::string("layernorm"));
    QCOMPARE(norm->name, std::string("layernorm"));
    QCOMPARE(norm->outputs[1].type.text(), std::string("f32[B]"));
    QCOMPARE(norm->attrs.real("eps", 0), 0.5);
    const Node* odd = graph->findByName("q");
    QVERIFY(odd);
    QCOMPARE(odd->attrs.text("op_type", {}), std::string("Odd"));
    QVERIFY(!odd->inputs.at(1).valid());
    QCOMPARE(graph->results().size(), std::size_t(2));
    QCOMPARE(graph->results()[1].name, std::string("mean"));
    QCOMPARE(graph->output(graph->results()[1].value).name, std::string("m"));
    const TensorData& b = *graph->findByName("b")->data;
    QCOMPARE(b.at(1), -2.5);
    QVERIFY(std::isinf(b.at(2)));
    QCOMPARE(graph->findByName("w")->data->hash(), randomData(DType::F32, {3, 4}, 7).hash());
    roundTrip(graph);
}

// What cannot be decided before the free dimensions are known is assumed, and said.
void TestGraphText::assumptionsAreKept() {
    const GraphPtr graph =
        readGraph("graph g(x: f32[N], z: f32[M]) -> y { y = add(x, z) @node(\"Add_3\") }");
    QVERIFY(graph);
    QCOMPARE(graph->assumptions().size(), std::size_t(1));
    const Assumption& assumed = graph->assumptions()[0];
    QCOMPARE(assumed.condition.text(), std::string("M == N || M == 1 || N == 1"));
    QCOMPARE(assumed.node, std::string("Add_3"));
    QVERIFY2(assumed.sentence.find("dimension 0 of a is N") != std::string::npos,
             assumed.sentence.c_str());
    roundTrip(graph);

    // A pass that takes the node out leaves what it asked for; what its own nodes ask for is told
    // apart, and counts only while they are there.
    GraphEditor editor(*graph);
    const ValueRef x{graph->inputs()[0], 0}, z{graph->inputs()[1], 0};
    editor.replaceUses(graph->results()[0].value, x);
    GraphEditor::NewNode same;
    same.op = "concat";
    same.inputs = {x, z};
    same.attrs.set("axis", std::int64_t(0));
    QVERIFY(editor.add(same).ok());
    QVERIFY(editor.demands().empty());
    GraphEditor::NewNode prelu;
    prelu.op = "prelu";
    prelu.inputs = {x, z};
    QVERIFY(editor.add(prelu).ok());
    QCOMPARE(editor.demands().size(), std::size_t(1));
    editor.removeUnused();
    const GraphPtr without = editor.finish().value();
    QCOMPARE(without->nodes().size(), std::size_t(2));
    QCOMPARE(without->assumptions(), graph->assumptions());
    roundTrip(without);
}

// Written by hand, they are kept, decided where the dimensions are known, and refused with a place.
void TestGraphText::assumptionsAsText() {
    const char* const text = "graph g(x: f32[N, 4]) -> y {\n"
                             "  assume N % 2 == 0 \"pairs of rows\"\n"
                             "  assume N <= 512\n"
                             "  assume = relu(x)  y = exp(assume)\n}";
    const GraphPtr graph = readGraph(text);
    QVERIFY(graph);
    QCOMPARE(graph->assumptions().size(), std::size_t(2));
    QCOMPARE(graph->assumptions()[0].sentence, std::string("pairs of rows"));
    QCOMPARE(graph->assumptions()[1].sentence, std::string("N <= 512 must hold"));
    roundTrip(graph);
    QVERIFY(
        !(graph->hash() ==
          readGraph("graph g(x: f32[N, 4]) -> y { assume = relu(x)  y = exp(assume) }")->hash()));
    GraphTextOptions options;
    options.dims = {{"N", 6}};
    QVERIFY(parseGraph(text, standardOperators(), options).value()->assumptions().empty());
    options.dims = {{"N", 5}};
    const auto refused = parseGraph(text, standardOperators(), options);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().message, std::string("pairs of rows; here N is 5"));
    QCOMPARE(refused.diag().where.line, 2);
    const auto number =
        parseGraph("graph g(x: f32[N]) -> y { assume N + 1  y = relu(x) }", standardOperators());
    QVERIFY(!number.ok());
    QCOMPARE(number.diag().code, DiagCode::TextType);
}

void TestGraphText::exampleOfTheDocs() {
    int graphs = 0;
    for (const auto& block : docs::blocksOf(docs::textOf("resources/docs/language.md"))) {
        if (!block.lines[0].startsWith(u"graph "))
            continue;
        const GraphPtr graph = readGraph(block.lines.join(u'\n').toStdString());
        QVERIFY(graph);
        roundTrip(graph);
        ++graphs;
    }
    QCOMPARE(graphs, 2);
}

void TestGraphText::everythingReadsBack() {
    const GraphPtr graph = readGraph(R"(
graph "odd name"(x: f32[N, 3, H, W], "in 2": i64[N * 2 + 1]) -> "out put" = r, x {
  w = const random(1) : f32[8, 3, 3, 3]
  c = conv2d(x, w) {pads = [1, 1, 1, 1], strides = [2, 2]}
  e = const [] : f32[0, 4]
  s = const [true, false] : bool[2]
  t = const [2.5] : f16[]
  z = identity("in 2")
  r = relu(c)
}
)");
    QVERIFY(graph);
    QCOMPARE(graph->findByName("t")->data->at(0), 2.5);
    QCOMPARE(graph->findByName("s")->data->integerAt(0), std::int64_t(1));
    roundTrip(graph);
}

void TestGraphText::attributesReadBack() {
    GraphEditor editor(standardOperators(), "g");
    const ValueRef x = editor.addInput("x", {DType::F32, {varExpr(Symbol("N")), Dim(4)}});
    GraphEditor::NewNode odd;
    odd.op = "unknown";
    odd.inputs = {x, {}, x};
    odd.declaredTypes = {{DType::BF16, {varExpr(Symbol("N")) * Dim(2)}}, {DType::Text, {}}};
    odd.attrs.set("domain", std::string("a \"quoted\" one"));
    odd.attrs.set("op_type", std::string("Odd"));
    odd.attrs.set("int", std::numeric_limits<std::int64_t>::min());
    odd.attrs.set("one", 1.0);
    odd.attrs.set("minus_zero", -0.0);
    odd.attrs.set("infinite", -std::numeric_limits<double>::infinity());
    odd.attrs.set("not a name", std::string("line\nend\ttab \\ \"q\" # no comment"));
    odd.attrs.set("dtype", DType::I64);
    odd.attrs.set("ints", Integers{1, -2, std::numeric_limits<std::int64_t>::max()});
    odd.attrs.set("reals", Reals{1, 0.1, -1e300});
    odd.attrs.set("texts", Texts{"a", "", "\n"});
    odd.attrs.set("shape",
                  Exprs{varExpr(Symbol("N")) * Dim(4), floorDivExpr(varExpr(Symbol("N")), Dim(2)),
                        -varExpr(Symbol("N"))});
    odd.attrs.set("small", dataFromDoubles(DType::F32, {2}, {0.1, -3}));
    odd.attrs.set("large", randomData(DType::F32, {100}, 1));
    const auto values = editor.add(odd);
    QVERIFY(values);
    editor.addResult("a", values->at(0));
    const auto graph = editor.finish();
    QVERIFY(graph);
    roundTrip(*graph);
    const GraphPtr back = readGraph(printGraph(**graph), constantsOf(**graph));
    QVERIFY(back);
    for (const auto& [name, value] : back->nodes().back()->attrs)
        QVERIFY2(value == *(*graph)->nodes().back()->attrs.find(name), name.c_str());
}

void TestGraphText::hardNumbersReadBack() {
    std::mt19937 random(5);
    std::vector<TensorData> tensors = {
        bits(DType::F32,
             {0x80000000u, 0x00000001u, 0x7f7fffffu, 0x7fc00000u, 0xff800000u, 0x3dcccccdu}),
        bits(DType::F32, {0xffc00001u}), // the bits of this NaN are not those of nan
        bits(DType::F64, {0x00000001u, 0x00000000u, 0x9999999au, 0x3fb99999u, 0u, 0x80000000u}),
        bits(DType::F16, {0x3c017bffu, 0x80000001u}),
        bits(DType::BF16, {0x3f803f81u, 0x80017f7fu}),
        bits(DType::I64, {0u, 0x80000000u, 0xffffffffu, 0x7fffffffu}),
        bits(DType::U64, {0xffffffffu, 0xffffffffu}),
        bits(DType::I32, {0x80000000u, 0x7fffffffu}),
        bits(DType::U8, {0xff00807fu}),
        bits(DType::I8, {0xff00807fu}),
        bits(DType::Bool, {0x02000001u}), // a byte that is neither 0 nor 1
    };
    for (int i = 0; i < 200; ++i)
        tensors.push_back(
            bits(i % 2 ? DType::F32 : DType::F64,
                 {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())}));
    GraphEditor editor(standardOperators(), "numbers");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        editor.addResult("r" + std::to_string(i),
                         editor.addConstant("k" + std::to_string(i), tensors[i]));
    const auto graph = editor.finish();
    QVERIFY(graph);
    roundTrip(*graph);
}

// No expression has them, elements of a constant do.
void TestGraphText::largestIntegersReadBack() {
    const GraphPtr graph =
        readGraph("graph g() -> a, b, c {\n"
                  "  a = const [18446744073709551615, 9223372036854775808, 0] : u64[3]\n"
                  "  b = const [-9223372036854775808, 9223372036854775807] : i64[2]\n"
                  "  c = const [18446744073709551616, -9223372036854775808] : f64[2]\n}");
    QVERIFY(graph);
    const TensorData& a = *graph->node(graph->results()[0].value.node).data;
    QCOMPARE(static_cast<std::uint64_t>(a.integerAt(0)), UINT64_MAX);
    QCOMPARE(static_cast<std::uint64_t>(a.integerAt(1)), std::uint64_t{1} << 63);
    const TensorData& b = *graph->node(graph->results()[1].value.node).data;
    QCOMPARE(b.integerAt(0), INT64_MIN);
    QCOMPARE(b.integerAt(1), INT64_MAX);
    const TensorData& c = *graph->node(graph->results()[2].value.node).data;
    QCOMPARE(c.at(0), 0x1p64);
    QCOMPARE(c.at(1), -0x1p63);
    roundTrip(graph);
    for (const char* wrong : {"[18446744073709551616] : u64[1]", "[-1] : u64[1]",
                              "[9223372036854775808] : i64[1]", "[-9223372036854775809] : i64[1]",
                              "[18446744073709551615] : u32[1]", "[1 2] : u8[2]", "[1, : u8[1]"})
        QVERIFY2(refusal(std::string("graph g() -> a { a = const ") + wrong + " }") != "accepted",
                 wrong);
}

void TestGraphText::hardNamesReadBack() {
    const std::vector<std::string> names = {"none",      "const",     "unknown",
                                            "graph",     "a.b",       "a.1",
                                            "1a",        "/x/y:0",    "with \"quotes\" \\",
                                            "tab\there", "new\nline", "\x01",
                                            "naïve",     "#",         "random",
                                            "->",        " ",         std::string("nul\0in", 6)};
    GraphEditor editor(standardOperators(), "graph \"g\"");
    ValueRef value = editor.addInput("none.", {DType::F32, {Dim(2)}});
    for (const std::string& name : names) {
        GraphEditor::NewNode node;
        node.op = "relu";
        node.inputs = {value};
        node.name = name + " node";
        node.outputNames = {name};
        const auto added = editor.add(node);
        QVERIFY(added);
        value = added->front();
        editor.addResult(name, value);
    }
    const auto graph = editor.finish();
    QVERIFY(graph);
    roundTrip(*graph);
}

void TestGraphText::constantsByReference() {
    const GraphPtr graph = readGraph(
        "graph g(x: f32[1, 30]) -> y { w = const random(3) : f32[2, 30]  y = dense(x, w) }");
    QVERIFY(graph);
    const std::string text = printGraph(*graph);
    QVERIFY(text.find("const @\"w\" hash \"") != std::string::npos);
    QCOMPARE(
        refusal(text).substr(0, 80),
        std::string(
            "t.fw:2:3: error USE03: the constant \"w\" is not part of this text (only its name "));
    // By name alone, and a content that differs.
    QVERIFY(
        readGraph("graph g(x: f32[1, 30]) -> y { w = const @\"w\" : f32[2, 30]  y = dense(x, w) }",
                  constantsOf(*graph)));
    const auto other = [](const std::string&, const std::string&, const TensorType&) {
        return std::optional(randomData(DType::F32, {2, 30}, 4));
    };
    const auto wrong = parseGraph(text, standardOperators(), {.constants = other});
    QVERIFY(!wrong);
    QCOMPARE(wrong.diag().code, DiagCode::InputMismatch);
}

void TestGraphText::originsSurviveAnotherOrder() {
    // Created before the input and used late: printed in topological order, with its own number.
    GraphEditor editor(standardOperators(), "g");
    const ValueRef k = editor.addConstant("k", dataFromDoubles(DType::F32, {2}, {1, 2}));
    const ValueRef x = editor.addInput("x", {DType::F32, {Dim(2)}});
    GraphEditor::NewNode node;
    node.op = "add";
    node.inputs = {x, k};
    node.origins = {k.node, x.node};
    const auto y = editor.add(node);
    QVERIFY(y);
    editor.addResult("y", y->front());
    const auto graph = editor.finish();
    QVERIFY(graph);
    const std::string text = printGraph(**graph);
    QVERIFY(text.find("x: f32[2] @from(1)") != std::string::npos);
    roundTrip(*graph);
}

void TestGraphText::dimensionsGiven() {
    const std::string text = "graph g(x: f32[N, M * 2]) -> y { y = relu(x) }";
    const auto graph = parseGraph(text, standardOperators(), {.dims = {{"M", 3}}});
    QVERIFY(graph);
    QCOMPARE((*graph)->type((*graph)->results()[0].value).text(), std::string("f32[N, 6]"));
    const auto other = parseGraph(text, standardOperators(), {.dims = {{"K", 3}}});
    QVERIFY(!other);
    QCOMPARE(other.diag().code, DiagCode::UnknownName);
}

void TestGraphText::refusals_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* text, const char* message) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(message);
    };
    row("empty", "", "t.fw: error TXT01: the text holds no graph");
    row("two", "graph a(x: f32[1]) -> x { }\ngraph b(x: f32[1]) -> x { }",
        "t.fw:2:1: error TXT01: a second graph, b");
    row("unknown operator", "graph g(x: f32[1]) -> y {\n  y = nothing(x)\n}",
        "t.fw:2:7: error OPR01: there is no operator named nothing");
    row("unknown value", "graph g(x: f32[1]) -> y {\n  y = relu(z)\n}",
        "t.fw:2:12: error TXT02: there is no value \"z\"");
    row("later value", "graph g(x: f32[1]) -> y {\n  y = relu(z)\n  z = relu(x)\n}",
        "t.fw:2:12: error TXT02: \"z\" is no value, or is used before");
    row("name twice", "graph g(x: f32[1]) -> y {\n  y = relu(x)\n  y = relu(x)\n}",
        "t.fw:3:3: error TXT02: the name \"y\" is used twice");
    row("node name twice", "graph g(x: f32[1]) -> y {\n  y = relu(x) @node(\"x\")\n}",
        "t.fw:2:3: error TXT02: the name \"x\" is used twice");
    row("no result", "graph g(x: f32[1]) -> {\n}", "t.fw:1:1: error TXT01: a graph needs a result");
    row("arity", "graph g(x: f32[1]) -> y {\n  (y, z) = relu(x)\n}",
        "t.fw:2:3: error OPR03: relu has 1 result, 2 are named");
    row("shapes",
        "graph g(x: f32[2, 3]) -> y {\n  w = const random(1) : f32[4, 4]\n  y = dense(x, w)\n}",
        "t.fw:3:3: node dense: error SHP01");
    row("element count", "graph g() -> k {\n  k = const [1, 2] : i64[3]\n}",
        "t.fw:2:13: error SHP01: i64[3] has 3 elements, 2 are written");
    row("element type", "graph g() -> k {\n  k = const [1, 0.5] : i64[2]\n}",
        "t.fw:2:17: error TXT03: an element of type i64 expected");
    row("element range", "graph g() -> k {\n  k = const [300] : u8[1]\n}",
        "t.fw:2:14: error TXT03: an element of type u8 expected");
    row("free constant", "graph g() -> k {\n  k = const random(1) : f32[N]\n}",
        "t.fw:2:3: error SHP03");
    row("huge constant", "graph g() -> k {\n  k = const random(1) : f32[1000000, 1000000]\n}",
        "t.fw:2:3: error LIM01");
    row("overflow", "graph g() -> k {\n  k = const random(1) : f32[4000000000, 4000000000]\n}",
        "t.fw:2:3: error SHP04");
    row("element type of a value", "graph g(x: f33[1]) -> x { }",
        "t.fw:1:12: error TXT03: 'f33' is not an element type");
    row("negative dimension", "graph g(x: f32[-1]) -> x { }",
        "t.fw:1:16: error SHP01: a dimension is -1");
    row("real dimension", "graph g(x: f32[1.5]) -> x { }", "t.fw:1:16: error TXT03");
    row("division by zero", "graph g(x: f32[4 / 0]) -> x { }", "t.fw:1:16: error");
    row("called input", "graph g(x: f32[1]) -> y {\n  y = input()\n}",
        "t.fw:2:3: error OPR01: input cannot be called");
    row("attribute twice", "graph g(x: f32[1]) -> y {\n  y = softmax(x) {axis = 0, axis = 0}\n}",
        "t.fw:2:29: error TXT02");
    row("attribute value", "graph g(x: f32[1]) -> y {\n  y = softmax(x) {axis = x[1]}\n}",
        "t.fw:2:26: error TXT03");
    row("unclosed", "graph g(x: f32[1]) -> y {\n  y = relu(x", "t.fw:2:13: error TXT01");
    row("unclosed text", "graph g(x: f32[1]) -> \"y {\n}", "t.fw:1:23: error TXT01");
}

void TestGraphText::refusals() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const QString said = QString::fromStdString(refusal(text.toStdString()));
    QVERIFY2(said.startsWith(message), qPrintable(said));
}

void TestGraphText::hostileText() {
    const std::string seed = R"(graph g(x: f32[B, 4], "o": i64[2]) -> y = "a b", o {
  w = const random(7) : f32[3, 4] k = const [1, -2.5, inf] : f32[3]
  h = relu(x) @node("act") @from(4, 2)
  (n, m, r) = layernorm(h, h, none) {eps = 0.5, l = [N / 2, B % 0]}
  "a b" = unknown "d" "T"(h, none) {t = tensor(f32[1], [1])} : f32[B, 3], i64[]
})";
    std::mt19937 random(11);
    const std::string marks = "(){}[],:;=<>+-*/%?@^|&\"#.\\\n\0 0123456789eBxNnone";
    for (int i = 0; i < 8000; ++i) {
        std::string text = seed;
        for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[at] = marks[random() % marks.size()];
                break;
            case 1:
                text.erase(at, 1 + random() % 8);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 20));
                break;
            default:
                text.resize(at + 1);
            }
            if (text.empty())
                text = "g";
        }
        const auto graph = parseGraph(text, standardOperators());
        if (graph)
            QVERIFY(parseGraph(printGraph(**graph), standardOperators(),
                               {.constants = constantsOf(**graph)}));
    }
    QVERIFY(!parseGraph("graph g(x: f32[" + std::string(100000, '(') + "1", standardOperators()));
    QVERIFY(
        !parseGraph("graph g(x: f32[-9223372036854775808 / -1]) -> x { }", standardOperators()));
    QVERIFY(!parseGraph("graph g(x: f32[-9223372036854775808 % -1 - 1]) -> x { }",
                        standardOperators()));
}

FW_TEST(TestGraphText, QCoreApplication)
#include "test_graph_text.moc"
