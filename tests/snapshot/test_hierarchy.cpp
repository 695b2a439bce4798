// The blocks of a graph: every node in one, equal ones in stacks, levels of bounded length.
#include "common/test.h"
#include "common/thread_time.h"
#include "snapshot/graphs.h"
#include "snapshot/insides.h"
#include "snapshot/neighbourhood.h"
#include "snapshot/open_blocks.h"
#include "snapshot/repeats.h"

using namespace fw;
using namespace fw::snapshot;

class TestHierarchy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void repeatsAreFound();
    void scopesAreBlocks();
    void namesAreNotNeeded();
    void differencesMakeOtherBlocks();
    void contentsOfConstantsMakeNone();
    void groupsLieInTheirScope();
    void longLevelsAreCutWhereLittleCrosses();
    void randomGraphs_data();
    void randomGraphs();
    void pathsOutliveChanges();
    void viewsCloseAndOpen();
    void openedWithinALimit();
    void bodiesAreBlocksBesideTheirNode();
    void largeBodiesOpenFromTheirTop();
    void waysLeadThroughBodies();
    void oneHundredThousandOperators_data();
    void oneHundredThousandOperators();
};

namespace {

const Block* named(const Hierarchy& blocks, const std::string& title) {
    for (const Block& block : blocks.blocks)
        if (block.title == title)
            return &block;
    return nullptr;
}

std::string broken(const GraphDocument& graph, const Hierarchy& made) {
    std::vector<int> seen(graph.nodes.size(), 0);
    std::set<std::string> paths;
    std::set<std::int64_t> ids;
    for (std::uint32_t b = 0; b < made.blocks.size(); ++b) {
        const Block& block = made.blocks[b];
        if (b > 0 && block.parent >= b)
            return "a block stands in front of what it lies in";
        if (!paths.insert(block.path).second || !ids.insert(block.id).second || !isBlock(block.id))
            return "a path or an id is not its own";
        if (made.find(block.id) != &block)
            return "an id does not find its block";
        std::size_t members = block.blocks.size();
        for (const std::uint32_t node : block.nodes) {
            ++seen[node];
            members += graph.nodes[node].op != "input";
            if (made.blockOf[node] != b)
                return "a node does not know its block";
        }
        if (members > mostInBlock && block.kind != Block::Kind::Group)
            return "a level is too long";
        for (const std::uint32_t inner : block.blocks)
            if (made.blocks[inner].parent != b)
                return "a block does not know what it lies in";
        std::size_t operators = 0;
        for (std::vector<std::uint32_t> open{b}; !open.empty();) { // a node with bodies is one
            const Block& one = made.blocks[open.back()];
            open.pop_back();
            for (const std::uint32_t node : one.nodes)
                operators += graph.nodes[node].op != "input";
            for (const std::uint32_t inner : one.blocks)
                if (made.blocks[inner].kind != Block::Kind::Body)
                    open.push_back(inner);
        }
        if (operators != block.operators)
            return "operators are counted wrongly";
        if (block.kind == Block::Kind::Group)
            for (const std::uint32_t node : block.nodes)
                if (graph.nodes[node].group != block.group)
                    return "a node lies in another group";
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i] != (graph.nodes[i].constant ? 0 : 1))
            return "node " + std::to_string(i) + " lies in " + std::to_string(seen[i]) + " blocks";
    return {};
}

} // namespace

void TestHierarchy::repeatsAreFound() {
    const auto found = [](std::string_view text) {
        std::vector<std::uint64_t> labels(text.begin(), text.end());
        return repeatsIn(labels, [](const Repeat& run) { return run.period > 1; });
    };
    const auto only = [&](std::string_view text) {
        const auto runs = found(text);
        return runs.size() == 1 ? runs[0] : Repeat{};
    };
    QVERIFY(found("").empty());
    QVERIFY(found("abcdefg").empty());
    QVERIFY(found("aaaaaaaaa").empty()); // no period above 1 that is not one of 1
    QCOMPARE(only("abcabcabcd"), (Repeat{0, 3, 9}));
    QCOMPARE(only("xabcabcabcabz"), (Repeat{1, 3, 11}));
    QCOMPARE(only("aabbaabbaabb"), (Repeat{0, 4, 12})); // each letter twice in a copy
    QCOMPARE(only("uababcababcababcv"), (Repeat{1, 5, 15}));
    const auto two = found("abababxyzxyzxyz");
    QCOMPARE(two.size(), std::size_t(2));
    QCOMPARE(two[1], (Repeat{6, 3, 9}));
    // A long copy with its own repetitions, in whatever order they are found.
    std::string text;
    for (int copy = 0; copy < 12; ++copy)
        for (int i = 0; i < 100; ++i)
            text += static_cast<char>('a' + (i * i / 7) % 20);
    QCOMPARE(only("!" + text + "?"), (Repeat{1, 100, 1200}));
}

