// Compiled modules compute what the reference computes, and a second compilation takes its kernels
// from the cache.
#include "common/test.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/kernel_cache.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <QTemporaryDir>

#include <cmath>
#include <numeric>

using namespace fw;
using namespace fw::test;

namespace {

Target host() {
    return parseTarget("x86-64 -libs= -threads=2").value();
}

// The largest difference to the reference, relative to 1 + |reference|; -1 if something refuses.
double difference(const GraphPtr& graph, std::string* steps = nullptr,
                  const Target& target = host()) {
    const auto plan = planFusion(*graph, target);
    const auto module = compileModule(*graph, *plan, target);
    if (!module.ok())
        return -1;
    auto loaded = loadModule(std::make_shared<const CompiledModule>(*module), target);
    if (!loaded.ok())
        return -1;
    for (const runtime::Step& step : module->program.steps)
        if (step.group != runtime::noGroup && plan->groups.at(step.group).name != step.name)
            return -1;
    std::vector<TensorData> inputs = (*loaded)->randomInputs(3, {}).value();
    const auto got = (*loaded)->run(inputs);
    const auto wanted = evaluateGraph(*graph, inputs);
    if (!got.ok() || !wanted.ok())
        return -1;
    if (steps != nullptr)
        for (const runtime::Step& step : module->program.steps)
            *steps += step.name + " ";
    double worst = 0;
    for (std::size_t i = 0; i < got->size(); ++i)
        for (std::size_t k = 0; k < (*got)[i].count(); ++k) {
            const double a = (*got)[i].at(k), b = (*wanted)[i].at(k);
            worst = std::max(worst, std::abs(a - b) / (1 + std::abs(b)));
        }
    return worst;
}

} // namespace

class TestCompile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void concatInPlace();
    void concatOfResultsAndRows();
    void slicesInPlace();
    void residualIsWrittenOver();
    void secondCompilationIsCached();
    void softmaxBeforeAnotherOperator();
    void resultsThatReadResults_data();
    void resultsThatReadResults();
    void resultUnderSeveralNames(); // E26
    void indicesStayInTheirAxis();
    void indicesOutsideAreTold_data();
    void indicesOutsideAreTold();
    void indicesThatNobodyGaveAreNot_data();
    void indicesThatNobodyGaveAreNot();
    void progressIsAlwaysTold();
    void whoGivesTheInputsDecides();
};

// Operands that are read by others too, a concat inside a concat, a pool of a slice.
void TestCompile::concatInPlace() {
    Builder b;
    const ValueRef x = b.input("x", {2, 5, 9, 7});
    const Attrs channels = attrs({{"axis", std::int64_t(1)}});
    const ValueRef a = b.op("relu", {b.op("conv2d", {x, b.weight("v", {16, 5, 3, 3})},
                                          attrs({{"pads", Integers{1, 1, 1, 1}}}))});
    const ValueRef c = b.op("conv2d", {a, b.weight("w", {7, 16, 1, 1})});
    const ValueRef inner = b.op("concat", {a, c}, channels);
    const ValueRef pool = b.op("max_pool2d", {a}, attrs({{"kernel_shape", Integers{1, 1}}}));
    const ValueRef d = b.op("conv2d", {inner, b.weight("u", {3, 23, 1, 1})});
    const ValueRef outer = b.op("concat", {d, inner, b.op("softmax", {d}, channels)}, channels);
    const GraphPtr graph =
        b.finish({b.op("conv2d", {outer, b.weight("t", {4, 29, 1, 1})}), b.op("tanh", {pool})});
    std::string steps;
    const double worst = difference(graph, &steps);
    QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
    QVERIFY2(steps.find("concat") == std::string::npos, steps.c_str());
}

