// What is assumed of free dimensions holds or the run is refused: generated code, libraries and
// exported modules agree with the reference about which sizes fit, and about the numbers where they
// do, whether the dimensions are known before or after compilation.
#include "base/files.h"
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/export.h"
#include "module/load.h"
#include "runtime/cpu.h"
#include "tensor/evaluate_graph.h"

#include <QTemporaryDir>

#include <cmath>
#include <dlfcn.h>
#include <nlohmann/json.hpp>

using namespace fw;

namespace {

using Sizes = std::map<std::string, std::int64_t>;

// What a graph of the test says, and the sizes that the dimensions N, M ... take in turn.
struct AssumptionCase {
    const char* name;
    const char* text;
    std::vector<std::int64_t> sizes = {0, 1, 3, 8};
    bool always = false; // whatever the sizes are, they fit
};

const std::vector<AssumptionCase>& assumptionCases() {
    static const std::vector<AssumptionCase> all = {
        {"add", "graph g(x: f32[N], z: f32[M]) -> y { y = add(x, z) }", {0, 1, 3, 8, 37}},
        {"known", "graph g(x: f32[N], z: f32[8]) -> y { y = sub(z, x) }"},
        {"rows", "graph g(x: f32[N, 37], z: f32[M, 37]) -> y { a = add(x, z)  y = exp(a) }"},
        {"columns", "graph g(x: f32[5, N], z: f32[5, M]) -> y { y = mul(x, z) }"},
        {"other rank", "graph g(x: f32[3, N], z: f32[M]) -> y { y = add(z, x) }"},
        {"both ways",
         "graph g(x: f32[N, 1], z: f32[1, M]) -> y { a = add(x, z)  y = add(a, x) }",
         {0, 1, 3, 8},
         true},
        {"chain",
         "graph g(x: f32[N], z: f32[M]) -> y { a = add(x, z)  b = mul(a, x)  y = add(z, b) }"},
        {"three",
         "graph g(c: bool[N, 4], a: f32[M, 4], b: f32[L, 4]) -> y { y = where(c, a, b) }",
         {0, 1, 5}},
        {"in place",
         "graph g(x: f32[N, 8], z: f32[M, 8]) -> y { a = softmax(x)  b = softmax(z)  c = add(a, b)"
         "  y = softmax(c) }"},
        {"rowwise", "graph g(x: f32[N, 6], z: f32[M, 6]) -> y { a = add(x, z)  y = softmax(a) }"},
        {"row of free length",
         "graph g(x: f32[4, N], z: f32[4, M]) -> y { a = add(x, z)  y = softmax(a) }"},
        {"sum", "graph g(x: f32[N, 6], z: f32[M, 6]) -> y { a = mul(x, z)"
                "  y = reduce_sum(a) {axes = [0], keepdims = 0} }"},
        {"dense", "graph g(x: f32[N, 8], w: f32[4, K]) -> y { y = dense(x, w) }"},
        {"after dense", "graph g(x: f32[N, 8], w: f32[16, 8], z: f32[M, 16]) -> y {"
                        "  a = dense(x, w)  b = add(a, z)  y = relu(b) }"},
        {"before dense", "graph g(x: f32[N, 8], z: f32[M, 8], w: f32[16, 8]) -> y {"
                         "  a = add(x, z)  y = dense(a, w) }"},
        {"bias", "graph g(x: f32[3, N], b: f32[M]) -> y { y = bias(x, b) {axis = 1} }"},
        {"batches", "graph g(a: f32[N, 3, 4], b: f32[M, 4, 5]) -> y { y = batch_matmul(a, b) }"},
        {"batches of batches", "graph g(a: f32[N, 2, 3, 4], b: f32[M, 4, 20]) -> y { c = "
                               "batch_matmul(a, b)  y = relu(c) }"},
        {"inner", "graph g(a: f32[2, 3, N], b: f32[2, M, 5]) -> y { y = batch_matmul(a, b) }"},
        {"concat", "graph g(a: f32[N, 2], b: f32[M, 3]) -> y { y = concat(a, b) {axis = 1} }"},
        {"channels", "graph g(x: f32[1, N, 5, 5], w: f32[2, M, 3, 3]) -> y { y = conv2d(x, w) }"},
        {"image too small",
         "graph g(x: f32[1, 2, N, 6], w: f32[2, 2, 3, 3]) -> y { y = conv2d(x, w) }"},
        {"after conv", "graph g(x: f32[N, 2, 6, 6], w: f32[4, 2, 3, 3], z: f32[M, 4, 4, 4]) -> y {"
                       "  c = conv2d(x, w)  a = add(c, z)  y = relu(a) }"},
        {"slope", "graph g(x: f32[N, 4], s: f32[M, 4]) -> y { y = prelu(x, s) }"},
        {"expand", "graph g(x: f32[N, 3], z: f32[M]) -> y, q {"
                   "  y = expand(x) {shape = [M, 3]}  q = relu(z) }"},
        {"reshape",
         "graph g(x: f32[N, 4], z: f32[M]) -> y, q {"
         "  y = reshape(x) {shape = [M, 2]}  q = relu(z) }",
         {0, 1, 2, 6}},
        {"split", "graph g(x: f32[N, 2]) -> y { (a, b) = split(x) {axis = 0, sizes = [1, 2]}"
                  "  y = concat(b, a) {axis = 0} }"},
        {"cut", "graph g(x: f32[N]) -> y { y = pad(x) {pads = [-2, 0]} }"},
        {"grid", "op grid (bcast a: T[H, W], bcast b: T[H, W]) -> y: T[H, W] {"
                 " y[h, w] = a[h, w] - b[h, w] }\n"
                 "graph g(x: f32[N, 6], z: f32[M, 6], v: f32[6]) -> y {"
                 " a = grid(x, z)  y = grid(a, v) }"},
        {"beyond", "op shifted (bcast a: T[S...], bcast b: T[S...]) -> y: T[S...] {"
                   " y[i...] = a[i...] + pad(b[i... - 1], 0) }\n"
                   "graph g(x: f32[N], z: f32[M]) -> y { y = shifted(x, z) }"},
        {"norm",
         "graph g(x: f32[3, N], g: f32[M], b: f32[N]) -> y { (y, m, r) = layernorm(x, g, b) }"},
    };
    return all;
}

Result<GraphPtr> graphOf(const char* text, const Sizes& sizes = {}) {
    GraphTextOptions options;
    options.dims = sizes;
    Diags errors;
    const auto operators = withOperators(*standardOperators(), text, "case.fw", errors);
    if (!errors.empty())
        return errors.front();
    return parseGraph(text, operators, options);
}

Result<std::unique_ptr<LoadedModule>> loaded(const Graph& graph, const Target& target) {
    static const Catalog catalog = catalogOf(externLibraries(), standardStrategy());
    PlanOptions options;
    options.catalog = &catalog;
    FW_TRY(const FusionPlan plan, planFusion(graph, target, options));
    FW_TRY(CompiledModule module, compileModule(graph, plan, target));
    return loadModule(std::make_shared<const CompiledModule>(std::move(module)), target);
}

// Every way of giving the free dimensions of a graph one of the sizes.
std::vector<Sizes> combinations(const Graph& graph, const std::vector<std::int64_t>& sizes) {
    std::vector<Sizes> out = {{}};
    for (const Symbol dim : graph.freeDims()) {
        std::vector<Sizes> next;
        for (const Sizes& some : out)
            for (const std::int64_t size : sizes) {
                next.push_back(some);
                next.back()[dim.text()] = size;
            }
        out = std::move(next);
    }
    return out;
}

std::vector<TensorData> inputsOf(const Graph& bound) {
    std::vector<TensorData> out;
    for (const NodeId id : bound.inputs()) {
        const TensorType& type = bound.node(id).outputs[0].type;
        out.push_back(randomData(type.dtype, fixedExtents(type.shape).value(), 7 + out.size()));
    }
    return out;
}

// Nothing, or what differs.
QString difference(const std::vector<TensorData>& got, const std::vector<TensorData>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(got[i].type() == wanted[i].type()))
            return QStringLiteral("%1 instead of %2")
                .arg(got[i].type().text().c_str(), wanted[i].type().text().c_str());
        for (std::size_t k = 0; k < wanted[i].count(); ++k) {
            const double a = got[i].at(k), b = wanted[i].at(k);
            if (!(std::abs(a - b) <= 1e-4 * (1 + std::abs(b))) && !(std::isnan(a) && std::isnan(b)))
                return QStringLiteral("element %1 of result %2 is %3 instead of %4")
                    .arg(k)
                    .arg(i)
                    .arg(a)
                    .arg(b);
        }
    }
    return {};
}

