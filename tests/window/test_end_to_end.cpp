// The window with the real worker and a real model: open, plan again, select across panes, profile,
// read the stages, export, kill the worker while it compiles, refuse broken files.
#include "app/window/dims_dialog.h"
#include "app/window/library_boxes.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "snapshot/documents.h"
#include "views/authoring/rules_view.h"
#include "views/common/state_overlay.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/graph/graphs_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QDir>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTreeView>
#include <QTreeWidget>

#include <signal.h>
#include <sys/resource.h>

using namespace fw;
using namespace fw::ui;
using snapshot::NodeId;
using snapshot::NodeSet;

const QString libraryFusion = QStringLiteral(FW_SOURCE_DIR "/samples/library-fusion/dense.fw");

class TestEndToEnd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void opensAndPlansAgain();
    void selectionGoesAcrossPanes();
    void everyPairIsExplained();
    void documentKeepsWhatWasDecided();
    void libraryIsSwitched();
    void bookIsOpenedAndSwitchedOff();
    void rulesListWhatTheyFind();
    void fullDiskWhileExporting();
    void valuesAreShown();
    void profilesAndShowsStages();
    void exports();
    void killedWhileCompiling();
    void libraryDiesWhileProfiling();
    void libraryDiesWhenOpened();
    void measurementsDecide();
    void candidatesAreVerified();
    void freeDimensionIsBound();
    void brokenFilesLeaveTheModel();
    void freeDimensionOpens();

private:
    static QString sample(const char* name) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/") + QString::fromLatin1(name) +
               QStringLiteral("/model.onnx");
    }
    void waitIdle() { QTRY_VERIFY_WITH_TIMEOUT(m_window->idle(), 120000); }
    void open(const char* name) {
        m_window->openModel(sample(name));
        waitIdle();
        QVERIFY2(m_window->document().isOpen(), qPrintable(m_window->messageBar()->text()));
        QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    }
    NodeId named(GraphSide side, const std::string& name) const {
        const auto graph = side == GraphSide::Imported ? m_window->document().imported()
                                                       : m_window->document().fused();
        for (const auto& node : graph->nodes) {
            if (node.name == name)
                return node.id;
        }
        return snapshot::noNode;
    }
    static NodeSet selected(GraphPane* pane) {
        const Ids ids = pane->canvas()->selected();
        return {ids.begin(), ids.end()};
    }

    std::unique_ptr<MainWindow> m_window;
};

void TestEndToEnd::init() {
    m_window =
        std::make_unique<MainWindow>(QStringLiteral(FW_BINARY_DIR "/bin/fw"), Memory::Forget);
    m_window->resize(1500, 950);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3 -libs= -threads=2"));
}

void TestEndToEnd::cleanup() {
    m_window.reset();
    QThreadPool::globalInstance()->waitForDone();
}

void TestEndToEnd::opensAndPlansAgain() {
    open("residual");
    const auto plan = m_window->document().plan();
    QVERIFY(plan->groups.size() >= 4);
    QVERIFY(plan->decisions.empty()); // nobody looks at all of them: explain answers for one
    QCOMPARE(m_window->view<GraphsView>()
                 ->pane(GraphSide::Fused)
                 ->canvas()
                 ->picture()
                 ->containers.size(),
             plan->groups.size());
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v2 -libs= -threads=1"));
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    QVERIFY(m_window->document().plan() != plan);
    QVERIFY(m_window->document().plan()->target.find("x86-64-v2") != std::string::npos);
    m_window->setTargetText(QStringLiteral("z80"));
    waitIdle();
    QCOMPARE(m_window->document().error(Part::Plan).code, DiagCode::UnknownTarget);
    QVERIFY(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture());
}

