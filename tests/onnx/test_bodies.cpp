// Bodies of If, Loop and Scan: graphs inside the node that holds them, written as they were read.
#include "common/slowdown.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "onnx/graph_tools.h"
#include "onnx/reading.h"

#include <ctime>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestBodies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void branchesAreGraphs();
    void loopsTakeWhatTheirOperatorSays();
    void bodiesLieInBodies();
    void knownValuesReachBodies();
    void whatCannotBeShownIsSaid();
    void valuesWithoutATypeAreNamed();
    void whatIsNoBodyIsNamed_data();
    void whatIsNoBodyIsNamed();
    void badBodiesAreRefused_data();
    void badBodiesAreRefused();
    void constantConditionsTakeTheirBranch_data();
    void constantConditionsTakeTheirBranch();
    void whatIsNeverTakenMayBeWrong();
    void resultsOfUnknownTypeAreNotHeldAgainstAnother();
    void nestedTroubleTakesNoTime();
    void bodiesSurviveAFile();
};

namespace {

using Proto = proto::GraphProto;

Proto& body(proto::NodeProto& node, const std::string& name) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::GRAPH);
    attribute->mutable_g()->set_name(name + "_graph");
    return *attribute->mutable_g();
}

proto::NodeProto& line(Proto& graph, const std::string& type,
                       const std::vector<std::string>& inputs, const std::string& output,
                       const std::string& name = {}) {
    auto& out = *graph.add_node();
    out.set_op_type(type);
    out.set_name(name);
    for (const std::string& input : inputs)
        out.add_input(input);
    out.add_output(output);
    return out;
}

void result(Proto& graph, const std::string& name) {
    graph.add_output()->set_name(name);
}

// y = c ? relu(h) : h + k, h = exp(x)
M branches() {
    M m(17);
    m.input("c", {}, proto::TensorProto::BOOL).input("x", {"N", "2"}).output("z");
    m.node("Exp", "x", "h");
    auto& choose = m.node("If", "c", "y", "choose");
    Proto& then = body(choose, "then_branch");
    line(then, "Relu", {"h"}, "a");
    result(then, "a");
    Proto& other = body(choose, "else_branch");
    M::declare(*other.add_value_info(), "k", {"2"});
    auto* k = other.add_initializer();
    k->set_name("k");
    k->set_data_type(proto::TensorProto::FLOAT);
    k->add_dims(2);
    k->add_float_data(1);
    k->add_float_data(2);
    line(other, "Add", {"h", "k"}, "b");
    result(other, "b");
    m.node("Neg", "y", "z");
    return m;
}

M loop(const std::vector<std::string>& carried) {
    M m(17);
    m.input("n", {}, proto::TensorProto::INT64).input("x", {"2", "2"}).output("y", {"2", "2"});
    m.input("b", {"2"}).weights("w", {2, 2});
    auto& node = m.node("Loop", "n - x", "y", "turn");
    Proto& inner = body(node, "body");
    for (const char* name : {"i", "on"})
        inner.add_input()->set_name(name);
    if (carried.empty())
        inner.add_input()->set_name("s");
    else
        M::declare(*inner.add_input(), "s", carried);
    line(inner, "Identity", {"on"}, "still");
    line(inner, "Gemm", {"s", "w", "b"}, "d", "product"); // of a weight, transposed
    line(inner, "Add", {"d", "x"}, "p", "sum");
    result(inner, "still");
    result(inner, "p");
    return m;
}

const Body& bodyOf(const Graph& graph, const std::string& node, const std::string& name) {
    const Node* found = graph.findByName(node);
    for (std::size_t i = 0; found != nullptr && i < found->bodies.size(); ++i)
        if (found->bodies[i].name == name)
            return found->bodies[i];
    throw InternalError(node + " has no body " + name);
}

std::string typeOf(const Graph& graph, const std::string& name) {
    const Node* node = graph.findByName(name);
    return node == nullptr ? "nothing" : node->outputs.at(0).type.text();
}

} // namespace

