// States side by side: other stages, targets, books and models in one layout, through the real
// window with the real worker.
#include "common/test.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "window/story_fixture.h"

#include <QDockWidget>
#include <QInputDialog>
#include <QMenu>
#include <QToolButton>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using Mark = snapshot::JointNode::Mark;
using Stage = GraphState::Stage;

class TestCompare : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"lenet"_s, u"onednn-partition"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void twoTargetsSideBySide();
    void aThirdPane();
    void afterAnApplication();
    void withoutABook();
    void anotherModel();
    void whatFailsSaysWhyAndIsTriedAgain();
    void aNewPlanIsFollowed();

private:
    void openIt(const QString& sample) {
        start();
        connect(&graphs(), &View::asked, this, [this](const Intent& intent) {
            if (const auto* say = std::get_if<Say>(&intent))
                m_said = say->text;
        });
        open(sample);
    }
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas(std::size_t pane) const { return graphs().pane(pane)->canvas(); }
    const snapshot::JointGraph& joint() const { return *graphs().joint()->graph(); }
    QMenu* menu(std::size_t pane) const {
        return graphs().pane(pane)->header()->findChild<QToolButton*>()->menu();
    }
    // By the menu in the header, as people do; `answer` for what is asked then.
    void choose(std::size_t pane, const QString& begin) {
        Q_EMIT menu(pane)->aboutToShow();
        for (QAction* action : menu(pane)->actions())
            if (action->text().startsWith(begin)) {
                action->trigger();
                return waitIdle();
            }
        QFAIL(qPrintable(begin + u" is not offered"_s));
    }
    void answerText(const QString& text) {
        QTimer::singleShot(50, m_window.get(), [this, text] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return answerText(text);
            if (dialog->inputMode() == QInputDialog::IntInput)
                dialog->setIntValue(text.toInt());
            else
                dialog->setTextValue(text);
            dialog->accept();
        });
    }
    std::size_t counted(std::size_t state, Mark mark) const {
        std::size_t out = 0;
        for (std::size_t i = 0; i < joint().nodes.size(); ++i)
            out += joint().nodes[i].marks[state] == mark && !joint().graph.nodes[i].constant;
        return out;
    }
    std::size_t marked(std::size_t pane, Halo::Look look) const {
        const auto& halos = canvas(pane)->halos();
        return std::size_t(std::count_if(halos.begin(), halos.end(),
                                         [&](const Halo& halo) { return halo.look == look; }));
    }
    // Survivors have one place in all panes, and what a pane has not is hidden there.
    void placesAgree() const {
        for (std::size_t i = 0; i < joint().nodes.size(); ++i) {
            if (joint().graph.nodes[i].constant)
                continue;
            std::set<std::pair<double, double>> places;
            for (std::size_t s = 0; s < joint().states; ++s) {
                const std::int64_t id = picture::boxOf(joint(), s, i);
                const auto& boxes = canvas(s)->picture()->boxes;
                const auto box = std::find_if(boxes.begin(), boxes.end(),
                                              [&](const auto& one) { return one.id == id; });
                QVERIFY(box != boxes.end());
                places.emplace(box->rect.x, box->rect.y);
                QCOMPARE(canvas(s)->isHidden(id), !joint().nodes[i].isIn(s));
            }
            QCOMPARE(places.size(), std::size_t(1));
        }
    }

    QString m_said;
};

void TestCompare::twoTargetsSideBySide() {
    start(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
    open(u"onednn-partition/chains.fw"_s);
    QVERIFY(!graphs().joint()->shown());
    choose(0, u"Fused for x86-64 -mcpu=x86-64-v3 -threads=2 -libs="_s);
    QVERIFY(graphs().joint()->shown());
    QCOMPARE(joint().states, std::size_t(2));
    placesAgree();
    // The operators are the same, only who computes them differs: no marks, other groups.
    QCOMPARE(counted(1, Mark::Erased) + counted(1, Mark::Created), std::size_t(0));
    std::set<std::string> libraries[2];
    for (std::size_t s = 0; s < 2; ++s)
        for (const auto& labels : joint().labels)
            libraries[s].insert(labels[s].maker.library);
    QVERIFY(!libraries[0].contains("onednn"));
    QVERIFY(libraries[1].contains("onednn"));
    picture(u"two_targets"_s);
    // The plan of the document is untouched, and so is its worker.
    QVERIFY(m_window->document().inputs().fullTarget().find("onednn") != std::string::npos);
    QVERIFY(m_window->worker().secondProcessId() > 0);
    // What is picked on one side is picked on the other.
    const auto& graph = *m_window->document().fused();
    const auto relu = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [](const auto& node) { return node.op == "relu"; });
    QVERIFY(relu != graph.nodes.end());
    QTest::mouseClick(canvas(1)->viewport(), Qt::LeftButton, {}, canvas(1)->nodeCenter(relu->id));
    waitIdle();
    QCOMPARE(canvas(0)->selected().size(), std::size_t(1));
    const auto place = graphs().joint()->placeOf(graphs().pane(1), relu->id);
    QVERIFY(place);
    QCOMPARE(canvas(0)->selected().front(), graphs().joint()->nodeAt(graphs().pane(0), *place));
    // And the other way round.
    canvas(0)->setSelected({});
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    const auto first = std::find_if(joint().graph.nodes.begin(), joint().graph.nodes.end(),
                                    [](const auto& node) { return node.op == "gelu"; });
    const auto at = std::size_t(first - joint().graph.nodes.begin());
    canvas(0)->centerOn(joint().nodes[at].ids[0]);
    QTest::mouseClick(canvas(0)->viewport(), Qt::LeftButton, {},
                      canvas(0)->nodeCenter(joint().nodes[at].ids[0]));
    waitIdle();
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{joint().nodes[at].ids[1]});
}