void TestEndToEnd::selectionGoesAcrossPanes() {
    open("residual");
    GraphCanvas* canvas = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    // The batch norm is folded into what is around it; what stands for it is known all the same.
    const NodeId norm = named(GraphSide::Imported, "BatchNormalization_left1_bn");
    QVERIFY(norm != snapshot::noNode);
    canvas->centerOn(norm);
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, canvas->nodeCenter(norm));
    waitIdle();
    QCOMPARE(selected(m_window->view<GraphsView>()->pane(GraphSide::Imported)), NodeSet{norm});
    const NodeSet fused = selected(m_window->view<GraphsView>()->pane(GraphSide::Fused));
    QVERIFY(!fused.empty());
    // And back: the nodes it became name it among their origins.
    GraphCanvas* other = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas();
    other->centerOn(*fused.begin());
    QTest::mouseClick(other->viewport(), Qt::LeftButton, {}, other->nodeCenter(*fused.begin()));
    waitIdle();
    QVERIFY(selected(m_window->view<GraphsView>()->pane(GraphSide::Imported)).contains(norm));
    QCOMPARE(m_window->document().state(Part::Explain), State::Ready);
}

void TestEndToEnd::everyPairIsExplained() {
    open("residual");
    const auto graph = m_window->document().fused();
    std::set<snapshot::NodeId> operators;
    int asked = 0;
    for (const auto& node : graph->nodes) {
        if (node.group < 0)
            continue;
        operators.insert(node.id);
        for (const auto& input : node.inputs) {
            if (!operators.contains(input.node) || asked == 6)
                continue;
            Picked pair;
            pair.fused = {input.node, node.id};
            m_window->select(pair);
            waitIdle();
            QCOMPARE(m_window->document().state(Part::Explain), State::Ready);
            QVERIFY(!m_window->document().explanation()->sentence.empty());
            QVERIFY(m_window->view<ExplainView>()->gateCount() > 0);
            ++asked;
        }
    }
    QVERIFY(asked > 2);
}

// Decide, save, close, open again: the same plan; and `fw` reads the same document.
void TestEndToEnd::documentKeepsWhatWasDecided() {
    open("residual");
    const auto before = m_window->document().plan();
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v2 -libs= -threads=1"));
    waitIdle();
    const auto decided = m_window->document().plan();
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("work.fwdoc"));
    QVERIFY(m_window->saveTo(file));
    m_window->document().undo();
    QCOMPARE(m_window->document().plan(), before); // kept, so at once
    m_window->document().redo();
    QCOMPARE(m_window->document().plan(), decided);
    waitIdle();
    cleanup();
    init();
    m_window->openModel(file);
    waitIdle();
    QCOMPARE(m_window->document().path(), sample("residual"));
    QVERIFY(*m_window->document().plan() == *decided);
    QProcess fw;
    fw.start(QStringLiteral(FW_BINARY_DIR "/bin/fw"),
             {QStringLiteral("fuse"), file, QStringLiteral("--json")});
    QVERIFY(fw.waitForFinished(60000));
    auto printed =
        snapshot::fromJson<snapshot::FuseDocument>(fw.readAllStandardOutput().toStdString());
    QVERIFY(printed.ok());
    printed->decisions.clear(); // which the window asks for one by one
    printed->notices.clear();
    printed->made = decided->made; // a fresh worker makes all of it
    QVERIFY(*printed == *decided);
}

// Containers 1 -> 2, the change list says so, the times follow, undo brings all of it back.
void TestEndToEnd::libraryIsSwitched() {
    m_window->openModel(libraryFusion);
    waitIdle();
    const auto containers = [&] {
        return m_window->view<GraphsView>()
            ->pane(GraphSide::Fused)
            ->canvas()
            ->picture()
            ->containers.size();
    };
    QCOMPARE(containers(), std::size_t(1));
    QCheckBox* box = m_window->libraries()->box(QStringLiteral("openblas"));
    if (!box->isEnabled())
        QSKIP(qPrintable(QStringLiteral("OpenBLAS is absent: ") + box->accessibleDescription()));
    m_window->document().tasks().profile();
    waitIdle();
    const auto alone = m_window->document().profileResult();
    box->click();
    waitIdle();
    QCOMPARE(containers(), std::size_t(2));
    QCOMPARE(m_window->view<ChangesView>()->model().rowCount(), 1);
    QCOMPARE(m_window->view<ChangesView>()->model().change(0)->kind, std::string("split"));
    QCOMPARE(m_window->document().plan()->groups[0].implementation, std::string("openblas.sgemm"));
    // Why they are apart: the gate that failed is in sight, and what would change it is offered.
    QVERIFY(m_window->selectByNames({QStringLiteral("dense"), QStringLiteral("bias")}));
    waitIdle();
    QVERIFY2(m_window->view<ExplainView>()->sentence().contains(QStringLiteral("absorbs nothing")),
             qPrintable(m_window->view<ExplainView>()->sentence()));
    QVERIFY(!m_window->view<ExplainView>()->whatIfButtons().empty());
    auto* gates = m_window->view<ExplainView>()->findChild<QTreeWidget*>();
    QTreeWidgetItem* failing = nullptr;
    for (int row = 0; row < gates->topLevelItemCount() && !failing; ++row)
        if (gates->topLevelItem(row)->text(0) == QStringLiteral("✖"))
            failing = gates->topLevelItem(row);
    QVERIFY(failing);
    QTRY_VERIFY(gates->viewport()->rect().contains(gates->visualItemRect(failing).center()));
    m_window->document().tasks().profile();
    waitIdle();
    QCOMPARE(m_window->view<ProfileView>()->table()->model()->rowCount(), 2);
    m_window->document().undo();
    waitIdle();
    QCOMPARE(containers(), std::size_t(1));
    QVERIFY(!box->isChecked());
    QCOMPARE(m_window->document().profileResult(), alone);
    QCOMPARE(m_window->view<ProfileView>()->table()->model()->rowCount(), 1);
}