void TestCompile::concatOfResultsAndRows() {
    for (const std::int64_t axis : {0, 1, -1}) {
        Builder b;
        const ValueRef x = b.input("x", {3, 4, 37});
        const ValueRef a = b.op("softmax", {x});
        const ValueRef s = b.op("softmax", {a}, attrs({{"axis", std::int64_t(1)}}));
        const ValueRef t = b.op("softmax", {x}, attrs({{"axis", std::int64_t(0)}}));
        const ValueRef joined = b.op("concat", {a, s, t}, attrs({{"axis", std::int64_t(axis)}}));
        std::string steps;
        const double worst = difference(b.finish({joined, b.op("abs", {s})}), &steps);
        QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
        QVERIFY2(steps.find("concat") == std::string::npos, steps.c_str());
    }
    // A result stays whole, so the concat copies.
    Builder b;
    const ValueRef x = b.input("x", {3, 4});
    const ValueRef a = b.op("softmax", {x}), c = b.op("softmax", {a});
    const double worst = difference(b.finish({a, b.op("concat", {a, c})}));
    QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
}

// Parts of an input, of a computed image that lies in a concat, and of a part.
void TestCompile::slicesInPlace() {
    Builder b;
    const ValueRef x = b.input("x", {2, 10, 6, 5});
    Attrs split = attrs({{"axis", std::int64_t(1)}});
    split.set("sizes", Integers{3, 7});
    GraphEditor::NewNode node;
    node.op = "split";
    node.inputs = {x};
    node.attrs = split;
    const std::vector<ValueRef> parts = b.editor.add(node).value();
    const ValueRef a = b.op("conv2d", {parts[1], b.weight("v", {10, 7, 1, 1})});
    node.inputs = {a};
    const std::vector<ValueRef> inner = b.editor.add(node).value();
    Attrs box = attrs({{"starts", Integers{1, 2}}});
    box.set("ends", Integers{5, 4});
    box.set("axes", Integers{2, 3});
    box.set("steps", Integers{1, 1});
    const ValueRef small = b.op("slice", {inner[1]}, box);
    const ValueRef joined =
        b.op("concat", {a, b.op("softmax", {a})}, attrs({{"axis", std::int64_t(1)}}));
    const GraphPtr graph =
        b.finish({b.op("tanh", {parts[0]}), b.op("abs", {inner[0]}),
                  b.op("max_pool2d", {small}, attrs({{"kernel_shape", Integers{2, 2}}})),
                  b.op("relu", {small}), b.op("conv2d", {joined, b.weight("w", {2, 20, 3, 3})})});
    std::string steps;
    const double worst = difference(graph, &steps);
    QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
    for (const char* gone : {"split", "slice", "concat"})
        QVERIFY2(steps.find(gone) == std::string::npos, steps.c_str());
}

// The sum takes the memory of the operand that it reads element for element, and only then.
void TestCompile::residualIsWrittenOver() {
    const auto build = [](bool later, const char* last) {
        Builder b;
        const ValueRef x = b.input("x", {1, 8, 9, 9});
        const ValueRef first = b.op("conv2d", {x, b.weight("v", {8, 8, 1, 1})});
        const ValueRef second = b.op("conv2d", {first, b.weight("w", {8, 8, 3, 3})},
                                     attrs({{"pads", Integers{1, 1, 1, 1}}}));
        const ValueRef sum = b.op("add", {second, first});
        std::vector<ValueRef> results{b.op(last, {sum})};
        if (later)
            results.push_back(b.op("softmax", {first}));
        return b.finish(results);
    };
    const auto reused = [](const GraphPtr& graph) {
        const FusionPlan plan = planFusion(*graph, host()).value();
        const CompiledModule module = compileModule(*graph, plan, host()).value();
        int out = 0;
        for (const KernelReport& report : module.reports)
            for (const Decision& decision : report.decisions)
                out += decision.code == ReasonCode::ReusesMemory;
        return out;
    };
    // The second convolution reads its operand around every point, so only a sum that stands
    // apart from it may take that memory.
    const GraphPtr graph = build(false, "softmax");
    QCOMPARE(reused(graph), 0);
    const auto chain = [](bool later) {
        Builder b;
        const ValueRef x = b.input("x", {1, 8, 9, 9});
        const ValueRef first = b.op("conv2d", {x, b.weight("v", {8, 8, 1, 1})});
        const ValueRef second = b.op("conv2d", {x, b.weight("w", {8, 8, 3, 3})},
                                     attrs({{"pads", Integers{1, 1, 1, 1}}}));
        std::vector<ValueRef> results{b.op("softmax", {b.op("add", {second, first})})};
        if (later)
            results.push_back(b.op("softmax", {first}));
        return b.finish(results);
    };
    QCOMPARE(reused(chain(false)), 1);
    QCOMPARE(reused(chain(true)), 0);
    for (const GraphPtr& one : {graph, build(true, "tanh"), chain(false), chain(true)}) {
        const double worst = difference(one);
        QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
    }
}

