// A baseline: what was measured before, beside what is measured now, in every view that has times;
// what is selected alone, split and forced; and the times that a document keeps.
#include "app/window/message_bar.h"
#include "common/test.h"
#include "snapshot/document_file.h"
#include "views/common/difference.h"
#include "views/common/state_overlay.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/implementations/implementations_view.h"
#include "views/profile/profile_view.h"
#include "window/books_fixture.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeView>
#include <QTreeWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBaseline : public QObject, BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        begin();
        QVERIFY(m->waitIdle());
        QVERIFY(open());
    }
    void cleanup() { m.reset(); }
    void isPinnedAndUnpinned();
    void everyTableShowsTheDifference();
    void noiseIsSaid();
    void runsThatDoNotCompareSaySo();
    void heatByDifferenceHasALegend();
    void changesHaveTimes();
    void formsOfAnEdgeAreMeasured();
    void formsOfAGroupAreMeasured();
    void measuringIsStopped();
    void documentKeepsTimes();
    void undoAndSavedBooksKeepTimes();
    void timesOfAnotherMachineAreMarked();
    void hostileTimesAreRefused();
    void fitsEverySize();

private:
    ProfileView& times() { return *window().view<ProfileView>(); }
    ExplainView& explain() { return *window().view<ExplainView>(); }
    void press(const QString& keys) {
        const QKeyCombination one = QKeySequence(keys)[0];
        QTest::keyClick(&window(), one.key(), one.keyboardModifiers());
        QVERIFY(m->waitIdle());
    }
    void profile() { press(u"Ctrl+F10"_s); }
    void pin() { press(u"Ctrl+Alt+Shift+B"_s); }
    void setTarget(const QString& target) {
        window().setTargetText(target);
        QVERIFY(m->waitIdle());
    }
    QString cell(const QAbstractItemModel& model, const QString& group, int column) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString() == group)
                return model.index(row, column).data().toString();
        return u"no "_s + group;
    }
    QString timesCell(const QString& group) {
        return cell(*times().table()->model(), group, ProfileModel::Difference);
    }
    QStringList explained(const QString& name) {
        QStringList out;
        const auto* rows = explain().findChild<QTreeWidget*>();
        for (int row = 0; row < rows->topLevelItemCount(); ++row)
            if (rows->topLevelItem(row)->text(1) == name)
                out << rows->topLevelItem(row)->text(2);
        return out;
    }
    // The plan in which the second convolution takes the addition is the baseline of the one in
    // which that stays alone.
    void compareWithSplit() {
        profile();
        pin();
        setTarget(u"x86-64 -mcpu=native -libs= -threads=2"_s);
        profile();
        QCOMPARE(groups(), std::size_t(4));
    }
    void picture(const QString& name) {
        const QDir folder(u"" FW_BINARY_DIR "/pictures"_s);
        QVERIFY(folder.mkpath(u"."_s));
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            window().applyTheme(theme);
            QVERIFY(window().grab().save(folder.filePath(u"baseline-%1-%2.png"_s.arg(
                name, theme == ThemeChoice::Dark ? u"dark" : u"light"))));
        }
        window().applyTheme(ThemeChoice::Light);
    }
};

void TestBaseline::isPinnedAndUnpinned() {
    QVERIFY(!m->action(u"Pin these times"_s)->isEnabled()); // there are none
    QVERIFY(!m->action(u"Unpin the baseline"_s)->isEnabled());
    profile();
    QVERIFY(times().table()->isColumnHidden(ProfileModel::Difference));
    QVERIFY(!window().document().unsaved());
    QVERIFY(m->trigger("Pin these times"));
    QVERIFY(window().document().unsaved()); // it would be lost
    QVERIFY(!times().table()->isColumnHidden(ProfileModel::Difference));
    // It names its model, its target, its machine and its time.
    for (const char* part : {"residual", "Some CPU", "2026-11-28 18:40 UTC"})
        QVERIFY2(times().baselineText().contains(QString::fromLatin1(part)),
                 qPrintable(times().baselineText()));
    press(u"Ctrl+Alt+Shift+U"_s);
    QVERIFY(times().table()->isColumnHidden(ProfileModel::Difference));
    QVERIFY(times().baselineText().isEmpty());
    QVERIFY(!window().document().unsaved());
}

