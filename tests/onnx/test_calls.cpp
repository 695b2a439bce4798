// Nodes that an operator reads which stands for calls of others: what becomes of them in the graph.
#include "common/test.h"
#include "onnx/clause_models.h"

#include <limits>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestCalls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNodeIsItsCalls();
    void whatNobodyUsesIsLeftOut();
    void resultsThatAreNotThere();
    void operandsThatAreAbsent();
    void absentOnesThatAreNeeded();
    void whatIsFilledIn();
    void attributesAndLists();
    void sizesThatAreComputed();
    void sizesInLists();
    void elementsThatAreRequired();
    void conditionsOnFreeSizes();
    void conditionsOnNumbers();
    void numbersOfTheTypeBesideThem();
    void anyNumberOfOperands();
    void roundedOnce();
    void chosenByWhatTheyTake();
    void operatorsInsideEachOther();
    void calledByAnAttribute();
    void calledByAnAttributeOfTheNode();
    void numbersOfTypesAndLists();
    void shippedDefaults();
    void whatTheTextSaysWrongly();
    void whatTheTextSaysWrongly_data();
};

namespace {

Result<Imported> readOne(const std::string& text, const std::string& inputs,
                         const std::string& outputs,
                         const std::vector<std::pair<std::string, std::vector<std::string>>>& types,
                         int dtype = proto::TensorProto::FLOAT) {
    M m = ofMine();
    for (const auto& [name, dims] : types)
        m.input(name, dims, dtype);
    std::istringstream names(outputs);
    for (std::string name; names >> name;)
        m.output(name, {}, dtype);
    mine(m, "Mine", inputs, outputs);
    return readWith(m, text);
}

} // namespace