void TestCompile::secondCompilationIsCached() {
    Builder b;
    const ValueRef x = b.input("x", {1, 8, 6, 6});
    ValueRef y = x;
    for (int i = 0; i < 3; ++i) // the inner two are one kernel
        y = b.op("relu", {b.op("conv2d", {y, b.weight("w" + std::to_string(i), {8, 8, 1, 1})})});
    const GraphPtr graph =
        b.finish({b.op("max_pool2d", {y}, attrs({{"kernel_shape", Integers{2, 2}}}))});
    const FusionPlan plan = planFusion(*graph, host()).value();
    QTemporaryDir folder;
    const KernelCache::Options options{.folder = folder.path().toStdString()};
    KernelCache cache(options);
    ModuleOptions module;
    module.cache = &cache;
    const CompiledModule cold = compileModule(*graph, plan, host(), module).value();
    QVERIFY(cold.times.compiled > 1 && cold.times.fromDisk == 0);
    QVERIFY(cold.kernels.size() < cold.reports.size());
    const CompiledModule again = compileModule(*graph, plan, host(), module).value();
    QCOMPARE(again.times.compiled, 0);
    QCOMPARE(again.times.fromMemory, cold.times.compiled);
    KernelCache fresh(options);
    module.cache = &fresh;
    const CompiledModule warm = compileModule(*graph, plan, host(), module).value();
    QCOMPARE(warm.times.compiled, 0);
    QCOMPARE(warm.times.fromDisk, cold.times.compiled);
    for (std::size_t i = 0; i < cold.kernels.size(); ++i)
        QVERIFY(warm.kernels[i]->object == cold.kernels[i]->object &&
                warm.kernels[i]->symbol == cold.kernels[i]->symbol);
    const Target other = parseTarget("x86-64 -mcpu=x86-64-v2 -libs= -threads=1").value();
    const CompiledModule foreign =
        compileModule(*graph, planFusion(*graph, other).value(), other, module).value();
    QVERIFY(foreign.times.compiled > 1 && foreign.times.fromDisk == 0);
    // Nodes are told for every group by its own.
    std::set<std::int64_t> nodes;
    for (const KernelReport& report : cold.reports)
        nodes.insert(report.nest.body->nodes.begin(), report.nest.body->nodes.end());
    QVERIFY(nodes.size() >= 4);
}

// A softmax has four variables of one name; those of the operators behind it are others.
void TestCompile::softmaxBeforeAnotherOperator() {
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        const Target target =
            parseTarget(std::string("x86-64 -libs= -threads=2 -mcpu=") + cpu).value();
        if (!target.isHost)
            continue;
        for (const std::vector<std::int64_t>& shape :
             {std::vector<std::int64_t>{1, 8, 3, 5}, {2, 2, 4, 16}, {4, 7}, {3, 5, 33}})
            for (std::size_t axis = 1; axis < shape.size(); ++axis) {
                Builder b;
                const std::vector<std::int64_t> channels = {shape[1]};
                const ValueRef softmax = b.op("softmax", {b.input("x", shape)},
                                              attrs({{"axis", static_cast<std::int64_t>(axis)}}));
                const GraphPtr graph =
                    b.finish(b.op("batch_norm", {softmax, b.weight("s", channels),
                                                 b.weight("b", channels), b.weight("m", channels),
                                                 b.op("abs", {b.weight("v", channels)})}));
                const double worst = difference(graph, nullptr, target);
                QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
            }
    }
}

