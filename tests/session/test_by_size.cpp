// A model whose sizes choose the entry that computes it: what the commands tell of that, which
// entry a profile shows, and that verifying tries each at sizes that lead to it.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "session/asked.h"
#include "session/document.h"
#include "session/tune.h"

#include <QTemporaryDir>

#include <algorithm>
#include <map>
#include <set>

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
    void aRangePrunesTheTree();
    void aRangeDecidesGuardsOfCalls();
    void sizesOutsideTheRange();
    void rangesOfNoDimension();
    void aLogDividesTheSizes();
    void tuningFindsWhereItChanges();
    void tuningAlongOneDimensionOnly();

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
    QCOMPARE(*tree, "CHO09 dense: one of several, when the sizes are known: " + m_tree);
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
        QVERIFY2(row->comparisons > 0 && !row->differs, (row->verdict.str() + row->reason).c_str());
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
        QVERIFY(!notice.starts_with("CHO09"));
}

void TestBySize::aRangePrunesTheTree() {
    const auto by = [&](const SizeRange& range) {
        Arguments arguments = asked();
        arguments.ranges = {{"N", range}};
        const FuseDocument plan = Asked().get<FuseDocument>("fuse", arguments);
        std::string out = plan.groups[0].implementation;
        for (const std::string& notice : plan.notices)
            if (notice.starts_with("CHO09"))
                out += " of several";
        return out;
    };
    QCOMPARE(by({1, 16}), std::string("few_rows"));
    QCOMPARE(by({17, 89}), std::string("generated.tiled"));
    QCOMPARE(by({90, 2000}), std::string("ninety"));
    QCOMPARE(by({16, 17}), std::string("generated.tiled of several"));
    Arguments named = asked(); // by the name that a model may have
    named.ranges = {{"n", {1, 16}}};
    QCOMPARE(Asked().get<FuseDocument>("fuse", named).groups[0].implementation,
             std::string("few_rows"));
}

// A library that nobody named competes by estimate, for all sizes or for none.
void TestBySize::aRangeDecidesGuardsOfCalls() {
    const auto call = [&](const SizeRange& range) {
        Arguments arguments = asked();
        arguments.target = "x86-64 -threads=2";
        arguments.ranges = {{"N", range}};
        const FuseDocument plan = Asked().get<FuseDocument>("fuse", arguments);
        const CandidateRecord* found = candidateOf(plan.groups[0], "openblas.sgemm");
        return found == nullptr ? CandidateRecord() : *found;
    };
    const CandidateRecord large = call({17, 40});
    if (large.code.str().starts_with("LIB"))
        QSKIP(large.sentence.str().c_str());
    QCOMPARE(large.verdict.str(), std::string("ready"));
    QVERIFY(large.estUs);
    const CandidateRecord small = call({1, 16}), both = call({16, 17});
    QCOMPARE(small.code.str(), std::string("GRD01"));
    QVERIFY2(small.sentence.str().find("no sizes meet it") != std::string::npos,
             small.sentence.str().c_str());
    QCOMPARE(both.code.str(), std::string("GRD02"));
}

void TestBySize::sizesOutsideTheRange() {
    Arguments arguments = withRows(17);
    arguments.ranges = {{"N", {17, 64}}};
    QCOMPARE(Asked().get<RunDocument>("run", arguments).outputs[0].shape,
             (std::vector<std::int64_t>{17, 40}));
    for (const std::int64_t rows : {16, 65}) {
        Arguments outside = withRows(rows);
        outside.ranges = arguments.ranges;
        const Result<std::string> ran = Asked().ask("run", outside);
        QVERIFY(!ran.ok());
        QVERIFY2(ran.diag().message.find("N is from 17 to 64") != std::string::npos,
                 ran.diag().text().c_str());
    }
    arguments.inputs.clear(); // what is made up lies inside
    QVERIFY(Asked().ask("profile", arguments).ok());
}

void TestBySize::rangesOfNoDimension() {
    Arguments arguments = asked();
    arguments.ranges = {{"Q", {1, 2}}};
    const Result<std::string> unknown = Asked().ask("fuse", arguments);
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.diag().code, DiagCode::UnknownName);
    QCOMPARE(unknown.diag().hint, std::string("there are N"));
    arguments.ranges = {{"N", {1, std::int64_t(1) << 32}}};
    const Result<std::string> large = Asked().ask("fuse", arguments);
    QVERIFY(!large.ok());
    QCOMPARE(large.diag().code, DiagCode::DimOverflow);
}

