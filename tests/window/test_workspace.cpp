// What the user decides, in the window: libraries, target, books and pins, undone and redone, saved
// and opened again, and what the docks show of it.
#include "app/window/export_dialog.h"
#include "app/window/library_boxes.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/authoring/rules_view.h"
#include "views/common/state_overlay.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/graph/graphs_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/problems/problems_view.h"
#include "views/profile/profile_view.h"
#include "window/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

#include <signal.h>
#include <sys/resource.h>

using namespace fw;
using namespace fw::ui;

class TestWorkspace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m = std::make_unique<WindowFixture>(); }
    void cleanup() { m.reset(); }
    void boxesFollowTheMachine();
    void switchingALibraryPlansAgain();
    void undoShowsTheOldPlanAtOnce();
    void changesAreListedAndSelect();
    void implementationsShowCandidates();
    void pinsAreDecidedAndUndone();
    void whatIfIsAnEdit();
    void pairsCanBeKeptApart();
    void booksOpenSwitchAndClose();
    void brokenBookSaysWhere();
    void missingBookKeepsTheGraphs();
    void rulesListTheirMatches();
    void documentIsSavedAndOpened();
    void failedSaveLosesNothing();
    void fullDiskLeavesTheOldFile();
    void unsavedChangesAreAskedAbout();
    void valuesOfAConstant();
    void heatColoursTheBoxes();
    void exportDialogSaysWhatHappens();
    void everyViewHasAnEmptyState();
    void viewsFollowThePlan();
    void nodesHaveAMenu();
    void docksAreRemembered();
    void modelsAreSound();

private:
    MainWindow& window() { return m->window; }
    QString path(const char* name) { return m_folder.filePath(QString::fromLatin1(name)); }
    bool open() { return m->open(path("residual.onnx")); }
    std::size_t groups() { return window().document().plan()->groups.size(); }

    QTemporaryDir m_folder;
    std::unique_ptr<WindowFixture> m;
};

void TestWorkspace::boxesFollowTheMachine() {
    QVERIFY(m->waitIdle());
    QCheckBox* dnn = window().libraries()->box(QStringLiteral("onednn"));
    QCheckBox* blas = window().libraries()->box(QStringLiteral("openblas"));
    QVERIFY(dnn->isEnabled() && dnn->isChecked());
    QVERIFY(!blas->isEnabled() && !blas->isChecked());
    QVERIFY(blas->accessibleDescription().contains(QStringLiteral("libopenblas0-openmp")));
    QVERIFY(blas->toolTip().contains(QStringLiteral("not found")));
    QVERIFY(dnn->toolTip().contains(QStringLiteral("2.6.3")));
    QVERIFY(m->action(QStringLiteral("OpenBLAS (absent)")));
    // Before a model is open the boxes say what the next one is opened with.
    QTest::mouseClick(dnn, Qt::LeftButton, {}, QPoint(8, dnn->height() / 2));
    QCOMPARE(window().document().inputs().fullTarget().find("-libs=") != std::string::npos, true);
    QVERIFY(open());
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(!window().document().history().canUndo());
}

void TestWorkspace::switchingALibraryPlansAgain() {
    QVERIFY(open());
    QCOMPARE(groups(), std::size_t(3));
    QCheckBox* dnn = window().libraries()->box(QStringLiteral("onednn"));
    dnn->click();
    QVERIFY(m->waitIdle());
    QCOMPARE(groups(), std::size_t(4));
    QCOMPARE(m->pane(GraphSide::Fused)->canvas()->picture()->containers.size(), std::size_t(4));
    dnn->click();
    QVERIFY(m->waitIdle());
    QCOMPARE(groups(), std::size_t(3));
    QVERIFY(!window().document().inputs().libraries); // all that are found, again
    // What is typed ticks the boxes.
    window().setTargetText(QStringLiteral("x86-64 -libs= -threads=2"));
    QVERIFY(m->waitIdle());
    QVERIFY(!dnn->isChecked());
    // What is left of libraries alone is the machine, and the box says so.
    window().setTargetText(QStringLiteral("-libs="));
    QVERIFY(m->waitIdle());
    const QLineEdit* target = window().findChild<QComboBox*>(QStringLiteral("target"))->lineEdit();
    QVERIFY(target->text().isEmpty());
    QCOMPARE(target->placeholderText(), QStringLiteral("x86-64 -mcpu=native"));
}

