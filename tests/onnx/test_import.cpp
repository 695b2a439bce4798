// The normal forms that the importer makes, one per test, and what the writer takes back. The
// models of ../shared open without errors when they are there.
#include "common/test.h"
#include "onnx/graph_tools.h"
#include "onnx/reading.h"
#include "onnx/write/export.h"

#include <QDir>
#include <QElapsedTimer>

#include <cmath>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutionBiasIsANode();
    void gemmBecomesDense();
    void constantsBecomeBias();
    void shapesFollowFreeDimensions();
    void demandsOnFreeDimensions();
    void operandsBecomeAttributes();
    void normalizationGivesItsStatistics();
    void unsupportedIsNamed();
    void oneOriginPerNode();
    void whatNoResultNeeds();
    void uniformWeightsAreCheap();
    void freeShapesAreFilled_data();
    void freeShapesAreFilled();
    void writerFoldsBiasBack();
    void writerKeepsUnknownNodes();
    void writerRefusesOldUnknownNodes();
    void writerNamesResults();
    void writerSpellsSwish();
    void writerComputesFreeShapes();
    void shapesOfSlicesRoundTrip();
    void writerRefusesOperatorsOfOurOwn();
    void samplesRoundTrip_data();
    void samplesRoundTrip();
    void sharedModelsOpen_data();
    void sharedModelsOpen();
};

void TestImport::convolutionBiasIsANode() {
    M m;
    m.input("x", {"N", "2", "8", "8"}).weights("w", {4, 2, 3, 3}).weights("b", {4}).output("y");
    auto& conv = m.node("Conv", "x w b", "y", "conv");
    M::setText(conv, "auto_pad", "SAME_UPPER");
    QCOMPARE(ops(m), std::string("conv2d bias"));
    const auto result = read(m.bytes());
    const Node* node = result->graph->findByName("conv.conv2d");
    QVERIFY(node);
    QVERIFY((node->attrs.integers("pads") == Integers{1, 1, 1, 1}));
    const Node* bias = result->graph->findByName("conv");
    QVERIFY(bias && bias->op == "bias");
    QCOMPARE(bias->outputs[0].name, std::string("y"));
    QCOMPARE(bias->outputs[0].type.text(), std::string("f32[N, 4, 8, 8]"));
    QCOMPARE(bias->attrs.integer("axis", 0), 1);
}

void TestImport::gemmBecomesDense() {
    M m;
    m.input("x", {"3", "5"}).weights("w", {5, 7}).weights("b", {7}).output("y");
    auto& gemm = m.node("Gemm", "x w b", "y", "fc");
    QCOMPARE(ops(m), std::string("dense bias"));
    const auto plain = read(m.bytes());
    QVERIFY((plain->graph->findByName("fc.weights")->data->extents() ==
             std::vector<std::int64_t>{7, 5}));
    M::setReal(gemm, "alpha", 0.5f);
    M::setReal(gemm, "beta", 2.0f);
    QCOMPARE(ops(m), std::string("dense mul mul add"));
    M runtime;
    runtime.input("x", {"5", "3"}).input("w", {"5", "7"}).output("y");
    M::set(runtime.node("Gemm", "x w", "y"), "transA", 1);
    QCOMPARE(ops(runtime), std::string("transpose transpose dense"));
    M product;
    product.input("x", {"2", "N", "5"})
        .weights("w", {5, 7})
        .output("y")
        .output("z")
        .input("v", {"2", "5", "N"});
    product.node("MatMul", "x w", "y");
    product.node("MatMul", "x v", "z");
    QCOMPARE(ops(product), std::string("dense batch_matmul"));
}

