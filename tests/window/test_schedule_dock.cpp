// The implementations dock: a schedule that is shown begins one in a book, which is checked while
// it is typed; its loops as boxes; the ways beside each other, the tree by size, conflicts.
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/common/pane.h"
#include "views/common/theme.h"
#include "views/implementations/implementations_view.h"
#include "views/implementations/loops_drawing.h"
#include "window/story_fixture.h"

#include <QDockWidget>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestScheduleDock : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"mlp"_s}); }
    void cleanup() {
        end();
        QDir(m_folder.filePath(u"state"_s)).removeRecursively(); // drafts of what was not saved
    }
    void aScheduleIsBegunAndChanged();
    void aBookOfTheDocumentIsContinued();
    void refusedStepsAreMarked();
    void aScheduleOfABookIsOpened();
    void whatHasNoScheduleSaysWhy();
    void loopsAreBoxes();
    void waysStandBesideEachOther();
    void branchesAndTheirSizes();
    void conflictsAreSaid();
    void pinsOfNothingAreSaid();
    void inSmallAndLargeFonts();

private:
    ImplementationsView& dock() { return *m_window->view<ImplementationsView>(); }
    LoopsDrawing& loops() { return *dock().loops(); }
    QString write(const QString& name, const QString& text) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0 ? file.fileName()
                                                                                : QString();
    }
    // A group, or a candidate of it.
    void select(int group, const QString& candidate = {}) {
        QModelIndex at = dock().model().index(group, 0);
        QVERIFY(at.isValid());
        for (int row = 0; !candidate.isEmpty() && row < dock().model().rowCount(at); ++row)
            if (dock().model().index(row, 0, at).data().toString() == candidate) {
                at = dock().model().index(row, 0, at);
                break;
            }
        dock().table()->setCurrentIndex(at);
        waitIdle();
        QTRY_COMPARE(m_window->document().state(Part::Schedule), State::Ready);
    }
    const snapshot::GroupRecord& group(int row) {
        return m_window->document().plan()->groups[std::size_t(row)];
    }
    int boxesOf(const QString& text) {
        int out = 0;
        for (int row = 0; row < loops().rowCount(); ++row)
            out += loops().rowText(row).contains(text);
        return out;
    }
};

void TestScheduleDock::aScheduleIsBegunAndChanged() {
    start();
    open(u"mlp"_s);
    select(0);
    const std::string before = group(0).implementation;
    const std::string steps = group(0).schedule;
    QVERIFY(dock().detailText().contains(u"holds"_s));
    press(u"Ctrl+Shift+B"_s);
    QVERIFY(editor()->wholeText().contains(u"schedule "_s));
    // It computes the group as before, and the dock shows it.
    const std::string now = group(0).implementation;
    QVERIFY(now != before);
    QCOMPARE(group(0).source, std::string("pin"));
    QCOMPARE(group(0).schedule.str(), steps);
    QTRY_VERIFY(dock().detailText().startsWith(QString::fromStdString(group(0).name + ": " + now)));
    QTRY_VERIFY2(
        noteOf(u"schedule "_s).startsWith(u"computes "_s + QString::fromStdString(group(0).name)),
        qPrintable(noteOf(u"schedule "_s)));
    QVERIFY(editor()->marks().empty());
    picture(u"schedule-begun"_s);
    // A step is changed: other loops, at once.
    QVERIFY(lineOf(u".unroll("_s) > 0);
    replaceLine(u".unroll("_s, u""_s);
    QTRY_VERIFY(!QString::fromStdString(group(0).schedule).contains(u".unroll("_s) ||
                group(0).schedule.str() != steps);
    QTRY_COMPARE(m_window->document().state(Part::Schedule), State::Ready);
    QTRY_VERIFY(dock().detailText().contains(QString::fromStdString(group(0).schedule)));
    // Undo in the text brings the plan back.
    editor()->setFocus();
    press(u"Ctrl+Z"_s);
    QTRY_COMPARE(group(0).schedule.str(), steps);
}

void TestScheduleDock::aBookOfTheDocumentIsContinued() {
    start();
    open(u"mlp"_s);
    const QString book = write(u"mine.fw"_s, u"# mine\nrule r { match y = relu(relu(x))  emit y = "
                                             "relu(x) }\n"_s);
    m_window->document().edit(snapshot::AddBook{book.toStdString()});
    waitIdle();
    select(0);
    dock().editCurrent();
    waitIdle();
    QCOMPARE(m_window->view<BooksView>()->area()->currentPath(), book);
    QVERIFY(editor()->wholeText().startsWith(u"# mine\n"_s));
    QVERIFY(lineOf(u"schedule "_s) > 2);
    QTRY_COMPARE(group(0).source, std::string("pin"));
}

