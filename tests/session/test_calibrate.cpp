// Calls of libraries that nobody named: they are chosen where they cost less, by what this machine
// was seen to reach in each class of work.
#include "asked.h"
#include "base/files.h"
#include "common/test.h"
#include "extern/extern.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "session/calibrate.h"
#include "strategy/machine.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::test;
using namespace fw::snapshot;

namespace {

const char* const model = "graph g(x: f32[1, 32, 40, 40]) -> y {\n"
                          "  w = const random(1) : f32[32, 32, 3, 3]\n"
                          "  y = conv2d(x, w) {pads = [1, 1, 1, 1]}\n"
                          "}\n";

bool hasOneDnn() {
    return externLibrary("onednn")->status().state == LibraryState::Ready;
}

constexpr const char* littleLess = "it takes a little less";

struct Case {
    const char* rates;  // of the machine, in GFLOP/s
    const char* libs;   // of the target
    const char* book;   // of the user
    const char* chosen; // implementation
    const char* source;
};

} // namespace

class TestCalibrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void classesOfWork_data();
    void classesOfWork();
    void costDecidesWhereNoLibraryIsNamed_data();
    void costDecidesWhereNoLibraryIsNamed();
    void measuredOncePerMachine();

private:
    std::string file(const char* name, const std::string& text) {
        const std::string path = m_folder.filePath(QString::fromLatin1(name)).toStdString();
        if (!writeFile(path, text).ok())
            qFatal("%s cannot be written", path.c_str());
        return path;
    }

    QTemporaryDir m_folder;
};

void TestCalibrate::classesOfWork_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* inputs, const char* call, const char* expected) {
        QTest::addRow("%s of %s", call, inputs)
            << QStringLiteral("graph g(%1) -> y { y = %2 }")
                   .arg(QLatin1String(inputs), QLatin1String(call))
            << QString::fromLatin1(expected);
    };
    row("x: f32[1, 8, 9, 9], w: f32[4, 8, 3, 3]", "conv2d(x, w)", "convolution");
    row("x: f32[N, 1, 9, 9], w: f32[4, 1, 3, 3]", "conv2d(x, w)", "convolution");
    row("x: f32[1, 8, 9, 9], w: f32[4, 8, 1, 3]", "conv2d(x, w)", "convolution");
    row("x: f32[1, 8, 9, 9], w: f32[8, 4, 3, 3]", "conv_transpose2d(x, w)", "convolution");
    row("x: f32[1, 8, 9, 9], w: f32[8, 1, 3, 3]", "conv2d(x, w) {groups = 8}", "grouped");
    row("x: f32[1, 8, 9, 9], w: f32[6, 4, 3, 3]", "conv2d(x, w) {groups = 2}", "grouped");
    row("x: f32[1, 8, 9, 9], w: f32[6, 4, 1, 1]", "conv2d(x, w) {groups = 2}", "grouped");
    row("x: f32[1, 32, 9, 9], w: f32[64, 32, 1, 1]", "conv2d(x, w)", "product");
    row("x: f32[1, 32, 1, 1], w: f32[64, 32, 1, 1]", "conv2d(x, w)", "few_rows");
    row("x: f32[9, 32], w: f32[64, 32]", "dense(x, w)", "product");
    row("x: f32[M, 32], w: f32[64, 32]", "dense(x, w)", "product");
    row("x: f32[8, 32], w: f32[64, 32]", "dense(x, w)", "few_rows");
    row("x: f32[900, 32], w: f32[3, 32]", "dense(x, w)", "few_rows");
    row("x: f32[2, 9, 32], w: f32[2, 32, 20]", "batch_matmul(x, w)", "product");
    row("x: f32[2, 1, 32], w: f32[2, 32, 20]", "batch_matmul(x, w)", "few_rows");
    row("x: f32[1, 8, 9, 9]", "max_pool2d(x) {kernel_shape = [3, 3]}", "pool");
    row("x: f32[1, 8, 9, 9]", "global_average_pool(x)", "rows");
    row("x: f32[8, 9]", "softmax(x)", "rows");
    row("x: f32[8, 9]", "relu(x)", "other");
}

void TestCalibrate::classesOfWork() {
    QFETCH(const QString, graph);
    QFETCH(const QString, expected);
    const GraphPtr made = parseGraph(graph.toStdString(), standardOperators()).value();
    const Node& node = *made->findByName("y");
    const Facts facts = made->operators().find(node.op)->facts(callOf(*made, node)).value();
    QCOMPARE(QString::fromUtf8(workText(facts.work)), expected);
}