void TestImport::constantsBecomeBias() {
    const auto added = [](const std::vector<std::int64_t>& dims) {
        M m;
        m.input("x", {"2", "3", "4", "5"}).weights("c", dims).output("y");
        m.node("Add", "c x", "y", "a");
        const auto result = read(m.bytes());
        const Node* node = result->graph->findByName("a");
        return node->op + node->attrs.print();
    };
    QCOMPARE(added({5}), std::string("bias{axis = 3}"));
    QCOMPARE(added({3, 1, 1}), std::string("bias{axis = 1}"));
    QCOMPARE(added({1, 4, 1}), std::string("bias{axis = 2}"));
    QCOMPARE(added({1}), std::string("add"));
    QCOMPARE(added({4, 5}), std::string("add"));
    QCOMPARE(added({1, 2, 1, 1, 1}), std::string("add")); // makes the result larger
}

void TestImport::shapesFollowFreeDimensions() {
    M m;
    m.input("x", {"N", "4", "S"})
        .integers("zero", {0}, true)
        .integers("two", {2}, true)
        .integers("axis", {0})
        .integers("eight", {8});
    m.integers("four", {4}).output("y");
    m.node("Shape", "x", "shape");
    m.node("Gather", "shape zero", "n");
    m.node("Gather", "shape two", "s");
    m.node("Unsqueeze", "n axis", "n1");
    m.node("Unsqueeze", "s axis", "s1");
    m.node("Mul", "s1 four", "s4");
    M::set(m.node("Concat", "n1 s4", "target"), "axis", 0);
    m.node("Reshape", "x target", "y");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(operatorsOf(*result->graph), std::string("reshape"));
    QCOMPARE(result->graph->nodes().back()->outputs[0].type.text(),
             "f32[N, " + (varExpr("S") * Expr(4)).text() + "]");

    M open;
    open.input("x", {"N", "512", "7", "7"}).integers("t", {-1, 25088}).output("y");
    open.node("Reshape", "x t", "y");
    QCOMPARE(read(open.bytes())->graph->nodes().back()->outputs[0].type.text(),
             std::string("f32[N, 25088]"));
}

// Wherever two dimensions meet of which one is free, what is asked of them is kept.
void TestImport::demandsOnFreeDimensions() {
    const auto asked = [](const M& m) {
        const auto result = read(m.bytes());
        if (!result)
            return result.diag().text();
        if (!result->diagnostics.empty())
            return result->diagnostics.front().text();
        std::string out;
        for (const Assumption& assumption : result->graph->assumptions())
            out += (out.empty() ? "" : "; ") + assumption.condition.text();
        return out;
    };
    const auto two = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
        M m;
        m.input("a", a).input("b", b).output("y");
        return m;
    };
    M add = two({"N", "8"}, {"M", "K"});
    add.node("Add", "a b", "y");
    QCOMPARE(asked(add), std::string("M == N || M == 1 || N == 1; K == 8 || K == 1"));
    M same = two({"N", "8"}, {"1", "8"});
    same.node("Add", "a b", "y");
    QCOMPARE(asked(same), std::string());
    M where = two({"N"}, {"M"});
    where.input("c", {"L"}, proto::TensorProto::BOOL);
    where.node("Where", "c a b", "y");
    QCOMPARE(asked(where), std::string("L == N || L == 1 || N == 1; L == M || L == 1 || M == 1; "
                                       "M == N || M == 1 || N == 1"));
    M product = two({"B", "3", "K"}, {"C", "L", "5"});
    product.node("MatMul", "a b", "y");
    QCOMPARE(asked(product), std::string("B == C || B == 1 || C == 1; K == L"));
    M gemm = two({"N", "8"}, {"K", "4"});
    gemm.node("Gemm", "a b", "y");
    QCOMPARE(asked(gemm), std::string("8 == K"));
    M conv = two({"N", "C", "9", "9"}, {"4", "D", "3", "3"});
    conv.node("Conv", "a b", "y");
    QCOMPARE(asked(conv), std::string("C == D"));
    M concat = two({"N", "2"}, {"M", "3"});
    M::set(concat.node("Concat", "a b", "y"), "axis", 1);
    QCOMPARE(asked(concat), std::string("N == M"));
    M reshape = two({"N", "4"}, {"M"});
    reshape.integers("shape", {-1, 3}).output("z");
    reshape.node("Reshape", "a shape", "y");
    reshape.node("Relu", "b", "z");
    QCOMPARE(asked(reshape), std::string("N * 4 == N * 4 / 3 * 3"));
    M squeeze = two({"N", "4"}, {"M"});
    squeeze.integers("axes", {0}).output("z");
    squeeze.node("Squeeze", "a axes", "y");
    squeeze.node("Relu", "b", "z");
    QCOMPARE(asked(squeeze), std::string("N * 4 == 4"));
    M expand = two({"N", "4"}, {"M", "4"});
    expand.node("Shape", "b", "shape");
    expand.node("Expand", "a shape", "y");
    QCOMPARE(asked(expand), std::string("M == N || M == 1 || N == 1"));
    M split = two({"N", "4"}, {"M"});
    split.integers("sizes", {1, 2}).output("q").output("r");
    M::set(split.node("Split", "a sizes", "q r"), "axis", 0);
    split.node("Relu", "b", "y");
    QCOMPARE(asked(split), std::string("N == 3"));
    M norm = two({"N", "C", "4"}, {"D"});
    norm.node("BatchNormalization", "a b b b b", "y");
    QCOMPARE(asked(norm), std::string("C == D"));
}