void TestBodies::branchesAreGraphs() {
    const auto read = test::read(branches().bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    // What stands behind it has a type, and is known.
    QCOMPARE(operatorsOf(*read->graph), std::string("exp unknown neg"));
    QCOMPARE(read->diagnostics.size(), std::size_t(1));
    QCOMPARE(read->diagnostics[0].code, DiagCode::NotRunnable);
    QCOMPARE(read->diagnostics[0].where.node, std::string("choose"));
    QVERIFY(read->diagnostics[0].message.find("If runs graphs of its own") == 0);
    QCOMPARE(read->inlined.get(), read->graph.get());
    const Node* choose = read->graph->findByName("choose");
    QVERIFY(choose != nullptr);
    QCOMPARE(choose->bodies.size(), std::size_t(2));
    const Body& other = bodyOf(*read->graph, "choose", "else_branch");
    QCOMPARE(other.graph->name(), std::string("else_branch_graph"));
    QCOMPARE(operatorsOf(*other.graph), std::string("bias"));
    QCOMPARE(other.operands, std::vector<int>{1}); // h, behind the condition
    QCOMPARE(typeOf(*other.graph, "h"), std::string("f32[N, 2]"));
    QCOMPARE(other.graph->results()[0].name, std::string("b"));
    QCOMPARE(typeOf(*read->graph, "choose"), std::string("f32[N, 2]"));
}

void TestBodies::loopsTakeWhatTheirOperatorSays() {
    const auto read = test::read(loop({"2", "2"}).bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    const Body& body = bodyOf(*read->graph, "turn", "body");
    QCOMPARE(body.operands,
             (std::vector<int>{-1, -1, -1, 3, 5})); // b and x; w became another weight
    QCOMPARE(typeOf(*body.graph, "i"), std::string("i64[]"));
    QCOMPARE(typeOf(*body.graph, "on"), std::string("bool[]"));
    QCOMPARE(operatorsOf(*body.graph), std::string("identity dense bias add"));
    // What it carries has the shape of its first value, if it is the same after a round.
    const auto kept = test::read(loop({}).bytes());
    QVERIFY2(kept.ok(), kept.ok() ? "" : kept.diag().text().c_str());
    QCOMPARE(operatorsOf(*bodyOf(*kept->graph, "turn", "body").graph),
             std::string("identity dense bias add"));
    // Otherwise only its element type is known.
    M growing = loop({});
    Proto& inner = *growing.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
    M::set(line(inner, "Concat", {"p", "s"}, "t", "longer"), "axis", 0);
    inner.mutable_output(1)->set_name("t");
    growing.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    const auto loose = test::read(growing.bytes());
    QVERIFY2(loose.ok(), loose.ok() ? "" : loose.diag().text().c_str());
    const Body& open = bodyOf(*loose->graph, "turn", "body");
    QCOMPARE(operatorsOf(*open.graph), std::string("identity unknown unknown unknown"));
    QVERIFY(typeOf(*open.graph, "s").starts_with("f32["));
    QCOMPARE(loose->diagnostics.size(), std::size_t(4));
    QCOMPARE(loose->diagnostics[1].where.node, std::string("turn/body/product"));
    QCOMPARE(loose->diagnostics[1].severity, Severity::Warning);
}

void TestBodies::bodiesLieInBodies() {
    M m = loop({"2", "2"});
    Proto& inner = *m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
    auto& choose = line(inner, "If", {"on"}, "q", "choose");
    for (const char* name : {"then_branch", "else_branch"}) {
        Proto& branch = body(choose, name);
        line(branch, "Add", {"p", "x"}, std::string("r_") + name); // of both graphs around it
        result(branch, std::string("r_") + name);
    }
    inner.mutable_output(1)->set_name("q");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    const Body& outer = bodyOf(*read->graph, "turn", "body");
    QCOMPARE(QString::fromStdString(operatorsOf(*outer.graph)),
             QStringLiteral("identity dense bias add unknown"));
    const Body& branch = bodyOf(*outer.graph, "choose", "then_branch");
    QCOMPARE(operatorsOf(*branch.graph), std::string("add"));
    QCOMPARE(branch.graph->inputs().size(), std::size_t(2));
    QCOMPARE(read->diagnostics.size(), std::size_t(2));
    QCOMPARE(read->diagnostics[1].where.node, std::string("turn/body/choose"));
}

void TestBodies::knownValuesReachBodies() {
    M m(13);
    m.input("c", {}, proto::TensorProto::BOOL).input("x", {"N", "6"}).output("y");
    m.integers("zero", {0}).integers("rest", {2, 3});
    m.node("Shape", "x", "all");
    m.node("Gather", "all zero", "rows");
    auto& choose = m.node("If", "c", "y", "choose");
    for (const char* name : {"then_branch", "else_branch"}) {
        Proto& branch = body(choose, name);
        M::set(line(branch, "Concat", {"rows", "rest"}, "s"), "axis", 0);
        line(branch, "Reshape", {"x", "s"}, "r");
        result(branch, "r");
    }
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    const Node* node = read->graph->findByName("choose");
    QCOMPARE(operatorsOf(*node->bodies.at(0).graph), std::string("reshape"));
    QCOMPARE(node->bodies[0].graph->inputs().size(), std::size_t(1));
    QCOMPARE(typeOf(*read->graph, "choose"), std::string("f32[N, 2, 3]"));
}

void TestBodies::whatCannotBeShownIsSaid() {
    M m = loop({"2", "2"});
    Proto& inner = *m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
    inner.mutable_node(1)->set_input(1, "wide");
    auto& weight = *inner.add_initializer();
    weight.set_name("wide");
    weight.set_data_type(proto::TensorProto::FLOAT);
    weight.add_dims(3);
    weight.add_dims(2);
    weight.set_raw_data(std::string(24, '\0'));
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    QCOMPARE(read->graph->findByName("turn")->bodies.size(), std::size_t(0));
    QCOMPARE(read->diagnostics.size(), std::size_t(2));
    QCOMPARE(read->diagnostics[1].where.node, std::string("turn/body/product"));
    QVERIFY2(read->diagnostics[1].message.find(
                 "its body body is not shown: Gemm: 's' is f32[2, 2]") == 0,
             read->diagnostics[1].text().c_str());
    QVERIFY(exportModel(*read->graph).ok()); // it is kept all the same
}

// Within a body the value that nothing is known of is told by its name, not the operator that reads
// it as if that were not known.
void TestBodies::valuesWithoutATypeAreNamed() {
    const auto saidOf = [](const M& m) {
        std::map<std::string, std::string> out;
        const auto read = test::read(m.bytes());
        if (!read)
            return std::map<std::string, std::string>{{"refused", read.diag().text()}};
        for (const Diag& diag : read->diagnostics)
            out[diag.where.node] = diag.message + (diag.hint.empty() ? "" : " (" + diag.hint + ")");
        return out;
    };
    M choice(17);
    auto* domain = choice.model.add_opset_import();
    domain->set_domain("own");
    domain->set_version(1);
    choice.input("c", {}, proto::TensorProto::BOOL).input("x", {"2", "3"}).output("y");
    choice.node("Twist", "x", "t", "twist").set_domain("own");
    auto& choose = choice.node("If", "c", "y", "choose");
    Proto& yes = body(choose, "then_branch");
    line(yes, "Shape", {"t"}, "s", "sizes");
    line(yes, "Size", {"s"}, "a", "count");
    result(yes, "a");
    Proto& no = body(choose, "else_branch");
    line(no, "Identity", {"t"}, "b", "same");
    result(no, "b");
    const auto said = saidOf(choice);
    QCOMPARE(QString::fromStdString(said.at("choose/then_branch/sizes")),
             QStringLiteral("Shape reads t, an input of the body whose type is not known"));
    QCOMPARE(
        QString::fromStdString(said.at("choose/then_branch/count")),
        QStringLiteral("Size reads a value of unknown type: nothing infers the type of s: Shape "
                       "(sizes) reads t, an input of the body whose type is not known"));
    QCOMPARE(QString::fromStdString(said.at("choose/else_branch/same")),
             QStringLiteral("Identity reads t, an input of the body whose type is not known"));

    M repeated(17);
    repeated.input("n", {}, proto::TensorProto::INT64).input("x", {"2", "3"}).output("y");
    auto& turn = repeated.node("Loop", "n - x", "y all", "turn");
    Proto& inner = body(turn, "body");
    M::declare(*inner.add_input(), "i", {}, proto::TensorProto::INT64);
    M::declare(*inner.add_input(), "go", {}, proto::TensorProto::BOOL);
    M::declare(*inner.add_input(), "v", {});
    inner.mutable_input(2)->mutable_type()->mutable_tensor_type()->clear_shape();
    line(inner, "Identity", {"go"}, "on");
    line(inner, "Concat", {"v", "v"}, "w", "longer").add_attribute()->CopyFrom([] {
        proto::AttributeProto axis;
        axis.set_name("axis");
        axis.set_type(proto::AttributeProto::INT);
        return axis;
    }());
    line(inner, "Shape", {"w"}, "s", "sizes");
    for (const char* name : {"on", "w", "s"})
        result(inner, name);
    const auto told = saidOf(repeated);
    QCOMPARE(QString::fromStdString(told.at("turn/body/longer")),
             QStringLiteral("Concat reads v, an input of the body whose type is not known"));
    QVERIFY2(
        told.at("turn/body/sizes")
            .ends_with("Concat (longer) reads v, an input of the body whose type is not known"),
        told.at("turn/body/sizes").c_str());
}

// What an operator that runs graphs has not, or has as something else.
void TestBodies::whatIsNoBodyIsNamed_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("no branch") << "none"
                               << "node choose: error OPR02: If of opset 17 needs the attribute "
                                  "'else_branch'";
    QTest::newRow("a number") << "number"
                              << "node choose: error OPR02: attribute 'else_branch' of If is not a "
                                 "graph";
    QTest::newRow("no body") << "loop"
                             << "node turn: error OPR02: Loop of opset 17 needs the attribute "
                                "'body'";
}

void TestBodies::whatIsNoBodyIsNamed() {
    QFETCH(QString, what);
    QFETCH(QString, message);
    M m = what == u"loop" ? loop({"2", "2"}) : branches();
    proto::NodeProto& node = *m.graph().mutable_node(what == u"loop" ? 0 : 1);
    node.mutable_attribute()->RemoveLast();
    if (what == u"number")
        M::set(node, "else_branch", 3);
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    QVERIFY(!read->diagnostics.empty());
    const std::string said = read->diagnostics.front().text();
    QVERIFY2(said.find(message.toStdString()) != std::string::npos, said.c_str());
}

void TestBodies::badBodiesAreRefused_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("operand") << "operand"
                             << "node turn/body/product: error ONX02: operand 'nowhere' is not "
                                "defined anywhere";
    QTest::newRow("twice") << "twice"
                           << "'p' is defined twice";
    QTest::newRow("result") << "result"
                            << "node turn: error ONX02: its body: the output 'nothing' is not "
                               "computed";
    QTest::newRow("no result") << "no result"
                               << "node turn: error ONX02: its body: the graph has no outputs";
    QTest::newRow("more operands") << "operands"
                                   << "node turn: error ONX02: Loop: its body takes 3 values, and "
                                      "it is given 4";
    QTest::newRow("cycle") << "cycle"
                           << "the graph has a cycle";
    QTest::newRow("name of a value outside")
        << "shadow"
        << "node turn/body/hide: error ONX02: 'b' is defined twice: outside of the body by an "
           "input, and in it by node hide, which depends on 'b' (a name stands for one value: "
           "rename the one inside and its readers)";
    QTest::newRow("branch results") << "branch"
                                    << "node choose: error ONX02: has 1 results, its then_branch "
                                       "has 2";
}

