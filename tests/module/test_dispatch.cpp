// Entries whose guards speak of free dimensions: the program takes the way of the entry that the
// guards choose for the sizes of each run, here and in an exported module, and the reference judges
// what it computes on both sides of every break point.
#include "base/files.h"
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/export.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <fmt/format.h>

using namespace fw;

namespace {

using Sizes = std::map<std::string, std::int64_t>;

struct At {
    Sizes sizes;
    std::vector<std::string> runs; // the entries of the groups that have branches, in order
};

struct DispatchCase {
    const char* name;
    const char* text;              // a graph and blocks
    std::vector<std::string> told; // CHO09, GRD01 and GRD02, in order
    std::vector<At> at;
    const char* libs = "";
};

const std::vector<DispatchCase>& dispatchCases() {
    static const std::vector<DispatchCase> all = {
        {"one break point",
         "implementations dense(...) let M = size(P) on any {\n"
         "  few by generated.rowwise priority 30 when M <= 16 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  d = dense(x, w)"
         "  y = relu(d) }",
         {"few where M <= 16: M = N (case.fw:2), else generated.tiled"},
         {{{{"N", 0}}, {"few"}},
          {{{"N", 1}}, {"few"}},
          {{{"N", 16}}, {"few"}},
          {{{"N", 17}}, {"generated.tiled"}},
          {{{"N", 100}}, {"generated.tiled"}}}},
        {"two entries in the order of priority",
         "implementations dense(...) let M = size(P) on any {\n"
         "  one  by generated.rowwise priority 40 when M == 1\n"
         "  many by generated.window priority 30 when M > 8 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  y = dense(x, w) }",
         {"one where M == 1: M = N (case.fw:2), many where M > 8: M = N (case.fw:3), else "
          "generated.tiled"},
         {{{{"N", 1}}, {"one"}},
          {{{"N", 2}}, {"generated.tiled"}},
          {{{"N", 8}}, {"generated.tiled"}},
          {{{"N", 9}}, {"many"}},
          {{{"N", 0}}, {"generated.tiled"}}}},
        {"several dimensions",
         "implementations dense(x: f32[B, S, K], w: f32[O, K]) on any {\n"
         "  small by generated.rowwise priority 30 when B * S <= 12 && S < 5 || S == 7 }\n"
         "graph g(x: f32[B, S, 24]) -> y { w = const random(1) : f32[40, 24]  y = dense(x, w) }",
         {"small where B * S <= 12 && S < 5 || S == 7: B = B, S = S (case.fw:2), else "
          "generated.tiled"},
         {{{{"B", 3}, {"S", 4}}, {"small"}},
          {{{"B", 4}, {"S", 4}}, {"generated.tiled"}},
          {{{"B", 2}, {"S", 5}}, {"generated.tiled"}},
          {{{"B", 9}, {"S", 7}}, {"small"}}}},
        {"the last leaves no sizes",
         "implementations dense(...) let M = size(P) on any {\n"
         "  few  by generated.rowwise priority 40 when M <= 4\n"
         "  many by generated.window priority 30 when M > 4 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  y = dense(x, w) }",
         {"few where M <= 4: M = N (case.fw:2), else many"},
         {{{{"N", 4}}, {"few"}}, {{{"N", 5}}, {"many"}}}},
        {"behind an entry that is always there",
         "implementations dense(...) let M = size(P) on any {\n"
         "  few by generated.rowwise priority 1 when M <= 4 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  y = dense(x, w) }",
         {"few, M <= 4: M = N; where it holds another is chosen"},
         {{{{"N", 4}}, {}}, {{{"N", 5}}, {}}}},
        {"never",
         "implementations dense(...) let M = size(P) on any {\n"
         "  none by generated.rowwise priority 40 when M > 16 && M < 9\n"
         "  huge by generated.rowwise priority 40 when M > 2147483648\n"
         "  few  by generated.rowwise priority 40 when M <= 4 }\n"
         "graph g(x: f32[N, 24]) -> y { assume N >= 5 \"many rows\"\n"
         "  w = const random(1) : f32[40, 24]  y = dense(x, w) }",
         {"none, M > 16 && M < 9: M = N; no sizes meet it, of which is known 5 <= N",
          "huge, M > 2147483648: M = N; no sizes meet it, of which is known 5 <= N",
          "few, M <= 4: M = N; no sizes meet it, of which is known 5 <= N"},
         {{{{"N", 5}}, {}}, {{{"N", 20}}, {}}}},
        {"two groups, in one memory",
         "implementations dense(...) let M = size(P) on any {\n"
         "  few by generated.rowwise priority 30 when M <= 3 }\n"
         "graph g(x: f32[N, 16]) -> y { w = const random(1) : f32[16, 16]  d = dense(x, w)"
         "  s = softmax(d) {axis = -1}  e = dense(s, w)  t = softmax(e) {axis = -1}"
         "  y = add(t, d) }",
         {"few where M <= 3: M = N (case.fw:2), else generated.tiled",
          "few where M <= 3: M = N (case.fw:2), else generated.tiled"},
         {{{{"N", 3}}, {"few", "few"}}, {{{"N", 4}}, {"generated.tiled", "generated.tiled"}}}},
        {"a call among the branches",
         "implementations dense(...) let M = size(P) on any {\n"
         "  blas by openblas.sgemm priority 50 when libs has openblas && M > 6 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  d = dense(x, w)"
         "  y = softmax(d) {axis = -1} }",
         {"openblas.sgemm, libs has openblas && M > 16: openblas is in the target's libraries, "
          "M = N; where it holds another is chosen",
          "blas where libs has openblas && M > 6: openblas is in the target's libraries, M = N "
          "(case.fw:2), else generated.tiled"},
         {{{{"N", 6}}, {"generated.tiled"}}, {{{"N", 7}}, {"blas"}}},
         "openblas"},
        {"a call that takes a part of the group",
         "implementations dense(...) let M = size(P) on any {\n"
         "  blas by openblas.sgemm priority 50 when libs has openblas && M > 6 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  d = dense(x, w)"
         "  r = relu(d)  y = mul(r, r) }",
         {"openblas.sgemm, libs has openblas && M > 16: openblas is in the target's libraries, "
          "M = N; where it holds another is chosen",
          "blas where libs has openblas && M > 6: openblas is in the target's libraries, M = N "
          "(case.fw:2), else generated.tiled"},
         {{{{"N", 6}}, {"generated.tiled"}}, {{{"N", 7}}, {"blas"}}},
         "openblas"},
        {"a call behind the branches",
         "implementations dense(...) let M = size(P) on any {\n"
         "  onednn.matmul  priority 50 when libs has onednn\n"
         "  few by generated.rowwise priority 60 when M <= 6 }\n"
         "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]  d = dense(x, w)"
         "  y = relu(d) }",
         {"few where M <= 6: M = N (case.fw:3), else onednn.matmul"},
         {{{{"N", 6}}, {"few"}}, {{{"N", 7}}, {"onednn.matmul"}}},
         "onednn"},
    };
    return all;
}

struct Planned {
    GraphPtr graph;
    FusionPlan plan;
    Target target;
};

Planned planned(const char* text, const char* libs = "") {
    const FileTree tree = parseFile(text, "case.fw");
    for (const Diag& error : tree.errors)
        qFatal("%s", error.text().c_str());
    StrategyBook book = standardStrategy();
    book.add(tree.declarations, "case.fw");
    FusionBook fusion = standardFusion();
    fusion.add(tree.declarations, "case.fw");
    const Catalog catalog = catalogOf(externLibraries(), book);
    PlanOptions options;
    options.catalog = &catalog;
    options.book = &fusion;
    Planned out;
    out.target = parseTarget(fmt::format("x86-64 -threads=2 -libs={}", libs)).value();
    out.graph = parseGraph(text, standardOperators()).value();
    out.plan = planFusion(*out.graph, out.target, options).value();
    return out;
}

std::vector<std::string> toldBy(const FusionPlan& plan) {
    std::vector<std::string> out;
    for (const Decision& notice : plan.notices)
        if (notice.code == ReasonCode::GuardUndecided || notice.code == ReasonCode::ChosenBySize ||
            notice.code == ReasonCode::GuardFalse)
            out.push_back(notice.evidence);
    return out;
}

// Of the groups with branches, who computes them at the sizes that were prepared last.
std::vector<std::string> ran(const runtime::Executor& executor, const FusionPlan& plan) {
    std::vector<std::string> out;
    const runtime::Program& program = executor.program();
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const runtime::Step& step = program.steps[s];
        const bool again = s > 0 && program.steps[s - 1].choice == step.choice &&
                           program.steps[s - 1].branch == step.branch;
        if (step.choice != runtime::noChoice && executor.runs(s) && !again)
            out.push_back(plan.groups[step.group].parts[step.part].implementation);
    }
    return out;
}

