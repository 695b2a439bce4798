// What is typed to find nodes: how it is read, what it finds, what may follow.
#include "common/test.h"
#include "snapshot/graphs.h"
#include "snapshot/node_search.h"

#include <chrono>

using namespace fw;
using namespace fw::snapshot;

class TestNodeQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finds_data();
    void finds();
    void refuses_data();
    void refuses();
    void whatIsNotKnownYet();
    void completes_data();
    void completes();
    void growsWithTheNodes();
};

namespace {

// A fused graph of five nodes in three groups, with a plan and times.
struct Found {
    GraphDocument graph;
    FuseDocument plan;
    ProfileDocument profile;
    VerifyDocument verified;

    Found() {
        GraphMaker maker;
        const NodeId x = maker.input("x");
        const NodeId w = maker.constant();
        const NodeId a = maker.add("conv2d", "/layer1/conv", {x, w});
        const NodeId b = maker.add("relu", "/layer1/act/Relu", {a});
        const NodeId c = maker.add("conv2d", "/layer10/dw", {b});
        const NodeId d = maker.add("softmax", "Soft Max", {c});
        maker.group({a, b}, "generated.tiled");
        maker.group({c}, "onednn.conv");
        maker.group({d}, "generated.rowwise");
        graph = maker.finish(d);
        node(a).attributes = {{"groups", "1"}, {"strides", "[2, 2]"}};
        node(c).attributes = {{"groups", "16"}, {"strides", "[1, 1]"}};
        node(a).outputs[0].type = "f32[1, 128, 28, 28]";
        node(b).outputs[0].type = "f32[1, 128, 28, 28]";
        node(c).outputs[0].type = "f16[1, 128, 7, 7]";
        node(d).outputs[0].type = "f16[N, 10]";
        const std::vector<NodeId> ids[] = {{a, b}, {c}, {d}};
        for (const GroupLabel& label : graph.groups) {
            GroupRecord group;
            group.id = label.id;
            group.name = label.name;
            group.implementation = label.implementation;
            group.maker = label.maker;
            group.nodeIds = ids[label.id];
            group.estUs = 10.0 * (label.id + 1);
            group.flops = 1e9 * (label.id + 1);
            group.bytes = 1e6 * (label.id + 1);
            plan.groups.push_back(group);
            ProfileRow row;
            row.groupId = label.id;
            row.medianUs = 600.0 * (label.id + 1);
            profile.rows.push_back(row);
        }
        VerifyRow right; // of the implementation that the plan has, and of another one
        right.groups = {1};
        right.implementation = "onednn.conv";
        right.share = 0.75;
        VerifyRow other = right;
        other.implementation = "generated.tiled";
        other.share = 0.1;
        verified.models.emplace_back().rows = {right, other};
        DecisionRecord apart;
        apart.fromId = b;
        apart.toId = c;
        apart.code = "IMP01";
        plan.decisions.push_back(apart);
    }
    NodeRecord& node(NodeId id) { return graph.nodes[static_cast<std::size_t>(id)]; }
    std::string find(const std::string& text) const {
        const auto query = parseQuery(text);
        if (!query)
            return "error: " + query.diag().message;
        const auto found = NodeSearch(graph, &plan, &profile, &verified).find(*query);
        if (!found)
            return "error: " + found.diag().message;
        std::string out;
        for (const NodeId id : *found)
            out += (out.empty() ? "" : " ") + std::to_string(id);
        return out;
    }
};

} // namespace

// x 0, constant 1, conv2d 2, relu 3, conv2d 4, softmax 5.
void TestNodeQuery::finds_data() {
    QTest::addColumn<std::string>("query");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* query, const char* expected) {
        QTest::newRow(query) << std::string(query) << std::string(expected);
    };
    row("", "");
    row("conv", "2 4");
    row("CONV2D", "2 4");
    row("conv layer1/", "2");
    row("\"soft max\"", "5");
    row("c1", "2"); // the constant's reader
    row("#3", "3");
    row("1x128x28x28", "2 3");
    row("1×128×28×28", "2 3");
    row("f32[1,", "2 3");
    row("op:conv2d", "2 4");
    row("op=conv", "");
    row("op:conv -in:layer1", "4");
    row("in:layer1", "2 3");
    row("in:layer1/act", "3");
    row("in:act", "3");
    row("shape:1x128", "2 3 4");
    row("shape=1x128", "");
    row("shape:1x128x?x28", "2 3");
    row("shape:?x10", "5");
    row("dtype:f16", "4 5");
    row("groups>1", "4");
    row("groups:1", "2");
    row("groups=16", "4");
    row("strides=[2,2]", "2");
    row("strides:[2, 2]", "2");
    row("strides>=2", "2");
    row("by:onednn", "4");
    row("by=onednn.conv", "4");
    row("-by:onednn op:conv2d", "2");
    row("group:group_0", "2 3");
    row("group_0", "2 3");
    row("code:imp01", "3 4");
    row("time>1ms", "4 5");
    row("time>1.2ms", "5");
    row("time<=600us", "2 3");
    row("est>15us", "4 5");
    row("flops>=2G", "4 5");
    row("bytes<2MB", "2 3");
    row("intensity<1001", "2 3 4 5"); // 1 GFLOP for each MB
    row("intensity>1k", "");
    row("pace>=0.6", "2 3 4 5"); // 600 µs for each GFLOP
    row("error>0.5", "4");
    row("op:conv2d groups>1 time>1ms", "4");
    row("a::b", "");
}

