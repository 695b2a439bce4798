// What is hidden of the graphs, with keys and mouse: marks in its place, the filters above, the way
// back, and what is kept.
#include "app/window/palette.h"
#include "common/test.h"
#include "snapshot/filters.h"
#include "snapshot/hidden.h"
#include "views/graph/filter_strip.h"
#include "window/story_fixture.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QToolButton>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestFilters : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() {
        start();
        open(u"residual"_s);
        connect(&graphs(), &View::asked, this, [this](const Intent& intent) {
            if (const auto* say = std::get_if<Say>(&intent))
                m_said = say->text;
        });
    }
    void cleanup() {
        graphs().selection().setFilters({}); // which are kept with the model
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void whatIsHiddenLeavesAMark();
    void marksStandForWhatTheyHide();
    void onlyTheSelection();
    void neighbourhoodsAreFilters();
    void queriesAreFilters();
    void eachIsTakenOut();
    void areKeptWithTheDocument();
    void menusAreShort();

private:
    static constexpr auto side = GraphSide::Imported;
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas(GraphSide of = side) const { return graphs().pane(of)->canvas(); }
    QStringList boxes(GraphSide of = side) const { // titles, in the order of the picture
        QStringList out;
        for (const picture::PlacedBox& box : canvas(of)->picture()->boxes)
            out << QString::fromUtf8(box.title.data(), qsizetype(box.title.size()));
        return out;
    }
    std::int64_t mark(GraphSide of = side, std::size_t number = 0) const {
        for (const picture::PlacedBox& box : canvas(of)->picture()->boxes)
            if (snapshot::isHiddenMark(box.id) && number-- == 0)
                return box.id;
        return -1;
    }
    QStringList strip() const {
        QStringList out;
        for (const FilterStrip::Row& row : graphs().filterStrip()->rows())
            out << row.text;
        return out;
    }
    QString valueOf(const QString& name) const { // by which filters name an operator
        for (const auto& node : m_window->document().imported()->nodes)
            if (QString::fromStdString(node.name) == name)
                return QString::fromStdString(snapshot::filterName(node));
        return {};
    }
    void pick(const QString& name) {
        QVERIFY(m_window->selectByNames({name}));
        waitIdle();
        canvas()->setFocus();
    }

    QString m_said;
};

void TestFilters::whatIsHiddenLeavesAMark() {
    const QStringList all = boxes();
    pick(u"Relu_left_relu"_s);
    press(u"H"_s);
    QCOMPARE(boxes().size(), all.size());
    QCOMPARE(boxes().count(u"1 hidden"_s), 1);
    QCOMPARE(boxes().count(u"relu"_s), all.count(u"relu"_s) - 1);
    // In both graphs, and said above them. Edges end at it.
    QCOMPARE(boxes(GraphSide::Fused).count(u"1 hidden"_s), 1);
    QCOMPARE(strip(), QStringList{u"without "_s + valueOf(u"Relu_left_relu"_s)});
    QVERIFY(graphs().filterStrip()->isVisible());
    const auto& links = canvas()->picture()->links;
    QCOMPARE(std::count_if(links.begin(), links.end(),
                           [&](const picture::Link& link) { return link.to == mark(); }),
             std::ptrdiff_t(1));
    QCOMPARE(std::count_if(links.begin(), links.end(),
                           [&](const picture::Link& link) { return link.from == mark(); }),
             std::ptrdiff_t(1));
    // Its neighbours (a rule made one of two) go into the same mark, and one key brings all back.
    pick(u"Conv_left1"_s);
    press(u"H"_s);
    QCOMPARE(boxes().count(u"3 hidden"_s), 1);
    QCOMPARE(strip().size(), 2);
    press(u"Shift+H"_s);
    QCOMPARE(boxes(), all);
    QVERIFY(!graphs().filterStrip()->isVisible());
    press(u"Ctrl+Shift+A"_s);
    canvas()->setFocus();
    press(u"H"_s);
    QCOMPARE(m_said, u"select what is to be hidden first"_s);
}

void TestFilters::marksStandForWhatTheyHide() {
    const QStringList all = boxes();
    pick(u"Relu_left_relu"_s);
    const auto hidden =
        m_window->document().imported() ? m_window->selection().imported : snapshot::NodeSet();
    press(u"H"_s);
    press(u"Ctrl+Shift+A"_s);
    QVERIFY(m_window->selection().empty());
    canvas()->centerOn(mark());
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, canvas()->nodeCenter(mark()));
    waitIdle();
    QCOMPARE(m_window->selection().imported, hidden);
    // What is looked for is found at its mark.
    press(u"Ctrl+Shift+A"_s);
    pick(u"Relu_left_relu"_s);
    QCOMPARE(canvas()->selected(), Ids{mark()});
    // A double click brings it back.
    QTest::mouseDClick(canvas()->viewport(), Qt::LeftButton, {}, canvas()->nodeCenter(mark()));
    waitIdle();
    QCOMPARE(boxes(), all);
}

