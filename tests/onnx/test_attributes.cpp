// What a node says beyond its operands is honoured, or refused by name; shape arithmetic included.
#include "common/test.h"
#include "onnx/reading.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestAttributes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attributesAreHonouredOrRefused_data();
    void attributesAreHonouredOrRefused();
    void attributesContradict_data();
    void attributesContradict();
    void flagsAreZeroOrOne_data();
    void flagsAreZeroOrOne();
    void whatIsOfAnotherOpsetIsWarnedOf();
    void shapeArithmeticKeepsItsType();
    void constantsAreHandedOn();
};

void TestAttributes::attributesAreHonouredOrRefused_data() {
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("operands");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<QString>("text");    // of the value; empty: it is the integer 1
    QTest::addColumn<QString>("refusal"); // part of it; empty: none
    const auto row = [](const char* name, int opset, const char* type, const char* operands,
                        const char* attribute, const char* text, const char* refusal) {
        QTest::newRow(name) << opset << type << operands << attribute << text << refusal;
    };
    row("misspelt", 13, "Softmax", "x", "axes", "", "opset 13 has no attribute 'axes'");
    row("none at all", 13, "Relu", "x", "alpha", "", "opset 13 has no attribute 'alpha'");
    row("of an older opset", 13, "Reshape", "x s", "shape", "",
        "opset 13 has no attribute 'shape'");
    row("of a newer opset", 13, "Reshape", "x s", "allowzero", "", "");
    row("approximation", 20, "Gelu", "x", "approximate", "tanh", "");
    row("another approximation", 20, "Gelu", "x", "approximate", "sigmoid",
        "the attribute 'approximate' is \"sigmoid\", and only \"none\" and \"tanh\" are supported "
        "(export the model with approximate = \"none\" or \"tanh\")");
    row("the usual approximation", 20, "Gelu", "x", "approximate", "none", "");
    row("mode", 19, "Pad", "x s", "mode", "wrap", "");
    row("of training", 13, "Dropout", "x", "seed", "", "");
    row("of other element types", 19, "Cast", "x", "saturate", "", "element type");
    row("of opset 1", 5, "Relu", "x", "consumed_inputs", "", "");
    row("resampling", 18, "Resize", "x - - s", "antialias", "", "");
}

void TestAttributes::attributesAreHonouredOrRefused() {
    QFETCH(int, opset);
    QFETCH(QString, type);
    QFETCH(QString, operands);
    QFETCH(QString, attribute);
    QFETCH(QString, text);
    QFETCH(QString, refusal);
    M m(opset);
    m.input("x", {"2", "2"})
        .integers("s", type == u"Pad" ? std::vector<std::int64_t>{0, 0, 0, 0}
                                      : std::vector<std::int64_t>{2, 2});
    m.output("y", {"2", "2"});
    auto& node = m.node(type.toStdString(), operands.toStdString(), "y", "asked");
    if (type == u"Cast")
        M::set(node, "to", 19);
    if (text.isEmpty())
        M::set(node, attribute.toStdString(), 1);
    else
        M::setText(node, attribute.toStdString(), text.toStdString());
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    std::string said;
    for (const Diag& diag : result->diagnostics)
        if (diag.severity == Severity::Error)
            said += diag.text();
    QVERIFY2(refusal.isEmpty() ? said.empty()
                               : said.find(refusal.toStdString()) != std::string::npos,
             said.c_str());
}

void TestAttributes::attributesContradict_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("twice") << "twice"
                           << "attribute 'axis' is given twice";
    QTest::newRow("no name") << "nameless"
                             << "an attribute has no name";
    QTest::newRow("of a function") << "reference"
                                   << "refers to one of a function";
    QTest::newRow("kind") << "kind"
                          << "attribute 'axis' is not an integer";
    QTest::newRow("kind in shape arithmetic") << "shape"
                                              << "attribute 'start' is not an integer";
    QTest::newRow("no kind, another field") << "field"
                                            << "attribute 'axis' is not an integer";
    QTest::newRow("parts") << "parts"
                           << "num_outputs 3 does not fit 2 outputs";
    QTest::newRow("no axis") << "concat"
                             << "has no attribute 'axis'";
    QTest::newRow("bound") << "bound"
                           << "least is f32[4, 4], which does not fit T[]";
    QTest::newRow("neither sizes nor parts") << "sizes"
                                             << "has neither sizes nor num_outputs";
    QTest::newRow("constant") << "constant"
                              << "attribute 'value_float' is not a number";
}