void TestWorkspace::undoShowsTheOldPlanAtOnce() {
    QVERIFY(open());
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    const auto plan = window().document().plan();
    const auto profile = window().document().profileResult();
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    QVERIFY(window().document().plan() != plan);
    QVERIFY(m->action(QStringLiteral("Undo: switch onednn off"))->isEnabled());
    window().document().undo();
    // Without waiting: what was kept is there.
    QCOMPARE(window().document().plan(), plan);
    QCOMPARE(window().document().profileResult(), profile);
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    QVERIFY(m->waitIdle());
    QCOMPARE(m->pane(GraphSide::Fused)->canvas()->picture()->containers.size(), std::size_t(3));
    QVERIFY(window().libraries()->box(QStringLiteral("onednn"))->isChecked());
    QVERIFY(m->trigger("Redo"));
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(m->trigger("Undo"));
    QVERIFY(!m->action(QStringLiteral("Undo"))->isEnabled());
}

void TestWorkspace::changesAreListedAndSelect() {
    QVERIFY(open());
    QVERIFY(
        window().view<ChangesView>()->overlay()->text().contains(QStringLiteral("No changes yet")));
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    const ChangesModel& model = window().view<ChangesView>()->model();
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.change(0)->kind, std::string("split"));
    QCOMPARE(model.summary(), QStringLiteral("1 group split"));
    QVERIFY(window().findChild<QDockWidget*>(QStringLiteral("changesDock"))->windowTitle() ==
            QStringLiteral("Changes (1)"));
    QVERIFY(m->trigger("Next change"));
    QCOMPARE(window().selection().fused, (snapshot::NodeSet{25, 26, 27, 28}));
    // Back again: merged. The same plan by another name of the target: nothing.
    window().document().undo();
    QVERIFY(m->waitIdle());
    QCOMPARE(model.change(0)->kind, std::string("merged"));
    window().setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v4"));
    QVERIFY(m->waitIdle());
    QVERIFY(window().view<ChangesView>()->overlay()->text().contains(
        QStringLiteral("Nothing changed")));
}

void TestWorkspace::implementationsShowCandidates() {
    QVERIFY(open());
    QTreeView* table = window().view<ImplementationsView>()->table();
    QCOMPARE(table->model()->rowCount(), 3);
    m->click(GraphSide::Fused, 23);
    const QModelIndex current = table->currentIndex();
    QCOMPARE(current.data().toString(), QStringLiteral("conv2d_bias_relu_0"));
    QVERIFY(table->isExpanded(current));
    QCOMPARE(table->model()->rowCount(current), 3);
    QVERIFY(
        window().view<ImplementationsView>()->detailText().contains(QStringLiteral("tile oc 16")));
    const QModelIndex refused = table->model()->index(1, ImplementationsModel::Verdict, current);
    QVERIFY(refused.data().toString().contains(QStringLiteral("onednn is not in -libs")));
    table->setCurrentIndex(refused);
    QVERIFY(window().view<ImplementationsView>()->detailText().contains(QStringLiteral("GRD01")));
    QCOMPARE(window().selection().group, 0);
    m->click(GraphSide::Fused, 29);
    QVERIFY(!table->isExpanded(table->model()->index(0, 0))); // closes behind itself
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    QCOMPARE(table->model()->index(0, ImplementationsModel::Measured).data().toString(),
             QStringLiteral("210 µs"));
}

