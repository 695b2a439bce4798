// The imported and the fused graph in one layout, through the real window with the real worker.
#include "common/test.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using Mark = snapshot::JointNode::Mark;

class TestJoint : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"lenet"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void whatLivesOnKeepsItsPlace();
    void changesAreWalked();
    void bothShowTheSamePart();
    void anotherModelIsJoinedToo();

private:
    void openJoint();
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas(GraphSide side) const { return graphs().pane(side)->canvas(); }
    std::size_t marked(GraphSide side, Halo::Look look) const { return framed(side, look); }
    std::size_t
    counted(Mark mark) const; // boxes of the joint graph, the fused one against the other

    QString m_said;
};

void TestJoint::openJoint() {
    start();
    open(u"residual"_s);
    press(u"Ctrl+Alt+Q"_s);
    waitIdle();
    QVERIFY(graphs().joint()->shown());
    connect(&graphs(), &View::asked, this, [this](const Intent& intent) {
        if (const auto* say = std::get_if<Say>(&intent))
            m_said = say->text;
    });
}

std::size_t TestJoint::counted(Mark mark) const {
    std::size_t out = 0;
    const snapshot::JointGraph& graph = *graphs().joint()->graph();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        out += graph.nodes[i].marks[1] == mark && !graph.graph.nodes[i].constant;
    return out;
}

void TestJoint::whatLivesOnKeepsItsPlace() {
    openJoint();
    const snapshot::JointGraph& joint = *graphs().joint()->graph();
    GraphCanvas *left = canvas(GraphSide::Imported), *right = canvas(GraphSide::Fused);
    int both = 0;
    for (std::size_t i = 0; i < joint.nodes.size(); ++i) {
        if (joint.graph.nodes[i].constant)
            continue;
        const snapshot::JointNode& node = joint.nodes[i];
        const auto leftBox = picture::boxOf(joint, 0, i);
        const auto rightBox = picture::boxOf(joint, 1, i);
        const auto* one = left->picture() ? &left->picture()->boxes : nullptr;
        const auto* other = right->picture() ? &right->picture()->boxes : nullptr;
        const auto rectOf = [](const auto& boxes, std::int64_t id) {
            const auto found = std::find_if(boxes.begin(), boxes.end(),
                                            [&](const auto& box) { return box.id == id; });
            return found == boxes.end() ? picture::Rect() : found->rect;
        };
        QVERIFY(rectOf(*one, leftBox).width > 0);
        QVERIFY(rectOf(*one, leftBox) == rectOf(*other, rightBox));
        QCOMPARE(left->isHidden(leftBox), !node.isIn(0));
        QCOMPARE(right->isHidden(rightBox), !node.isIn(1));
        both += node.isIn(0) && node.isIn(1);
    }
    QVERIFY(both > 5);
    QVERIFY(counted(Mark::Erased) >= 8); // four pairs of conv2d and batch_norm
    QCOMPARE(marked(GraphSide::Imported, Halo::Look::Erased), counted(Mark::Erased));
    QCOMPARE(marked(GraphSide::Fused, Halo::Look::Created), counted(Mark::Created));
    QCOMPARE(marked(GraphSide::Imported, Halo::Look::Created), std::size_t(0));
    QCOMPARE(marked(GraphSide::Imported, Halo::Look::Changed),
             marked(GraphSide::Fused, Halo::Look::Changed));
    // Apart again nothing is marked or hidden.
    press(u"Ctrl+Alt+Q"_s);
    waitIdle();
    QVERIFY(!graphs().joint()->shown());
    QVERIFY(left->halos().empty() && right->halos().empty());
    for (const GraphSide side : {GraphSide::Imported, GraphSide::Fused})
        for (const auto& box : canvas(side)->picture()->boxes)
            QVERIFY(box.id > picture::absentBox && !canvas(side)->isHidden(box.id));
}

void TestJoint::changesAreWalked() {
    openJoint();
    const std::size_t changes = graphs().joint()->changes().size();
    QVERIFY(changes > 10);
    std::set<std::pair<snapshot::NodeSet, snapshot::NodeSet>> seen;
    for (std::size_t i = 0; i < changes; ++i) {
        press(u"F4"_s);
        const Picked picked = m_window->selection();
        QVERIFY(seen.emplace(picked.imported, picked.fused).second);
    }
    press(u"F4"_s); // from the last one to the first
    QVERIFY(seen.contains({m_window->selection().imported, m_window->selection().fused}));
    // A click on what was erased says by what.
    const snapshot::JointGraph& joint = *graphs().joint()->graph();
    for (const snapshot::JointNode& node : joint.nodes)
        if (const auto* record = nodeOf(m_window->document().imported().get(), node.ids[0]);
            record && record->op == "batch_norm" && node.marks[1] == Mark::Erased) {
            QTest::mouseClick(canvas(GraphSide::Imported)->viewport(), Qt::LeftButton, {},
                              canvas(GraphSide::Imported)->nodeCenter(node.ids[0]));
            QVERIFY2(
                m_said.contains(u"has no counterpart: erased by fold_batch_norm, application "_s),
                qPrintable(m_said));
            return;
        }
    QFAIL("no batch_norm was erased");
}

void TestJoint::bothShowTheSamePart() {
    openJoint();
    GraphCanvas *left = canvas(GraphSide::Imported), *right = canvas(GraphSide::Fused);
    const auto same = [&] {
        return left->scale() == right->scale() &&
               left->toScene({10, 10}) == right->toScene({10, 10});
    };
    QVERIFY(same());
    left->setScale(1.3);
    QVERIFY(same());
    right->centerOn(m_window->document().fused()->results.front().node);
    QVERIFY(same());
    press(u"Ctrl+Alt+Q"_s);
    waitIdle();
    left->setScale(0.5);
    QVERIFY(!same());
}

void TestJoint::anotherModelIsJoinedToo() {
    openJoint();
    open(u"lenet"_s);
    QTRY_VERIFY(graphs().joint()->shown());
    QCOMPARE(graphs().joint()->graph()->graph.name, std::string("lenet"));
    QCOMPARE(counted(Mark::Erased), std::size_t(0));
    press(u"F4"_s);
    QCOMPARE(m_said, u"rewriting changed nothing"_s);
}

FW_TEST(TestJoint, QApplication)
#include "test_joint.moc"
