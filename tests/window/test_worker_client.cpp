// Requests are answered in order, cancelled, and survive the death of the worker as errors.
#include "app/window/worker_client.h"
#include "common/test.h"

#include <QSignalSpy>

#include <signal.h>

using namespace fw;
using namespace fw::ui;
using snapshot::Arguments;

class TestWorkerClient : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersInOrder();
    void errorsArriveAsDiags();
    void progressNamesTheRequest();
    void cancelOfTheRunningRequest();
    void cancelOfAWaitingRequest();
    void deafWorkerIsReplaced();
    void whatWaitsBehindAStoppedRequestIsAnswered();
    void deathFailsAllPendingAndRestarts();
    void killedBetweenRequests();
    void requestThatNeedsAFreshWorker();
    void missingProgramIsAnError();
    void workerThatDiesAtStart();
    void logIsPassedOn();

private:
    static QString fake() { return QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"); }
    static Arguments model(const char* name) {
        Arguments out;
        out.model = name;
        return out;
    }
};

void TestWorkerClient::answersInOrder() {
    WorkerClient client(fake());
    QStringList got;
    for (const char* command : {"info", "fuse", "doctor"})
        client.request(command, model("m"), [&got, command](const auto& answer) {
            QVERIFY(answer.ok());
            got << QString::fromLatin1(command);
        });
    QVERIFY(got.isEmpty());
    QTRY_COMPARE(got.size(), 3);
    QCOMPARE(got.join(' '), QStringLiteral("info fuse doctor"));
    QCOMPARE(client.version(), QStringLiteral("fake"));
    QCOMPARE(client.state(), WorkerClient::State::Idle);
}

void TestWorkerClient::errorsArriveAsDiags() {
    WorkerClient client(fake());
    Diag diag;
    client.request("info", model("/x/bad.onnx"), [&](auto answer) { diag = answer.diag(); });
    QTRY_COMPARE(diag.code, DiagCode::NotOnnx);
    QCOMPARE(diag.where.file, std::string("/x/bad.onnx"));
}

void TestWorkerClient::progressNamesTheRequest() {
    WorkerClient client(fake());
    qint64 seen = 0;
    connect(&client, &WorkerClient::progressed, this,
            [&](qint64 id, const snapshot::Progress& progress) {
                seen = id;
                QCOMPARE(progress.total, std::int64_t(3));
            });
    bool done = false;
    const auto id = client.request("profile", model("m"), [&](auto) { done = true; });
    QTRY_VERIFY(done);
    QCOMPARE(seen, qint64(id));
}

void TestWorkerClient::cancelOfTheRunningRequest() {
    WorkerClient client(fake());
    Diag diag;
    const auto id =
        client.request("profile", model("hang_profile"), [&](auto a) { diag = a.diag(); });
    QSignalSpy progress(&client, &WorkerClient::progressed);
    QVERIFY(progress.wait(5000));
    const qint64 process = client.processId();
    client.cancel(id);
    QTRY_COMPARE(diag.code, DiagCode::Cancelled);
    QCOMPARE(client.processId(), process); // the same worker goes on
}

void TestWorkerClient::cancelOfAWaitingRequest() {
    WorkerClient client(fake());
    Diag diag;
    bool first = false;
    const auto running =
        client.request("profile", model("hang_profile"), [&](auto) { first = true; });
    const auto waiting = client.request("fuse", model("m"), [&](auto a) { diag = a.diag(); });
    client.cancel(waiting);
    QTRY_COMPARE(diag.code, DiagCode::Cancelled);
    QVERIFY(!first);
    client.cancel(running);
    QTRY_VERIFY(first);
}

void TestWorkerClient::deafWorkerIsReplaced() {
    WorkerClient client(fake());
    client.setCancelGrace(50);
    Diag diag;
    const auto id =
        client.request("profile", model("deaf_profile"), [&](auto a) { diag = a.diag(); });
    QSignalSpy progress(&client, &WorkerClient::progressed);
    QVERIFY(progress.wait(5000));
    client.cancel(id);
    QTRY_COMPARE(diag.code, DiagCode::Cancelled);
    bool ok = false;
    client.request("info", model("m"), [&](auto answer) { ok = answer.ok(); });
    QTRY_VERIFY(ok);
}

// An explanation that takes long is asked for, then another one, then the first again.
void TestWorkerClient::whatWaitsBehindAStoppedRequestIsAnswered() {
    WorkerClient client(fake());
    client.setCancelGrace(50);
    Diag first, second;
    std::optional<bool> third;
    QSignalSpy progress(&client, &WorkerClient::progressed);
    const auto deaf = client.request("explain", model("deaf_explain"),
                                     [&](auto answer) { first = answer.diag(); });
    QVERIFY(progress.wait(5000));
    const auto other =
        client.request("fuse", model("m"), [&](auto answer) { second = answer.diag(); });
    client.cancel(deaf);
    client.request("info", model("m"), [&](auto answer) { third = answer.ok(); });
    client.cancel(other);
    QTRY_VERIFY(third.has_value());
    QVERIFY(*third);
    QCOMPARE(first.code, DiagCode::Cancelled);
    QCOMPARE(second.code, DiagCode::Cancelled);
}