void TestWorkspace::pinsAreDecidedAndUndone() {
    QVERIFY(open());
    m->click(GraphSide::Fused, 22);
    QTreeView* table = window().view<ImplementationsView>()->table();
    table->setCurrentIndex(table->model()->index(0, 0, table->currentIndex()));
    QVERIFY(m->trigger("Pin the candidate"));
    QCOMPARE(window().document().inputs().pins.size(), std::size_t(1));
    QCOMPARE(window().document().inputs().pins[0].nodes, std::vector<std::string>{"Conv_12"});
    QCOMPARE(window().document().plan()->groups[0].source, std::string("pin"));
    QVERIFY(window().document().unsaved()); // pins are work
    table->setCurrentIndex(table->model()->index(0, 0));
    QVERIFY(m->trigger("Clear the pins of the group"));
    QVERIFY(window().document().inputs().pins.empty());
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(window().document().inputs().pins.size(), std::size_t(1));
    QVERIFY(m->trigger("Clear all pins"));
    QVERIFY(window().document().inputs().pins.empty());
    table->setCurrentIndex(table->model()->index(0, 0, table->model()->index(0, 0)));
    QVERIFY(m->trigger("Avoid the candidate"));
    QCOMPARE(window().document().inputs().pinText(),
             "pin {\n  avoid " + window().document().plan()->groups[0].candidates[0].name.str() +
                 " for Conv_12\n}\n");
    QVERIFY(m->trigger("Undo"));
    QVERIFY(window().document().inputs().pins.empty());
}

void TestWorkspace::whatIfIsAnEdit() {
    window().setTargetText(QStringLiteral("x86-64 -threads=2 -libs="));
    QVERIFY(open());
    QCOMPARE(groups(), std::size_t(4));
    // The fake says no with x86-64-v3 only; its counterfactual differs from "yes".
    m->click(GraphSide::Fused, 27);
    const auto& buttons = window().view<ExplainView>()->whatIfButtons();
    QCOMPARE(buttons.size(), std::size_t(1));
    const QString said = buttons[0]->text();
    buttons[0]->click();
    QVERIFY(m->waitIdle());
    QVERIFY2(said.contains(QStringLiteral("with onednn alone")), qPrintable(said));
    QCOMPARE(window().document().inputs().fullTarget(),
             std::string("x86-64 -threads=2 -libs=onednn"));
    QCOMPARE(groups(), std::size_t(3));
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(groups(), std::size_t(4));
}

void TestWorkspace::pairsCanBeKeptApart() {
    QVERIFY(open());
    m->click(GraphSide::Fused, 22);
    m->click(GraphSide::Fused, 23, Qt::ControlModifier);
    QCOMPARE(window().selection().fused.size(), std::size_t(2));
    QVERIFY(m->trigger("Keep selected apart"));
    QCOMPARE(window().document().inputs().pinText(),
             std::string("pin {\n  apart Conv_12, \"Bn_13 folded\"\n}\n"));
    QVERIFY(m->trigger("Undo"));
    QVERIFY(window().document().inputs().pins.empty());
}

void TestWorkspace::booksOpenSwitchAndClose() {
    QVERIFY(open());
    RulesModel& model = window().view<RulesView>()->model();
    QTRY_COMPARE(model.rowCount(), 1); // what is shipped
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex book = model.index(0, 0);
    QCOMPARE(book.data().toString(), QStringLiteral("my.fw"));
    QCOMPARE(model.rowCount(book), 1);
    QCOMPARE(model.index(0, 1, book).data().toString(), QStringLiteral("3 applied"));
    QVERIFY(model.setData(book, Qt::Unchecked, Qt::CheckStateRole));
    QTRY_COMPARE(window().document().inputs().enabledBooks().size(), std::size_t(0));
    QVERIFY(m->waitIdle());
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("off"));
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(window().document().inputs().enabledBooks().size(), std::size_t(1));
    window().view<RulesView>()->tree()->setCurrentIndex(model.index(0, 0));
    QVERIFY(m->trigger("Close book"));
    QVERIFY(window().document().inputs().books.empty());
    QCOMPARE(model.rowCount(), 1);
}

