// The window with a canned worker: open, plan again, select across panes, profile, export, and what
// happens when the worker dies or a file is bad.
#include "app/window/batch.h"
#include "app/window/export_dialog.h"
#include "app/window/help_window.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/picture_file.h"
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/common/theme.h"
#include "views/explain/explain_view.h"
#include "views/graph/graphs_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/problems/problems_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"
#include "window/window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>

#include <signal.h>

using namespace fw;
using namespace fw::ui;

namespace {

Status savePicture(const MainWindow& window, const QString& file, GraphSide side) {
    return writePicture(window.view<GraphsView>()->pane(side)->canvas()->picture(), file,
                        Theme::instance().kind());
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void opensAndDraws();
    void targetBoxPlansAgain();
    void illegalTargetIsToldAndThePlanStays();
    void selectionGoesAcrossPanes();
    void selectionFollowsANewPlan();
    void outlineSelectsGroups();
    void explainNamesTheGates();
    void profileShowsTimes();
    void stopEndsAProfile();
    void stoppedPlanGoesOn();
    void exportIsTold();
    void stagesOfTheSelectedGroup();
    void badFileKeepsTheDocument();
    void killedWorkerLeavesTheWindow();
    void dropOpens();
    void findWalksThroughHits();
    void historyGoesBack();
    void walkingReachesEveryNode();
    void shortcutsAreUniqueAndComplete();
    void everythingHasAnAccessibleName();
    void labelsArePlainText();
    void picturesAreWritten();
    void themesAndLayout();
    void startOptions();
    void screenshot();
    void exportDialogHasTheOptions();

private:
    void open(const QString& name = QStringLiteral("residual.onnx")) {
        m_window->openModel(m_folder.filePath(name));
        waitIdle();
        QVERIFY(m_window->document().isOpen());
    }
    void waitIdle() { QTRY_VERIFY_WITH_TIMEOUT(m_window->idle(), 10000); }
    void click(GraphSide side, snapshot::NodeId node) {
        GraphCanvas* canvas = m_window->view<GraphsView>()->pane(side)->canvas();
        canvas->centerOn(node);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, canvas->nodeCenter(node));
        waitIdle();
    }
    void trigger(const char* name) {
        for (QAction* action : actionsIn(*m_window->menuBar()))
            if (action->text().remove('&') == QString::fromUtf8(name)) {
                QVERIFY2(action->isEnabled(), name);
                return action->trigger();
            }
        QFAIL(name);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void TestMainWindow::init() {
    m_window = std::make_unique<MainWindow>(QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"),
                                            Memory::Forget);
    m_window->worker().setCancelGrace(200);
    m_window->resize(1400, 900);
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get())); // shortcuts need it
}

void TestMainWindow::cleanup() {
    m_window.reset();
    QThreadPool::globalInstance()->waitForDone();
}

void TestMainWindow::opensAndDraws() {
    open();
    QCOMPARE(m_window->windowTitle(), QStringLiteral("residual.onnx – Fusewright"));
    const auto imported =
        m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas()->picture();
    const auto fused = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture();
    QVERIFY(imported && fused);
    QCOMPARE(imported->boxes.size(), std::size_t(10)); // without the constant, with an output
    QCOMPARE(fused->containers.size(), std::size_t(3));
    QCOMPARE(m_window->view<OutlineView>()->model().operatorCount(), 8);
    QVERIFY(m_window->messageBar()->text().isEmpty());
    QVERIFY(m_window->view<PropertiesView>()->model().rowCount() > 3); // of the model
}

void TestMainWindow::targetBoxPlansAgain() {
    open();
    auto* target = m_window->findChild<QComboBox*>(QStringLiteral("target"));
    target->setFocus();
    target->lineEdit()->selectAll();
    QTest::keyClicks(target->lineEdit(), QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    QTest::keyClick(target->lineEdit(), Qt::Key_Return);
    waitIdle();
    QCOMPARE(m_window->document().plan()->groups.size(), std::size_t(4));
    QCOMPARE(m_window->view<GraphsView>()
                 ->pane(GraphSide::Fused)
                 ->canvas()
                 ->picture()
                 ->containers.size(),
             std::size_t(4));
}

void TestMainWindow::illegalTargetIsToldAndThePlanStays() {
    open();
    m_window->setTargetText(QStringLiteral("bogus"));
    waitIdle();
    QVERIFY(m_window->view<GraphsView>()
                ->pane(GraphSide::Fused)
                ->overlay()
                ->text()
                .contains(QStringLiteral("USE02")));
    QCOMPARE(m_window->view<GraphsView>()
                 ->pane(GraphSide::Fused)
                 ->canvas()
                 ->picture()
                 ->containers.size(),
             std::size_t(3));
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("bogus")));
}

