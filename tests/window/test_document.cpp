// The document keeps what the user decided; answers of earlier generations are dropped.
#include "app/window/document.h"
#include "common/test.h"
#include "snapshot/provenance.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <signal.h>
#include <sys/stat.h>

using namespace fw;
using namespace fw::ui;

class TestDocument : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void opensAndPlans();
    void badFileLeavesTheOpenedOne();
    void documentsThatAreNoFile_data();
    void documentsThatAreNoFile();
    void targetPlansAgain();
    void illegalTargetKeepsThePlanAsStale();
    void lateAnswersAreDropped();
    void profileIsStaleAfterAnotherTarget();
    void stopKeepsTheDocument();
    void workerKilledKeepsTheDocument();
    void explainLatestWins();
    void provenanceIsManyToMany();

private:
    void open(const char* path) {
        m_document->open(QString::fromLatin1(path));
        QTRY_VERIFY(m_document->idle());
    }

    std::unique_ptr<WorkerClient> m_worker;
    std::unique_ptr<Document> m_document;
};

void TestDocument::init() {
    m_worker = std::make_unique<WorkerClient>(QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"));
    m_document = std::make_unique<Document>(*m_worker);
}

void TestDocument::cleanup() {
    m_document.reset();
    m_worker.reset();
    QThreadPool::globalInstance()->waitForDone();
}

void TestDocument::opensAndPlans() {
    QSignalSpy model(m_document.get(), &Document::modelChanged);
    open("/tmp/m.onnx");
    QCOMPARE(model.count(), 1);
    QVERIFY(m_document->isOpen());
    for (const Part part : {Part::Info, Part::Imported, Part::Fused, Part::Plan})
        QCOMPARE(m_document->state(part), State::Ready);
    QCOMPARE(m_document->state(Part::Profile), State::Empty);
    QCOMPARE(m_document->imported()->nodes.size(), std::size_t(10));
    QCOMPARE(m_document->plan()->groups.size(), std::size_t(3));
    QVERIFY(m_document->doctor());
}

void TestDocument::badFileLeavesTheOpenedOne() {
    open("/tmp/m.onnx");
    const auto plan = m_document->plan();
    QSignalSpy problems(m_document.get(), &Document::problem);
    open("/tmp/bad.onnx");
    QCOMPARE(problems.count(), 1);
    QCOMPARE(m_document->path(), QStringLiteral("/tmp/m.onnx"));
    QCOMPARE(m_document->plan(), plan);
    QCOMPARE(m_document->state(Part::Plan), State::Ready);
}

void TestDocument::documentsThatAreNoFile_data() {
    QTest::addColumn<QString>("lies");
    for (const char* lies : {"pipe", "link", "huge"})
        QTest::newRow(lies) << lies;
}

// Opening and saving tell so; neither waits for a pipe or reads to its end what is huge.
void TestDocument::documentsThatAreNoFile() {
    QFETCH(QString, lies);
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("work.fwdoc"));
    open("/tmp/m.onnx");
    QVERIFY(m_document->save(file, {}).ok());
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    QTRY_VERIFY(m_document->idle());
    QVERIFY(QFile::remove(file));
    const QString pipe = lies == u"link" ? folder.filePath(QStringLiteral("pipe")) : file;
    if (lies == u"huge") {
        QFile huge(file);
        QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64(3) << 30));
    } else {
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    }
    if (lies == u"link")
        QVERIFY(QFile::link(pipe, file));
    QSignalSpy problems(m_document.get(), &Document::problem);
    QCOMPARE(m_document->wasWrittenByOthers(file), lies == u"huge"); // what would be lost
    open(qPrintable(file));
    QCOMPARE(problems.count(), 1);
    QCOMPARE(m_document->path(), QStringLiteral("/tmp/m.onnx"));
    QVERIFY(m_document->unsaved());
    if (lies != u"huge") {
        QVERIFY(!m_document->save(file, {}).ok());
        QVERIFY(m_document->unsaved());
        QVERIFY(!QFileInfo(pipe).isFile());
    }
}

void TestDocument::targetPlansAgain() {
    open("/tmp/m.onnx");
    const auto imported = m_document->imported();
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    QCOMPARE(m_document->state(Part::Plan), State::Busy);
    QVERIFY(m_document->plan()); // the old one stays visible
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->plan()->groups.size(), std::size_t(4));
    QCOMPARE(m_document->imported(), imported); // does not depend on the target
}

