// A window that is killed while pins and other decisions are not saved, and the next one. The
// window to be killed is this program itself: `--window FOLDER` opens the model, decides, says
// "written", and waits.
#include "app/window/message_bar.h"
#include "common/test.h"
#include "snapshot/document_file.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const snapshot::Pin pin{snapshot::PinKind::Avoid, {}, "generated.tiled", "it is tried"};

class CrashingDocument : StoryFixture {
public:
    int run(const QString& model) {
        StoryFixture::start();
        m_window->openModel(model);
        waitIdle();
        m_window->document().edit(snapshot::AddPin{pin});
        m_window->document().edit(snapshot::LeaveOut{{"soft at nobody"}});
        return waitToBeKilled("soft at nobody");
    }
};

} // namespace

class TestDocumentCrash : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"lenet"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void pinsOutliveTheWindow_data();
    void pinsOutliveTheWindow();
    void whatAnotherWindowSavedIsAskedFor();
    void whatIsGivenUpIsNotOffered();
};

void TestDocumentCrash::pinsOutliveTheWindow_data() {
    QTest::addColumn<bool>("saved");
    QTest::newRow("never saved") << false;
    QTest::newRow("a document") << true;
}

void TestDocumentCrash::pinsOutliveTheWindow() {
    QFETCH(const bool, saved);
    QString path = m_folder.filePath(u"lenet"_s);
    if (saved) {
        start();
        open(u"lenet"_s);
        path = m_folder.filePath(u"work.fwdoc"_s);
        QVERIFY(m_window->saveTo(path));
        end();
    }
    killWindowOn(path);
    start({});
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    const QString offer = m_window->offerBar()->text();
    QVERIFY2(offer.contains(QFileInfo(path).fileName()), qPrintable(offer));
    m_window->offerBar()->action()->click();
    waitIdle();
    const Document& document = m_window->document();
    QCOMPARE(document.inputs().pins, std::vector<snapshot::Pin>{pin});
    QCOMPARE(document.inputs().leftOut, std::vector<std::string>{"soft at nobody"});
    QCOMPARE(document.state(Part::Plan), State::Ready);
    QVERIFY(document.unsaved());
    QCOMPARE(document.documentPath(), saved ? path : QString());
    // Saved it is no draft any more.
    QVERIFY(m_window->saveTo(m_folder.filePath(u"kept.fwdoc"_s)));
    QVERIFY(!document.unsaved());
    end();
    start();
    QCOMPARE(m_window->offerBar()->text(), QString());
}

// Two windows with one document: the second to save is told, and nothing is lost unless it says so.
void TestDocumentCrash::whatAnotherWindowSavedIsAskedFor() {
    start();
    open(u"lenet"_s);
    const QString path = m_folder.filePath(u"shared.fwdoc"_s);
    QVERIFY(m_window->saveTo(path));
    QString question;
    bool overwrite = false;
    m_window->answerOverwrite([&](const QString& asked) {
        question = asked;
        return overwrite;
    });
    m_window->document().edit(snapshot::AddPin{pin});
    waitIdle();
    QVERIFY(m_window->saveTo(path)); // its own file
    QVERIFY(question.isEmpty());
    snapshot::Inputs others = m_window->document().inputs();
    others.target = "x86-64 -mcpu=native -threads=1";
    QVERIFY(snapshot::saveDocument(others, path.toStdString(), {}).ok());
    m_window->document().edit(snapshot::RemovePin{pin});
    waitIdle();
    QVERIFY(!m_window->saveTo(path));
    QVERIFY2(question.contains(u"shared.fwdoc was written by another window"_s),
             qPrintable(question));
    QVERIFY(m_window->document().unsaved());
    QCOMPARE(snapshot::loadDocument(path.toStdString())->target, others.target);
    // Another name asks nothing; the same one again does, until it is overwritten.
    question.clear();
    QVERIFY(m_window->saveTo(m_folder.filePath(u"mine.fwdoc"_s)));
    QVERIFY(question.isEmpty());
    m_window->openModel(path);
    waitIdle();
    snapshot::KeptView left;
    left.blocks.emplace();
    QVERIFY(snapshot::saveDocument(m_window->document().inputs(), path.toStdString(), left).ok());
    overwrite = true;
    QVERIFY(m_window->saveTo(path));
    question.clear();
    QVERIFY(m_window->saveTo(path));
    QVERIFY(question.isEmpty());
}

void TestDocumentCrash::whatIsGivenUpIsNotOffered() {
    start();
    open(u"lenet"_s);
    m_window->document().edit(snapshot::AddPin{pin});
    QTRY_VERIFY(isKept("generated.tiled"));
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->close();
    end();
    start();
    QCOMPARE(m_window->offerBar()->text(), QString());
    // Nor is what was taken back.
    open(u"lenet"_s);
    m_window->document().edit(snapshot::AddPin{pin});
    QTRY_VERIFY(isKept("generated.tiled"));
    m_window->document().undo();
    QTRY_VERIFY(!isKept("generated.tiled"));
    end();
    start();
    QCOMPARE(m_window->offerBar()->text(), QString());
}

FW_TEST_BY(&fw::ui::testOrVictim<TestDocumentCrash, CrashingDocument>)

#include "test_document_crash.moc"
