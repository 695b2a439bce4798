// The worker is killed in each part of the story of authoring: it costs a message. The texts and
// the document stay as they are, and what was asked for is there when it is asked for again.
#include "app/window/counterexample_window.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/graph/graph_pane.h"
#include "views/implementations/implementations_view.h"
#include "window/story_fixture.h"

#include <csignal>
#include <functional>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using namespace std::string_literals;

namespace {

const QStringList block = {u"Conv_left1"_s, u"BatchNormalization_left1_bn"_s, u"Relu_left_relu"_s};
const QString lostRule = u"rule mine"_s;
const QString rightRule =
    u"rule mine {\n"
    "  match  y = conv2d(x, w: const) {pads = [1, 1, 1, 1], *a}\n"
    "         >> batch_norm(^, g: const, t: const, m: const, v: const) {*a2} >> relu(^)\n"
    "  let    b = batch_norm(conv2d(x, w) {*a}, g, t, m, v) {*a2}\n"
    "  emit   y = (b + abs(b)) * 0.5\n"
    "}\n"_s;

} // namespace

class TestLostWorker : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init();
    void cleanup() { end(); }
    void killedWorkerCostsAMessage_data();
    void killedWorkerCostsAMessage();
    void closedBookIsCheckedAgain();

private:
    // A part of the story in which the worker is killed.
    struct Step {
        const char* name;
        const char* command;                        // that it is at
        std::function<void(TestLostWorker&)> ready; // before; may be null
        std::function<void(TestLostWorker&)> ask;   // does not wait
        std::function<bool(TestLostWorker&)> done;  // what was asked for is there
        // Null: asked as before.
        std::function<void(TestLostWorker&)> again;
        enum class When { Asked, Progressed } when = When::Asked;
    };
    static const std::vector<Step>& steps();
    QString note() const { return untimedNoteOf(lostRule); }
    pid_t worker() const { return pid_t(m_window->worker().processId()); }
    void signalWorker(int signal) { QCOMPARE(::kill(worker(), signal), 0); }
    void killIn(const Step& step);
    void changeRule(const QString& emitted) { // and does not wait
        const int line = lineOf(u"  emit "_s);
        QVERIFY(line > 0);
        editor()->goTo({line, 1});
        QTextCursor cursor = editor()->textCursor();
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.insertText(u"  emit   y = "_s + emitted);
    }
    BooksArea* area() const { return m_window->view<BooksView>()->area(); }
    bool found(State state) const { // where the book that is shown matches
        const auto* matches = m_window->document().textMatchesOf(area()->currentPath());
        return matches && matches->state == state;
    }
    State stateOf(Part part) const { return m_window->document().state(part); }
};

void TestLostWorker::init() {
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->answerSaveName([](const QString& suggested) { return suggested; });
}