QString sizesText(const Sizes& sizes) {
    QString out;
    for (const auto& [name, size] : sizes)
        out += QStringLiteral(" %1 = %2").arg(name.c_str()).arg(size);
    return out;
}

} // namespace

class TestAssumptions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boundWhileRunning_data();
    void boundWhileRunning();
    void boundBefore_data() { boundWhileRunning_data(); }
    void boundBefore();
    void sentences();
    void halvesThatAreDoubled();
    void exportedModule();
};

void TestAssumptions::boundWhileRunning_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("target");
    for (std::size_t i = 0; i < assumptionCases().size(); ++i)
        for (const char* libs : {"", "onednn", "openblas"})
            QTest::addRow("%s %s", assumptionCases()[i].name, libs)
                << int(i) << QStringLiteral("x86-64 -threads=2 -libs=%1").arg(libs);
}

void TestAssumptions::boundWhileRunning() {
    QFETCH(int, index);
    QFETCH(QString, target);
    const AssumptionCase& one = assumptionCases()[std::size_t(index)];
    const Result<GraphPtr> free = graphOf(one.text);
    QVERIFY2(free.ok(), free.ok() ? "" : free.diag().text().c_str());
    const Target machine = parseTarget(target.toStdString()).value();
    auto module = loaded(**free, machine);
    QVERIFY2(module.ok(), module.ok() ? "" : module.diag().text().c_str());
    int fitting = 0, refused = 0;
    for (const Sizes& sizes : combinations(**free, one.sizes)) {
        const QString where = sizesText(sizes) + QStringLiteral(": ");
        // Inference over known sizes, with nothing left to assume, judges which of them fit.
        const Result<GraphPtr> bound = graphOf(one.text, sizes);
        const std::vector<TensorData> inputs = (*module)->randomInputs(7, sizes).value();
        const Result<std::vector<TensorData>> got = (*module)->run(inputs);
        const Result<std::vector<TensorData>> same = evaluateGraph(**free, inputs);
        QVERIFY2(got.ok() == bound.ok(),
                 qPrintable(where + (got.ok() ? "ran" : got.diag().text().c_str())));
        QCOMPARE(same.ok(), bound.ok());
        if (!bound.ok()) {
            ++refused;
            QCOMPARE(got.diag().code, DiagCode::InputMismatch);
            QCOMPARE(bound.diag().code, DiagCode::ShapeMismatch);
            QVERIFY2(got.diag().message.find("; here ") != std::string::npos,
                     got.diag().message.c_str());
            continue;
        }
        ++fitting;
        QVERIFY((*bound)->assumptions().empty());
        const QString wrong = difference(*got, evaluateGraph(**bound, inputs).value());
        QVERIFY2(wrong.isEmpty(), qPrintable(where + wrong));
        QVERIFY(difference(*same, evaluateGraph(**bound, inputs).value()).isEmpty());
    }
    QVERIFY(fitting > 0 && (refused == 0) == one.always);
}

