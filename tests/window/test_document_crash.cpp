// A window that is killed while pins and other decisions are not saved, and the next one. The
// window to be killed is this program itself: `--window FOLDER` opens the model, decides, says
// "written", and waits.
#include "app/window/message_bar.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const snapshot::Pin pin{snapshot::PinKind::Avoid, {}, "generated.tiled", "it is tried"};

class Victim : StoryFixture {
public:
    int run(const QString& model) {
        StoryFixture::start();
        m_window->openModel(model);
        waitIdle();
        m_window->document().edit(snapshot::AddPin{pin});
        m_window->document().edit(snapshot::LeaveOut{{"soft at nobody"}});
        return waitToBeKilled();
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

void TestDocumentCrash::whatIsGivenUpIsNotOffered() {
    start();
    open(u"lenet"_s);
    m_window->document().edit(snapshot::AddPin{pin});
    waitIdle();
    QTest::qWait(600);
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->close();
    end();
    start();
    QCOMPARE(m_window->offerBar()->text(), QString());
    // Nor is what was taken back.
    open(u"lenet"_s);
    m_window->document().edit(snapshot::AddPin{pin});
    QTest::qWait(600);
    m_window->document().undo();
    QTest::qWait(600);
    end();
    start();
    QCOMPARE(m_window->offerBar()->text(), QString());
}

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    const QStringList words = QApplication::arguments();
    if (words.value(1) == u"--window"_s)
        return Victim().run(words.value(2));
    TestDocumentCrash test;
    return QTest::qExec(&test, count, arguments);
}

#include "test_document_crash.moc"