const std::vector<TestLostWorker::Step>& TestLostWorker::steps() {
    const auto typeOn = [](TestLostWorker& test) { test.strike(Qt::Key_Space); };
    const auto judged = [](TestLostWorker& test) {
        return test.note() == u"refuted, 2 matches"_s && test.stateOf(Part::Plan) == State::Ready;
    };
    const auto asBeforeIs = [](TestLostWorker& test) { test.changeRule(u"b"_s); };
    const auto otherTarget = [](TestLostWorker& test) {
        test.m_window->setTargetText(u"x86-64 -mcpu=x86-64-v2 -libs= -threads=1"_s);
    };
    const auto plannedForIt = [](TestLostWorker& test) {
        return test.stateOf(Part::Plan) == State::Ready &&
               test.m_window->document().plan()->target.find("x86-64-v2") != std::string::npos;
    };
    static const std::vector<Step> all = {
        {"making text",
         "sketch",
         [](TestLostWorker& test) {
             QVERIFY(test.m_window->selectByNames(block));
             test.waitIdle();
         },
         [](TestLostWorker& test) { test.strike(Qt::CTRL | Qt::SHIFT | Qt::Key_M); },
         [](TestLostWorker& test) {
             return test.made().startsWith(u"pattern block(x"_s) &&
                    test.stateOf(Part::Sketch) == State::Ready;
         },
         {}},
        {"completing",
         "assist",
         [](TestLostWorker& test) {
             test.editor()->goTo({test.lineOf(u"  emit "_s), 16});
         },
         [](TestLostWorker& test) { test.strike(Qt::CTRL | Qt::Key_Space); },
         [](TestLostWorker& test) { return test.popup()->isVisible(); },
         {}},
        {"checking", "check", {}, asBeforeIs, judged, typeOn},
        {"matching", "match", {}, asBeforeIs, judged, typeOn},
        {"showing the counterexample", "graph",
         [](TestLostWorker& test) {
             test.changeRule(u"b"_s);
             QTRY_COMPARE(test.note(), u"refuted, 2 matches"_s);
             test.waitIdle();
         },
         [](TestLostWorker& test) { test.strike(Qt::CTRL | Qt::ALT | Qt::Key_X); },
         [](TestLostWorker& test) {
             const auto* example = test.m_window->graphWindows().counterexample();
             return example && !example->busy() && example->before()->canvas()->picture() &&
                    example->after()->canvas()->picture();
         },
         [](TestLostWorker& test) {
             QApplication::setActiveWindow(test.m_window.get());
             test.editor()->setFocus();
             test.strike(Qt::CTRL | Qt::ALT | Qt::Key_X);
         }},
        {"drawing the plan",
         "graph",
         {},
         otherTarget,
         plannedForIt,
         [](TestLostWorker& test) { test.strike(Qt::Key_F5); }},
        {"planning",
         "fuse",
         {},
         otherTarget,
         plannedForIt,
         [](TestLostWorker& test) {
             const auto* fused = test.m_window->view<GraphsView>()->pane(GraphSide::Fused);
             for (auto* button : fused->overlay()->findChildren<QPushButton*>())
                 if (button->isVisible() && button->text() == u"Try again"_s)
                     return button->click();
             QFAIL("nothing offers to try again");
         }},
        {"profiling",
         "profile",
         {},
         [](TestLostWorker& test) { test.strike(Qt::CTRL | Qt::Key_F10); },
         [](TestLostWorker& test) { return test.stateOf(Part::Profile) == State::Ready; },
         {},
         Step::When::Progressed},
        {"verifying",
         "verify",
         {},
         [](TestLostWorker& test) { test.strike(Qt::CTRL | Qt::SHIFT | Qt::Key_F11); },
         [](TestLostWorker& test) {
             return test.m_window->view<ImplementationsView>()->model().isVerified();
         },
         {},
         Step::When::Progressed},
        {"exporting the model",
         "rewrite",
         {},
         [](TestLostWorker& test) {
             test.answerFileDialog(test.m_folder.filePath(u"killed.onnx"_s));
             test.strike(Qt::CTRL | Qt::ALT | Qt::Key_F);
         },
         [](TestLostWorker& test) {
             return QFileInfo(test.m_folder.filePath(u"killed.onnx"_s)).size() > 1000;
         },
         {}},
        {"exporting a module",
         "export",
         {},
         [](TestLostWorker& test) {
             test.m_window->document().tasks().exportModule(test.m_folder.filePath(u"module"_s));
         },
         [](TestLostWorker& test) {
             return !QDir(test.m_folder.filePath(u"module"_s)).entryList({u"*.so"_s}).isEmpty();
         },
         {},
         Step::When::Progressed},
    };
    return all;
}

