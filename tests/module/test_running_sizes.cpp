// Graphs whose sizes are computed while they run: what is compiled gives what the reference gives,
// for every size, with one module; and what neither can compute both refuse.
#include "common/test.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "ir/bound_dims.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <algorithm>
#include <cmath>

using namespace fw;
using namespace fw::test;

namespace {

GraphPtr runningGraph(const char* text) {
    auto graph = parseGraph(text, standardOperators());
    if (!graph)
        qFatal("%s", graph.diag().text().c_str());
    return *graph;
}

TensorData sizes(std::vector<std::int64_t> values) {
    return dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values);
}

struct Compiled {
    FusionPlan plan;
    std::unique_ptr<LoadedModule> module;
};

Compiled compiled(const Graph& graph, const char* text) {
    const Target target = parseTarget(text).value();
    Compiled out;
    out.plan = planFusion(graph, target).value();
    auto module =
        std::make_shared<const CompiledModule>(compileModule(graph, out.plan, target).value());
    auto loaded = loadModule(module, target, runtime::ArenaFill::Poison);
    if (!loaded)
        qFatal("%s", loaded.diag().text().c_str());
    out.module = std::move(*loaded);
    return out;
}

std::string differences(const std::vector<TensorData>& got, const std::vector<TensorData>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(got[i].type() == wanted[i].type()))
            return got[i].type().text() + " instead of " + wanted[i].type().text();
        for (std::size_t k = 0; k < wanted[i].count(); ++k) {
            const double a = got[i].at(k), b = wanted[i].at(k);
            if (!(std::abs(a - b) <= 1e-5 * (1 + std::abs(b))) && !(std::isnan(a) && std::isnan(b)))
                return "element " + std::to_string(k) + " of result " + std::to_string(i);
        }
    }
    return {};
}

struct RunningCase {
    const char* name;
    const char* text;
    std::vector<std::vector<TensorData>> inputs; // of one run each
};

TensorData random(std::vector<std::int64_t> extents, std::uint64_t seed = 7) {
    return randomData(DType::F32, std::move(extents), seed);
}

std::vector<RunningCase> runningCases() {
    return {
        {"a view, and kernels on both sides",
         R"(graph g(x: f32[N, 4], s: i64[2]) -> y, z {
  a = relu(x)
  b = bind_dims(s) {dims = [p, q]}
  r = reshape(a) {shape = [p, q]}
  e = sigmoid(r)
  y = mul(e, e)
  t = reduce_sum(y) {axes = [0, 1], keepdims = 1}
  w = expand(t) {shape = [q, p]}
  z = tanh(w)
})",
         {{random({6, 4}), sizes({3, 8})},
          {random({6, 4}), sizes({24, 1})},
          {random({6, 4}), sizes({1, 24})},
          {random({0, 4}), sizes({0, 9})},
          {random({1, 4}), sizes({2, 2})},
          {random({9, 4}), sizes({4, 9})}}},
        {"one size behind another",
         R"(graph g(x: f32[N], s: i64[1]) -> z, k {
  b = bind_dims(s) {dims = [p]}
  a = reshape(x) {shape = [p, N / p]}
  m = reduce_max(a) {axes = [1], keepdims = 0}
  l = cast(m) {to = i64}
  f = const [0] : i64[1]
  u = gather(l, f)
  k = bind_dims(u) {dims = [q]}
  c = constant_of_shape() {shape = [q, p], value = tensor(f32[1], [2.5])}
  e = exp(c)
  t = transpose(e) {perm = [1, 0]}
  z = add(t, t)
})",
         {{dataFromDoubles(DType::F32, {6}, {1, 2, 3, 4, 5, 6}), sizes({3})},
          {dataFromDoubles(DType::F32, {6}, {7, 0, 0, 0, 0, 0}), sizes({6})},
          {dataFromDoubles(DType::F32, {6}, {0, 0, 0, 0, 0, 0}), sizes({2})},
          {dataFromDoubles(DType::F32, {4}, {1, 1, 1, 1}), sizes({1})}}},
        {"parts that lie inside another",
         R"(graph g(x: f32[3, 8], s: i64[2]) -> y {
  b = bind_dims(s) {dims = [p, q]}
  (l, r) = split(x) {axis = 1, sizes = [p, q]}
  e = exp(l)
  h = tanh(r)
  c = concat(h, e) {axis = 1}
  d = relu(x)
  j = concat(c, d) {axis = 0}
  y = softmax(j) {axis = 1}
})",
         {{random({3, 8}), sizes({3, 5})},
          {random({3, 8}), sizes({8, 0})},
          {random({3, 8}), sizes({0, 8})},
          {random({3, 8}), sizes({1, 7})}}},
        {"slices backwards and pads",
         R"(graph g(x: f32[A, B], f: i64[2], t: i64[2], s: i64[2]) -> y, z {
  b = bind_dims(s) {dims = [p, q]}
  c = slice_at(x, f, t) {shape = [p, q]}
  y = relu(c)
  v = const random(1) : f32[]
  w = pad_at(y, f, v) {shape = [A, B]}
  z = mul(w, w)
})",
         {{random({5, 7}), sizes({4, 6}), sizes({-1, -2}), sizes({5, 4})},
          {random({5, 7}), sizes({1, 0}), sizes({2, 3}), sizes({2, 3})},
          {random({5, 7}), sizes({0, 0}), sizes({1, 1}), sizes({0, 7})},
          {random({1, 1}), sizes({0, 0}), sizes({1, 1}), sizes({1, 1})}}},
        {"sums over axes that are chosen late",
         R"(graph g(x: f32[A, B, 3], s: i64[3]) -> y {
  b = bind_dims(s) {dims = [p, q, r]}
  a = mul(x, x)
  t = sum_to(a) {shape = [p, q, r]}
  y = sqrt(t)
})",
         {{random({4, 5, 3}), sizes({1, 5, 3})},
          {random({4, 5, 3}), sizes({4, 1, 1})},
          {random({4, 5, 3}), sizes({1, 1, 1})},
          {random({4, 5, 3}), sizes({4, 5, 3})},
          {random({0, 5, 3}), sizes({1, 5, 1})},
          {random({1, 1, 3}), sizes({1, 1, 1})}}},
        {"products of a size that is computed",
         R"(graph g(x: f32[N, 8], s: i64[2]) -> y {
  w = const random(1) : f32[16, 8]
  d = dense(x, w)
  b = bind_dims(s) {dims = [p, q]}
  h = reshape(d) {shape = [p, q, 16]}
  r = relu(h)
  f = reshape(r) {shape = [p * q, 16]}
  v = const random(2) : f32[4, 16]
  e = dense(f, v)
  y = sigmoid(e)
})",
         {{random({6, 8}), sizes({2, 3})},
          {random({35, 8}), sizes({7, 5})},
          {random({0, 8}), sizes({0, 4})},
          {random({1, 8}), sizes({1, 1})}}},
        {"what is selected",
         R"(graph g(x: f32[N, 3]) -> y, c {
  f = reshape(x) {shape = [3 * N]}
  k = cast(f) {to = bool}
  (places, count) = compact(k)
  c = bind_dims(count) {dims = [m]}
  o = const [0] : i64[1]
  i = const [1] : i64[1]
  t = slice_at(places, o, i) {shape = [m]}
  g = gather(f, t)
  y = exp(g)
})",
         {{dataFromDoubles(DType::F32, {2, 3}, {0, 1, 2, 0, 0, 3})},
          {dataFromDoubles(DType::F32, {2, 3}, {0, 0, 0, 0, 0, 0})},
          {dataFromDoubles(DType::F32, {1, 3}, {1, 1, 1})},
          {random({9, 3})}}},
    };
}

} // namespace