QString difference(const TensorData& got, const TensorData& wanted) {
    if (!(got.type() == wanted.type()))
        return QStringLiteral("%1 instead of %2")
            .arg(got.type().text().c_str(), wanted.type().text().c_str());
    for (std::size_t k = 0; k < wanted.count(); ++k)
        if (!(std::abs(got.at(k) - wanted.at(k)) <= 1e-4 * (1 + std::abs(wanted.at(k)))))
            return QStringLiteral("element %1 is %2 instead of %3")
                .arg(k)
                .arg(got.at(k))
                .arg(wanted.at(k));
    return {};
}

std::string edgeTo(const Planned& planned, const char* from, const char* to) {
    const EdgeDecision* edge =
        planned.plan.edge(planned.graph->findByName(from)->id, planned.graph->findByName(to)->id);
    return fmt::format("{} {}", codeText(edge->decision.code), edge->decision.evidence);
}

} // namespace

class TestDispatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bySize_data();
    void bySize();
    void exported_data() { bySize_data(); }
    void exported();
    void neighbours();
    void together();
    void pins();
    void memoryIsShared();
};

void TestDispatch::bySize_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < dispatchCases().size(); ++i)
        QTest::addRow("%s", dispatchCases()[i].name) << int(i);
}

void TestDispatch::bySize() {
    QFETCH(int, index);
    const DispatchCase& one = dispatchCases()[std::size_t(index)];
    const Planned is = planned(one.text, one.libs);
    QCOMPARE(toldBy(is.plan), one.told);
    Result<CompiledModule> compiled = compileModule(*is.graph, is.plan, is.target);
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.diag().text().c_str());
    auto opened = loadModule(std::make_shared<const CompiledModule>(compiled.take()), is.target,
                             runtime::ArenaFill::Poison);
    QVERIFY2(opened.ok(), opened.ok() ? "" : opened.diag().text().c_str());
    LoadedModule& module = **opened;
    for (int round = 0; round < 2; ++round) // back from the last sizes, too
        for (const At& at : one.at) {
            const std::vector<TensorData> inputs = module.randomInputs(3, at.sizes).value();
            const auto got = module.run(inputs);
            QVERIFY2(got.ok(), got.ok() ? "" : got.diag().text().c_str());
            QCOMPARE(ran(module.executor(), is.plan), at.runs);
            const auto wanted = evaluateGraph(*is.graph, inputs).value();
            const QString wrong = difference(got->at(0), wanted.at(0));
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            QVERIFY(
                runtime::replayMemory(module.executor().program(), module.executor().memoryPlan())
                    .ok());
        }
}