void TestBaseline::everyTableShowsTheDifference() {
    compareWithSplit();
    // One group became two: both rows have the difference of both.
    QCOMPARE(timesCell(u"conv2d_bias_1"_s), u"Σ + 22.0 µs (11 %)"_s);
    QCOMPARE(timesCell(u"add_relu_2"_s), u"Σ + 22.0 µs (11 %)"_s);
    QVERIFY2(times().baselineText().contains(u"sum of groups + 22.0 µs (5 %)"_s),
             qPrintable(times().baselineText()));
    QVERIFY(times().asText().contains(u"\tbaseline us\t"_s));
    QVERIFY(times().asText().contains(u"\t22.000\t"_s));
    const auto* view = window().view<ImplementationsView>();
    QVERIFY(!view->table()->isColumnHidden(ImplementationsModel::Difference));
    QCOMPARE(cell(*view->table()->model(), u"add_relu_2"_s, ImplementationsModel::Difference),
             u"Σ + 22.0 µs (11 %)"_s);
    m->click(GraphSide::Fused, 27); // of the addition
    QTRY_COMPARE(explained(u"against the baseline"_s).size(), 1);
    QVERIFY2(explained(u"against the baseline"_s)[0].startsWith(
                 u"Σ + 22.0 µs (11 %) · 205 µs → 227 µs, noise 4.3 µs"_s),
             qPrintable(explained(u"against the baseline"_s)[0]));
    // A plan that was not measured has no difference.
    setTarget(u"x86-64 -mcpu=native -libs=onednn -threads=2"_s);
    QVERIFY(view->table()->isColumnHidden(ImplementationsModel::Difference) ||
            window().document().state(Part::Profile) == State::Ready);
}

void TestBaseline::noiseIsSaid() {
    compareWithSplit();
    QCOMPARE(timesCell(u"softmax_3"_s), u"± 0.0 µs (0 %)"_s);
    const QAbstractItemModel& model = *times().table()->model();
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, ProfileModel::Difference);
        const bool same = index.data().toString().startsWith(u'±');
        QCOMPARE(index.data(Qt::ToolTipRole).toString().contains(u"TIM06"_s), same);
        QCOMPARE(Tone(index.data(ItemRole::ToneRole).toInt()), same ? Tone::None : Tone::Warning);
    }
}

void TestBaseline::runsThatDoNotCompareSaySo() {
    profile();
    pin();
    setTarget(u"x86-64 -mcpu=x86-64-v3 -threads=2"_s);
    profile();
    QVERIFY2(times().baselineText().startsWith(
                 u"TIM03 the runs do not compare, their machines differ: -mcpu=x86-64-v3"_s),
             qPrintable(times().baselineText()));
    QCOMPARE(timesCell(u"add_relu_2"_s), u"–"_s);
    QVERIFY(window().view<ImplementationsView>()->table()->isColumnHidden(
        ImplementationsModel::Difference));
    m->click(GraphSide::Fused, 27);
    QTRY_VERIFY(explained(u"against the baseline"_s).value(0).endsWith(u"TIM03"_s));
}

void TestBaseline::heatByDifferenceHasALegend() {
    const auto isHot = [this](const char* box) {
        const QString dump = m->pane(GraphSide::Fused)->canvas()->dump();
        return dump.contains(QString::fromLatin1(box) + u" heat"_s);
    };
    press(u"Ctrl+Alt+Shift+H"_s);
    QVERIFY(!isHot("container 2")); // there is nothing to compare
    compareWithSplit();
    QVERIFY(isHot("container 2"));
    picture(u"heat"_s);
    press(u"Ctrl+Alt+Shift+U"_s);
    QVERIFY(!isHot("container 2"));
    press(u"Ctrl+H"_s);
}