void TestDocument::illegalTargetKeepsThePlanAsStale() {
    open("/tmp/m.onnx");
    m_document->setTarget(QStringLiteral("bogus"));
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->state(Part::Plan), State::Error);
    QCOMPARE(m_document->error(Part::Plan).code, DiagCode::UnknownTarget);
    QCOMPARE(m_document->plan()->groups.size(), std::size_t(3));
    m_document->setTarget({});
    QTRY_COMPARE(m_document->state(Part::Plan), State::Ready);
}

void TestDocument::lateAnswersAreDropped() {
    open("/tmp/m.onnx");
    // Several targets in a row: only the last one may be seen, whatever order the answers come in.
    std::vector<std::size_t> seen;
    connect(m_document.get(), &Document::changed, this, [&](Parts parts) {
        if (parts.has(Part::Plan) && m_document->state(Part::Plan) == State::Ready)
            seen.push_back(m_document->plan()->groups.size());
    });
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v4"));
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3 -threads=1"));
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(seen, std::vector<std::size_t>{4});
    QCOMPARE(m_document->plan()->target, std::string("x86-64 -mcpu=x86-64-v3 -threads=1"));
}

void TestDocument::profileIsStaleAfterAnotherTarget() {
    open("/tmp/m.onnx");
    m_document->tasks().profile();
    QVERIFY(m_document->tasks().running());
    QTRY_VERIFY(m_document->idle());
    QVERIFY(!m_document->tasks().running());
    QCOMPARE(m_document->state(Part::Profile), State::Ready);
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->state(Part::Profile), State::Stale);
    QVERIFY(m_document->profileResult());
}

void TestDocument::stopKeepsTheDocument() {
    open("/tmp/hang_profile.onnx");
    QSignalSpy progress(m_worker.get(), &WorkerClient::progressed);
    m_document->tasks().profile();
    QVERIFY(progress.wait(5000));
    m_document->stop();
    QTRY_VERIFY(m_document->idle());
    QVERIFY(!m_document->tasks().running());
    QCOMPARE(m_document->state(Part::Profile), State::Empty);
    QCOMPARE(m_document->state(Part::Plan), State::Ready);
}

void TestDocument::workerKilledKeepsTheDocument() {
    open("/tmp/hang_profile.onnx");
    const auto plan = m_document->plan();
    m_document->tasks().profile();
    QSignalSpy progress(m_worker.get(), &WorkerClient::progressed);
    QVERIFY(progress.wait(5000));
    ::kill(pid_t(m_worker->processId()), SIGKILL);
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->state(Part::Profile), State::Error);
    QCOMPARE(m_document->error(Part::Profile).code, DiagCode::WorkerDied);
    QCOMPARE(m_document->plan(), plan);
    m_document->setTarget(QStringLiteral("x86-64 -mcpu=x86-64-v3")); // the new worker serves
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->plan()->groups.size(), std::size_t(4));
}

void TestDocument::explainLatestWins() {
    open("/tmp/m.onnx");
    const auto explain = [&](const std::vector<std::string>& nodes) {
        snapshot::Arguments about;
        about.nodes = nodes;
        m_document->want(Part::Explain, about);
    };
    explain({"#22"});
    explain({"#27"});
    explain({"#26", "#27"});
    QTRY_VERIFY(m_document->idle());
    QCOMPARE(m_document->explanation()->nodes, (std::vector<snapshot::NodeId>{26, 27}));
    snapshot::Arguments loops;
    loops.stage = "loops";
    loops.group = 1;
    m_document->want(Part::Stages, loops);
    QTRY_COMPARE(m_document->state(Part::Stages), State::Ready);
    QCOMPARE(*m_document->stage()->group, 1);
}

void TestDocument::provenanceIsManyToMany() {
    open("/tmp/m.onnx");
    const snapshot::Provenance provenance(*m_document->fused());
    using Set = snapshot::NodeSet;
    QCOMPARE(provenance.toFused({4}), (Set{22, 23}));
    QCOMPARE(provenance.toImported({22}), (Set{2, 3, 4}));
    QCOMPARE(provenance.toFused({99}), Set{});
    QCOMPARE(provenance.groupOf(28), 1);
    QCOMPARE(provenance.groupOf(21), -1);
    QCOMPARE(provenance.membersOf(0), (Set{22, 23, 24}));
}

FW_TEST(TestDocument, QCoreApplication)
#include "test_document.moc"