void TestWorkspace::rulesListTheirMatches() {
    QVERIFY(open());
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    RulesModel& model = window().view<RulesView>()->model();
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex book = model.index(1, 0); // what is shipped
    QCOMPARE(model.rowCount(book), 2);
    const QModelIndex fold = model.index(0, 0, book);
    QCOMPARE(fold.data().toString(), QStringLiteral("fold_batch_norm"));
    QCOMPARE(fold.siblingAtColumn(1).data().toString(), QStringLiteral("2 applied"));
    QCOMPARE(model.rowCount(fold), 2);
    QCOMPARE(model.index(1, 0, fold).data().toString(), QStringLiteral("applications"));
    const QModelIndex match = model.index(0, 0, fold);
    QVERIFY(match.data(Qt::ToolTipRole).toString().contains(QStringLiteral("c = v3")));
    QVERIFY(match.data(Qt::ToolTipRole).toString().contains(QStringLiteral("number 1")));
    window().view<RulesView>()->tree()->expand(fold);
    window().view<RulesView>()->tree()->setCurrentIndex(match);
    QVERIFY(m->waitIdle());
    QCOMPARE(window().selection().imported, (snapshot::NodeSet{3, 4}));
    const QModelIndex merge = model.index(1, 0, book);
    QCOMPARE(merge.siblingAtColumn(1).data().toString(), QStringLiteral("1 near"));
    const QModelIndex near = model.index(0, 0, merge);
    QVERIFY(near.data(Qt::ToolTipRole).toString().contains(QStringLiteral("expected bias")));
    // What was open stays open when the rules are asked again.
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    QVERIFY(window().view<RulesView>()->tree()->isExpanded(model.index(0, 0, model.index(1, 0))));
}

void TestWorkspace::brokenBookSaysWhere() {
    QVERIFY(open());
    window().openBook(path("wrong.fw"));
    QVERIFY(m->waitIdle());
    RulesModel& model = window().view<RulesView>()->model();
    const QModelIndex book = model.index(0, 0);
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("1 problem"));
    const QModelIndex rule = model.index(1, 0, book);
    QCOMPARE(model.index(0, 1, rule).data().toString(), QStringLiteral("y is not bound"));
    QCOMPARE(model.index(0, 0, rule).data().toString(), QStringLiteral("line 3"));
    QVERIFY(window().document().plan()); // the rest stays usable
}

// What was read with the books before is shown until there is something else.
void TestWorkspace::missingBookKeepsTheGraphs() {
    QVERIFY(open());
    const auto imported = window().document().imported();
    window().openBook(path("missing.fw"));
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().state(Part::Imported), State::Error);
    for (const GraphSide side : {GraphSide::Imported, GraphSide::Fused})
        QVERIFY(m->pane(side)->canvas()->picture());
    QCOMPARE(window().document().imported(), imported);
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(window().document().state(Part::Imported), State::Ready);
}

