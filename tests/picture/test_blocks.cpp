// Blocks in a picture: closed ones are one box, open ones hold what lies in them, at any depth.
#include "common/test.h"
#include "picture/graph_diagram.h"
#include "picture/layout_memo.h"
#include "picture/picture.h"
#include "snapshot/graphs.h"

#include <QElapsedTimer>

#include <set>

using namespace fw;
using namespace fw::picture;
using namespace fw::snapshot;

class TestBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closedBlocksAreOneBox();
    void whatCrossesIsCounted();
    void openBlocksHoldTheirNodes();
    void groupsCloseToo();
    void anyViewOfAnyGraph_data();
    void anyViewOfAnyGraph();
    void openingLaysOutOneBlock();
    void timesMoveNothing();
    void mainPathRunsStraight_data();
    void mainPathRunsStraight();
    void longEdgesAreCut();
    void bodiesStandBesideTheirNode();
    void nestedBodiesAreDrawn();
    void edgesLookLikeWhatTheyCarry();
    void containersInEachOtherAreRefused();
};

namespace {

const BlockView topLevel{BlockView::Shown::All, BlockView::Rest::Closed, {}};

DiagramOptions shown(const GraphDocument& graph, const BlockView& view) {
    DiagramOptions out;
    out.blocks = std::make_shared<const Hierarchy>(hierarchyOf(graph));
    out.view = view;
    return out;
}

const Box* titled(const Diagram& diagram, const std::string& title) {
    const auto found = std::find_if(diagram.boxes.begin(), diagram.boxes.end(),
                                    [&](const Box& box) { return box.title == title; });
    return found == diagram.boxes.end() ? nullptr : &*found;
}

// "" or the first thing that is wrong.
std::string broken(const Diagram& d, const Picture& p) {
    if (p.boxes.size() != d.boxes.size() || p.containers.size() != d.containers.size() ||
        p.links.size() != d.edges.size())
        return "something is missing";
    std::map<std::int64_t, const PlacedContainer*> containers;
    for (const PlacedContainer& c : p.containers)
        containers[c.id] = &c;
    const auto isInside = [&](std::int64_t inner, std::int64_t outer) {
        while (inner != -1 && inner != outer)
            inner = containers.at(inner)->parent;
        return inner == outer;
    };
    for (const PlacedContainer& c : p.containers) {
        if (!Rect{0, 0, p.width, p.height}.contains(c.rect))
            return "a container lies outside";
        if (c.parent != -1 && !containers.at(c.parent)->rect.contains(c.rect))
            return "a container does not hold another";
        for (const PlacedContainer& other : p.containers)
            if (&c != &other && !isInside(c.id, other.id) && !isInside(other.id, c.id) &&
                c.rect.overlaps(other.rect))
                return "two containers overlap";
    }
    for (const PlacedBox& b : p.boxes) {
        if (b.container != -1) {
            Rect room = containers.at(b.container)->rect;
            room.y += containers.at(b.container)->headerHeight;
            room.height -= containers.at(b.container)->headerHeight;
            if (!room.contains(b.rect))
                return "a container does not hold its member";
        }
        for (const PlacedContainer& c : p.containers)
            if (!isInside(b.container, c.id) && c.rect.overlaps(b.rect))
                return "a container overlaps a stranger";
        for (const PlacedBox& other : p.boxes)
            if (&b != &other && b.rect.overlaps(other.rect))
                return "two boxes overlap";
    }
    std::vector<char> drawn(d.edges.size(), 0);
    for (const Item& item : p.items)
        if (const auto* path = std::get_if<PathItem>(&item))
            for (const std::uint32_t e : path->edges)
                drawn[e] = 1;
    for (std::size_t e = 0; e < drawn.size(); ++e)
        if (!drawn[e] && d.edges[e].from != d.edges[e].to)
            return "an edge is not drawn";
    return {};
}

} // namespace

