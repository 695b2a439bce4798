// Graphs inside nodes as the commands tell of them: listed, shown one by one, planned where they
// stand for their calls, and a clear word where they cannot run.
#include "asked.h"

#include "base/files.h"
#include "common/test.h"
#include "onnx/model_builder.h"

#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestBodies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void infoListsThem();
    void eachIsAGraph();
    void allStandInOneGraph();
    void fusedOnesKnowWhereTheyCameFrom();
    void edgesAreClassed();
    void callsArePlannedAsTheirBodies();
    void matchesSeeInside();
    void valuesOfCallsHaveNames();
    void whatCannotRunSaysSoPerNode();
    void whatATakenBranchHoldsIsToldOnce_data();
    void whatATakenBranchHoldsIsToldOnce();
    void unknownBodiesAreNamed();
    void whatIsTooMuchIsLeftOut();
};

namespace {

const std::string controlFlow = "control-flow/branches_and_loops.onnx";

const NodeRecord& nodeOf(const GraphDocument& graph, const std::string& name) {
    for (const NodeRecord& node : graph.nodes)
        if (node.name == name)
            return node;
    throw std::runtime_error("no node " + name);
}

std::string names(const std::vector<TensorRecord>& tensors) {
    std::string out;
    for (const TensorRecord& tensor : tensors)
        out += (out.empty() ? "" : " ") + tensor.name;
    return out;
}

} // namespace

void TestBodies::infoListsThem() {
    Asked a;
    const InfoDocument info = a.get<InfoDocument>("info", on(controlFlow));
    QVERIFY(!info.runnable);
    QCOMPARE(info.nodes, std::int64_t(4));
    QCOMPARE(info.bodies.size(), std::size_t(4));
    QCOMPARE(info.bodies[0].path, std::string("Loop_turned/body"));
    QCOMPARE(names(info.bodies[0].inputs), std::string("i going state"));
    QCOMPARE(names(info.bodies[0].captured), std::string("limit"));
    QCOMPARE(names(info.bodies[0].outputs), std::string("still_going next"));
    QCOMPARE(info.bodies[0].nodes, std::int64_t(5));
    QCOMPARE(info.bodies[1].path, std::string("Loop_turned/body/If_next/else_branch"));
    QCOMPARE(info.diagnostics.size(), std::size_t(3));
    const InfoDocument functions = a.get<InfoDocument>("info", on("functions"));
    QVERIFY(functions.runnable);
    QCOMPARE(functions.nodes, std::int64_t(5));
    QCOMPARE(functions.ops.at("local.layer"), std::int64_t(2));
    QVERIFY(functions.parameters >= 16 * 32 + 32 * 32 + 32 * 4); // those inside count
}

void TestBodies::eachIsAGraph() {
    Asked a;
    Arguments arguments = on(controlFlow);
    const GraphDocument whole = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(whole.body, std::string());
    const NodeRecord& loop = nodeOf(whole, "Loop_turned");
    QCOMPARE(loop.op, std::string("Loop"));
    QVERIFY(loop.unsupported);
    QCOMPARE(loop.bodies.size(), std::size_t(1));
    QVERIFY(nodeOf(whole, "Relu_start").bodies.empty());
    arguments.body = loop.bodies[0].path;
    const GraphDocument body = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(body.body, loop.bodies[0].path);
    QCOMPARE(body.name, std::string("step"));
    QCOMPARE(body.results.size(), std::size_t(2));
    const NodeRecord& choice = nodeOf(body, "If_next");
    QCOMPARE(choice.bodies.size(), std::size_t(2));
    arguments.body = choice.bodies[1].path; // paths lead on
    const GraphDocument branch = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(nodeOf(branch, "Tanh_shrunk").op, std::string("tanh"));
    QVERIFY(nodeOf(a.get<GraphDocument>("graph", on("functions")), "layer_h0").op == "layer");
}