void TestImport::operandsBecomeAttributes() {
    M m;
    m.input("x", {"2", "6", "4"})
        .output("y")
        .integers("pads", {0, 1, 0, 0, 1, 0})
        .integers("starts", {1})
        .integers("ends", {-1});
    m.integers("axes", {1})
        .integers("sizes", {2, 4})
        .output("b")
        .weights("low", {}, {0})
        .weights("high", {}, {6});
    m.node("Pad", "x pads", "p");
    m.node("Slice", "p starts ends axes", "s");
    m.node("Clip", "s low high", "c");
    M::set(m.node("Split", "c sizes", "a b"), "axis", 1);
    m.node("ReduceSum", "a axes", "y");
    QCOMPARE(ops(m), std::string("pad slice clip split reduce_sum"));
    const auto result = read(m.bytes());
    for (const NodePtr& node : result->graph->nodes())
        QVERIFY(!node->isConstant());
    QCOMPARE(result->graph->type(result->graph->results()[0].value).text(),
             std::string("f32[2, 1, 4]"));
}

void TestImport::normalizationGivesItsStatistics() {
    for (const int axis : {1, 2}) {
        M m(17);
        m.input("x", {"1", "2", "2"})
            .weights("g",
                     axis == 2 ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{2, 2},
                     std::vector<float>(axis == 2 ? 2 : 4, 1));
        m.output("y").output("mean").output("inverse");
        auto& norm = m.node("LayerNormalization", "x g", "y mean inverse", "norm");
        M::set(norm, "axis", axis);
        M::setReal(norm, "epsilon", 0);
        const auto result = read(m.bytes());
        QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
        QVERIFY2(result->diagnostics.empty(),
                 result->diagnostics.empty() ? "" : result->diagnostics[0].text().c_str());
        const TensorData x = dataFromDoubles(DType::F32, {1, 2, 2}, {1, 3, 5, 7});
        const auto back = writtenAndRead(*result->graph);
        QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
        for (const GraphPtr& graph : {result->graph, back->graph}) {
            const auto out = evaluateBound(*graph, {x});
            QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
            QCOMPARE((*out)[0].type().text(), std::string("f32[1, 2, 2]"));
            QCOMPARE((*out)[1].type().text(),
                     std::string(axis == 2 ? "f32[1, 2, 1]" : "f32[1, 1, 1]"));
            QCOMPARE((*out)[2].type().text(), (*out)[1].type().text());
            QCOMPARE((*out)[1].at(0), axis == 2 ? 2.0 : 4.0);
            QVERIFY(std::fabs((*out)[2].at(0) - (axis == 2 ? 1.0 : 1 / std::sqrt(5.0))) < 1e-6);
        }
    }
}