class TestRunningSizes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneModuleForEverySize_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("target");
        for (int i = 0; i < static_cast<int>(runningCases().size()); ++i)
            for (const char* target :
                 {"x86-64 -mcpu=native -libs= -threads=2", "x86-64 -mcpu=native -threads=2",
                  "x86-64 -mcpu=haswell -libs= -threads=1"})
                QTest::addRow("%s, %s", runningCases()[static_cast<std::size_t>(i)].name, target)
                    << i << target;
    }

    void oneModuleForEverySize() {
        QFETCH(int, which);
        QFETCH(QString, target);
        const RunningCase one = runningCases()[static_cast<std::size_t>(which)];
        const GraphPtr graph = runningGraph(one.text);
        Compiled made = compiled(*graph, target.toUtf8().constData());
        for (int round = 0; round < 2; ++round)
            for (const auto& inputs : one.inputs) {
                const auto wanted = evaluateGraph(*graph, inputs);
                QVERIFY2(wanted.ok(), wanted ? "" : wanted.diag().text().c_str());
                const auto got = made.module->run(inputs);
                QVERIFY2(got.ok(), got ? "" : got.diag().text().c_str());
                const std::string different = differences(*got, *wanted);
                QVERIFY2(different.empty(), different.c_str());
            }
    }

    void bothRefuse() {
        const GraphPtr graph = runningGraph(R"(graph g(x: f32[N], s: i64[2]) -> y {
  b = bind_dims(s) {dims = [p, q]}
  r = reshape(x) {shape = [p, q]}
  y = relu(r)
})");
        Compiled made = compiled(*graph, "x86-64 -libs= -threads=1");
        for (const auto& wrong : {sizes({2, 2}), sizes({-1, -6}), sizes({0, 6})}) {
            QVERIFY(!evaluateGraph(*graph, {random({6}), wrong}));
            QVERIFY(!made.module->run({random({6}), wrong}));
        }
        QVERIFY(made.module->run({random({6}), sizes({2, 3})}).ok());
    }

    // Extents are -1, which no dimension can be, instead of a slice that is taken silently.
    void axesThatAreNotThere() {
        for (const char* text : {R"(graph g(x: f32[4, 5], a: i64[1]) -> y {
  e = shape(x)
  s = reduced_extents(e, a)
  b = bind_dims(s) {dims = [p, q]}
  y = sum_to(x) {shape = [p, q]}
})",
                                 R"(graph g(x: f32[4, 5], a: i64[1]) -> y {
  e = shape(x)
  o = const [1] : i64[1]
  (f, t, c) = slice_extents(o, o, a, o, e)
  b = bind_dims(c) {dims = [p, q]}
  y = slice_at(x, f, t) {shape = [p, q]}
})",
                                 R"(graph g(x: f32[4, 5], a: i64[1]) -> y {
  e = shape(x)
  o = const [1] : i64[1]
  v = const [7] : f32[]
  (f, c) = pad_extents(o, o, a, e)
  b = bind_dims(c) {dims = [p, q]}
  y = pad_at(x, f, v) {shape = [p, q]}
})"}) {
            const GraphPtr graph = runningGraph(text);
            Compiled made = compiled(*graph, "x86-64 -libs= -threads=1");
            for (const std::int64_t axis : {2, -3, 99}) {
                QVERIFY(!evaluateGraph(*graph, {random({4, 5}), sizes({axis})}));
                const auto got = made.module->run({random({4, 5}), sizes({axis})});
                QVERIFY(!got.ok());
                QVERIFY2(got.diag().message.find("a size of -1") != std::string::npos,
                         got.diag().text().c_str());
            }
            for (const std::int64_t axis : {0, 1, -1})
                QVERIFY(made.module->run({random({4, 5}), sizes({axis})}).ok());
        }
    }

    void groupsStayWithinOneLevel() {
        const GraphPtr graph = runningGraph(R"(graph g(x: f32[N], s: i64[1]) -> y {
  a = relu(x)
  e = exp(a)
  b = bind_dims(s) {dims = [p]}
  w = expand(e) {shape = [p, N]}
  y = tanh(w)
})");
        const BindingLevels levels(*graph);
        QCOMPARE(levels.highest(), 1);
        QCOMPARE(levels.of(graph->findByName("e")->id), 0);
        QCOMPARE(levels.of(graph->findByName("w")->id), 1);
        const FusionPlan plan = planFusion(*graph, parseTarget("x86-64 -libs=").value()).value();
        for (const Group& group : plan.groups)
            for (const NodeId id : group.nodes)
                QCOMPARE(levels.of(id), levels.of(group.nodes.front()));
        int last = 0;
        for (const Group& group : plan.groups) {
            QVERIFY(levels.of(group.nodes.front()) >= last);
            last = levels.of(group.nodes.front());
        }
        const EdgeDecision* edge =
            plan.edge(graph->findByName("e")->id, graph->findByName("w")->id);
        QVERIFY(edge != nullptr && edge->decision.verdict == Verdict::No);
        QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
            return notice.code == ReasonCode::SizesBound && notice.evidence == "p";
        }));
    }

    // Nothing reads a value of what binds, so only types keep it, and its place.
    void whatBindsStaysAndComesFirst() {
        const GraphPtr graph = runningGraph(R"(graph g(x: f32[N], s: i64[1]) -> y {
  b = bind_dims(s) {dims = [p]}
  y = expand(x) {shape = [p, N]}
})");
        GraphEditor editor(*graph);
        std::vector<NodeId> order;
        for (const NodePtr& node : graph->nodes())
            order.insert(order.begin(), node->id);
        editor.setOrder(order); // as far as operands and sizes allow
        editor.removeUnused();
        const GraphPtr turned = editor.finish().value();
        QCOMPARE(turned->nodes().size(), graph->nodes().size());
        QCOMPARE(turned->boundDims().size(), std::size_t(1));
        QCOMPARE(turned->freeDims().size(), std::size_t(1));
        std::vector<std::string> ops;
        for (const NodePtr& node : turned->nodes())
            ops.push_back(node->op);
        QVERIFY(std::find(ops.begin(), ops.end(), "bind_dims") <
                std::find(ops.begin(), ops.end(), "expand"));
        // Without its reader it goes.
        GraphEditor shorter(*graph);
        shorter.replaceUses({graph->findByName("y")->id, 0}, {graph->findByName("x")->id, 0});
        shorter.removeUnused();
        QVERIFY(shorter.finish().value()->boundDims().empty());
        // Two of one name are none.
        const auto twice = parseGraph(R"(graph g(x: f32[N], s: i64[1]) -> y {
  b = bind_dims(s) {dims = [p]}
  c = bind_dims(s) {dims = [p]}
  y = expand(x) {shape = [p, N]}
})",
                                      standardOperators());
        QVERIFY(!twice.ok());
        QVERIFY2(twice.diag().message.find("two nodes bind p") != std::string::npos,
                 twice.diag().message.c_str());
    }
};

FW_TEST(TestRunningSizes, QCoreApplication)
#include "test_running_sizes.moc"