void TestBySize::aLogDividesTheSizes() {
    Arguments arguments = asked();
    Pipeline pipeline(inputsOf(arguments));
    const FusionPlan* plan = pipeline.plan({}).value();
    const Graph& graph = *pipeline.simplified({}).value()->graph;
    const std::string workload =
        workloadText(graph, graph.node(plan->groups[0].anchor), *pipeline.target().value());
    arguments.log = m_folder.filePath(QStringLiteral("sizes.jsonl")).toStdString();
    const auto record = [&](std::int64_t size, const char* by, double us) {
        return TuningRecord{workload, by, us, "dense", false, "N", size};
    };
    QVERIFY(appendTuningLog(arguments.log,
                            {record(8, "few_rows", 10), record(8, "generated.tiled", 5),
                             record(32, "generated.tiled", 9), record(32, "generated.window", 5),
                             // As fast as the one before, but for noise.
                             record(48, "generated.tiled", 5), record(48, "generated.window", 5.1),
                             record(64, "generated.tiled", 4), record(64, "generated.window", 5),
                             // Nothing is known of what would be chosen.
                             record(70, "generated.window", 1)})
                .ok());
    const FuseDocument divided = Asked().get<FuseDocument>("fuse", arguments);
    const std::string tree =
        "few_rows where M <= 16: M = N (" + m_model +
        ":2) outside the sizes in the log, ninety where M >= 90: M = N (" + m_model +
        ":3) outside the sizes in the log, generated.window where 32 <= N <= 63 (log), "
        "else generated.tiled";
    const auto told =
        std::find_if(divided.notices.begin(), divided.notices.end(),
                     [](const std::string& notice) { return notice.starts_with("CHO09"); });
    QVERIFY(told != divided.notices.end());
    QCOMPARE(*told, "CHO09 dense: one of several, when the sizes are known: " + tree);
    QVERIFY(!divided.groups[0].untuned);
    const CandidateRecord* window = candidateOf(divided.groups[0], "generated.window");
    QVERIFY(window != nullptr);
    QCOMPARE(window->verdict, std::string("chosen"));
    const std::string sentence = window->sentence.str();
    QVERIFY2(sentence.find("at N = 32 generated.tiled 9.0 us, generated.window 5.0 us") !=
                 std::string::npos,
             sentence.c_str());
    for (const auto& [rows, by] :
         {std::pair(7, "few_rows"), std::pair(8, "generated.tiled"),
          std::pair(31, "generated.tiled"), std::pair(32, "generated.window"),
          std::pair(63, "generated.window"), std::pair(64, "generated.tiled"),
          std::pair(89, "generated.tiled"), std::pair(90, "ninety")}) {
        Arguments at = withRows(rows);
        at.log = arguments.log;
        const auto profile = Asked().get<ProfileDocument>("profile", at);
        QCOMPARE(profile.rows.size(), std::size_t(1));
        QCOMPARE(profile.rows[0].implementation, std::string(by));
    }
}

void TestBySize::tuningFindsWhereItChanges() {
    Arguments arguments = asked();
    arguments.seconds = 0.002;
    arguments.ranges = {{"N", {1, 40}}};
    arguments.log = m_folder.filePath(QStringLiteral("tuned.jsonl")).toStdString();
    const auto tuned = Asked().get<TuneDocument>("tune", arguments);
    QCOMPARE(tuned.workloads, std::int64_t(1));
    std::map<std::string, std::set<std::string>> at; // by size
    for (const TuneRow& row : tuned.rows)
        at[row.size].insert(row.implementation);
    for (const int size : {1, 2, 4, 8, 16, 17, 32, 40}) {
        const auto found = at.find("N = " + std::to_string(size));
        QVERIFY2(found != at.end(), std::to_string(size).c_str());
        QCOMPARE(found->second.contains("few_rows"), size <= 16);
        QVERIFY(found->second.contains("generated.tiled"));
        QVERIFY(!found->second.contains("ninety")); // in the range it is nowhere
    }
    const Result<TuningLog> log = readTuningLog(arguments.log);
    QVERIFY(log.ok() && log->diagnostics.empty());
    // Every size that was measured is computed by one of those that were.
    Arguments after = asked();
    after.log = arguments.log;
    const FuseDocument plan = Asked().get<FuseDocument>("fuse", after);
    QVERIFY(!plan.groups[0].untuned);
    const auto verified = Asked().get<VerifyDocument>("verify", after);
    QCOMPARE(verified.models[0].differing + verified.models[0].notRun, std::int64_t(0));
}

void TestBySize::tuningAlongOneDimensionOnly() {
    const std::string model = m_folder.filePath(QStringLiteral("two.fw")).toStdString();
    QVERIFY(
        writeFile(model, "graph net(x: f32[N, K], w: f32[40, K]) -> y { y = dense(x, w) }").ok());
    Arguments arguments = asked();
    arguments.model = model;
    arguments.seconds = 0.002;
    arguments.ranges = {{"N", {1, 4}}, {"K", {1, 4}}};
    arguments.log = m_folder.filePath(QStringLiteral("two.jsonl")).toStdString();
    const auto tuned = Asked().get<TuneDocument>("tune", arguments);
    QVERIFY(tuned.rows.empty());
    QCOMPARE(tuned.notices.size(), std::size_t(1));
    QVERIFY2(tuned.notices[0].starts_with("CHO07 dense_0:"), tuned.notices[0].c_str());
    arguments.ranges.erase("K");
    arguments.dims = {{"K", 24}};
    QVERIFY(!Asked().get<TuneDocument>("tune", arguments).rows.empty());
}

FW_TEST(TestBySize, QCoreApplication)
#include "test_by_size.moc"