void TestBlocks::closedBlocksAreOneBox() {
    const GraphDocument graph = transformer(12, Naming::Scopes);
    const Diagram diagram = diagramOf(graph, shown(graph, topLevel));
    std::vector<std::string> titles;
    for (const Box& box : diagram.boxes)
        titles.push_back(box.title);
    QCOMPARE(titles, (std::vector<std::string>{"embed", "layers ×12", "final", "input", "input",
                                               "output"}));
    QVERIFY(diagram.containers.empty());
    QCOMPARE(diagram.boxes[1].copies, std::size_t(12));
    QCOMPARE(diagram.boxes[1].subtitle, std::string("252 operators"));
    QCOMPARE(diagram.edges.size(), std::size_t(5)); // the mask is read by all layers
    const auto picture = draw(diagram);
    QVERIFY(picture.ok());
    QCOMPARE(broken(diagram, *picture), std::string());
    QVERIFY(dump(*picture).find("layers ×12") != std::string::npos);
    QCOMPARE(picture->decisions[0].sentence().find("blocks are laid out level by level") !=
                 std::string::npos,
             true);
}

void TestBlocks::whatCrossesIsCounted() {
    GraphMaker maker;
    const NodeId x = maker.input("x");
    std::vector<NodeId> made;
    for (int i = 0; i < 7; ++i)
        made.push_back(maker.add("relu", "a/relu" + std::to_string(i), {x}));
    NodeId at = maker.add("sum", "b/sum", made);
    at = maker.add("add", "b/add", {at, made[3]}); // a value that crosses already
    const NodeId beside = maker.add("tanh", "c/tanh", {made[2]});
    at = maker.add("add", "c/add", {beside, at});
    const GraphDocument graph = maker.finish(at);
    const Diagram diagram = diagramOf(graph, shown(graph, topLevel));
    std::multiset<std::pair<std::size_t, std::string>> edges;
    for (const Edge& edge : diagram.edges)
        edges.emplace(edge.count, edge.label);
    QCOMPARE(edges, (std::multiset<std::pair<std::size_t, std::string>>{
                        {1, "4"}, {1, "4"}, {1, "4"}, {1, "4"}, {7, "×7"}}));
    const auto picture = draw(diagram);
    double widest = 0, narrowest = 100;
    for (const Item& item : picture->items)
        if (const auto* path = std::get_if<PathItem>(&item)) {
            widest = std::max(widest, path->width);
            narrowest = std::min(narrowest, path->width);
        }
    QVERIFY(widest > narrowest + 1);
    QVERIFY(dump(*picture).find("×7") != std::string::npos);
}

void TestBlocks::openBlocksHoldTheirNodes() {
    const GraphDocument graph = transformer(12, Naming::Scopes);
    BlockView view = topLevel;
    view.others = {"layers", "layers/3", "layers/3/attn"};
    const Diagram diagram = diagramOf(graph, shown(graph, view));
    QCOMPARE(diagram.containers.size(), std::size_t(3));
    QCOMPARE(diagram.containers[0].title, std::string("layers ×12"));
    QCOMPARE(diagram.containers[1].parent, diagram.containers[0].id);
    QCOMPARE(diagram.containers[2].parent, diagram.containers[1].id);
    QVERIFY(titled(diagram, "softmax") != nullptr); // of the open layer only
    QCOMPARE(titled(diagram, "softmax")->container, diagram.containers[2].id);
    QCOMPARE(titled(diagram, "layers/4")->container, diagram.containers[0].id);
    QCOMPARE(titled(diagram, "mlp")->container, diagram.containers[1].id);
    const auto picture = draw(diagram);
    QVERIFY(picture.ok());
    QCOMPARE(broken(diagram, *picture), std::string());
}

