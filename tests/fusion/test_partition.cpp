// Regions of a plan on large graphs: convex, in one order, and found in time that grows with the
// graph.
#include "common/test.h"
#include "common/thread_time.h"
#include "fusion/partition.h"
#include "large/shapes.h"
#include "library/library.h"
#include "onnx/read/import.h"
#include "strategy/library.h"

using namespace fw;

class TestPartition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void regionsAreConvex();
    void growsWithTheGraph();
};

namespace {

class Stand final : public Library {
public:
    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override { return m_status; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        return {};
    }

private:
    std::string m_name = "stand";
    LibraryStatus m_status;
};

class Code final : public Implementation {
public:
    explicit Code(const Library* library) : m_library(library) {}
    const std::string& name() const override { return m_name; }
    const Library* library() const override { return m_library; }
    Acceptance accepts(const Workload&, const Target&) const override { return {}; }
    Acceptance absorbsEpilogue(const Growing&, const Workload&) const override { return {}; }
    Acceptance absorbsPrologue(const Workload&, const Workload&) const override { return {}; }
    Result<Lowering> lower(const GroupSite&, const Target&) const override {
        return makeDiag(DiagCode::Internal, "nothing is lowered");
    }
    double estimate(const Facts&, const Workload&, const Target&) const override { return 1; }

private:
    std::string m_name = "code";
    const Library* m_library;
};

// Every operator a group, of the library or of code of ours by what `isOfLibrary` says of its
// number.
FusionPlan planOf(const Graph& graph, const std::function<bool(std::size_t)>& isOfLibrary) {
    static const Stand library;
    static const auto call = std::make_shared<const Code>(&library),
                      own = std::make_shared<const Code>(nullptr);
    FusionPlan out;
    for (const NodePtr& node : graph.nodes()) {
        if (node->isLeaf())
            continue;
        Group group;
        group.id = static_cast<int>(out.groups.size());
        group.name = node->name;
        group.nodes = {node->id};
        group.anchor = node->id;
        group.by = isOfLibrary(out.groups.size()) ? call : own;
        group.inputs = node->inputs;
        group.outputs = {{node->id, 0}};
        out.groupOf.emplace(node->id, group.id);
        out.groups.push_back(std::move(group));
    }
    return out;
}

} // namespace

// Between the regions there is no circle: whoever is read comes before in some order.
void TestPartition::regionsAreConvex() {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        std::uint32_t state = seed * 2654435761u;
        const auto random = [&](std::uint32_t below) {
            state = state * 1664525u + 1013904223u;
            return (state >> 8) % below;
        };
        GraphEditor editor(standardOperators(), "g");
        std::vector<ValueRef> values{editor.addInput("x", {DType::F32, {Dim(4)}})};
        for (int i = 0; i < 30; ++i) {
            GraphEditor::NewNode node;
            node.op = "add";
            node.inputs = {values[random(static_cast<std::uint32_t>(values.size()))],
                           values[values.size() - 1 -
                                  random(std::min<std::uint32_t>(
                                      4, static_cast<std::uint32_t>(values.size())))]};
            values.push_back(editor.add(std::move(node)).value().front());
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            editor.addResult("r" + std::to_string(i), values[i]);
        const GraphPtr graph = editor.finish().value();
        std::vector<bool> ofLibrary;
        for (int i = 0; i < 40; ++i)
            ofLibrary.push_back(random(3) == 0);
        const FusionPlan plan = planOf(*graph, [&](std::size_t i) { return ofLibrary[i]; });
        const Partition partition = partitionOf(*graph, plan);
        std::map<int, std::set<int>> reads;
        for (const Group& group : plan.groups)
            for (const ValueRef& input : group.inputs)
                if (const auto from = plan.groupOf.find(input.node); from != plan.groupOf.end()) {
                    const int a = partition.regionOf[static_cast<std::size_t>(from->second)],
                              b = partition.regionOf[static_cast<std::size_t>(group.id)];
                    if (a != b)
                        reads[b].insert(a);
                }
        std::set<int> done;
        for (bool more = true; more;) {
            more = false;
            for (int r = 0; r < static_cast<int>(partition.regions.size()); ++r)
                if (!done.contains(r) &&
                    std::includes(done.begin(), done.end(), reads[r].begin(), reads[r].end()))
                    more = done.insert(r).second;
        }
        QCOMPARE(done.size(), partition.regions.size());
        // Touching regions of one owner are one, unless that would close a circle.
        for (const auto& [b, from] : reads)
            for (const int a : from) {
                const auto owner = [&](int r) {
                    return partition.regions[static_cast<std::size_t>(r)].owner;
                };
                if (owner(a) != owner(b))
                    continue;
                std::set<int> around;
                std::vector<int> open;
                for (const auto& [reader, read] : reads)
                    if (read.contains(a) && reader != b && around.insert(reader).second)
                        open.push_back(reader);
                while (!open.empty()) {
                    const int at = open.back();
                    open.pop_back();
                    for (const auto& [reader, read] : reads)
                        if (read.contains(at) && around.insert(reader).second)
                            open.push_back(reader);
                }
                QVERIFY2(around.contains(b), qPrintable(QString::number(seed)));
            }
    }
}

void TestPartition::growsWithTheGraph() {
    for (const test::LargeShapeName& shape : test::largeShapes) {
        const auto seconds = [&](int operators) {
            const GraphPtr graph =
                importModelBytes(test::largeModel(shape.shape, operators).SerializeAsString(),
                                 standardOperators())
                    .value()
                    .graph;
            const FusionPlan plan = planOf(*graph, [](std::size_t i) { return i / 3 % 2 == 0; });
            double least = 1e9;
            for (int i = 0; i < 3; ++i) {
                const double begin = test::threadSeconds();
                (void)partitionOf(*graph, plan);
                least = std::min(least, test::threadSeconds() - begin);
            }
            return least;
        };
        const double small = seconds(2000), large = seconds(20000);
        qInfo("%s: %.1f ms, %.1f times for ten times the graph", shape.name.data(), large * 1e3,
              large / small);
        QVERIFY(large < 10 * small * 2.5 + 0.02);
    }
}

FW_TEST(TestPartition, QCoreApplication)
#include "test_partition.moc"
