// Functions that a model brings along: calls with bodies, which stand in their place when planned.
#include "common/slowdown.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "onnx/graph_tools.h"
#include "onnx/reading.h"
#include "onnx/write/export.h"

#include <ctime>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void functionsAreWrittenOut();
    void functionsTakeAttributesAndBranches();
    void callsAreNodesWithBodies();
    void operandsThatAreKnown();
    void operandsThatAreLeftOut();
    void functionsOfOtherOpsets();
    void functionsStayWithWhatIsNotKnown();
    void missingFunctionsAreNamed();
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
    const auto out = evaluateBound(*result->inlined, {a, b});
    QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
    // first: m = 2 a - b, n = a; second: y = 2 m - n, z = m
    QVERIFY(((*out)[0].toDoubles() == std::vector<double>{-17, -34}));
    QVERIFY(((*out)[1].toDoubles() == std::vector<double>{-8, -16}));
    QVERIFY(result->inlined->findByName("first/Sub_1") != nullptr);
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
    QCOMPARE(operatorsOf(*opened->inlined), std::string("relu unknown"));
    const auto written = exportModel(*opened->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(1).attribute(0).g().node(0).input(0),
             model.graph().node(0).output(0));
}

void TestFunctions::callsAreNodesWithBodies() {
    M m(17);
    m.input("a", {"N", "2"}).output("y");
    auto& inner = function(m, "inner", "x", "y");
    line(inner, "Exp", "x", "y");
    auto& outer = function(m, "outer", "p", "r");
    line(outer, "inner", "p", "q").set_domain("local");
    line(outer, "Neg", "q", "r");
    m.node("outer", "a", "m", "call").set_domain("local");
    m.node("Relu", "m", "y", "last");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(operatorsOf(*result->graph), std::string("call relu"));
    const Node* call = result->graph->findByName("call");
    QVERIFY(call != nullptr);
    QCOMPARE(call->shownOp(), std::string("outer"));
    QCOMPARE(call->attrs.text("domain", {}), std::string("local"));
    const Body& body = call->called();
    QCOMPARE(body.name, std::string("outer"));
    QCOMPARE(operatorsOf(*body.graph), std::string("call neg"));
    QCOMPARE(body.graph->output({body.graph->inputs()[0], 0}).name, std::string("p"));
    QCOMPARE(body.graph->type(body.graph->results()[0].value).text(), std::string("f32[N, 2]"));
    QCOMPARE(body.graph->results()[0].name, std::string("r"));
    QCOMPARE(operatorsOf(*result->inlined), std::string("exp neg relu"));
    for (const char* name : {"call/inner_0/Exp_0", "call/Neg_1"}) {
        const Node* made = result->inlined->findByName(name);
        QVERIFY2(made != nullptr, listing(*result->inlined).c_str());
        QCOMPARE(made->origins, std::vector<NodeId>{call->id});
    }
    QCOMPARE(result->info.operators.at("local.outer"), std::int64_t(1));
}

// What an operand is, constants and arithmetic of shapes, is known inside, and comes out again.
void TestFunctions::operandsThatAreKnown() {
    M m(17);
    m.input("a", {"N", "6"}).output("y").output("z");
    auto& split = function(m, "fold", "xs", "yt");
    line(split, "Reshape", "xs", "y");
    line(split, "Add", "ss", "t");
    m.integers("two", {2}).integers("three", {3});
    m.node("Shape", "a", "whole");
    m.node("Slice", "whole zero one", "rows");
    m.integers("zero", {0}).integers("one", {1});
    m.node("Concat", "rows two three", "shape");
    M::set(*m.graph().mutable_node(2), "axis", 0);
    m.node("fold", "a shape", "y double", "call").set_domain("local");
    m.node("Slice", "double one two", "middle");
    m.node("Expand", "three middle", "z"); // a constant: its extent is known, 2 + 2
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QVERIFY2(result->diagnostics.empty(),
             result->diagnostics.empty() ? "" : result->diagnostics.front().text().c_str());
    QVERIFY2(operatorsOf(*result->inlined) == "reshape", listing(*result->inlined).c_str());
    QCOMPARE(result->graph->type(result->graph->results()[0].value).text(),
             std::string("f32[N, 2, 3]"));
    QCOMPARE(result->graph->type(result->graph->results()[1].value).text(), std::string("i64[4]"));
    const Node* call = result->graph->findByName("call");
    QVERIFY(call != nullptr);
    QCOMPARE(operatorsOf(*call->called().graph), std::string("reshape add"));
}

