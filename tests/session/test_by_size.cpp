// A model whose sizes choose the entry that computes it: what the commands tell of that, which
// entry a profile shows, and that verifying tries each at sizes that lead to it.
#include "base/files.h"
#include "onnx/tensor_file.h"
#include "session/asked.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

const CandidateRecord* candidateOf(const GroupRecord& group, const std::string& name) {
    for (const CandidateRecord& candidate : group.candidates)
        if (candidate.name == name)
            return &candidate;
    return nullptr;
}

} // namespace

class TestBySize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void planTellsTheTree();
    void explainTellsTheTree();
    void stagesShowEachWay();
    void profileShowsWhichRan();
    void verifyReachesEach();
    void runAgreesWithTheReference();
    void knownSizesHaveNoTree();

private:
    Arguments asked() const {
        Arguments out = on("");
        out.model = m_model;
        out.seconds = 0.02;
        return out;
    }
    // With that many rows.
    Arguments withRows(std::int64_t rows) const {
        Arguments out = asked();
        const std::string file = m_folder.filePath(QStringLiteral("x.npy")).toStdString();
        [&] {
            QVERIFY(writeTensorFile(file, {"x", randomData(DType::F32, {rows, 24}, 3)}).ok());
        }();
        out.inputs = {{"x", file}};
        return out;
    }

    QTemporaryDir m_folder;
    std::string m_model;
    std::string m_tree; // what computes the product where
};

void TestBySize::initTestCase() {
    m_model = m_folder.filePath(QStringLiteral("net.fw")).toStdString();
    QVERIFY(writeFile(m_model, R"(implementations dense(...) let M = size(P) on any {
  few_rows by generated.rowwise priority 30 when M <= 16
  ninety   by generated.window  priority 20 when M >= 90
}
graph net(x: f32[N, 24]) -> y {
  w = const random(1) : f32[40, 24]
  d = dense(x, w)
  y = relu(d)
}
)")
                .ok());
    m_tree = "few_rows where M <= 16: M = N (" + m_model + ":2), ninety where M >= 90: M = N (" +
             m_model + ":3), else generated.tiled";
}

void TestBySize::planTellsTheTree() {
    const FuseDocument plan = Asked().get<FuseDocument>("fuse", asked());
    QCOMPARE(plan.groups.size(), std::size_t(1));
    for (const char* name : {"few_rows", "ninety", "generated.tiled"}) {
        const CandidateRecord* candidate = candidateOf(plan.groups[0], name);
        QVERIFY(candidate != nullptr);
        QCOMPARE(candidate->verdict, std::string("chosen"));
    }
    QCOMPARE(plan.groups[0].implementation, std::string("generated.tiled"));
    const auto tree =
        std::find_if(plan.notices.begin(), plan.notices.end(), [](const std::string& notice) {
            return notice.find("few_rows where") != notice.npos;
        });
    QVERIFY(tree != plan.notices.end());
    QCOMPARE(*tree,
             "GRD02 dense: its condition is not decided before the shapes are known: " + m_tree);
}

void TestBySize::explainTellsTheTree() {
    Arguments arguments = asked();
    arguments.nodes = {"d"};
    const auto told = Asked().get<ExplainDocument>("explain", arguments);
    QVERIFY2(told.sentence.ends_with("by " + m_tree), told.sentence.c_str());
}

void TestBySize::stagesShowEachWay() {
    Arguments arguments = asked();
    for (const char* stage : {"schedule", "loops", "tensor", "asm"}) {
        arguments.stage = stage;
        const auto text = Asked().get<StagesDocument>("stages", arguments).text;
        for (const char* line : {"# by few_rows where M <= 16", "# by ninety where M >= 90",
                                 "# by generated.tiled else"})
            QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    }
    arguments.stage = "fused";
    const auto text = Asked().get<StagesDocument>("stages", arguments).text;
    QVERIFY2(text.find("with few_rows where M <= 16") != std::string::npos, text.c_str());
}

void TestBySize::profileShowsWhichRan() {
    for (const auto& [rows, by] :
         {std::pair(1, "few_rows"), std::pair(16, "few_rows"), std::pair(17, "generated.tiled"),
          std::pair(89, "generated.tiled"), std::pair(90, "ninety")}) {
        const auto profile = Asked().get<ProfileDocument>("profile", withRows(rows));
        QCOMPARE(profile.rows.size(), std::size_t(1));
        QCOMPARE(profile.rows[0].implementation, std::string(by));
        QVERIFY(profile.rows[0].medianUs > 0);
    }
}

void TestBySize::verifyReachesEach() {
    const auto document = Asked().get<VerifyDocument>("verify", asked());
    for (const char* name : {"few_rows", "ninety", "generated.tiled"}) {
        const auto row =
            std::find_if(document.models[0].rows.begin(), document.models[0].rows.end(),
                         [&](const VerifyRow& one) { return one.implementation == name; });
        QVERIFY2(row != document.models[0].rows.end(), name);
        QVERIFY2(row->comparisons > 0 && !row->differs, (row->verdict + row->reason).c_str());
    }
    QCOMPARE(document.models[0].differing + document.models[0].notRun, std::int64_t(0));
}

void TestBySize::runAgreesWithTheReference() {
    Arguments arguments = withRows(17);
    arguments.values = {"y"}; // by the reference, behind what the program computes
    const auto ran = Asked().get<RunDocument>("run", arguments);
    QCOMPARE(ran.outputs.size(), std::size_t(1));
    QCOMPARE(ran.outputs[0].shape, (std::vector<std::int64_t>{17, 40}));
}

void TestBySize::knownSizesHaveNoTree() {
    Arguments arguments = asked();
    arguments.dims = {{"N", 90}};
    const FuseDocument plan = Asked().get<FuseDocument>("fuse", arguments);
    QCOMPARE(plan.groups[0].implementation, std::string("ninety"));
    for (const std::string& notice : plan.notices)
        QVERIFY(!notice.starts_with("GRD02"));
}

QTEST_GUILESS_MAIN(TestBySize)
#include "test_by_size.moc"