void TestBlocks::groupsCloseToo() {
    GraphMaker maker;
    const NodeId x = maker.input("x");
    const NodeId a = maker.add("conv2d", "conv", {x});
    const NodeId b = maker.add("relu", "relu", {a});
    const NodeId c = maker.add("tanh", "tanh", {b});
    maker.group({a, b}, "onednn.conv");
    maker.group({c});
    const GraphDocument graph = maker.finish(c);
    BlockView view; // as small graphs are shown
    Diagram diagram = diagramOf(graph, shown(graph, view));
    QVERIFY(diagram == diagramOf(graph));
    view.others = {"group of conv"};
    diagram = diagramOf(graph, shown(graph, view));
    QCOMPARE(diagram.containers.size(), std::size_t(1));
    const Box* group = titled(diagram, "group_0");
    QVERIFY(group && group->role == BoxRole::Block);
    QVERIFY(group->maker == (picture::MakerRecord{picture::Maker::Library, "onednn"}));
    QCOMPARE(group->lines, (std::vector<std::string>{"≈ 10.0 µs"}));
    const auto picture = draw(diagram);
    QCOMPARE(broken(diagram, *picture), std::string());
    QVERIFY(dump(*picture).find("fill OneDnnFill") != std::string::npos);
}

void TestBlocks::anyViewOfAnyGraph_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<bool>("groups");
    for (const int nodes : {1, 8, 40, 150})
        for (const bool groups : {false, true})
            QTest::addRow("%d%s", nodes, groups ? " grouped" : "") << nodes << groups;
}

void TestBlocks::anyViewOfAnyGraph() {
    QFETCH(int, nodes);
    QFETCH(bool, groups);
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        const GraphDocument graph = randomGraph(seed, nodes, groups);
        const Hierarchy all = hierarchyOf(graph);
        std::mt19937 random(seed);
        for (int look = 0; look < 3; ++look) {
            BlockView view = topLevel;
            for (const Block& block : all.blocks)
                if (random() % 3 != 0)
                    view.set(block, BlockView::Rest::Open);
            if (look == 2)
                view.rest = BlockView::Rest::Open;
            const Diagram diagram = diagramOf(graph, shown(graph, view));
            const auto closed = closedAround(all, view);
            std::size_t hidden = 0;
            for (std::size_t i = 0; i < graph.nodes.size(); ++i)
                hidden += !graph.nodes[i].constant && closed[all.blockOf[i]] != Hierarchy::none;
            std::size_t blocks = 0;
            for (const Box& box : diagram.boxes)
                blocks += box.role == BoxRole::Block;
            QCOMPARE(diagram.boxes.size(), all.drawn - hidden + blocks + 1); // and the result
            const auto picture = draw(diagram);
            QVERIFY(picture.ok());
            QCOMPARE(broken(diagram, *picture), std::string());
            QCOMPARE(dump(*draw(diagram)), dump(*picture));
        }
    }
}

// Of a graph of 100 000 operators its top level, then one block after the other, down to the nodes.
void TestBlocks::openingLaysOutOneBlock() {
    const GraphDocument graph = transformer(4760, Naming::Scopes);
    QElapsedTimer timer;
    timer.start();
    DiagramOptions options = shown(graph, topLevel);
    DrawOptions drawing;
    drawing.memo = std::make_shared<LayoutMemo>();
    QVERIFY(draw(diagramOf(graph, options), drawing).ok());
    const qint64 first = timer.elapsed();
    qint64 slowest = 0;
    std::size_t made = drawing.memo->made();
    const auto numbers = [&] {
        std::vector<std::uint32_t> out;
        std::uint32_t at = 0;
        while (!options.blocks->blocks[at].blocks.empty()) {
            const auto& inside = options.blocks->blocks[at].blocks;
            at = inside[inside.size() / 2];
            out.push_back(at);
        }
        return out;
    }();
    QVERIFY(numbers.size() > 3);
    std::size_t depth = 0;
    for (const std::uint32_t block : numbers) {
        options.view.set(options.blocks->blocks[block], BlockView::Rest::Open);
        qint64 least = 1'000'000;
        for (int run = 0; run < 3; ++run) { // what waits for others does not count
            DrawOptions again = drawing;
            again.memo = std::make_shared<LayoutMemo>(*drawing.memo);
            timer.restart();
            QVERIFY(draw(diagramOf(graph, options), again).ok());
            least = std::min(least, timer.elapsed());
        }
        QVERIFY(draw(diagramOf(graph, options), drawing).ok());
        QVERIFY(drawing.memo->made() - made <= ++depth); // itself and what is around it
        made = drawing.memo->made();
        slowest = std::max(slowest, least);
    }
    qInfo("top level of %zu operators after %lld ms, a block after at most %lld ms",
          options.blocks->blocks[0].operators, first, slowest);
    QVERIFY2(slowest < first / 4, "a block costs far less than the level that it lies in");
}