void TestImport::unsupportedIsNamed() {
    M m;
    m.input("x", {"1", "1", "4", "4"})
        .input("w", {"1", "1", "K", "3"})
        .output("y", {"1", "1", "2", "2"});
    m.node("Conv", "x w", "y", "image");
    const auto result = read(m.bytes());
    QVERIFY(result.ok() && result->diagnostics.size() == 1);
    QVERIFY(result->diagnostics[0].code == DiagCode::UnsupportedAttribute);
    QCOMPARE(result->diagnostics[0].where.node, std::string("image"));
    QVERIFY(result->diagnostics[0].message.find("free dimension") != std::string::npos);
    QCOMPARE(operatorsOf(*result->graph), std::string("unknown"));
}

void TestImport::whatNoResultNeeds() {
    M m;
    m.input("x", {"N", "4"}).output("y");
    m.node("Shape", "x", "s", "shape"); // is read, though it leaves no node behind
    m.node("Reshape", "x s", "r", "reshape");
    m.node("Relu", "r", "y", "kept");
    m.node("Exp", "x", "a", "first");
    m.node("Neg", "a", "b", "second");
    const auto result = read(m.bytes());
    QVERIFY((result->unread == std::vector<std::string>{"first", "second"}));
}

void TestImport::oneOriginPerNode() {
    M m;
    m.input("x", {"3", "5"}).weights("w", {5, 7}).weights("b", {7}).output("y");
    M::setReal(m.node("Gemm", "x w b", "y", "fc"), "alpha", 0.5f);
    const auto result = read(m.bytes());
    const NodeId origin = result->graph->findByName("fc")->id;
    for (const NodePtr& node : result->graph->nodes())
        if (node->name.starts_with("fc"))
            QVERIFY2((node->origins == std::vector<NodeId>{origin}), node->name.c_str());
}

void TestImport::uniformWeightsAreCheap() {
    M m(9, 3);
    m.integers("s1", {1000, 2048})
        .integers("s2", {512, 512, 3, 3})
        .integers("s3", {64})
        .output("a")
        .output("b")
        .output("c");
    m.node("ConstantOfShape", "s1", "a");
    m.node("ConstantOfShape", "s2", "b");
    m.node("ConstantOfShape", "s3", "c");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    const auto* b = result->graph->constant(result->graph->results()[1].value);
    const auto* c = result->graph->constant(result->graph->results()[2].value);
    QVERIFY(b && c && b->bytes().data() == c->bytes().data());
    QVERIFY(b->isUniform());
}

void TestImport::freeShapesAreFilled_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QByteArray>("values"); // as raw data; empty: no attribute
    QTest::addColumn<QString>("expected");
    const auto raw = [](auto... values) {
        QByteArray out;
        (out.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
        return out;
    };
    using P = proto::TensorProto;
    QTest::newRow("none") << 0 << QByteArray() << "f32[N, 3] 0";
    QTest::newRow("f32") << int(P::FLOAT) << raw(2.5f) << "f32[N, 3] 2.5";
    QTest::newRow("f64") << int(P::DOUBLE) << raw(-2.5) << "f64[N, 3] -2.5";
    QTest::newRow("i64") << int(P::INT64) << raw(std::int64_t(-7)) << "i64[N, 3] -7";
    QTest::newRow("i32") << int(P::INT32) << raw(std::int32_t(7)) << "i32[N, 3] 7";
    QTest::newRow("u8") << int(P::UINT8) << raw(std::uint8_t(200)) << "u8[N, 3] 200";
    QTest::newRow("bool") << int(P::BOOL) << raw(std::uint8_t(1)) << "bool[N, 3] 1";
    QTest::newRow("two") << int(P::FLOAT) << raw(1.0f, 2.0f) << "OPR02";
}

