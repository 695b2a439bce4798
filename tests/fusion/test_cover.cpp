// The best cover of a graph by pieces that overlap, beside what a greedy choice takes.
#include "common/test.h"
#include "fusion/cover.h"
#include "ir/graph_text.h"
#include "library/library.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

using namespace fw;

namespace {

GraphPtr graphOf(const std::string& lines) {
    return parseGraph("graph g(x: f32[4]) -> y {\n" + lines + "}\n", standardOperators()).value();
}

struct Named {
    std::vector<std::string> nodes;
    double us;
};

std::vector<CoverPiece> piecesOf(const Graph& graph, const std::vector<Named>& named) {
    std::vector<CoverPiece> out;
    for (const Named& one : named) {
        CoverPiece& piece = out.emplace_back();
        piece.us = one.us;
        for (const std::string& name : one.nodes)
            piece.nodes.push_back(graph.findByName(name)->id);
    }
    return out;
}

// At every node in order, of the pieces that can run and begin there the one that saves the most:
// the largest, and of these the cheapest.
double greedy(const Graph& graph, const std::vector<CoverPiece>& pieces) {
    std::set<NodeId> ran;
    double us = 0;
    const auto known = [&](NodeId id) {
        return std::any_of(pieces.begin(), pieces.end(), [&](const CoverPiece& piece) {
            return std::find(piece.nodes.begin(), piece.nodes.end(), id) != piece.nodes.end();
        });
    };
    for (const NodePtr& node : graph.nodes()) {
        if (ran.contains(node->id) || !known(node->id))
            continue;
        const CoverPiece* best = nullptr;
        for (const CoverPiece& piece : pieces) {
            const auto has = [&](NodeId id) {
                return std::find(piece.nodes.begin(), piece.nodes.end(), id) != piece.nodes.end();
            };
            const bool fits =
                has(node->id) &&
                std::none_of(piece.nodes.begin(), piece.nodes.end(),
                             [&](NodeId id) { return ran.contains(id); }) &&
                std::all_of(piece.nodes.begin(), piece.nodes.end(), [&](NodeId id) {
                    const auto& inputs = graph.node(id).inputs;
                    return std::all_of(inputs.begin(), inputs.end(), [&](const ValueRef& input) {
                        return has(input.node) || ran.contains(input.node) || !known(input.node);
                    });
                });
            if (fits && (best == nullptr || piece.nodes.size() > best->nodes.size() ||
                         (piece.nodes.size() == best->nodes.size() && piece.us < best->us)))
                best = &piece;
        }
        if (best == nullptr)
            return HUGE_VAL;
        ran.insert(best->nodes.begin(), best->nodes.end());
        us += best->us;
    }
    return us;
}

// All of them, one after another.
double byTrial(const Graph& graph, const std::vector<CoverPiece>& pieces) {
    std::set<NodeId> all;
    for (const CoverPiece& piece : pieces)
        all.insert(piece.nodes.begin(), piece.nodes.end());
    double best = HUGE_VAL;
    std::set<NodeId> ran;
    const std::function<void(double)> go = [&](double us) {
        if (ran.size() == all.size())
            best = std::min(best, us);
        for (const CoverPiece& piece : pieces) {
            const std::set<NodeId> own(piece.nodes.begin(), piece.nodes.end());
            const bool fits = std::all_of(own.begin(), own.end(), [&](NodeId id) {
                const auto& inputs = graph.node(id).inputs;
                return !ran.contains(id) &&
                       std::all_of(inputs.begin(), inputs.end(), [&](const ValueRef& input) {
                           return own.contains(input.node) || ran.contains(input.node) ||
                                  !all.contains(input.node);
                       });
            });
            if (!fits)
                continue;
            ran.insert(own.begin(), own.end());
            go(us + piece.us);
            for (const NodeId id : own)
                ran.erase(id);
        }
    };
    go(0);
    return best;
}

} // namespace

class TestCover : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void greedyLoses();
    void bestByCosts_data();
    void bestByCosts();
    void severalResults();
    void piecesWaitForOthers();
    void circlesAreNoPlan();
    void nothingCovers();
    void tooMany();
    void equalsATrialOfAll();
};