void TestEndToEnd::bookIsOpenedAndSwitchedOff() {
    open("residual");
    QTRY_VERIFY(m_window->document().rewrite());
    QVERIFY(!m_window->document().rewrite()->applied.empty());
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("wrong.fw")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("rule broken {\n");
    file.close();
    m_window->openBook(file.fileName());
    waitIdle();
    const RulesModel& model = m_window->view<RulesView>()->model();
    QVERIFY2(model.index(0, 1).data().toString().contains(QStringLiteral("problem")),
             qPrintable(model.index(0, 1).data().toString()));
    m_window->document().edit(
        snapshot::SwitchBook{file.fileName().toStdString(), snapshot::Enabled::No});
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    m_window->document().undo();
    m_window->document().undo();
    waitIdle();
    QVERIFY(m_window->document().inputs().books.empty());
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
}

void TestEndToEnd::valuesAreShown() {
    open("residual");
    const NodeId stem = named(GraphSide::Imported, "Conv_stem");
    Picked one;
    one.imported = {stem};
    m_window->select(one);
    waitIdle();
    ValuePanel* values = m_window->view<PropertiesView>()->values();
    QVERIFY(!values->choices().empty());
    QCOMPARE(m_window->document().state(Part::Value), State::Ready);
    QVERIFY2(values->asText().contains(QStringLiteral("elements")), qPrintable(values->asText()));
}

void TestEndToEnd::profilesAndShowsStages() {
    open("residual");
    m_window->document().tasks().profile();
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    const auto profile = m_window->document().profileResult();
    QVERIFY(profile->endToEndMs > 0 && profile->sumMs > 0 && profile->runs > 0);
    QVERIFY(m_window->view<ProfileView>()->table()->model()->rowCount() >= 4);
    m_window->findChild<QDockWidget*>(QStringLiteral("stages"))->raise();
    QVERIFY(m_window->selectByName(QString::fromStdString(profile->rows.front().group)));
    waitIdle();
    for (const char* stage : {"loops", "llvm", "asm", "schedule", "tensor"}) {
        m_window->view<StagesView>()->setStage(QString::fromLatin1(stage));
        QTRY_VERIFY(!m_window->idle() || m_window->document().stage());
        waitIdle();
        QVERIFY2(m_window->document().state(Part::Stages) == State::Ready, stage);
        QCOMPARE(m_window->document().stage()->stage, std::string(stage));
        QVERIFY2(m_window->view<StagesView>()->textEdit()->toPlainText().size() > 10, stage);
    }
}

