// What real shapes make large grows with one thing alone, and not faster: operands of a concat,
// steps that are joined to what came before, free sizes, layers of a dense block, scopes, levels of
// a pyramid.
#include "common/test.h"
#include "expr/simplify.h"
#include "fusion/plan.h"
#include "large/growth_rows.h"
#include "library/library.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"
#include "session/describe.h"

#include <fmt/format.h>

#include <map>

using namespace fw;
using namespace fw::test;

namespace {

void set(proto::NodeProto& node, const std::string& name, std::int64_t value) {
    ModelBuilder::set(node, name, value);
}

std::string bytesOf(ModelBuilder& model, const std::string& result) {
    model.output(result);
    return model.model.SerializeAsString();
}

// x = relu(concat(x, tanh(y))), so many times: a cache that grows by one at each step.
std::string joinedSteps(int steps, const std::string& batch) {
    ModelBuilder model(17);
    model.input("x0", {batch, "1", "8"}).input("y", {batch, "1", "8"});
    for (int i = 0; i < steps; ++i) {
        model.node("Tanh", "y", fmt::format("t{}", i));
        set(model.node("Concat", fmt::format("x{0} t{0}", i), fmt::format("c{}", i)), "axis", 1);
        model.node("Relu", fmt::format("c{}", i), fmt::format("x{}", i + 1));
    }
    return bytesOf(model, fmt::format("x{}", steps));
}

std::string joinedOperands(int operands) {
    ModelBuilder model(17);
    model.input("x", {"N", "8"});
    std::string all;
    for (int i = 0; i < operands; ++i) {
        model.node(i % 2 == 0 ? "Tanh" : "Relu", "x", fmt::format("v{}", i));
        all += fmt::format("{}v{}", i > 0 ? " " : "", i);
    }
    set(model.node("Concat", all, "y"), "axis", 1);
    return bytesOf(model, "y");
}

// A cache that is joined with what is new, and of which all but the first `from` are kept.
std::string cutToTheEnd(int steps, std::int64_t from, std::int64_t end) {
    ModelBuilder model(17);
    model.input("x0", {"B", "S", "8"}).input("y", {"B", "T", "8"});
    model.integers("from", {from}).integers("end", {end}).integers("axis", {1});
    for (int i = 0; i < steps; ++i) {
        model.node("Tanh", "y", fmt::format("t{}", i));
        set(model.node("Concat", fmt::format("x{0} t{0}", i), fmt::format("c{}", i)), "axis", 1);
        model.node("Slice", fmt::format("c{} from end axis", i), fmt::format("s{}", i));
        model.node("Relu", fmt::format("s{}", i), fmt::format("x{}", i + 1));
    }
    return bytesOf(model, fmt::format("x{}", steps));
}

// Every size is the sum of those before it and a free one.
std::string nestedSums(int sizes) {
    ModelBuilder model(17);
    model.input("x0", {"D0", "8"});
    for (int i = 1; i < sizes; ++i) {
        model.input(fmt::format("i{}", i), {fmt::format("D{}", i), "8"});
        set(model.node("Concat", fmt::format("x{0} i{1}", i - 1, i), fmt::format("c{}", i)), "axis",
            0);
        model.node("Relu", fmt::format("c{}", i), fmt::format("x{}", i));
    }
    return bytesOf(model, fmt::format("x{}", sizes - 1));
}

// Every size is the one before it times B, and A more: (A * B + A) * B + A ...
std::string nestedProducts(int steps) {
    ModelBuilder model(17);
    model.input("a", {"A", "1"}).input("b", {"1", "B"}).integers("column", {-1, 1});
    model.node("Add", "a b", "x0");
    for (int i = 0; i < steps; ++i) {
        model.node("Reshape", fmt::format("x{} column", i), fmt::format("s{}", i));
        set(model.node("Concat", fmt::format("s{} a", i), fmt::format("c{}", i)), "axis", 0);
        model.node("Add", fmt::format("c{} b", i), fmt::format("d{}", i));
        model.node("Relu", fmt::format("d{}", i), fmt::format("x{}", i + 1));
    }
    return bytesOf(model, fmt::format("x{}", steps));
}

std::string denseLayers(int layers) {
    ModelBuilder model(17);
    model.input("x0", {"1", "4", "8", "8"});
    std::string all = "x0";
    for (int i = 1; i <= layers; ++i) {
        set(model.node("Concat", all, fmt::format("c{}", i)), "axis", 1);
        model.weights(fmt::format("w{}", i), {4, 4 * i, 1, 1});
        model.node("Conv", fmt::format("c{0} w{0}", i), fmt::format("v{}", i));
        model.node("Relu", fmt::format("v{}", i), fmt::format("x{}", i));
        all += fmt::format(" x{}", i);
    }
    return bytesOf(model, fmt::format("x{}", layers));
}

// Ten operators in each.
std::string scopesInARow(int scopes) {
    ModelBuilder model(17);
    model.input("v0", {"N", "8"});
    for (int i = 0; i < 10 * scopes; ++i)
        model.node(i % 2 == 0 ? "Tanh" : "Relu", fmt::format("v{}", i), fmt::format("v{}", i + 1))
            .set_name(fmt::format("model/layer.{}/op{}", i / 10, i));
    return bytesOf(model, fmt::format("v{}", 10 * scopes));
}

void convolve(ModelBuilder& model, const std::string& from, const std::string& to,
              std::int64_t stride, std::int64_t pad) {
    auto& node = model.node("Conv", from + " w", to);
    ModelBuilder::set(node, "pads", std::vector<std::int64_t>{pad, pad, pad, pad});
    ModelBuilder::set(node, "strides", std::vector<std::int64_t>{stride, stride});
}

// Down so many levels and up again, with free height and width.
std::string pyramidOf(int levels) {
    ModelBuilder model(17);
    model.input("l0", {"1", "4", "H", "W"}).weights("scales", {4}, {1, 1, 2, 2});
    model.weights("w", {4, 4, 3, 3});
    for (int i = 0; i < levels; ++i)
        convolve(model, fmt::format("l{}", i), fmt::format("l{}", i + 1), 2, 1);
    std::string last = fmt::format("l{}", levels);
    for (int i = levels - 1; i >= 0; --i) {
        auto& node = model.node("Resize", last + " - scales", fmt::format("u{}", i));
        ModelBuilder::setText(node, "mode", "nearest");
        ModelBuilder::setText(node, "coordinate_transformation_mode", "asymmetric");
        ModelBuilder::setText(node, "nearest_mode", "floor");
        model.node("Add", fmt::format("u{0} l{0}", i), fmt::format("s{}", i));
        convolve(model, fmt::format("s{}", i), fmt::format("o{}", i), 1, 1);
        last = fmt::format("o{}", i);
    }
    return bytesOf(model, last);
}

// Convolutions that take two off the height and the width each.
std::string shrinking(int convolutions) {
    ModelBuilder model(17);
    model.input("v0", {"1", "4", "H", "W"}).weights("w", {4, 4, 3, 3});
    for (int i = 0; i < convolutions; ++i)
        convolve(model, fmt::format("v{}", i), fmt::format("v{}", i + 1), 1, 0);
    return bytesOf(model, fmt::format("v{}", convolutions));
}

constexpr const char* ownCode = "x86-64 -mcpu=x86-64-v3 -libs= -threads=1";

Work read(std::string bytes) {
    return [bytes = std::move(bytes)](int) {
        const auto imported = importModelBytes(bytes, standardOperators());
        QVERIFY(imported.ok() && describeModel("m.onnx", *imported).runnable);
    };
}

Work planned(std::string bytes, const char* targetText = ownCode) {
    return [bytes = std::move(bytes), targetText](int) {
        const auto imported = importModelBytes(bytes, standardOperators());
        QVERIFY(imported.ok());
        const Target target = parseTarget(targetText).value();
        const auto plan = planFusion(*imported->graph, target);
        QVERIFY(plan.ok() && !plan->groups.empty());
        QVERIFY(std::none_of(plan->groups.begin(), plan->groups.end(),
                             [](const Group& group) { return group.isHost(); }));
    };
}

// Convolutions of images so wide and high. What a library was seen to do is known from then on, so
// no two runs have the same channels.
Work triedByLibraries(int side) {
    return [side](int run) {
        const std::string pixels = std::to_string(side), channels = std::to_string(8 + run);
        ModelBuilder model(17);
        model.input("x", {"1", channels, pixels, pixels})
            .input("w", {channels, channels, "3", "3"});
        model.node("Conv", "x w", "c");
        model.node("Relu", "c", "y");
        planned(bytesOf(model, "y"), "x86-64 -mcpu=native -libs=onednn -threads=1")(run);
    };
}

Work drawn(const std::string& bytes) {
    const auto imported = importModelBytes(bytes, standardOperators());
    return [document = describeImported(*imported.value().graph)](int) {
        picture::DiagramOptions options;
        options.blocks = std::make_shared<const snapshot::Hierarchy>(hierarchyOf(document));
        const auto picture = picture::draw(picture::diagramOf(document, options));
        QVERIFY(picture.ok() && !picture->items.empty());
    };
}

// Of what is asked of the sizes of a model before it runs.
Work bounded(const std::string& bytes) {
    const auto imported = importModelBytes(bytes, standardOperators());
    const GraphPtr graph = imported.value().graph;
    return [graph](int) {
        const Bindings at{{Symbol("H"), 2000}, {Symbol("W"), 3000}};
        for (const Assumption& one : graph->assumptions())
            QCOMPARE(evalIndex(one.condition, at).value_or(0), std::int64_t(1));
        for (const NodePtr& node : graph->nodes())
            for (const Output& output : node->outputs)
                for (const Dim& dim : output.type.shape) {
                    QVERIFY(evalIndex(dim, at).value_or(0) > 0);
                    const Interval interval = boundsOf(dim);
                    QVERIFY(!interval.max || *interval.max > 0);
                }
    };
}

} // namespace

class TestGrowthShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { keepMemory(); }
    void grows_data();
    void grows();

private:
    std::map<QString, GrowthRow> m_rows;
};

void TestGrowthShapes::grows_data() {
    QTest::addColumn<QString>("name");
    const auto row = [&](const char* name, int small, int large,
                         const std::function<Work(int)>& make, double seconds = 2,
                         double exponent = 1.3) {
        m_rows[QString::fromLatin1(name)] = {make, small, large, 3, seconds, exponent};
        QTest::newRow(name) << QString::fromLatin1(name);
    };
    row("steps that are joined, planned", 10, 40,
        [](int n) { return planned(joinedSteps(n, "1")); });
    row("steps that are joined, free batch, planned", 10, 40,
        [](int n) { return planned(joinedSteps(n, "B")); });
    row(
        "operands of a concat, read", 250, 1000, [](int n) { return read(joinedOperands(n)); }, 2,
        1.6); // milliseconds: what comes once counts for much
    row(
        "operands of a concat, planned", 250, 1000,
        [](int n) { return planned(joinedOperands(n)); }, 2, 1.5);
    // The text of all sizes is as long as the square of their number, that of nested products as
    // its cube.
    row("sizes that are summed up, planned", 10, 40, [](int n) { return planned(nestedSums(n)); });
    row(
        "sizes that are multiplied, planned", 5, 20,
        [](int n) { return planned(nestedProducts(n)); }, 2, 2.5);
    row(
        "layers of a dense block, drawn", 30, 60, [](int n) { return drawn(denseLayers(n)); }, 2,
        2.6); // edges are the square of the layers
    row("scopes of ten operators, drawn", 250, 1000, [](int n) { return drawn(scopesInARow(n)); });
    row("levels of a pyramid, planned", 6, 24, [](int n) { return planned(pyramidOf(n)); });
    for (const auto& [end, name] :
         {std::pair((std::int64_t(1) << 31) - 1, "cut to the end, 2^31 - 1, planned"),
          {std::int64_t(1) << 31, "cut to the end, 2^31, planned"},
          {INT64_MAX, "cut to the end, 2^63 - 1, planned"}})
        row(name, 10, 40, [end = end](int n) { return planned(cutToTheEnd(n, 0, end)); });
    row(
        "cut from the second on, planned", 3, 10,
        [](int n) { return planned(cutToTheEnd(n, 1, INT64_MAX)); }, 2,
        2); // each size is as long as the steps before it
    row("sides of images, planned with libraries", 160, 640, triedByLibraries);
    row("convolutions of free sizes, read", 125, 500, [](int n) { return read(shrinking(n)); });
    row(
        "sizes of convolutions, checked", 125, 500,
        [](int n) {
            return [one = bounded(shrinking(n))](int run) {
                for (int i = 0; i < 50 && !QTest::currentTestFailed(); ++i)
                    one(run); // is over at once
            };
        },
        2, 1.5);
}

void TestGrowthShapes::grows() {
    QFETCH(QString, name);
    checkGrowth(m_rows.at(name));
}

FW_TEST(TestGrowthShapes, QCoreApplication)
#include "test_growth_shapes.moc"
