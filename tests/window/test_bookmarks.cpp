// Bookmarks and the list of places, by keys.
#include "app/window/palette.h"
#include "app/window/settings.h"
#include "common/test.h"
#include "snapshot/document_file.h"
#include "views/common/elided_label.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookmarks : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"lenet"_s}); }
    void init() {
        QFile::remove(Settings::fileName()); // bookmarks of the test before
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
    }
    void cleanup() { end(); }
    void numbersReturn();
    void placesAreListed();
    void areKeptWithTheModel();
    void areKeptInTheDocument();

private:
    std::string picked() const {
        const auto* node =
            nodeOf(m_window->document().imported().get(), m_window->selection().importedSubject);
        return node ? node->name : std::string();
    }
    void pick(const QString& name) {
        QVERIFY(m_window->selectByName(name));
        waitIdle();
    }
    void use(const QString& last) { // Ctrl+B, and then this key
        QTest::keyClick(m_window->windowHandle(), Qt::Key_B, Qt::ControlModifier);
        QTest::keyClick(m_window->windowHandle(), last[0].toLatin1());
        waitIdle();
    }
};

void TestBookmarks::numbersReturn() {
    pick(u"Conv_stem"_s);
    use(u"3"_s); // puts it
    pick(u"Relu_stem_relu"_s);
    use(u"3"_s);
    QCOMPARE(picked(), std::string("Conv_stem"));
    // A line of a book, too.
    m_window->newBook();
    waitIdle();
    editor()->setFocus();
    editor()->insertPlainText(u"# one\n# two\n# three\n"_s);
    waitIdle();
    editor()->goTo({2, 1});
    waitIdle();
    use(u"4"_s);
    editor()->goTo({4, 1});
    pick(u"Relu_stem_relu"_s);
    use(u"4"_s);
    QCOMPARE(editor()->caret().line, 2);
    use(u"3"_s);
    QCOMPARE(picked(), std::string("Conv_stem"));
}

void TestBookmarks::placesAreListed() {
    pick(u"Conv_stem"_s);
    use(u"1"_s);
    pick(u"Relu_stem_relu"_s);
    pick(u"Conv_left1"_s);
    use(u"l"_s);
    const PaletteModel& model = m_window->palette()->model();
    QStringList shown;
    for (int row = 0; row < model.rowCount(); ++row)
        shown << model.index(row, 0).data().toString();
    QVERIFY2(shown.size() >= 4 && shown[0] == u"1  Conv_stem"_s &&
                 shown[1] == u"Relu_stem_relu"_s && shown[2] == u"Conv_stem"_s &&
                 shown.last() == u"forget bookmark 1"_s,
             qPrintable(shown.join(u", "_s)));
    model.entry(1)->act();
    waitIdle();
    QCOMPARE(picked(), std::string("Relu_stem_relu"));
}

// Of a model that has no document, too: by the settings.
void TestBookmarks::areKeptWithTheModel() {
    pick(u"Conv_stem"_s);
    use(u"5"_s);
    press(u"F5"_s); // read again
    pick(u"Relu_stem_relu"_s);
    use(u"5"_s);
    QCOMPARE(picked(), std::string("Conv_stem"));
    QVERIFY(!m_window->document().unsaved()); // no reason to ask
    QVERIFY(m_window->close());
    end();
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    open(u"residual"_s);
    pick(u"Relu_stem_relu"_s);
    use(u"5"_s);
    QCOMPARE(picked(), std::string("Conv_stem"));
    use(u"l"_s); // with the places of before
    QVERIFY(m_window->palette()->model().rowCount() > 2);
    open(u"lenet"_s); // another model has its own
    use(u"5"_s);
    QVERIFY(picked() != "Conv_stem");
}

void TestBookmarks::areKeptInTheDocument() {
    pick(u"Conv_stem"_s);
    use(u"2"_s);
    const QString file = m_folder.filePath(u"marked.fwdoc"_s);
    QVERIFY(m_window->saveTo(file));
    QVERIFY(!m_window->document().unsaved());
    pick(u"Relu_stem_relu"_s);
    use(u"3"_s);
    QVERIFY(m_window->document().unsaved());
    press(u"Ctrl+S"_s);
    QVERIFY(!m_window->document().unsaved());
    // One whose operator is gone says so.
    snapshot::KeptView kept = snapshot::loadKept(file.toStdString());
    QCOMPARE(kept.bookmarks.size(), std::size_t(2));
    kept.bookmarks.push_back({7, {"Nobody"}});
    QVERIFY(snapshot::saveDocument(m_window->document().inputs(), file.toStdString(), kept).ok());
    end();
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->openModel(file);
    waitIdle();
    use(u"3"_s);
    QCOMPARE(picked(), std::string("Relu_stem_relu"));
    use(u"2"_s);
    QCOMPARE(picked(), std::string("Conv_stem"));
    use(u"7"_s);
    QCOMPARE(m_window->findChild<ElidedLabel*>(u"statusNote"_s)->fullText(),
             u"there is no operator Nobody any more"_s);
    use(u"l"_s);
    const PaletteModel& model = m_window->palette()->model();
    QCOMPARE(model.index(2, 0).data().toString(), u"7  Nobody"_s);
    QCOMPARE(model.entry(2)->detail, u"bookmark: there is no such operator any more"_s);
    picture(u"bookmarks"_s);
}

FW_TEST(TestBookmarks, QApplication)
#include "test_bookmarks.moc"
