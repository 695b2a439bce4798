// Groups that a pin holds together with a library's call that takes only a part of them: the call
// and the rest are stages, and the numbers are those of the reference.
#include "common/test.h"
#include "extern/extern.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <cmath>

using namespace fw;

class TestStageCalls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stages_data();
    void stages();
};

void TestStageCalls::stages_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("implementation");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("pinned");
    QTest::addColumn<QStringList>("steps"); // what is behind the group's name, in order
    QTest::addColumn<int>("free");          // extent of N
    const auto row = [](const char* name, const char* implementation, const char* text,
                        const char* pinned, const char* steps, int free = 0) {
        const QString code = QString::fromLatin1(implementation);
        QTest::newRow(name) << code.section(u'.', 0, 0) << code << QString::fromLatin1(text)
                            << QString::fromLatin1(pinned).split(u' ')
                            << QString::fromLatin1(steps).split(u' ') << free;
    };
    row("behind a product", "openblas.sgemm", R"(graph g(x: f32[48, 64]) -> r {
  w = const random(1) : f32[96, 64]    v = const random(2) : f32[96]
  d = dense(x, w)    b = bias(d, v)    r = relu(b)
})",
        "d b r", "call after");
    row("on both sides, and a value that others read", "openblas.sgemm",
        R"(graph g(x: f32[48, 64]) -> s, d {
  w = const random(1) : f32[96, 64]    v = const random(2) : f32[96]
  a = tanh(x)    d = dense(a, w)    b = bias(d, v)    s = sigmoid(b)
})",
        "a d b s", "before call after");
    row("rows are free", "openblas.sgemm", R"(graph g(x: f32[N, 64]) -> r {
  w = const random(1) : f32[96, 64]    d = dense(x, w)    r = relu(d)
})",
        "d r", "call after", 5);
    row("no rows at all", "openblas.sgemm", R"(graph g(x: f32[N, 64]) -> r {
  w = const random(1) : f32[96, 64]    d = dense(x, w)    r = relu(d)
})",
        "d r", "call after", -1);
    row("batches", "openblas.sgemm", R"(graph g(x: f32[3, 20, 32], y: f32[3, 32, 24]) -> s {
  p = batch_matmul(x, y)    s = softmax(p)
})",
        "p s", "call after");
    row("the chain as far as it goes", "onednn.matmul", R"(graph g(x: f32[48, 64]) -> e {
  w = const random(1) : f32[96, 64]    v = const random(2) : f32[96]
  d = dense(x, w)    b = bias(d, v)    r = relu(b)    e = erf(r)
})",
        "d b r e", "call after");
    row("an operand of the chain that the group computes", "onednn.matmul",
        R"(graph g(x: f32[48, 64], y: f32[48, 96]) -> e {
  w = const random(1) : f32[96, 64]
  t = tanh(y)    d = dense(x, w)    a = add(d, t)    e = erf(a)
})",
        "t d a e", "before call after");
    row("images", "onednn.conv", R"(graph g(x: f32[1, 16, 12, 12]) -> q {
  w = const random(1) : f32[16, 16, 3, 3]    u = const random(2) : f32[16, 16, 1, 1]
  k = conv2d(x, w) {pads = [1, 1, 1, 1]}    r = relu(k)    e = erf(r)
  q = conv2d(e, u)
})",
        "k r e", "reorder_in call after");
}

void TestStageCalls::stages() {
    QFETCH(QString, library);
    QFETCH(QString, implementation);
    QFETCH(QString, text);
    QFETCH(QStringList, pinned);
    QFETCH(QStringList, steps);
    QFETCH(int, free);
    const Library* known = externLibrary(library.toStdString());
    if (known->status().state != LibraryState::Ready)
        QSKIP("the library is not installed");
    const GraphPtr graph = parseGraph(text.toStdString(), standardOperators()).value();
    const Target target = parseTarget("-threads=2 -libs=" + library.toStdString()).value();
    // The shipped book leaves products of few or unknown rows to generated code.
    const Catalog catalog =
        catalogOf(externLibraries(),
                  library == QStringLiteral("openblas") ? StrategyBook() : standardStrategy());
    FusionBook book = standardFusion();
    PinClause pin;
    pin.kind = PinKind::Together;
    pin.implementation = implementation.toStdString();
    for (const QString& name : pinned)
        pin.names.push_back(name.toStdString());
    book.addPin({pin, "test"});
    PlanOptions options;
    options.catalog = &catalog;
    options.book = &book;
    const FusionPlan plan = planFusion(*graph, target, options).value();
    const auto group = std::find_if(plan.groups.begin(), plan.groups.end(),
                                    [](const Group& one) { return one.stacked; });
    QVERIFY(group != plan.groups.end());
    QCOMPARE(group->implementation, implementation.toStdString());
    QCOMPARE(group->nodes.size(), std::size_t(pinned.size()));
    QCOMPARE(group->warnings.at(0).code, ReasonCode::ExternInGroup);

    auto compiled = std::make_shared<CompiledModule>(compileModule(*graph, plan, target).value());
    QStringList got;
    for (const runtime::Step& step : compiled->program.steps) {
        const bool own = step.name.starts_with(group->name);
        QCOMPARE(step.group == static_cast<std::uint32_t>(group->id), own);
        if (!own)
            continue;
        got += step.name == group->name
                   ? QStringLiteral("call")
                   : QString::fromStdString(step.name.substr(group->name.size() + 1));
        const Group& part = group->parts.at(step.part);
        QVERIFY(step.name.starts_with(part.name));
        QCOMPARE(step.kernel == runtime::libraryKernel, part.kind == GroupKind::Call);
    }
    QCOMPARE(got, steps);
    const KernelReport* report = compiled->report(group->id);
    QVERIFY(report != nullptr && !report->libraryCall.empty());
    QCOMPARE(report->implementation, implementation.toStdString());
    const KernelReport alone = groupReport(*graph, plan, *group, target).value();
    QCOMPARE(alone.parts.size(), report->parts.size());
    QCOMPARE(alone.libraryCall, report->libraryCall);

    auto loaded = loadModule(compiled, target).take();
    std::map<std::string, std::int64_t> dims;
    if (free != 0)
        dims["N"] = std::max(free, 0);
    const auto inputs = loaded->randomInputs(5, dims).value();
    const auto outputs = loaded->run(inputs).value();
    const auto wanted = evaluateGraph(*graph, inputs).value();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(outputs[i].count(), wanted[i].count());
        double largest = 1e-3;
        for (std::size_t k = 0; k < wanted[i].count(); ++k)
            largest = std::max(largest, std::abs(wanted[i].at(k)));
        for (std::size_t k = 0; k < wanted[i].count(); ++k)
            QVERIFY(std::abs(outputs[i].at(k) - wanted[i].at(k)) <= 2e-5 * largest);
    }
}

FW_TEST(TestStageCalls, QCoreApplication)
#include "test_stage_calls.moc"
