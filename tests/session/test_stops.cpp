// Stop in every long stage: whoever asks for a command may say at any of its reports of progress
// that it is to end, and in the middle of a run. It answers that it was cancelled, soon, and what
// is asked next is answered as if nothing had been.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <fmt/format.h>

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace fw;
using namespace fw::test;
using namespace fw::snapshot;

namespace {

constexpr int longestMs = 3000; // what the window waits for an answer before it ends the worker

// Arguments for any command: with a folder to write into, and measured for a moment only.
Arguments briefly(Arguments arguments, const QTemporaryDir& folder, const std::string& command) {
    arguments.seconds = 0.05;
    if (command == "export")
        arguments.output = folder.filePath(QStringLiteral("out")).toStdString();
    if (command == "tune")
        arguments.log = folder.filePath(QStringLiteral("tuning.jsonl")).toStdString();
    return arguments;
}

// So many products, each of which takes a tenth of a second.
Arguments products(const QTemporaryDir& folder) {
    constexpr std::int64_t width = 512;
    constexpr int steps = 200;
    ModelBuilder model(17);
    model.input("x0", {"N", std::to_string(width)}).weights("w", {width, width});
    for (int i = 0; i < steps; ++i) {
        model.node("MatMul", fmt::format("x{} w", i), fmt::format("m{}", i));
        model.node("Relu", fmt::format("m{}", i), fmt::format("x{}", i + 1));
    }
    model.output(fmt::format("x{}", steps));
    Arguments arguments;
    arguments.model = folder.filePath(QStringLiteral("long.onnx")).toStdString();
    arguments.target = "x86-64 -libs= -threads=1";
    arguments.dims = {{"N", 20000}};
    if (!writeFile(arguments.model, model.model.SerializeAsString()).ok())
        arguments.model.clear();
    return arguments;
}

// Stopped a while behind the begin of a stage, or of the whole where none is named.
void stopsInTheMiddle(const std::string& command, const Arguments& arguments,
                      const std::string& stage) {
    Asked a;
    std::atomic<bool> running = stage.empty(), answered = false;
    a.context.progress = [&](const StageProgress& step) {
        running = stage.empty() || step.stage == stage;
    };
    QElapsedTimer since;
    std::thread stop([&, cancel = a.context.cancel] {
        while (!running && !answered)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::this_thread::sleep_for(std::chrono::milliseconds(stage.empty() ? 1000 : 300));
        since.start();
        cancel.cancel();
    });
    const Result<std::string> answer = a.ask(command, arguments);
    answered = true;
    stop.join();
    QVERIFY2(!answer.ok(), "answered before it was stopped");
    QVERIFY2(answer.diag().code == DiagCode::Cancelled, answer.diag().text().c_str());
    QVERIFY2(since.elapsed() < longestMs, qPrintable(QString::number(since.elapsed())));
}

} // namespace

class TestStops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyReportIsAPlaceToStop_data();
    void everyReportIsAPlaceToStop();
    void runsStopBetweenSteps_data();
    void runsStopBetweenSteps();
    void longAnswersStop_data();
    void longAnswersStop();
};

void TestStops::everyReportIsAPlaceToStop_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"info", "graph", "rewrite", "fuse", "run", "profile", "bench",
                                "tune", "export", "verify"})
        QTest::newRow(command) << QString::fromLatin1(command);
}

void TestStops::everyReportIsAPlaceToStop() {
    QFETCH(QString, command);
    const std::string name = command.toStdString();
    QTemporaryDir folder;
    std::size_t reports = 0;
    {
        Asked a;
        const Result<std::string> whole = a.ask(name, briefly(on("lenet"), folder, name));
        QVERIFY2(whole.ok(), whole.ok() ? "" : whole.diag().text().c_str());
        reports = a.stages.size();
        QVERIFY(reports > 0);
    }
    constexpr std::size_t most = 8; // of many: the first, the last and some between
    const std::size_t tried = std::min(reports, most);
    for (std::size_t i = 0; i < tried; ++i) {
        const std::size_t at = tried == 1 ? 0 : i * (reports - 1) / (tried - 1);
        Asked a;
        std::string stage;
        QElapsedTimer since;
        const CancelToken cancel = a.context.cancel;
        a.context.progress = [&](const StageProgress& step) {
            a.stages.push_back(step.stage);
            if (a.stages.size() != at + 1)
                return;
            stage = fmt::format("{} {}", step.stage, step.text);
            since.start();
            cancel.cancel();
        };
        QTemporaryDir other;
        const Arguments arguments = briefly(on("lenet"), other, name);
        const Result<std::string> answer = a.ask(name, arguments);
        if (stage.empty()) // what was known is not reported again
            continue;
        QVERIFY2(!answer.ok(), stage.c_str());
        QVERIFY2(answer.diag().code == DiagCode::Cancelled,
                 (stage + ": " + answer.diag().text()).c_str());
        QVERIFY2(since.elapsed() < longestMs,
                 fmt::format("{}: {} ms", stage, since.elapsed()).c_str());
        a.context.cancel = CancelToken();
        const Result<std::string> again = a.ask(name, arguments);
        QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    }
}

void TestStops::runsStopBetweenSteps_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"run", "profile", "bench"})
        QTest::newRow(command) << QString::fromLatin1(command);
}

// A model that runs for many seconds, in steps of a tenth of one.
void TestStops::runsStopBetweenSteps() {
    QFETCH(QString, command);
    QTemporaryDir folder;
    stopsInTheMiddle(command.toStdString(), products(folder), "run");
}

void TestStops::longAnswersStop_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"check", "match", "bisect"})
        QTest::newRow(command) << QString::fromLatin1(command);
}

// A book of many rules, of which each is tried; a pattern that fits nothing in many ways, at many
// operators; a model that is computed behind many applications of a rule.
void TestStops::longAnswersStop() {
    QFETCH(QString, command);
    QTemporaryDir folder;
    Arguments arguments;
    std::string book;
    if (command == QStringLiteral("check")) {
        constexpr int rules = 200;
        for (int i = 0; i < rules; ++i)
            book += fmt::format("rule r{} {{ match y = abs(abs(x: f32[{}, ...])) emit y = abs(x) }}"
                                "\n",
                                i, i + 2);
    } else if (command == QStringLiteral("match")) {
        constexpr int operators = 20000, steps = 8;
        ModelBuilder model(17);
        model.input("x0", {"4", "8"});
        for (int i = 0; i < operators; ++i)
            model.node(i % 2 == 0 ? "Tanh" : "Relu", fmt::format("x{}", i),
                       fmt::format("x{}", i + 1));
        model.output(fmt::format("x{}", operators));
        arguments.model = folder.filePath(QStringLiteral("chain.onnx")).toStdString();
        QVERIFY(writeFile(arguments.model, model.model.SerializeAsString()).ok());
        book = "rule none { match y = exp(x)";
        for (int i = 0; i < steps; ++i)
            book += " >> (kind elementwise(^, ...))* {1..10}";
        book += " emit y = x }\n";
    } else {
        arguments = products(folder);
        book = "rule wrong { match y = relu(x) emit y = abs(x) }\n";
    }
    arguments.rules = {"/nowhere/book.fw"};
    arguments.texts = {{"/nowhere/book.fw", book}};
    stopsInTheMiddle(command.toStdString(), arguments, {});
}

FW_TEST(TestStops, QCoreApplication)
#include "test_stops.moc"