void TestEndToEnd::rulesListWhatTheyFind() {
    open("residual");
    const RulesModel& model = m_window->view<RulesView>()->model();
    const QModelIndex fold = model.index(0, 0, model.index(0, 0));
    QCOMPARE(fold.data().toString(), QStringLiteral("fold_batch_norm"));
    QCOMPARE(model.rowCount(fold), 5); // four matches, and what it did
    const QModelIndex applications = model.index(4, 0, fold);
    QCOMPARE(model.rowCount(applications), 4);
    m_window->view<RulesView>()->tree()->setCurrentIndex(model.index(0, 0, applications));
    waitIdle();
    QCOMPARE(m_window->selection().imported.size(), std::size_t(2));
    m_window->view<RulesView>()->tree()->setCurrentIndex(model.index(1, 0, fold));
    waitIdle();
    QCOMPARE(m_window->selection().imported,
             (NodeSet{named(GraphSide::Imported, "Conv_left1"),
                      named(GraphSide::Imported, "BatchNormalization_left1_bn")}));
    // A pattern of one's own is looked for in the graph as the rules left it.
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("mine.fw")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("pattern joined(x, w) = relu(bias(conv2d(x, w), const))\n");
    file.close();
    m_window->openBook(file.fileName());
    waitIdle();
    const QModelIndex joined = model.index(0, 0, model.index(0, 0));
    QCOMPARE(joined.data().toString(), QStringLiteral("joined"));
    QVERIFY2(model.rowCount(joined) >= 2, qPrintable(joined.siblingAtColumn(1).data().toString()));
    m_window->view<RulesView>()->tree()->setCurrentIndex(model.index(0, 0, joined));
    waitIdle();
    QCOMPARE(m_window->selection().fused.size(), std::size_t(3));
}

// The worker may write no byte: the export fails with a message, everything else stays.
void TestEndToEnd::fullDiskWhileExporting() {
    signal(SIGXFSZ, SIG_IGN); // inherited by the worker, so that writing fails as on a full disk
    m_window.reset();
    init();
    open("mlp");
    const auto pid = static_cast<pid_t>(m_window->worker().processId());
    rlimit old{};
    QCOMPARE(prlimit(pid, RLIMIT_FSIZE, nullptr, &old), 0);
    const rlimit none{0, old.rlim_max};
    QCOMPARE(prlimit(pid, RLIMIT_FSIZE, &none, nullptr), 0);
    QTemporaryDir folder;
    const QString out = folder.filePath(QStringLiteral("out"));
    QSignalSpy problems(&m_window->document(), &Document::problem);
    m_window->document().tasks().exportModule(out);
    waitIdle();
    QCOMPARE(problems.size(), qsizetype(1));
    QVERIFY2(m_window->messageBar()->text().contains(QStringLiteral("FIL02")),
             qPrintable(m_window->messageBar()->text()));
    QCOMPARE(m_window->worker().processId(), qint64(pid));
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    QVERIFY(QDir(out).entryList(QDir::Files).filter(QStringLiteral(".so")).isEmpty());
    QCOMPARE(prlimit(pid, RLIMIT_FSIZE, &old, nullptr), 0);
    m_window->document().tasks().exportModule(out);
    waitIdle();
    QCOMPARE(problems.size(), qsizetype(1));
    QVERIFY(!QDir(out).entryList(QDir::Files).filter(QStringLiteral(".so")).isEmpty());
    signal(SIGXFSZ, SIG_DFL);
}

void TestEndToEnd::exports() {
    open("mlp");
    QTemporaryDir folder;
    QSignalSpy problems(&m_window->document(), &Document::problem);
    m_window->document().tasks().exportModule(folder.filePath(QStringLiteral("out")));
    waitIdle();
    QVERIFY2(problems.isEmpty(), qPrintable(m_window->messageBar()->text()));
    const QStringList files = QDir(folder.filePath(QStringLiteral("out"))).entryList(QDir::Files);
    QVERIFY2(!files.filter(QStringLiteral(".so")).isEmpty(), qPrintable(files.join(' ')));
    QVERIFY2(!files.filter(QStringLiteral(".h")).isEmpty(), qPrintable(files.join(' ')));
    m_window->document().tasks().exportModule(folder.filePath(QStringLiteral("one")), {true, true});
    waitIdle();
    QVERIFY2(problems.isEmpty(), qPrintable(m_window->messageBar()->text()));
    const QStringList one = QDir(folder.filePath(QStringLiteral("one"))).entryList(QDir::Files);
    QVERIFY2(one.contains(QStringLiteral("libmlp.a")) &&
                 one.filter(QRegularExpression(QStringLiteral("\\.(so|weights)$"))).isEmpty(),
             qPrintable(one.join(' ')));
    m_window->document().tasks().exportModule(QStringLiteral("/dev/null/out"));
    waitIdle();
    QVERIFY(!problems.isEmpty());
    QVERIFY(m_window->document().plan());
}