void TestScheduleDock::refusedStepsAreMarked() {
    start();
    open(u"mlp"_s);
    select(0);
    dock().editCurrent();
    waitIdle();
    QTRY_COMPARE(group(0).source, std::string("pin"));
    const int line = lineOf(u".vectorize("_s);
    QVERIFY(line > 0);
    const QString was = editor()->lineText(line);
    // Lanes that are not innermost: only the group shows it.
    replaceLine(u".parallel("_s, u"  out0.parallel(lane_that_is_not, 1)"_s);
    QTRY_VERIFY(!editor()->marks().empty());
    replaceLine(u"lane_that_is_not"_s, was);
    QTRY_VERIFY2(
        std::any_of(editor()->marks().begin(), editor()->marks().end(),
                    [](const auto& mark) { return mark.diag.code == DiagCode::ScheduleIllegal; }),
        "no step is refused");
    const auto mark =
        std::find_if(editor()->marks().begin(), editor()->marks().end(),
                     [](const auto& one) { return one.diag.code == DiagCode::ScheduleIllegal; });
    QVERIFY(mark->line > 1);
    const QString step =
        editor()->lineText(mark->line).mid(mark->column - 1, mark->endColumn - mark->column);
    QVERIFY2(step.startsWith(u"out0.") && step.endsWith(u")"_s), qPrintable(step));
    editor()->goTo({mark->line, mark->column});
    QCoreApplication::processEvents();
    QVERIFY2(status().contains(u"SCH01"_s) || !status().isEmpty(), qPrintable(status()));
    QVERIFY2(noteOf(u"schedule "_s).contains(u"refused by 1"_s),
             qPrintable(noteOf(u"schedule "_s)));
    // The dock says that the pin is not followed, and why.
    QTRY_VERIFY2(dock().detailText().contains(u"PIN03"_s), qPrintable(dock().detailText()));
    picture(u"schedule-refused"_s);
}

void TestScheduleDock::aScheduleOfABookIsOpened() {
    start();
    open(u"mlp"_s);
    select(0);
    dock().editCurrent();
    waitIdle();
    QTRY_COMPARE(group(0).source, std::string("pin"));
    QTRY_COMPARE(m_window->document().state(Part::Schedule), State::Ready);
    const int begun = lineOf(u"schedule "_s);
    const QString text = editor()->wholeText();
    editor()->goTo({1, 1});
    QTRY_VERIFY(m_window->document().schedule()->written.line > 0);
    dock().editCurrent();
    waitIdle();
    QCOMPARE(editor()->wholeText(), text); // nothing is begun twice
    QCOMPARE(editor()->caret().line, begun);
}

void TestScheduleDock::whatHasNoScheduleSaysWhy() {
    start(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s);
    open(u"mlp"_s);
    for (int row = 0; row < dock().model().rowCount(dock().model().index(0, 0)); ++row) {
        const auto& candidate = group(0).candidates[std::size_t(row)];
        if (candidate.verdict != "refused")
            continue;
        select(0, QString::fromStdString(candidate.name));
        dock().showLoops(true);
        QCOMPARE(loops().rowCount(), 0);
        return;
    }
}

void TestScheduleDock::loopsAreBoxes() {
    start();
    open(u"mlp"_s);
    select(0);
    press(u"Ctrl+Shift+L"_s);
    QVERIFY(loops().isVisible());
    QVERIFY(loops().rowCount() > 4);
    QVERIFY(boxesOf(u"parallel "_s) > 0);
    QVERIFY(boxesOf(u"stores out0"_s) > 0);
    QVERIFY(boxesOf(u"in registers"_s) > 0);
    const auto& rows = m_window->document().schedule()->loops;
    for (int row = 1; row < loops().rowCount(); ++row) {
        QVERIFY(loops().rowRect(row).top() >= loops().rowRect(row - 1).bottom());
        // Inside the nearest row above that is less deep.
        int outer = row - 1;
        while (outer >= 0 && rows[std::size_t(outer)].depth >= rows[std::size_t(row)].depth)
            --outer;
        if (outer >= 0)
            QVERIFY(loops().boxRect(outer).contains(loops().rowRect(row).adjusted(0, 1, 0, -1)));
    }
    // A click picks what the line comes from.
    int computed = -1;
    for (int row = 0; row < loops().rowCount(); ++row)
        if (rows[std::size_t(row)].kind == "computed" && !rows[std::size_t(row)].nodes.empty())
            computed = row;
    QVERIFY(computed >= 0);
    const snapshot::NodeId node = rows[std::size_t(computed)].nodes.front();
    QTest::mouseClick(loops().viewport(), Qt::LeftButton, {}, loops().rowRect(computed).center());
    waitIdle();
    QVERIFY(dock().loops()->isVisible());
    QTRY_VERIFY(m_window->view<GraphsView>() != nullptr);
    QCOMPARE(loops().rowAt(loops().rowRect(computed).center()), computed);
    QVERIFY(node != snapshot::noNode);
    picture(u"schedule-loops"_s);
    press(u"Ctrl+Shift+L"_s);
    QVERIFY(!loops().isVisible());
}