void TestCalls::theNodeIsItsCalls() {
    const auto read = readOne("op mine (x: T[N], b: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
                              "  let s = add(x, b)\n"
                              "  y = mul(relu(s), 0.5) }",
                              "x b", "y", {{"x", {"4"}}, {"b", {"4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(operatorsOf(*read->graph), std::string("add relu mul"));
    // The last call has the node's name, and all of them stand for the node.
    const Node* last = read->graph->findByName("n");
    QVERIFY(last != nullptr);
    QCOMPARE(last->op, std::string("mul"));
    QCOMPARE(read->graph->constant(last->inputs[1])->at(0), 0.5);
    for (const NodePtr& node : read->graph->nodes())
        if (!node->isLeaf())
            QVERIFY2(!node->origins.empty(), node->name.c_str());
}

void TestCalls::whatNobodyUsesIsLeftOut() {
    const std::string text = "op mine (x: T[N]) -> (y, z) onnx \"com.me\" \"Mine\" {\n"
                             "  let e = exp(x)\n"
                             "  z = sqrt(e)\n"
                             "  y = relu(x) }";
    const auto one = readOne(text, "x", "y", {{"x", {"4"}}});
    QCOMPARE(problemOf(one), std::string());
    QCOMPARE(operatorsOf(*one->graph), std::string("relu"));
    const auto both = readOne(text, "x", "y z", {{"x", {"4"}}});
    QCOMPARE(problemOf(both), std::string());
    QCOMPARE(operatorsOf(*both->graph), std::string("exp sqrt relu"));
    QCOMPARE(both->graph->results().size(), std::size_t(2));
}

void TestCalls::resultsThatAreNotThere() {
    const std::string text = "op mine (x: T[P..., D], g: T[D], t: T[D]) -> (y, _, sum) "
                             "onnx \"com.me\" \"Mine\" {\n"
                             "  (y, _, sum) = layernorm(x, g, t) }";
    const auto read =
        readOne(text, "x g t", "y unused sum", {{"x", {"2", "4"}}, {"g", {"4"}}, {"t", {"4"}}});
    QVERIFY(says(problemOf(read), "output 2 is not computed"));
}

void TestCalls::operandsThatAreAbsent() {
    const std::string text =
        "op mine (x: T[N], b?: T[N], c?: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
        "  y = add(given(b, b, x), given(c, neg(c), 1)) }";
    const auto none = readOne(text, "x", "y", {{"x", {"4"}}});
    QCOMPARE(problemOf(none), std::string());
    QCOMPARE(operatorsOf(*none->graph), std::string("add"));
    M m = ofMine();
    m.input("x", {"4"}).input("c", {"4"}).output("y");
    auto& node = mine(m, "Mine", "x", "y");
    node.add_input("");
    node.add_input("c");
    const auto behind = readWith(m, text);
    QCOMPARE(problemOf(behind), std::string());
    QCOMPARE(operatorsOf(*behind->graph), std::string("neg add"));
}

// An operand that may be absent is refused where a call needs it, whichever call it is.
void TestCalls::absentOnesThatAreNeeded() {
    for (const char* call : {"cast(b) {to = T}", "cast(b) {to = f64}", "add(x, b)", "relu(b)",
                             "reshape(b) {shape = [1, N]}", "reshape(x) {shape = b}"}) {
        const auto read = readOne(
            "op mine (x: T[N], b?: T[N]) -> y onnx \"com.me\" \"Mine\" { y = " + std::string(call) +
                " }",
            "x", "y", {{"x", {"4"}}});
        QVERIFY2(!problemOf(read).empty(), call);
    }
}

// What a call makes of numbers alone is a constant where it is small, a call where it is not.
void TestCalls::whatIsFilledIn() {
    const auto read = [](const std::string& count) {
        return readOne("op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
                       "  let all = constant_of_shape() {shape = [" +
                           count + ", N], value = cast(1, T)}\n  y = mul(x, all) }",
                       "x", "y", {{"x", {"4"}}});
    };
    QCOMPARE(operatorsOf(*read("2")->graph), std::string("mul"));
    QCOMPARE(operatorsOf(*read("1000000000")->graph), std::string("constant_of_shape mul"));
}

void TestCalls::attributesAndLists() {
    const std::string text =
        "op mine (x: T[P..., D@axis, Q...], attr axis: int = 1, attr twice: bool = false) -> y\n"
        "  onnx \"com.me\" \"Mine\" {\n"
        "  let shape = [size(P), D * size(Q)]\n"
        "  let flat = reshape(x) {shape = shape}\n"
        "  y = select(twice, mul(flat, flat), transpose(flat) {perm = [1, 0]}) }";
    const auto read = readOne(text, "x", "y", {{"x", {"a", "3", "4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(operatorsOf(*read->graph), std::string("reshape transpose"));
    const std::string type = read->graph->findByName("n")->outputs[0].type.text();
    QVERIFY2(type == "f32[12, A]", type.c_str());
}

// What free sizes decide is taken not to hold, and that is assumed.
void TestCalls::conditionsOnFreeSizes() {
    const std::string text = "op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
                             "  y = select(N > 4, relu(x), neg(x)) }";
    const auto known = readOne(text, "x", "y", {{"x", {"8"}}});
    QCOMPARE(operatorsOf(*known->graph), std::string("relu"));
    QVERIFY(known->graph->assumptions().empty());
    const auto open = readOne(text, "x", "y", {{"x", {"n"}}});
    QCOMPARE(operatorsOf(*open->graph), std::string("neg"));
    QCOMPARE(open->graph->assumptions().size(), std::size_t(1));
    const Assumption& assumed = open->graph->assumptions().front();
    QVERIFY2(says(assumed.sentence, "must not hold"), assumed.sentence.c_str());
    const auto either = readOne("op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
                                "  y = select(known(N > 4), relu(x), neg(x)) }",
                                "x", "y", {{"x", {"n"}}});
    QCOMPARE(operatorsOf(*either->graph), std::string("neg"));
    QVERIFY(either->graph->assumptions().empty());
}

// Numbers are known: nothing is assumed of them.
void TestCalls::conditionsOnNumbers() {
    for (const auto& [condition, holds] :
         {std::pair("s == 1", false), {"s == 2.0", true}, {"s > 1.5", true}, {"s <= 1", false}}) {
        const auto read =
            readOne("op mine (x: T[N], attr s: float = 2) -> y onnx \"com.me\" \"Mine\" {\n"
                    "  y = select(" +
                        std::string(condition) + ", relu(x), neg(x)) }",
                    "x", "y", {{"x", {"n"}}});
        QCOMPARE(problemOf(read), std::string());
        QCOMPARE(operatorsOf(*read->graph), std::string(holds ? "relu" : "neg"));
        QVERIFY2(read->graph->assumptions().empty(), condition);
    }
}

void TestCalls::numbersOfTheTypeBesideThem() {
    const auto read = [](const std::string& number) {
        return readOne("op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" { y = add(x, " + number +
                           ") }",
                       "x", "y", {{"x", {"4"}}}, proto::TensorProto::UINT8);
    };
    QCOMPARE(problemOf(read("255")), std::string());
    for (const char* number : {"256", "-1", "0.5"})
        QVERIFY2(says(problemOf(read(number)), "is no u8"), number);
}

void TestCalls::anyNumberOfOperands() {
    const auto read =
        readOne("op mine (xs*: T[N]) -> y onnx \"com.me\" \"Mine\" { y = concat(xs...) "
                "{axis = 0} }",
                "a b c", "y", {{"a", {"4"}}, {"b", {"4"}}, {"c", {"4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(read->graph->findByName("n")->outputs[0].type.text(), std::string("f32[12]"));
    const std::string chained = "op mine (xs*: T[N]) -> y onnx \"com.me\" \"Mine\" {\n"
                                "  y = select(len(xs) == 1, relu(xs...), mul(chain(add, xs...), "
                                "len(xs))) }";
    const auto three = readOne(chained, "a b c", "y", {{"a", {"4"}}, {"b", {"4"}}, {"c", {"4"}}});
    QCOMPARE(problemOf(three), std::string());
    QCOMPARE(operatorsOf(*three->graph), std::string("add add mul"));
    QCOMPARE(three->graph->constant(three->graph->findByName("n")->inputs[1])->at(0), 3.0);
    const auto one = readOne(chained, "a", "y", {{"a", {"4"}}});
    QCOMPARE(problemOf(one), std::string());
    QCOMPARE(operatorsOf(*one->graph), std::string("relu"));
    const auto halves = readOne("op mine (x: T[A, B]) -> (y, z) onnx \"com.me\" \"Mine\" {\n"
                                "  (y, z) = split(x) {axis = 1, sizes = [2, 2]} }",
                                "x", "y z", {{"x", {"2", "4"}}});
    QCOMPARE(problemOf(halves), std::string());
}

// The elements of a vector as sizes: known ones are the attribute, others are bound.
void TestCalls::sizesThatAreComputed() {
    const std::string text = "op mine (x: T[S...], to: i64[K]) -> y onnx \"com.me\" \"Mine\" {\n"
                             "  y = reshape(x) {shape = to} }";
    M m = ofMine();
    m.input("x", {"2", "6"}).integers("to", {3, 4}).output("y");
    mine(m, "Mine", "x to", "y");
    const auto known = readWith(m, text);
    QCOMPARE(problemOf(known), std::string());
    QCOMPARE(known->graph->findByName("n")->outputs[0].type.text(), std::string("f32[3, 4]"));
    M free = ofMine();
    free.input("x", {"2", "6"}).input("to", {"2"}, proto::TensorProto::INT64).output("y");
    mine(free, "Mine", "x to", "y");
    const auto bound = readWith(free, text);
    QCOMPARE(problemOf(bound), std::string());
    QCOMPARE(operatorsOf(*bound->graph), std::string("bind_dims reshape"));
}

// Some of them beside others, which are known.
void TestCalls::sizesInLists() {
    const std::string text = "op mine (x: T[S...], to: i64[K]) -> y onnx \"com.me\" \"Mine\" {\n"
                             "  y = reshape(x) {shape = [1, to..., to[1]]} }";
    M m = ofMine();
    m.input("x", {"2", "18"}).integers("to", {4, 3}).output("y");
    mine(m, "Mine", "x to", "y");
    const auto known = readWith(m, text);
    QCOMPARE(problemOf(known), std::string());
    QCOMPARE(known->graph->findByName("n")->outputs[0].type.text(), std::string("f32[1, 4, 3, 3]"));
    M free = ofMine();
    free.input("x", {"2", "18"}).input("to", {"2"}, proto::TensorProto::INT64).output("y");
    mine(free, "Mine", "x to", "y");
    const auto bound = readWith(free, text);
    QCOMPARE(problemOf(bound), std::string());
    QCOMPARE(operatorsOf(*bound->graph), std::string("bind_dims reshape"));
    M wrong = ofMine();
    wrong.input("x", {"2", "6"}).integers("to", {12}).output("y");
    mine(wrong, "Mine", "x to", "y");
    QVERIFY(problemOf(readWith(wrong, text)).find("no element 1 among 1 sizes") !=
            std::string::npos);
}

// What `requires` says of the elements of operands that are known.
void TestCalls::elementsThatAreRequired() {
    const std::string body = " requires k > 0, k * 2 <= N, rate < limit -> y onnx \"com.me\" "
                             "\"Mine\" { y = relu(x) }";
    const std::string text = "op mine (x: T[N], k: i64[A...], rate?: f32[], limit?: f32[])" + body;
    const auto reading = [&](const std::string& extent, const std::vector<std::int64_t>& k,
                             float rate) {
        M m = ofMine();
        m.input("x", {extent}).integers("k", k).output("y");
        m.weights("rate", {}, {rate}).weights("limit", {}, {0.5F});
        mine(m, "Mine", "x k rate limit", "y");
        return readWith(m, text);
    };
    QCOMPARE(problemOf(reading("6", {1, 3}, 0.25F)), std::string());
    const std::string wrong = problemOf(reading("6", {1, 4}, 0.25F));
    QVERIFY2(wrong.find("element 1 of 'k' is 4, and k * 2 <= N must hold") != std::string::npos,
             wrong.c_str());
    QVERIFY(problemOf(reading("6", {1, 3}, 0.5F)).find("rate < limit must hold") !=
            std::string::npos);
    const auto free = reading("M", {1, 4, 3}, 0.25F);
    QCOMPARE(problemOf(free), std::string());
    QCOMPARE(free->graph->assumptions().size(), std::size_t(1));
    QVERIFY(free->graph->assumptions()[0].sentence.find("'k'") != std::string::npos);
}

// Several calls that round are computed in f32; one alone, and what moves elements only, is not.
void TestCalls::roundedOnce() {
    const auto read = [](const std::string& body) {
        const auto out =
            readOne("op mine (x: T[M, N]) -> y onnx \"com.me\" \"Mine\" { y = " + body + " }", "x",
                    "y", {{"x", {"2", "3"}}}, proto::TensorProto::FLOAT16);
        return out ? operatorsOf(*out->graph) : problemOf(out);
    };
    QCOMPARE(read("exp(x)"), std::string("exp"));
    QCOMPARE(read("exp(transpose(x) {perm = [1, 0]})"), std::string("transpose exp"));
    QCOMPARE(read("mul(exp(x), x)"), std::string("cast exp mul cast"));
    QCOMPARE(read("cast(x) {to = T}"), std::string("identity"));
}

void TestCalls::chosenByWhatTheyTake() {
    const std::string text =
        "op any (x: T[N]) -> y onnx \"com.me\" \"Mine\" { y = neg(x) }\n"
        "op real (x: T[N]) requires T in {f32, f64} -> y onnx \"com.me\" \"Mine\" { y = exp(x) }";
    QCOMPARE(operatorsOf(*readOne(text, "x", "y", {{"x", {"4"}}})->graph), std::string("exp"));
    QCOMPARE(
        operatorsOf(*readOne(text, "x", "y", {{"x", {"4"}}}, proto::TensorProto::INT32)->graph),
        std::string("neg"));
}

void TestCalls::operatorsInsideEachOther() {
    std::string text = "op c0 (x: T[N]) -> y { y = neg(x) }\n";
    for (int i = 1; i <= 6; ++i)
        text += "op c" + std::to_string(i) + " (x: T[N]) -> y { y = c" + std::to_string(i - 1) +
                "(x) }\n";
    const auto read =
        readOne(text + "op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" { y = c6(x) }", "x", "y",
                {{"x", {"4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(operatorsOf(*read->graph), std::string("neg"));
    QCOMPARE(read->graph->findByName("n")->op, std::string("neg"));
    // Each twice the one before: 2^14 calls.
    text = "op c0 (x: T[N]) -> y { y = neg(x) }\n";
    for (int i = 1; i <= 14; ++i)
        text += "op c" + std::to_string(i) + " (x: T[N]) -> y { y = add(c" + std::to_string(i - 1) +
                "(x), c" + std::to_string(i - 1) + "(x)) }\n";
    QVERIFY(says(problemOf(readOne(text + "op mine (x: T[N]) -> y onnx \"com.me\" \"Mine\" "
                                          "{ y = c14(x) }",
                                   "x", "y", {{"x", {"4"}}})),
                 "more than 4096 calls"));
}

// What ONNX (DepthToSpace 11: mode DCR) and ONNX Runtime (contrib_ops/cpu/skip_layer_norm:
// epsilon 1e-12) mean where a node does not say it.
void TestCalls::shippedDefaults() {
    M space(11);
    space.input("x", {"1", "8", "2", "3"}).output("y");
    M::set(space.node("DepthToSpace", "x", "y"), "blocksize", 2);
    const auto blocks = read(space.bytes());
    QCOMPARE(problemOf(blocks), std::string());
    for (const NodePtr& node : blocks->graph->nodes())
        if (node->op == "transpose")
            QVERIFY(node->attrs.integers("perm") == (Integers{0, 3, 4, 1, 5, 2}));
    for (const std::string type : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
        M skip(17);
        skip.input("x", {"2", "4"}).input("s", {"2", "4"}).weights("g", {4}).output("y");
        skip.node(type, "x s g", "y", "n").set_domain("com.microsoft");
        auto* entry = skip.model.add_opset_import();
        entry->set_domain("com.microsoft");
        entry->set_version(1);
        const auto norm = read(skip.bytes());
        QCOMPARE(problemOf(norm), std::string());
        QCOMPARE(norm->graph->findByName("n")->attrs.real("eps", 0), 1e-12);
    }
    // Axes that are computed, as many as turns out.
    M axes(18);
    axes.input("x", {"2", "3"}).input("a", {"K"}, proto::TensorProto::INT64).output("y");
    M::set(axes.node("ReduceSum", "x a", "y", "n"), "keepdims", 0);
    QVERIFY(says(problemOf(read(axes.bytes())), "how many axes the result has is computed"));
}

// One text for nodes of several types that differ in the operator that they call.
void TestCalls::calledByAnAttribute() {
    const std::string text = "op either (x: T[N], b: T[N], attr f: text) -> y\n"
                             "  onnx \"com.me\" \"Mine\" {f = op mul}\n"
                             "  onnx \"com.me\" \"Other\" {f = op sub} {\n"
                             "  y = relu(f(x, b)) }";
    const auto read = readOne(text, "x b", "y", {{"x", {"4"}}, {"b", {"4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(operatorsOf(*read->graph), std::string("mul relu"));
    M m = ofMine();
    m.input("x", {"4"}).input("b", {"4"}).output("y");
    mine(m, "Other", "x b", "y");
    const auto other = readWith(m, text);
    QCOMPARE(problemOf(other), std::string());
    QCOMPARE(operatorsOf(*other->graph), std::string("sub relu"));
}

// The name is a stranger's: it may be none, or lead far down.
void TestCalls::calledByAnAttributeOfTheNode() {
    std::string text = "op c0 (x: T[N]) -> y { y = neg(x) }\n";
    for (int i = 1; i <= 16; ++i)
        text += "op c" + std::to_string(i) + " (x: T[N]) -> y { y = c" + std::to_string(i - 1) +
                "(x) }\n";
    text += "op mine (x: T[N], attr f: text) -> y onnx \"com.me\" \"Mine\" { y = f(x) }";
    const auto of = [&](const std::string& name) {
        M m = ofMine();
        m.input("x", {"4"}).output("y");
        M::setText(mine(m, "Mine", "x", "y"), "f", name);
        return readWith(m, text);
    };
    QCOMPARE(operatorsOf(*of("c15")->graph), std::string("neg"));
    QVERIFY(says(problemOf(of("c16")),
                 "c0 lies more than 16 deep in operators that stand for calls "
                 "of each other (let one of them call what the next one "
                 "stands for)"));
    QVERIFY(says(problemOf(of("reluu")),
                 "there is no operator 'reluu' that it could call (did you mean relu"));
    QVERIFY(says(problemOf(of("")), "there is no operator '' that it could call (fw ops lists"));
    QVERIFY(says(problemOf(of("a\nb")), "there is no operator 'a\xEF\xBF\xBD"
                                        "b' that"));
    QVERIFY(problemOf(of(std::string(1 << 20, 'x'))).size() < 1000);
}

void TestCalls::numbersOfTypesAndLists() {
    const auto read =
        readOne("op mine (x: T[S...], attr axis: int = 1) -> y onnx \"com.me\" \"Mine\" {\n"
                "  let whole = reshape(x) {shape = [size(part(S, 0, axis)), size(part(S, axis, "
                "rank(S)))]}\n"
                "  y = add(min(whole, largest(T)), select(axis == 1.0, size(S), 0)) }",
                "x", "y", {{"x", {"2", "3", "4"}}});
    QCOMPARE(problemOf(read), std::string());
    QCOMPARE(operatorsOf(*read->graph), std::string("reshape min add"));
    const Node* last = read->graph->findByName("n");
    QCOMPARE(read->graph->type(last->inputs[0]).text(), std::string("f32[2, 12]"));
    QCOMPARE(read->graph->constant(last->inputs[1])->at(0), 24.0);
    const Node& least = read->graph->node(last->inputs[0].node);
    QCOMPARE(static_cast<float>(read->graph->constant(least.inputs[1])->at(0)),
             std::numeric_limits<float>::max());
    const auto beyond = readOne("op mine (x: T[S...]) -> y onnx \"com.me\" \"Mine\" {\n"
                                "  y = reshape(x) {shape = part(S, 0, 4)} }",
                                "x", "y", {{"x", {"2", "3", "4"}}});
    QVERIFY(says(problemOf(beyond), "a list of 3 has no part from 0 to 4"));
}

void TestCalls::whatTheTextSaysWrongly_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* text, const char* error) {
        QTest::newRow(name) << text << error;
    };
    row("no such operator", "op m (x: T[N]) -> y { y = nothing(x) }",
        "there is no operator 'nothing'");
    row("operator of a clause",
        "op m (x: T[N], attr f: text) -> y onnx \"d\" \"M\" {f = op nothing} { y = f(x) }",
        "there is no operator 'nothing'");
    row("operands of one of a clause",
        "op m (x: T[N], attr f: text) -> y onnx \"d\" \"M\" {f = op add} { y = f(x) }",
        "add takes 2 operands, not 1");
    row("itself", "op m (x: T[N]) -> y { y = m(x) }", "does not stand for calls of itself");
    row("name", "op m (x: T[S...]) -> y { y = reshape(x) {shape = [size(Q)]} }",
        "'Q' is not known here");
    row("attribute's name", "op m (x: T[N], attr k: int) -> y { y = softmax(x) {axis = kk} }",
        "did you mean k?");
    row("operands", "op m (x: T[N]) -> y { y = relu(x, x) }", "relu takes 1 operand, not 2");
    row("attribute", "op m (x: T[N]) -> y { y = relu(x) {axis = 1} }",
        "relu has no attribute 'axis'");
    row("results", "op m (x: T[N]) -> (y, z) { (y, z) = relu(x) }", "relu has 1 result, not 2");
    row("not given", "op m (x: T[N]) -> (y, z) { y = relu(x) }",
        "no statement gives the result 'z'");
    row("no result", "op m (x: T[N]) -> y { z = relu(x)  y = relu(x) }", "'z' is not a result");
    row("result with let", "op m (x: T[N]) -> y { let y = relu(x) }", "'y' is a result");
    row("twice", "op m (x: T[N]) -> y { let a = relu(x)  let a = relu(x)  y = a }", "used twice");
    row("numbers that no operand types", "op m (x: T[N]) -> y { y = where(less(x, 0), 1, 0) }",
        "nothing says of which element type");
    row("later", "op m (x: T[N]) -> (y, z) { y = relu(z)  z = relu(x) }",
        "'z' is read before it is given");
    row("operands of a function", "op m (x: T[S...]) -> y: T[(part(S))...] { y[i...] = 0 }",
        "part() takes 3 operands, not 1");
    row("any number as one", "op m (xs*: T[N]) -> y { y = concat(xs) {axis = 0} }",
        "'xs' is any number of operands");
    row("a chain of no operator", "op m (xs*: T[N]) -> y { y = chain(nothing, xs...) }",
        "there is no operator 'nothing'");
    row("a chain of one operand", "op m (xs*: T[N]) -> y { y = chain(relu, xs...) }",
        "a chain is of calls with two operands");
    row("a chain of calls", "op m (a: T[N], b: T[N]) -> y onnx \"d\" \"T\" chain { y = sub(a, b) }",
        "not of calls of others");
    row("elements", "op m (x: T[N]) -> y { y[n] = x[n] }", "y is written element by element");
    row("types of some", "op m (x: T[N]) -> (y: T[N], z) { y[n] = x[n] }",
        "all results have a type, or none");
}

void TestCalls::whatTheTextSaysWrongly() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    Diags errors;
    withOperators(*standardOperators(), text.toStdString(), "mine.fw", errors);
    QVERIFY(!errors.empty());
    QVERIFY2(says(errors.front().text(), error.toStdString()), errors.front().text().c_str());
}

FW_TEST(TestCalls, QCoreApplication)
#include "test_calls.moc"
