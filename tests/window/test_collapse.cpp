// A graph that repeats itself, read from its top level through the real window with the real
// worker.
#include "common/test.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;
using snapshot::Block;

class TestCollapse : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void cleanup() {
        if (m_window)
            m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void largeModelIsReadFromItsTop();
    void whatIsFoundIsOpened();
    void whatWasFoundStaysOpenAroundAClick();
    void openingAllHasALimit();
    void layoutsAreStopped();
    void anotherTargetKeepsWhatIsOpen();
    void whatIsOpenIsSaved();
    void smallModelsCloseOnDemand();
    void streamsAreTraced();
    void neighbourhoodsAreShownAlone();
    void oneLayoutOpensInBothPanes();

private:
    // Eight operators around a residual value, over and over.
    static QByteArray repeated(int blocks) {
        constexpr const char* ops[] = {"relu", "tanh", "exp", "sigmoid", "neg", "sqrt", "abs"};
        QByteArray out = "graph net(x: f32[1, 64]) -> y {\n", before = "x";
        for (int block = 0; block < blocks; ++block) {
            const QByteArray begin = "b" + QByteArray::number(block) + "_";
            QByteArray at = before;
            for (const char* op : ops) {
                out += "  " + begin + op + " = " + op + "(" + at + ")\n";
                at = begin + op;
            }
            const QByteArray sum = block + 1 == blocks ? QByteArray("y") : begin + "sum";
            out += "  " + sum + " = add(" + at + ", " + before + ")\n";
            before = sum;
        }
        return out + "}\n";
    }
    void openRepeated(int blocks) {
        start();
        const QString path = m_folder.filePath(u"net.fw"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(repeated(blocks));
        file.close();
        open(u"net.fw"_s);
        connect(&graphs(), &View::asked, this, [this](const Intent& intent) {
            if (const auto* say = std::get_if<Say>(&intent))
                m_said = say->text;
        });
    }
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas(GraphSide side) const { return graphs().pane(side)->canvas(); }
    const std::vector<picture::PlacedBox>& boxes(GraphSide side) const {
        return canvas(side)->picture()->boxes;
    }
    snapshot::NodeId named(GraphSide side, const std::string& name) const {
        const auto& graph = side == GraphSide::Imported ? m_window->document().imported()
                                                        : m_window->document().fused();
        for (const auto& node : graph->nodes)
            if (!node.outputs.empty() && node.outputs[0].name == name)
                return node.id;
        return snapshot::noNode;
    }
    const Block* block(GraphSide side, Block::Kind kind, std::size_t number = 0) const {
        for (const Block& one : graphs().collapse()->blocks(graphs().pane(side))->blocks)
            if (one.kind == kind && number-- == 0)
                return &one;
        return nullptr;
    }
    bool isOpen(GraphSide side, const Block& one) const {
        const auto& all = canvas(side)->picture()->containers;
        return std::any_of(all.begin(), all.end(),
                           [&](const auto& container) { return container.id == one.id; });
    }
    void doubleClick(GraphSide side, QPoint at) {
        QVERIFY(canvas(side)->viewport()->rect().contains(at));
        QTest::mouseDClick(canvas(side)->viewport(), Qt::LeftButton, {}, at);
        waitIdle();
    }

    QString m_said;
};

void TestCollapse::largeModelIsReadFromItsTop() {
    openRepeated(80);
    const auto side = GraphSide::Imported;
    const Block stack = *block(side, Block::Kind::Stack);
    QCOMPARE(stack.copies, std::size_t(80));
    QCOMPARE(boxes(side).size(), std::size_t(3)); // the input, the stack and the output
    QVERIFY(boxes(GraphSide::Fused).size() < 20);
    doubleClick(side, canvas(side)->nodeCenter(stack.id));
    QVERIFY(isOpen(side, stack));
    QCOMPARE(boxes(side).size(), std::size_t(82));
    picture(u"collapse-stack"_s);
    const Block copy = *block(side, Block::Kind::Copy, 5);
    canvas(side)->centerOn(copy.id);
    doubleClick(side, canvas(side)->nodeCenter(copy.id));
    QVERIFY(isOpen(side, copy));
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8));
    // A closed block is all of its nodes, in both graphs.
    const Block other = *block(side, Block::Kind::Copy, 7);
    canvas(side)->centerOn(other.id);
    QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, {},
                      canvas(side)->nodeCenter(other.id));
    waitIdle();
    QCOMPARE(m_window->selection().imported.size(), std::size_t(8));
    QVERIFY(m_window->selection().fused.size() >= 8);
    // Everything at once, and back.
    press(u"Ctrl+Alt++"_s);
    QVERIFY(boxes(side).size() > 600);
    press(u"Ctrl+Alt+-"_s);
    QCOMPARE(boxes(side).size(), std::size_t(3));
    canvas(side)->fitAll();
    QVERIFY(canvas(side)->dump().contains(u"×80"_s));
}