// The same with the sizes known to the compiler; a few of them, since each is compiled.
void TestAssumptions::boundBefore() {
    QFETCH(int, index);
    QFETCH(QString, target);
    const AssumptionCase& one = assumptionCases()[std::size_t(index)];
    const GraphPtr free = graphOf(one.text).value();
    const Target machine = parseTarget(target.toStdString()).value();
    for (const Sizes& sizes : combinations(*free, {1, one.sizes.back()})) {
        const Result<GraphPtr> bound = graphOf(one.text, sizes);
        if (!bound.ok())
            continue;
        const std::vector<TensorData> inputs = inputsOf(**bound);
        auto module = loaded(**bound, machine);
        QVERIFY2(module.ok(), module.ok() ? "" : module.diag().text().c_str());
        const QString wrong =
            difference((*module)->run(inputs).value(), evaluateGraph(**bound, inputs).value());
        QVERIFY2(wrong.isEmpty(), qPrintable(sizesText(sizes) + QStringLiteral(": ") + wrong));
    }
}

// The words are the same before and after compilation, with both dimensions and where they stand.
void TestAssumptions::sentences() {
    const Target target = parseTarget("x86-64 -libs=").value();
    const char* const text =
        "graph g(x: f32[N], z: f32[M]) -> y { y = add(x, z) @node(\"Add_3\") }";
    const GraphPtr graph = graphOf(text).value();
    QCOMPARE(graph->assumptions().size(), std::size_t(1));
    QCOMPARE(graph->assumptions()[0].condition.text(), std::string("M == N || M == 1 || N == 1"));
    auto opened = loaded(*graph, target);
    QVERIFY(opened.ok());
    LoadedModule* const module = opened->get();
    const auto ran = module->run(module->randomInputs(1, {{"N", 8}, {"M", 3}}).value());
    QVERIFY(!ran.ok());
    QCOMPARE(
        ran.diag().message,
        std::string("Add_3: add: dimension 0 of a is N and dimension 0 of b is M: they must be "
                    "equal, or one of them 1; a is 'x', b is 'z'; here M is 3, N is 8"));
    QVERIFY(!ran.diag().hint.empty());
    const auto bound = graphOf(text, {{"N", 8}, {"M", 3}});
    QVERIFY(!bound.ok());
    QCOMPARE(
        bound.diag().message,
        std::string("add: dimension 0 of a is 8 and dimension 0 of b is 3: they must be equal, "
                    "or one of them 1"));
    QCOMPARE(bound.diag().where.node, std::string("Add_3"));
    QCOMPARE(exitCode(ran.diag().code), 2);
    QCOMPARE(exitCode(bound.diag().code), 2);
}