void TestEndToEnd::killedWhileCompiling() {
    open("residual");
    const auto plan = m_window->document().plan();
    QSignalSpy progress(&m_window->worker(), &WorkerClient::progressed);
    m_window->document().tasks().profile();
    QVERIFY(progress.wait(30000));
    ::kill(pid_t(m_window->worker().processId()), SIGKILL);
    waitIdle();
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("INT02")));
    QVERIFY(m_window->messageBar()->text().contains(QStringLiteral("during profile, stage")));
    QCOMPARE(m_window->document().plan(), plan);
    QVERIFY(m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture());
    QTRY_COMPARE(m_window->worker().state(), WorkerClient::State::Idle);
    m_window->document().tasks().profile();
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
}

// The group moves to another implementation by a pin that can be taken back, and the work goes on.
void TestEndToEnd::libraryDiesWhileProfiling() {
    qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
    const auto restore = qScopeGuard([] { qunsetenv("FUSEWRIGHT_OPENBLAS"); });
    init();
    m_window->openModel(libraryFusion);
    waitIdle();
    m_window->setTargetText(QStringLiteral("-libs=openblas"));
    waitIdle();
    Document& document = m_window->document();
    document.tasks().profile();
    waitIdle();
    QVERIFY2(m_window->messageBar()->text().contains(
                 QStringLiteral("openblas is not used for dense any more; Undo takes that back")),
             qPrintable(m_window->messageBar()->text()));
    QCOMPARE(document.state(Part::Profile), State::Ready);
    bool told = false;
    for (const auto& group : document.plan()->groups) {
        QVERIFY(!group.implementation.str().starts_with("openblas"));
        for (const auto& candidate : group.candidates)
            told |= candidate.code == "PIN04";
    }
    QVERIFY(told);
    QCOMPARE(document.inputs().pins.size(), std::size_t(1));
    document.undo();
    waitIdle();
    QVERIFY(document.inputs().pins.empty());
}

// The first question, what the machine offers, is answered all the same.
void TestEndToEnd::libraryDiesWhenOpened() {
    qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_opening.so");
    const auto restore = qScopeGuard([] { qunsetenv("FUSEWRIGHT_OPENBLAS"); });
    init();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().doctor(), 30000);
    QVERIFY2(m_window->messageBar()->text().contains(QStringLiteral("opening openblas")),
             qPrintable(m_window->messageBar()->text()));
    for (const auto& library : m_window->document().doctor()->libraries)
        if (library.name == "openblas")
            QVERIFY(library.status != "ready");
    open("mlp");
}

void TestEndToEnd::measurementsDecide() {
    open("mlp");
    Document& document = m_window->document();
    QTemporaryDir folder;
    const QString log = folder.filePath(QStringLiteral("mlp.jsonl"));
    const auto decided = [&] {
        return std::count_if(document.plan()->groups.begin(), document.plan()->groups.end(),
                             [](const auto& group) { return group.source == "log"; });
    };
    // What other work disturbs decides nothing, so it may take more than one attempt.
    for (int attempt = 0; attempt < 5 && decided() == 0; ++attempt) {
        if (attempt > 0)
            document.undo();
        waitIdle();
        document.tasks().tune(log);
        waitIdle();
        const QString said = m_window->messageBar()->text();
        QVERIFY2(said.isEmpty(), qPrintable(said));
        QCOMPARE(document.inputs().log, log.toStdString());
    }
    QVERIFY(decided() > 0);
    const ImplementationsModel& shown = m_window->view<ImplementationsView>()->model();
    for (int row = 0; row < shown.rowCount(); ++row)
        if (document.plan()->groups[std::size_t(row)].source == "log")
            QVERIFY(shown.index(row, ImplementationsModel::Measured).data().toString() != u"–");
    document.undo();
    waitIdle();
    QVERIFY(document.inputs().log.empty());
    QCOMPARE(decided(), 0);
}