void TestCompare::aThirdPane() {
    openIt(u"residual"_s);
    press(u"Alt+Shift+Right"_s);
    QCOMPARE(graphs().paneCount(), std::size_t(3));
    // What was in view, still is: the beginning.
    const auto& nodes = m_window->document().imported()->nodes;
    const auto input = std::find_if(nodes.begin(), nodes.end(),
                                    [](const auto& node) { return node.op == "input"; });
    for (const std::size_t pane : {0, 1, 2})
        QVERIFY(canvas(pane)->viewport()->rect().contains(canvas(0)->nodeCenter(input->id)));
    choose(2, u"Partitioned"_s);
    choose(1, u"Rewritten"_s);
    QVERIFY(graphs().joint()->shown());
    QCOMPARE(joint().states, std::size_t(3));
    placesAgree();
    QCOMPARE(marked(0, Halo::Look::Erased), counted(1, Mark::Erased));
    QCOMPARE(marked(1, Halo::Look::Created), counted(1, Mark::Created));
    QVERIFY(counted(1, Mark::Erased) >= 8);
    QCOMPARE(counted(2, Mark::Erased) + counted(2, Mark::Created), std::size_t(0));
    picture(u"three_panes"_s);
    // All show the same part.
    canvas(2)->setScale(1.2);
    QCOMPARE(canvas(0)->scale(), 1.2);
    QCOMPARE(canvas(1)->toScene({10, 10}).x, canvas(2)->toScene({10, 10}).x);
    // From change to change, each selected where it is.
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < graphs().joint()->changes().size(); ++i) {
        press(u"F4"_s);
        const std::size_t place = graphs().joint()->changes()[i];
        for (std::size_t s = 0; s < 3; ++s)
            if (const auto id = graphs().joint()->nodeAt(graphs().pane(s), place);
                id != snapshot::noNode)
                QCOMPARE(canvas(s)->selected(), Ids{id});
        seen.insert(place);
    }
    QCOMPARE(seen.size(), graphs().joint()->changes().size());
    // A step takes the place of all but the first, and half of the width.
    canvas(1)->setFocus();
    press(u"F10"_s);
    const auto* step = graphs().stepPane();
    QVERIFY2(step->width() > graphs().width() * 2 / 5, qPrintable(QString::number(step->width())));
    QVERIFY(step->isAncestorOf(m_window->focusWidget()));
    m_window->findChild<QDockWidget*>(u"stages"_s)->raise();
    waitIdle();
    press(u"Alt+Shift+Left"_s);
    QCOMPARE(graphs().paneCount(), std::size_t(2));
    QCOMPARE(joint().states, std::size_t(2));
    press(u"Alt+Shift+Left"_s);
    QCOMPARE(graphs().paneCount(), std::size_t(2));
    // Another model begins with the usual two.
    press(u"Alt+Shift+Right"_s);
    open(u"lenet"_s);
    QCOMPARE(graphs().paneCount(), std::size_t(2));
    QVERIFY(graphs().state(0).is(Stage::Imported) && graphs().state(1).is(Stage::Fused));
}

void TestCompare::afterAnApplication() {
    openIt(u"residual"_s);
    const auto& all = m_window->document().rewrite()->applications;
    QVERIFY(all.size() > 2);
    choose(1, u"After application %1:"_s.arg(
                  std::find_if(all.begin(), all.end() - 1, [](const auto& one) {
                      return (&one)[1].rule != one.rule;
                  })->number));
    answerText(u"1"_s);
    choose(1, u"After application …"_s);
    QCOMPARE(graphs().state(1).application, std::int64_t(1));
    QVERIFY(graphs().joint()->shown());
    placesAgree();
    QCOMPARE(counted(1, Mark::Erased), all.front().erased.size());
    // What it erased says so, in this pane pair and by its number.
    const auto& imported = *m_window->document().imported();
    const auto gone =
        std::find_if(imported.nodes.begin(), imported.nodes.end(),
                     [&](const auto& n) { return n.name == all.front().erased.front().name; });
    QVERIFY(gone != imported.nodes.end());
    canvas(0)->centerOn(gone->id);
    QTest::mouseClick(canvas(0)->viewport(), Qt::LeftButton, {}, canvas(0)->nodeCenter(gone->id));
    QVERIFY2(m_said.contains(u"has no counterpart: erased by %1, application 1"_s.arg(
                 QString::fromStdString(all.front().rule))),
             qPrintable(m_said));
    // Step by step: the second application against the first.
    answerText(u"1"_s);
    choose(0, u"After application …"_s);
    answerText(u"2"_s);
    choose(1, u"After application …"_s);
    QCOMPARE(counted(1, Mark::Erased), all[1].erased.size());
}

