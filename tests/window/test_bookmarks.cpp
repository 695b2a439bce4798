// Bookmarks and the list of places, by keys.
#include "app/window/palette.h"
#include "common/test.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookmarks : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
    }
    void cleanup() { end(); }
    void numbersReturn();
    void placesAreListed();

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

FW_TEST(TestBookmarks, QApplication)
#include "test_bookmarks.moc"