void TestCompile::resultsThatReadResults_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const char* graph) {
        QTest::newRow(name) << QByteArray::fromStdString(
            "op two(x: T[N, D]) -> (y: T[N, D], r: T[N]) {\n"
            "  r[n] = sum(d in D : x[n, d])\n  y[n, d] = x[n, d] + r[n] }\n"
            "op chain(x: T[N, D]) -> (a: T[N], b: T[N, D], c: T[D]) {\n"
            "  a[n] = max(d in D : x[n, d])\n  b[n, d] = x[n, d] - a[n]\n"
            "  c[d] = sum(n in N : b[n, d] * a[n]) }\n" +
            std::string(graph));
    };
    row("the second is read by the first", "graph g(x: f32[7, 32]) -> n, r { (n, r) = two(x) }");
    row("three in a chain", "graph g(x: f32[5, 9]) -> a, b, c { (a, b, c) = chain(x) }");
    row("the middle one is a result and goes on",
        "graph g(x: f32[5, 9]) -> b, y { (a, b, c) = chain(x)\n  y = relu(b) }");
    row("only the last is used", "graph g(x: f32[5, 9]) -> y { (a, b, c) = chain(x)\n  y = "
                                 "tanh(c) }");
    row("only the first is used", "graph g(x: f32[5, 9]) -> y { (a, b, c) = chain(x)\n  y = "
                                  "tanh(a) }");
    row("a result of one is read by another",
        "graph g(x: f32[7, 7]) -> n, c { (n, r) = two(x)\n  (a, b, c) = chain(n) }");
    row("layernorm with its statistics",
        "graph g(x: f32[7, 32], s: f32[32], t: f32[32]) -> n, m, r { (n, m, r) = layernorm(x, s, "
        "t) }");
    row("layernorm of which one statistic is used",
        "graph g(x: f32[7, 32], s: f32[32], t: f32[32]) -> y, r { (n, m, r) = layernorm(x, s, "
        "t)\n  y = relu(n) }");
    row("an elementwise value is a result and goes on",
        "graph g(x: f32[7, 32]) -> a, y { a = relu(x)\n  b = tanh(a)\n  y = add(a, b) }");
}

void TestCompile::resultsThatReadResults() {
    QFETCH(QByteArray, text);
    Diags errors;
    const auto operators = withOperators(*standardOperators(), text.toStdString(), "t.fw", errors);
    QVERIFY2(errors.empty(), errors.empty() ? "" : errors.front().text().c_str());
    const GraphPtr graph = parseGraph(text.toStdString(), operators).value();
    const double worst = difference(graph);
    QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
}

// It is computed once, whatever number of results the caller wants of it.
void TestCompile::resultUnderSeveralNames() {
    const GraphPtr graph =
        parseGraph("graph g(x: f32[8, 8]) -> y, again = y, more = y { a = exp(x)  y = tanh(a) }",
                   standardOperators())
            .value();
    std::string steps;
    const double worst = difference(graph, &steps);
    QVERIFY2(worst >= 0 && worst < 1e-4, QByteArray::number(worst).constData());
    QCOMPARE(steps, std::string("exp_tanh_0 copy_again copy_more "));
}