void TestAttributes::attributesContradict() {
    QFETCH(QString, what);
    QFETCH(QString, message);
    M m(what == u"parts" || what == u"sizes" ? 18 : 15);
    m.input("x", {"4", "4"}).output("y");
    if (what == u"parts") {
        M::set(m.node("Split", "x", "y z"), "num_outputs", 3);
    } else if (what == u"sizes") {
        m.node("Split", "x", "y z");
    } else if (what == u"concat") {
        m.node("Concat", "x x", "y");
    } else if (what == u"bound") {
        m.node("Clip", "x x", "y");
    } else if (what == u"shape") {
        M::setReal(m.node("Shape", "x", "y"), "start", 1);
    } else if (what == u"constant") {
        M::set(m.node("Constant", "", "y"), "value_float", 1);
    } else {
        auto& node = m.node("Softmax", "x", "y");
        if (what == u"kind")
            M::setReal(node, "axis", 1);
        else
            M::set(node, "axis", 1);
        if (what == u"twice")
            M::set(node, "axis", 0);
        if (what == u"nameless")
            M::set(node, "", 0);
        if (what == u"reference")
            node.mutable_attribute(0)->set_ref_attr_name("axis");
        if (what == u"field") {
            node.mutable_attribute(0)->Clear();
            node.mutable_attribute(0)->set_name("axis");
            node.mutable_attribute(0)->set_f(1);
        }
    }
    const auto result = read(m.bytes());
    QVERIFY(!result.ok());
    const DiagCode code = what == u"bound" ? DiagCode::ShapeMismatch : DiagCode::OnnxMalformed;
    QVERIFY2(result.diag().code == code, result.diag().text().c_str());
    QVERIFY2(result.diag().message.find(message.toStdString()) != std::string::npos,
             result.diag().text().c_str());
}

void TestAttributes::flagsAreZeroOrOne_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<int>("value");
    QTest::newRow("1") << "ReduceMax"
                       << "keepdims" << 1;
    QTest::newRow("0") << "ReduceMax"
                       << "keepdims" << 0;
    QTest::newRow("2") << "ReduceMax"
                       << "keepdims" << 2;
    QTest::newRow("-1") << "ReduceSum"
                        << "keepdims" << -1;
}

void TestAttributes::flagsAreZeroOrOne() {
    QFETCH(QString, type);
    QFETCH(QString, attribute);
    QFETCH(int, value);
    M m(17);
    m.input("x", {"2", "3"}).output("y");
    M::set(m.node(type.toStdString(), "x", "y"), attribute.toStdString(), value);
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(hasErrors(result->diagnostics), value != 0 && value != 1);
    if (!result->diagnostics.empty())
        QVERIFY(result->diagnostics.front().message.find("neither 0 nor 1") != std::string::npos);
}

void TestAttributes::whatIsOfAnotherOpsetIsWarnedOf() {
    M m(18); // the axes are an operand now; what is meant is clear
    m.input("x", {"2", "3"}).output("y");
    M::set(m.node("ReduceMean", "x", "y", "mean"), "axes", std::vector<std::int64_t>{1});
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(operatorsOf(*result->graph), std::string("reduce_mean"));
    QCOMPARE(result->diagnostics.size(), std::size_t(1));
    const Diag& warning = result->diagnostics.front();
    QVERIFY(warning.severity == Severity::Warning);
    QCOMPARE(warning.where.node, std::string("mean"));
    QVERIFY2(warning.message.find("ReduceMean of opset 18 has no attribute 'axes'") !=
                 std::string::npos,
             warning.text().c_str());
}

void TestAttributes::shapeArithmeticKeepsItsType() {
    // What an int32 does not hold wraps; sums of two types are refused; a product over no axes is
    // none.
    const auto build = [](int wide) {
        M m(18);
        m.input("x", {"2"}, proto::TensorProto::INT32).output("y", {}, proto::TensorProto::INT32);
        for (const char* name : {"a", "b"}) {
            auto* tensor = m.graph().add_initializer();
            tensor->set_name(name);
            tensor->set_data_type(name[0] == 'b' ? wide : proto::TensorProto::INT32);
            tensor->add_dims(1);
            if (tensor->data_type() == proto::TensorProto::INT32)
                tensor->add_int32_data(2147483647);
            else
                tensor->add_int64_data(2147483647);
        }
        m.node("Add", "a b", "s");
        m.node("Add", "x s", "y");
        return m;
    };
    const auto wrapped = read(build(proto::TensorProto::INT32).bytes());
    QVERIFY(wrapped.ok());
    QCOMPARE(ops(build(proto::TensorProto::INT32)), std::string("add"));
    const Node* sum = wrapped->graph->findByName("s");
    QVERIFY(sum != nullptr && sum->isConstant());
    QCOMPARE(sum->data->toIntegers(), std::vector<std::int64_t>{-2});
    const auto mixed = read(build(proto::TensorProto::INT64).bytes());
    QVERIFY(!mixed.ok() || hasErrors(mixed->diagnostics));
    M m(18);
    m.input("x", {"2", "3"}).output("y", {}, proto::TensorProto::INT64);
    m.node("Shape", "x", "s");
    M::set(m.node("ReduceProd", "s", "p"), "noop_with_empty_axes", 1);
    m.node("Identity", "p", "y");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(result->graph->type(result->graph->results()[0].value).shape.size(), std::size_t(1));
}

// A Cast to the type that its operand has is that operand, which an operator has already taken into
// the graph.
void TestAttributes::constantsAreHandedOn() {
    M m(18);
    m.input("x", {"N"}, proto::TensorProto::INT64).output("y", {}, proto::TensorProto::INT64);
    m.integers("c", {3});
    m.node("Add", "x c", "s");
    M::set(m.node("Cast", "c", "d"), "to", std::int64_t{proto::TensorProto::INT64});
    m.node("Add", "s d", "y");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(ops(m), std::string("add add"));
}

FW_TEST(TestAttributes, QCoreApplication)
#include "test_attributes.moc"
