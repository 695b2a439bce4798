// Blocks are opened and closed in the panes of both graphs.
#include "common/test.h"
#include "snapshot/graphs.h"
#include "views/graph/collapse.h"

#include <QApplication>
#include <QSignalSpy>

using namespace fw;
using namespace fw::ui;
using namespace fw::snapshot;
using namespace Qt::StringLiterals;

class TestCollapse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void smallGraphsAreShownWhole();
    void largeGraphsBeginAtTheirTop();
    void doubleClickOpensAndHeaderCloses();
    void keysOpenAndClose();
    void clickedBlockStaysUnderThePointer();
    void boxesStandForTheirNodes();
    void hiddenNodesAreRevealed();
    void anotherPlanKeepsWhatIsOpen();
    void copiesAreWalked();
    void heatAndHalosAreGathered();
    void namesAreReadableAtAnyScale();
    void cutEdgesAreJumped();

private:
    void show(const GraphDocument& graph, const std::string& model = "m");
    void redraw();
    GraphCanvas* canvas() const { return m_left->canvas(); }
    std::int64_t idOf(const std::string& path) const;
    NodeId nodeNamed(const std::string& name) const;
    QPoint headerOf(const std::string& path) const;
    bool isOpen(const std::string& path) const;
    QString dumped() {
        canvas()->fitAll();
        return canvas()->dump();
    }

    std::unique_ptr<QWidget> m_window;
    GraphPane* m_left = nullptr;
    GraphPane* m_right = nullptr;
    std::unique_ptr<Collapse> m_collapse;
    Collapse::Graph m_graph;
};

