// From what is selected in a graph to a rule that is judged: made, made to match more, put into a
// book, refuted, its counterexample looked at, mended, shown to be right; with the keys alone.
#include "app/window/counterexample_window.h"
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/graph/graph_pane.h"
#include "window/story_fixture.h"

#include <QLineEdit>
#include <QTreeWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestMake : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"lenet"_s}); }
    void cleanup() { end(); }
    void selectionBecomesAJudgedRule();
    void anotherSelectionIsNotPutIntoABook();
    void selectionBecomesAnOperator();
    void whatCannotBeMadeSaysWhy();

private:
    void openAndMake() { // of a convolution with its batch norm and relu
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
        make();
    }
    void make() {
        makeOf({u"Conv_left1"_s, u"BatchNormalization_left1_bn"_s, u"Relu_left_relu"_s});
    }
};

void TestMake::selectionBecomesAJudgedRule() {
    openAndMake();
    QVERIFY2(made().startsWith(u"pattern block(x, w: const"_s), qPrintable(made()));
    QCOMPARE(sketch().count(), u"matches at 1 place"_s);
    QVERIFY(sketch().facts()->topLevelItemCount() > 10);
    picture(u"make_pattern"_s);

    // What to ask for less, until it matches everywhere.
    askForLess();
    QCOMPARE(sketch().count(), u"matches at 2 places"_s);

    choose(u"rule"_s); // asks for no more
    QCOMPARE(sketch().count(), u"matches at 2 places"_s);
    sketch().name()->setText(u"mine"_s);
    waitIdle();
    press(u"Ctrl+Alt+Return"_s);
    QVERIFY2(editor()->wholeText().contains(u"rule mine \"made of Relu_left_relu\""_s),
             qPrintable(editor()->wholeText()));
    QVERIFY(editor()->hasFocus());
    QTRY_VERIFY2(noteOf(u"rule mine"_s).contains(u"unknown"_s), qPrintable(noteOf(u"rule mine"_s)));

    replaceLine(u"emit "_s, u"  emit   y = batch_norm(conv2d(x, w) {*a}, g, t, m, v) {*a2}"_s);
    QTRY_VERIFY2(noteOf(u"rule mine"_s).startsWith(u"refuted"_s),
                 qPrintable(noteOf(u"rule mine"_s)));
    editor()->goTo({lineOf(u"rule mine"_s), 1});
    press(u"Ctrl+Alt+X"_s);
    CounterexampleWindow* example = m_window->graphWindows().counterexample();
    QVERIFY(example != nullptr);
    QTRY_VERIFY(!example->busy());
    QVERIFY2(example->sentence().contains(u"mine computes something else"_s),
             qPrintable(example->sentence()));
    QVERIFY(example->before()->canvas()->picture() && example->after()->canvas()->picture());
    picture(u"counterexample"_s);
    example->close();

    replaceLine(u"emit "_s, u"  let    b = batch_norm(conv2d(x, w) {*a}, g, t, m, v) {*a2}\n"
                            u"  emit   y = (b + abs(b)) * 0.5"_s);
    QTRY_VERIFY2(isRight(u"rule mine"_s), qPrintable(noteOf(u"rule mine"_s)));
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);

    // A test of the place, which is run while the book is typed.
    make();
    choose(u"test"_s);
    press(u"Ctrl+Alt+Return"_s);
    QTRY_COMPARE(noteOf(u"test \"made of"_s), u"passed"_s);
    picture(u"judged_rule"_s);
    replaceLine(u"expect match 1"_s, u"  expect none"_s);
    QTRY_COMPARE(noteOf(u"test \"made of"_s), u"failed"_s);
    replaceLine(u"expect none"_s, u"  expect match 1"_s);

    // The rewritten model, as other programs read it.
    const QString file = m_folder.filePath(u"rewritten.onnx"_s);
    answerFileDialog(file);
    press(u"Ctrl+Alt+F"_s);
    QVERIFY(QFileInfo(file).size() > 1000);
}

// The text is of what was selected; whoever selects something else is told, and asked.
void TestMake::anotherSelectionIsNotPutIntoABook() {
    openAndMake();
    const QString text = made();
    QVERIFY(!text.isEmpty());
    const Picked before = m_window->selection();
    const auto& nodes = m_window->document().imported()->nodes;
    const auto other = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
        return !node.constant && node.op != "input" && !before.imported.contains(node.id);
    });
    QVERIFY(other != nodes.end());
    m_window->select({{other->id}, {}});
    waitIdle();
    QCOMPARE(sketch().overlay()->text(), u"Of what was selected before."_s);
    sketch().make();
    QVERIFY(m_window->view<BooksView>()->area()->isEmpty());
    m_window->select(before); // and it is right again
    waitIdle();
    QVERIFY2(sketch().overlay()->text().isEmpty(), qPrintable(sketch().overlay()->text()));
    QCOMPARE(made(), text);
    m_window->select({{other->id}, {}});
    waitIdle();
    Q_EMIT sketch().overlay()->actionRequested();
    waitIdle();
    QVERIFY(made() != text);
    sketch().make();
    waitIdle();
    QVERIFY(!m_window->view<BooksView>()->area()->isEmpty());
}

void TestMake::selectionBecomesAnOperator() {
    openAndMake();
    choose(u"op"_s);
    QVERIFY2(made().startsWith(u"op block "_s), qPrintable(made()));
    picture(u"make_operator"_s);
    press(u"Ctrl+Alt+Return"_s);
    QTRY_VERIFY2(noteOf(u"rule to_block"_s).contains(u"exact"_s),
                 qPrintable(noteOf(u"rule to_block"_s)));
    const auto& groups = m_window->document().plan()->groups;
    QVERIFY(std::any_of(groups.begin(), groups.end(), [](const auto& group) {
        return QString::fromStdString(group.name).startsWith(u"block_"_s);
    }));
    // Of another model nothing is made yet.
    open(u"lenet"_s);
    QVERIFY(made().isEmpty() && sketch().count().isEmpty());
    choose(u"rule"_s);
    QVERIFY(made().isEmpty());
}

void TestMake::whatCannotBeMadeSaysWhy() {
    start();
    open(u"lenet"_s);
    press(u"Ctrl+Shift+M"_s);
    QVERIFY(made().isEmpty());
    makeOf({u"Conv_conv1"_s, u"Relu_relu2"_s});
    QCOMPARE(m_window->document().state(Part::Sketch), State::Error);
    QVERIFY(QString::fromStdString(m_window->document().error(Part::Sketch).text())
                .contains(u"does not hang together"_s));
    press(u"Ctrl+Alt+Return"_s); // nothing to put
    QVERIFY(m_window->view<BooksView>()->area()->isEmpty());
    picture(u"make_refused"_s);
}

FW_TEST(TestMake, QApplication)
#include "test_make.moc"