void TestFilters::onlyTheSelection() {
    pick(u"Relu_left_relu"_s);
    press(u"O"_s);
    const QStringList left = boxes();
    QCOMPARE(left.count(u"relu"_s), 1);
    QCOMPARE(left.size(), 3); // what stands before it, and behind it
    QCOMPARE(left.filter(u" hidden"_s).size(), 2);
    QCOMPARE(strip(), QStringList{u"only "_s + valueOf(u"Relu_left_relu"_s)});
    QVERIFY(boxes(GraphSide::Fused).size() < 5);
}

void TestFilters::neighbourhoodsAreFilters() {
    pick(u"Relu_left_relu"_s);
    press(u"I"_s);
    QCOMPARE(strip(), QStringList{u"1 step around "_s + valueOf(u"Relu_left_relu"_s)});
    QCOMPARE(boxes().filter(QRegularExpression(u"^(relu|conv2d|batch_norm)$"_s)).size(), 3);
    press(u"I"_s);
    QCOMPARE(strip(), QStringList{u"2 steps around "_s + valueOf(u"Relu_left_relu"_s)});
    press(u"Esc"_s);
    QVERIFY(strip().isEmpty());
}

void TestFilters::queriesAreFilters() {
    press(u"Ctrl+F"_s);
    type(u"op:relu"_s);
    QTRY_COMPARE(m_window->finder().query(), u"op:relu"_s);
    press(u"Ctrl+Alt+Shift+K"_s);
    QCOMPARE(strip(), QStringList{u"without op:relu"_s});
    QVERIFY(!boxes().contains(u"relu"_s) && boxes().contains(u"1 hidden"_s));
    press(u"Ctrl+Alt+Shift+8"_s);
    press(u"Ctrl+Alt+Shift+J"_s);
    QCOMPARE(boxes().count(u"relu"_s), 3);
    QVERIFY(!boxes().contains(u"conv2d"_s));
    // What cannot be asked yet hides nothing, and says why.
    press(u"Ctrl+Alt+Shift+8"_s);
    m_window->view<GraphsView>()->selection().addFilter(
        {snapshot::KeptFilter::Shows::Others, "time>1ms", {}, 0});
    waitIdle();
    QVERIFY2(strip().front().startsWith(u"without time>1ms ("_s), qPrintable(strip().front()));
    QVERIFY(boxes().filter(u" hidden"_s).isEmpty());
}

void TestFilters::eachIsTakenOut() {
    pick(u"Relu_left_relu"_s);
    press(u"H"_s);
    pick(u"Relu_stem_relu"_s);
    press(u"H"_s);
    QCOMPARE(strip(), (QStringList{u"without "_s + valueOf(u"Relu_left_relu"_s),
                                   u"without "_s + valueOf(u"Relu_stem_relu"_s)}));
    QTest::mouseClick(graphs().filterStrip()->button(0), Qt::LeftButton);
    waitIdle();
    QCOMPARE(strip(), QStringList{u"without "_s + valueOf(u"Relu_stem_relu"_s)});
    QCOMPARE(boxes().count(u"relu"_s), 2);
    // Another plan hides the same.
    m_window->setTargetText(u"x86-64 -mcpu=x86-64 -libs= -threads=2"_s);
    waitIdle();
    QCOMPARE(boxes(GraphSide::Fused).count(u"1 hidden"_s), 1);
    press(u"Ctrl+Alt+Shift+9"_s); // the list of filters
    QCOMPARE(m_window->palette()->model().rowCount(), 1);
    m_window->palette()->model().entry(0)->act();
    waitIdle();
    QVERIFY(strip().isEmpty());
}

void TestFilters::areKeptWithTheDocument() {
    pick(u"Relu_left_relu"_s);
    press(u"H"_s);
    answerFileDialog(u"work.fwdoc"_s);
    press(u"Ctrl+S"_s);
    QVERIFY(QFile::exists(m_folder.filePath(u"work.fwdoc"_s)));
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    end();
    start({});
    open(u"work.fwdoc"_s);
    QCOMPARE(strip(), QStringList{u"without "_s + valueOf(u"Relu_left_relu"_s)});
    QCOMPARE(boxes().count(u"1 hidden"_s), 1);
}

void TestFilters::menusAreShort() { // on a screen of 1280x800, below the menu bar
    for (const QAction* menu : m_window->menuBar()->actions()) {
        const int height = menu->menu()->sizeHint().height();
        const int most = menu->text() == u"&View"_s ? 500 : 740;
        QVERIFY2(height < most, qPrintable(u"%1 %2"_s.arg(menu->text()).arg(height)));
    }
}

FW_TEST(TestFilters, QApplication)
#include "test_filters.moc"
