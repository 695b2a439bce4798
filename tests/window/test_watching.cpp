// What rules did, watched as a whole: two books on a model that repeats itself, stepped through,
// taken back in part, compared, read block by block, saved, killed and opened again. Through the
// real window with the real worker; the window to be killed is this program itself:
// `--window DOCUMENT` opens it, decides once more, says "written", and waits.
#include "views/steps/step_slider.h"
#include "views/steps/steps_view.h"
#include "window/story_fixture.h"

#include "app/window/message_bar.h"
#include "common/test.h"

#include <QComboBox>
#include <QDockWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using Mark = snapshot::JointNode::Mark;
using Stage = GraphState::Stage;

namespace {

constexpr int copies = 12;
const snapshot::Pin watchedPin{snapshot::PinKind::Avoid, {}, "generated.tiled", "it is tried"};

// Over and over: a negation of a negation and an absolute value of one, around a residual value.
QByteArray netText() {
    constexpr const char* ops[] = {"relu", "neg", "neg", "tanh", "abs", "abs"};
    QByteArray out = "graph net(x: f32[1, 64]) -> y {\n", before = "x";
    for (int copy = 0; copy < copies; ++copy) {
        const QByteArray begin = "b" + QByteArray::number(copy) + "_";
        QByteArray at = before;
        for (int i = 0; i < 6; ++i) {
            const QByteArray name = begin + ops[i] + QByteArray::number(i);
            out += "  " + name + " = " + ops[i] + "(" + at + ")\n";
            at = name;
        }
        const QByteArray sum = copy + 1 == copies ? QByteArray("y") : begin + "sum";
        out += "  " + sum + " = add(" + at + ", " + before + ")\n";
        before = sum;
    }
    return out + "}\n";
}

class WatchingVictim : StoryFixture {
public:
    int run(const QString& document) {
        start({});
        m_window->openModel(document);
        waitIdle();
        m_window->document().edit(snapshot::AddPin{watchedPin});
        return waitToBeKilled(watchedPin.because.c_str());
    }
};

} // namespace

class TestWatching : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void rulesAreWatched();