void TestCollapse::init() {
    m_window = std::make_unique<QWidget>();
    m_window->resize(1200, 900);
    m_left = new GraphPane(u"Imported"_s, m_window.get());
    m_right = new GraphPane(u"Fused"_s, m_window.get());
    m_left->setGeometry(0, 0, 900, 900);
    m_right->setGeometry(900, 0, 300, 900);
    m_collapse = std::make_unique<Collapse>();
    m_collapse->add(m_left);
    m_collapse->add(m_right);
    connect(m_collapse.get(), &Collapse::changed, this, &TestCollapse::redraw);
    // As the view of both graphs does it.
    connect(canvas(), &GraphCanvas::activated, this, [this](std::int64_t id, QPointF at) {
        if (isBlock(id))
            m_collapse->toggle(m_left, id, at);
    });
    connect(canvas(), &GraphCanvas::containerActivated, this,
            [this](std::int64_t id, QPointF at) { m_collapse->toggle(m_left, id, at); });
    connect(canvas(), &GraphCanvas::leaveWanted, this,
            [this] { m_collapse->closeAround(m_left, canvas()->selected()); });
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void TestCollapse::cleanup() {
    m_collapse.reset();
    m_window.reset();
}

void TestCollapse::show(const GraphDocument& graph, const std::string& model) {
    m_graph = std::make_shared<const GraphDocument>(graph);
    m_collapse->begin(model, graph);
    redraw();
    QTRY_VERIFY(!m_left->busy());
}

void TestCollapse::redraw() {
    m_collapse->show(m_left, m_graph, {}, m_collapse->view());
}

std::int64_t TestCollapse::idOf(const std::string& path) const {
    for (const Block& block : m_collapse->blocks(m_left)->blocks)
        if (block.path == path)
            return block.id;
    return -1;
}

NodeId TestCollapse::nodeNamed(const std::string& name) const {
    for (const NodeRecord& node : m_graph->nodes)
        if (node.name == name)
            return node.id;
    return noNode;
}

QPoint TestCollapse::headerOf(const std::string& path) const {
    for (const auto& container : canvas()->picture()->containers)
        if (container.id == idOf(path))
            return canvas()
                ->toViewport({container.rect.center().x, container.rect.y + 8})
                .toPoint();
    return {-1, -1};
}

bool TestCollapse::isOpen(const std::string& path) const {
    return headerOf(path) != QPoint(-1, -1);
}

void TestCollapse::smallGraphsAreShownWhole() {
    show(transformer(3, Naming::Scopes));
    QVERIFY(canvas()->picture()->containers.empty());
    QCOMPARE(canvas()->picture()->boxes.size(), std::size_t(2 + 4 + 3 * 21 + 1));
    m_collapse->closeEverything();
    QTRY_VERIFY(!m_left->busy());
    QCOMPARE(canvas()->picture()->boxes.size(), std::size_t(3 + 2 + 1));
    m_collapse->openEverything();
    QTRY_VERIFY(!m_left->busy());
    QCOMPARE(canvas()->picture()->boxes.size(), std::size_t(2 + 4 + 3 * 21 + 1));
    QVERIFY(isOpen("layers/2/attn/q"));
    m_collapse->openEverything();
    QTRY_VERIFY(!m_left->busy());
    QVERIFY(canvas()->picture()->containers.empty());
}

void TestCollapse::largeGraphsBeginAtTheirTop() {
    show(transformer(60, Naming::Scopes));
    QCOMPARE(canvas()->picture()->boxes.size(), std::size_t(3 + 2 + 1));
    // Another model of the size that is shown whole.
    show(transformer(3, Naming::Scopes), "other");
    QVERIFY(canvas()->picture()->containers.empty());
    QVERIFY(canvas()->picture()->boxes.size() > 60);
}

void TestCollapse::doubleClickOpensAndHeaderCloses() {
    show(transformer(60, Naming::Scopes));
    const auto doubleClick = [this](QPoint at) {
        QVERIFY(canvas()->viewport()->rect().contains(at));
        QTest::mouseDClick(canvas()->viewport(), Qt::LeftButton, {}, at);
        QTRY_VERIFY(!m_left->busy());
    };
    doubleClick(canvas()->nodeCenter(idOf("layers")));
    QVERIFY(isOpen("layers") && !isOpen("layers/7"));
    QCOMPARE(canvas()->picture()->boxes.size(), std::size_t(2 + 60 + 2 + 1));
    canvas()->centerOn(idOf("layers/7"));
    doubleClick(canvas()->nodeCenter(idOf("layers/7")));
    QVERIFY(isOpen("layers/7"));
    doubleClick(headerOf("layers/7"));
    QVERIFY(isOpen("layers") && !isOpen("layers/7"));
}

void TestCollapse::keysOpenAndClose() {
    show(transformer(60, Naming::Scopes));
    const auto press = [this](Qt::Key key) {
        QTest::keyClick(canvas(), key);
        QTRY_VERIFY(!m_left->busy());
    };
    canvas()->setFocus();
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {},
                      canvas()->nodeCenter(idOf("final")));
    press(Qt::Key_Up); // the layers feed it
    QCOMPARE(canvas()->selected(), Ids{idOf("layers")});
    press(Qt::Key_Return);
    QVERIFY(isOpen("layers"));
    canvas()->setSelected({idOf("layers/5")});
    press(Qt::Key_Return);
    QVERIFY(isOpen("layers/5"));
    canvas()->setSelected({nodeNamed("/layers.5/Add")});
    press(Qt::Key_Backspace);
    QVERIFY(isOpen("layers") && !isOpen("layers/5"));
    canvas()->setSelected({idOf("layers/5")});
    press(Qt::Key_Backspace); // of a closed block: the one around it
    QVERIFY(!isOpen("layers"));
}

void TestCollapse::clickedBlockStaysUnderThePointer() {
    show(transformer(60, Naming::Scopes));
    const QPoint at = canvas()->nodeCenter(idOf("layers")) + QPoint(20, 5);
    QTest::mouseDClick(canvas()->viewport(), Qt::LeftButton, {}, at);
    QTRY_VERIFY(isOpen("layers"));
    const QPoint header = headerOf("layers");
    QVERIFY2((header - at).manhattanLength() <= 8,
             qPrintable(u"%1 %2"_s.arg(header.x() - at.x()).arg(header.y() - at.y())));
    QTest::mouseDClick(canvas()->viewport(), Qt::LeftButton, {}, at);
    QTRY_VERIFY(!isOpen("layers"));
    QVERIFY((canvas()->nodeCenter(idOf("layers")) - at).manhattanLength() <= 2);
}

