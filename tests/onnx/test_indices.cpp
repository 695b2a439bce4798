// Indices that are constants of a model: those outside of their axis are refused when it is read,
// whichever operator picks by them.
#include "common/test.h"
#include "onnx/reading.h"

#include <functional>

using namespace fw;
using namespace fw::test;

namespace {

using Places = std::vector<std::int64_t>;

struct IndexCase {
    const char* name;
    std::function<void(ModelBuilder&)> build; // reads the indices `i`
    Places shape;
    Places right, wrong;
    const char* says; // of the wrong ones
};

void shaped(ModelBuilder& m, const std::string& name, const Places& shape, const Places& values) {
    m.integers(name, values);
    auto* tensor = m.graph().mutable_initializer(m.graph().initializer_size() - 1);
    tensor->clear_dims();
    for (const std::int64_t extent : shape)
        tensor->add_dims(extent);
}

std::vector<IndexCase> indexCases() {
    const auto of = [](const char* type, Places x, const char* operands) {
        return [=](ModelBuilder& m) {
            m.weights("x", x).weights("u", {1, 3}).node(type, operands, "y", "pick");
        };
    };
    const auto loss = [](const char* type, std::optional<std::int64_t> ignored, Places x = {4, 3}) {
        return [=](ModelBuilder& m) {
            auto& node = m.weights("x", x).node(type, "x i", "y", "pick");
            if (ignored)
                ModelBuilder::set(node, "ignore_index", *ignored);
        };
    };
    return {
        {"gather",
         of("Gather", {4, 3}, "x i"),
         {2},
         {-4, 3},
         {0, 4},
         "element 1 of 'i' is 4, which lies outside of an axis of 4: an index lies between -4 and "
         "3; 'x' is f32[4, 3], 'i' is i64[2]"},
        {"gather of one", of("Gather", {1, 3}, "x i"), {2}, {-1, 0}, {0, 1}, "axis of 1"},
        {"gather by a computed one",
         [](ModelBuilder& m) {
             m.weights("x", {4, 3}).node("Neg", "i", "n");
             m.node("Gather", "x n", "y", "pick");
         },
         {1},
         {4},
         {5},
         "element 0 of 'n' is -5, which lies outside of an axis of 4"},
        {"elements",
         of("GatherElements", {4, 3}, "x i"),
         {1, 3},
         {0, -4, 3},
         {0, 0, -5},
         "element 2 of 'i' is -5, which lies outside of an axis of 4"},
        {"elements of one",
         of("GatherElements", {1, 3}, "x i"),
         {1, 3},
         {0, -1, 0},
         {0, 1, 0},
         "element 1 of 'i' is 1, which lies outside of an axis of 1"},
        {"parts",
         of("GatherND", {4, 3}, "x i"),
         {2, 2},
         {3, 2, -4, -3},
         {3, 2, 2, 3},
         "element 3 of 'i' is 3, which lies outside of an axis of 3"},
        {"scattered elements",
         of("ScatterElements", {4, 3}, "x i u"),
         {1, 3},
         {3, 0, -4},
         {3, 9, 0},
         "element 1 of 'i' is 9, which lies outside of an axis of 4"},
        {"scattered parts",
         of("ScatterND", {4, 3}, "x i u"),
         {1, 1},
         {3},
         {-5},
         "element 0 of 'i' is -5, which lies outside of an axis of 4"},
        {"loss",
         loss("NegativeLogLikelihoodLoss", std::nullopt),
         {4},
         {0, 2, 1, -3},
         {0, 2, 3, 0},
         "element 2 of 'i' is 3, which lies outside of an axis of 3"},
        {"loss that leaves out",
         loss("NegativeLogLikelihoodLoss", 255),
         {4},
         {0, 2, 255, 1},
         {0, 2, 255, 254},
         "element 3 of 'i' is 254"},
        {"cross entropy",
         loss("SoftmaxCrossEntropyLoss", -100),
         {4},
         {0, -100, 2, 1},
         {0, -100, 2, 3},
         "element 3 of 'i' is 3"},
        {"places of a pool",
         [](ModelBuilder& m) {
             auto& node = m.weights("x", {1, 2, 1, 1}).node("MaxUnpool", "x i", "y", "pick");
             ModelBuilder::set(node, "kernel_shape", Places{2, 2});
             ModelBuilder::set(node, "strides", Places{2, 2});
         },
         {1, 2, 1, 1},
         {3, 7},
         {0, 8},
         "element 1 of 'i' is 8, which does not lie between 0 and 7"},
        {"lengths",
         of("ReverseSequence", {4, 3}, "x i"),
         {3},
         {0, 4, 1},
         {0, 1, 5},
         "element 2 of 'i' is 5, and n <= D must hold: n = 5, D = 4"},
        {"images of regions",
         [](ModelBuilder& m) {
             m.weights("x", {2, 1, 4, 4}).weights("r", {2, 4});
             m.node("RoiAlign", "x r i", "y", "pick");
         },
         {2},
         {0, 1},
         {0, -1},
         "element 1 of 'i' is -1, and batch >= 0 must hold"},
    };
}

Result<Imported> reading(const IndexCase& c, const Places& indices) {
    ModelBuilder m(17);
    m.output("y");
    shaped(m, "i", c.shape, indices);
    c.build(m);
    return read(m.bytes());
}

} // namespace

class TestIndices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outsideIsRefused_data();
    void outsideIsRefused();
    void freeAxesAreAssumedToReach();
};

void TestIndices::outsideIsRefused_data() {
    QTest::addColumn<int>("at");
    int at = 0;
    for (const IndexCase& c : indexCases())
        QTest::newRow(c.name) << at++;
}

void TestIndices::outsideIsRefused() {
    QFETCH(const int, at);
    const IndexCase c = indexCases()[static_cast<std::size_t>(at)];
    const auto right = reading(c, c.right), wrong = reading(c, c.wrong);
    QVERIFY2(right.ok(), right.ok() ? "" : right.diag().text().c_str());
    QVERIFY(right->diagnostics.empty());
    QVERIFY(!wrong.ok());
    QCOMPARE(wrong.diag().code, DiagCode::OnnxMalformed);
    QCOMPARE(wrong.diag().where.node, std::string("pick"));
    QVERIFY2(wrong.diag().message.find(c.says) != std::string::npos, wrong.diag().text().c_str());
}

void TestIndices::freeAxesAreAssumedToReach() {
    for (const char* type : {"Gather", "GatherElements", "ReverseSequence"}) {
        ModelBuilder m(17);
        m.input("x", {"N", "1"}).output("y");
        shaped(m, "i", std::string(type) == "GatherElements" ? Places{1, 1} : Places{1}, {5});
        m.node(type, "x i", "y", "pick");
        const auto result = read(m.bytes());
        QVERIFY2(result.ok(), result.ok() ? "" : result.diag().text().c_str());
        const auto asked = std::count_if(
            result->graph->assumptions().begin(), result->graph->assumptions().end(),
            [](const Assumption& one) { return one.sentence.find("'i'") != std::string::npos; });
        QCOMPARE(asked, 1);
    }
}

FW_TEST(TestIndices, QCoreApplication)
#include "test_indices.moc"