void TestBodies::badBodiesAreRefused() {
    QFETCH(QString, what);
    QFETCH(QString, message);
    M m = loop({"2", "2"});
    Proto& inner = *m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
    if (what == u"operand")
        inner.mutable_node(1)->set_input(1, "nowhere");
    else if (what == u"twice")
        line(inner, "Neg", {"s"}, "p");
    else if (what == u"result")
        inner.mutable_output(1)->set_name("nothing");
    else if (what == u"no result")
        inner.clear_output();
    else if (what == u"operands")
        m.graph().mutable_node(0)->add_input("b");
    else if (what == u"cycle")
        inner.mutable_node(1)->set_input(0, "p");
    else if (what == u"shadow")
        line(inner, "Neg", {"p"}, "b", "hide");
    if (what == u"branch") {
        m = branches();
        m.graph().mutable_input()->DeleteSubrange(0, 1);
        auto* c = m.graph().add_initializer();
        c->set_name("c");
        c->set_data_type(proto::TensorProto::BOOL);
        c->add_int32_data(1);
        result(*m.graph().mutable_node(1)->mutable_attribute(0)->mutable_g(), "a");
    }
    const auto read = test::read(m.bytes());
    QVERIFY(!read.ok());
    QVERIFY2(read.diag().text().find(message.toStdString()) != std::string::npos,
             read.diag().text().c_str());
}