void TestBodies::allStandInOneGraph() {
    Asked a;
    Arguments arguments = on(controlFlow);
    const GraphDocument whole = a.get<GraphDocument>("graph", arguments);
    QVERIFY(whole.insides.empty());
    arguments.bodies = true;
    const GraphDocument all = a.get<GraphDocument>("graph", arguments);
    const InfoDocument info = a.get<InfoDocument>("info", on(controlFlow));
    QCOMPARE(all.insides.size(), info.bodies.size());
    std::set<NodeId> ids;
    for (const NodeRecord& node : all.nodes)
        QVERIFY(ids.insert(node.id).second);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < all.insides.size(); ++i) {
        QCOMPARE(all.insides[i].path, info.bodies[i].path);
        QCOMPARE(all.insides[i].leftOut, std::string());
        QVERIFY(ids.contains(all.insides[i].node));
        inside += all.insides[i].nodes.size();
    }
    QCOMPARE(all.nodes.size(), whole.nodes.size() + inside);
    for (const NodeRecord& node : whole.nodes) // those of the graph are what they are without
        QVERIFY(std::find(all.nodes.begin(), all.nodes.end(), node) != all.nodes.end());
    // Makers stand in front of readers, and what is taken from outside is read where it is made.
    std::set<NodeId> known;
    for (const NodeRecord& node : all.nodes) {
        for (const InputRef& input : node.inputs)
            QVERIFY(known.contains(input.node));
        known.insert(node.id);
    }
    const InsideRecord& body = all.insides[0];
    QCOMPARE(body.results.size(), std::size_t(2));
    const NodeRecord& loop = nodeOf(all, "Loop_turned");
    QCOMPARE(body.node, loop.id);
    QCOMPARE(body.reads.size(), std::size_t(4)); // its own inputs, and what it takes from outside
    const NodeId limit = loop.inputs[static_cast<std::size_t>(body.reads[3])].node;
    std::size_t readers = 0;
    for (const NodeRecord& node : all.nodes)
        for (const InputRef& input : node.inputs)
            readers += input.node == limit && node.id != loop.id;
    QVERIFY(readers >= 1);
}

void TestBodies::fusedOnesKnowWhereTheyCameFrom() {
    Asked a;
    Arguments arguments = on(controlFlow);
    arguments.bodies = true;
    const GraphDocument imported = a.get<GraphDocument>("graph", arguments);
    arguments.stage = "fused";
    const GraphDocument fused = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(fused.insides.size(), imported.insides.size());
    const NodeRecord &there = nodeOf(imported, "Tanh_shrunk"), &here = nodeOf(fused, "Tanh_shrunk");
    QCOMPARE(here.origins, std::vector<NodeId>{there.id});
    QCOMPARE(here.group, -1);
}

void TestBodies::edgesAreClassed() {
    Asked a;
    const GraphDocument residual = a.get<GraphDocument>("graph", on("encoder"));
    std::size_t skips = 0;
    for (const EdgeRecord& edge : residual.edges)
        if (edge.carries == EdgeClass("residual")) {
            const auto node = std::find_if(residual.nodes.begin(), residual.nodes.end(),
                                           [&](const auto& one) { return one.id == edge.node; });
            QCOMPARE(node->op, std::string("add"));
            ++skips;
        }
    QCOMPARE(skips, std::size_t(4)); // round attention and the products, in two layers
    // A shortcut with operators of its own, as far as where it leaves.
    const GraphDocument shortcut = a.get<GraphDocument>("graph", on("residual"));
    std::set<std::string> readers;
    for (const EdgeRecord& edge : shortcut.edges)
        for (const NodeRecord& node : shortcut.nodes)
            if (node.id == edge.node && edge.carries == EdgeClass("residual"))
                readers.insert(node.name);
    QCOMPARE(readers,
             (std::set<std::string>{"Add_sum", "BatchNormalization_right_bn", "Conv_right"}));
    const GraphDocument sizes = a.get<GraphDocument>("graph", on("detector"));
    QVERIFY(std::any_of(sizes.edges.begin(), sizes.edges.end(),
                        [](const auto& edge) { return edge.carries == EdgeClass("shape"); }));
    for (const char* plain : {"mlp", "lenet"})
        QVERIFY(a.get<GraphDocument>("graph", on(plain)).edges.empty());
    Arguments arguments = on(controlFlow);
    arguments.bodies = true;
    const GraphDocument bodies = a.get<GraphDocument>("graph", arguments);
    QVERIFY(std::any_of(bodies.edges.begin(), bodies.edges.end(),
                        [](const auto& edge) { return edge.carries == EdgeClass("body"); }));
    // What a loop is given leads to the inputs of its body.
    for (const InsideRecord& body : bodies.insides)
        if (body.path == "Loop_turned/body") {
            const NodeRecord& loop =
                *std::find_if(bodies.nodes.begin(), bodies.nodes.end(),
                              [&](const NodeRecord& node) { return node.id == body.node; });
            std::set<NodeId> given, read;
            for (const InputRef& input : loop.inputs)
                given.insert(input.node);
            for (const NodeRecord& node : bodies.nodes)
                if (node.op == "input" && std::count(body.nodes.begin(), body.nodes.end(), node.id))
                    for (const InputRef& input : node.inputs)
                        read.insert(input.node);
            QVERIFY(read.size() >= 2);
            QVERIFY(std::includes(given.begin(), given.end(), read.begin(), read.end()));
        }
}

