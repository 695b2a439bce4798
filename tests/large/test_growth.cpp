// What is done with every model that is opened grows with the model and not faster. Times of the
// processor, the least of a few runs; the limit leaves room for caches that a larger model
// outgrows. A busy machine only adds to a time, so growth above the limit is measured again: what
// takes the square is far beyond it every time.
#include "base/files.h"
#include "common/test.h"
#include "common/thread_time.h"
#include "fusion/plan.h"
#include "large/growth_rows.h"
#include "large/shapes.h"
#include "library/library.h"
#include "module/compile.h"
#include "module/kernel_cache.h"
#include "onnx/read/import.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"
#include "picture/writers.h"
#include "rewrite/driver.h"
#include "rewrite/matches.h"
#include "session/asked.h"
#include "session/describe.h"
#include "snapshot/documents.h"
#include "snapshot/joint.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <optional>

using namespace fw;
using namespace fw::test;

namespace {

constexpr int small = 10000, large = 40000;
constexpr int mostTries = 3;

Target generic() {
    return parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=1").value();
}

double heapBytes() {
    const struct mallinfo2 heap = ::mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

// Of three runs, or of fewer where one is so long that what disturbs it is little beside it.
double leastTime(const std::function<void()>& work) {
    constexpr double longEnough = 3; // seconds in all
    double least = 1e9, all = 0;
    for (int run = 0; run < 3 && all < longEnough; ++run) {
        const double start = threadSeconds();
        work();
        const double taken = threadSeconds() - start;
        least = std::min(least, taken);
        all += taken;
    }
    return least;
}

} // namespace

class TestGrowth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { keepMemory(); }
    void shapesAreWhatTheySay();
    void opening_data() { rows(); }
    void opening();
    void documents_data() { rows(); }
    void documents();
    void drawing_data() { rows(); }
    void drawing();
    void topLevels_data() { rows(); }
    void topLevels();
    void planning_data() { rows(); }
    void planning();
    void planningByRules_data() { rows(); }
    void planningByRules();
    void compiling_data() { rows(); }
    void compiling();
    void describingPlans_data() { rows(); }
    void describingPlans();
    void holding_data() { rows(); }
    void holding();
    void matching_data() { rows(); }
    void rewriting_data() { rows(); }
    void rewriting();
    void stepping_data() { rows(); }
    void stepping();
    void joining_data() { rows(); }
    void joining();
    void matching();

private:
    struct Size {
        std::string bytes;
        Imported imported;
        snapshot::GraphDocument document;
        double nodes = 0;
        mutable std::optional<FusionPlan> plan = {}; // planOf()
    };
    void rows();
    const Size& sized(int nodes); // made once for all that is asked of it
    static const FusionPlan& planOf(const Size& size);
    void compare(const std::function<void(const Size&)>& work, int from = small, int to = large);

    std::map<std::pair<int, int>, Size> m_sizes; // by shape and nodes
};

void TestGrowth::rows() {
    QTest::addColumn<int>("shape");
    for (const LargeShapeName& row : largeShapes)
        QTest::newRow(row.name.data()) << static_cast<int>(row.shape);
}

const TestGrowth::Size& TestGrowth::sized(int nodes) {
    QFETCH(int, shape);
    const auto [place, isNew] = m_sizes.try_emplace({shape, nodes});
    Size& out = place->second;
    if (!isNew)
        return out;
    out.bytes = largeModel(static_cast<LargeShape>(shape), nodes).SerializeAsString();
    out.imported = importModelBytes(out.bytes, standardOperators()).value();
    out.document = describeImported(*out.imported.graph);
    out.nodes = static_cast<double>(out.document.nodes.size());
    return out;
}

void TestGrowth::compare(const std::function<void(const Size&)>& work, int from, int to) {
    const Size &one = sized(from), &other = sized(to);
    double exponent = mostGrowth, before = 1e9, after = 1e9;
    for (int tries = 0; tries < mostTries && exponent >= mostGrowth; ++tries) {
        before = std::min(before, leastTime([&] { work(one); }));
        after = std::min(after, leastTime([&] { work(other); }));
        exponent = std::log(after / before) / std::log(other.nodes / one.nodes);
        qInfo("%.0f ms for %.0f nodes, %.0f ms for %.0f: n^%.2f, the goal is n^%.1f", before * 1e3,
              one.nodes, after * 1e3, other.nodes, exponent, growthGoal);
    }
    QVERIFY2(exponent < mostGrowth, qPrintable(QString::number(exponent)));
}