// The shape is known when the model runs only; the value and its type are known before.
void TestImport::freeShapesAreFilled() {
    QFETCH(int, dtype);
    QFETCH(QByteArray, values);
    QFETCH(QString, expected);
    M m;
    m.input("x", {"N", "3"}).output("y", {}, dtype == 0 ? int(proto::TensorProto::FLOAT) : dtype);
    m.node("Shape", "x", "s");
    auto& node = m.node("ConstantOfShape", "s", "y");
    if (dtype != 0) {
        auto* attribute = node.add_attribute();
        attribute->set_name("value");
        attribute->set_type(proto::AttributeProto::TENSOR);
        auto* tensor = attribute->mutable_t();
        tensor->set_data_type(dtype);
        tensor->add_dims(expected == u"OPR02" ? 2 : 1);
        tensor->set_raw_data(values.toStdString());
    }
    const auto result = read(m.bytes());
    if (expected == u"OPR02") { // the rest of the model opens
        QVERIFY(result.ok());
        QCOMPARE(QString::fromStdString(std::string(codeText(result->diagnostics.at(0).code))),
                 expected);
        return;
    }
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    const Graph& graph = *result->graph;
    const ValueRef y = graph.results()[0].value;
    const OpInst inst = graph.operators()
                            .find(graph.node(y.node).op)
                            ->instantiate(callOf(graph, graph.node(y.node)))
                            .value();
    const Expr& body = inst.stages.at(0).body;
    QCOMPARE(QString::fromStdString(graph.type(y).text()) + QStringLiteral(" ") +
                 QString::number(body.isInt() ? static_cast<double>(body->integer) : body->real),
             expected);
}

void TestImport::writerFoldsBiasBack() {
    M m(17);
    m.input("x", {"N", "2", "8", "8"})
        .weights("w", {4, 2, 3, 3})
        .weights("b", {4})
        .output("y")
        .output("c");
    m.node("Conv", "x w b", "r", "conv");
    m.node("Relu", "r", "y", "act");
    m.node("Conv", "x w", "c", "bare"); // its value is a result, so the bias behind it stays apart
    m.weights("d", {4, 1, 1}).output("z");
    m.node("Add", "c d", "z", "later");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    const auto bytes = exportModel(*result->graph);
    QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(bytes->bytes));
    std::string types;
    for (const auto& node : model.graph().node())
        types += node.op_type() + std::to_string(node.input_size()) + " ";
    QCOMPARE(types, std::string("Conv3 Relu1 Conv2 Add2 "));
    QCOMPARE(model.graph().node(0).name(), std::string("conv"));
    QVERIFY(meaning(*read(bytes->bytes)->graph) == meaning(*result->graph));
}

void TestImport::writerKeepsUnknownNodes() {
    M m;
    m.input("x", {"2"}).output("y", {"7"});
    m.node("Relu", "x", "r");
    auto& odd = m.node("Odd", "r - x", "t y", "odd");
    odd.set_domain("com.example");
    auto* entry = m.model.add_opset_import();
    entry->set_domain("com.example");
    entry->set_version(3);
    M::set(odd, "level", 3);
    M::setReal(odd, "rate", 0.1f);
    M::set(odd, "shape", std::vector<std::int64_t>{1, 2});
    auto* strings = odd.add_attribute();
    strings->set_name("labels");
    strings->set_type(proto::AttributeProto::STRINGS);
    strings->add_strings("a");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    const auto bytes = exportModel(*result->graph);
    QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(bytes->bytes));
    const auto& node = model.graph().node(1);
    QCOMPARE(node.op_type(), std::string("Odd"));
    QCOMPARE(node.domain(), std::string("com.example"));
    QCOMPARE(node.input_size(), 3);
    QCOMPARE(node.output(1), std::string("y"));
    QCOMPARE(node.attribute_size(), 4);
    for (const auto& attribute : node.attribute()) {
        const auto* before =
            std::find_if(odd.attribute().begin(), odd.attribute().end(),
                         [&](const auto& a) { return a.name() == attribute.name(); })
                .
                operator->();
        QVERIFY2(before->SerializeAsString() == attribute.SerializeAsString(),
                 attribute.name().c_str());
    }
    QCOMPARE(model.opset_import(1).version(), 3);
    QVERIFY(meaning(*read(bytes->bytes)->graph) == meaning(*result->graph));
}