void TestHierarchy::scopesAreBlocks() {
    const GraphDocument graph = transformer(12, Naming::Scopes);
    const Hierarchy made = hierarchyOf(graph);
    QCOMPARE(broken(graph, made), std::string());
    std::vector<std::string> top;
    for (const std::uint32_t block : made.blocks[0].blocks)
        top.push_back(made.blocks[block].title);
    QCOMPARE(top, (std::vector<std::string>{"embed", "layers", "final"}));
    const Block* layers = named(made, "layers");
    QVERIFY(layers->kind == Block::Kind::Stack);
    QCOMPARE(layers->copies, std::size_t(12));
    QCOMPARE(layers->blocks.size(), std::size_t(12));
    const Block& third = made.blocks[layers->blocks[3]];
    QCOMPARE(third.path, std::string("layers/3"));
    QCOMPARE(third.title, std::string("layers/3"));
    QCOMPARE(third.operators, std::size_t(21));
    const Block* attention = made.find(made.blocks[third.blocks[0]].id);
    QCOMPARE(attention->title, std::string("attn")); // one operator makes no block
    QVERIFY(named(made, "norm1") == nullptr);
}

void TestHierarchy::namesAreNotNeeded() {
    const GraphDocument graph = transformer(12, Naming::Flat);
    const Hierarchy made = hierarchyOf(graph);
    QCOMPARE(broken(graph, made), std::string());
    QCOMPARE(made.blocks[0].blocks.size(), std::size_t(1));
    const Block& stack = made.blocks[made.blocks[0].blocks[0]];
    QVERIFY(stack.kind == Block::Kind::Stack);
    QCOMPARE(stack.copies, std::size_t(12));
    QCOMPARE(stack.operators, std::size_t(12 * 21));
    QCOMPARE(stack.title, std::string("layer_norm, matmul, add …"));
    // A copy is what the layer is: it begins with its norm and ends with its sum.
    for (const std::uint32_t copy : stack.blocks) {
        const auto nodes = made.nodesIn(copy);
        QCOMPARE(graph.nodes[nodes.front()].op, std::string("layer_norm"));
        QCOMPARE(graph.nodes[nodes.back()].op, std::string("add"));
    }
}

void TestHierarchy::differencesMakeOtherBlocks() {
    GraphDocument graph = transformer(12, Naming::Scopes);
    for (NodeRecord& node : graph.nodes)
        if (node.name == "/layers.4/mlp/Gelu")
            node.attributes["approximate"] = "tanh";
    const Hierarchy made = hierarchyOf(graph);
    QCOMPARE(broken(graph, made), std::string());
    const Block* layers = named(made, "layers");
    QVERIFY(layers->kind == Block::Kind::Scope);
    std::vector<std::size_t> copies;
    for (const std::uint32_t block : layers->blocks)
        copies.push_back(made.blocks[block].copies);
    QCOMPARE(copies, (std::vector<std::size_t>{4, 0, 7}));
    QCOMPARE(made.blocks[layers->blocks[0]].title, std::string("layers/0 … layers/3"));
    // Another edge inside is another block, too.
    graph = transformer(3, Naming::Scopes);
    for (NodeRecord& node : graph.nodes)
        if (node.name == "/layers.1/attn/Scores")
            std::swap(node.inputs[0], node.inputs[1]);
    QVERIFY(named(hierarchyOf(graph), "layers")->kind == Block::Kind::Scope);
}

void TestHierarchy::contentsOfConstantsMakeNone() {
    GraphDocument graph = transformer(12, Naming::Scopes);
    int number = 0;
    for (NodeRecord& node : graph.nodes)
        if (node.constant)
            node.attributes["value"] = std::to_string(number++);
    QCOMPARE(named(hierarchyOf(graph), "layers")->copies, std::size_t(12));
}