// A worker that is stopped, at its request before, has not answered when it is killed.
void TestLostWorker::killIn(const Step& step) {
    WorkerClient& client = m_window->worker();
    const qint64 killed = client.processId();
    const QMetaObject::Connection stops = QObject::connect(
        &client, &WorkerClient::finished, m_window.get(), [&] { signalWorker(SIGSTOP); });
    signalWorker(SIGSTOP);
    step.ask(*this);
    while (client.atWork() != step.command) {
        QSignalSpy finished(&client, &WorkerClient::finished);
        QTRY_VERIFY(!client.atWork().empty());
        if (client.atWork() == step.command)
            break;
        signalWorker(SIGCONT);
        QVERIFY2(finished.wait(30000), client.atWork().c_str());
    }
    if (step.when == Step::When::Progressed) {
        QSignalSpy progressed(&client, &WorkerClient::progressed);
        signalWorker(SIGCONT);
        QVERIFY(progressed.wait(30000));
    }
    QObject::disconnect(stops);
    ::kill(pid_t(killed), SIGKILL);
    waitIdle();
    QTRY_VERIFY(client.processId() > 0 && client.processId() != killed);
    const QString said = m_window->messageBar()->text();
    QVERIFY2(said.contains(u"INT02"_s) &&
                 said.contains(u"died during "_s + QString::fromLatin1(step.command)),
             qPrintable(said));
}

void TestLostWorker::killedWorkerCostsAMessage_data() {
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < steps().size(); ++i)
        QTest::newRow(steps()[i].name) << int(i);
}

void TestLostWorker::killedWorkerCostsAMessage() {
    QFETCH(int, number);
    const Step& step = steps()[std::size_t(number)];
    open(u"residual"_s);
    press(u"Ctrl+Shift+N"_s);
    editor()->insertPlainText(rightRule);
    editor()->setFocus();
    waitIdle();
    QVERIFY2(isRight(lostRule), qPrintable(note()));
    press(u"Ctrl+S"_s);
    const QString book = area()->currentPath();
    const QString file = m_folder.filePath(u"killed.fwdoc"_s);
    QVERIFY(m_window->saveTo(file));
    editor()->insertPlainText(u"# not saved"_s);
    waitIdle();
    if (step.ready)
        step.ready(*this);
    const auto bytesOf = [](const QString& path) {
        QFile read(path);
        return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
    };
    const QByteArray bookBefore = bytesOf(book), fileBefore = bytesOf(file);
    QVERIFY(!bookBefore.isEmpty() && !fileBefore.isEmpty());

    QString text;
    snapshot::Inputs inputs;
    Step asked = step;
    asked.ask = [&](TestLostWorker& test) {
        step.ask(test);
        text = editor()->wholeText();
        inputs = m_window->document().inputs();
    };
    killIn(asked);
    QVERIFY(!step.done(*this));
    const auto intact = [&] {
        QCOMPARE(editor()->wholeText(), text);
        QCOMPARE(area()->changed(), QStringList{book});
        QVERIFY(m_window->document().inputs() == inputs);
        QCOMPARE(bytesOf(book), bookBefore);
        QCOMPARE(bytesOf(file), fileBefore);
    };
    intact();
    if (asked.command == "check"s) // what stands in the margin is of the text before
        QVERIFY(editor()->notes().at(lineOf(lostRule)).look == MarginNote::Look::Stale);
    QVERIFY(m_window->document().plan() && m_window->document().fused());

    const qint64 now = worker();
    (step.again ? step.again : step.ask)(*this);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->idle() && step.done(*this), 30000);
    if (step.again && editor()->wholeText() != text) // typed on
        text = editor()->wholeText();
    intact();
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    QCOMPARE(m_window->worker().processId(), now);
}

// With the next plan, without a key in its text.
void TestLostWorker::closedBookIsCheckedAgain() {
    open(u"residual"_s);
    const QString path = m_folder.filePath(u"closed.fw"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(rightRule.toUtf8()) > 0);
    file.close();
    killIn({"", "check", {}, [&](TestLostWorker& test) { test.m_window->openBook(path); }, {}, {}});
    const auto verdict = [&] {
        const auto& items = m_window->document().checks().at(path.toStdString())->items;
        return items.empty() ? std::string() : items.front().verdict;
    };
    QCOMPARE(verdict(), std::string());
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v2 -libs= -threads=1"_s);
    waitIdle();
    const std::string known = verdict(); // right, whatever it leaves out
    QVERIFY2(known.starts_with("proved") || known.starts_with("tested"), known.c_str());
}

FW_TEST(TestLostWorker, QApplication)
#include "test_lost_worker.moc"