// The same through the C interface of the module, whose runtime chooses by itself.
void TestDispatch::exported() {
    QFETCH(int, index);
    const DispatchCase& one = dispatchCases()[std::size_t(index)];
    const Planned is = planned(one.text, one.libs);
    const CompiledModule compiled = compileModule(*is.graph, is.plan, is.target).value();
    module::ExportRequest request;
    request.name = "rows";
    for (const auto& kernel : compiled.kernels) {
        request.objects.push_back({kernel->object});
        request.kernels.push_back(kernel->symbol);
    }
    request.program = compiled.program;
    request.weights.payload = compiled.weights->data();
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    const auto report = module::exportModule(request, path);
    QVERIFY2(report.ok(), report.ok() ? "" : report.diag().text().c_str());
    QFile manifest(folder.filePath("manifest.json"));
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    std::size_t conditional = 0;
    for (const QJsonValue group : QJsonDocument::fromJson(manifest.readAll())["groups"].toArray())
        conditional += !group["when"].toString().isEmpty();
    QCOMPARE(conditional, static_cast<std::size_t>(std::count_if(
                              compiled.program.steps.begin(), compiled.program.steps.end(),
                              [](const auto& step) { return step.choice != runtime::noChoice; })));
    void* library = dlopen((path + "/librows.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library != nullptr, dlerror());
    const auto entry = reinterpret_cast<const fw_api* (*)()>(dlsym(library, "fw_rows_api"));
    QVERIFY(entry != nullptr);
    const fw_api& api = *entry();
    fw_model* model = nullptr;
    QCOMPARE(api.open((path + "/rows.weights").c_str(), nullptr, &model), FW_OK);
    for (const At& at : one.at) {
        const TensorType& type = is.graph->node(is.graph->inputs().front()).outputs[0].type;
        std::vector<std::int64_t> shape;
        for (const Dim& dim : type.shape)
            shape.push_back(dim.asInt() ? *dim.asInt() : at.sizes.at(dim.text()));
        const TensorData x = randomData(DType::F32, shape, 5);
        fw_tensor tensor{};
        tensor.data = const_cast<std::byte*>(x.bytes().data());
        tensor.device = {1, 0};
        tensor.ndim = static_cast<std::int32_t>(shape.size());
        tensor.dtype = runtime::dlpackType(runtime::DataType::F32);
        tensor.shape = shape.data();
        QCOMPARE(api.set_input(model, 0, &tensor), FW_OK);
        std::vector<fw_step_time> times(compiled.program.steps.size());
        auto count = static_cast<std::int32_t>(times.size());
        QCOMPARE(api.run_profiled(model, times.data(), &count), FW_OK);
        std::vector<std::string> took;
        for (std::size_t s = 0; s < times.size(); ++s) {
            const runtime::Step& step = compiled.program.steps[s];
            if (step.choice == runtime::noChoice || times[s].end_ns == 0)
                continue;
            const std::string& by = is.plan.groups[step.group].parts[step.part].implementation;
            if (s == 0 || compiled.program.steps[s - 1].group != step.group ||
                compiled.program.steps[s - 1].branch != step.branch)
                took.push_back(by);
        }
        QCOMPARE(took, at.runs);
        fw_tensor view{};
        QCOMPARE(api.output_view(model, 0, &view), FW_OK);
        const auto wanted = evaluateGraph(*is.graph, {x}).value().at(0);
        const auto* got = static_cast<const float*>(view.data);
        for (std::size_t k = 0; k < wanted.count(); ++k)
            QVERIFY(std::abs(double(got[k]) - wanted.at(k)) <= 1e-4 * (1 + std::abs(wanted.at(k))));
    }
    api.close(model);
    dlclose(library);
}

// What one of the entries does not absorb stays outside, whoever else would take it.
void TestDispatch::neighbours() {
    const char* const block = "implementations dense(...) let M = size(P) on any {\n"
                              "  few by generated.rowwise priority 30 when M <= 16 %1 }\n"
                              "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]"
                              "  d = dense(x, w)  y = relu(d) }";
    const auto with = [&](const char* absorbs) {
        return planned(QString::fromUtf8(block).arg(absorbs).toUtf8().constData());
    };
    QVERIFY(edgeTo(with(""), "d", "y").starts_with("FUS02"));
    const Planned apart = with("absorbs none");
    QCOMPARE(edgeTo(apart, "d", "y"),
             std::string("IMP01 few absorbs none (case.fw:2); few computes "
                         "the anchor at some sizes"));
    QCOMPARE(apart.plan.groups.size(), std::size_t(2));
    QCOMPARE(apart.plan.groups[0].kind, GroupKind::Choice);
    // Only those that may run are asked.
    const Planned never = planned("implementations dense(...) let M = size(P) on any {\n"
                                  "  few by generated.rowwise priority 30 when M <= 16"
                                  " absorbs none }\n"
                                  "graph g(x: f32[N, 24]) -> y { assume N >= 17 \"many\"\n"
                                  "  w = const random(1) : f32[40, 24]"
                                  "  d = dense(x, w)  y = relu(d) }");
    QVERIFY(edgeTo(never, "d", "y").starts_with("FUS02"));
}

// Of a group that a pin makes, an entry that does not take all of it is no branch.
void TestDispatch::together() {
    const Planned is =
        planned("implementations dense(...) let M = size(P) on any {\n"
                "  few by generated.rowwise priority 30 when M <= 16 absorbs none }\n"
                "pin { together d, y }\n"
                "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]"
                "  d = dense(x, w)  y = relu(d) }");
    QCOMPARE(is.plan.groups.size(), std::size_t(1));
    QCOMPARE(is.plan.groups[0].kind, GroupKind::Kernel);
    QVERIFY(std::any_of(is.plan.notices.begin(), is.plan.notices.end(), [](const Decision& one) {
        return one.code == ReasonCode::CannotAbsorb && one.evidence.starts_with("few, relu: ");
    }));
}

void TestDispatch::pins() {
    const auto with = [](const char* pin) {
        return planned((std::string("implementations dense(...) let M = size(P) on any {\n"
                                    "  few by generated.rowwise priority 1 when M <= 16 }\n") +
                        pin +
                        "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]"
                        "  y = dense(x, w) }")
                           .c_str());
    };
    QCOMPARE(toldBy(with("").plan),
             std::vector<std::string>{"few, M <= 16: M = N; where it holds another is chosen"});
    const Planned wished = with("pin { use few for y }\n");
    QCOMPARE(
        toldBy(wished.plan),
        std::vector<std::string>{"few where M <= 16: M = N (case.fw:2), else generated.tiled"});
    QCOMPARE(wished.plan.groups[0].source, std::string("pin"));
    const Planned avoided =
        planned("implementations dense(...) let M = size(P) on any {\n"
                "  few by generated.rowwise priority 30 when M <= 16 }\n"
                "pin { avoid few for y }\n"
                "graph g(x: f32[N, 24]) -> y { w = const random(1) : f32[40, 24]"
                "  y = dense(x, w) }");
    QVERIFY(toldBy(avoided.plan).empty());
}

// The ways of one choice never run together, so what one needs for itself lies where another's is.
void TestDispatch::memoryIsShared() {
    const DispatchCase& one = dispatchCases()[1];
    const Planned is = planned(one.text);
    const CompiledModule compiled = compileModule(*is.graph, is.plan, is.target).value();
    QCOMPARE(compiled.program.choices.size(), std::size_t(1));
    QCOMPARE(compiled.program.choices[0].conditions.size(), std::size_t(2));
    std::set<std::uint32_t> branches;
    for (const runtime::Step& step : compiled.program.steps)
        branches.insert(step.branch);
    QCOMPARE(branches, (std::set<std::uint32_t>{0, 1, 2}));
}

FW_TEST(TestDispatch, QCoreApplication)
#include "test_dispatch.moc"
