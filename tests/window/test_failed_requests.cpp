// What is said of a request that failed or was stopped, and not of another one.
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/explain/explain_view.h"
#include "window/story_fixture.h"

#include <csignal>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestFailedRequests : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"broken"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void bannerIsOfTheLatestOpen();
    void bannerGoesWithARetry();
    void stoppedExplanationIsNotOfTheOldNode();

private:
    QString banner() const { return m_window->messageBar()->text(); }
};

void TestFailedRequests::bannerIsOfTheLatestOpen() {
    start();
    open(u"residual"_s);
    m_window->setTargetText(u"x86-64 -mcpu=no-such-machine"_s);
    waitIdle();
    QVERIFY(banner().contains(u"no-such-machine"_s));
    m_window->openModel(m_folder.filePath(u"broken/missing_input.onnx"_s));
    QCOMPARE(banner(), QString()); // of what is attempted now nothing is known
    waitIdle();
    QVERIFY2(banner().contains(u"missing_input.onnx"_s) && !banner().contains(u"no-such-machine"_s),
             qPrintable(banner()));
    // The document is the one before, with its own problem where it stands.
    QVERIFY(m_window->document().path().contains(u"residual"_s));
    m_window->openModel(m_folder.filePath(u"broken/empty.onnx"_s));
    waitIdle();
    QVERIFY2(banner().contains(u"empty.onnx"_s) && !banner().contains(u"missing_input"_s),
             qPrintable(banner()));
}

void TestFailedRequests::bannerGoesWithARetry() {
    start();
    open(u"residual"_s);
    const QString model = m_window->document().path();
    QVERIFY(QFile::rename(model, model + u".away"_s));
    press(u"F5"_s);
    waitIdle();
    QVERIFY2(banner().contains(u"FIL01"_s), qPrintable(banner()));
    QVERIFY(QFile::rename(model + u".away"_s, model));
    press(u"F5"_s);
    QCOMPARE(banner(), QString());
    waitIdle();
    QCOMPARE(banner(), QString());
}

void TestFailedRequests::stoppedExplanationIsNotOfTheOldNode() {
    start();
    open(u"residual"_s);
    ExplainView* view = m_window->view<ExplainView>();
    QVERIFY(m_window->selectByNames({u"Relu_stem_relu"_s}));
    waitIdle();
    QVERIFY2(view->sentence().contains(u"Relu_stem_relu"_s), qPrintable(view->sentence()));
    ::kill(pid_t(m_window->worker().processId()), SIGSTOP);
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v2 -libs= -threads=2"_s); // a plan comes first
    QVERIFY(m_window->selectByNames({u"Relu_left_relu"_s}));
    QTRY_COMPARE(m_window->document().state(Part::Explain), State::Busy);
    m_window->document().stop();
    ::kill(pid_t(m_window->worker().processId()), SIGCONT);
    waitIdle();
    QVERIFY2(!view->sentence().contains(u"Relu_stem_relu"_s), qPrintable(view->sentence()));
    if (m_window->document().state(Part::Explain) != State::Ready) { // unless it came first
        QVERIFY2(view->overlay()->text().contains(u"stopped"_s),
                 qPrintable(view->overlay()->text()));
        Q_EMIT view->overlay()->actionRequested();
        waitIdle();
    }
    QVERIFY2(view->sentence().contains(u"Relu_left_relu"_s), qPrintable(view->sentence()));
}

FW_TEST(TestFailedRequests, QApplication)
#include "test_failed_requests.moc"