// Sizes that are halved and doubled are equal, and not 1; those that nobody gave are made up so.
void TestAssumptions::halvesThatAreDoubled() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[H], p: f32[(H + 1) / 2], q: f32[((H + 1) / 2 + 1) / 2 * 2],"
                " r: f32[(H + 1) / 2 * 2]) -> y, z { y = add(q, p)  z = add(r, x) }")
            .value();
    QCOMPARE(graph->assumptions().size(), std::size_t(2));
    QCOMPARE(graph->type(graph->results()[1].value).text(), std::string("f32[H]"));
    auto opened = loaded(*graph, parseTarget("x86-64 -libs=").value());
    QVERIFY2(opened.ok(), opened.ok() ? "" : opened.diag().text().c_str());
    const auto inputs = (*opened)->randomInputs(1, {});
    QVERIFY(inputs.ok());
    QCOMPARE(inputs->front().extents(), std::vector<std::int64_t>{4});
    for (const std::int64_t size : {4, 8, 12}) {
        const auto given = (*opened)->randomInputs(1, {{"H", size}}).value();
        const QString wrong =
            difference((*opened)->run(given).value(), evaluateGraph(*graph, given).value());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
    for (const std::int64_t size : {1, 2, 3, 6}) {
        const auto ran = (*opened)->run((*opened)->randomInputs(1, {{"H", size}}).value());
        QVERIFY(!ran.ok());
        QVERIFY2(ran.diag().message.find("they must be equal: neither is taken for 1") !=
                     std::string::npos,
                 ran.diag().message.c_str());
    }
}

