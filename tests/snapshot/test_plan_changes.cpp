// What changed from one plan to the next.
#include "common/test.h"
#include "snapshot/documents.h"
#include "snapshot/plan_changes.h"

using namespace fw::snapshot;

class TestPlanChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalPlansHaveNoChanges();
    void splitAndMerged();
    void otherOperatorsUnderTheirNames();
    void implementationOnly();
    void regrouped();
    void addedAndRemoved();
    void namelessNodesAreMatchedById();
    void documentRoundTrips();
    void whatARuleMadeOneIsOneChange();
    void oneOperatorInTwoGroupsIsNoChange();
    void sumsOfBothPlans();
    void otherSizesAreNotWorse();
    void timesOfOnePlanAreThoseOfAnEqualOne();
};

namespace {

GroupRecord group(int id, const std::string& name, const std::vector<std::string>& nodes,
                  const std::string& implementation, double est = 10) {
    GroupRecord out;
    out.id = id;
    out.name = name;
    out.nodes = nodes;
    out.implementation = implementation;
    out.estUs = est;
    for (const std::string& node : nodes)
        out.nodeIds.push_back(node.empty() ? 100 : node[0]);
    return out;
}

FuseDocument plan(const std::string& target, std::vector<GroupRecord> groups) {
    FuseDocument out;
    out.target = target;
    out.groups = std::move(groups);
    return out;
}

} // namespace

void TestPlanChanges::equalPlansHaveNoChanges() {
    const FuseDocument one = plan("a", {group(0, "x", {"c", "r"}, "g")});
    QVERIFY(isEmpty(comparePlans(one, one)));
    // Numbers and estimates alone are no change.
    const FuseDocument other = plan("b", {group(3, "x_3", {"r", "c"}, "g", 99)});
    QVERIFY(isEmpty(comparePlans(one, other)));
    QVERIFY(isEmpty(comparePlans({}, {})));
}

void TestPlanChanges::splitAndMerged() {
    const FuseDocument one = plan("-libs=", {group(0, "dense_bias_relu_0", {"d", "b", "r"}, "g")});
    const FuseDocument two =
        plan("-libs=openblas", {group(0, "dense_0", {"d"}, "openblas.sgemm", 4),
                                group(1, "bias_relu_1", {"b", "r"}, "generated.elementwise", 3)});
    const DiffDocument split = comparePlans(one, two);
    QCOMPARE(split.changed.size(), std::size_t(1));
    QVERIFY(split.added.empty() && split.removed.empty());
    const ChangeRecord& change = split.changed[0];
    QCOMPARE(change.kind, std::string("split"));
    QCOMPARE(change.sentence, std::string("dense_bias_relu_0 (g) was split into dense_0 "
                                          "(openblas.sgemm) and bias_relu_1 "
                                          "(generated.elementwise)"));
    QCOMPARE(change.afterIds, (std::vector<int>{0, 1}));
    QCOMPARE(change.nodes.size(), std::size_t(3));
    QCOMPARE(*change.estBeforeUs, 10.0);
    QCOMPARE(*change.estAfterUs, 7.0);
    QCOMPARE(split.before, std::string("-libs="));
    const DiffDocument merged = comparePlans(two, one);
    QCOMPARE(merged.changed[0].kind, std::string("merged"));
    QCOMPARE(merged.changed[0].name, std::string("dense_bias_relu_0"));
}

// As a rule leaves them that gives what it creates the name of what it replaced.
void TestPlanChanges::otherOperatorsUnderTheirNames() {
    const DiffDocument diff = comparePlans(plan("", {group(0, "dense_relu_0", {"d", "r"}, "g")}),
                                           plan("", {group(0, "dense_tanh_0", {"d", "r"}, "g")}));
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("nodes"));
    QCOMPARE(diff.changed[0].sentence,
             std::string("dense_relu_0 (g) became dense_tanh_0 (g): its operators differ"));
    QVERIFY(isEmpty(comparePlans(plan("", {group(0, "leaky_relu_add_0", {"a", "r"}, "g")}),
                                 plan("", {group(7, "add_leaky_relu_7", {"r", "a"}, "g")}))));
}

void TestPlanChanges::implementationOnly() {
    const DiffDocument diff = comparePlans(plan("", {group(0, "a_0", {"a"}, "generated.tiled")}),
                                           plan("", {group(0, "a_0", {"a"}, "onednn.matmul")}));
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("implementation"));
    QCOMPARE(diff.changed[0].sentence, std::string("a_0: generated.tiled → onednn.matmul"));
}

void TestPlanChanges::regrouped() {
    const DiffDocument diff =
        comparePlans(plan("", {group(0, "ab", {"a", "b"}, "g"), group(1, "c", {"c"}, "g")}),
                     plan("", {group(0, "a", {"a"}, "g"), group(1, "bc", {"b", "c"}, "g")}));
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("regrouped"));
}