void TestMainWindow::selectionGoesAcrossPanes() {
    open();
    click(GraphSide::Imported, 4);
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->selected(),
             (Ids{22, 23}));
    QVERIFY(m_window->view<PropertiesView>()->model().properties()[0].value ==
            QStringLiteral("batch_norm"));
    click(GraphSide::Fused, 25);
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas()->selected(),
             (Ids{6, 7}));
    QCOMPARE(m_window->view<OutlineView>()->tree()->currentIndex().data().toString(),
             QStringLiteral("conv2d  Conv_15"));
    // A node stands for a constant too, which the picture does not show.
    click(GraphSide::Fused, 22);
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas()->selected(),
             (Ids{3, 4}));
}

void TestMainWindow::selectionFollowsANewPlan() {
    open();
    click(GraphSide::Imported, 8);
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    waitIdle();
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas()->selected(), Ids{8});
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->selected(), Ids{27});
    QCOMPARE(m_window->document().explanation()->verdict, std::string("no"));
}

void TestMainWindow::outlineSelectsGroups() {
    open();
    QTreeView* tree = m_window->view<OutlineView>()->tree();
    tree->setCurrentIndex(tree->model()->index(1, 0));
    waitIdle();
    QCOMPARE(m_window->selection().group, 0);
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->selected(),
             (Ids{22, 23, 24}));
    QCOMPARE(m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas()->selected(),
             (Ids{3, 4, 5}));
    QCOMPARE(m_window->view<PropertiesView>()->model().properties()[0].value,
             QStringLiteral("conv2d_bias_relu_0"));
    m_window->view<OutlineView>()->filter()->setText(QStringLiteral("softmax"));
    QCOMPARE(tree->model()->rowCount(), 1);
    QCOMPARE(m_window->selection().group, 0); // a filter is no selection
}

void TestMainWindow::explainNamesTheGates() {
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    open();
    click(GraphSide::Fused, 27);
    QCOMPARE(m_window->view<ExplainView>()->gateCount(), 5);
    const QString text = m_window->view<ExplainView>()->asText();
    QVERIFY(text.contains(QStringLiteral("Add_17 is not fused into conv2d_bias_1.")));
    QVERIFY(text.contains(QStringLiteral("✖  implementation absorbs it")));
    QVERIFY(text.contains(QStringLiteral("IMP02")));
}

void TestMainWindow::profileShowsTimes() {
    open();
    QVERIFY(m_window->view<ProfileView>()->overlay()->text().contains(
        QStringLiteral("compiled module")));
    QTest::keyClick(m_window.get(), Qt::Key_F10, Qt::ControlModifier);
    waitIdle();
    QTreeView* table = m_window->view<ProfileView>()->table();
    QCOMPARE(table->model()->rowCount(), 3);
    QVERIFY(
        m_window->view<ProfileView>()->footerText().contains(QStringLiteral("end to end 464 µs")));
    QVERIFY(m_window->view<ProfileView>()->footerText().contains(
        QStringLiteral("sum of groups 446 µs")));
    QVERIFY(m_window->view<ProfileView>()->asText().contains(QStringLiteral("softmax_2\t31.000")));
    table->setCurrentIndex(table->model()->index(1, 0));
    waitIdle();
    QCOMPARE(m_window->selection().group, 1);
    // The picture shows measured times now; another target makes them stale.
    QVERIFY(m_window->view<GraphsView>()->pane(GraphSide::Fused)->overlay()->text().isEmpty());
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    waitIdle();
    QVERIFY(m_window->view<ProfileView>()->overlay()->text().contains(QStringLiteral("earlier")));
}

void TestMainWindow::stopEndsAProfile() {
    open(QStringLiteral("hang_profile.onnx"));
    QSignalSpy progress(&m_window->worker(), &WorkerClient::progressed);
    trigger("Compile and profile");
    QVERIFY(progress.wait(5000));
    trigger("Stop");
    waitIdle();
    QVERIFY(m_window->document().plan());
    QCOMPARE(m_window->document().state(Part::Profile), State::Empty);
}