void TestCollapse::boxesStandForTheirNodes() {
    show(transformer(60, Naming::Scopes));
    const NodeId hidden = nodeNamed("/layers.4/Add"), beside = nodeNamed("/layers.5/Add");
    const NodeId input = nodeNamed("x");
    QCOMPARE(m_collapse->boxOf(m_left, hidden), idOf("layers"));
    QCOMPARE(m_collapse->boxesOf(m_left, {hidden, beside, input}), (Ids{input, idOf("layers")}));
    const NodeSet nodes = m_collapse->nodesOf(m_left, {idOf("layers"), input});
    QCOMPARE(nodes.size(), std::size_t(60 * 21 + 1));
    QVERIFY(nodes.contains(hidden) && nodes.contains(input));
    QVERIFY(m_collapse->nodesOf(m_left, {-2, idOf("layers") - 1}).empty());
}

void TestCollapse::hiddenNodesAreRevealed() {
    show(transformer(60, Naming::Scopes));
    const NodeId hidden = nodeNamed("/layers.41/attn/q/MatMul");
    QVERIFY(m_collapse->isHidden(m_left, hidden));
    m_collapse->reveal(m_left, hidden);
    QTRY_VERIFY(!m_left->busy());
    QVERIFY(!m_collapse->isHidden(m_left, hidden));
    QVERIFY(isOpen("layers") && isOpen("layers/41") && isOpen("layers/41/attn/q"));
    QVERIFY(!isOpen("layers/41/mlp") && !isOpen("layers/40"));
    QVERIFY(!canvas()->nodeRect(hidden).isNull());
    // For another one this is not needed any more, but for what people opened.
    m_collapse->reveal(m_left, nodeNamed("/layers.3/attn/q/MatMul"));
    QTRY_VERIFY(!m_left->busy());
    QVERIFY(isOpen("layers/3/attn/q") && !isOpen("layers/41"));
    m_collapse->toggle(m_left, idOf("layers/3/attn/v"), {});
    QTRY_VERIFY(!m_left->busy());
    m_collapse->reveal(m_left, hidden);
    QTRY_VERIFY(!m_left->busy());
    QVERIFY(isOpen("layers/3/attn/v") && isOpen("layers/3/attn/q") && isOpen("layers/41"));
}

void TestCollapse::anotherPlanKeepsWhatIsOpen() {
    GraphDocument graph = transformer(60, Naming::Scopes);
    show(graph);
    m_collapse->reveal(m_left, nodeNamed("/layers.41/attn/Softmax"));
    QTRY_VERIFY(!m_left->busy());
    graph.nodes.back().op = "gemm";
    for (NodeRecord& node : graph.nodes) // other ids, as in a graph that was made anew
        node.id += 1000;
    for (NodeRecord& node : graph.nodes)
        for (InputRef& input : node.inputs)
            input.node += 1000;
    graph.results[0].node += 1000;
    show(graph);
    QVERIFY(isOpen("layers/41/attn"));
    QVERIFY(!canvas()->nodeRect(nodeNamed("/layers.41/attn/Softmax")).isNull());
}

void TestCollapse::copiesAreWalked() {
    show(transformer(60, Naming::Scopes));
    NodeId at = nodeNamed("/layers.58/mlp/Gelu");
    at = m_collapse->inNextCopy(m_left, at, +1);
    QCOMPARE(at, nodeNamed("/layers.59/mlp/Gelu"));
    at = m_collapse->inNextCopy(m_left, at, +1);
    QCOMPARE(at, nodeNamed("/layers.0/mlp/Gelu"));
    at = m_collapse->inNextCopy(m_left, at, -1);
    QCOMPARE(at, nodeNamed("/layers.59/mlp/Gelu"));
    QCOMPARE(m_collapse->inNextCopy(m_left, nodeNamed("/embed/Add"), 1), noNode);
    QCOMPARE(m_collapse->inNextCopy(m_left, 123456, 1), noNode);
    // Of copies without names, in parts.
    show(transformer(1000, Naming::Flat), "flat");
    const auto& all = *m_collapse->blocks(m_left);
    const Block& stack = all.blocks[all.blocks[0].blocks[0]];
    QCOMPARE(stack.copies, std::size_t(1000));
    QVERIFY(all.blocks[stack.blocks[0]].kind == Block::Kind::Part);
    const auto nodes = all.nodesIn(stack.blocks[0]);
    const NodeId last = m_graph->nodes[nodes.back()].id;
    const NodeId next = m_collapse->inNextCopy(m_left, last, 1);
    const auto after = all.nodesIn(stack.blocks[1]);
    QCOMPARE(next, m_graph->nodes[after[20]].id);
}