void TestBodies::callsArePlannedAsTheirBodies() {
    Asked a;
    Arguments arguments = on("functions");
    const GraphDocument imported = a.get<GraphDocument>("graph", arguments);
    const NodeId call = nodeOf(imported, "layer_h0").id;
    arguments.stage = "fused";
    const GraphDocument fused = a.get<GraphDocument>("graph", arguments);
    std::size_t inside = 0;
    for (const NodeRecord& node : fused.nodes) {
        QVERIFY(!node.unsupported && node.bodies.empty());
        if (!node.constant && node.name.starts_with("layer_h0/")) {
            ++inside;
            QCOMPARE(node.origins, std::vector<NodeId>{call});
        }
    }
    QVERIFY(inside >= 2);
    arguments.stage.clear();
    arguments.expect = true;
    const RunDocument run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.sets.size(), std::size_t(2));
    for (const ComparisonRecord& set : run.sets)
        QVERIFY(set.pass);
}

void TestBodies::matchesSeeInside() {
    Asked a;
    const MatchDocument found = a.get<MatchDocument>("match", on("functions"));
    const auto rule = std::find_if(found.rules.begin(), found.rules.end(),
                                   [](const auto& one) { return one.name == "gate_by_itself"; });
    QVERIFY(rule != found.rules.end());
    QCOMPARE(rule->matches.size(), std::size_t(2)); // x * sigmoid(x) of both calls
    QVERIFY(rule->matches[0].root.starts_with("layer_h0/swish_y/"));
    const NodeId call = nodeOf(a.get<GraphDocument>("graph", on("functions")), "layer_h0").id;
    QCOMPARE(rule->matches[0].rootId, call); // ids are those of the imported graph
    QCOMPARE(rule->matches[0].nodeIds, std::vector<NodeId>{call});
}

void TestBodies::valuesOfCallsHaveNames() {
    Asked a;
    Arguments arguments = on("functions");
    arguments.values = {"h0", "layer_h1"};
    const RunDocument run = a.get<RunDocument>("run", arguments);
    QCOMPARE(run.values.size(), std::size_t(2));
    QCOMPARE(run.values[0].name, std::string("h0"));
    QCOMPARE(run.values[1].name, std::string("layer_h1"));
}

void TestBodies::whatCannotRunSaysSoPerNode() {
    Asked a;
    for (const char* command : {"run", "export"}) {
        Arguments arguments = on(controlFlow);
        arguments.output = "module"; // which is not written
        const auto answer = a.ask(command, arguments);
        QVERIFY(!answer.ok());
        QCOMPARE(answer.diag().code, DiagCode::NotRunnable);
        QCOMPARE(answer.diag().where.node, std::string("Loop_turned"));
        QVERIFY2(answer.diag().message.find("Loop runs graphs of its own, which cannot be done "
                                            "yet; 1 other node cannot run either") == 0,
                 answer.diag().text().c_str());
        QVERIFY(!answer.diag().hint.empty());
    }
    for (const char* command : {"rewrite", "match", "fuse"})
        QVERIFY(a.ask(command, on(controlFlow)).ok());
}

namespace {

// An If named "outer" whose condition is true, with that node in the branch that is taken.
ModelBuilder around(const proto::NodeProto& inner) {
    ModelBuilder m;
    m.input("x", {"5", "1", "3"}).input("c", {}, proto::TensorProto::BOOL);
    m.input("w", {"1", "16", "3"}).input("r", {"1", "16", "4"}).output("y");
    auto& k = *m.graph().add_initializer();
    k.set_name("k");
    k.set_data_type(proto::TensorProto::BOOL);
    k.add_int32_data(1);
    auto& outer = m.node("If", "k", "t", "outer");
    for (const char* name : {"then_branch", "else_branch"}) {
        auto& branch = *outer.add_attribute();
        branch.set_name(name);
        branch.set_type(proto::AttributeProto::GRAPH);
        *branch.mutable_g()->add_node() = inner;
        branch.mutable_g()->add_output()->set_name(inner.output(0));
    }
    m.node("Relu", "t", "y", "after");
    return m;
}

} // namespace

