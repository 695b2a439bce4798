// Clauses of the library that name attributes otherwise or limit them: read, written, refused.
#include "common/test.h"
#include "onnx/clause_models.h"
#include "onnx/reading.h"
#include "onnx/write/export.h"

#include <limits>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestShippedClauses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readAndWritten_data();
    void readAndWritten();
    void refused_data();
    void refused();
    void boundsThatAreNoNumbers();
    void undefinedIsNoElementType();
    void newerOperators();
    void modesOfGridSample();
    void newerRefused_data();
    void newerRefused();
};

// Names and values that differ between a node of the standard and the operator, both ways.
void TestShippedClauses::readAndWritten_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("expected");   // operator and attributes
    QTest::addColumn<QString>("attributes"); // of the node written
    QTest::newRow("BatchNormalization") << "BatchNormalization" << 15 << "batch_norm {eps = 0.25}"
                                        << "epsilon";
    QTest::newRow("BatchNormalization of opset 7")
        << "BatchNormalization" << 7 << "batch_norm {eps = 0.25}"
        << "epsilon";
    QTest::newRow("LRN") << "LRN" << 13 << "lrn {alpha = 1e-04, beta = 0.75, bias = 2.0, size = 3}"
                         << "size alpha beta bias";
    QTest::newRow("Relu") << "Relu" << 7 << "relu "
                          << "";
}

void TestShippedClauses::readAndWritten() {
    QFETCH(QString, type);
    QFETCH(int, opset);
    QFETCH(QString, expected);
    QFETCH(QString, attributes);
    M m(opset);
    m.input("x", {"N", "2", "3"}).input("c", {"2"}).output("y");
    const bool isNorm = type == u"BatchNormalization";
    auto& node = m.node(type.toStdString(), isNorm ? "x c c c c" : "x", "y", "n");
    if (isNorm) {
        M::setReal(node, "epsilon", 0.25f);
        M::setReal(node, "momentum", 0.5f);
        M::set(node, opset < 9 ? "spatial" : "training_mode", opset < 9 ? 1 : 0);
    } else if (type == u"LRN") {
        M::set(node, "size", 3);
        M::setReal(node, "bias", 2);
    }
    const auto read = importModelBytes(m.bytes(), standardOperators());
    QVERIFY2(problemOf(read).empty(), problemOf(read).c_str());
    const Node* found = read->graph->findByName("n");
    QVERIFY(found != nullptr);
    QCOMPARE(QString::fromStdString(found->op + " " + found->attrs.print()), expected);
    const auto written = exportModel(*read->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    QCOMPARE(written->opset, 17);
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(0).op_type(), type.toStdString());
    std::string names;
    for (const auto& attribute : model.graph().node(0).attribute())
        names += (names.empty() ? "" : " ") + attribute.name();
    QCOMPARE(names, attributes.toStdString());
    const auto again = importModelBytes(written->bytes, standardOperators());
    QVERIFY2(problemOf(again).empty(), problemOf(again).c_str());
    QVERIFY(again->graph->findByName("n")->attrs == found->attrs);
}

void TestShippedClauses::refused_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<qlonglong>("value");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* type, const char* attribute, qlonglong value,
                        const char* reason) {
        QTest::addRow("%s %s %lld", type, attribute, value) << type << attribute << value << reason;
    };
    row("BatchNormalization", "training_mode", 1,
        "the attribute 'training_mode' is 1, and only 0 is supported; training mode is not");
    row("BatchNormalization", "spatial", 0,
        "the attribute 'spatial' is 0, and only 1 is supported");
    row("LRN", "size", 0, "size");
    row("LRN", "size", qlonglong(1) << 40, "size");
    row("LRN", "", 0, "has no attribute 'size'");
}