void TestHierarchy::groupsLieInTheirScope() {
    GraphMaker maker;
    const NodeId x = maker.input("x");
    const NodeId a = maker.add("conv2d", "net/a/conv", {x});
    const NodeId b = maker.add("relu", "net/a/relu", {a});
    const NodeId c = maker.add("conv2d", "net/a/last", {b});
    const NodeId d = maker.add("add", "net/b/add", {c});
    const NodeId e = maker.add("tanh", "net/b/tanh", {d});
    const NodeId f = maker.add("exp", "net/b/exp", {e});
    maker.group({a, b});
    maker.group({c, d}); // of both scopes
    const GraphDocument graph = maker.finish(f);
    const Hierarchy made = hierarchyOf(graph);
    QCOMPARE(broken(graph, made), std::string());
    const Block* first = named(made, "group_0");
    QCOMPARE(first->path, std::string("group of net/a/conv")); // a is nothing but this group
    QCOMPARE(made.blocks[first->parent].path, std::string());  // nor is net more than all
    QCOMPARE(made.blocks[named(made, "group_1")->parent].path, std::string());
    QCOMPARE(named(made, "b")->operators, std::size_t(2));
}

void TestHierarchy::longLevelsAreCutWhereLittleCrosses() {
    // A chain of bottlenecks: seven operators that read all before them, then one.
    GraphMaker maker;
    NodeId at = maker.input("x");
    std::mt19937 random(7); // operators differ, so that nothing repeats
    for (int block = 0; block < 100; ++block) {
        std::vector<NodeId> all{at};
        for (int i = 0; i < 7; ++i)
            all.push_back(maker.add("op" + std::to_string(random() % 1000),
                                    "n" + std::to_string(block * 8 + i), all));
        at = maker.add("end", "end" + std::to_string(block), all);
    }
    const GraphDocument graph = maker.finish(at);
    const Hierarchy made = hierarchyOf(graph);
    QCOMPARE(broken(graph, made), std::string());
    QCOMPARE(made.blocks[0].blocks.size(), std::size_t(20));
    for (const std::uint32_t part : made.blocks[0].blocks) {
        QVERIFY(made.blocks[part].kind == Block::Kind::Part);
        QCOMPARE(graph.nodes[made.nodesIn(part).back()].op, std::string("end"));
    }
    QVERIFY(made.blocks[1].title.starts_with("n0 … end"));
}

void TestHierarchy::randomGraphs_data() {
    QTest::addColumn<int>("nodes");
    QTest::addColumn<bool>("groups");
    for (const int nodes : {0, 1, 2, 10, 60, 300, 3000})
        for (const bool groups : {false, true})
            QTest::addRow("%d%s", nodes, groups ? " grouped" : "") << nodes << groups;
}

void TestHierarchy::randomGraphs() {
    QFETCH(int, nodes);
    QFETCH(bool, groups);
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        const GraphDocument graph = randomGraph(seed, nodes, groups);
        const Hierarchy made = hierarchyOf(graph);
        QCOMPARE(broken(graph, made), std::string());
        QVERIFY(made.blocks == hierarchyOf(graph).blocks);
    }
}

// What is open is remembered by paths: a change in one layer leaves those of the others.
void TestHierarchy::pathsOutliveChanges() {
    const Hierarchy before = hierarchyOf(transformer(6, Naming::Scopes));
    GraphDocument graph = transformer(6, Naming::Scopes);
    for (NodeRecord& node : graph.nodes)
        if (node.name == "/layers.2/mlp/Gelu")
            node.op = "relu";
    std::set<std::string> paths;
    const Hierarchy made = hierarchyOf(graph);
    for (const Block& block : made.blocks)
        paths.insert(block.path);
    for (const Block& block : before.blocks) {
        QVERIFY2(paths.contains(block.path), block.path.c_str());
        QVERIFY(made.find(block.id) && made.find(block.id)->path == block.path);
    }
}

