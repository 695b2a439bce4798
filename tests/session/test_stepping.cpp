// `fw step`: one application of a rule on its own, and where to stop.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

#include <map>
#include <set>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestStepping : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyApplicationOfAModel_data();
    void everyApplicationOfAModel();
    void bothStatesInOneGraph();
    void stops();
    void stopsAtWhatOperatorsAre();
    void aroundTheMatch();
    void leavingOutTakesTheNextOne();
    void choicesAreShownAndDone();
    void choicesThatCannotBeHad();
    void whatCannotBe();
    void withoutApplications();

private:
    Arguments model(const std::string& graph, const std::string& rules);
    StepDocument step(Arguments arguments) { return m_asked.get<StepDocument>("step", arguments); }

    Asked m_asked;
    QTemporaryDir m_folder;
};

namespace {

const char* const steppedChain = "graph g(x: f32[4]) -> y, z {\n"
                                 "  a = relu(x) @node(\"first\")  b = tanh(a) @node(\"second\")\n"
                                 "  c = relu(b) @node(\"third\")  y = exp(c) @node(\"last\")\n"
                                 "  z = sigmoid(x) @node(\"apart\")\n"
                                 "}\n";
const char* const rules = "rule negative { match y = relu(x) emit y = neg(x) }\n"
                          "rule cosine { match y = sigmoid(x) emit y = cos(x) }\n";

std::multiset<std::string> namesOf(const StepDocument& document, const std::string& mark) {
    std::multiset<std::string> out;
    for (std::size_t i = 0; i < document.nodes.size(); ++i)
        if (document.nodes[i].mark == mark)
            out.insert(document.graph.nodes[i].name);
    return out;
}

std::multiset<std::string> namesOf(const std::vector<RewrittenNode>& nodes) {
    std::multiset<std::string> out;
    for (const RewrittenNode& node : nodes)
        out.insert(node.name);
    return out;
}

const SteppedNode& stepped(const StepDocument& document, const std::string& name) {
    for (std::size_t i = 0; i < document.nodes.size(); ++i)
        if (document.graph.nodes[i].name == name)
            return document.nodes[i];
    throw InternalError("no node " + name);
}

} // namespace

Arguments TestStepping::model(const std::string& graph, const std::string& rules) {
    Arguments out;
    out.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    if (!writeFile(out.model, graph))
        qFatal("the model cannot be written");
    out.rules = {mineFile};
    out.texts = {{mineFile, rules}};
    out.target = "x86-64 -libs=";
    return out;
}

void TestStepping::everyApplicationOfAModel_data() {
    QTest::addColumn<std::string>("sample");
    for (const char* sample : {"residual", "attention", "functions", "encoder"})
        QTest::newRow(sample) << std::string(sample);
}

// What is drawn is what the record of the application says, and runs count them all.
void TestStepping::everyApplicationOfAModel() {
    QFETCH(const std::string, sample);
    const RewriteDocument whole = m_asked.get<RewriteDocument>("rewrite", on(sample));
    QVERIFY(!whole.applications.empty());
    for (const ApplicationRecord& one : whole.applications) {
        Arguments arguments = on(sample);
        arguments.application = one.number;
        const StepDocument document = step(arguments);
        QVERIFY(document.application == one);
        QCOMPARE(document.total, std::int64_t(whole.applications.size()));
        QCOMPARE(document.nodes.size(), document.graph.nodes.size());
        QVERIFY(namesOf(document, "created") == namesOf(one.created));
        QVERIFY(namesOf(document, "erased") == namesOf(one.erased));
        std::int64_t next = 1;
        for (const ApplicationRun& run : document.runs) {
            QCOMPARE(run.first, next);
            next += run.count;
        }
        QCOMPARE(next, document.total + 1);
        std::set<NodeId> ids;
        for (std::size_t i = 0; i < document.nodes.size(); ++i) {
            QCOMPARE(document.nodes[i].node, document.graph.nodes[i].id);
            QVERIFY(ids.insert(document.nodes[i].node).second);
        }
    }
}

void TestStepping::bothStatesInOneGraph() {
    Arguments arguments = model(steppedChain, rules);
    arguments.application = 2;
    const StepDocument document = step(arguments);
    QCOMPARE(document.application->rule, std::string("negative"));
    QCOMPARE(document.application->at, std::string("third"));
    QVERIFY(stepped(document, "second").mark == "kept");
    const SteppedNode& last = stepped(document, "last");
    QCOMPARE(last.mark, std::string("changed"));
    QCOMPARE(last.behind, std::vector<std::int64_t>{0});
    QCOMPARE(last.before, std::vector<std::int64_t>{1});
    for (const NodeRecord& node : document.graph.nodes)
        if (node.name == "last")
            QCOMPARE(node.inputs.size(), std::size_t(2));
    int matched = 0;
    for (const SteppedNode& node : document.nodes)
        if (node.matched) {
            ++matched;
            QCOMPARE(node.mark, std::string("erased"));
        }
    QCOMPARE(matched, 1);
}

