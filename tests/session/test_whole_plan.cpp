// The whole plan by measured times, here such as make the plan lose: what is said, and that its
// pins are that plan.
#include "asked.h"
#include "common/test.h"
#include "session/whole_plan.h"

using namespace fw;
using namespace fw::test;

class TestWholePlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void thePlanIsTheBest();
    void othersAreBetter();
    void noiseDoesNotCount();
    void measuringSaysIt();

private:
    static PipelineInputs inputs() {
        PipelineInputs out;
        out.model = samples + "mlp";
        out.target = "x86-64 -libs= -threads=1";
        return out;
    }
    SplitTime split(const Group& group, double us) const {
        SplitTime out;
        for (const NodeId node : group.nodes)
            out.each[m_graph->node(node).name] = us;
        return out;
    }

    std::unique_ptr<Pipeline> m_pipeline;
    const FusionPlan* m_plan = nullptr;
    GraphPtr m_graph;
};

void TestWholePlan::init() {
    m_pipeline = std::make_unique<Pipeline>(inputs());
    m_plan = m_pipeline->plan({}).value();
    m_graph = m_pipeline->simplified({}).value()->graph;
    QVERIFY(m_plan->groups.size() >= 4);
    QCOMPARE(m_plan->groups[0].nodes.size(), std::size_t(3));
}

void TestWholePlan::thePlanIsTheBest() {
    MeasuredPieces pieces(*m_graph, *m_plan);
    for (const Group& group : m_plan->groups)
        pieces.addGroup(group, 10);
    pieces.addSplit(m_plan->groups[0], split(m_plan->groups[0], 4));
    QCOMPARE(
        pieces.sentence(),
        std::string("measured group by group, this plan takes 0.040 ms, and no other choice of "
                    "what was measured takes less"));
}

void TestWholePlan::othersAreBetter() {
    const std::vector<Group>& groups = m_plan->groups;
    MeasuredPieces pieces(*m_graph, *m_plan);
    for (const Group& group : groups)
        pieces.addGroup(group, 10);
    pieces.addSplit(groups[0], split(groups[0], 2));
    // The first pair of what overlaps saves the most by itself, and costs the second.
    pieces.addTogether(groups[1], groups[2], {snapshot::PinKind::Together, {"b", "c"}}, 11);
    pieces.addTogether(groups[2], groups[3], {snapshot::PinKind::Together, {"c", "d"}}, 5);
    const std::string said = pieces.sentence();
    QVERIFY2(said.starts_with("measured group by group, this plan takes 0.040 ms, the best choice "
                              "of what was measured 0.021 ms: pin { apart "),
             said.c_str());
    QVERIFY2(said.ends_with("together c, d }"), said.c_str());

    PipelineInputs pinned = inputs();
    pinned.pins = said.substr(said.find("pin {"));
    pinned.pins = pinned.pins.substr(0, pinned.pins.find("  together")) + "\n}\n";
    Pipeline other(pinned);
    const FusionPlan* plan = other.plan({}).value();
    std::set<std::string> names;
    for (const NodeId node : groups[0].nodes)
        names.insert(m_graph->node(node).name);
    const Graph& graph = *other.simplified({}).value()->graph;
    int alone = 0;
    for (const Group& group : plan->groups)
        alone += group.nodes.size() == 1 && names.contains(graph.node(group.nodes[0]).name) ? 1 : 0;
    QCOMPARE(alone, 3);
}

void TestWholePlan::noiseDoesNotCount() {
    MeasuredPieces pieces(*m_graph, *m_plan);
    for (const Group& group : m_plan->groups)
        pieces.addGroup(group, 12);
    pieces.addSplit(m_plan->groups[0], split(m_plan->groups[0], 3.95));
    SplitTime wrong = split(m_plan->groups[1], 0);
    wrong.agree = false;
    pieces.addSplit(m_plan->groups[1], wrong);
    SplitTime disturbed = split(m_plan->groups[1], 0);
    disturbed.disturbed = true;
    pieces.addSplit(m_plan->groups[1], disturbed);
    QVERIFY(pieces.sentence().ends_with("no other choice of what was measured takes less"));
}

void TestWholePlan::measuringSaysIt() {
    Asked asked;
    snapshot::Arguments arguments = on("mlp");
    arguments.measure = true;
    arguments.seconds = 0.01;
    const auto document = asked.get<snapshot::FuseDocument>("fuse", arguments);
    QCOMPARE(std::count_if(document.notices.begin(), document.notices.end(),
                           [](const std::string& notice) {
                               return notice.starts_with(
                                   "measured group by group, this plan takes ");
                           }),
             std::ptrdiff_t(1));
}

FW_TEST(TestWholePlan, QCoreApplication)
#include "test_whole_plan.moc"
