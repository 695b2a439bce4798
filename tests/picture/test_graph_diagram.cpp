// A graph document becomes boxes, containers and edges; constants are folded away.
#include "common/test.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"

using namespace fw;
using namespace fw::picture;
using namespace fw::snapshot;

class TestGraphDiagram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shapesReadWell();
    void constantsAreFoldedAndResultsDrawn();
    void groupsAreContainers();
    void brokenReferencesAreLeftOut();
    void makersLookLikeThemselves();
};

namespace {

NodeRecord node(NodeId id, const char* op, const char* name, std::vector<InputRef> inputs,
                TensorRecord output) {
    NodeRecord out;
    out.id = id;
    out.op = op;
    out.name = name;
    out.inputs = std::move(inputs);
    out.outputs = {std::move(output)};
    return out;
}

DrawOptions layered() {
    DrawOptions out;
    out.engine = EngineChoice::Layered;
    return out;
}

GraphDocument graph() {
    GraphDocument out;
    out.nodes = {node(1, "input", "", {}, {"x", "f32[N,8]"}),
                 node(2, "constant", "w", {}, {"w", "f32[8,4]"}),
                 node(3, "dense", "Gemm_0", {{1, 0, "x"}, {2, 0, "w"}}, {"t", "f32[N,4]"}),
                 node(4, "what", "What_1", {{3, 0, "t"}}, {"y", "f32[N,4]"})};
    out.nodes[1].constant = true;
    out.nodes[2].group = 5;
    out.nodes[3].unsupported = true;
    out.results = {{4, 0, "y"}};
    out.groups = {{5, "dense_0", "generated.dense", {Maker::Generated, {}}, 210.0}};
    return out;
}

} // namespace

void TestGraphDiagram::shapesReadWell() {
    QCOMPARE(shapeLabel("f32[1,64,56,56]"), std::string("1×64×56×56"));
    QCOMPARE(shapeLabel("i64[3]"), std::string("i64 3"));
    QCOMPARE(shapeLabel("f32[]"), std::string("f32"));
    QCOMPARE(shapeLabel("f32[N, max(a, b)]"), std::string("N×max(a, b)"));
    QCOMPARE(shapeLabel(""), std::string());
    QCOMPARE(shapeLabel("tuple"), std::string("tuple"));
}

void TestGraphDiagram::constantsAreFoldedAndResultsDrawn() {
    const Diagram diagram = diagramOf(graph());
    QCOMPARE(diagram.boxes.size(), std::size_t(4)); // no constant, but an output
    QCOMPARE(diagram.boxes[0].role, BoxRole::Input);
    QCOMPARE(diagram.boxes[0].subtitle, std::string("x  f32[N,8]"));
    QCOMPARE(diagram.boxes[2].role, BoxRole::Unknown);
    QCOMPARE(diagram.boxes[3].role, BoxRole::Output);
    QVERIFY(diagram.boxes[3].id < -1);
    QCOMPARE(diagram.edges.size(), std::size_t(3));
    QCOMPARE(diagram.edges[0].label, std::string("N×8"));
    QVERIFY(draw(diagram, layered()).ok());
}

void TestGraphDiagram::groupsAreContainers() {
    Diagram diagram = diagramOf(graph());
    QCOMPARE(diagram.containers.size(), std::size_t(1));
    QCOMPARE(diagram.containers[0].right, std::string("≈ 210 µs"));
    QVERIFY(diagram.containers[0].maker == (MakerRecord{Maker::Generated, {}}));
    QCOMPARE(diagram.boxes[1].container, std::int64_t(5));
    QCOMPARE(diagram.boxes[2].container, std::int64_t(-1));
    diagram = diagramOf(graph(), {{{5, "0.19 ms"}}});
    QCOMPARE(diagram.containers[0].right, std::string("0.19 ms"));
}

// Libraries that are built in by their rows, those of books alike; code by whom its entry is does
// not matter.
void TestGraphDiagram::makersLookLikeThemselves() {
    QCOMPARE(chipText({Maker::Library, "onednn"}), std::string("DN"));
    QCOMPARE(makerText({Maker::Library, "onednn"}), std::string("oneDNN"));
    QCOMPARE(tintOf({Maker::Library, "onednn"}).line, Colour::OneDnn);
    QCOMPARE(tintOf({Maker::Library, "openblas"}).fill, Colour::OpenBlasFill);
    QCOMPARE(chipText({Maker::Library, "toylib"}), std::string("TO"));
    QCOMPARE(makerText({Maker::Library, "toylib"}), std::string("toylib"));
    QCOMPARE(tintOf({Maker::Library, "toylib"}).line, Colour::UserLibrary);
    QCOMPARE(chipText({Maker::Generated, {}}), std::string("LL"));
    QCOMPARE(chipText({Maker::Runtime, {}}), std::string("rt"));
    QCOMPARE(chipText({Maker::Reference, {}}), std::string("rf"));
    QVERIFY(chipText({}).empty() && makerText({}).empty());
}

void TestGraphDiagram::brokenReferencesAreLeftOut() {
    GraphDocument document = graph();
    document.nodes[2].inputs.push_back({99, 0, "gone"});
    document.nodes[2].inputs.push_back({1, 7, "no such output"});
    document.nodes[3].group = 77;
    document.results.push_back({98, 0, "gone"});
    QVERIFY(draw(diagramOf(document), layered()).ok());
}

FW_TEST(TestGraphDiagram, QCoreApplication)
#include "test_graph_diagram.moc"