void TestCalibrate::costDecidesWhereNoLibraryIsNamed_data() {
    QTest::addColumn<Case>("given");
    const char* const preferred = "implementations conv2d(...) on x86-64 {\n"
                                  "  onednn.conv priority 11\n}\n";
    const char* const avoided = "implementations conv2d(...) on any {\n"
                                "  generated.tiled priority 12 absorbs any\n}\n";
    const char* const quick = "own.convolution 50\nonednn.convolution 100\n";
    const char* const slow = "own.convolution 100\nonednn.convolution 50\n";
    const char* const alike = "own.convolution 100\nonednn.convolution 112\n";
    QTest::newRow("the library takes half the time") << Case{quick, "", "", "onednn.conv", "cost"};
    QTest::newRow("it takes twice the time") << Case{slow, "", "", "generated.tiled", "cost"};
    QTest::newRow(littleLess) << Case{alike, "", "", "generated.tiled", "cost"};
    QTest::newRow("it is named") << Case{slow, " -libs=onednn", "", "onednn.conv", "priority"};
    QTest::newRow("a book prefers it") << Case{slow, "", preferred, "onednn.conv", "priority"};
    QTest::newRow("a book prefers ours") << Case{quick, "", avoided, "generated.tiled", "priority"};
}

void TestCalibrate::costDecidesWhereNoLibraryIsNamed() {
    QFETCH(const Case, given);
    if (!hasOneDnn())
        QSKIP("oneDNN is not there");
    static int threads = 2; // each profile is read once for a number of threads
    const std::string machine = "gflops 140\nl2_gbps 100\nl3_gbps 50\nmemory_gbps 20\n"
                                "launch_us 0.1\nfork_us 1\nonednn.call_us 0.5\n";
    qputenv("FUSEWRIGHT_MACHINE", file("machine.txt", machine + given.rates).c_str());
    Arguments arguments;
    arguments.model = file("g.fw", model);
    arguments.target = "x86-64 -threads=" + std::to_string(threads++) + given.libs;
    if (*given.book != '\0')
        arguments.rules = {file("my.fw", given.book)};
    const auto planned = Asked().get<FuseDocument>("fuse", arguments);
    QCOMPARE(planned.groups.size(), std::size_t(1));
    QCOMPARE(planned.groups[0].implementation, std::string(given.chosen));
    QCOMPARE(planned.groups[0].source, std::string(given.source));
    if (planned.groups[0].source != "cost")
        return;
    // Both estimates are said, and why the smaller one was not enough.
    for (const CandidateRecord& candidate : planned.groups[0].candidates)
        if (candidate.verdict == "chosen") {
            const QString said = QString::fromStdString(candidate.sentence);
            QVERIFY2(said.contains("onednn.conv ") && said.contains("generated.tiled "),
                     qPrintable(said));
            QCOMPARE(said.contains("a tenth less"),
                     std::string_view(QTest::currentDataTag()) == littleLess);
        }
}

void TestCalibrate::measuredOncePerMachine() {
    if (!hasOneDnn())
        QSKIP("oneDNN is not there");
    qunsetenv("FUSEWRIGHT_MACHINE");
    QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    const Target target = parseTarget("x86-64 -threads=1").value();
    const std::string convolution = rateName(ownCode, WorkClass::Convolution);
    QVERIFY(!knownRate(target, convolution));
    Arguments arguments;
    arguments.model = file("g.fw", model);
    arguments.target = "x86-64 -threads=1";
    Asked asked;
    QVERIFY(asked.ask("fuse", arguments).ok());
    QVERIFY(std::count(asked.stages.begin(), asked.stages.end(), "machine") > 0);
    for (const WorkClass work : workClasses)
        QVERIFY2(knownRate(target, rateName(ownCode, work)).value_or(0) > 0,
                 rateName(ownCode, work).c_str());
    QVERIFY(knownRate(target, rateName("onednn", WorkClass::Pool)).value_or(0) > 0);
    QVERIFY(knownRate(target, callName("onednn")).value_or(0) > 0);
    asked.stages.clear();
    arguments.pins = "pin { use generated.plain for y }";
    QVERIFY(asked.ask("fuse", arguments).ok());
    QCOMPARE(std::count(asked.stages.begin(), asked.stages.end(), "machine"), 0);
    // Whether other work disturbed it or not: the next process measures nothing.
    asked.stages.clear();
    QVERIFY(checkMachine(target).ok());
    QVERIFY(calibrate(target, {}).ok());
    const QDir kept(cache.filePath(QStringLiteral("fusewright")));
    QFile figures(kept.filePath(kept.entryList({QStringLiteral("machine-*")}).value(0)));
    QVERIFY(figures.open(QIODevice::ReadOnly));
    QVERIFY(figures.readAll().contains("own.convolution "));
    // A CPU that is named has a table.
    const Target named = parseTarget("x86-64 -mcpu=x86-64-v3").value();
    QVERIFY(calibrate(named, {}).ok());
    QVERIFY(!knownRate(named, convolution));
}

FW_TEST(TestCalibrate, QCoreApplication)
#include "test_calibrate.moc"
