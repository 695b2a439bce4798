// What boxes and edges say besides the operator.
#include "common/test.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"

using namespace fw;
using namespace fw::picture;
using snapshot::GraphDocument;
using snapshot::NodeRecord;

class TestFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesOfTypes_data();
    void bytesOfTypes();
    void boxesSayWhatIsAsked();
    void edgesAreAsWideAsTheirBytes();
};

namespace {

NodeRecord node(snapshot::NodeId id, const char* op, const char* type,
                std::vector<snapshot::NodeId> reads = {}) {
    NodeRecord out;
    out.id = id;
    out.op = op;
    out.name = std::string(op) + "_" + std::to_string(id);
    out.outputs = {{out.name + ".y", type}};
    for (const snapshot::NodeId from : reads)
        out.inputs.push_back({from, 0, ""});
    return out;
}

// An input of 16 MB, of which one reader makes 16 bytes.
GraphDocument document() {
    GraphDocument out;
    NodeRecord weight = node(1, "constant", "f32[4, 1024, 1024]");
    weight.constant = true;
    NodeRecord conv = node(2, "conv2d", "f32[4]", {0, 1});
    conv.attributes = {{"pads", "[1, 1]"}, {"strides", "[2, 2]"}};
    out.nodes = {node(0, "input", "f32[4, 1024, 1024]"), weight, conv,
                 node(3, "relu", "f32[4]", {2})};
    return out;
}

std::vector<std::string> linesOf(const Diagram& diagram, const char* title) {
    for (const Box& box : diagram.boxes)
        if (box.title == title)
            return box.lines;
    return {"no such box"};
}

double widthOf(const Picture& picture, std::uint32_t edge) {
    for (const Item& item : picture.items)
        if (const auto* path = std::get_if<PathItem>(&item))
            if (path->owner == Owner{OwnerKind::Edge, edge})
                return path->width;
    return 0;
}

} // namespace

void TestFacts::bytesOfTypes_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<double>("bytes");
    QTest::newRow("f32") << QStringLiteral("f32[2, 3]") << 24.0;
    QTest::newRow("rank 0") << QStringLiteral("i64[]") << 8.0;
    QTest::newRow("free") << QStringLiteral("f16[N, 8]") << 16.0;
    QTest::newRow("computed") << QStringLiteral("u8[2 * N, 8]") << 8.0;
    QTest::newRow("empty") << QStringLiteral("bool[0, 8]") << 0.0;
    QTest::newRow("text") << QStringLiteral("text[4]") << 0.0;
    QTest::newRow("none") << QString() << 0.0;
}

void TestFacts::bytesOfTypes() {
    QFETCH(const QString, type);
    QFETCH(const double, bytes);
    QCOMPARE(bytesOfType(type.toStdString()), bytes);
}

void TestFacts::boxesSayWhatIsAsked() {
    DiagramOptions options;
    const Diagram plain = diagramOf(document(), options);
    QVERIFY(linesOf(plain, "conv2d").empty());
    options.facts.attributes = options.facts.weights = true;
    QCOMPARE(linesOf(diagramOf(document(), options), "conv2d"),
             (std::vector<std::string>{"pads = [1, 1]", "strides = [2, 2]", "const 4×1024×1024"}));
    options.facts.names = false;
    for (const Box& box : diagramOf(document(), options).boxes)
        QCOMPARE(box.subtitle.empty(), box.role == BoxRole::Operator);
    GraphDocument many = document();
    for (int i = 0; i < 20; ++i)
        many.nodes[2].attributes["extra" + std::to_string(10 + i)] = "0";
    QCOMPARE(linesOf(diagramOf(many, options), "conv2d").size(), std::size_t(8 + 1 + 1));
}

void TestFacts::edgesAreAsWideAsTheirBytes() {
    DiagramOptions options;
    const auto drawn = [&] { return draw(diagramOf(document(), options)).take(); };
    const Picture plain = drawn();
    QCOMPARE(widthOf(plain, 0), widthOf(plain, 1));
    QVERIFY(widthOf(plain, 0) > 0);
    options.facts.bytes = true;
    const Picture wide = drawn();
    QCOMPARE(widthOf(wide, 1), widthOf(plain, 1)); // 16 bytes
    QVERIFY(widthOf(wide, 0) > 2 * widthOf(wide, 1));
}

FW_TEST(TestFacts, QCoreApplication)
#include "test_facts.moc"