void TestCover::greedyLoses() {
    const GraphPtr graph = graphOf("a = relu(x) b = exp(a) c = tanh(b) y = neg(c)\n");
    const auto pieces = piecesOf(*graph, {{{"a"}, 3},
                                          {{"b"}, 9},
                                          {{"c"}, 9},
                                          {{"y"}, 9},
                                          {{"a", "b", "c"}, 8},
                                          {{"b", "c", "y"}, 7}});
    QCOMPARE(greedy(*graph, pieces), 17.0);
    const Cover best = bestCover(*graph, pieces).value();
    QCOMPARE(best.us, 10.0);
    QCOMPARE(best.pieces, (std::vector<std::size_t>{0, 5}));
}

void TestCover::bestByCosts_data() {
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("pieces"); // "a:3 a,b:4", the best ones with a star
    QTest::addColumn<double>("us");
    const auto row = [](const char* name, const char* lines, const char* pieces, double us) {
        QTest::newRow(name) << QString::fromUtf8(lines) << QString::fromUtf8(pieces) << us;
    };
    row("one operator", "y = relu(x)\n", "y:3 y:2*", 2);
    const char* const chain = "a = relu(x) b = exp(a) y = neg(b)\n";
    row("one by one", chain, "a:1* b:1* y:1* a,b:3 b,y:3 a,b,y:4", 3);
    row("two and one", chain, "a:1* b:2 y:2 a,b:3 b,y:1* a,b,y:4", 2);
    row("three", chain, "a:2 b:2 y:2 a,b:3 b,y:3 a,b,y:4*", 4);
    const char* const diamond = "a = relu(x) b = exp(a) c = neg(a) y = add(b, c)\n";
    row("a diamond as a whole", diamond, "a:2 b:2 c:2 y:2 a,b:3 a,c:3 b,y:3 c,y:3 a,b,c,y:4*", 4);
    row("along one arm", diamond, "a:2 b:2 c:2* y:2 a,b:2* b,y:3 c,y:4 y:1* a,b,c,y:9", 5);
    row("an arm and the join", diamond, "a:2* b:2* c:2 y:2 a,b:5 c,y:1* a,b,c,y:9", 5);
    // All but an arm would have to run before and behind it.
    row("around an arm", diamond, "a:2* b:2* c:2* y:2* a,c,y:1", 8);
    const char* const two = "p = relu(x) q = exp(x) r = neg(p) s = tanh(q) y = add(r, s)\n";
    row("both operands", two, "p:2 q:2 r:2 s:2 y:3* p,r:1* q,s:1*", 5);
}

// Some graph, some costs, the pieces that are best together.
void TestCover::bestByCosts() {
    QFETCH(QString, lines);
    QFETCH(QString, pieces);
    QFETCH(double, us);
    const GraphPtr graph = graphOf(lines.toStdString());
    std::vector<Named> named;
    std::vector<std::size_t> wanted;
    for (QString one : pieces.split(u' ')) {
        if (one.endsWith(u'*'))
            wanted.push_back(named.size());
        Named& piece = named.emplace_back();
        piece.us = one.section(u':', 1).remove(u'*').toDouble();
        for (const QString& name : one.section(u':', 0, 0).split(u','))
            piece.nodes.push_back(name.toStdString());
    }
    const Cover best = bestCover(*graph, piecesOf(*graph, named)).value();
    QCOMPARE(best.us, us);
    std::vector<std::size_t> taken = best.pieces;
    std::sort(taken.begin(), taken.end());
    QCOMPARE(taken, wanted);
}

// What computes two results (of a split) is one piece for both of its readers.
void TestCover::severalResults() {
    const GraphPtr graph = parseGraph("graph g(x: f32[4]) -> y {\n"
                                      "  (p, q) = split(x) {axis = 0, sizes = [2, 2]}\n"
                                      "  r = relu(p) s = exp(q) y = add(r, s)\n}\n",
                                      standardOperators())
                               .value();
    const auto id = [&](const char* op) {
        for (const NodePtr& node : graph->nodes())
            if (node->op == op)
                return node->id;
        return NodeId();
    };
    const NodeId split = id("split"), r = id("relu"), s = id("exp"), y = id("add");
    const std::vector<CoverPiece> pieces = {{{split}, 1}, {{r}, 2},        {{s}, 2},   {{y}, 2},
                                            {{r, s}, 1},  {{split, r}, 1}, {{s, y}, 4}};
    QCOMPARE(bestCover(*graph, pieces).value().us, 4.0); // split, both readers, the sum
}