// Computed indices: from the end where they are negative, and the nearest element where there is
// none. The guards of memory stand in session/test_memory.
void TestCompile::indicesStayInTheirAxis() {
    const GraphPtr graph = parseGraph("graph g(x: f32[4, 3], i: i64[7], j: i64[2, 3], k: i64[3, 2])"
                                      " -> a, b, c {\n"
                                      "  two = const [2] : i64[1]  n = mul(i, two)\n"
                                      "  a = gather(x, n) {axis = 0}\n"
                                      "  b = gather_elements(x, j) {axis = 0}\n"
                                      "  c = gather_nd(x, k)\n}",
                                      standardOperators())
                               .value();
    std::vector<double> elements(12);
    std::iota(elements.begin(), elements.end(), 0);
    const std::int64_t far = std::int64_t{1} << 61;
    const std::vector<TensorData> inputs = {
        dataFromDoubles(DType::F32, {4, 3}, elements),
        dataFromIntegers(DType::I64, {7}, {0, 1, -1, -2, 2, far, -far}),
        dataFromIntegers(DType::I64, {2, 3}, {-1, 4, -9, 99, -4, 3}),
        dataFromIntegers(DType::I64, {3, 2}, {-1, -1, 7, 7, -9, 1})};
    // Rows 0, 2, -2, -4, 4, and far off on both sides.
    const std::vector<std::vector<double>> wanted = {
        {0, 1, 2, 6, 7, 8, 6, 7, 8, 0, 1, 2, 9, 10, 11, 9, 10, 11, 0, 1, 2},
        {9, 10, 2, 9, 1, 11},
        {11, 11, 1}};
    const FusionPlan plan = planFusion(*graph, host()).value();
    auto module =
        std::make_shared<const CompiledModule>(compileModule(*graph, plan, host()).value());
    auto loaded = loadModule(module, host());
    QVERIFY(loaded.ok());
    const auto computed = (*loaded)->run(inputs);
    const auto reference = evaluateGraph(*graph, inputs);
    QVERIFY(computed.ok() && reference.ok());
    for (std::size_t r = 0; r < wanted.size(); ++r) {
        QCOMPARE((*computed)[r].toDoubles(), wanted[r]);
        QCOMPARE((*reference)[r].toDoubles(), wanted[r]);
    }
}

namespace {

// A graph of one index operand i beside x: f32[4, 3], in code of ours and by its reference.
struct Indexed {
    GraphPtr graph;
    std::unique_ptr<LoadedModule> loaded;

    explicit Indexed(const QString& text) {
        graph = parseGraph(text.toStdString(), standardOperators()).value();
        const FusionPlan plan = planFusion(*graph, host()).value();
        auto module = loadModule(
            std::make_shared<const CompiledModule>(compileModule(*graph, plan, host()).value()),
            host());
        loaded = std::move(*module);
    }

    std::vector<TensorData> inputs(const std::vector<std::int64_t>& indices) const {
        std::vector<TensorData> out;
        for (const NodeId id : graph->inputs()) {
            const TensorType& type = graph->node(id).outputs[0].type;
            std::vector<std::int64_t> extents;
            for (const Dim& dim : type.shape)
                extents.push_back(*dim.asInt());
            if (isInteger(type.dtype))
                out.push_back(dataFromIntegers(type.dtype, extents, indices));
            else
                out.push_back(randomData(type.dtype, extents, 1));
        }
        return out;
    }
};

} // namespace