void TestBlocks::timesMoveNothing() {
    const GraphDocument graph = randomGraph(3, 60, true);
    const auto places = [&](const std::map<int, std::string>& times, const BlockView& view) {
        DiagramOptions options = shown(graph, view);
        options.groupTexts = times;
        DrawOptions layered;
        layered.engine = EngineChoice::Layered;
        const Picture picture = draw(diagramOf(graph, options), layered).take();
        std::vector<Rect> out;
        for (const PlacedBox& box : picture.boxes)
            out.push_back(box.rect);
        for (const PlacedContainer& container : picture.containers)
            out.push_back(container.rect);
        return out;
    };
    for (const BlockView& view :
         {BlockView{}, topLevel, BlockView{BlockView::Shown::All, {}, {}}}) {
        const auto before = places({}, view);
        for (const char* time : {"0.3 µs", "12.34 ms", "999 ms", "≈ 123.4 µs"}) {
            std::map<int, std::string> times;
            for (const GroupLabel& group : graph.groups)
                if (group.id % 3 != 0)
                    times[group.id] = time;
            QVERIFY(places(times, view) == before);
        }
    }
}

void TestBlocks::mainPathRunsStraight_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 40; ++seed)
        QTest::addRow("%d", seed) << seed;
}

// A chain with what hangs on it: constants that are computed, more inputs, edges around a few
// operators, branches that end.
void TestBlocks::mainPathRunsStraight() {
    QFETCH(int, seed);
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    Diagram diagram;
    std::vector<std::int64_t> chain;
    std::int64_t next = 0;
    const auto box = [&](const char* title) {
        Box made;
        made.id = next++;
        made.title = title;
        diagram.boxes.push_back(made);
        return made.id;
    };
    const auto edge = [&](std::int64_t from, std::int64_t to, int port) {
        Edge made;
        made.from = from;
        made.to = to;
        made.toPort = port;
        diagram.edges.push_back(made);
    };
    chain.push_back(box("input"));
    for (int i = 0; i < 32; ++i) {
        const unsigned what = i < 30 ? random() % 6 : 5; // the chain is longer than any other way
        const std::int64_t side = what == 0 ? box("input") : what == 1 ? box("computed") : -1;
        chain.push_back(box("op"));
        edge(chain[chain.size() - 2], chain.back(), 0);
        if (side != -1)
            edge(side, chain.back(), 1);
        if (what == 2 && chain.size() > 5)
            edge(chain[chain.size() - 4], chain.back(), 1);
        if (what == 3)
            edge(chain.back(), box("ends"), 0);
    }
    DrawOptions layered;
    layered.engine = EngineChoice::Layered;
    const auto picture = draw(diagram, layered);
    QVERIFY(picture.ok());
    double least = 1e9, most = -1e9;
    for (const std::int64_t id : chain) {
        const double x = picture->boxes[static_cast<std::size_t>(id)].rect.center().x;
        least = std::min(least, x);
        most = std::max(most, x);
    }
    QVERIFY2(most - least <= 2, qPrintable(QString::number(most - least)));
}