// What was stopped says so, and goes on by a button, or by the target that stands there.
void TestMainWindow::stoppedPlanGoesOn() {
    const auto stopWhilePlanning = [this] {
        QTRY_COMPARE(m_window->worker().atWork(), std::string("fuse"));
        trigger("Stop");
        waitIdle();
        QCOMPARE(m_window->document().state(Part::Plan), State::Empty);
    };
    m_window->openModel(m_folder.filePath(QStringLiteral("hang_fuse.onnx")));
    stopWhilePlanning();
    GraphPane* pane = m_window->view<GraphsView>()->pane(GraphSide::Fused);
    const QString said = pane->overlay()->text();
    QVERIFY2(said.contains(QStringLiteral("Planning was stopped")), qPrintable(said));
    QVERIFY(m_window->view<ImplementationsView>()->overlay()->text().contains(
        QStringLiteral("Planning was stopped")));
    // The same target again is no change of the inputs, and plans all the same.
    m_window->setTargetText(QString::fromStdString(m_window->document().inputs().target));
    stopWhilePlanning();
    int buttons = 0;
    for (QPushButton* button : pane->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == QStringLiteral("Go on") && ++buttons == 1)
            button->click();
    QCOMPARE(buttons, 1);
    stopWhilePlanning();
}

void TestMainWindow::exportIsTold() {
    open();
    QSignalSpy notes(&m_window->document(), &Document::note);
    m_window->document().tasks().exportModule(m_folder.filePath(QStringLiteral("out")));
    waitIdle();
    QCOMPARE(notes.count(), 1);
    QVERIFY(notes[0][0].toString().contains(QStringLiteral("libresidual.so")));
}

void TestMainWindow::stagesOfTheSelectedGroup() {
    open();
    m_window->findChild<QDockWidget*>(QStringLiteral("stages"))->raise();
    m_window->select({});
    click(GraphSide::Fused, 23);
    QTRY_VERIFY(m_window->view<StagesView>()->textEdit()->toPlainText().contains(
        QStringLiteral("stage loops")));
    QCOMPARE(m_window->view<StagesView>()->nodesOfLine(7), (snapshot::NodeSet{23, 24}));
    QCOMPARE(m_window->view<StagesView>()->textEdit()->extraSelections().size(), 1);
    m_window->view<StagesView>()->setStage(QStringLiteral("asm"));
    QTRY_VERIFY(m_window->view<StagesView>()->textEdit()->toPlainText().contains(
        QStringLiteral("stage asm")));
}

void TestMainWindow::badFileKeepsTheDocument() {
    m_window->openModel(m_folder.filePath(QStringLiteral("bad.onnx")));
    waitIdle();
    QVERIFY(!m_window->document().isOpen());
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("ONX01")));
    open();
    QVERIFY(m_window->messageBar()->text().isEmpty());
    m_window->openModel(m_folder.filePath(QStringLiteral("bad.onnx")));
    waitIdle();
    QCOMPARE(m_window->document().fileName(), QStringLiteral("residual.onnx"));
    QVERIFY(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture());
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("bad.onnx")));
}

void TestMainWindow::killedWorkerLeavesTheWindow() {
    open(QStringLiteral("hang_profile.onnx"));
    const auto plan = m_window->document().plan();
    QSignalSpy progress(&m_window->worker(), &WorkerClient::progressed);
    trigger("Compile and profile");
    QVERIFY(progress.wait(5000));
    ::kill(pid_t(m_window->worker().processId()), SIGKILL);
    waitIdle();
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("INT02")));
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("stage profile")));
    QCOMPARE(m_window->document().plan(), plan);
    QVERIFY(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture());
    ProblemsView* problems = m_window->view<ProblemsView>();
    QCOMPARE(problems->model().rowCount(), 1);
    QCOMPARE(problems->model().count(Severity::Error), 1);
    QCOMPARE(problems->overlay()->state(), ViewState::Ready);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->worker().state(), WorkerClient::State::Idle, 1000);
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    waitIdle();
    QCOMPARE(problems->model().rowCount(), 1); // of earlier inputs
    QCOMPARE(problems->model().count(Severity::Error), 0);
    QCOMPARE(problems->overlay()->state(), ViewState::Stale);
    Q_EMIT problems->overlay()->actionRequested();
    QCOMPARE(problems->overlay()->state(), ViewState::Empty);
    QCOMPARE(m_window->document().plan()->groups.size(), std::size_t(4));
}

void TestMainWindow::dropOpens() {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_folder.filePath(QStringLiteral("residual.onnx")))});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(m_window.get(), &drop);
    QTRY_VERIFY(m_window->document().isOpen());
    waitIdle();
}