void TestCollapse::whatIsFoundIsOpened() {
    openRepeated(80);
    const auto side = GraphSide::Imported;
    QVERIFY(m_window->selectByNames({u"b41_sigmoid"_s}));
    waitIdle();
    const snapshot::NodeId node = named(side, "b41_sigmoid");
    QCOMPARE(canvas(side)->selected(), Ids{node});
    QVERIFY(QRectF(canvas(side)->viewport()->rect()).contains(canvas(side)->nodeRect(node)));
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8));
    // The same place of the next copy; its block opens as well.
    canvas(side)->setFocus();
    press(u"Ctrl+Alt+]"_s);
    QCOMPARE(m_window->selection().imported, snapshot::NodeSet{named(side, "b42_sigmoid")});
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8)); // the one before is closed again
    press(u"Ctrl+Alt+["_s);
    QCOMPARE(canvas(side)->selected(), Ids{node});
    press(u"Ctrl+Backspace"_s);
    QCOMPARE(boxes(side).size(), std::size_t(82));
}

// The counterpart of what is clicked may be hidden in the other graph: it is opened there, and what
// people work in stays open.
void TestCollapse::whatWasFoundStaysOpenAroundAClick() {
    openRepeated(80);
    for (const auto side : {GraphSide::Imported, GraphSide::Fused}) {
        QVERIFY(m_window->selectByNames({u"b41_sigmoid"_s}));
        waitIdle();
        const snapshot::NodeId other = named(side, "b41_tanh");
        QVERIFY(other != snapshot::noNode);
        const auto before = boxes(side).size();
        canvas(side)->centerOn(other);
        QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, {},
                          canvas(side)->nodeCenter(other));
        waitIdle();
        QVERIFY(boxes(side).size() >= before);
        QCOMPARE(canvas(side)->selected(), Ids{other});
        QVERIFY(!canvas(side)->nodeRect(other).isNull());
    }
}

void TestCollapse::openingAllHasALimit() {
    openRepeated(2500); // 20 000 operators
    const auto side = GraphSide::Imported;
    for (int i = 0; i < 2; ++i) { // the second time asks for no frames at all
        press(u"Ctrl+Alt++"_s);
        QVERIFY2(boxes(side).size() > 100, qPrintable(QString::number(boxes(side).size())));
        QVERIFY2(boxes(side).size() <= Collapse::mostShown + 1000,
                 qPrintable(QString::number(boxes(side).size())));
        QVERIFY2(m_said.contains(u"stay closed"_s), qPrintable(m_said));
    }
    m_said.clear();
    press(u"Ctrl+Alt+-"_s);
    QCOMPARE(boxes(side).size(), std::size_t(3));
}