void TestHierarchy::viewsCloseAndOpen() {
    const Hierarchy made = hierarchyOf(transformer(3, Naming::Scopes));
    BlockView view; // groups only, open: nothing is closed
    for (const std::uint32_t closed : closedAround(made, view))
        QCOMPARE(closed, Hierarchy::none);
    view = {BlockView::Shown::All, BlockView::Rest::Closed, {}};
    auto closed = closedAround(made, view);
    QCOMPARE(closed[0], Hierarchy::none);
    const auto numberOf = [&](const char* path) {
        for (std::uint32_t b = 0; b < made.blocks.size(); ++b)
            if (made.blocks[b].path == path)
                return b;
        return Hierarchy::none;
    };
    const std::uint32_t layers = numberOf("layers"), first = numberOf("layers/1");
    QCOMPARE(closed[numberOf("layers/1/attn/q")], layers);
    view.set(made.blocks[layers], BlockView::Rest::Open);
    closed = closedAround(made, view);
    QCOMPARE(closed[layers], Hierarchy::none);
    QCOMPARE(closed[numberOf("layers/1/attn/q")], first);
    view.set(made.blocks[layers], BlockView::Rest::Closed);
    QVERIFY(view.others.empty());
    QCOMPARE(openTo(made, 0), view);
    closed = closedAround(made, openTo(made, 1)); // as when layers, embed and final are opened
    QCOMPARE(closed[layers], Hierarchy::none);
    QCOMPARE(closed[numberOf("layers/1/attn/q")], first);
    for (const std::uint32_t block : closedAround(made, openTo(made, 99)))
        QCOMPARE(block, Hierarchy::none);
    QVERIFY(made.isInside(numberOf("layers/1/attn/q"), layers));
    QVERIFY(!made.isInside(layers, first));
}

// Level by level, as far as all of a level fits.
void TestHierarchy::openedWithinALimit() {
    const GraphDocument graph = transformer(60, Naming::Scopes);
    const Hierarchy blocks = hierarchyOf(graph);
    const Hierarchy* const all[] = {&blocks, nullptr};
    const BlockView closed{BlockView::Shown::All, BlockView::Rest::Closed, {}};
    const std::size_t fewest = boxesShown(blocks, closed);
    QVERIFY(fewest < 10);
    QCOMPARE(boxesShown(blocks, BlockView()), blocks.drawn);
    const Opened whole = openWithin(all, closed, {}, 100000);
    QCOMPARE(whole.closed, std::size_t(0));
    QCOMPARE(boxesShown(blocks, whole.view), blocks.drawn);
    std::size_t before = fewest;
    for (const std::size_t most : {fewest, std::size_t(65), std::size_t(300), blocks.drawn - 1}) {
        const Opened part = openWithin(all, closed, {}, most);
        QVERIFY(part.closed > 0);
        const std::size_t boxes = boxesShown(blocks, part.view);
        QVERIFY(boxes <= most && boxes >= before);
        before = boxes;
    }
    QVERIFY(before > 60); // the layers at least
    // One block, and what lies in it.
    const Block* layers = named(blocks, "layers");
    QVERIFY(layers);
    const Block& layer = blocks.blocks[layers->blocks.front()];
    BlockView view = openWithin(all, closed, layers->path, 65).view;
    QVERIFY(view.isOpen(*layers) && !view.isOpen(layer));
    view = openWithin(all, view, layer.path, 1000).view;
    for (std::uint32_t b = 1; b < blocks.blocks.size(); ++b)
        if (blocks.isInside(b, layers->blocks.front()))
            QVERIFY(view.isOpen(blocks.blocks[b]));
    QVERIFY(!view.isOpen(blocks.blocks[layers->blocks.back()]));
}

void TestHierarchy::oneHundredThousandOperators_data() {
    QTest::addColumn<int>("naming");
    QTest::newRow("scopes") << int(Naming::Scopes);
    QTest::newRow("flat") << int(Naming::Flat);
}

void TestHierarchy::oneHundredThousandOperators() {
    QFETCH(int, naming);
    double times[2] = {};
    for (const int i : {0, 1}) {
        const int layers = i == 0 ? 1190 : 4760;
        const GraphDocument graph = transformer(layers, static_cast<Naming>(naming));
        const double begin = test::threadSeconds();
        const Hierarchy made = hierarchyOf(graph);
        times[i] = test::threadSeconds() - begin;
        QCOMPARE(made.blocks[0].operators, std::size_t(layers * 21 + 4));
        QCOMPARE(broken(graph, made), std::string());
    }
    qInfo("%.0f ms, four times as many %.0f ms", times[0] * 1e3, times[1] * 1e3);
    QVERIFY(times[1] < 10 * times[0]);
}