void TestShippedClauses::refused() {
    QFETCH(QString, type);
    QFETCH(QString, attribute);
    QFETCH(qlonglong, value);
    QFETCH(QString, reason);
    M m(15);
    m.input("x", {"N", "2", "3"}).input("c", {"2"}).output("y", {"N", "2", "3"});
    auto& node = m.node(type.toStdString(), type == u"LRN" ? "x" : "x c c c c", "y", "n");
    if (!attribute.isEmpty())
        M::set(node, attribute.toStdString(), value);
    const std::string said = problemOf(importModelBytes(m.bytes(), standardOperators()));
    QVERIFY2(said.find(reason.toStdString()) != std::string::npos, said.c_str());
}

namespace {

// A node over inputs x, u, ... of these types ("i32 2 3"), then vectors of integers.
struct Given {
    std::string type;
    int opset;
    std::vector<std::string> inputs;
    std::vector<std::vector<std::int64_t>> integers;
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    std::string mode;
    bool isScalar = false; // the last vector of integers is a number
};

M modelOf(const Given& given) {
    static const std::map<std::string, int> codes{{"f32", 1}, {"u8", 2},   {"i8", 3},
                                                  {"u16", 4}, {"i16", 5},  {"i32", 6},
                                                  {"i64", 7}, {"f64", 11}, {"u32", 12}};
    const bool isPreview = given.type == "FlexAttention";
    M m(given.opset);
    std::string operands;
    for (std::size_t i = 0; i < given.inputs.size(); ++i) {
        const QStringList words = QString::fromStdString(given.inputs[i]).split(u' ');
        std::vector<std::string> dims;
        for (const QString& word : words.mid(1))
            dims.push_back(word.toStdString());
        const std::string name(1, "xuvwb"[i]);
        m.input(name, dims, codes.at(words[0].toStdString()));
        operands += (operands.empty() ? "" : " ") + name;
    }
    for (std::size_t i = 0; i < given.integers.size(); ++i) {
        const std::string name = "k" + std::to_string(i);
        m.integers(name, given.integers[i], given.isScalar && i + 1 == given.integers.size());
        operands += " " + name;
    }
    m.output("y");
    auto& node = m.node(given.type, operands, "y", "n");
    for (const auto& [name, value] : given.numbers)
        M::set(node, name, value);
    if (!given.mode.empty())
        M::setText(node, "mode", given.mode);
    if (isPreview) {
        node.set_domain("ai.onnx.preview");
        auto* entry = m.model.add_opset_import();
        entry->set_domain("ai.onnx.preview");
        entry->set_version(1);
    }
    return m;
}

} // namespace