void TestBodies::whatATakenBranchHoldsIsToldOnce_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("says");
    QTest::newRow("If") << "If"
                        << "node outer/inner: error RUN02: If runs graphs of its own, which cannot "
                           "be done yet (its bodies are shown";
    QTest::newRow("LSTM") << "LSTM"
                          << "node outer/inner: error OPR01: the operator LSTM is not known (it "
                             "repeats a step over time";
}

void TestBodies::whatATakenBranchHoldsIsToldOnce() {
    QFETCH(QString, type);
    QFETCH(QString, says);
    proto::NodeProto inner;
    if (type == u"If") {
        ModelBuilder m = around(ModelBuilder().node("Neg", "x", "deep"));
        inner = m.graph().node(0);
        inner.set_input(0, "c");
        inner.set_output(0, "inside");
    } else {
        inner = ModelBuilder().node("LSTM", "x w r", "inside");
        ModelBuilder::set(inner, "hidden_size", 4);
    }
    inner.set_name("inner");
    QTemporaryDir folder;
    Arguments arguments;
    arguments.model = folder.filePath(QStringLiteral("branch.onnx")).toStdString();
    arguments.target = "x86-64 -libs=";
    QVERIFY(writeFile(arguments.model, around(inner).bytes()).ok());
    Asked a;
    const InfoDocument info = a.get<InfoDocument>("info", arguments);
    QCOMPARE(info.diagnostics.size(), std::size_t(1));
    const std::string told = info.diagnostics[0].text();
    QVERIFY2(told.find(says.toStdString()) != std::string::npos, told.c_str());
    // Whoever runs it is told the same.
    const auto run = a.ask("run", arguments);
    QVERIFY(!run.ok());
    QVERIFY2(run.diag().text().find(says.toStdString()) != std::string::npos,
             run.diag().text().c_str());
}

void TestBodies::unknownBodiesAreNamed() {
    Asked a;
    Arguments arguments = on(controlFlow);
    arguments.body = "Loop_turned/bdoy";
    auto answer = a.ask("graph", arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::UnknownName);
    QVERIFY(answer.diag().hint.find("Loop_turned/body") != std::string::npos);
    arguments.model = samples + "mlp";
    answer = a.ask("graph", arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().hint, std::string("no node of it has a body"));
}

void TestBodies::whatIsTooMuchIsLeftOut() {
    ModelBuilder m;
    m.input("x", {"4"}).input("c", {}, proto::TensorProto::BOOL).output("y");
    auto& choice = m.node("If", "c", "t", "choice");
    for (const auto& [name, count] :
         {std::pair("then_branch", 20001), std::pair("else_branch", 3)}) {
        auto& branch = *choice.add_attribute();
        branch.set_name(name);
        branch.set_type(proto::AttributeProto::GRAPH);
        std::string at = "x";
        for (int i = 0; i < count; ++i) {
            proto::NodeProto& node = *branch.mutable_g()->add_node();
            node.set_op_type("Neg");
            node.add_input(at);
            node.add_output(at = std::string(name) + std::to_string(i));
        }
        branch.mutable_g()->add_output()->set_name(at);
    }
    m.node("Relu", "t", "y", "after");
    QTemporaryDir folder;
    Arguments arguments;
    arguments.model = folder.filePath(QStringLiteral("large.onnx")).toStdString();
    arguments.target = "x86-64 -libs=";
    arguments.bodies = true;
    QVERIFY(writeFile(arguments.model, m.bytes()).ok());
    Asked a;
    const GraphDocument graph = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(graph.insides.size(), std::size_t(2));
    for (const InsideRecord& body : graph.insides) {
        const bool large = body.name == "then_branch";
        QCOMPARE(body.leftOut.empty(), !large);
        QCOMPARE(body.nodes.size(), std::size_t(large ? 0 : 3));
        QVERIFY(!large || body.leftOut.find("20000") != std::string::npos);
    }
    QVERIFY(graph.nodes.size() < 10);
}

FW_TEST(TestBodies, QCoreApplication)
#include "test_bodies.moc"