void TestStepping::stops() {
    const auto found = [&](std::int64_t from, const std::vector<std::string>& until) {
        Arguments arguments = model(steppedChain, rules);
        arguments.application = from;
        arguments.until = until;
        const StepDocument document = step(arguments);
        return std::to_string(document.application->number) + " " + document.stopped;
    };
    QCOMPARE(found(0, {"rule negative"}), std::string("1 rule negative"));
    QCOMPARE(found(1, {"rule negative"}), std::string("2 rule negative"));
    QCOMPARE(found(2, {"rule negative"}), std::string("3 end"));
    QCOMPARE(found(0, {"creates cos"}).substr(0, 14), std::string("3 creates cos:"));
    QCOMPARE(found(0, {"erases sigmoid"}), std::string("3 erases sigmoid: apart"));
    QCOMPARE(found(0, {"at third"}), std::string("2 at third"));
    QCOMPARE(found(1, {"another rule"}), std::string("3 another rule: cosine"));
    QCOMPARE(found(0, {"rule cosine", "at third"}), std::string("2 at third"));
}

// The words of Find, of what an application takes or makes.
void TestStepping::stopsAtWhatOperatorsAre() {
    const char* const graph = "graph g(x: f32[4], w: f16[2, 3]) -> y, z, v {\n"
                              "  y = relu(x) @node(\"first\")  z = relu(w) @node(\"second\")\n"
                              "  v = reduce_max(x) {axes = [0]} @node(\"third\")\n"
                              "}\n";
    const char* const book = "rule negative { match y = relu(x) emit y = neg(x) }\n"
                             "rule most { match y = reduce_max(x) {*a} "
                             "emit y = reduce_sum(x) {*a} }\n";
    const auto found = [&](const std::vector<std::string>& until) {
        Arguments arguments = model(graph, book);
        arguments.until = until;
        arguments.application = 0;
        const auto answer = m_asked.ask("step", arguments);
        if (!answer)
            return "error: " + answer.diag().message;
        const StepDocument document = fromJson<StepDocument>(*answer).value();
        return std::to_string(document.application->number) + " " + document.stopped;
    };
    QCOMPARE(found({"shape 2x3"}), std::string("2 shape 2x3: second"));
    QCOMPARE(found({"shape 4"}), std::string("1 shape 4: first"));
    QCOMPARE(found({"dtype f16"}), std::string("2 dtype f16: second"));
    QCOMPARE(found({"when dtype:f16 op:relu"}), std::string("2 when dtype:f16 op:relu: second"));
    QCOMPARE(found({"when axes=[0]"}), std::string("3 when axes=[0]: third"));
    QCOMPARE(found({"erases dtype:f16"}), std::string("2 erases dtype:f16: second"));
    QCOMPARE(found({"creates dtype:f16"}).substr(0, 20), std::string("2 creates dtype:f16:"));
    QCOMPARE(found({"creates op:relu"}), std::string("3 end"));
    QCOMPARE(found({"when axes=[0]", "dtype f16"}), std::string("2 dtype f16: second"));
    QCOMPARE(found({"shape"}), std::string("error: 'shape' is nothing to stop at"));
    QCOMPARE(found({"when  "}), std::string("error: 'when  ' is nothing to stop at"));
    QCOMPARE(found({"shape 1xx2"}), std::string("error: 1xx2 is no shape"));
    QCOMPARE(found({"when grups>1"}),
             std::string("error: no operator of this graph has an attribute named grups"));
    QCOMPARE(found({"when by:onednn"}), std::string("error: by is known once there is a plan"));
}

void TestStepping::aroundTheMatch() {
    const auto drawn = [&](std::int64_t around) {
        Arguments arguments = model(steppedChain, rules);
        arguments.application = 1;
        arguments.around = around;
        std::set<std::string> names;
        for (const NodeRecord& node : step(arguments).graph.nodes)
            if (node.op != "neg")
                names.insert(node.name);
        return names;
    };
    QCOMPARE(drawn(0), (std::set<std::string>{"first", "x"}));
    QCOMPARE(drawn(1), (std::set<std::string>{"first", "second", "x"}));
    QCOMPARE(drawn(3), (std::set<std::string>{"first", "second", "third", "last", "x"}));
}

void TestStepping::leavingOutTakesTheNextOne() {
    Arguments arguments = model(steppedChain, rules);
    arguments.leftOut = {"negative at first"};
    const StepDocument document = step(arguments);
    QCOMPARE(document.total, std::int64_t(2));
    QCOMPARE(document.application->at, std::string("third"));
    const RewriteDocument told = m_asked.get<RewriteDocument>("rewrite", arguments);
    QCOMPARE(told.notices.at(0), std::string("RUL21 negative at first: the user left it out"));
    // The plan follows.
    const FuseDocument plan = m_asked.get<FuseDocument>("fuse", arguments);
    QVERIFY(!plan.groups.empty());
}