void TestCompare::withoutABook() {
    openIt(u"residual"_s);
    choose(0, u"Fused without simplify.fw"_s);
    placesAgree();
    // Batch norms are still there on the left; on the right a rule took them out.
    std::size_t norms = 0;
    for (std::size_t i = 0; i < joint().nodes.size(); ++i)
        if (joint().graph.nodes[i].op == "batch_norm" &&
            joint().nodes[i].marks[1] == Mark::Erased) {
            ++norms;
            const auto id = joint().nodes[i].ids[0];
            canvas(0)->centerOn(id);
            QTest::mouseClick(canvas(0)->viewport(), Qt::LeftButton, {}, canvas(0)->nodeCenter(id));
            QVERIFY2(m_said.contains(u"erased by fold_batch_norm, application"_s),
                     qPrintable(m_said));
        }
    QVERIFY(norms >= 4);
}

void TestCompare::anotherModel() {
    QFile written(m_folder.filePath(u"other.fw"_s));
    QFile simple(m_folder.filePath(u"onednn-partition/simple.fw"_s));
    QVERIFY(simple.open(QIODevice::ReadOnly) && written.open(QIODevice::WriteOnly));
    QByteArray text = simple.readAll();
    text.replace("r1 = relu(d1)", "r1 = tanh(d1)").replace("c2", "conv_b").replace("d2", "bias_b");
    written.write(text);
    written.close();
    openIt(u"onednn-partition/simple.fw"_s);
    answerFileDialog(m_folder.filePath(u"other.fw"_s));
    choose(1, u"Another model …"_s);
    QVERIFY(graphs().joint()->shown());
    placesAgree();
    // One relu became tanh; nodes of a text have the names of their operators, in their order.
    QVERIFY(counted(1, Mark::Erased) == 1 && counted(1, Mark::Created) == 1);
    QVERIFY(counted(1, Mark::Kept) >= 3);
    std::size_t at = 0;
    while (joint().nodes[at].marks[1] != Mark::Erased)
        ++at;
    QCOMPARE(joint().graph.nodes[at].op, std::string("relu"));
    canvas(0)->centerOn(joint().nodes[at].ids[0]);
    QTest::mouseClick(canvas(0)->viewport(), Qt::LeftButton, {},
                      canvas(0)->nodeCenter(joint().nodes[at].ids[0]));
    QVERIFY2(m_said.contains(u"has no counterpart: nothing there has its name"_s),
             qPrintable(m_said));
    picture(u"another_model"_s);
}

void TestCompare::whatFailsSaysWhyAndIsTriedAgain() {
    openIt(u"residual"_s);
    answerText(u"x86-64 -mcpu=nonsense"_s);
    choose(0, u"Fused for another target …"_s);
    StateOverlay* overlay = graphs().pane(0)->overlay();
    QCOMPARE(overlay->state(), ViewState::Error);
    QVERIFY2(overlay->text().contains(u"nonsense"_s), qPrintable(overlay->text()));
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready); // nothing else is touched
    QVERIFY(canvas(1)->picture());
    // A model that is not there yet, and is when it is asked again.
    GraphState other{Stage::Imported};
    other.model = m_folder.filePath(u"later.fw"_s).toStdString();
    graphs().setState(0, other);
    waitIdle();
    QCOMPARE(overlay->state(), ViewState::Error);
    QVERIFY(QFile::copy(m_folder.filePath(u"onednn-partition/simple.fw"_s),
                        m_folder.filePath(u"later.fw"_s)));
    Q_EMIT overlay->actionRequested();
    waitIdle();
    QCOMPARE(overlay->state(), ViewState::Ready);
    QVERIFY(graphs().joint()->shown());
    QCOMPARE(joint().states, std::size_t(2));
}

void TestCompare::aNewPlanIsFollowed() {
    openIt(u"onednn-partition/simple.fw"_s);
    choose(0, u"Rewritten"_s);
    const auto before = canvas(0)->picture();
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
    waitIdle();
    QCOMPARE(graphs().pane(0)->overlay()->state(), ViewState::Ready);
    QVERIFY(graphs().joint()->shown());
    placesAgree();
    QVERIFY(graphs().pane(1)->canvas()->picture()->containers.front().maker ==
            (picture::MakerRecord{picture::Maker::Library, "onednn"}));
}

FW_TEST(TestCompare, QApplication)
#include "test_compare.moc"