void TestWorkerClient::deathFailsAllPendingAndRestarts() {
    WorkerClient client(fake());
    QSignalSpy died(&client, &WorkerClient::died);
    std::vector<Diag> diags;
    client.request("profile", model("/m/die_profile.onnx"),
                   [&](auto a) { diags.push_back(a.diag()); });
    client.request("fuse", model("m"), [&](auto a) { diags.push_back(a.diag()); });
    QTRY_COMPARE(diags.size(), std::size_t(2));
    QTRY_COMPARE(died.count(), 1);
    QCOMPARE(diags[0].code, DiagCode::WorkerDied);
    QCOMPARE(diags[1].code, DiagCode::WorkerDied);
    // Names the command, its stage and the node at work.
    QVERIFY(QString::fromStdString(diags[0].message)
                .contains(QStringLiteral("stage profile of conv2d_bias_relu_0")));
    QCOMPARE(diags[0].where.file, std::string("/m/die_profile.onnx"));
    QCOMPARE(diags[0].where.node, std::string("conv2d_bias_relu_0"));
    QTRY_COMPARE(client.state(), WorkerClient::State::Idle);
    bool ok = false;
    client.request("info", model("m"), [&](auto answer) { ok = answer.ok(); });
    QTRY_VERIFY(ok);
}

void TestWorkerClient::killedBetweenRequests() {
    WorkerClient client(fake());
    QTRY_COMPARE(client.state(), WorkerClient::State::Idle);
    const qint64 first = client.processId();
    QSignalSpy died(&client, &WorkerClient::died);
    ::kill(pid_t(first), SIGKILL);
    QTRY_COMPARE(died.count(), 1);
    QTRY_COMPARE(client.state(), WorkerClient::State::Idle);
    QVERIFY(client.processId() != first);
}

// A library takes its instruction set once per process: the worker is replaced without a word, the
// request is asked again, and what waited behind it is answered too.
void TestWorkerClient::requestThatNeedsAFreshWorker() {
    WorkerClient client(fake());
    QSignalSpy died(&client, &WorkerClient::died);
    bool first = false, fresh = false, behind = false;
    client.request("info", model("m"), [&](auto answer) { first = answer.ok(); });
    QTRY_VERIFY(first);
    const qint64 process = client.processId();
    client.request("fuse", model("fresh"), [&](auto answer) { fresh = answer.ok(); });
    client.request("info", model("m"), [&](auto answer) { behind = answer.ok(); });
    QTRY_VERIFY(fresh && behind);
    QVERIFY(client.processId() != process);
    // What a fresh worker says is the answer: nothing is asked for ever.
    Diag diag;
    client.request("fuse", model("never_fresh"), [&](auto answer) { diag = answer.diag(); });
    QTRY_COMPARE(diag.code, DiagCode::LibraryLevel);
    QCOMPARE(died.count(), 0);
}

void TestWorkerClient::missingProgramIsAnError() {
    WorkerClient client(QStringLiteral("/nonexistent/fw"));
    Diag diag;
    client.request("info", model("m"), [&](auto answer) { diag = answer.diag(); });
    QTRY_COMPARE(diag.code, DiagCode::WorkerDied);
    QVERIFY(QString::fromStdString(diag.message).contains(QStringLiteral("/nonexistent/fw")));
    QTRY_COMPARE(client.state(), WorkerClient::State::Failed);
    diag = {};
    client.request("info", model("m"), [&](auto answer) { diag = answer.diag(); });
    QTRY_COMPARE(diag.code, DiagCode::WorkerDied); // asked again, failed again, not stuck
}

void TestWorkerClient::workerThatDiesAtStart() {
    qputenv("FW_FAKE_DIES_AT_START", "1");
    WorkerClient client(fake());
    QSignalSpy died(&client, &WorkerClient::died);
    QTRY_COMPARE(client.state(), WorkerClient::State::Failed);
    const auto count = died.count();
    QCOMPARE(count, 3); // not for ever
    qunsetenv("FW_FAKE_DIES_AT_START");
    bool ok = false;
    client.request("info", model("m"), [&](auto answer) { ok = answer.ok(); });
    QTRY_VERIFY(ok);
}

void TestWorkerClient::logIsPassedOn() {
    WorkerClient client(fake());
    QSignalSpy logged(&client, &WorkerClient::logged);
    client.request("info", model("m"), {});
    QTRY_VERIFY(!logged.isEmpty());
    QVERIFY(logged.first().first().toString().startsWith(QStringLiteral("fake: info")));
}

FW_TEST(TestWorkerClient, QCoreApplication)
#include "test_worker_client.moc"
