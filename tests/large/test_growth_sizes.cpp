// Operators with many operands, and sizes made of many free ones: what is done with them grows with
// the number of operands, and the text of the sizes, not with the cube of them. Times of the
// processor over all threads, the least of a few runs, and measured again where a busy machine
// added to one.
#include "base/decision.h"
#include "common/test.h"
#include "fusion/plan.h"
#include "library/library.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>

using namespace fw;
using namespace fw::test;

namespace {

constexpr int mostTriesOfSizes = 3;

double processSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

double timeOf(const std::function<void()>& work) {
    const double start = processSeconds();
    work();
    return processSeconds() - start;
}

// y = relu(concat of n operands, the axis of each a free size of its own)
std::string joinedFreeSizes(int n, const std::string& across) {
    ModelBuilder model(17);
    std::string operands;
    for (int i = 0; i < n; ++i) {
        const std::string name = fmt::format("x{}", i);
        model.input(name, {fmt::format("s{}", i), across});
        operands += (i == 0 ? "" : " ") + name;
    }
    ModelBuilder::set(model.node("Concat", operands, "c"), "axis", std::int64_t(0));
    model.node("Relu", "c", "y");
    model.output("y");
    return model.model.SerializeAsString();
}

// A block of a DenseNet: every layer reads all that came before it.
std::string denseBlock(int layers) {
    ModelBuilder model(17);
    model.input("x0", {"1", "4", "8", "8"});
    std::string all = "x0";
    for (int i = 1; i <= layers; ++i) {
        ModelBuilder::set(model.node("Concat", all, fmt::format("c{}", i)), "axis",
                          std::int64_t(1));
        model.weights(fmt::format("w{}", i), {4, 4 * i, 1, 1});
        model.node("Conv", fmt::format("c{0} w{0}", i), fmt::format("v{}", i));
        model.node("Relu", fmt::format("v{}", i), fmt::format("x{}", i));
        all += fmt::format(" x{}", i);
    }
    model.output(fmt::format("x{}", layers));
    return model.model.SerializeAsString();
}

// Feature pyramids one behind the other: sizes are halved, rounding up, and doubled again, so what
// is added is not known to have equal sizes.
std::string pyramids(int n) {
    ModelBuilder model(17);
    model.input("x", {"1", "4", "H", "W"}).weights("scales", {4}, {1, 1, 2, 2});
    model.weights("w", {4, 4, 3, 3});
    int values = 0;
    const auto conv = [&](const std::string& from, std::int64_t stride) {
        const std::string to = fmt::format("v{}", ++values);
        auto& node = model.node("Conv", from + " w", to);
        ModelBuilder::set(node, "pads", std::vector<std::int64_t>{1, 1, 1, 1});
        ModelBuilder::set(node, "strides", std::vector<std::int64_t>{stride, stride});
        return to;
    };
    std::string last = "x";
    for (int i = 0; i < n; ++i) {
        std::vector<std::string> levels{last};
        for (int level = 0; level < 3; ++level)
            levels.push_back(conv(levels.back(), 2));
        last = levels.back();
        for (int level = 2; level >= 0; --level) {
            const std::string up = fmt::format("v{}", ++values), sum = fmt::format("v{}", ++values);
            auto& node = model.node("Resize", last + " - scales", up);
            ModelBuilder::setText(node, "mode", "nearest");
            ModelBuilder::setText(node, "coordinate_transformation_mode", "asymmetric");
            ModelBuilder::setText(node, "nearest_mode", "floor");
            model.node("Add", up + " " + levels[static_cast<std::size_t>(level)], sum);
            last = conv(sum, 1);
        }
    }
    model.output(last);
    return model.model.SerializeAsString();
}

FusionPlan plannedSizes(const std::string& bytes) {
    const auto imported = importModelBytes(bytes, standardOperators());
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=1").value();
    return planFusion(*imported.value().graph, target).value();
}

} // namespace

class TestGrowthSizes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void longSumsTimesASizeAreComputed();
    void concatsOfFreeSizes();
    void denseBlocks();
    void pyramidsOfFreeSizes();

private:
    // `twice` as much work takes at most `most` times as long, and not more than `limit` seconds.
    static void compare(const std::function<void()>& once, const std::function<void()>& twice,
                        double most, double limit);
};

void TestGrowthSizes::compare(const std::function<void()>& once, const std::function<void()>& twice,
                              double most, double limit) {
    double before = 1e9, after = 1e9;
    for (int tries = 0; tries < mostTriesOfSizes && (after > most * before || after > limit);
         ++tries) {
        before = std::min(before, timeOf(once));
        after = std::min(after, timeOf(twice));
        qInfo("%.0f ms, and %.0f ms for twice as much", before * 1e3, after * 1e3);
    }
    QVERIFY2(after <= most * before && after <= limit,
             qPrintable(QStringLiteral("%1 s, %2 s").arg(before).arg(after)));
}

// (s0 + s1 + ...) * m is the sum of the products, however long it is: else nobody sees that the
// operands fill the result, and its reference computes it.
void TestGrowthSizes::longSumsTimesASizeAreComputed() {
    for (const int n : {16, 17, 40}) {
        const FusionPlan plan = plannedSizes(joinedFreeSizes(n, "m"));
        QVERIFY(std::none_of(plan.groups.begin(), plan.groups.end(),
                             [](const Group& group) { return group.isHost(); }));
    }
}

void TestGrowthSizes::concatsOfFreeSizes() {
    const std::string small = joinedFreeSizes(100, "8"), large = joinedFreeSizes(200, "8");
    const auto plan = [](const std::string& bytes) {
        const FusionPlan made = plannedSizes(bytes);
        QVERIFY(std::none_of(made.groups.begin(), made.groups.end(),
                             [](const Group& group) { return group.isHost(); }));
    };
    compare([&] { plan(small); }, [&] { plan(large); }, 4, 2);
}

// Twice as many layers are four times as many operands.
void TestGrowthSizes::denseBlocks() {
    const std::string small = denseBlock(50), large = denseBlock(100);
    const auto read = [](const std::string& bytes) {
        QVERIFY(importModelBytes(bytes, standardOperators()).ok());
    };
    compare([&] { read(small); }, [&] { read(large); }, 6, 2);
}

// The text of the longest size grew sevenfold with every pyramid.
void TestGrowthSizes::pyramidsOfFreeSizes() {
    const std::string small = pyramids(6), large = pyramids(12);
    std::size_t longest = 0;
    const auto read = importModelBytes(large, standardOperators());
    QVERIFY(read.ok());
    for (const NodePtr& node : read->graph->nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i)
            longest =
                std::max(longest, read->graph->type({node->id, static_cast<int>(i)}).text().size());
    QVERIFY2(longest < 4000, qPrintable(QString::number(longest)));
    compare([&] { plannedSizes(small); }, [&] { plannedSizes(large); }, 4, 8);
}

FW_TEST(TestGrowthSizes, QCoreApplication)
#include "test_growth_sizes.moc"