void TestCompile::indicesOutsideAreTold_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QList<qint64>>("right");
    QTest::addColumn<QList<qint64>>("wrong");
    QTest::addColumn<QString>("told");
    const QString gather = QStringLiteral("graph g(x: f32[4, 3], i: %1) -> y {\n%2}");
    const auto add = [&](const char* name, const char* type, const char* body,
                         const QList<qint64>& right, const QList<qint64>& wrong, const char* told) {
        QTest::newRow(name) << gather.arg(QString::fromLatin1(type), QString::fromLatin1(body))
                            << right << wrong << QString::fromLatin1(told);
    };
    add("gather", "i64[3]", "  y = gather(x, i) {axis = 0}\n", {0, -4, 3}, {0, 1, 4},
        "element 2 of i is 4, which lies outside of an axis of 4");
    add("from the end", "i32[3]", "  y = gather(x, i) {axis = 1}\n", {0, -3, 2}, {2, -4, 9},
        "element 1 of i is -4, which lies outside of an axis of 3");
    add("bytes", "u8[2]", "  y = gather(x, i) {axis = 0}\n", {0, 3}, {200, 1},
        "element 0 of i is 200, which lies outside of an axis of 4");
    add("cast and moved in the same group", "i32[1, 3]",
        "  j = cast(i) {to = i64}\n  k = reshape(j) {shape = [3, 1]}\n"
        "  l = transpose(k) {perm = [1, 0]}\n  z = gather(x, l) {axis = 0}\n  y = relu(z)\n",
        {0, -4, 3}, {0, 4, 0}, "is 4, which lies outside of an axis of 4");
    add("computed by another group", "i64[3]",
        "  s = cumsum(i) {axis = 0}\n  t = softmax(x) {axis = 0}\n"
        "  y = gather(t, s) {axis = 0}\n",
        {0, 1, 2}, {1, 2, 3}, "element 2 of s is 6, which lies outside of an axis of 4");
    add("elements", "i64[2, 3]", "  y = gather_elements(x, i) {axis = 0}\n", {0, 1, 2, 3, -1, -4},
        {0, 1, 2, 3, -1, 4}, "element 5 of i is 4, which lies outside of an axis of 4");
    add("parts", "i64[2, 2]", "  y = gather_nd(x, i)\n", {3, 2, -4, -3}, {3, 2, 2, 3},
        "element 3 of i is 3, which lies outside of an axis of 3");
    add("scatter", "i64[1, 3]",
        "  u = slice(x) {starts = [0], ends = [1], axes = [0], steps = [1]}\n"
        "  y = scatter_add(x, i, u) {axis = 0}\n",
        {0, 3, -1}, {0, -5, 0}, "element 1 of i is -5, which lies outside of an axis of 4");
    add("scatter parts", "i64[1, 1]",
        "  u = slice(x) {starts = [0], ends = [1], axes = [0], steps = [1]}\n"
        "  y = scatter_nd(x, i, u)\n",
        {3}, {4}, "element 0 of i is 4, which lies outside of an axis of 4");
    add("an axis of one", "i64[3]",
        "  s = slice(x) {starts = [1], ends = [2], axes = [0], steps = [1]}\n"
        "  y = gather(s, i) {axis = 0}\n",
        {0, -1, 0}, {0, 0, 1}, "element 2 of i is 1, which lies outside of an axis of 1");
    add("classes", "i64[4]", "  y = nll_loss(x, i)\n", {0, 2, -3, 1}, {0, 1, 2, 3},
        "element 3 of i is 3, which lies outside of an axis of 3");
    add("classes beside one that is ignored", "i32[4]", "  y = nll_mean(x, i) {ignored = -100}\n",
        {0, -100, 2, 1}, {-100, -100, -99, 0},
        "element 2 of i is -99, which lies outside of an axis of 3");
}