namespace {

const std::vector<std::pair<Given, std::string>>& newer() {
    static const std::vector<std::pair<Given, std::string>> all = {
        {{"BitwiseAnd", 18, {"i32 2 3", "i32 3"}, {}, {}, {}}, "bitwise_and  i32[2, 3]"},
        {{"BitwiseOr", 18, {"i8 2 3", "i8 3"}, {}, {}, {}}, "bitwise_or  i8[2, 3]"},
        {{"BitwiseXor", 18, {"i64 2", "i64 1"}, {}, {}, {}}, "bitwise_xor  i64[2]"},
        {{"BitwiseNot", 18, {"u32 2"}, {}, {}, {}}, "bitwise_not  u32[2]"},
        {{"BitCast", 26, {"f32 2"}, {}, {{"to", 6}}, {}}, "bit_cast {to = i32} i32[2]"},
        {{"SwiGLU", 28, {"f32 2", "f32 2"}, {}, {}, {}}, "swiglu {alpha = 1.0} f32[2]"},
        {{"LpNormalization", 17, {"f32 2 3"}, {}, {{"axis", 0}, {"p", 1}}, {}},
         "lp_normalization {axis = 0, p = 1} f32[2, 3]"},
        {{"CumProd", 26, {"f64 2 3"}, {{-2}}, {{"reverse", 1}}, {}, true},
         "cumprod {axis = 0, exclusive = 0, reverse = 1} f64[2, 3]"},
        {{"TensorScatter", 24, {"f32 2 4 3", "f32 2 1 3", "i64 2"}, {}, {}, {}},
         "tensor_scatter {axis = 1, circular = 0} f32[2, 4, 3]"},
        {{"TensorScatter", 24, {"f32 2 4 3", "f32 2 1 3", "i64 2"}, {}, {}, "circular"},
         "tensor_scatter {axis = 1, circular = 1} f32[2, 4, 3]"},
        {{"CenterCropPad", 18, {"f32 4 5"}, {{3, 7}}, {}, {}},
         "center_crop_pad {axes = [0, 1], shape = [3, 7]} f32[3, 7]"},
        {{"Col2Im", 18, {"f32 1 5 5"}, {{5, 5}, {1, 5}}, {}, {}},
         "col2im {block = [1, 5], dilations = [1, 1], image = [5, 5], pads = [0, 0, 0, 0], strides "
         "= "
         "[1, 1]} f32[1, 1, 5, 5]"},
        {{"Col2Im", 18, {"f32 1 2 3"}, {{4}, {2}}, {}, {}},
         "col2im_row {block = [2], dilations = [1], image = [4], pads = [0, 0], strides = [1]} "
         "f32[1, 1, 4]"},
        {{"AffineGrid", 20, {"f32 2 2 3"}, {{2, 3, 4, 5}}, {{"align_corners", 1}}, {}},
         "affine_grid {align = 1, size = [2, 3, 4, 5]} f32[2, 4, 5, 2]"},
        {{"AffineGrid", 20, {"f32 2 3 4"}, {{2, 3, 4, 5, 6}}, {}, {}},
         "affine_grid_volume {align = 0, size = [2, 3, 4, 5, 6]} f32[2, 4, 5, 6, 3]"},
        {{"DeformConv", 19, {"f32 1 2 4 4", "f32 2 2 2 2", "f32 1 8 3 3"}, {}, {}, {}},
         "deform_conv2d {dilations = [1, 1], groups = 1, offset_groups = 1, pads = [0, 0, 0, 0], "
         "strides = [1, 1]} f32[1, 2, 3, 3]"},
        {{"GridSample", 20, {"f32 1 2 3 4 5", "f32 1 2 2 2 3"}, {}, {}, "nearest"},
         "grid_sample_volume {align = 0, padding = 0, taps = 1} f32[1, 2, 2, 2, 2]"},
        {{"FlexAttention", 23, {"f32 1 4 2 8", "f32 1 2 3 8", "f32 1 2 3 5"}, {}, {}, {}},
         "flex_attention  f32[1, 4, 2, 5]"},
        {{"Mod", 13, {"i32 2", "i32 2"}, {}, {{"fmod", 1}}, {}}, "rem  i32[2]"},
        {{"Mod", 13, {"i32 2", "i32 2"}, {}, {}, {}}, "mod  i32[2]"},
        {{"Mod", 13, {"f32 2", "f32 2"}, {}, {{"fmod", 1}}, {}}, "fmod  f32[2]"},
        {{"Gather", 13, {"f32 2 3", "i64 4"}, {}, {{"axis", -1}}, {}},
         "gather {axis = 1} f32[2, 4]"},
        {{"TopK", 11, {"f32 5 2"}, {{3}}, {{"axis", -2}, {"sorted", 0}}, {}},
         "top_k {axis = 0, count = [3], largest = 1} f32[3, 2]"},
        {{"GatherElements", 13, {"f32 2 3", "i64 1 3"}, {}, {{"axis", -1}}, {}},
         "gather_elements {axis = 1} f32[1, 3]"},
        {{"GatherND", 13, {"f32 2 3", "i64 4 1"}, {}, {}, {}},
         "gather_nd {batch_dims = 0} f32[4, 3]"},
        {{"ScatterElements", 13, {"f32 2 3", "i64 1 3", "f32 1 3"}, {}, {}, {}},
         "scatter {axis = 0} f32[2, 3]"},
        {{"ScatterND", 13, {"f32 2 3", "i64 4 1", "f32 4 3"}, {}, {}, {}},
         "scatter_nd {reduction = \"none\"} f32[2, 3]"},
        {{"Trilu", 14, {"f32 2 3"}, {{-1}}, {{"upper", 0}}, {}, true},
         "trilu {upper = 0} f32[2, 3]"},
        {{"EyeLike", 9, {"i32 2 3"}, {}, {{"k", 1}}, {}}, "eye {k = 1} i32[2, 3]"},
        {{"EyeLike", 9, {"i32 2 3"}, {}, {{"dtype", 1}}, {}}, "eye {k = 0, to = f32} f32[2, 3]"},
        {{"HannWindow", 17, {}, {{5}}, {{"periodic", 0}}, {}, true},
         "cosine_window {a = 0.5, b = 0.5, c = 0.0, periodic = 0, size = [5], to = f32} f32[5]"},
        {{"BlackmanWindow", 17, {}, {{5}}, {{"output_datatype", 11}}, {}, true},
         "cosine_window {a = 0.42, b = 0.5, c = 0.08, periodic = 1, size = [5], to = f64} f64[5]"},
        {{"Det", 11, {"f32 2 3 3"}, {}, {}, {}}, "det  f32[2]"},
        {{"Shape", 15, {"f32 3 N 4"}, {}, {{"start", 1}, {"end", -1}}, {}},
         "shape {end = -1, start = 1} i64[1]"},
    };
    return all;
}

} // namespace

