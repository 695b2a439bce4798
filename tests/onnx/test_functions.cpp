// Functions that a model brings along are written out where they are called.
#include "common/slowdown.h"
#include "onnx/export.h"
#include "onnx/graph_tools.h"
#include "onnx/reading.h"

#include <QtTest>

#include <ctime>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void functionsAreWrittenOut();
    void functionsTakeAttributesAndBranches();
    void functionsOfOtherOpsetsStay();
    void badFunctionsAreRefused_data();
    void badFunctionsAreRefused();
};

namespace {

proto::FunctionProto& function(M& m, const std::string& name, const std::string& inputs,
                               const std::string& outputs) {
    auto& out = *m.model.add_functions();
    out.set_domain("local");
    out.set_name(name);
    for (const char c : inputs)
        out.add_input(std::string(1, c));
    for (const char c : outputs)
        out.add_output(std::string(1, c));
    auto* entry = out.add_opset_import();
    entry->set_domain("");
    entry->set_version(m.model.opset_import(0).version());
    return out;
}

proto::NodeProto& line(proto::FunctionProto& function, const std::string& type,
                       const std::string& inputs, const std::string& output) {
    auto& out = *function.add_node();
    out.set_op_type(type);
    for (const char c : inputs)
        out.add_input(std::string(1, c));
    out.add_output(output);
    return out;
}

} // namespace

void TestFunctions::functionsAreWrittenOut() {
    M m(17);
    m.input("a", {"2"}).input("b", {"2"}).output("y").output("z");
    auto& twice = function(m, "twice", "x", "y");
    line(twice, "Add", "xx", "y");
    auto& both = function(m, "both", "pq", "st"); // calls the other one; one result is an operand
    line(both, "twice", "p", "u").set_domain("local");
    line(both, "Sub", "uq", "s");
    both.set_output(1, "p");
    m.node("both", "a b", "m n", "first").set_domain("local");
    m.node("both", "m n", "y z", "second").set_domain("local");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QVERIFY2(result->diagnostics.empty(),
             result->diagnostics.empty() ? "" : result->diagnostics.front().text().c_str());
    const TensorData a = dataFromDoubles(DType::F32, {2}, {1, 2});
    const TensorData b = dataFromDoubles(DType::F32, {2}, {10, 20});
    const auto out = evaluateGraph(*result->graph, {a, b});
    QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
    // first: m = 2 a - b, n = a; second: y = 2 m - n, z = m
    QVERIFY(((*out)[0].toDoubles() == std::vector<double>{-17, -34}));
    QVERIFY(((*out)[1].toDoubles() == std::vector<double>{-8, -16}));
    QVERIFY(result->graph->findByName("first/Sub") != nullptr);
    const auto written = exportModel(*result->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.functions_size(), 0);
}

void TestFunctions::functionsTakeAttributesAndBranches() {
    M m(17);
    m.input("a", {"2", "3"}).output("y").output("z");
    auto& sum = function(m, "sum", "x", "y");
    auto& reduce = line(sum, "ReduceMax", "x", "y");
    for (const char* name : {"keepdims", "axes"}) {
        auto* reference = reduce.add_attribute();
        reference->set_name(name);
        reference->set_ref_attr_name(name);
        reference->set_type(name[0] == 'k' ? proto::AttributeProto::INT
                                           : proto::AttributeProto::INTS);
    }
    auto& call = m.node("sum", "a", "y", "flat");
    call.set_domain("local");
    M::set(call, "keepdims", 0);
    M::set(call, "axes", std::vector<std::int64_t>{1});
    m.node("sum", "a", "z", "all").set_domain("local"); // both attributes left to their defaults
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(result->graph->type(result->graph->results()[0].value).text(), std::string("f32[2]"));
    QCOMPARE(result->graph->type(result->graph->results()[1].value).text(),
             std::string("f32[1, 1]"));
    // A branch inside a body reads values of the body.
    M branched(17);
    branched.input("a", {"2"}).input("c", {}, proto::TensorProto::BOOL).output("y", {"2"});
    auto& choose = function(branched, "choose", "xc", "y");
    line(choose, "Relu", "x", "r");
    auto& branch = line(choose, "If", "c", "y");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto* attribute = branch.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::GRAPH);
        auto* inner = attribute->mutable_g()->add_node();
        inner->set_op_type("Neg");
        inner->add_input("r");
        inner->add_output("k");
        attribute->mutable_g()->add_output()->set_name("k");
    }
    branched.node("choose", "a c", "y", "call").set_domain("local");
    const auto opened = read(branched.bytes());
    QVERIFY2(opened.ok(), opened.ok() ? "" : opened.diag().text().c_str());
    QCOMPARE(operatorsOf(*opened->graph), std::string("relu unknown"));
    const auto written = exportModel(*opened->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(1).attribute(0).g().node(0).input(0),
             model.graph().node(0).output(0));
}

void TestFunctions::functionsOfOtherOpsetsStay() {
    M m(13);
    m.input("a", {"2"}).output("y", {"2"});
    auto& old = function(m, "old", "x", "y");
    old.mutable_opset_import(0)->set_version(11);
    line(old, "Softmax", "x", "y"); // of the last axis only since opset 13
    m.node("old", "a", "y", "call").set_domain("local");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(operatorsOf(*result->graph), std::string("unknown"));
    QVERIFY2(result->diagnostics.at(0).message.find("Softmax of opset 11 means something else") !=
                 std::string::npos,
             result->diagnostics.at(0).text().c_str());
    const auto written = exportModel(*result->graph); // the function would be missing
    QVERIFY(!written.ok() && written.diag().code == DiagCode::UnknownOperator);
}

void TestFunctions::badFunctionsAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("recursion") << "recursion"
                               << "the function local.f calls itself";
    QTest::newRow("operands") << "operands"
                              << "has 1 operands and 1 results";
    QTest::newRow("explosion") << "explosion"
                               << "with its functions written out";
    QTest::newRow("empty explosion") << "empty"
                                     << "with its functions written out";
    QTest::newRow("depth") << "depth"
                           << "levels deep";
}

void TestFunctions::badFunctionsAreRefused() {
    QFETCH(QString, what);
    QFETCH(QString, message);
    M m(17);
    m.input("a", {"2"}).output("y");
    if (what == u"recursion") {
        line(function(m, "f", "x", "y"), "f", "x", "y").set_domain("local");
    } else if (what == u"operands") {
        line(function(m, "f", "x", "y"), "Relu", "x", "y");
    } else {
        const int levels = what == u"depth" ? 1000 : 60;
        for (int i = 0; i < levels; ++i) {
            auto& level = function(m, i == 0 ? "f" : "f" + std::to_string(i), "x", "y");
            const std::string next = "f" + std::to_string(i + 1);
            if (i + 1 < levels) {
                line(level, next, "x", what == u"depth" ? "y" : "t").set_domain("local");
                if (what != u"depth")
                    line(level, next, "t", "y").set_domain("local");
            } else if (what != u"empty") {
                line(level, "Relu", "x", "y");
            }
        }
    }
    m.node("f", what == u"operands" ? "a a" : "a", "y", "call").set_domain("local");
    const std::clock_t begin = std::clock(); // of this process alone
    const auto result = read(m.bytes());
    QVERIFY(!result.ok());
    QVERIFY2(result.diag().message.find(message.toStdString()) != std::string::npos,
             result.diag().text().c_str());
    QVERIFY(std::clock() - begin < 20 * slowdown * CLOCKS_PER_SEC);
}

QTEST_GUILESS_MAIN(TestFunctions)
#include "test_functions.moc"