void TestEndToEnd::candidatesAreVerified() {
    open("mlp");
    ImplementationsView* view = m_window->view<ImplementationsView>();
    const ImplementationsModel& shown = view->model();
    QVERIFY(view->table()->isColumnHidden(ImplementationsModel::Verified));
    QAction* action = nullptr;
    for (QAction* one : m_window->findChildren<QAction*>())
        if (one->text() == u"&Verify the candidates")
            action = one;
    QVERIFY(action != nullptr && action->isEnabled());
    action->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(shown.isVerified(), 60000);
    QVERIFY2(m_window->messageBar()->text().isEmpty(), qPrintable(m_window->messageBar()->text()));
    QVERIFY(!view->table()->isColumnHidden(ImplementationsModel::Verified));
    const QModelIndex group = shown.index(0, 0);
    for (int row = 0; row < shown.rowCount(group); ++row) {
        const QModelIndex candidate = shown.index(row, 0, group);
        const QString verdict =
            candidate.siblingAtColumn(ImplementationsModel::Verified).data().toString();
        QVERIFY2(verdict == (shown.candidate(candidate)->verdict == "refused" ? u"–" : u"exact"),
                 qPrintable(candidate.data().toString() + u' ' + verdict));
    }
    view->table()->setCurrentIndex(group);
    QVERIFY2(view->detailText().contains(u"verified  exact"), qPrintable(view->detailText()));
    view->table()->expand(group);
    QVERIFY(m_window->grab().save(QStringLiteral(FW_BINARY_DIR "/tests/verified.png")));
    // They are those of this plan.
    m_window->document().setTarget(QStringLiteral("x86-64 -libs="));
    waitIdle();
    QVERIFY(!shown.isVerified());
}

void TestEndToEnd::freeDimensionIsBound() {
    open("free_batch");
    Document& document = m_window->document();
    QCOMPARE(document.info()->freeDims.size(), std::size_t(1));
    DimsDialog dialog(document.info()->freeDims, {}, m_window.get());
    QVERIFY(dialog.dims().empty());
    dialog.box(document.info()->freeDims[0])->setValue(3);
    document.edit(snapshot::SetDims{dialog.dims()});
    waitIdle();
    QVERIFY2(document.state(Part::Plan) == State::Ready, document.error(Part::Plan).text().c_str());
    for (const auto& node : document.imported()->nodes)
        if (node.op == "input")
            QVERIFY2(node.outputs[0].type.starts_with("f32[3"), node.outputs[0].type.c_str());
    for (const auto& property : m_window->view<PropertiesView>()->model().properties())
        if (property.name == u"input" || property.name == u"output")
            QVERIFY2(property.value.contains(u"f32[3"), qPrintable(property.value));
    document.undo();
    waitIdle();
    QVERIFY(document.inputs().dims.empty());
}

void TestEndToEnd::brokenFilesLeaveTheModel() {
    open("mlp");
    const auto plan = m_window->document().plan();
    QTemporaryDir folder;
    const QString empty = folder.filePath(QStringLiteral("empty.onnx"));
    const QString noise = folder.filePath(QStringLiteral("noise.onnx"));
    QFile file(empty);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QFile other(noise);
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray(1000, '\xa5'));
    other.close();
    for (const QString& path : {empty, noise, folder.filePath(QStringLiteral("none.onnx"))}) {
        m_window->openModel(path);
        waitIdle();
        QVERIFY2(m_window->messageBar()->text().contains(QFileInfo(path).fileName()),
                 qPrintable(m_window->messageBar()->text()));
        QCOMPARE(m_window->document().path(), sample("mlp"));
        QCOMPARE(m_window->document().plan(), plan);
    }
}

void TestEndToEnd::freeDimensionOpens() {
    open("free_batch");
    bool named = false;
    for (const auto& node : m_window->document().imported()->nodes) {
        for (const auto& output : node.outputs)
            named |= output.type.find("[N") != std::string::npos ||
                     output.type.find("[batch") != std::string::npos;
    }
    QVERIFY(named);
    m_window->document().tasks().profile();
    waitIdle();
    QVERIFY(m_window->document().state(Part::Profile) != State::Busy);
}

FW_TEST(TestEndToEnd, QApplication)
#include "test_end_to_end.moc"