void TestMainWindow::findWalksThroughHits() {
    open();
    QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* find = m_window->findChild<QLineEdit*>(QStringLiteral("find"));
    QTest::keyClicks(find, QStringLiteral("relu"));
    std::vector<snapshot::NodeSet> seen;
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(find, Qt::Key_Return);
        seen.push_back(m_window->selection().fused);
    }
    using Set = snapshot::NodeSet;
    QCOMPARE(seen, (std::vector<Set>{{24}, {28}, {24}}));
    trigger("Find previous");
    QCOMPARE(m_window->selection().fused, Set{28});
    find->setText(QStringLiteral("batch_norm")); // only in the imported graph
    QTest::keyClick(find, Qt::Key_Return);
    QCOMPARE(m_window->selection().imported, Set{4});
}

void TestMainWindow::historyGoesBack() {
    open();
    click(GraphSide::Fused, 22);
    click(GraphSide::Fused, 27);
    trigger("Back");
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{22});
    trigger("Forward");
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{27});
    // The buttons of a mouse that has them do the same.
    QWidget* viewport = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->viewport();
    QTest::mouseClick(viewport, Qt::BackButton);
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{22});
    QTest::mouseClick(viewport, Qt::ForwardButton);
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{27});
    trigger("Select the whole group");
    QCOMPARE(m_window->selection().fused, (snapshot::NodeSet{25, 26, 27, 28}));
    trigger("Next group");
    QCOMPARE(m_window->selection().group, 2);
}

void TestMainWindow::walkingReachesEveryNode() {
    open();
    snapshot::NodeSet seen;
    for (int i = 0; i < 12; ++i) {
        trigger("Next operator");
        seen.insert(m_window->selection().fused.begin(), m_window->selection().fused.end());
    }
    QCOMPARE(seen.size(), std::size_t(9));
}