void TestAssumptions::exportedModule() {
    const Target target = parseTarget("x86-64 -libs=").value();
    const GraphPtr graph = graphOf("graph g(x: f32[N], z: f32[M]) -> y { y = add(x, z) }").value();
    const CompiledModule compiled =
        compileModule(*graph, planFusion(*graph, target).value(), target).value();
    module::ExportRequest request;
    request.name = "sum";
    for (const auto& kernel : compiled.kernels) {
        request.objects.push_back({kernel->object});
        request.kernels.push_back(kernel->symbol);
    }
    request.program = compiled.program;
    request.weights.payload = compiled.weights->data();
    QTemporaryDir folder;
    const std::string at = folder.path().toStdString();
    const auto report = module::exportModule(request, at);
    QVERIFY2(report.ok(), report.ok() ? "" : report.diag().text().c_str());

    const MappedFile manifest = mapFile(at + "/manifest.json", 1 << 20).value();
    const auto json = nlohmann::json::parse(manifest.text());
    QCOMPARE(json["assumptions"].size(), std::size_t(1));
    QCOMPARE(json["assumptions"][0]["condition"].get<std::string>(),
             std::string("((M == N) || (M == 1)) || (N == 1)"));
    QCOMPARE(json["requires"].get<std::string>(),
             runtime::featureNames(compiled.program.requiredFeatures));
    QVERIFY(!json["requires"].get<std::string>().empty());
    QCOMPARE(json["outputs"][0]["shape"].get<std::string>(),
             std::string("[select((M == 1), N, M)]"));

    void* library = dlopen((at + "/libsum.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library != nullptr, dlerror());
    const auto entry = reinterpret_cast<const fw_api* (*)()>(dlsym(library, "fw_sum_api"));
    QVERIFY(entry != nullptr);
    const fw_api& api = *entry();
    fw_model* model = nullptr;
    QCOMPARE(api.open((at + "/sum.weights").c_str(), nullptr, &model), FW_OK);
    const auto run = [&](std::int64_t n, std::int64_t m, std::vector<float>& y) {
        std::vector<float> x(std::size_t(n), 1.0f), z(std::size_t(m), 10.0f);
        const auto set = [&](std::int32_t input, std::vector<float>& data, std::int64_t& extent) {
            fw_tensor tensor{};
            tensor.data = data.data();
            tensor.device = {1, 0};
            tensor.ndim = 1;
            tensor.dtype = runtime::dlpackType(runtime::DataType::F32);
            tensor.shape = &extent;
            return api.set_input(model, input, &tensor);
        };
        if (set(0, x, n) != FW_OK || set(1, z, m) != FW_OK)
            return FW_BAD_SHAPE;
        const fw_status status = api.run(model);
        fw_tensor view{};
        if (status == FW_OK && api.output_view(model, 0, &view) == FW_OK)
            y.assign(static_cast<float*>(view.data),
                     static_cast<float*>(view.data) + view.shape[0]);
        return status;
    };
    std::vector<float> y;
    QCOMPARE(run(8, 3, y), FW_ASSUMPTION_FAILED);
    const QString said = QString::fromUtf8(api.last_error(model));
    QVERIFY2(said.contains(
                 "they must be equal, or one of them 1; a is 'x', b is 'z'; here M is 3, N is 8"),
             qPrintable(said));
    QCOMPARE(run(8, 1, y), FW_OK);
    QCOMPARE(y, std::vector<float>(8, 11.0f));
    QCOMPARE(run(1, 5, y), FW_OK);
    QCOMPARE(y, std::vector<float>(5, 11.0f));
    QCOMPARE(run(4, 4, y), FW_OK);
    QCOMPARE(y, std::vector<float>(4, 11.0f));
    QCOMPARE(run(0, 1, y), FW_OK);
    QVERIFY(y.empty());
    QCOMPARE(run(0, 3, y), FW_ASSUMPTION_FAILED);
    api.close(model);
    dlclose(library);
}

FW_TEST(TestAssumptions, QCoreApplication)
#include "test_assumptions.moc"