void TestHierarchy::bodiesAreBlocksBesideTheirNode() {
    const GraphDocument graph = branching();
    const Hierarchy blocks = hierarchyOf(graph);
    QCOMPARE(broken(graph, blocks), std::string());
    const NodeId choice = 9, loop = 7;
    const auto two = blocks.bodiesOf(choice);
    QCOMPARE(two.size(), std::size_t(2));
    QCOMPARE(blocks.blocks[two[0]].title, std::string("choice then"));
    QCOMPARE(blocks.blocks[two[1]].title, std::string("choice else"));
    QCOMPARE(blocks.blocks[two[1]].box, choice); // it stands for what is closed
    QCOMPARE(blocks.blocks[two[1]].parent, blocks.blockOf[9]);
    QCOMPARE(blocks.blocks[two[1]].operators, std::size_t(3)); // a loop is one of them
    const auto inner = blocks.bodiesOf(loop);
    QCOMPARE(inner.size(), std::size_t(1));
    QCOMPARE(blocks.blocks[inner[0]].parent, two[1]);
    QVERIFY(blocks.bodiesOf(2).empty());
    // Closed at first, whatever the rest is, and opened by name like any other block.
    BlockView view;
    QVERIFY(!view.isOpen(blocks.blocks[two[0]]));
    QCOMPARE(boxesShown(blocks, view), std::size_t(5));
    view.set(blocks.blocks[two[1]], BlockView::Rest::Open);
    QVERIFY(view.isOpen(blocks.blocks[two[1]]) && !view.isOpen(blocks.blocks[inner[0]]));
    QCOMPARE(boxesShown(blocks, view), std::size_t(8));
    view.set(blocks.blocks[two[1]], BlockView::Rest::Closed);
    QVERIFY(view == BlockView());
    // All blocks are opened without them, all in a body with those inside it.
    const Hierarchy* all[] = {&blocks};
    QCOMPARE(boxesShown(blocks, openWithin(all, view, {}, 100).view), std::size_t(5));
    QCOMPARE(boxesShown(blocks, openWithin(all, view, blocks.blocks[two[1]].path, 100).view),
             std::size_t(10));
    QCOMPARE(bodiesAround(graph, 6).size(), std::size_t(2));
    QCOMPARE(bodiesAround(graph, 6)[1]->path, std::string("turn/body"));
    QCOMPARE(withoutInsides(graph).nodes.size(), std::size_t(5));
}

// A body of 10 000 nodes is opened as a model of that size is.
void TestHierarchy::largeBodiesOpenFromTheirTop() {
    GraphMaker maker;
    const NodeId x = maker.input("x");
    std::vector<NodeId> nodes{maker.add("relu", "first", {x})};
    const char* ops[] = {"relu", "tanh", "exp", "abs", "neg", "sin", "cos"};
    for (int i = 0; i < 10000; ++i)
        nodes.push_back(maker.add(ops[i * i % 7], "n" + std::to_string(i), {nodes.back()}));
    const NodeId loop = maker.add("Loop", "loop", {x});
    maker.body("body", loop, nodes, {0});
    const GraphDocument graph = maker.finish(loop);
    const Hierarchy blocks = hierarchyOf(graph);
    QCOMPARE(broken(graph, blocks), std::string());
    BlockView view;
    QCOMPARE(boxesShown(blocks, view), std::size_t(2));
    view.set(blocks.blocks[blocks.bodiesOf(loop).front()], BlockView::Rest::Open);
    QVERIFY2(boxesShown(blocks, view) < 500, qPrintable(QString::number(boxesShown(blocks, view))));
}

void TestHierarchy::waysLeadThroughBodies() {
    const GraphDocument graph = branching();
    QCOMPARE(waysBetween(graph, 2, 10), (NodeSet{2, 3, 4, 6, 7, 8, 9, 10}));
    QCOMPARE(nodesAround(graph, {2}, 1), (NodeSet{0, 2, 9})); // from outside nothing inside
    QCOMPARE(nodesAround(graph, {4}, 1), (NodeSet{2, 4, 6, 7}));
}

FW_TEST(TestHierarchy, QCoreApplication)
#include "test_hierarchy.moc"