void TestWorkspace::documentIsSavedAndOpened() {
    QVERIFY(open());
    window().switchLibrary(QStringLiteral("onednn"), false);
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    QVERIFY(window().windowTitle().startsWith(QStringLiteral("●")));
    const snapshot::Inputs inputs = window().document().inputs();
    const QString file = path("work.fwdoc");
    QVERIFY(window().saveTo(file));
    QCOMPARE(window().windowTitle(), QStringLiteral("work.fwdoc – Fusewright"));
    QVERIFY(!window().document().unsaved());
    m->window.setTargetText(QStringLiteral("x86-64"));
    QVERIFY(m->waitIdle());
    QVERIFY(window().document().unsaved()); // of a document every change counts
    QVERIFY(m->trigger("Save"));            // where it was
    QVERIFY(!window().document().unsaved());
    QVERIFY(m->trigger("Undo"));
    QVERIFY(m->trigger("Save"));

    m = std::make_unique<WindowFixture>();
    QVERIFY(m->open(file));
    QCOMPARE(window().document().inputs(), inputs);
    QCOMPARE(window().document().fileName(), QStringLiteral("work.fwdoc"));
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(!window().libraries()->box(QStringLiteral("onednn"))->isChecked());
    QVERIFY(!window().document().unsaved());

    QFile newer(path("newer.fwdoc"));
    QVERIFY(newer.open(QIODevice::WriteOnly));
    newer.write(R"({"fusewright_document": 99, "model": "m"})");
    newer.close();
    window().openModel(newer.fileName());
    QVERIFY(m->waitIdle());
    QVERIFY(window().messageBar()->text().contains(QStringLiteral("version 99")));
    QCOMPARE(window().document().fileName(), QStringLiteral("work.fwdoc"));
}

void TestWorkspace::failedSaveLosesNothing() {
    QVERIFY(open());
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    QVERIFY(!window().saveTo(QStringLiteral("/dev/null/work.fwdoc")));
    QVERIFY(window().messageBar()->text().contains(QStringLiteral("FIL02")));
    QVERIFY(window().document().unsaved());
    QCOMPARE(window().document().inputs().books.size(), std::size_t(1));
    QVERIFY(window().document().documentPath().isEmpty());
}

// As on a full disk: the first bytes go, the rest does not.
void TestWorkspace::fullDiskLeavesTheOldFile() {
    QVERIFY(open());
    const QString file = path("whole.fwdoc");
    QVERIFY(window().saveTo(file));
    QFile before(file);
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray whole = before.readAll();
    before.close();
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    rlimit old{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
    const rlimit small{10, old.rlim_max};
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const bool saved = window().saveTo(file);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    QVERIFY(!saved);
    QVERIFY2(window().messageBar()->text().contains(QStringLiteral("FIL02")),
             qPrintable(window().messageBar()->text()));
    QVERIFY(before.open(QIODevice::ReadOnly));
    QCOMPARE(before.readAll(), whole);
    QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("whole*")}).size(), qsizetype(1));
    QVERIFY(window().document().unsaved());
    QVERIFY(window().saveTo(file)); // there is room again
    QVERIFY(!window().document().unsaved());
}

void TestWorkspace::unsavedChangesAreAskedAbout() {
    QVERIFY(open());
    int asked = 0;
    Unsaved answer = Unsaved::Cancel;
    window().answerUnsaved([&] {
        ++asked;
        return answer;
    });
    window().setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3"));
    QVERIFY(m->waitIdle());
    QVERIFY(open()); // a target that was tried is no loss
    QCOMPARE(asked, 0);
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    QVERIFY(window().saveTo(path("kept.fwdoc")));
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    window().openModel(path("other.onnx"));
    QVERIFY(m->waitIdle());
    QCOMPARE(asked, 1);
    QCOMPARE(window().document().fileName(), QStringLiteral("kept.fwdoc")); // cancelled
    QVERIFY(!window().close());
    answer = Unsaved::Save;
    QVERIFY(m->open(path("other.onnx")));
    QCOMPARE(window().document().fileName(), QStringLiteral("other.onnx"));
    QVERIFY(m->open(path("kept.fwdoc")));
    QVERIFY(window().document().inputs().libraries); // was saved on the way
    answer = Unsaved::Discard;
    window().document().undo();
    QVERIFY(window().close());
}