// Operators that are a text and its clause alone, read and written and read again.
void TestShippedClauses::newerOperators() {
    for (const auto& [given, expected] : newer()) {
        const std::string what = given.type + ": ";
        const auto read = importModelBytes(modelOf(given).bytes(), standardOperators());
        QVERIFY2(read.ok(), read ? "" : (what + read.diag().text()).c_str());
        const Node* found = read->graph->findByName("n");
        QVERIFY2(found != nullptr && !found->isUnknown(), (what + problemOf(read)).c_str());
        QCOMPARE(QString::fromStdString(found->op + " " + found->attrs.print() + " " +
                                        found->outputs[0].type.text()),
                 QString::fromStdString(expected));
        const auto written = exportModel(*read->graph);
        QVERIFY2(written.ok(), written ? "" : (what + written.diag().text()).c_str());
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(written->bytes));
        QCOMPARE(model.graph().node(model.graph().node_size() - 1).op_type(), given.type);
        const auto again = importModelBytes(written->bytes, standardOperators());
        QVERIFY2(again.ok(), again ? "" : (what + again.diag().text()).c_str());
        const Node* second = again->graph->findByName("n");
        QVERIFY(second != nullptr && second->op == found->op && second->attrs == found->attrs);
    }
}

// The words for the same places changed in opset 20.
void TestShippedClauses::modesOfGridSample() {
    for (const auto& [opset, mode, taps] : {std::tuple(16, "bilinear", 2),
                                            {16, "bicubic", 4},
                                            {16, "nearest", 1},
                                            {20, "linear", 2},
                                            {20, "cubic", 4}}) {
        const auto read = importModelBytes(
            modelOf({"GridSample", opset, {"f32 1 2 3 4", "f32 1 2 2 2"}, {}, {}, mode}).bytes(),
            standardOperators());
        QVERIFY2(problemOf(read).empty(), problemOf(read).c_str());
        const Node* found = read->graph->findByName("n");
        QCOMPARE(found->op, std::string("grid_sample"));
        QCOMPARE(found->attrs.integer("taps", 0), std::int64_t(taps));
    }
}

// Min(max, Max(input, min)) of the standard is NaN then: the bound stays an operand, which hands it
// on, and an attribute that says it is refused.
void TestShippedClauses::boundsThatAreNoNumbers() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const bool isNaN : {false, true}) {
        M m(13);
        m.input("x", {"4"}).weights("low", {}, {isNaN ? nan : -1.0f}).output("y");
        m.node("Clip", "x low", "y", "n");
        const auto read = importModelBytes(m.bytes(), standardOperators());
        QVERIFY2(problemOf(read).empty(), problemOf(read).c_str());
        const std::string made = operatorsOf(*read->graph);
        QVERIFY2(made.starts_with(isNaN ? "max" : "clip"), made.c_str());
        M old(6);
        old.input("x", {"4"}).output("y");
        M::setReal(old.node("Clip", "x", "y", "n"), "min", isNaN ? nan : -1.0f);
        const std::string said = problemOf(importModelBytes(old.bytes(), standardOperators()));
        QCOMPARE(said.find("min <= max") != std::string::npos, isNaN);
    }
}

