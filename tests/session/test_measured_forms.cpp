// What some groups take alone, split and forced together: `fw fuse --measure --of`.
#include "common/test.h"
#include "session/asked.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace Qt::StringLiterals;
using fw::test::Asked;
using fw::test::on;

class TestMeasuredForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyWhatIsAskedFor();
    void everyFormHasItsNoise();
    void pairsAreForced();
    void whatCannotBeForcedIsSaid();
    void sizesInARangeAreMeasured();
    void whatHasNoTimeIsRefused_data();
    void whatHasNoTimeIsRefused();
    void operatorsOfOneGroupAreTold();
    void runsSayTheirConditions();

private:
    static Arguments of(std::vector<std::string> nodes) {
        Arguments out = on("mlp");
        out.nodes = std::move(nodes);
        out.seconds = 0.02;
        return out;
    }
};

void TestMeasuredForms::onlyWhatIsAskedFor() {
    Asked a;
    const auto one = a.get<FuseDocument>("fuse", of({"Relu_relu0"}));
    QCOMPARE(one.groups.size(), std::size_t(1));
    QCOMPARE(one.groups[0].name, std::string("dense_bias_relu_0"));
    for (const DecisionRecord& decision : one.decisions) // about its operators alone
        QVERIFY(decision.from == "Relu_relu0" || decision.to == "Relu_relu0" ||
                decision.from.find("dense0") != std::string::npos);
    for (const std::string& notice : one.notices)
        QVERIFY2(notice.find("whole plan") == std::string::npos, notice.c_str());
    const Result<std::string> none = a.ask("fuse", of({"nosuch"}));
    QVERIFY(!none.ok());
    QCOMPARE(none.diag().code, DiagCode::UnknownName);
}

void TestMeasuredForms::everyFormHasItsNoise() {
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", of({"Relu_relu0"}));
    const GroupRecord& group = plan.groups.at(0);
    QVERIFY(group.aloneUs && *group.aloneUs > 0);
    QVERIFY(group.aloneIqrUs && *group.aloneIqrUs >= 0);
    QVERIFY(group.estUs);
    QVERIFY(group.splitUs && *group.splitUs > 0);
    QVERIFY(group.splitIqrUs && *group.splitIqrUs >= 0);
    QVERIFY(group.splitEstUs && *group.splitEstUs > *group.estUs); // three kernels in place of one
    QVERIFY(!group.forcedUs);
    QVERIFY(group.agree && *group.agree);
}

void TestMeasuredForms::pairsAreForced() {
    Asked a;
    Arguments arguments = on("residual");
    arguments.seconds = 0.02;
    const auto whole = a.get<FuseDocument>("fuse", arguments);
    // Two kernels one behind the other that a pin can make one.
    for (const DecisionRecord& edge : whole.decisions) {
        if (edge.verdict != "no")
            continue;
        arguments.nodes = {"#" + std::to_string(edge.fromId), "#" + std::to_string(edge.toId)};
        const auto pair = a.get<FuseDocument>("fuse", arguments);
        if (pair.groups.size() != 2 || !pair.groups[0].forcedUs)
            continue;
        QVERIFY(*pair.groups[0].forcedUs > 0);
        QVERIFY(pair.groups[0].forcedIqrUs && pair.groups[0].forcedEstUs);
        QCOMPARE(pair.groups[0].forced.size(),
                 pair.groups[0].nodes.size() + pair.groups[1].nodes.size());
        QVERIFY(pair.groups[0].agree && *pair.groups[0].agree);
        return;
    }
    QFAIL("no pair could be forced together");
}

void TestMeasuredForms::whatCannotBeForcedIsSaid() {
    Asked a;
    const auto far = a.get<FuseDocument>("fuse", of({"Gemm_dense0", "Softmax_probabilities"}));
    QCOMPARE(far.groups.size(), std::size_t(2));
    QVERIFY(!far.groups[0].forcedUs && far.groups[0].aloneUs && far.groups[1].aloneUs);
    QVERIFY(std::any_of(far.notices.begin(), far.notices.end(), [](const std::string& notice) {
        return notice.find("was not measured together with") != std::string::npos;
    }));
}

// What a later run is compared by.
void TestMeasuredForms::sizesInARangeAreMeasured() {
    Asked a;
    Arguments arguments = on("free_batch");
    arguments.ranges = {{"N", {1, 5}}};
    arguments.measure = true;
    arguments.seconds = 0.005;
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(std::any_of(plan.groups.begin(), plan.groups.end(),
                        [](const GroupRecord& group) { return group.aloneUs.has_value(); }));
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const std::string& notice) {
        return notice.starts_with("measured with N = ");
    }));
    arguments.ranges = {{"N", {2, 5}}}; // the data has 1
    const Result<std::string> outside = a.ask("fuse", arguments);
    QVERIFY(!outside.ok());
    QCOMPARE(outside.diag().code, DiagCode::InputMismatch);
    QCOMPARE(outside.diag().message, std::string("N is from 2 to 5 (--dim); in the data it is 1"));
}

void TestMeasuredForms::whatHasNoTimeIsRefused_data() {
    QTest::addColumn<QStringList>("nodes");
    QTest::addColumn<QString>("said");
    QTest::newRow("a view") << QStringList{u"Flatten_flat"_s}
                            << u"Flatten_flat takes no time that could be measured"_s;
    QTest::newRow("beside a group")
        << QStringList{u"Conv_conv"_s, u"Flatten_flat"_s} << u"it is a view of what it reads"_s;
    QTest::newRow("three groups") << QStringList{u"Conv_conv"_s, u"MaxPool_pool"_s,
                                                 u"Softmax_probabilities"_s}
                                  << u"these operators are in 3 groups"_s;
}

void TestMeasuredForms::whatHasNoTimeIsRefused() {
    QFETCH(const QStringList, nodes);
    QFETCH(const QString, said);
    Arguments arguments = on("free_batch");
    for (const QString& node : nodes)
        arguments.nodes.push_back(node.toStdString());
    Asked a;
    const Result<std::string> answer = a.ask("fuse", arguments);
    QVERIFY(!answer.ok());
    QVERIFY2(answer.diag().text().find(said.toStdString()) != std::string::npos,
             answer.diag().text().c_str());
}

void TestMeasuredForms::operatorsOfOneGroupAreTold() {
    Asked a;
    const auto plan = a.get<FuseDocument>("fuse", of({"Relu_relu0", "Gemm_dense0"}));
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QVERIFY(std::find(plan.notices.begin(), plan.notices.end(),
                      "Relu_relu0 and Gemm_dense0 are in one group, dense_bias_relu_0") !=
            plan.notices.end());
}

void TestMeasuredForms::runsSayTheirConditions() {
    Asked a;
    Arguments arguments = on("mlp");
    arguments.seconds = 0.02;
    const auto times = a.get<ProfileDocument>("profile", arguments);
    QVERIFY(!times.machine.empty());
    QCOMPARE(times.taken.size(), std::size_t(20)); // 2026-11-28T18:40:12Z
    QVERIFY(!times.inputs.empty());
    QVERIFY2(times.inputs.begin()->second.starts_with("f32["),
             times.inputs.begin()->second.c_str());
    for (const ProfileRow& row : times.rows) {
        QVERIFY(row.iqrUs && *row.iqrUs >= 0);
        QVERIFY2(row.nodes.empty() || !row.origins.empty(), row.group.c_str());
    }
}

FW_TEST(TestMeasuredForms, QCoreApplication)
#include "test_measured_forms.moc"