void TestImport::writerRefusesOldUnknownNodes() {
    M m(9);
    m.input("x", {"1", "1", "2", "2"}).input("s", {"K"}).output("y", {"1", "1", "4", "4"});
    M::setText(m.node("Upsample", "x s", "y", "up"), "mode", "nearest");
    const auto result = read(m.bytes());
    const auto bytes = exportModel(*result->graph);
    QVERIFY(!bytes.ok() && bytes.diag().code == DiagCode::UnknownOperator);
    QCOMPARE(bytes.diag().where.node, std::string("up"));
}

void TestImport::writerNamesResults() {
    GraphEditor editor(standardOperators());
    const ValueRef x = editor.addInput("x", {DType::F32, fixedShape({2})});
    const auto a = editor.add({"relu", {x}, {}, "first", {"y"}, {}, {}, {}});
    const auto b = editor.add({"neg", {(*a)[0]}, {}, "second", {"t"}, {}, {}, {}});
    editor.addResult("y", (*b)[0]); // another value is called y
    editor.addResult("again", (*b)[0]);
    editor.addResult("same", x);
    const auto graph = editor.finish();
    QVERIFY(graph.ok());
    const auto back = writtenAndRead(**graph);
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    QCOMPARE(operatorsOf(*back->graph), std::string("relu neg identity identity"));
    const TensorData in = dataFromDoubles(DType::F32, {2}, {-1, 3});
    const auto out = evaluateBound(*back->graph, {in});
    QVERIFY(out.ok());
    QVERIFY(((*out)[0].toDoubles() == std::vector<double>{-0.0, -3}));
    QVERIFY((*out)[1] == (*out)[0] && (*out)[2] == in);
}

// An operator since opset 24 only: the writer uses operators that every opset knows.
void TestImport::writerSpellsSwish() {
    for (const float alpha : {1.0f, 1.5f}) {
        M m(24);
        m.input("x", {"5", "3"}).output("y");
        M::setReal(m.node("Swish", "x", "y", "gate"), "alpha", alpha);
        const auto result = read(m.bytes());
        QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
        QCOMPARE(operatorsOf(*result->graph), std::string("swish"));
        const auto written = exportModel(*result->graph);
        QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
        QCOMPARE(operatorsOf(*read(written->bytes)->graph),
                 std::string(alpha == 1 ? "sigmoid mul" : "mul sigmoid mul"));
        const TensorData x = randomData(DType::F32, {5, 3}, 4);
        const TensorData got = evaluateBound(*read(written->bytes)->graph, {x}).value().at(0);
        for (std::size_t i = 0; i < x.count(); ++i)
            QVERIFY(std::abs(got.at(i) - x.at(i) / (1 + std::exp(-double(alpha) * x.at(i)))) <
                    1e-6);
    }
    M old(23);
    old.input("x", {"3"}).output("y");
    old.node("Swish", "x", "y", "gate");
    QVERIFY(ops(old) != "swish");
}

void TestImport::writerComputesFreeShapes() {
    GraphEditor editor(standardOperators());
    const Expr n = varExpr("N");
    const Expr s = varExpr("S");
    const ValueRef x = editor.addInput("x", {DType::F32, {n, 1, s}});
    Attrs attrs;
    attrs.set("shape", Exprs{n, 3, s});
    const auto wide = editor.add({"expand", {x}, attrs, "wide", {}, {}, {}, {}});
    QVERIFY2(wide.ok(), wide.ok() ? "" : wide.diag().text().c_str());
    attrs.set("shape", Exprs{s, n * Expr(3)});
    const auto flat = editor.add({"reshape", {(*wide)[0]}, attrs, "flat", {}, {}, {}, {}});
    QVERIFY2(flat.ok(), flat.ok() ? "" : flat.diag().text().c_str());
    editor.addResult("y", (*flat)[0]);
    const auto graph = editor.finish();
    QVERIFY(graph.ok());
    const auto back = writtenAndRead(**graph);
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    QCOMPARE(operatorsOf(*back->graph), std::string("expand reshape"));
    QVERIFY2(back->graph->type(back->graph->results()[0].value).text() ==
                 (*graph)->type((*graph)->results()[0].value).text(),
             listing(*back->graph).c_str());
}