// In code of ours and by the reference alike, with the node, the element and its value.
void TestCompile::indicesOutsideAreTold() {
    QFETCH(const QString, graph);
    QFETCH(const QList<qint64>, right);
    QFETCH(const QList<qint64>, wrong);
    QFETCH(const QString, told);
    const Indexed indexed(graph);
    const auto inputs = [&](const QList<qint64>& list) {
        return indexed.inputs({list.begin(), list.end()});
    };
    indexed.loaded->executor().setIndices(runtime::Indices::Check);
    QVERIFY(indexed.loaded->run(inputs(right)).ok());
    QVERIFY(evaluateGraph(*indexed.graph, inputs(right), {}, Precision::Double, BadIndices::Refuse)
                .ok());
    const auto computed = indexed.loaded->run(inputs(wrong));
    const auto reference =
        evaluateGraph(*indexed.graph, inputs(wrong), {}, Precision::Double, BadIndices::Refuse);
    QVERIFY(!computed.ok() && !reference.ok());
    for (const Diag& diag : {computed.diag(), reference.diag()}) {
        QCOMPARE(diag.code, DiagCode::InputMismatch);
        QVERIFY2(diag.message.find(told.toStdString()) != std::string::npos, diag.text().c_str());
    }
    QVERIFY2(!reference.diag().where.node.empty() &&
                 computed.diag().message.starts_with(reference.diag().where.node + ": "),
             computed.diag().text().c_str());
    indexed.loaded->executor().setIndices(runtime::Indices::Clamp);
    QVERIFY(indexed.loaded->run(inputs(wrong)).ok());
    QVERIFY(evaluateGraph(*indexed.graph, inputs(wrong)).ok());
}

void TestCompile::indicesThatNobodyGaveAreNot_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QList<qint64>>("indices");
    const auto add = [&](const char* name, const char* text, const QList<qint64>& indices) {
        QTest::newRow(name) << QString::fromLatin1(text) << indices;
    };
    // A class that is left out is no class.
    add("ignored",
        "graph g(x: f32[4, 3], i: i64[4]) -> y {\n"
        "  y = nll_loss(x, i) {ignored = -100}\n}",
        {0, -100, 2, 1});
    // Computed where it is read: it stands for the nearest element, as modules.md says.
    add("computed in the same group",
        "graph g(x: f32[4, 3], i: i64[3]) -> y {\n"
        "  two = const [2] : i64[1]  n = mul(i, two)  y = gather(x, n) {axis = 0}\n}",
        {0, 1, 2});
}

void TestCompile::indicesThatNobodyGaveAreNot() {
    QFETCH(const QString, graph);
    QFETCH(const QList<qint64>, indices);
    const Indexed indexed(graph);
    indexed.loaded->executor().setIndices(runtime::Indices::Check);
    QVERIFY(indexed.loaded->run(indexed.inputs({indices.begin(), indices.end()})).ok());
}

// Also where helpers are quick to take what there is.
void TestCompile::progressIsAlwaysTold() {
    Builder b;
    const ValueRef x = b.input("x", {2, 3});
    const GraphPtr graph = b.finish({b.op("softmax", {x}), b.op("exp", {x})});
    const FusionPlan plan = planFusion(*graph, host()).value();
    KernelCache cache{KernelCache::Options{}};
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> told;
        ModuleOptions options;
        options.compileThreads = 4;
        options.cache = &cache;
        options.progress = [&](const CompileProgress& step) { told.push_back(step.text); };
        QVERIFY(compileModule(*graph, plan, host(), options).ok());
        QVERIFY2(!told.empty(), QByteArray::number(round).constData());
    }
}

// How much memory results take; of inputs that are made up a limit does.
void TestCompile::whoGivesTheInputsDecides() {
    const Indexed large(QStringLiteral("graph g(x: f32[1]) -> y {\n"
                                       "  y = expand(x) {shape = [2000000000]}\n}"));
    const auto madeUp = large.loaded->randomInputs(1, {});
    QVERIFY(!madeUp.ok());
    QCOMPARE(madeUp.diag().code, DiagCode::LimitReached);
    QVERIFY2(madeUp.diag().message.find("the limit is 4294967296") != std::string::npos,
             madeUp.diag().text().c_str());
    const auto given = large.loaded->randomInputs(1, {}, {dataFromDoubles(DType::F32, {1}, {1})});
    QVERIFY2(given.ok(), given.ok() ? "" : given.diag().text().c_str());
}

FW_TEST(TestCompile, QCoreApplication)
#include "test_compile.moc"
