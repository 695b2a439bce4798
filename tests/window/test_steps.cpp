// The stepper, through the real window with the real worker.
#include "common/test.h"
#include "views/steps/step_slider.h"
#include "views/steps/steps_view.h"
#include "views/steps/stop_list.h"
#include "window/story_fixture.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestSteps : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void phasesAndApplications();
    void whatIsMatchedIsInView();
    void runToAStop();
    void stopsAreAListThatIsKept();
    void leftOutAndSaved();
    void anotherMatchIsDoneInstead();

private:
    void openSteps();
    StepsView& steps() const { return *m_window->view<StepsView>(); }
    QString marks() const; // in the picture: "match first, + neg"
};

void TestSteps::openSteps() {
    start();
    open(u"residual"_s);
    m_window->findChild<QDockWidget*>(u"steps"_s)->raise();
    QTRY_VERIFY(steps().isVisible());
    waitIdle();
    QTRY_COMPARE(steps().number(), 1);
    waitIdle();
}

QString TestSteps::marks() const {
    int match = 0, created = 0, erased = 0, changed = 0;
    for (const Halo& halo : m_window->view<GraphsView>()->stepPane()->canvas()->halos()) {
        match += halo.look == Halo::Look::Match;
        created += halo.look == Halo::Look::Created;
        erased += halo.look == Halo::Look::Erased;
        changed += halo.look == Halo::Look::Changed;
    }
    return u"%1 matched, %2 created, %3 erased, %4 changed"_s.arg(match)
        .arg(created)
        .arg(erased)
        .arg(changed);
}

// Boxes keep their place from phase to phase: only what is seen of them differs.
void TestSteps::phasesAndApplications() {
    openSteps();
    GraphCanvas* canvas = m_window->view<GraphsView>()->stepPane()->canvas();
    const auto picture = canvas->picture();
    const auto idOf = [&](const std::string& mark) {
        for (const auto& node : m_window->document().step()->nodes)
            if (node.mark == mark && canvas->nodeRect(node.node).isValid())
                return node.node;
        return snapshot::noNode;
    };
    const auto created = idOf("created"), erased = idOf("erased");
    QVERIFY(created != snapshot::noNode && erased != snapshot::noNode);
    QCOMPARE(marks(), u"2 matched, 0 created, 0 erased, 0 changed"_s);
    QVERIFY(canvas->isHidden(created) && !canvas->isHidden(erased));
    press(u"F10"_s);
    QCOMPARE(steps().phase(), StepPhase::Change);
    QVERIFY(marks().startsWith(u"0 matched, 11 created, 2 erased"_s));
    QVERIFY(!canvas->isHidden(created) && !canvas->isHidden(erased));
    press(u"F10"_s);
    QVERIFY(marks().startsWith(u"0 matched, 11 created, 0 erased"_s));
    QVERIFY(!canvas->isHidden(created) && canvas->isHidden(erased));
    QVERIFY(canvas->picture() == picture);
    press(u"F10"_s);
    waitIdle();
    QTRY_COMPARE(steps().number(), 2);
    QCOMPARE(steps().phase(), StepPhase::Match);
    // What the rule matched is what all views look at.
    const auto& picked = m_window->selection().imported;
    const auto& origins = m_window->document().step()->application->origins;
    QVERIFY(picked == snapshot::NodeSet(origins.begin(), origins.end()));
    press(u"Shift+F11"_s);
    waitIdle();
    QTRY_COMPARE(steps().number(), 1);
    QCOMPARE(steps().phase(), StepPhase::Result);
    steps().slider()->setValue(steps().slider()->maximum());
    waitIdle();
    QTRY_COMPARE(steps().number(), steps().model().applications());
    QCOMPARE(steps().table()->currentIndex().row() + 1, steps().number());
    press(u"F10"_s), press(u"F10"_s), press(u"F10"_s); // the end is the end
    waitIdle();
    QCOMPARE(steps().number(), steps().model().applications());
    steps().table()->setCurrentIndex(steps().model().index(3, 0));
    waitIdle();
    QTRY_COMPARE(steps().number(), 4);
    QCOMPARE(steps().slider()->value(), 4);
}