void TestGrowth::shapesAreWhatTheySay() {
    for (const LargeShapeName& row : largeShapes) {
        const proto::ModelProto model = largeModel(row.shape, 1000);
        QVERIFY2(model.graph().node_size() >= 1000 && model.graph().node_size() < 1100,
                 row.name.data());
        const auto imported = importModelBytes(model.SerializeAsString(), standardOperators());
        QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
        QVERIFY(describeModel("m.onnx", *imported).runnable);
    }
}

void TestGrowth::opening() {
    compare([](const Size& size) {
        const auto imported = importModelBytes(size.bytes, standardOperators());
        QVERIFY(imported.ok() && describeModel("m.onnx", *imported).runnable);
        QCOMPARE(describeImported(*imported->graph).nodes.size(), size.document.nodes.size());
    });
}

void TestGrowth::documents() {
    compare([](const Size& size) {
        const auto read = snapshot::fromJson<snapshot::GraphDocument>(toJson(size.document));
        QVERIFY(read.ok() && read->nodes.size() == size.document.nodes.size());
    });
}

void TestGrowth::drawing() {
    compare(
        [](const Size& size) {
            const auto picture = picture::draw(picture::diagramOf(size.document));
            QVERIFY(picture.ok() && !picture::svgText(*picture).empty());
        },
        small, large);
}

// The blocks of a graph and the picture of its top level: what a window shows first.
void TestGrowth::topLevels() {
    const snapshot::BlockView closed{
        snapshot::BlockView::Shown::All, snapshot::BlockView::Rest::Closed, {}};
    compare(
        [&](const Size& size) {
            picture::DiagramOptions options;
            options.blocks =
                std::make_shared<const snapshot::Hierarchy>(hierarchyOf(size.document));
            options.view = closed;
            const auto picture = picture::draw(picture::diagramOf(size.document, options));
            QVERIFY(picture.ok() && picture->boxes.size() <= snapshot::mostInBlock + 2);
        },
        small / 8, large); // milliseconds: caches count for much
}

// Equal groups are lowered once, so that what is left grows with the model.
void TestGrowth::planning() {
    const Target target = generic();
    LoweringMemo memo;
    PlanOptions options;
    options.memo = &memo;
    compare(
        [&](const Size& size) { QVERIFY(planFusion(*size.imported.graph, target, options).ok()); },
        small / 8, large / 4);
}

// Rules are asked at every operator, from the end on, and of many ways to match none may be a
// group.
void TestGrowth::planningByRules() {
    const Target target = generic();
    const FileTree tree = parseFile(
        "chain post = bias(^, any)? >> add(^, r)? >> (relu(^) | gelu(^))?\n"
        "fuse product { match (dense(x, w) | batch_matmul(x, w) | conv2d(x, w)) >> post }\n"
        "fuse maps { match kind elementwise(...) >> kind elementwise(^, ...)* {1..4} }\n"
        "fuse sums { match add(add(p, q) | relu(p), add(r, s) | relu(r)) }\n",
        "rules.fw");
    QVERIFY(tree.errors.empty());
    FusionBook book = standardFusion();
    book.add(tree.declarations, "rules.fw");
    LoweringMemo memo;
    PlanOptions options;
    options.memo = &memo;
    options.book = &book;
    compare(
        [&](const Size& size) { QVERIFY(planFusion(*size.imported.graph, target, options).ok()); },
        small / 8, large / 4);
}

void TestGrowth::compiling() {
    const Target target = generic();
    KernelCache cache({});
    ModuleOptions options;
    options.cache = &cache;
    options.compileThreads = 1;
    const auto compile = [&](const Size& size) {
        const auto module = compileModule(*size.imported.graph, planOf(size), target, options);
        QVERIFY(module.ok() && !module->kernels.empty());
    };
    for (const int nodes : {small / 16, large / 8})
        compile(sized(nodes)); // from now on the kernels are known
    compare(compile, small / 16, large / 8);
}

const FusionPlan& TestGrowth::planOf(const Size& size) {
    if (!size.plan)
        size.plan = planFusion(*size.imported.graph, generic()).value();
    return *size.plan;
}

void TestGrowth::describingPlans() {
    for (const int nodes : {small / 16, large / 4})
        planOf(sized(nodes));
    const Target target = generic();
    compare(
        [&](const Size& size) {
            const FusionPlan& plan = planOf(size);
            const auto document = describePlan("m.onnx", *size.imported.graph, plan, target);
            QCOMPARE(document.groups.size(), plan.groups.size());
        },
        small / 16, large / 4); // milliseconds: caches count for much
}