void TestFunctions::operandsThatAreLeftOut() {
    M m(17);
    m.input("a", {"4"}).weights("low", {}, {-1}).output("y").output("z");
    auto& bounded = function(m, "bounded", "xlh", "yd");
    line(bounded, "Clip", "xlh", "y");
    line(bounded, "Neg", "x", "d");
    m.node("bounded", "a low", "y -", "short").set_domain("local");
    m.node("bounded", "a - low", "- z", "hole").set_domain("local");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QCOMPARE(operatorsOf(*result->inlined), std::string("clip neg"));
    QCOMPARE(result->graph->findByName("hole")->called().graph->results().size(), std::size_t(1));
}

// Each function is read in its own opset.
void TestFunctions::functionsOfOtherOpsets() {
    M m(13);
    m.input("a", {"2", "3", "4"}).output("y", {"2", "3", "4"});
    auto& old = function(m, "old", "x", "y");
    old.mutable_opset_import(0)->set_version(11);
    line(old, "Softmax", "x", "y"); // of the last axis only since opset 13
    m.node("old", "a", "y", "call").set_domain("local");
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    QVERIFY(result->diagnostics.empty());
    const TensorData a = dataFromDoubles(DType::F32, {2, 3, 4}, std::vector<double>(24, 1));
    const auto written = writtenAndRead(*result->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    for (const GraphPtr& graph : {result->inlined, written->graph}) {
        const auto out = evaluateBound(*graph, {a});
        QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
        QCOMPARE((*out)[0].at(0), static_cast<double>(1.0F / 12)); // over two axes
    }
}

// What cannot be read is written as it was, with the functions that it needs.
void TestFunctions::functionsStayWithWhatIsNotKnown() {
    M m(17);
    m.input("a", {"2"}).input("c", {}, proto::TensorProto::BOOL).output("y", {"2"});
    line(function(m, "inner", "x", "y"), "Exp", "x", "y");
    line(function(m, "f", "x", "y"), "inner", "x", "y").set_domain("local");
    line(function(m, "unused", "x", "y"), "Neg", "x", "y");
    auto* entry = m.model.add_opset_import();
    entry->set_domain("local");
    entry->set_version(3);
    auto& choose = m.node("If", "c", "y", "choose");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto* attribute = choose.add_attribute();
        attribute->set_name(name);
        attribute->set_type(proto::AttributeProto::GRAPH);
        auto* inner = attribute->mutable_g()->add_node();
        inner->set_op_type("f");
        inner->set_domain("local");
        inner->add_input("a");
        inner->add_output(std::string(name) + "_r");
        attribute->mutable_g()->add_output()->set_name(std::string(name) + "_r");
    }
    const auto result = read(m.bytes());
    QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
    const Node* node = result->graph->findByName("choose");
    QVERIFY(node != nullptr);
    QCOMPARE(operatorsOf(*node->bodies.at(0).graph), std::string("call"));
    const auto written = exportModel(*result->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.functions_size(), 2);
    QVERIFY(
        std::any_of(model.opset_import().begin(), model.opset_import().end(),
                    [](const auto& one) { return one.domain() == "local" && one.version() == 3; }));
    const auto again = read(written->bytes);
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    QCOMPARE(again->graph->findByName("choose")->bodies.size(), std::size_t(2));
    for (std::size_t i = 0; i < 2; ++i)
        QCOMPARE(QString::fromStdString(
                     printGraph(*again->graph->findByName("choose")->bodies[i].graph)),
                 QString::fromStdString(printGraph(*node->bodies[i].graph)));
}