void TestNodeQuery::finds() {
    QFETCH(std::string, query);
    QFETCH(std::string, expected);
    QCOMPARE(Found().find(query), expected);
}

void TestNodeQuery::refuses_data() {
    QTest::addColumn<std::string>("query");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* query, const char* expected) {
        QTest::newRow(query) << std::string(query) << std::string("error: ") + expected;
    };
    row("gruops>1", "no operator of this graph has an attribute named gruops");
    row("time>1", "1 is no number with ns, us, ms or s");
    row("time>", "time of what?");
    row("op>2", "op is no number that could be compared");
    row("groups>many", "many is no number");
    row("shape:1xx2", "1xx2 is no shape");
    row("\"soft", "a quote does not end");
}

void TestNodeQuery::refuses() {
    finds();
}

// Nothing is found, and why is said.
void TestNodeQuery::whatIsNotKnownYet() {
    const Found found;
    const auto why = [&](const char* query, const FuseDocument* plan) {
        const auto ids = NodeSearch(found.graph, plan, nullptr).find(*parseQuery(query));
        return ids ? std::string() : ids.diag().message;
    };
    QCOMPARE(why("time>1us", &found.plan), std::string("no time was measured yet"));
    QCOMPARE(why("pace>1", &found.plan), std::string("no time was measured yet"));
    QCOMPARE(why("error>1", &found.plan), std::string("nothing was verified yet"));
    QCOMPARE(why("by:onednn", nullptr), std::string("by is known once there is a plan"));
    QCOMPARE(why("op:relu", nullptr), std::string());
}

void TestNodeQuery::completes_data() {
    QTest::addColumn<std::string>("typed"); // the caret at "|"
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* typed, const char* expected) {
        QTest::newRow(typed) << std::string(typed) << std::string(expected);
    };
    row("|", "");
    row("o|", "op:");
    row("st|", "strides=");
    row("relu t|", "relu time>");
    row("op:|", "op:conv2d, op:input, op:relu, op:softmax");
    row("op:c|", "op:conv2d");
    row("-op:r|", "-op:relu");
    row("op:c| time>1ms", "op:conv2d time>1ms");
    row("in:la|", "in:layer1, in:layer10");
    row("dtype:|", "dtype:f32, dtype:f16");
    row("by:one|", "by:onednn, by:onednn.conv");
    row("groups=|", "groups=1, groups=16");
    row("code:|", "code:IMP01");
    row("nothing:|", "");
}

void TestNodeQuery::completes() {
    QFETCH(std::string, typed);
    QFETCH(std::string, expected);
    const std::size_t caret = typed.find('|');
    typed.erase(caret, 1);
    const Found found;
    std::string out;
    for (const auto& one :
         NodeSearch(found.graph, &found.plan, &found.profile).complete(typed, caret))
        out += (out.empty() ? "" : ", ") + one.text;
    QCOMPARE(out, expected);
}

void TestNodeQuery::growsWithTheNodes() {
    double times[2] = {};
    for (const int i : {0, 1}) {
        GraphMaker maker;
        NodeId last = maker.input("x");
        for (int n = 0; n < (i == 0 ? 20000 : 80000); ++n)
            last = maker.add("relu", "/block" + std::to_string(n / 100) + "/relu", {last});
        const GraphDocument graph = maker.finish(last);
        const NodeSearch search(graph, nullptr, nullptr);
        times[i] = 1e9;
        for (int again = 0; again < 3; ++again) {
            const auto start = std::chrono::steady_clock::now();
            QCOMPARE(search.find(*parseQuery("op:relu in:block7 shape:4"))->size(),
                     std::size_t(100));
            times[i] = std::min(
                times[i],
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
    }
    qInfo("%.1f ms, four times as many %.1f ms", times[0] * 1e3, times[1] * 1e3);
    QVERIFY(times[1] < 8 * times[0] + 0.05);
}

FW_TEST(TestNodeQuery, QCoreApplication)
#include "test_node_query.moc"