void TestImport::shapesOfSlicesRoundTrip() {
    GraphEditor editor(standardOperators());
    const Expr n = varExpr("N");
    const ValueRef x = editor.addInput("x", {DType::F32, {n, 1}});
    Attrs attrs;
    for (const auto& [name, value] : {std::pair("starts", 1), std::pair("ends", -1),
                                      std::pair("axes", 0), std::pair("steps", 1)})
        attrs.set(name, Integers{value});
    const auto cut = editor.add({"slice", {x}, std::move(attrs), "cut", {}, {}, {}, {}});
    QVERIFY2(cut.ok(), cut.ok() ? "" : cut.diag().text().c_str());
    attrs = {};
    attrs.set("shape", Exprs{editor.type((*cut)[0]).shape[0], 3}); // holds min and max
    const auto wide = editor.add({"expand", {(*cut)[0]}, attrs, "wide", {}, {}, {}, {}});
    QVERIFY2(wide.ok(), wide.ok() ? "" : wide.diag().text().c_str());
    editor.addResult("y", (*wide)[0]);
    const auto graph = editor.finish();
    QVERIFY(graph.ok());
    const auto back = writtenAndRead(**graph);
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    QCOMPARE(operatorsOf(*back->graph), std::string("slice expand"));
}

void TestImport::writerRefusesOperatorsOfOurOwn() {
    Diags errors;
    const auto set =
        withOperators(*standardOperators(),
                      "op twice \"2 x\" (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }",
                      "user.fw", errors);
    QVERIFY(errors.empty());
    GraphEditor editor(set);
    const ValueRef x = editor.addInput("x", {DType::F32, fixedShape({2})});
    const auto y = editor.add({"twice", {x}, {}, "mine", {}, {}, {}, {}});
    QVERIFY(y.ok());
    editor.addResult("y", (*y)[0]);
    const auto bytes = exportModel(**editor.finish());
    QVERIFY(!bytes.ok() && bytes.diag().code == DiagCode::UnknownOperator);
    QCOMPARE(bytes.diag().where.node, std::string("mine"));
}

void TestImport::samplesRoundTrip_data() {
    QTest::addColumn<QString>("path");
    const QDir samples(QStringLiteral(FW_SOURCE_DIR "/samples"));
    for (const QString& name : samples.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        if (const QString path = samples.filePath(name + QStringLiteral("/model.onnx"));
            QFile::exists(path))
            QTest::newRow(qPrintable(name)) << path;
}

void TestImport::samplesRoundTrip() {
    QFETCH(QString, path);
    const auto result = importModel(path.toStdString(), standardOperators());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QVERIFY2(result->diagnostics.empty(),
             result->diagnostics.empty() ? "" : result->diagnostics.front().text().c_str());
    const auto back = writtenAndRead(*result->graph);
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    // A Resize of several axes comes back as one for each, with places of its own.
    if (path.contains(QStringLiteral("samples/segmentation")))
        return;
    QVERIFY2(meaning(*back->graph) == meaning(*result->inlined),
             listingDifference(*result->inlined, *back->graph).c_str());
}

void TestImport::sharedModelsOpen_data() {
    QTest::addColumn<QString>("path");
    const QDir models(QStringLiteral(FW_SOURCE_DIR "/../shared/models"));
    for (const QString& name : models.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        QTest::newRow(qPrintable(name)) << models.filePath(name + QStringLiteral("/model.onnx"));
    if (models.isEmpty())
        QTest::newRow("absent") << QString();
}

void TestImport::sharedModelsOpen() {
    QFETCH(QString, path);
    if (path.isEmpty())
        return; // nothing to look at, and that is fine
    samplesRoundTrip();
}

FW_TEST(TestImport, QCoreApplication)
#include "test_import.moc"