// Another rule wanted an operator of it: shown as if it were done, then done.
void TestStepping::choicesAreShownAndDone() {
    const std::string pair = "rule pair { match y = tanh(relu(x)) emit y = sin(x) }\n";
    Arguments arguments = model(steppedChain, rules + pair);
    arguments.application = 1;
    const StepDocument done = step(arguments);
    QCOMPARE(done.choices.size(), std::size_t(1));
    const StepChoice& choice = done.choices.front();
    QCOMPARE(choice.rule + " at " + choice.at, std::string("pair at second"));
    QCOMPARE(choice.line, std::int64_t(3));
    QCOMPARE(choice.shared, std::vector<std::string>{"first"});
    QVERIFY(namesOf(choice.matched) == (std::multiset<std::string>{"first", "second"}));
    QVERIFY(!done.choice && !done.instead);
    arguments.choice = 1;
    const StepDocument shown = step(arguments);
    QVERIFY(shown.choice == 1);
    QVERIFY(shown.choices == done.choices);
    QCOMPARE(shown.application->number, std::int64_t(1));
    QVERIFY(namesOf(shown, "erased") == (std::multiset<std::string>{"first", "second"}));
    QVERIFY(stepped(shown, "second").matched);
    QCOMPARE(shown.instead->leaveOut, std::vector<std::string>{"negative at first"});
    QCOMPARE(shown.instead->refused, std::string());
    arguments.leftOut = shown.instead->leaveOut;
    arguments.application = shown.instead->number;
    arguments.choice.reset();
    const StepDocument then = step(arguments);
    QCOMPARE(then.application->rule + " at " + then.application->at, std::string("pair at second"));
    QVERIFY(namesOf(then.application->created) == namesOf(shown.application->created));
    QVERIFY(namesOf(then.application->erased) == namesOf(shown.application->erased));
}

void TestStepping::choicesThatCannotBeHad() {
    Arguments arguments =
        model("graph g(x: f32[4]) -> y {\n a = relu(x) @node(\"one\")  b = tanh(x) @node(\"two\")\n"
              " y = add(a, b) @node(\"sum\")\n}\n",
              "rule either { match y = add(relu(x), q) | add(q, tanh(x)) emit y = neg(q) }\n");
    arguments.application = 1;
    arguments.choice = 1;
    const StepDocument shown = step(arguments);
    QCOMPARE(shown.instead->number, std::int64_t(0));
    QVERIFY2(shown.instead->refused.starts_with("RUL20 an earlier application took a part of the "
                                                "match: what takes it has the same name"),
             shown.instead->refused.c_str());
    arguments.choice = 2;
    const auto refused = m_asked.ask("step", arguments);
    QVERIFY(!refused);
    QCOMPARE(refused.diag().message, std::string("application 1 has no choice 2"));
    QCOMPARE(refused.diag().hint, std::string("1 to 1"));
}

void TestStepping::whatCannotBe() {
    const auto refused = [&](std::optional<std::int64_t> number,
                             const std::vector<std::string>& until,
                             const std::vector<std::string>& leftOut = {}) {
        Arguments arguments = model(steppedChain, rules);
        arguments.application = number;
        arguments.until = until;
        arguments.leftOut = leftOut;
        const auto answer = m_asked.ask("step", arguments);
        return answer ? std::string() : answer.diag().message;
    };
    QCOMPARE(refused(0, {}), std::string("there is no application 0"));
    QCOMPARE(refused(4, {}), std::string("there is no application 4"));
    QCOMPARE(refused(-1, {"at x"}), std::string("there is no application -1"));
    QCOMPARE(refused({}, {"makes cos"}), std::string("'makes cos' is nothing to stop at"));
    QCOMPARE(refused({}, {"creates"}), std::string("'creates' is nothing to stop at"));
    QCOMPARE(refused({}, {"creates coss"}), std::string("there is no operator named coss"));
    QCOMPARE(refused({}, {"rule nobody"}), std::string("there is no rule named nobody"));
    QCOMPARE(refused({}, {}, {"negative"}),
             std::string("'negative' names no application of a rule"));
}

void TestStepping::withoutApplications() {
    const StepDocument document = step(model("graph g(x: f32[4]) -> y {\n y = relu(x)\n}\n",
                                             "rule r { match y = cos(x) emit y = x }\n"));
    QCOMPARE(document.total, std::int64_t(0));
    QVERIFY(!document.application);
    QVERIFY(document.graph.nodes.empty());
}

FW_TEST(TestStepping, QCoreApplication)
#include "test_stepping.moc"