void TestPlanChanges::addedAndRemoved() {
    const DiffDocument diff = comparePlans(plan("", {group(0, "a_0", {"a"}, "g")}),
                                           plan("", {group(0, "b_0", {"b"}, "g")}));
    QCOMPARE(diff.added.size(), std::size_t(1));
    QCOMPARE(diff.removed.size(), std::size_t(1));
    QCOMPARE(diff.removed[0].sentence, std::string("a_0 (g) is gone"));
    const DiffDocument fewer = comparePlans(plan("", {group(0, "a_0", {"a", "x"}, "g")}),
                                            plan("", {group(0, "a_0", {"a"}, "g")}));
    QCOMPARE(fewer.changed[0].kind, std::string("nodes"));
}

void TestPlanChanges::namelessNodesAreMatchedById() {
    GroupRecord one = group(0, "a", {"", ""}, "g");
    one.nodeIds = {7, 8};
    GroupRecord first = group(0, "b", {""}, "g"), second = group(1, "c", {""}, "g");
    first.nodeIds = {7};
    second.nodeIds = {8};
    const DiffDocument diff = comparePlans(plan("", {one}), plan("", {first, second}));
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("split"));
}

void TestPlanChanges::documentRoundTrips() {
    const DiffDocument diff = comparePlans(plan("a", {group(0, "a_0", {"a"}, "g")}),
                                           plan("b", {group(0, "a_0", {"a"}, "h")}));
    const auto again = fw::snapshot::fromJson<DiffDocument>(toJson(diff));
    QVERIFY(again.ok());
    QVERIFY(*again == diff);
}

namespace {

GroupRecord standingFor(GroupRecord group, std::vector<NodeId> origins) {
    group.origins = std::move(origins);
    return group;
}

} // namespace

// The node that a rule made has the name of one of three.
void TestPlanChanges::whatARuleMadeOneIsOneChange() {
    const DiffDocument diff =
        comparePlans(plan("", {standingFor(group(0, "a_0", {"a"}, "g", 1), {1}),
                               standingFor(group(1, "b_1", {"b"}, "g", 2), {2}),
                               standingFor(group(2, "c_2", {"c"}, "g", 4), {3}),
                               standingFor(group(3, "other_3", {"o"}, "g", 8), {4})}),
                     plan("", {standingFor(group(0, "block_0", {"c"}, "g", 5), {1, 2, 3}),
                               standingFor(group(1, "other_1", {"o"}, "g", 8), {4})}));
    QVERIFY(diff.added.empty() && diff.removed.empty());
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("merged"));
    QCOMPARE(diff.changed[0].sentence,
             std::string("a_0 (g), b_1 (g) and c_2 (g) merged into block_0 (g)"));
    QCOMPARE(*diff.changed[0].estBeforeUs, 7.0);
    QCOMPARE(*diff.changed[0].estAfterUs, 5.0);
}

// Two groups that stand for one operator are not joined while they stay as they were.
void TestPlanChanges::oneOperatorInTwoGroupsIsNoChange() {
    const FuseDocument same = plan("", {standingFor(group(0, "a_0", {"a"}, "g"), {1}),
                                        standingFor(group(1, "b_1", {"b"}, "g"), {1})});
    QVERIFY(isEmpty(comparePlans(same, same)));
}

void TestPlanChanges::sumsOfBothPlans() {
    const DiffDocument diff = comparePlans(
        plan("", {group(0, "a_0", {"a"}, "g", 3), group(1, "b_1", {"b"}, "g", 4)}),
        plan("", {group(0, "a_0", {"a"}, "g", 3), group(1, "b_1", {"b"}, "other", 1)}));
    QCOMPARE(*diff.estBeforeUs, 7.0);
    QCOMPARE(*diff.estAfterUs, 4.0);
    QVERIFY(!comparePlans({}, {}).estBeforeUs);
}

void TestPlanChanges::otherSizesAreNotWorse() {
    const auto sized = [](const std::string& type) {
        GroupRecord out = group(0, "a_0", {"a"}, "g");
        out.outputs = {{"y", type}};
        return plan("", {out});
    };
    QCOMPARE(comparePlans(sized("f32[M, 4]"), sized("f32[17, 4]")).otherSizes,
             std::string("y is f32[17, 4] and was f32[M, 4]"));
    QCOMPARE(comparePlans(sized("f32[17, 4]"), sized("f32[17, 4]")).otherSizes, std::string());
    QCOMPARE(comparePlans(sized("f32[17, 4]"), sized("f16[17, 4]")).otherSizes, std::string());
}

void TestPlanChanges::timesOfOnePlanAreThoseOfAnEqualOne() {
    const FuseDocument one = plan("t", {group(0, "a_0", {"a"}, "g")});
    QCOMPARE(planKey(one), planKey(one));
    FuseDocument elsewhere = one; // in a book that was saved under another name
    elsewhere.groups[0].candidates.emplace_back();
    QCOMPARE(planKey(one), planKey(elsewhere));
    QVERIFY(planKey(one) != planKey(plan("other", one.groups)));
    QVERIFY(planKey(one) != planKey(plan("t", {group(0, "a_0", {"a"}, "other")})));
    QVERIFY(planKey(one) != planKey(plan("t", {})));
    FuseDocument sized = one;
    sized.groups[0].outputs = {{"y", "f32[8]"}};
    QVERIFY(planKey(one) != planKey(sized));
}

FW_TEST(TestPlanChanges, QCoreApplication)
#include "test_plan_changes.moc"