void TestScheduleDock::waysStandBesideEachOther() {
    start();
    write(u"pooled.fw"_s,
          u"fuse pooled { match conv2d(x, w) >> bias(^, b) >> relu(^) >> max_pool2d(^)  as melted "
          "}\ngraph net(x: f32[1, 16, 128, 128]) -> y {\n"
          "  w = const random(1) : f32[32, 16, 3, 3]  b = const random(2) : f32[32]\n"
          "  c = conv2d(x, w) {pads = [1, 1, 1, 1]}  d = bias(c, b)  r = relu(d)\n"
          "  y = max_pool2d(r) {kernel_shape = [2, 2], strides = [2, 2]} }\n"_s);
    open(u"pooled.fw"_s);
    select(0);
    const QString detail = dock().detailText();
    for (const QString& word : {u"apart"_s, u"stacked"_s, u"melted"_s, u"moved"_s, u"MB"_s})
        QVERIFY2(detail.contains(word), qPrintable(detail));
    QCOMPARE(detail.count(u"▸"_s), 1);
    picture(u"schedule-ways"_s);
}

void TestScheduleDock::branchesAndTheirSizes() {
    start();
    write(u"sizes.fw"_s, u"implementations dense(...) let M = size(P) on any {\n"
                         "  few_rows by generated.rowwise priority 30 when M <= 16\n"
                         "  ninety   by generated.window  priority 20 when M >= 90\n"
                         "}\ngraph net(x: f32[N, 24]) -> y {\n"
                         "  w = const random(1) : f32[40, 24]  y = dense(x, w) }\n"_s);
    open(u"sizes.fw"_s);
    select(0);
    const QString detail = dock().detailText();
    for (const QString& word : {u"few_rows   N = 1..16"_s, u"ninety   N = 90 and more"_s,
                                u"generated.tiled   N = 17..89"_s})
        QVERIFY2(detail.contains(word), qPrintable(detail));
    dock().showLoops(true);
    QCOMPARE(boxesOf(u"few_rows where M <= 16"_s), 1);
    picture(u"schedule-branches"_s);
}

void TestScheduleDock::conflictsAreSaid() {
    start();
    write(u"slow.fw"_s,
          u"implementations dense(...) on any { slow by generated.plain priority 90 }\n"
          "graph net(x: f32[64, 96]) -> y { w = const random(1) : f32[64, 96]\n"
          "  y = dense(x, w) }\n"_s);
    open(u"slow.fw"_s);
    select(0);
    QVERIFY2(dock().detailText().contains(u"slow with priority 90"_s) &&
                 dock().detailText().contains(u"where generated.tiled"_s),
             qPrintable(dock().detailText()));
    const QModelIndex verdict = dock().model().index(0, ImplementationsModel::Verdict);
    QVERIFY2(verdict.data().toString().contains(u" was ready"_s),
             qPrintable(verdict.data().toString()));
    QCOMPARE(verdict.data(ItemRole::ToneRole).toInt(), int(Tone::Warning));
    picture(u"schedule-conflict"_s);
}

void TestScheduleDock::pinsOfNothingAreSaid() {
    start();
    write(u"lost.fw"_s, u"pin { use generated.plain for nobody }\n"
                        "graph net(x: f32[64, 96]) -> y { w = const random(1) : f32[64, 96]\n"
                        "  y = dense(x, w) }\n"_s);
    open(u"lost.fw"_s);
    QVERIFY2(dock().detailText().contains(u"PIN03"_s) &&
                 dock().detailText().contains(u"there is no operator named nobody"_s),
             qPrintable(dock().detailText()));
    const auto* header = dock().parentWidget()->findChild<PaneHeader*>();
    QVERIFY(header != nullptr);
    QVERIFY2(header->detail().contains(u"1 pin not followed"_s), qPrintable(header->detail()));
}

void TestScheduleDock::inSmallAndLargeFonts() {
    start();
    open(u"mlp"_s);
    select(0);
    dock().showLoops(true);
    const QFont usual = QApplication::font();
    for (const QSize& size : {QSize(1600, 1000), QSize(1280, 720)})
        for (const double points : {8.0, 16.0}) {
            QFont font = usual;
            font.setPointSizeF(points);
            QApplication::setFont(font);
            Theme::instance().followFont();
            m_window->resize(size);
            QCoreApplication::processEvents();
            waitIdle();
            QVERIFY(loops().rowCount() > 4);
            for (int row = 1; row < loops().rowCount(); ++row)
                QVERIFY(loops().rowRect(row).top() > loops().rowRect(row - 1).top());
            QVERIFY(loops().rowRect(0).height() >= loops().fontMetrics().height());
            picture(u"schedule-%1x%2-%3"_s.arg(size.width()).arg(size.height()).arg(points));
        }
    QApplication::setFont(usual);
    Theme::instance().followFont();
}

FW_TEST(TestScheduleDock, QApplication)
#include "test_schedule_dock.moc"
