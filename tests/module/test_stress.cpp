// Modules run from several threads at once, each with threads of its own: the same bits as alone.
// The thread sanitizer does not understand libgomp, so this is what watches over parallel runs.
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/load.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace fw;

namespace {

constexpr const char* text = R"(
graph net(x: f32[N, 8, 9, 11], z: f32[N, 24, 32]) -> y, s, q {
  w = const random(1) : f32[16, 8, 3, 3]
  b = const random(2) : f32[16]
  c = conv2d(x, w) {pads = [1, 1, 1, 1]}
  d = bias(c, b) {axis = 1}
  r = relu(d)
  v = const random(3) : f32[16, 16, 1, 1]
  e = conv2d(r, v)
  t = add(e, r)
  y = softmax(t) {axis = 1}
  s = global_average_pool(t)
  u = const random(4) : f32[40, 32]
  p = dense(z, u)
  q = tanh(p)
})";

struct Bits {
    std::vector<std::byte> of;
    explicit Bits(const std::vector<TensorData>& outputs) {
        for (const TensorData& tensor : outputs)
            of.insert(of.end(), tensor.bytes().begin(), tensor.bytes().end());
    }
};

} // namespace

class TestStress : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void severalModulesAtOnce_data();
    void severalModulesAtOnce();
};

void TestStress::severalModulesAtOnce_data() {
    QTest::addColumn<QString>("libraries");
    for (const char* libraries : {"", "onednn", "openblas"})
        QTest::newRow(*libraries == '\0' ? "own code" : libraries) << libraries;
}

void TestStress::severalModulesAtOnce() {
    QFETCH(QString, libraries);
    const GraphPtr graph = parseGraph(text, standardOperators()).value();
    constexpr int callers = 4, runs = 300;
    std::atomic<int> different = 0, done = 0;
    const auto work = [&](int caller) {
        const auto target = parseTarget("x86-64 -libs=" + libraries.toStdString() +
                                        " -threads=" + std::to_string(1 + caller % 3));
        const Catalog catalog = catalogOf(externLibraries(), standardStrategy());
        const auto plan = planFusion(*graph, *target, {.catalog = &catalog});
        const auto module = compileModule(*graph, *plan, *target);
        auto loaded = loadModule(std::make_shared<const CompiledModule>(*module), *target).take();
        std::vector<std::pair<std::vector<TensorData>, Bits>> cases;
        for (const std::int64_t n : {1, 0, 5, 2}) {
            auto inputs = loaded->randomInputs(std::uint64_t(7 + n), {{"N", n}}).value();
            Bits bits(loaded->run(inputs).value());
            cases.emplace_back(std::move(inputs), std::move(bits));
        }
        for (int i = 0; i < runs; ++i) {
            auto& [inputs, wanted] = cases[std::size_t(i) % cases.size()];
            different += Bits(loaded->run(inputs).value()).of != wanted.of;
            ++done;
        }
    };
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller)
        threads.emplace_back(work, caller);
    for (std::thread& thread : threads)
        thread.join();
    QCOMPARE(done.load(), callers * runs);
    QCOMPARE(different.load(), 0);
}

FW_TEST(TestStress, QCoreApplication)
#include "test_stress.moc"