void TestWorkspace::valuesOfAConstant() {
    QVERIFY(open());
    m->click(GraphSide::Fused, 22);
    ValuePanel* values = window().view<PropertiesView>()->values();
    QVERIFY(values->isVisible());
    QCOMPARE(values->choices().size(), std::size_t(2)); // the weights and the result
    QVERIFY(values->choices()[0].label.contains(QStringLiteral("f32[64,64,3,3]")));
    QVERIFY(values->asText().contains(QStringLiteral("least -0.5, most 0.75")));
    QVERIFY(values->asText().contains(QStringLiteral("36864 elements")));
    m->click(GraphSide::Fused, 24);
    QCOMPARE(values->choices().size(), std::size_t(1)); // relu has no constants
    QVERIFY(values->overlay()->text().contains(QStringLiteral("takes a run")));
    values->request(); // as the button does
    QVERIFY(m->waitIdle());
    QVERIFY(values->overlay()->text().isEmpty());
    m->click(GraphSide::Fused, 21);
    QVERIFY(!values->isVisible()); // an input has nothing to show
}

void TestWorkspace::heatColoursTheBoxes() {
    QVERIFY(open());
    window().view<GraphsView>()->setHeat("time");
    GraphCanvas* canvas = m->pane(GraphSide::Fused)->canvas();
    QVERIFY(!canvas->dump().contains(QStringLiteral(" heat")));
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    QVERIFY(canvas->dump().contains(QStringLiteral("container 0 heat")));
    QVERIFY(m->pane(GraphSide::Imported)->canvas()->dump().contains(QStringLiteral(" heat")));
    canvas->grab(); // with its legend
    QVERIFY(m->trigger("Heat by time per operation"));
    QVERIFY(canvas->dump().contains(QStringLiteral(" heat")));
    QVERIFY(m->trigger("No heat"));
    QVERIFY(!canvas->dump().contains(QStringLiteral(" heat")));
}

