// While the worker is at something long, questions are answered by a second one; whichever of the
// two dies, nothing that was asked is lost.
#include "app/window/document.h"
#include "common/test.h"

#include <QSignalSpy>

#include <signal.h>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using snapshot::Arguments;

namespace {

const QString fake = QStringLiteral(FW_BINARY_DIR "/tests/fake_worker");

Arguments argumentsFor(const char* name) {
    Arguments out;
    out.model = name;
    return out;
}

Arguments question(const char* name) {
    Arguments out = argumentsFor(name);
    out.nodes = {"#24"};
    out.stage = "loops";
    out.name = "fusion.fw";
    out.rules = {"/b/typed.fw"};
    out.texts = {{"/b/typed.fw", "rule mine {\n}\n"}};
    out.position = snapshot::TextPlace{"/b/typed.fw", 1, 3};
    return out;
}

Arguments aboutNodes(const std::vector<snapshot::NodeId>& ids) {
    Arguments out;
    for (const snapshot::NodeId id : ids)
        out.nodes.push_back("#" + std::to_string(id));
    return out;
}

Arguments aboutStage() { // the loops of the first group
    Arguments out;
    out.stage = "loops";
    out.group = 0;
    return out;
}

} // namespace

class TestSecondWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_client.reset(); }
    void questionsAreAnsweredMeanwhile();
    void notStartedWithoutNeed();
    void plansWaitForTheFirst();
    void oneQuestionIsCancelled();
    void killedAtWork();
    void killedBetween();
    void diesInOneQuestion();
    void firstDiesMeanwhile();
    void endsAfterARest();
    void explainsWhileProfiling();
    void answersAreThoseOfTheFirst();

private:
    void profileHangs(); // until it is cancelled
    int ask(const char* command, const char* name = "m");
    std::unique_ptr<WorkerClient> m_client;
    std::int64_t m_profile = 0;
    Diag m_profileEnd;
    std::vector<std::pair<int, Result<snapshot::Pieces>>> m_answers;
    int m_asked = 0;
};

void TestSecondWorker::init() {
    m_client = std::make_unique<WorkerClient>(fake);
    m_profileEnd = {};
    m_answers.clear();
    m_asked = 0;
}

void TestSecondWorker::profileHangs() {
    QSignalSpy progress(m_client.get(), &WorkerClient::progressed);
    m_profile = m_client->request("profile", argumentsFor("hang_profile"), [this](auto answer) {
        m_profileEnd = answer ? Diag() : answer.diag();
    });
    QVERIFY(progress.wait(5000));
}

int TestSecondWorker::ask(const char* command, const char* name) {
    const int number = m_asked++;
    m_client->request(command, question(name), [this, number](auto answer) {
        m_answers.emplace_back(number, std::move(answer));
    });
    return number;
}

void TestSecondWorker::questionsAreAnsweredMeanwhile() {
    profileHangs();
    QSignalSpy died(m_client.get(), &WorkerClient::died);
    QSignalSpy progress(m_client.get(), &WorkerClient::progressed);
    for (const char* command : {"explain", "match", "stages", "check", "assist", "book"})
        ask(command);
    QTRY_COMPARE(m_answers.size(), std::size_t(6));
    for (int i = 0; i < 6; ++i) {
        QCOMPARE(m_answers[std::size_t(i)].first, i);
        QVERIFY(m_answers[std::size_t(i)].second.ok());
    }
    QVERIFY(m_client->secondProcessId() > 0);
    QVERIFY(m_client->secondProcessId() != m_client->processId());
    // Nothing of it is told; the long work goes on and ends as it would have.
    QCOMPARE(died.count(), 0);
    QCOMPARE(progress.count(), 0);
    QCOMPARE(m_client->state(), WorkerClient::State::Busy);
    QCOMPARE(m_client->pending(), 1);
    m_client->cancel(m_profile);
    QTRY_COMPARE(m_profileEnd.code, DiagCode::Cancelled);
}

void TestSecondWorker::notStartedWithoutNeed() {
    ask("explain");
    ask("fuse");
    ask("stages");
    QTRY_COMPARE(m_answers.size(), std::size_t(3));
    QCOMPARE(m_client->secondProcessId(), 0);
    // A task that is over is no reason either.
    bool done = false;
    m_client->request("profile", argumentsFor("m"), [&](auto) { done = true; });
    QTRY_VERIFY(done);
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(4));
    QCOMPARE(m_client->secondProcessId(), 0);
}