private:
    void stepThrough();
    void compare();
    void readBlocks();
    void killAndReopen();

    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    StepsView& steps() const { return *m_window->view<StepsView>(); }
    GraphCanvas* canvas(std::size_t pane) const { return graphs().pane(pane)->canvas(); }
    void write(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(QLatin1StringView(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    void show(const char* dock) {
        m_window->findChild<QDockWidget*>(QLatin1StringView(dock))->raise();
        waitIdle();
    }
    std::size_t marked(std::size_t state, Mark mark) const {
        const snapshot::JointGraph& joint = *graphs().joint()->graph();
        std::size_t out = 0;
        for (std::size_t i = 0; i < joint.nodes.size(); ++i)
            out += joint.nodes[i].marks[state] == mark && !joint.graph.nodes[i].constant;
        return out;
    }
    // What all shown states have stands at one place.
    void placesAgree() const {
        const snapshot::JointGraph& joint = *graphs().joint()->graph();
        for (std::size_t i = 0; i < joint.nodes.size(); ++i) {
            std::set<std::pair<double, double>> places;
            for (std::size_t s = 0; s < joint.states; ++s)
                if (joint.nodes[i].isIn(s) && !joint.graph.nodes[i].constant)
                    for (const auto& box : canvas(s)->picture()->boxes)
                        if (box.id == joint.nodes[i].ids[s])
                            places.emplace(box.rect.x, box.rect.y);
            QVERIFY(places.size() <= 1);
        }
    }

    QString m_leftOut;
};

void TestWatching::initTestCase() {
    begin({});
    write("net.fw", netText());
    write("signs.fw", "rule signs { match y = neg(n = neg(x)) where used_once(n) emit y = x }\n");
    write("sizes.fw",
          "rule sizes { match y = abs(a = abs(x)) where used_once(a) emit y = abs(x) }\n");
}

void TestWatching::stepThrough() {
    show("steps");
    QTRY_COMPARE(steps().number(), 1);
    for (int application = 1; application <= 3; ++application) {
        QTRY_COMPARE(steps().number(), application);
        for (const StepPhase phase : {StepPhase::Match, StepPhase::Change, StepPhase::Result}) {
            QCOMPARE(steps().phase(), phase);
            press(u"F10"_s);
        }
    }
    QTRY_COMPARE(steps().number(), 4);
    steps().until()->setCurrentText(u"creates abs"_s);
    press(u"Alt+F10"_s);
    QTRY_VERIFY2(steps().sentence().contains(u"creates abs"_s), qPrintable(steps().sentence()));
    const int stopped = steps().number();
    QVERIFY(stopped > 4);
    QVERIFY(m_window->document().step()->application->rule == "sizes");
    steps().slider()->setValue(2);
    waitIdle();
    QTRY_COMPARE(steps().number(), 2);
    m_leftOut = steps().model().nameOf(1);
    const int before = steps().model().applications();
    press(u"Ctrl+Alt+Backspace"_s);
    QTRY_COMPARE(steps().model().applications(), before - 1);
    QCOMPARE(m_window->document().inputs().leftOut,
             std::vector<std::string>{m_leftOut.toStdString()});
    show("changesDock");
}

void TestWatching::compare() {
    graphs().setState(1, {Stage::Rewritten});
    waitIdle();
    QVERIFY(graphs().joint()->shown());
    placesAgree();
    // Two operators go for each copy by the first book, but where it was left out, one by the
    // second, which makes one anew.
    QVERIFY(marked(1, Mark::Erased) >= std::size_t(2 * (copies - 1)));
    press(u"F4"_s);
    QCOMPARE(canvas(0)->selected().size() + canvas(1)->selected().size() > 0, true);
    // Two targets.
    GraphState other{Stage::Fused};
    other.target = "x86-64 -mcpu=x86-64-v2 -libs= -threads=1";
    graphs().setState(0, other);
    graphs().setState(1, {Stage::Fused});
    waitIdle();
    QVERIFY(graphs().joint()->shown());
    placesAgree();
    QCOMPARE(marked(1, Mark::Erased) + marked(1, Mark::Created), std::size_t(0));
    graphs().setState(0, {Stage::Imported});
    waitIdle();
    press(u"Ctrl+Alt+Q"_s); // apart again
    QVERIFY(!graphs().joint()->shown());
}

void TestWatching::readBlocks() {
    press(u"Ctrl+Alt+-"_s);
    const auto& blocks = graphs().collapse()->blocks(graphs().pane(0))->blocks;
    const auto stack = std::find_if(blocks.begin(), blocks.end(), [](const auto& block) {
        return block.kind == snapshot::Block::Kind::Stack;
    });
    QVERIFY(stack != blocks.end());
    QCOMPARE(stack->copies, std::size_t(copies));
    QCOMPARE(canvas(0)->picture()->boxes.size(), std::size_t(3));
    QTest::mouseDClick(canvas(0)->viewport(), Qt::LeftButton, {}, canvas(0)->nodeCenter(stack->id));
    waitIdle();
    QCOMPARE(canvas(0)->picture()->boxes.size(), std::size_t(copies + 2));
    QVERIFY(m_window->selectByNames({u"b7_tanh3"_s}));
    waitIdle();
    QCOMPARE(canvas(0)->selected().size(), std::size_t(1));
    QVERIFY(
        canvas(0)->viewport()->rect().contains(canvas(0)->nodeCenter(canvas(0)->selected()[0])));
    QCOMPARE(canvas(0)->picture()->boxes.size(), std::size_t(copies + 1 + 7));
}

void TestWatching::killAndReopen() {
    const QString path = m_folder.filePath(u"watched.fwdoc"_s);
    QVERIFY(m_window->saveTo(path));
    const snapshot::Inputs saved = m_window->document().inputs();
    const snapshot::BlockView open = graphs().collapse()->view();
    const std::size_t planned = groups();
    end();
    killWindowOn(path);

    start({});
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    QVERIFY(m_window->offerBar()->text().contains(u"watched.fwdoc"_s));
    m_window->offerBar()->action()->click();
    waitIdle();
    const snapshot::Inputs& again = m_window->document().inputs();
    QCOMPARE(again.books, saved.books);
    QCOMPARE(again.leftOut, saved.leftOut);
    QCOMPARE(again.fullTarget(), saved.fullTarget());
    QCOMPARE(again.pins, std::vector<snapshot::Pin>{watchedPin});
    QVERIFY(graphs().collapse()->view() == open);
    // Without what was decided since, everything is as it was saved.
    m_window->openModel(path);
    waitIdle();
    QVERIFY(m_window->document().inputs() == saved);
    QCOMPARE(groups(), planned);
    QVERIFY(graphs().collapse()->view() == open);
    show("steps");
    QTRY_VERIFY(steps().model().applications() > 0);
    QVERIFY(!steps().model().isApplied(steps().model().rowCount() - 1));
    QCOMPARE(steps().model().nameOf(steps().model().rowCount() - 1), m_leftOut);
}

void TestWatching::rulesAreWatched() {
    start();
    open(u"net.fw"_s);
    for (const char* book : {"signs.fw", "sizes.fw"})
        m_window->document().edit(
            snapshot::AddBook{m_folder.filePath(QLatin1StringView(book)).toStdString()});
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    stepThrough();
    compare();
    readBlocks();
    killAndReopen();
}

FW_TEST_BY(&fw::ui::testOrVictim<TestWatching, WatchingVictim>)

#include "test_watching.moc"