// In a small window, too, from application to application.
void TestSteps::whatIsMatchedIsInView() {
    openSteps();
    m_window->resize(1280, 800);
    waitIdle();
    GraphCanvas* canvas = m_window->view<GraphsView>()->stepPane()->canvas();
    for (int number = 2; number <= std::min(steps().model().applications(), 8); ++number) {
        steps().slider()->setValue(number);
        waitIdle();
        QTRY_COMPARE(steps().number(), number);
        int seen = 0;
        for (const auto& node : m_window->document().step()->nodes)
            if (const QRectF box = canvas->nodeRect(node.node); node.matched && box.isValid()) {
                QVERIFY2(QRectF(canvas->viewport()->rect()).contains(box),
                         qPrintable(u"%1 at %2"_s.arg(number).arg(canvas->scale())));
                ++seen;
            }
        QVERIFY(seen > 0);
    }
}

void TestSteps::runToAStop() {
    openSteps();
    press(u"Alt+F11"_s);
    waitIdle();
    QTRY_COMPARE(steps().number(), 5);
    QVERIFY2(steps().sentence().endsWith(u"stopped, another rule: fold_constants"_s),
             qPrintable(steps().sentence()));
    steps().slider()->setValue(1);
    waitIdle();
    QTRY_COMPARE(steps().number(), 1);
    steps().until()->setFocus();
    steps().until()->setCurrentText(u"creates conv2d"_s);
    press(u"Alt+F10"_s);
    waitIdle();
    QTRY_COMPARE(steps().number(), 2);
    // What means nothing is said where it was typed, and the application stays.
    steps().until()->setCurrentText(u"creates nothing_of_this"_s);
    press(u"Alt+F10"_s);
    waitIdle();
    QTRY_VERIFY2(steps().sentence().startsWith(u"there is no operator named nothing_of_this"_s),
                 qPrintable(steps().sentence()));
    press(u"F10"_s);
    QCOMPARE(steps().phase(), StepPhase::Change);
    QVERIFY(marks().contains(u"2 erased"_s));
}

void TestSteps::stopsAreAListThatIsKept() {
    openSteps();
    StopList& list = *steps().stopList();
    QVERIFY(list.isHidden());
    const auto keep = [&](const QString& text) {
        steps().until()->setFocus();
        QTest::keyClicks(steps().until()->lineEdit(), text);
        press(u"Ctrl+Alt+Shift+S"_s);
        QCOMPARE(steps().until()->currentText(), QString());
    };
    keep(u"when op:conv2d strides>1"_s);
    keep(u"creates shape:1x32"_s);
    QCOMPARE(list.count(), 2);
    QVERIFY(!list.isHidden());
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light})
        for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
            m_window->applyTheme(theme);
            m_window->resize(size);
            picture(u"stops-%1-%2"_s.arg(size.width())
                        .arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s));
        }
    // The first that comes stops it; what is not ticked does not.
    press(u"Alt+F10"_s);
    QTRY_VERIFY2(steps().sentence().contains(u"stopped, "_s), qPrintable(steps().sentence()));
    const int first = steps().number();
    QVERIFY(first > 1 && first < steps().model().applications());
    const bool byQuery = steps().sentence().contains(u"stopped, when op:conv2d strides>1"_s);
    list.item(byQuery ? 0 : 1)->setCheckState(Qt::Unchecked);
    press(u"Alt+F10"_s);
    QTRY_VERIFY(steps().number() > first);
    QVERIFY2(steps().sentence().contains(byQuery ? u"stopped, creates shape:1x32"_s
                                                 : u"stopped, when op:conv2d strides>1"_s),
             qPrintable(steps().sentence()));
    // They are saved, with what is ticked.
    const QString file = m_folder.filePath(u"stops.fwdoc"_s);
    answerFileDialog(file);
    press(u"Ctrl+S"_s);
    QVERIFY(QFile::exists(file));
    const auto kept = list.stops();
    end();
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->openModel(file);
    waitIdle();
    QVERIFY(steps().stopList()->stops() == kept);
    // Enter puts one back into the box, Delete takes it out.
    m_window->findChild<QDockWidget*>(u"steps"_s)->raise();
    QTRY_VERIFY(steps().stopList()->isVisible());
    steps().stopList()->setFocus();
    steps().stopList()->setCurrentRow(0);
    QTest::keyClick(steps().stopList(), Qt::Key_Return);
    QCOMPARE(steps().until()->currentText(), u"when op:conv2d strides>1"_s);
    steps().stopList()->setFocus();
    steps().stopList()->setCurrentRow(0);
    QTest::keyClick(steps().stopList(), Qt::Key_Delete);
    QCOMPARE(steps().stopList()->count(), 1);
    QVERIFY(m_window->document().unsaved());
}