// A value that all layers read, and one that comes back after twenty operators.
void TestBlocks::longEdgesAreCut() {
    GraphMaker maker;
    const NodeId mask = maker.add("tanh", "first/mask", {maker.input("x")});
    NodeId at = maker.add("exp", "first/exp", {mask});
    std::vector<NodeId> made;
    for (int i = 0; i < 20; ++i) {
        at = maker.add("add", "layers/" + std::to_string(i) + "_n", {at, mask});
        made.push_back(at);
    }
    at = maker.add("mul", "layers/back", {at, made[0]});
    at = maker.add("mul", "end/mul", {at});
    at = maker.add("relu", "end/relu", {at});
    const GraphDocument graph = maker.finish(at);
    BlockView view{BlockView::Shown::All, BlockView::Rest::Open, {}};
    const Diagram diagram = diagramOf(graph, shown(graph, view));
    const auto picture = draw(diagram);
    QVERIFY(picture.ok());
    QCOMPARE(broken(diagram, *picture), std::string());
    std::size_t leaving = 0, arriving = 0;
    for (const Item& item : picture->items)
        if (const auto* path = std::get_if<PathItem>(&item)) {
            leaving += path->owner.kind == OwnerKind::Leaving;
            arriving += path->owner.kind == OwnerKind::Arriving;
            QVERIFY(path->points.size() % 3 == 1);
        }
    QVERIFY(leaving >= 1);
    QVERIFY2(arriving >= 19, qPrintable(QString::number(arriving))); // the nearest has a line
    const std::string text = dump(*picture);
    QVERIFY2(text.find("readers") != std::string::npos, text.c_str());
    QVERIFY(text.find("first/mask →") != std::string::npos);
    QVERIFY(text.find("→ layers/back") != std::string::npos);
    // Without blocks nothing is cut.
    const auto whole = draw(diagramOf(graph, shown(graph, {})));
    for (const Item& item : whole->items)
        if (const auto* path = std::get_if<PathItem>(&item))
            QCOMPARE(path->owner.kind, OwnerKind::Edge);
}

void TestBlocks::containersInEachOtherAreRefused() {
    Diagram d;
    d.containers = {{1, "a", "", picture::MakerRecord(), 2},
                    {2, "b", "", picture::MakerRecord(), 1}};
    auto picture = draw(d);
    QVERIFY(!picture.ok());
    QCOMPARE(picture.diag().message, std::string("containers lie in each other"));
    d.containers[0].parent = 7;
    picture = draw(d);
    QCOMPARE(picture.diag().message,
             std::string("container 1 lies in container 7, which is not there"));
}

void TestBlocks::bodiesStandBesideTheirNode() {
    const GraphDocument graph = branching();
    DiagramOptions options = shown(graph, {});
    const NodeId before = 2, taken = 3, other = 4, choice = 9;
    const auto edge = [](const Diagram& d, std::int64_t from, std::int64_t to) {
        return std::any_of(d.edges.begin(), d.edges.end(),
                           [&](const Edge& one) { return one.from == from && one.to == to; });
    };
    const Diagram closed = diagramOf(graph, options);
    QCOMPARE(closed.boxes.size(), std::size_t(6)); // with the output
    QVERIFY(titled(closed, "If")->inside == Inside::Closed);
    QVERIFY(titled(closed, "neg")->inside == Inside::None);
    QVERIFY(edge(closed, before, choice));
    for (const std::uint32_t body : options.blocks->bodiesOf(choice))
        options.view.set(options.blocks->blocks[body], BlockView::Rest::Open);
    const Diagram open = diagramOf(graph, options);
    QCOMPARE(open.boxes.size(), std::size_t(10));
    QCOMPARE(open.containers.size(), std::size_t(2));
    QCOMPARE(open.containers[0].title, std::string("choice then"));
    QVERIFY(titled(open, "If")->inside == Inside::Open);
    QVERIFY(titled(open, "Loop")->inside == Inside::Closed);
    // What is read from outside comes from where it is made, what is made goes to the node.
    QVERIFY(edge(open, before, taken) && edge(open, before, other) && edge(open, taken, choice));
    QVERIFY(edge(open, 8, choice) && edge(open, 1, choice) && !edge(open, before, choice));
    const auto picture = draw(open);
    QVERIFY(picture.ok());
    QCOMPARE(broken(open, *picture), std::string());
    const PlacedBox* placed = nullptr;
    for (const PlacedBox& box : picture->boxes)
        if (box.id == choice)
            placed = &box;
    QVERIFY(placed && placed->rect.contains(placed->opener) && placed->opener.width > 0);
    // Without blocks nothing that lies inside is there.
    QCOMPARE(diagramOf(graph).boxes.size(), std::size_t(6));
}