// The piece with the first node reads what another one computes.
void TestCover::piecesWaitForOthers() {
    const GraphPtr graph = graphOf("a = relu(x) b = exp(x) y = add(a, b)\n");
    const auto pieces =
        piecesOf(*graph, {{{"a"}, 5}, {{"b"}, 1}, {{"y"}, 5}, {{"a", "y"}, 6}, {{"b", "y"}, 6}});
    const Cover best = bestCover(*graph, pieces).value();
    QCOMPARE(best.us, 7.0);
    QCOMPARE(best.pieces, (std::vector<std::size_t>{1, 3}));
}

// Two pieces that read each other are no plan, however little they cost.
void TestCover::circlesAreNoPlan() {
    const GraphPtr graph = graphOf("a = relu(x) b = exp(x) c = tanh(a) d = neg(b) y = add(c, d)\n");
    auto pieces = piecesOf(*graph, {{{"a"}, 9},
                                    {{"b"}, 9},
                                    {{"c"}, 9},
                                    {{"d"}, 9},
                                    {{"y"}, 9},
                                    {{"a", "d"}, 1},
                                    {{"b", "c"}, 1}});
    QCOMPARE(bestCover(*graph, pieces).value().us, 28.0);
}

void TestCover::nothingCovers() {
    const GraphPtr graph = graphOf("a = relu(x) b = exp(a) y = neg(b)\n");
    QVERIFY(!bestCover(*graph, piecesOf(*graph, {{{"a", "b"}, 1}, {{"b", "y"}, 1}})));
    QCOMPARE(bestCover(*graph, {}).value().us, 0.0);
}

void TestCover::tooMany() {
    std::string lines, last = "x";
    std::vector<Named> named;
    for (int i = 0; i < 20; ++i) {
        const std::string name = i == 19 ? "y" : "n" + std::to_string(i);
        lines += name + " = relu(" + last + ")\n";
        named.push_back({{name}, 1});
        last = name;
    }
    const GraphPtr graph = graphOf(lines);
    QVERIFY(!bestCover(*graph, piecesOf(*graph, named), 10));
    QCOMPARE(bestCover(*graph, piecesOf(*graph, named)).value().us, 20.0);
}

void TestCover::equalsATrialOfAll() {
    std::mt19937 random(7);
    const auto below = [&](std::size_t most) { return random() % most; };
    for (int round = 0; round < 300; ++round) {
        std::string lines;
        std::vector<std::string> names = {"x"};
        for (int i = 0; i < 6; ++i) {
            const std::string name = i == 5 ? "y" : "n" + std::to_string(i);
            lines += name + " = add(" + names[below(names.size())] + ", " +
                     names[below(names.size())] + ")\n";
            names.push_back(name);
        }
        const GraphPtr graph = graphOf(lines);
        std::vector<Named> named;
        for (std::size_t i = 1; i < names.size(); ++i)
            named.push_back({{names[i]}, static_cast<double>(1 + below(20))});
        for (int i = 0; i < 6; ++i) {
            std::set<std::string> some;
            for (std::size_t n = 0; n < 2 + below(2); ++n)
                some.insert(names[1 + below(names.size() - 1)]);
            named.push_back({{some.begin(), some.end()}, static_cast<double>(1 + below(20))});
        }
        const auto pieces = piecesOf(*graph, named);
        const Cover best = bestCover(*graph, pieces).value();
        QCOMPARE(best.us, byTrial(*graph, pieces));
        QVERIFY(best.us <= greedy(*graph, pieces));
        double sum = 0;
        for (const std::size_t piece : best.pieces)
            sum += pieces[piece].us;
        QCOMPARE(sum, best.us);
    }
}

FW_TEST(TestCover, QCoreApplication)
#include "test_cover.moc"