// output_dtype = 0 says nothing, so it contradicts no zero point.
void TestShippedClauses::undefinedIsNoElementType() {
    for (const char* zero : {"u8", "i8", "u16", "i16"}) {
        const M m =
            modelOf({"QuantizeLinear", 21, {"f32 2", "f32", zero}, {}, {{"output_dtype", 0}}, {}});
        const auto read = importModelBytes(m.bytes(), standardOperators());
        QVERIFY2(problemOf(read).empty(), problemOf(read).c_str());
        QCOMPARE(read->graph->type(read->graph->results()[0].value).text(),
                 std::string(zero) + "[2]");
    }
}

void TestShippedClauses::newerRefused_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("reason");
    QTest::newRow("mode") << 0 << "the attribute 'mode' is \"odd\", which is none of";
    QTest::newRow("axis") << 1 << "axis 2 is outside a tensor of rank 2";
    QTest::newRow("type")
        << 2 << "BitwiseNot: 'x' is f32[2]; T in {i8, u8, i16, u16, i32, u32, i64, u64} must hold";
    QTest::newRow("remainder") << 3 << "mod";
    QTest::newRow("direction") << 5 << "BitShift: the attribute 'direction' is missing";
    QTest::newRow("places") << 6 << "all(B <= Q) must hold";
    QTest::newRow("two types") << 7
                               << "the attribute 'output_dtype' is i8, and operand 3, 'v', is "
                                  "u32[]: they must be the same";
    QTest::newRow("graphs") << 4 << "the attribute 'score_mod' is not supported";
}

void TestShippedClauses::newerRefused() {
    QFETCH(int, which);
    QFETCH(QString, reason);
    const Given cases[] = {
        {"TensorScatter", 24, {"f32 2 4 3", "f32 2 1 3"}, {}, {}, "odd"},
        {"CumProd", 26, {"f32 2 3"}, {{2}}, {}, {}, true},
        {"BitwiseNot", 18, {"f32 2"}, {}, {}, {}},
        {"Mod", 13, {"f32 2", "f32 2"}, {}, {}, {}},
        {"FlexAttention", 23, {"f32 1 4 2 8", "f32 1 4 3 8", "f32 1 4 3 5"}, {}, {}, {}},
        {"BitShift", 11, {"u32 2", "u32 2"}, {}, {}, {}},
        {"GatherElements", 13, {"f32 2 3", "i64 2 4"}, {}, {}, {}},
        {"QuantizeLinear", 21, {"f32 2", "f32", "u32"}, {}, {{"output_dtype", 3}}, {}},
    };
    M m = modelOf(cases[which]);
    if (which == 4) {
        auto* attribute = m.graph().mutable_node(0)->add_attribute();
        attribute->set_name("score_mod");
        attribute->set_type(proto::AttributeProto::GRAPH);
        proto::GraphProto& scores = *attribute->mutable_g();
        scores.set_name("scores");
        M::declare(*scores.add_input(), "a", {"1", "4", "2", "3"});
        M::declare(*scores.add_output(), "b", {"1", "4", "2", "3"});
        auto& same = *scores.add_node();
        same.set_op_type("Identity");
        same.add_input("a");
        same.add_output("b");
    }
    const std::string said = problemOf(importModelBytes(m.bytes(), standardOperators()));
    QVERIFY2(said.find(reason.toStdString()) != std::string::npos, said.c_str());
}

FW_TEST(TestShippedClauses, QCoreApplication)
#include "test_shipped_clauses.moc"