// What changes the plan belongs to the worker that compiles it next.
void TestSecondWorker::plansWaitForTheFirst() {
    profileHangs();
    ask("fuse");
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(1));
    QCOMPARE(m_answers[0].first, 1);
    m_client->cancel(m_profile);
    QTRY_COMPARE(m_answers.size(), std::size_t(2));
    QVERIFY(m_answers[1].second.ok());
}

void TestSecondWorker::oneQuestionIsCancelled() {
    profileHangs();
    Diag diag;
    const std::int64_t id = m_client->request("explain", question("hang_explain"),
                                              [&](auto answer) { diag = answer.diag(); });
    const int behind = ask("match");
    QTRY_VERIFY(m_client->secondProcessId() > 0);
    m_client->cancel(id);
    QTRY_COMPARE(diag.code, DiagCode::Cancelled);
    QTRY_COMPARE(m_answers.size(), std::size_t(1));
    QCOMPARE(m_answers[0].first, behind);
    QVERIFY(m_answers[0].second.ok() && m_profileEnd.message.empty());
}

void TestSecondWorker::killedAtWork() {
    profileHangs();
    QSignalSpy died(m_client.get(), &WorkerClient::died);
    bool isAtWork = false;
    connect(m_client.get(), &WorkerClient::logged, this,
            [&](const QString& line) { isAtWork = isAtWork || line.contains(u"fake: explain"); });
    std::int64_t hanging = m_client->request("explain", question("hang_explain"), {});
    ask("match");
    ask("check");
    QTRY_VERIFY(isAtWork);
    const qint64 killed = m_client->secondProcessId();
    ::kill(pid_t(killed), SIGKILL);
    QTRY_COMPARE(died.count(), 1);
    const Diag told = died.first().first().value<Diag>();
    QCOMPARE(told.severity, Severity::Warning);
    QVERIFY2(told.message.find("during explain") != std::string::npos, told.message.c_str());
    QTRY_VERIFY(m_client->secondProcessId() > 0 && m_client->secondProcessId() != killed);
    m_client->cancel(hanging); // it was asked again, and what waited behind it is answered
    QTRY_COMPARE(m_answers.size(), std::size_t(2));
    QVERIFY(m_answers[0].second.ok() && m_answers[1].second.ok());
    QVERIFY(m_profileEnd.message.empty());
}

void TestSecondWorker::killedBetween() {
    profileHangs();
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(1));
    QSignalSpy died(m_client.get(), &WorkerClient::died);
    ::kill(pid_t(m_client->secondProcessId()), SIGKILL);
    QTRY_COMPARE(died.count(), 1);
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(2));
    QVERIFY(m_answers[1].second.ok() && m_profileEnd.message.empty());
}

// A question that ends the worker each time is answered by that; the others are not lost with it.
void TestSecondWorker::diesInOneQuestion() {
    profileHangs();
    QSignalSpy died(m_client.get(), &WorkerClient::died);
    const int deadly = ask("stages", "die_stages");
    ask("explain");
    QTRY_COMPARE_WITH_TIMEOUT(m_answers.size(), std::size_t(2), 10000);
    for (const auto& [number, answer] : m_answers)
        if (number == deadly)
            QVERIFY(!answer && answer.diag().code == DiagCode::WorkerDied);
        else
            QVERIFY(answer.ok());
    QCOMPARE(died.count(), 2);
    QVERIFY(m_profileEnd.message.empty());
    QCOMPARE(m_client->state(), WorkerClient::State::Busy);
}

void TestSecondWorker::firstDiesMeanwhile() {
    profileHangs();
    std::int64_t hanging = 0;
    Diag diag;
    hanging = m_client->request("explain", question("hang_explain"),
                                [&](auto answer) { diag = answer.diag(); });
    QTRY_VERIFY(m_client->secondProcessId() > 0);
    QSignalSpy died(m_client.get(), &WorkerClient::died);
    ::kill(pid_t(m_client->processId()), SIGKILL);
    QTRY_COMPARE(m_profileEnd.code, DiagCode::WorkerDied);
    QCOMPARE(died.count(), 1);
    QVERIFY(diag.message.empty()); // the question goes on
    m_client->cancel(hanging);
    QTRY_COMPARE(diag.code, DiagCode::Cancelled);
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(1));
    QVERIFY(m_answers[0].second.ok());
}