void TestBaseline::changesHaveTimes() {
    auto* changes = window().view<ChangesView>();
    profile();
    setTarget(u"x86-64 -mcpu=native -libs= -threads=2"_s);
    QTRY_COMPARE(changes->model().rowCount(), 1);
    QVERIFY(!changes->model().isMeasured());
    QVERIFY(changes->table()->isColumnHidden(ChangesModel::TimeAfter));
    QVERIFY2(changes->footerText().contains(u"all groups ≈ 446 µs → 468 µs"_s),
             qPrintable(changes->footerText()));
    profile();
    QVERIFY(changes->model().isMeasured());
    QCOMPARE(changes->model().index(0, ChangesModel::TimeBefore).data().toString(), u"205 µs"_s);
    QCOMPARE(changes->model().index(0, ChangesModel::TimeAfter).data().toString(), u"227 µs"_s);
    QVERIFY2(changes->footerText().contains(
                 u"measured 446 µs → 468 µs, + 22.0 µs (5 %), noise 9.1 µs"_s),
             qPrintable(changes->footerText()));
    // What is selected, whether it changed or not.
    m->click(GraphSide::Fused, 29);
    QVERIFY2(changes->footerText().contains(
                 u"selected: 1 group ≈ 31.0 µs → 31.0 µs · measured 31.0 µs → 31.0 µs"_s),
             qPrintable(changes->footerText()));
    m->click(GraphSide::Fused, 27);
    QVERIFY2(changes->footerText().contains(u"selected: 2 groups ≈ 205 µs → 227 µs"_s),
             qPrintable(changes->footerText()));
}

void TestBaseline::formsOfAnEdgeAreMeasured() {
    setTarget(u"x86-64 -mcpu=native -libs= -threads=2"_s);
    window().bringToFront(&explain());
    m->click(GraphSide::Fused, 26);
    m->click(GraphSide::Fused, 27, Qt::ControlModifier); // the ends of the edge between two groups
    QTRY_VERIFY(explain().measureButton()->isVisibleTo(&explain()));
    QCOMPARE(explain().measureButton()->text(), u"Measure alone, split, forced"_s);
    QTest::mouseClick(explain().measureButton(), Qt::LeftButton);
    QVERIFY(m->waitIdle());
    QCOMPARE(explained(u"alone"_s),
             (QStringList{u"conv2d_bias_1: 205 µs ± 1.0 µs, estimated 205 µs"_s,
                          u"add_relu_2: 22.0 µs ± 1.0 µs, estimated 22.0 µs"_s}));
    QCOMPARE(explained(u"both alone"_s),
             QStringList{u"in sum: 227 µs ± 2.0 µs, estimated 227 µs"_s});
    QCOMPARE(explained(u"forced"_s),
             QStringList{u"2 operators in one group: 205 µs ± 1.5 µs, estimated 190 µs"_s});
    QVERIFY(explain().asText().contains(u"both alone"_s)); // can be copied
    // It is of this plan.
    setTarget(u"x86-64 -mcpu=native -libs=onednn -threads=2"_s);
    QVERIFY(explained(u"alone"_s).isEmpty());
}

void TestBaseline::formsOfAGroupAreMeasured() {
    m->click(GraphSide::Fused, 23);
    press(u"Ctrl+Alt+Shift+M"_s);
    QCOMPARE(explained(u"alone"_s),
             QStringList{u"conv2d_bias_relu_0: 210 µs ± 1.0 µs, estimated 210 µs"_s});
    QCOMPARE(explained(u"split"_s),
             QStringList{u"into 3 operators: 315 µs ± 2.0 µs, estimated 420 µs"_s});
    QVERIFY(explained(u"forced"_s).isEmpty());
    m->click(GraphSide::Fused, 29); // another one
    QVERIFY(explained(u"alone"_s).isEmpty());
}

void TestBaseline::measuringIsStopped() {
    QVERIFY(m->open(path("hang_measure.onnx")));
    window().bringToFront(&explain());
    m->click(GraphSide::Fused, 23);
    QTRY_VERIFY(explain().measureButton()->isVisibleTo(&explain()));
    QTest::mouseClick(explain().measureButton(), Qt::LeftButton);
    QTRY_COMPARE(explain().measureButton()->text(), u"Stop measuring"_s);
    QCOMPARE(explained(u"measuring"_s), QStringList{u"alone, split and forced …"_s});
    QTest::mouseClick(explain().measureButton(), Qt::LeftButton);
    QVERIFY(m->waitIdle());
    QCOMPARE(explain().measureButton()->text(), u"Measure alone, split, forced"_s);
    QVERIFY(explained(u"measuring"_s).isEmpty());
    QVERIFY(window().document().plan()); // the rest is as it was
}