void TestFunctions::missingFunctionsAreNamed() {
    M m(17);
    m.input("a", {"2"}).output("y", {"2"});
    line(function(m, "f", "x", "y"), "Exp", "x", "y");
    m.node("g", "a", "y", "call").set_domain("local");
    const auto missing = read(m.bytes());
    QVERIFY2(missing.ok(), missing.ok() ? "" : missing.diag().text().c_str());
    QVERIFY2(missing->diagnostics.at(0).text().find("node call: error OPR01: the operator local.g "
                                                    "is not known: the model has functions") !=
                 std::string::npos,
             missing->diagnostics.at(0).text().c_str());
    M twice(17);
    twice.input("a", {"2"}).output("y", {"2"});
    line(function(twice, "f", "x", "y"), "Exp", "x", "y");
    line(function(twice, "f", "x", "y"), "Neg", "x", "y");
    twice.node("f", "a", "y", "call").set_domain("local");
    const auto ambiguous = read(twice.bytes());
    QVERIFY2(ambiguous.ok(), ambiguous.ok() ? "" : ambiguous.diag().text().c_str());
    QVERIFY(ambiguous->diagnostics.at(0).message.find(
                "two functions of the model are named local.f") != std::string::npos);
    const auto written = exportModel(*ambiguous->graph); // as it was
    proto::ModelProto model;
    QVERIFY(written.ok() && model.ParseFromString(written->bytes));
    QCOMPARE(model.functions_size(), 2);
}

void TestFunctions::badFunctionsAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("recursion") << "recursion"
                               << "the function local.f calls itself: local.f -> local.f";
    QTest::newRow("mutual recursion") << "mutual"
                                      << "the function local.f calls itself: local.f -> local.g -> "
                                         "local.f";
    QTest::newRow("recursion in a branch") << "branch"
                                           << "the function local.f calls itself";
    QTest::newRow("attribute") << "attribute"
                               << "the function local.f has no attribute 'alpha'";
    QTest::newRow("result") << "result"
                            << "the output 'y' is not computed by any node";
    QTest::newRow("operand") << "undefined"
                             << "operand 'k' is not defined anywhere";
    QTest::newRow("shapes") << "shapes"
                            << "";
    QTest::newRow("operands") << "operands"
                              << "has 1 operands and 1 results";
    QTest::newRow("explosion") << "explosion"
                               << "with its bodies and functions written out";
    QTest::newRow("empty explosion") << "empty"
                                     << "with its bodies and functions written out";
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
    } else if (what == u"mutual") {
        line(function(m, "f", "x", "y"), "g", "x", "y").set_domain("local");
        line(function(m, "g", "x", "y"), "f", "x", "y").set_domain("local");
    } else if (what == u"branch") {
        auto& choice = line(function(m, "f", "x", "y"), "If", "x", "y");
        auto* body = choice.add_attribute();
        body->set_name("then_branch");
        body->set_type(proto::AttributeProto::GRAPH);
        auto* again = body->mutable_g()->add_node();
        again->set_op_type("f");
        again->set_domain("local");
    } else if (what == u"result") {
        line(function(m, "f", "x", "y"), "Relu", "x", "k");
    } else if (what == u"undefined") {
        line(function(m, "f", "x", "y"), "Relu", "k", "y");
    } else if (what == u"shapes") {
        m.weights("w", {3});
        line(function(m, "f", "xw", "y"), "Add", "xw", "y");
    } else if (what == u"operands" || what == u"attribute") {
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
    auto& call = m.node("f",
                        what == u"operands" ? "a a"
                        : what == u"shapes" ? "a w"
                                            : "a",
                        "y", "call");
    call.set_domain("local");
    if (what == u"attribute")
        M::setReal(call, "alpha", 1);
    const std::clock_t begin = std::clock(); // of this process alone
    const auto result = read(m.bytes());
    QVERIFY(!result.ok());
    QVERIFY2(result.diag().message.find(message.toStdString()) != std::string::npos,
             result.diag().text().c_str());
    QVERIFY2(result.diag().where.node.starts_with("call"), result.diag().text().c_str());
    QVERIFY(std::clock() - begin < 20 * slowdown * CLOCKS_PER_SEC);
}

FW_TEST(TestFunctions, QCoreApplication)
#include "test_functions.moc"