void TestWorkspace::exportDialogSaysWhatHappens() {
    ExportDialog dialog(QStringLiteral("m.onnx"), QStringLiteral("x86-64"), path("fresh"));
    QVERIFY(dialog.note().contains(QStringLiteral("will be made")));
    QVERIFY(dialog.exportButton()->isEnabled());
    QFile file(path("a_file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    dialog.setFolder(path("a_file"));
    QVERIFY(!dialog.exportButton()->isEnabled());
    dialog.setFolder(m_folder.path());
    QVERIFY(dialog.note().contains(QStringLiteral("not empty")));
    dialog.setFolder({});
    QVERIFY(!dialog.exportButton()->isEnabled());
    QVERIFY(dialog.folder().isEmpty());
}

void TestWorkspace::everyViewHasAnEmptyState() {
    QVERIFY(m->waitIdle());
    for (StateOverlay* overlay :
         {window().view<ProfileView>()->overlay(), window().view<ChangesView>()->overlay(),
          window().view<ImplementationsView>()->overlay(), window().view<RulesView>()->overlay(),
          window().view<OutlineView>()->overlay(), window().view<PropertiesView>()->overlay(),
          window().view<ProblemsView>()->overlay()})
        QVERIFY(!overlay->text().isEmpty());
    QVERIFY(open());
    QVERIFY(window().view<ImplementationsView>()->overlay()->text().isEmpty());
    window().setTargetText(QStringLiteral("bogus"));
    QVERIFY(m->waitIdle());
    QVERIFY(
        window().view<ImplementationsView>()->overlay()->text().contains(QStringLiteral("USE02")));
    QCOMPARE(window().view<ImplementationsView>()->table()->model()->rowCount(), 3); // the old one
}

void TestWorkspace::viewsFollowThePlan() {
    QVERIFY(open());
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    const std::vector<StateOverlay*> overlays = {
        window().view<OutlineView>()->overlay(), window().view<ChangesView>()->overlay(),
        window().view<RulesView>()->overlay(), window().view<ImplementationsView>()->overlay(),
        m->pane(GraphSide::Fused)->overlay()};
    for (const StateOverlay* overlay : overlays)
        QCOMPARE(overlay->state(), ViewState::Ready);
    window().setTargetText(QStringLiteral("bogus"));
    for (const StateOverlay* overlay : overlays)
        QCOMPARE(overlay->state(), ViewState::Busy);
    QVERIFY(m->waitIdle());
    for (const StateOverlay* overlay : overlays) {
        QCOMPARE(overlay->state(), ViewState::Stale);
        QVERIFY(overlay->text().contains(QStringLiteral("USE02")));
    }
    QVERIFY(m->trigger("Undo"));
    for (const StateOverlay* overlay : overlays)
        QCOMPARE(overlay->state(), ViewState::Ready);
}

void TestWorkspace::nodesHaveAMenu() {
    QVERIFY(open());
    m->click(GraphSide::Fused, 24);
    GraphCanvas* canvas = m->pane(GraphSide::Fused)->canvas();
    const QPoint at = canvas->nodeCenter(24);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas->viewport()->mapToGlobal(at));
    QApplication::sendEvent(canvas->viewport(), &event);
    auto* menu = window().findChild<QMenu*>(QStringLiteral("nodeMenu"));
    QTRY_VERIFY(menu->isVisible());
    QCOMPARE(menu->actions().size(), qsizetype(16));
    QVERIFY(m->trigger("Select the whole group"));
    menu->hide();
    QVERIFY(m->waitIdle());
    QCOMPARE(window().selection().group, 0);
}

void TestWorkspace::docksAreRemembered() {
    m.reset();
    QTemporaryDir folder;
    qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
    const QString worker = QStringLiteral(FW_BINARY_DIR "/tests/fake_worker");
    const auto dock = [](MainWindow& of, const char* name) {
        return of.findChild<QDockWidget*>(QString::fromLatin1(name));
    };
    {
        MainWindow first(worker);
        first.show();
        QVERIFY(dock(first, "outline")->isVisible());
        dock(first, "outline")->hide();
        dock(first, "explain")->setFloating(true);
        first.findChild<QTreeView*>(QStringLiteral("opTimes"))->header()->resizeSection(0, 301);
        first.setTargetText(QStringLiteral("x86-64 -threads=1"));
        first.openModel(path("residual.onnx"));
        QVERIFY(QTest::qWaitFor([&] { return first.idle(); }, 60000));
        first.close();
    }
    {
        MainWindow second(worker);
        second.show();
        QVERIFY(!dock(second, "outline")->isVisible());
        QVERIFY(dock(second, "explain")->isFloating());
        QCOMPARE(second.findChild<QTreeView*>(QStringLiteral("opTimes"))->header()->sectionSize(0),
                 301);
        QVERIFY(second.document().target().startsWith(QStringLiteral("x86-64")));
        QVERIFY(second.document().target().contains(QStringLiteral("-threads=1")));
        second.close();
    }
    QThreadPool::globalInstance()->waitForDone();
    m = std::make_unique<WindowFixture>(); // tests without memory see nothing of it
    QVERIFY(m->waitIdle());
    QVERIFY(dock(window(), "outline")->isVisible());
}

void TestWorkspace::modelsAreSound() {
    using Tester = QAbstractItemModelTester;
    const Tester implementations(&window().view<ImplementationsView>()->model(),
                                 Tester::FailureReportingMode::Fatal);
    const Tester rules(&window().view<RulesView>()->model(), Tester::FailureReportingMode::Fatal);
    const Tester changes(window().view<ChangesView>()->table()->model(),
                         Tester::FailureReportingMode::Fatal);
    QVERIFY(open());
    window().openBook(path("wrong.fw"));
    QVERIFY(m->waitIdle());
    window().switchLibrary(QStringLiteral("onednn"), false);
    QVERIFY(m->waitIdle());
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    QVERIFY(m->trigger("Undo"));
    QVERIFY(m->trigger("Undo"));
}

FW_TEST(TestWorkspace, QApplication)
#include "test_workspace.moc"