void TestBodies::constantConditionsTakeTheirBranch_data() {
    QTest::addColumn<bool>("condition");
    QTest::addColumn<QString>("operators");
    QTest::newRow("then") << true << "exp relu neg";
    QTest::newRow("else") << false << "exp bias neg";
}

void TestBodies::constantConditionsTakeTheirBranch() {
    QFETCH(bool, condition);
    QFETCH(QString, operators);
    M m = branches();
    m.graph().mutable_input()->DeleteSubrange(0, 1);
    auto* c = m.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(proto::TensorProto::BOOL);
    c->add_int32_data(condition ? 1 : 0);
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    QVERIFY(read->diagnostics.empty());
    QCOMPARE(operatorsOf(*read->graph), std::string("exp call neg"));
    QCOMPARE(operatorsOf(*read->inlined), operators.toStdString());
    const Node* call = read->graph->findByName("choose");
    QCOMPARE(call->shownOp(), std::string("If"));
    QCOMPARE(call->bodies.size(), std::size_t(2)); // the other one is shown, too
    QVERIFY(std::any_of(read->decisions.begin(), read->decisions.end(), [](const auto& one) {
        return one.subject == "choose" && one.evidence.find("always taken") != std::string::npos;
    }));
    const auto written = writtenAndRead(*read->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    QCOMPARE(operatorsOf(*written->graph), operators.toStdString());
}

// The other branch is for models of other sizes.
void TestBodies::whatIsNeverTakenMayBeWrong() {
    M m = branches();
    m.graph().mutable_input()->DeleteSubrange(0, 1);
    auto* c = m.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(proto::TensorProto::BOOL);
    c->add_int32_data(0);
    Proto& never = *m.graph().mutable_node(1)->mutable_attribute(0)->mutable_g();
    QCOMPARE(never.node_size() > 0, true);
    never.mutable_node(0)->set_input(0, "nowhere");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    QCOMPARE(operatorsOf(*read->inlined), std::string("exp bias neg"));
    QCOMPARE(read->diagnostics.size(), std::size_t{1});
    const std::string said = read->diagnostics[0].text();
    QVERIFY2(said.find("its body then_branch is not shown: operand 'nowhere'") != std::string::npos,
             said.c_str());
    c->set_int32_data(0, 1);
    QVERIFY(!test::read(m.bytes()).ok());
}

// What the model declares stands where nothing says the type of the branch.
void TestBodies::resultsOfUnknownTypeAreNotHeldAgainstAnother() {
    M m(13);
    m.input("x", {"2"}).output("y", {"2", "3"});
    auto* c = m.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(proto::TensorProto::BOOL);
    c->add_int32_data(1);
    auto& choose = line(m.graph(), "If", {"c"}, "y", "choose");
    Proto& taken = body(choose, "then_branch");
    line(taken, "Odd", {"x"}, "q", "odd");
    result(taken, "q");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
    for (const Diag& diag : read->diagnostics)
        QVERIFY2(diag.message.find("declares") == std::string::npos, diag.text().c_str());
}

// What cannot be read deep inside is tried once, not twice at every level.
void TestBodies::nestedTroubleTakesNoTime() {
    constexpr int levels = 24;
    M m(13);
    m.output("y0", {"2"});
    auto* c = m.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(proto::TensorProto::BOOL);
    c->add_int32_data(1);
    Proto* at = &m.graph();
    for (int i = 0; i < levels; ++i) {
        auto& choose = line(*at, "If", {"c"}, "y" + std::to_string(i));
        at = &body(choose, "then_branch");
        result(*at, "y" + std::to_string(i + 1));
    }
    auto* tensor = line(*at, "Odd", {}, "y" + std::to_string(levels)).add_attribute();
    tensor->set_name("value");
    tensor->set_type(proto::AttributeProto::TENSOR);
    tensor->mutable_t()->set_data_type(proto::TensorProto::FLOAT);
    tensor->mutable_t()->set_data_location(proto::TensorProto::EXTERNAL);
    const std::clock_t begin = std::clock();
    const auto read = test::read(m.bytes());
    QVERIFY(!read.ok());
    QVERIFY(std::clock() - begin < slowdown * CLOCKS_PER_SEC);
}

void TestBodies::bodiesSurviveAFile() {
    for (const M& m : {branches(), loop({"2", "2"}), loop({})}) {
        const auto read = test::read(m.bytes());
        QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
        const auto again = writtenAndRead(*read->graph);
        QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
        QCOMPARE(QString::fromStdString(printGraph(*again->graph)),
                 QString::fromStdString(printGraph(*read->graph)));
        QCOMPARE(again->graph->hash().hex(), read->graph->hash().hex());
        const auto text = parseGraph(printGraph(*read->graph), standardOperators(),
                                     {.constants = constantsOf(*read->graph)});
        QVERIFY2(text.ok(), text.ok() ? "" : text.diag().text().c_str());
        QCOMPARE((*text)->hash().hex(), read->graph->hash().hex());
    }
}

FW_TEST(TestBodies, QCoreApplication)
#include "test_bodies.moc"