void TestBaseline::documentKeepsTimes() {
    compareWithSplit();
    const QString file = path("kept.fwdoc");
    QVERIFY(window().saveTo(file));
    QVERIFY(!window().document().unsaved());
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->waitIdle());
    QVERIFY(m->open(file));
    QCOMPARE(window().document().state(Part::Profile), State::Ready); // the plan is the same
    QCOMPARE(timesCell(u"add_relu_2"_s), u"Σ + 22.0 µs (11 %)"_s);
    QVERIFY(!window().document().unsaved());
    // Of another plan they are there, and not taken for its times.
    setTarget(u"x86-64 -mcpu=native -libs=onednn -threads=2"_s);
    QCOMPARE(window().document().state(Part::Profile), State::Stale);
    QVERIFY(window().saveTo(file));
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->waitIdle());
    QVERIFY(m->open(file));
    QCOMPARE(window().document().state(Part::Profile), State::Stale);
    QVERIFY2(times().overlay()->text().contains(
                 u"earlier target or plan, Some CPU, 2026-11-28 18:40 UTC"_s),
             qPrintable(times().overlay()->text()));
    QVERIFY(window().document().baseline());
}

void TestBaseline::undoAndSavedBooksKeepTimes() {
    compareWithSplit();
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    QCOMPARE(timesCell(u"softmax_2"_s), u"± 0.0 µs (0 %)"_s);
    QVERIFY(m->trigger("Redo"));
    QCOMPARE(timesCell(u"add_relu_2"_s), u"Σ + 22.0 µs (11 %)"_s);
    window().newBook();
    QVERIFY(m->waitIdle());
    QVERIFY(type(u"# nothing"_s));
    QVERIFY(m->trigger("Save"));
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    QCOMPARE(timesCell(u"add_relu_2"_s), u"Σ + 22.0 µs (11 %)"_s);
    press(u"F5"_s); // the same model, read again
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    QVERIFY(window().document().baseline());
}

void TestBaseline::timesOfAnotherMachineAreMarked() {
    compareWithSplit();
    const QString file = path("elsewhere.fwdoc");
    QVERIFY(window().saveTo(file));
    QByteArray text = read(file);
    text.replace("Some CPU", "Other CPU");
    write("elsewhere.fwdoc", text);
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->waitIdle());
    QVERIFY(m->open(file));
    QCOMPARE(window().document().state(Part::Profile), State::Stale);
    QVERIFY2(times().overlay()->text().contains(u"another machine: Other CPU, 2026-11-28"_s),
             qPrintable(times().overlay()->text()));
    profile();
    QVERIFY2(times().baselineText().startsWith(u"TIM03"_s), qPrintable(times().baselineText()));
}

void TestBaseline::hostileTimesAreRefused() {
    compareWithSplit();
    const QString file = path("hostile.fwdoc");
    QVERIFY(window().saveTo(file));
    QByteArray text = read(file);
    text.replace("\"runs\":200", "\"runs\":-200");
    write("hostile.fwdoc", text);
    window().openModel(file);
    QVERIFY(m->waitIdle());
    QVERIFY2(window().messageBar()->text().contains(u"field baseline that is wrong"_s),
             qPrintable(window().messageBar()->text()));
    QVERIFY(window().document().isOpen()); // what was open stays
    QCOMPARE(timesCell(u"add_relu_2"_s), u"Σ + 22.0 µs (11 %)"_s);
}

void TestBaseline::fitsEverySize() {
    compareWithSplit();
    m->click(GraphSide::Fused, 26);
    m->click(GraphSide::Fused, 27, Qt::ControlModifier);
    press(u"Ctrl+Alt+Shift+M"_s);
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
        window().resize(size);
        press(u"Alt+Shift+F3"_s); // the layout for profiles
        for (const char* dock : {"changesDock", "opTimesDock"}) {
            window().findChild<QDockWidget*>(QString::fromLatin1(dock))->raise();
            settle();
            if (QByteArray(dock) == "changesDock")
                picture(u"changes-%1"_s.arg(size.width()));
        }
        QTreeView* table = times().table();
        QVERIFY(!table->isColumnHidden(ProfileModel::Difference));
        const int needed = table->fontMetrics().horizontalAdvance(u"Σ + 22.0 µs (11 %)"_s);
        QVERIFY2(table->columnWidth(ProfileModel::Difference) > needed,
                 qPrintable(QString::number(table->columnWidth(ProfileModel::Difference))));
        QVERIFY(table->header()->length() <= table->viewport()->width() + 1);
        picture(u"times-%1"_s.arg(size.width()));
    }
}

FW_TEST(TestBaseline, QApplication)
#include "test_baseline.moc"