void TestSecondWorker::endsAfterARest() {
    m_client->setRest(50);
    profileHangs();
    ask("explain");
    QTRY_COMPARE(m_answers.size(), std::size_t(1));
    QTRY_COMPARE(m_client->secondProcessId(), 0);
    ask("match"); // and is started again
    QTRY_COMPARE(m_answers.size(), std::size_t(2));
    QVERIFY(m_answers[1].second.ok());
}

// As the views see it.
void TestSecondWorker::explainsWhileProfiling() {
    Document document(*m_client);
    document.open(u"/m/hang_profile.onnx"_s);
    QTRY_COMPARE(document.state(Part::Plan), State::Ready);
    QTRY_VERIFY(document.idle());
    document.tasks().profile();
    QSignalSpy problems(&document, &Document::problem);
    document.want(Part::Explain, aboutNodes({24, 26}));
    QTRY_COMPARE(document.state(Part::Explain), State::Ready);
    document.want(Part::Stages, aboutStage());
    QTRY_COMPARE(document.state(Part::Stages), State::Ready);
    bool assisted = false;
    document.books().assist(u"/b/typed.fw"_s, u"rule mine {\n}\n"_s, 1, 3,
                            [&](const auto&) { assisted = true; });
    QTRY_VERIFY(assisted);
    QVERIFY(document.tasks().running());
    QCOMPARE(document.state(Part::Profile), State::Busy);
    QCOMPARE(problems.count(), 0);
    document.stop();
    QTRY_VERIFY(!document.tasks().running());
}

// With `fw`: the worker is stopped in the middle of its work, and the second says what it said.
void TestSecondWorker::answersAreThoseOfTheFirst() {
    WorkerClient client(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    Document document(client);
    document.setTarget(u"x86-64 -libs= -threads=1"_s);
    document.open(QStringLiteral(FW_SOURCE_DIR "/samples/residual/model.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(document.idle() && document.plan(), 60000);
    const auto nodes = document.plan()->groups.front().nodeIds;
    QVERIFY(nodes.size() > 1);
    const auto ask = [&] {
        document.want(Part::Explain, aboutNodes({nodes[0], nodes[1]}));
        QTRY_COMPARE_WITH_TIMEOUT(document.state(Part::Explain), State::Ready, 60000);
        document.want(Part::Stages, aboutStage());
        QTRY_COMPARE_WITH_TIMEOUT(document.state(Part::Stages), State::Ready, 60000);
    };
    ask();
    const auto explanation = document.explanation();
    const auto loops = document.stage();
    QCOMPARE(client.secondProcessId(), 0);
    QSignalSpy progress(&client, &WorkerClient::progressed);
    document.tasks().profile();
    QVERIFY(progress.wait(60000));
    ::kill(pid_t(client.processId()), SIGSTOP);
    ask();
    std::shared_ptr<const snapshot::AssistDocument> assisted;
    document.books().assist(u"/b/typed.fw"_s, u"rule mine {\n  match y = re\n}\n"_s, 2, 15,
                            [&](const auto& answer) { assisted = answer; });
    QTRY_VERIFY_WITH_TIMEOUT(assisted, 60000);
    QVERIFY(document.tasks().running() && client.secondProcessId() > 0);
    ::kill(pid_t(client.processId()), SIGCONT);
    QVERIFY(document.explanation() != explanation && *document.explanation() == *explanation);
    QVERIFY(document.stage() != loops && *document.stage() == *loops);
    // It knows the text that is typed, and the model that is open.
    QVERIFY(std::any_of(assisted->completions.begin(), assisted->completions.end(),
                        [](const auto& one) { return one.text == "relu"; }));
    QTRY_COMPARE_WITH_TIMEOUT(document.state(Part::Profile), State::Ready, 60000);
    QTRY_VERIFY(document.idle());
}

FW_TEST(TestSecondWorker, QCoreApplication)
#include "test_second_worker.moc"
