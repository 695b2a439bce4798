// Graphs coloured by numbers of groups, chosen by keys.
#include "app/window/palette.h"
#include "common/test.h"
#include "views/common/elided_label.h"
#include "window/story_fixture.h"

#include <QLineEdit>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestHeat : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() { start(); }
    void cleanup() { end(); }
    void byANumberThatIsChosen_data();
    void byANumberThatIsChosen();
    void whatIsNotKnownIsSaid();
    void blocksHaveTheSumOfTheirGroups();

private:
    GraphCanvas* canvas(GraphSide side) const {
        return m_window->view<GraphsView>()->pane(side)->canvas();
    }
    void choose(const QString& what) {
        press(u"Ctrl+Alt+Shift+G"_s);
        const PaletteModel& model = m_window->palette()->model();
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString() == what)
                return model.entry(row)->act();
        QFAIL(qPrintable(what));
    }
    std::size_t hot(GraphSide side) const {
        return std::size_t(canvas(side)->dump().count(u" heat"_s));
    }
    QString note() const { return m_window->findChild<ElidedLabel*>(u"statusNote"_s)->fullText(); }
};

void TestHeat::byANumberThatIsChosen_data() {
    QTest::addColumn<QString>("choice");
    QTest::addColumn<QString>("unit"); // in the legend
    QTest::newRow("work") << u"work"_s << u"FLOP (log)"_s;
    QTest::newRow("bytes") << u"bytes moved"_s << u"B (log)"_s;
    QTest::newRow("intensity") << u"work per byte"_s << u"FLOP per byte (log)"_s;
    QTest::newRow("estimate") << u"estimated time"_s << u"µs (log)"_s;
}

void TestHeat::byANumberThatIsChosen() {
    QFETCH(const QString, choice);
    QFETCH(const QString, unit);
    open(u"residual"_s);
    choose(choice);
    QVERIFY(hot(GraphSide::Fused) > 5);
    QVERIFY(hot(GraphSide::Imported) > 2);
    const QString legend = canvas(GraphSide::Fused)->heatMost();
    // What is little has a colour, too.
    std::size_t pale = 0;
    for (const auto& [id, share] : canvas(GraphSide::Fused)->heat())
        pale += share > 0 && share < 0.05;
    QVERIFY2(2 * pale < canvas(GraphSide::Fused)->heat().size(), qPrintable(QString::number(pale)));
    QVERIFY2(legend.startsWith(choice + u": "_s) && legend.endsWith(unit), qPrintable(legend));
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        m_window->applyTheme(theme);
        picture(u"heat-%1-%2"_s.arg(QString::fromLatin1(QTest::currentDataTag()))
                    .arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s));
    }
    press(u"Ctrl+H"_s);
    QCOMPARE(hot(GraphSide::Fused), std::size_t(0));
}

void TestHeat::whatIsNotKnownIsSaid() {
    open(u"residual"_s);
    choose(u"error"_s);
    QVERIFY2(note().startsWith(u"nothing was verified yet"_s), qPrintable(note()));
    QCOMPARE(hot(GraphSide::Fused), std::size_t(0));
    m_window->document().tasks().verify(m_folder.filePath(u"smallest"_s));
    waitIdle();
    QVERIFY(hot(GraphSide::Fused) > 5);
    QVERIFY(canvas(GraphSide::Fused)->heatMost().endsWith(u" of what is allowed"_s));
    press(u"Ctrl+Shift+H"_s);
    QVERIFY2(note().startsWith(u"no time was measured yet"_s), qPrintable(note()));
    QCOMPARE(hot(GraphSide::Fused), std::size_t(0));
    m_window->document().tasks().profile();
    waitIdle();
    QVERIFY(hot(GraphSide::Fused) > 5);
}

// Every group is counted once, whichever boxes stand for it.
void TestHeat::blocksHaveTheSumOfTheirGroups() {
    open(u"residual"_s);
    choose(u"work"_s);
    double all = 0, most = 0;
    for (const auto& group : m_window->document().plan()->groups) {
        all += group.flops.value_or(0);
        most = std::max(most, group.flops.value_or(0));
    }
    const auto sum = [&] {
        double out = 0;
        for (const auto& [id, share] : canvas(GraphSide::Fused)->heat())
            out += (std::pow(1000, share) - 1) / 999; // of the hottest one
        return out;
    };
    QVERIFY2(std::abs(sum() - all / most) < 1e-6, qPrintable(QString::number(sum())));
    const auto before = canvas(GraphSide::Fused)->heat();
    press(u"Ctrl+Alt+-"_s);
    QVERIFY(canvas(GraphSide::Fused)->heat() != before); // of other boxes
    double hottest = 0;
    for (const auto& [id, share] : canvas(GraphSide::Fused)->heat())
        hottest = std::max(hottest, share);
    QCOMPARE(hottest, 1.0);
    QVERIFY(sum() <= all / most + 1e-6);
    picture(u"heat-closed"_s);
}

FW_TEST(TestHeat, QApplication)
#include "test_heat.moc"