// What a window keeps of a model: the records of both graphs and of the plan, and two pictures;
// here one of each. Bytes of the heap, so that it counts the same on every machine.
void TestGrowth::holding() {
    const Size& size = sized(small / 2);
    const Target target = generic();
    const FusionPlan& plan = planOf(size);
    const auto describe = [&](Edges edges) {
        return describePlan("m.onnx", *size.imported.graph, plan, target, edges);
    };
    const auto read = [](const auto& document) {
        snapshot::Pieces pieces;
        snapshot::writeJson(document, [&](std::string_view piece) { pieces.emplace_back(piece); });
        using Document = std::remove_cvref_t<decltype(document)>;
        return snapshot::fromJson<Document>(std::move(pieces)).value();
    };
    const double start = heapBytes();
    const auto graph = read(size.document);
    const double withGraph = heapBytes();
    const auto groups = read(describe(Edges::Leave));
    const double withGroups = heapBytes();
    const auto picture = picture::draw(picture::diagramOf(size.document)).take();
    const double withPicture = heapBytes();
    QVERIFY(!groups.groups.empty() && groups.decisions.empty() && !picture.items.empty());
    const double edges = static_cast<double>(picture.links.size()) / size.nodes;
    const double perGraph = (withGraph - start) / size.nodes;
    const double groupCount = static_cast<double>(groups.groups.size()) / size.nodes;
    const double perPlan = (withGroups - withGraph) / size.nodes;
    const double perPicture = (withPicture - withGroups) / size.nodes;
    qInfo("for each node %.1f edges, %.2f groups; bytes: graph %.0f, plan %.0f, picture %.0f",
          edges, groupCount, perGraph, perPlan, perPicture);
    QVERIFY(perGraph < 450 + 100 * edges);
    QVERIFY(perPlan < 200 + 1600 * groupCount);
    QVERIFY(perPicture < 300 + 380 * edges);
}

// With many applications of a rule, and as many nodes that are one.
void TestGrowth::rewriting() {
    const FileTree book = parseFile("rule sums { match y = add(x, z) emit y = sub(x, z * -1) }\n"
                                    "builtin cse\n",
                                    "book.fw");
    RuleBook rules;
    rules.add(book.declarations);
    compare([&](const Size& size) { QVERIFY(rewriteGraph(size.imported.graph, rules, {}).ok()); },
            small / 4, large); // several graphs of strings: caches count for much
}

// To the last application of a rule, in a model that was rewritten before.
void TestGrowth::stepping() {
    QTemporaryDir folder;
    std::map<const Size*, std::unique_ptr<test::Asked>> asked;
    const auto step = [&](const Size& size) {
        snapshot::Arguments arguments;
        arguments.model =
            folder.filePath(QString::number(qint64(size.nodes)) + QStringLiteral(".onnx"))
                .toStdString();
        arguments.rules = {"/nowhere/sums.fw"};
        arguments.texts = {{"/nowhere/sums.fw",
                            "rule sums { match y = add(x, z) emit y = sub(x, z * -1) }\n"
                            "rule relus { match y = relu(x) emit y = max(x, x) }\n"}};
        arguments.until = {"at nothing"};
        auto& kept = asked[&size];
        if (!kept) {
            QVERIFY(writeFile(arguments.model, size.bytes).ok());
            kept = std::make_unique<test::Asked>();
        }
        QVERIFY(kept->get<snapshot::StepDocument>("step", arguments).total > 100);
    };
    for (const int nodes : {small / 4, large})
        step(sized(nodes));          // opens the model and rewrites it
    compare(step, small / 4, large); // an editor of the whole graph, most of it strings
}

void TestGrowth::joining() {
    compare([](const Size& size) {
        const snapshot::JointState states[] = {{&size.document}, {&size.document}};
        QVERIFY(!snapshot::joined(states).nodes.empty());
    });
}

void TestGrowth::matching() {
    const FileTree book =
        parseFile("chain ends = add(^, x) >> relu(^)\n"
                  "chain maps = kind elementwise(^, ...) >> kind elementwise(^, ...)\n"
                  "rule one { match y = relu(add(x, w: const)) where used_once(x) emit y = x }\n"
                  "rule two { match y = relu(x), z = mul(y, w) emit y = x, z = x }\n",
                  "book.fw");
    RuleBook rules;
    rules.add(book.declarations);
    const PatternTable table = rules.table();
    compare(
        [&](const Size& size) {
            for (const DeclarationPtr& declaration : book.declarations)
                QVERIFY(findMatches(*size.imported.graph, *declaration, table).stopped.empty());
        },
        small, large);
}

FW_TEST(TestGrowth, QCoreApplication)
#include "test_growth.moc"