void TestCollapse::heatAndHalosAreGathered() {
    show(transformer(60, Naming::Scopes));
    const NodeId a = nodeNamed("/layers.4/Add"), b = nodeNamed("/layers.5/Add");
    const std::map<std::int64_t, double> values{{a, 0.25}, {b, 0.5}, {nodeNamed("x"), 0.1}};
    using Together = Collapse::Together;
    QCOMPARE(m_collapse->onBoxes(m_left, values, Together::Sum),
             (std::map<std::int64_t, double>{{idOf("layers"), 0.75}, {nodeNamed("x"), 0.1}}));
    QCOMPARE(m_collapse->onBoxes(m_left, values, Together::Most).at(idOf("layers")), 0.5);
    const auto halos =
        m_collapse->onBoxes(m_left, {{{a}, Halo::Look::Match, u"1"_s},
                                     {{a, b}, Halo::Look::Match, u"2"_s},
                                     {{nodeNamed("x"), b}, Halo::Look::Changed, u"~"_s}});
    QCOMPARE(halos, (std::vector<Halo>{{{nodeNamed("x")}, Halo::Look::Changed, u"~"_s},
                                       {{idOf("layers")}, Halo::Look::Match, u"×2"_s},
                                       {{idOf("layers")}, Halo::Look::Changed, u"×1"_s}}));
}

void TestCollapse::namesAreReadableAtAnyScale() {
    show(transformer(60, Naming::Scopes));
    m_collapse->toggle(m_left, idOf("layers"), {});
    QTRY_VERIFY(!m_left->busy());
    canvas()->setScale(1);
    QVERIFY(canvas()->mapLabels().empty()); // titles are
    const QString all = dumped();
    QVERIFY2(canvas()->scale() < 0.3, "all of it fits at a readable scale");
    QVERIFY(!all.contains(u"\ntext "_s));
    QVERIFY(all.contains(u"label layers ×60"_s));
    QVERIFY(all.count(u"\nlabel layers/"_s) >= 5);
    const auto labels = canvas()->mapLabels();
    for (const auto& one : labels)
        for (const auto& other : labels)
            QVERIFY(&one == &other || !one.place.intersects(other.place));
    QVERIFY(!canvas()->grab().isNull());
}

void TestCollapse::cutEdgesAreJumped() {
    show(transformer(60, Naming::Scopes));
    m_collapse->toggle(m_left, idOf("layers"), {});
    QTRY_VERIFY(!m_left->busy());
    // The mask is read by every layer; at the fortieth there is only its name.
    const picture::Picture& shown = *canvas()->picture();
    canvas()->setScale(1);
    for (const picture::Item& item : shown.items) {
        const auto* path = std::get_if<picture::PathItem>(&item);
        if (!path || path->owner.kind != picture::OwnerKind::Arriving ||
            shown.links[std::size_t(path->owner.id)].to != idOf("layers/40"))
            continue;
        canvas()->centerOn(idOf("layers/40"));
        const QPointF at = canvas()->toViewport(path->points.front());
        QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, (at + QPointF(0, 3)).toPoint());
        QCOMPARE(canvas()->selected(), Ids{nodeNamed("mask")});
        QVERIFY(
            QRectF(canvas()->viewport()->rect()).contains(canvas()->nodeRect(nodeNamed("mask"))));
        return;
    }
    QFAIL("nothing is cut");
}

FW_TEST(TestCollapse, QApplication)
#include "test_collapse.moc"