void TestMainWindow::shortcutsAreUniqueAndComplete() {
    QMap<QString, QString> seen;
    QStringList wrong;
    QList<QList<QAction*>> menus; // what stands in recent files and shipped books has no keys
    for (QAction* menu : m_window->menuBar()->actions()) {
        menus << menu->menu()->actions();
        if (menu->text() == QStringLiteral("&View"))
            menus << actionsIn(*menu->menu());
    }
    for (const QList<QAction*>& actions : menus) {
        for (QAction* action : actions) {
            if (action->isSeparator() || action->menu() || seen.values().contains(action->text()))
                continue;
            const QString keys = action->shortcut().toString();
            if (keys.isEmpty())
                wrong << action->text() + QStringLiteral(" has no shortcut");
            else if (seen.contains(keys))
                wrong << keys + QStringLiteral(": ") + seen[keys] + QStringLiteral(", ") +
                             action->text();
            seen[keys] = action->text();
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    QVERIFY(seen.size() > 35);
}

void TestMainWindow::everythingHasAnAccessibleName() {
    open();
    QStringList wrong;
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
        const bool asked = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                           qobject_cast<QAbstractItemView*>(widget) ||
                           qobject_cast<QPlainTextEdit*>(widget) ||
                           qobject_cast<GraphCanvas*>(widget);
        const bool inner = qobject_cast<QComboBox*>(widget->parentWidget()) ||
                           widget->metaObject()->className() == QByteArray("QComboBoxListView") ||
                           widget->inherits("QHeaderView");
        if (asked && !inner && widget->accessibleName().isEmpty())
            wrong << QString::fromLatin1(widget->metaObject()->className()) + ' ' +
                         widget->objectName();
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

void TestMainWindow::labelsArePlainText() {
    open();
    click(GraphSide::Fused, 22);
    // Whatever a label shows, it shows letter by letter; only texts without "<" may be left to Qt.
    for (QLabel* label : m_window->findChildren<QLabel*>())
        QVERIFY2(label->textFormat() == Qt::PlainText || !Qt::mightBeRichText(label->text()),
                 qPrintable(label->text()));
}

void TestMainWindow::picturesAreWritten() {
    open();
    for (const char* kind : {"svg", "png", "pdf"}) {
        const QString file = m_folder.filePath(QStringLiteral("picture.") + kind);
        const Status saved = savePicture(*m_window, file, GraphSide::Fused);
        QVERIFY2(saved.ok(), saved.ok() ? "" : saved.diag().text().c_str());
        QVERIFY(QFileInfo(file).size() > 1000);
    }
    QImage image(m_folder.filePath(QStringLiteral("picture.png")));
    QVERIFY(image.width() > 200 && image.height() > 600);
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    QVERIFY(colours.size() > 8); // not an empty sheet
    QFile blocker(m_folder.filePath(QStringLiteral("file")));
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    const Status refused =
        savePicture(*m_window, m_folder.filePath(QStringLiteral("file/p.svg")), GraphSide::Fused);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::FileUnwritable);
    QCOMPARE(savePicture(*m_window, QStringLiteral("x.gif"), GraphSide::Fused).diag().code,
             DiagCode::Usage);
}

void TestMainWindow::themesAndLayout() {
    open();
    trigger("Dark theme");
    QCOMPARE(Theme::instance().kind(), ThemeKind::Dark);
    trigger("Light theme");
    QCOMPARE(Theme::instance().kind(), ThemeKind::Light);
    auto* outline = m_window->findChild<QDockWidget*>(QStringLiteral("outline"));
    outline->hide();
    QVERIFY(!m_window->restoreState(QByteArray("nonsense"), 1)); // tolerated
    trigger("Reset layout");
    QVERIFY(outline->isVisible());
    trigger("Documentation");
    trigger("Keyboard shortcuts");
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (widget != m_window.get())
            widget->close();
    }
}

void TestMainWindow::startOptions() {
    const auto read = [](const QStringList& arguments) {
        return readStartOptions(QStringList{QStringLiteral("fusewright")} + arguments);
    };
    const auto good = read({"m.onnx", "--target", "t", "--screenshot", "s.png", "--size", "800x600",
                            "--theme", "dark", "--select", "n", "--profile"});
    QVERIFY(good.ok());
    QCOMPARE(good->size, QSize(800, 600));
    QVERIFY(good->batch() && good->profile && good->theme == ThemeChoice::Dark);
    for (const QStringList& bad :
         {QStringList{"a", "b"}, QStringList{"--size", "7"}, QStringList{"--size", "1x1"},
          QStringList{"--theme", "pink"}, QStringList{"--nonsense"}, QStringList{"--stage", "x"},
          QStringList{"--screenshot", "s.png"}}) {
        const auto refused = read(bad);
        QVERIFY2(!refused.ok(), qPrintable(bad.join(' ')));
        QCOMPARE(refused.diag().code, DiagCode::Usage);
    }
    QVERIFY(usageText().contains(QStringLiteral("--screenshot")));
}

void TestMainWindow::screenshot() {
    StartOptions options;
    options.model = m_folder.filePath(QStringLiteral("residual.onnx"));
    options.screenshot = m_folder.filePath(QStringLiteral("shot.png"));
    options.exportFile = m_folder.filePath(QStringLiteral("shot.svg"));
    options.select = QStringLiteral("conv2d_bias_relu_0");
    options.profile = true;
    options.stage = QStringLiteral("llvm");
    options.size = {1200, 800};
    QCOMPARE(runBatch(*m_window, options), 0);
    QCOMPARE(QImage(options.screenshot).size(), QSize(1200, 800));
    QVERIFY(QFileInfo::exists(options.exportFile));
    options.select = QStringLiteral("nobody");
    QCOMPARE(runBatch(*m_window, options), 2);
    MainWindow other(QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"), Memory::Forget);
    options.model = m_folder.filePath(QStringLiteral("bad.onnx"));
    QCOMPARE(runBatch(other, options), 2);
}

void TestMainWindow::exportDialogHasTheOptions() {
    ExportDialog dialog(QStringLiteral("m.onnx"), QStringLiteral("x86-64"), m_folder.path());
    // The options of the command line, in its words.
    QVERIFY(!dialog.embeds() && !dialog.isStatic());
    QVERIFY(dialog.what().contains(QStringLiteral("a shared library")) &&
            dialog.what().contains(QStringLiteral("the weights")));
    QCOMPARE(dialog.embedBox()->text(),
             QStringLiteral("--embed: weights inside the library, no file beside it"));
    QCOMPARE(dialog.staticBox()->text(),
             QStringLiteral("--static: libNAME.a, which a program links, not a .so"));
    dialog.embedBox()->click();
    dialog.staticBox()->click();
    QVERIFY(dialog.embeds() && dialog.isStatic());
    QVERIFY(dialog.what().contains(QStringLiteral("an archive")) &&
            !dialog.what().contains(QStringLiteral("the weights")));
}

FW_TEST(TestMainWindow, QApplication)
#include "test_main_window.moc"
