// What is said of operators that rules took out, of inputs and of constants.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestExplainUnplanned : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theApplicationIsNamed();
    void inputsAndConstants();
    void readersOfAnInput();
    void whatIsThereIsExplainedAsBefore();
};

void TestExplainUnplanned::theApplicationIsNamed() {
    Asked asked;
    Arguments wanted = on("residual");
    wanted.stage = "imported";
    const auto imported = asked.get<GraphDocument>("graph", wanted);
    const auto norm = std::find_if(imported.nodes.begin(), imported.nodes.end(),
                                   [](const NodeRecord& node) { return node.op == "batch_norm"; });
    QVERIFY(norm != imported.nodes.end());
    wanted.stage.clear();
    // Under its name stands what the rule gave it to; the box of the imported graph is meant by id.
    wanted.nodes = {"#" + std::to_string(norm->id)};
    const auto told = asked.get<ExplainDocument>("explain", wanted);
    QCOMPARE(told.subject, norm->name);
    QVERIFY2(told.sentence.starts_with(norm->name + " is not in what is planned: a rule was "
                                                    "applied: number "),
             told.sentence.c_str());
    QVERIFY2(told.sentence.find("fold_batch_norm (simplify.fw:") != std::string::npos,
             told.sentence.c_str());
    QVERIFY(told.sentence.find("in its place: ") != std::string::npos && !told.nodes.empty());
    QCOMPARE(told.code, std::string("RUL11"));
    QVERIFY(!told.group);
    wanted.nodes = {norm->name};
    QVERIFY(asked.get<ExplainDocument>("explain", wanted).group);
}

// They are boxes of the graphs like others.
void TestExplainUnplanned::inputsAndConstants() {
    QTemporaryDir folder;
    Arguments wanted;
    wanted.model = folder.filePath(QStringLiteral("model.fw")).toStdString();
    wanted.target = "x86-64 -libs=";
    QVERIFY(writeFile(wanted.model, "graph g(x: f32[4], unread: f32[2]) -> y, z {\n"
                                    "  c = const [1, 2, 3, 4] : f32[4]\n"
                                    "  y = add(x, c) @node(\"sum\")  z = tanh(x) @node(\"t\")\n}\n")
                .ok());
    Asked asked;
    const auto said = [&](const std::string& name) {
        wanted.nodes = {name};
        return asked.get<ExplainDocument>("explain", wanted).sentence;
    };
    QCOMPARE(said("x"), std::string("x is an input of the model, f32[4]: 2 operators read it"));
    QCOMPARE(said("unread"),
             std::string("unread is an input of the model, f32[2]: nobody reads it"));
    QCOMPARE(said("c"), std::string("c is a constant of the model, f32[4]: 1 operator reads it"));
}

void TestExplainUnplanned::readersOfAnInput() {
    Asked a;
    Arguments planned = on("residual");
    planned.stage = "fused";
    const auto graph = a.get<GraphDocument>("graph", planned);
    const auto input = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [](const NodeRecord& node) { return node.op == "input"; });
    QVERIFY(input != graph.nodes.end());
    Arguments arguments = on("residual");
    arguments.nodes = {"#" + std::to_string(input->id)};
    const auto said = a.get<ExplainDocument>("explain", arguments);
    QVERIFY2(said.sentence.starts_with(input->name + " is an input of the model, f32["),
             said.sentence.c_str());
    std::set<NodeId> readers;
    for (const NodeRecord& node : graph.nodes)
        for (const InputRef& read : node.inputs)
            if (read.node == input->id)
                readers.insert(node.id);
    QVERIFY(!readers.empty());
    std::set<NodeId> told;
    for (const DecisionRecord& row : said.decisions)
        told.insert(row.toId);
    QVERIFY(told == readers);
    QVERIFY(said.decisions.front().sentence.starts_with("reads it, in "));
    arguments.nodes.push_back(said.decisions.front().to); // the edge between them
    const auto edge = a.get<ExplainDocument>("explain", arguments);
    QVERIFY2(edge.sentence.ends_with("could be fused there"), edge.sentence.c_str());
}

void TestExplainUnplanned::whatIsThereIsExplainedAsBefore() {
    Asked asked;
    Arguments wanted = on("residual");
    wanted.nodes = {"Relu_stem_relu"};
    const auto told = asked.get<ExplainDocument>("explain", wanted);
    QVERIFY(told.group);
    wanted.nodes = {"nobody"};
    QVERIFY(!asked.ask("explain", wanted).ok());
}

FW_TEST(TestExplainUnplanned, QCoreApplication)
#include "test_explain_unplanned.moc"