void TestCollapse::layoutsAreStopped() {
    openRepeated(500); // 4000 operators, which are all shown
    const auto side = GraphSide::Imported;
    const std::size_t closed = boxes(side).size();
    bool wasStopped = false;
    for (int tries = 0; tries < 10 && !wasStopped; ++tries) { // a layout may be through before
        strike(QKeySequence(u"Ctrl+Alt++"_s)[0]);
        QVERIFY(graphs().pane(side)->busy());
        QVERIFY(!m_window->idle());
        QCoreApplication::processEvents(); // what can be done now is shown
        const bool wasAtWork = graphs().pane(side)->busy();
        strike(QKeySequence(u"Shift+F9"_s)[0]);
        waitIdle();
        wasStopped = wasAtWork && boxes(side).size() == closed;
        if (!wasStopped)
            press(u"Ctrl+Alt+-"_s);
    }
    QVERIFY(wasStopped);
    QVERIFY(!graphs().pane(side)->stopped()); // it is drawn as it was
    press(u"Ctrl+Alt++"_s);
    QVERIFY(boxes(side).size() > 3000);
    // Another model does not wait for a layout of this one.
    strike(QKeySequence(u"Ctrl+Alt++"_s)[0]);
    open(u"residual"_s);
    QVERIFY(boxes(side).size() < 30);
}

void TestCollapse::anotherTargetKeepsWhatIsOpen() {
    openRepeated(80);
    const auto side = GraphSide::Imported;
    QVERIFY(m_window->selectByNames({u"b41_sigmoid"_s}));
    waitIdle();
    const std::size_t before = boxes(GraphSide::Fused).size();
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=1"_s);
    waitIdle();
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8));
    QCOMPARE(boxes(GraphSide::Fused).size(), before);
    QCOMPARE(canvas(side)->selected(), Ids{named(side, "b41_sigmoid")});
}

void TestCollapse::whatIsOpenIsSaved() {
    openRepeated(80);
    const auto side = GraphSide::Imported;
    doubleClick(side, canvas(side)->nodeCenter(block(side, Block::Kind::Stack)->id));
    const Block copy = *block(side, Block::Kind::Copy, 5);
    canvas(side)->centerOn(copy.id);
    doubleClick(side, canvas(side)->nodeCenter(copy.id));
    const auto opened = graphs().collapse()->view();
    QCOMPARE(opened.others.size(), std::size_t(2));
    answerFileDialog(u"work.fwdoc"_s);
    press(u"Ctrl+S"_s);
    QVERIFY(QFile::exists(m_folder.filePath(u"work.fwdoc"_s)));
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    end();
    start({});
    this->open(u"work.fwdoc"_s);
    QVERIFY(graphs().collapse()->view() == opened);
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8));
    // Another model begins as it would without it.
    this->open(u"net.fw"_s);
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8)); // the same model
    this->open(u"residual"_s);
    QVERIFY(graphs().collapse()->view() == snapshot::BlockView());
}

void TestCollapse::smallModelsCloseOnDemand() {
    start();
    open(u"residual"_s);
    const auto side = GraphSide::Fused;
    const std::size_t whole = boxes(side).size();
    QCOMPARE(canvas(side)->picture()->containers.size(),
             m_window->document().plan()->groups.size());
    // A group closes by its header and opens again.
    const auto group = canvas(side)->picture()->containers[1];
    const auto members =
        std::size_t(std::count_if(boxes(side).begin(), boxes(side).end(),
                                  [&](const auto& box) { return box.container == group.id; }));
    canvas(side)->reveal(std::find_if(boxes(side).begin(), boxes(side).end(), [&](const auto& box) {
                             return box.container == group.id;
                         })->id);
    doubleClick(side, canvas(side)->toViewport({group.rect.x + 20, group.rect.y + 10}).toPoint());
    QCOMPARE(boxes(side).size(), whole - members + 1);
    const Block* closed = graphs().collapse()->blockAt(graphs().pane(side), group.id);
    QVERIFY(closed);
    doubleClick(side, canvas(side)->nodeCenter(closed->id));
    QCOMPARE(boxes(side).size(), whole);
}