void TestBlocks::nestedBodiesAreDrawn() {
    GraphMaker maker;
    constexpr std::size_t depth = 100;
    std::vector<NodeId> steps{maker.input("x")}, loops(depth);
    for (std::size_t i = 0; i < depth; ++i)
        steps.push_back(maker.add("relu", "step" + std::to_string(i), {steps.back()}));
    for (std::size_t i = depth; i-- > 0;)
        loops[i] = maker.add("Loop", "loop" + std::to_string(i), {steps[i + 1]});
    for (std::size_t i = 0; i + 1 < depth; ++i)
        maker.body("body", loops[i], {steps[i + 2], loops[i + 1]});
    const GraphDocument graph = maker.finish(loops[0]);
    DiagramOptions options = shown(graph, {});
    for (const Block& block : options.blocks->blocks)
        if (block.kind == Block::Kind::Body)
            options.view.set(block, BlockView::Rest::Open);
    QElapsedTimer timer;
    timer.start();
    const Diagram diagram = diagramOf(graph, options);
    QCOMPARE(diagram.containers.size(), std::size_t(99));
    const auto picture = draw(diagram);
    QVERIFY(picture.ok());
    QCOMPARE(broken(diagram, *picture), std::string());
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
}

void TestBlocks::edgesLookLikeWhatTheyCarry() {
    GraphDocument graph = branching();
    graph.edges = {{3, 0, "body"}, {10, 0, "residual"}, {2, 0, "shape"}};
    DiagramOptions options = shown(graph, {});
    const auto kinds = [&] {
        std::multiset<EdgeKind> out;
        for (const Edge& edge : diagramOf(graph, options).edges)
            if (edge.kind != EdgeKind::Data)
                out.insert(edge.kind);
        return out;
    };
    QVERIFY(kinds().empty());
    QVERIFY(draw(diagramOf(graph, options))->edgeKinds.empty());
    options.facts.classes = true;
    QVERIFY(kinds() == (std::multiset{EdgeKind::Residual, EdgeKind::Shape}));
    for (const std::uint32_t body : options.blocks->bodiesOf(9))
        options.view.set(options.blocks->blocks[body], BlockView::Rest::Open);
    QVERIFY(kinds() == (std::multiset{EdgeKind::Residual, EdgeKind::Shape, EdgeKind::Body,
                                      EdgeKind::Body, EdgeKind::Body})); // in, and both out
    const auto picture = draw(diagramOf(graph, options));
    QVERIFY(picture.ok());
    std::multiset<Dash> dashes;
    int residual = 0;
    for (const Item& item : picture->items)
        if (const auto* path = std::get_if<PathItem>(&item)) {
            if (path->dash != Dash::Solid)
                dashes.insert(path->dash);
            residual += path->colour == Colour::Residual;
        }
    QCOMPARE(residual, 1);
    QVERIFY(dashes.count(Dash::Dotted) == 1 && dashes.count(Dash::Dashed) >= 3);
    QCOMPARE(picture->edgeKinds.size(), std::size_t(4));
}

FW_TEST(TestBlocks, QCoreApplication)
#include "test_blocks.moc"