void TestSteps::leftOutAndSaved() {
    openSteps();
    const int before = steps().model().applications();
    const QString name = steps().model().nameOf(0);
    QVERIFY(name.startsWith(u"fold_batch_norm at "_s));
    press(u"Ctrl+Alt+Backspace"_s);
    waitIdle();
    QTRY_VERIFY(steps().model().applications() != before);
    QCOMPARE(steps().model().nameOf(steps().model().rowCount() - 1), name);
    QVERIFY(!steps().model().isApplied(steps().model().rowCount() - 1));
    QTRY_COMPARE(steps().number(), 1);
    QVERIFY(steps().model().nameOf(0) != name);
    // It is an edit like others, and part of the document.
    QVERIFY(m_window->document().unsaved());
    const QString path = m_folder.filePath(u"kept.fwdoc"_s);
    QVERIFY(m_window->document().save(path).ok());
    m_window->document().undo();
    waitIdle();
    QTRY_COMPARE(steps().model().applications(), before);
    end();
    start();
    m_window->openModel(path);
    waitIdle();
    QTRY_COMPARE(m_window->document().inputs().leftOut,
                 std::vector<std::string>{name.toStdString()});
    QVERIFY(steps().model().applications() != before);
}

// Chosen with the keys, seen before it is done, and undone.
void TestSteps::anotherMatchIsDoneInstead() {
    const auto write = [&](const QString& name, const char* text) {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    write(u"chain.fw"_s, "graph g(x: f32[4]) -> y {\n"
                         " a = relu(x) @node(\"first\")  b = tanh(a) @node(\"second\")\n"
                         " y = exp(b) @node(\"last\")\n}\n");
    write(u"mine.fw"_s, "rule single { match y = relu(x) emit y = neg(x) }\n"
                        "rule pair { match y = tanh(relu(x)) emit y = sin(x) }\n");
    start();
    open(u"chain.fw"_s);
    m_window->document().edit(snapshot::AddBook{m_folder.filePath(u"mine.fw"_s).toStdString()});
    waitIdle(); // the list of changes comes to the front
    m_window->findChild<QDockWidget*>(u"steps"_s)->raise();
    waitIdle();
    QTRY_COMPARE(steps().model().nameOf(0), u"single at first"_s);
    QTRY_COMPARE(steps().choices()->count(), 2);
    QVERIFY(steps().choices()->isVisible());
    press(u"F10"_s);
    waitIdle();
    QVERIFY(!steps().instead()->isEnabled());
    press(u"Alt+Shift+F11"_s); // nothing is chosen
    QVERIFY(m_window->document().inputs().leftOut.empty());
    press(u"Alt+Shift+F10"_s);
    waitIdle();
    QTRY_VERIFY2(steps().sentence().startsWith(u"in place of 1 of 1: pair at second"_s),
                 qPrintable(steps().sentence()));
    QCOMPARE(steps().choices()->currentText(), u"pair at second"_s);
    QTRY_COMPARE(marks(), u"0 matched, 1 created, 2 erased, 1 changed"_s);
    QVERIFY(m_window->document().inputs().leftOut.empty()); // it is only seen
    press(u"Alt+Shift+F11"_s);
    waitIdle();
    QTRY_COMPARE(steps().model().nameOf(0), u"pair at second"_s);
    QCOMPARE(m_window->document().inputs().leftOut, std::vector<std::string>{"single at first"});
    QTRY_VERIFY(steps().sentence().startsWith(u"1 of 1: pair at second"_s));
    QCOMPARE(steps().choices()->count(), 2); // now the other way round
    m_window->document().undo();
    waitIdle();
    QTRY_COMPARE(steps().model().nameOf(0), u"single at first"_s);
    press(u"Alt+Shift+F10"_s), press(u"Alt+Shift+F10"_s); // there and back
    waitIdle();
    QTRY_VERIFY(steps().sentence().startsWith(u"1 of 1: single at first"_s));
}

FW_TEST(TestSteps, QApplication)
#include "test_steps.moc"