void TestCollapse::streamsAreTraced() {
    start();
    open(u"residual"_s);
    const auto side = GraphSide::Imported;
    const auto& graph = m_window->document().imported();
    // The second operand of the last sum that has two computed ones: one of two branches.
    snapshot::NodeId middle = snapshot::noNode;
    for (const auto& node : graph->nodes)
        if (node.op == "conv2d")
            middle = node.id;
    QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, {}, QPoint(2, 2));
    m_window->selectByNames({QString::fromStdString(nodeOf(graph.get(), middle)->name)});
    waitIdle();
    const Ids selected = canvas(side)->selected();
    canvas(side)->setFocus();
    press(u"T"_s);
    QVERIFY(canvas(side)->lit().has_value());
    QVERIFY(canvas(side)->lit()->contains(middle));
    QVERIFY(canvas(GraphSide::Fused)->lit() && !canvas(GraphSide::Fused)->lit()->empty());
    canvas(side)->fitAll();
    QVERIFY(canvas(side)->dump().contains(u"box %1 selected"_s.arg(middle)));
    QVERIFY(m_said.isEmpty() || m_said.contains(u"stream"_s));
    press(u"Esc"_s);
    QVERIFY(!canvas(side)->lit().has_value());
    QVERIFY(!canvas(side)->dump().contains(u"dimmed"_s));
    QCOMPARE(canvas(side)->selected(), selected); // Esc ends one thing at a time
    // Of two nodes the ways between them.
    const auto& first = graph->nodes.front().id;
    snapshot::NodeId begin = snapshot::noNode;
    for (const auto& node : graph->nodes)
        if (begin == snapshot::noNode && node.op == "conv2d")
            begin = node.id;
    Picked two;
    two.imported = {begin, middle};
    graphs().revealed(side, begin, Selection::Reveal::InTheMiddle);
    QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, {},
                      canvas(side)->nodeCenter(begin));
    graphs().revealed(side, middle, Selection::Reveal::InTheMiddle);
    QTest::mouseClick(canvas(side)->viewport(), Qt::LeftButton, Qt::ControlModifier,
                      canvas(side)->nodeCenter(middle));
    waitIdle();
    QCOMPARE(m_window->selection().imported, two.imported);
    press(u"T"_s);
    QVERIFY(canvas(side)->lit()->contains(begin) && canvas(side)->lit()->contains(middle));
    QVERIFY(!canvas(side)->lit()->contains(first));
}

void TestCollapse::neighbourhoodsAreShownAlone() {
    openRepeated(80);
    const auto side = GraphSide::Imported;
    QVERIFY(m_window->selectByNames({u"b41_sigmoid"_s}));
    waitIdle();
    canvas(side)->setFocus();
    press(u"I"_s);
    QCOMPARE(boxes(side).size(), std::size_t(5)); // exp, sigmoid, neg, and two marks
    press(u"I"_s);
    QCOMPARE(boxes(side).size(), std::size_t(7));
    press(u"Shift+I"_s);
    QCOMPARE(boxes(side).size(), std::size_t(5));
    QVERIFY(!canvas(side)->nodeRect(named(side, "b41_neg")).isNull());
    // What is looked for elsewhere ends it.
    m_window->view<GraphsView>()->revealed(side, named(side, "b3_exp"),
                                           Selection::Reveal::IntoView);
    waitIdle();
    QVERIFY(!canvas(side)->nodeRect(named(side, "b3_exp")).isNull());
    press(u"I"_s);
    press(u"Esc"_s);
    QCOMPARE(boxes(side).size(), std::size_t(81 + 8));
}

void TestCollapse::oneLayoutOpensInBothPanes() {
    openRepeated(80);
    press(u"Ctrl+Alt+Q"_s);
    QVERIFY(graphs().joint()->shown());
    const auto side = GraphSide::Imported;
    const std::size_t closed = boxes(side).size();
    QCOMPARE(boxes(GraphSide::Fused).size(), closed);
    QVERIFY(closed < 40);
    const Block stack = *block(side, Block::Kind::Stack);
    canvas(side)->centerOn(stack.id);
    doubleClick(side, canvas(side)->nodeCenter(stack.id));
    QVERIFY(isOpen(side, stack) && isOpen(GraphSide::Fused, stack));
    QCOMPARE(boxes(side).size(), boxes(GraphSide::Fused).size());
    QVERIFY(boxes(side).size() > closed);
    QCOMPARE(canvas(side)->toScene({5, 5}), canvas(GraphSide::Fused)->toScene({5, 5}));
}

FW_TEST(TestCollapse, QApplication)
#include "test_collapse.moc"
