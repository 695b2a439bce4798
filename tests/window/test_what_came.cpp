// Below the text of a book: what came of the declaration at the caret, whatever its kind.
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "window/story_fixture.h"

#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestWhatCame : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void cleanup() { end(); }
    void everyDeclarationSaysWhatCameOfIt();
    void aPlaceIsAClick();
    void aBookBesideThePlanSaysSo();

private:
    void write(const QString& text) {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
        m_window->newBook();
        waitIdle();
        editor()->setFocus();
        editor()->selectAll();
        editor()->insertPlainText(text);
        waitIdle();
    }
    MatchPanel* panel() const { return m_window->view<BooksView>()->matches(); }
    void caretTo(int line) {
        editor()->goTo({line, 3});
        waitIdle();
    }
    QString row(int number) const {
        const MatchModel& model = panel()->model();
        for (int at = 0, came = 0; at < model.rowCount(); ++at)
            if (model.cameAt(at) && came++ == number)
                return model.index(at, MatchModel::Count).data().toString() + u' ' +
                       model.index(at, MatchModel::What).data().toString() + u": "_s +
                       model.index(at, MatchModel::Detail).data().toString();
        return {};
    }
    void click(int number) {
        const MatchModel& model = panel()->model();
        for (int at = 0, came = 0; at < model.rowCount(); ++at)
            if (model.cameAt(at) && came++ == number) {
                const QRect place = panel()->table()->visualRect(model.index(at, 0));
                QTest::mouseClick(panel()->table()->viewport(), Qt::LeftButton, {}, place.center());
            }
        waitIdle();
    }
};

void TestWhatCame::everyDeclarationSaysWhatCameOfIt() {
    write(u"rule bad { match y = add(a, b) emit y = concat(a, b) { axis = 1 } }\n"
          "fuse all { match conv2d(x, w) >> bias(^, b) as stacked }\n"
          "grow contraction -> elementwise never\n"
          "implementations conv2d(...) on any { generated.plain priority 1 }\n"
          "pin { use generated.map for nobody }\n"
          "test \"acts\" of bad { graph g(p: f32[4], q: f32[4]) -> y { y = add(p, q) }\n"
          "  expect match 1 }\n"_s);
    caretTo(1);
    QTRY_VERIFY2(panel()->title().contains(u"undone at "_s), qPrintable(panel()->title()));
    QVERIFY2(row(0).startsWith(u"undone "_s) &&
                 row(0).contains(u"RUL16 the application was undone: bad at "_s),
             qPrintable(row(0)));
    caretTo(2);
    QTRY_VERIFY2(panel()->title().contains(u"made 4 groups"_s), qPrintable(panel()->title()));
    caretTo(3);
    QTRY_VERIFY2(panel()->title().startsWith(u"grow contraction -> elementwise: "_s) &&
                     panel()->title().contains(u"closed "_s),
                 qPrintable(panel()->title()));
    picture(u"came-grow"_s);
    caretTo(4);
    QTRY_VERIFY2(panel()->title().startsWith(u"implementations conv2d: "_s),
                 qPrintable(panel()->title()));
    QVERIFY2(row(0).contains(u"generated.plain: "_s), qPrintable(row(0)));
    caretTo(5);
    QTRY_VERIFY2(panel()->title().contains(u"refused at 1 place"_s), qPrintable(panel()->title()));
    caretTo(6);
    QTRY_VERIFY2(panel()->title().contains(u"passes"_s), qPrintable(panel()->title()));
}

// The nodes are selected, and the line that is meant is shown.
void TestWhatCame::aPlaceIsAClick() {
    write(u"fuse all { match conv2d(x, w) >> bias(^, b) as stacked }\n"
          "implementations conv2d(...) on any {\n  generated.plain priority 1\n}\n"_s);
    caretTo(1);
    QTRY_VERIFY2(panel()->title().contains(u"made 4 groups"_s), qPrintable(panel()->title()));
    click(0);
    QVERIFY(m_window->selection().fused.size() >= 2);
    QVERIFY(m_window->selection().group >= 0);
    caretTo(2);
    QTRY_VERIFY2(panel()->title().startsWith(u"implementations conv2d: "_s),
                 qPrintable(panel()->title()));
    click(0);
    QCOMPARE(editor()->textCursor().selectedText(), u"generated.plain priority 1"_s);
    picture(u"came-entry"_s);
}

void TestWhatCame::aBookBesideThePlanSaysSo() {
    write(u"rule one { match y = relu(x) emit y = neg(x) }\n"_s);
    caretTo(1);
    QTRY_VERIFY2(panel()->title().contains(u"applied at "_s), qPrintable(panel()->title()));
    press(u"Ctrl+Alt+B"_s);
    waitIdle();
    QTRY_VERIFY2(panel()->title().contains(u"its book takes no part in the plan"_s),
                 qPrintable(panel()->title()));
    QVERIFY2(editor()->notes().begin()->second.text.contains(u"takes no part"_s),
             qPrintable(editor()->notes().begin()->second.text));
    picture(u"came-beside"_s);
}

FW_TEST(TestWhatCame, QApplication)
#include "test_what_came.moc"
