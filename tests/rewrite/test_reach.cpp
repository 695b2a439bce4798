// Behind the first sweep a rule is asked only where the graph changed within its reach. What a new
// look at the whole result still finds was overlooked. The rules compute other values than what
// they replace; types are all that counts here.
#include "base/random.h"
#include "common/test.h"
#include "rewrite/history.h"
#include "rewriting.h"

#include <fmt/format.h>

using namespace fw;
using namespace rewriting;

namespace {

struct Rule {
    const char* name;
    const char* text;
};

// Every one takes operators away or puts a later one of neg, sigmoid, abs, tanh, relu in the place
// of an earlier one, so that a book of them ends.
const Rule rules[] = {
    {"depth", "rule depth { match y = neg(neg(neg(x))) emit y = neg(x) }"},
    {"pair", "rule pair { match y = relu(relu(x)) emit y = relu(x) }"},
    {"alone", "rule alone { match y = relu(n = neg(x)) where used_once(n) emit y = relu(x) }"},
    {"shared",
     "rule shared { match y = abs(n = neg(x)) where readers(n) > 1 duplicate emit y = abs(x) }"},
    {"readers",
     "rule readers { match y = tanh(n = neg(x)) where used_only_by(n, y) emit y = tanh(x) }"},
    {"inner", "rule inner { match y = abs(x) where !not_result(x) emit y = relu(x) }"},
    {"swapped", "rule swapped { match y = add(neg(x), relu(z)) duplicate emit y = add(x, z) }"},
    {"same", "rule same { match y = add(x, x) emit y = relu(x) }"},
    {"either", "rule either { match y = abs(tanh(x) | sigmoid(x) | relu(x)) emit y = relu(x) }"},
    {"absent", "rule absent { match y = tanh(s = (sigmoid(x) >> neg(^)?)) emit y = tanh(x) }"},
    {"many", "rule many { match y = (abs(x) >> neg(^)* {1..5} >> relu(^)) emit y = relu(x) }"},
    {"roots", "rule roots { match a = abs(x), b = sigmoid(x) emit a = relu(x), b = relu(x) }"},
    {"twins", "rule twins { match a = tanh(x), b = tanh(x) emit a = relu(x), b = relu(x) }"},
    {"apart", "rule apart { match a = abs(tanh(x)), b = sigmoid(sigmoid(z)) duplicate "
              "emit a = relu(x), b = relu(z) }"},
    {"sums", "rule sums { match y = assoc add(relu(p), relu(q), r) duplicate "
             "emit y = add(relu(p), r) }"},
    {"paths", "rule paths { match y = dominated(neg(x), kind broadcast(...), add(^, ^)) "
              "emit y = relu(x) }"},
    {"other", "rule other { match y = add(not neg(any), x) emit y = relu(x) }"},
    {"halves", "rule halves { match y = add(out(0, s = split(x, ...)), h = out(1, s)) duplicate "
               "emit y = relu(h) }"},
    {"numbers", "rule numbers { match y = add(mul(x, 2), 1) emit y = mul(x, 2) }"},
    {"turned", "rule turned { match y = mul(k: const, neg(x)) duplicate emit y = mul(k, x) }"},
    {"parts", "rule parts { match (a, b) = split(neg(x)) {*s} duplicate "
              "emit (a, b) = split(x) {*s} }"},
    {"aimed", "rule aimed on any where rank(x) == 2 { match y = sigmoid(tanh(x)) "
              "emit y = tanh(x) }"},
    {"cse", "builtin cse"},
};

// Of n operators on f32[4, 4], many of them read by several others, some by nobody.
GraphPtr randomGraph(std::uint64_t seed, int n) {
    Random random(seed);
    const std::vector<std::string> unary = {"neg", "neg", "relu", "abs", "tanh", "sigmoid"};
    std::vector<std::string> values = {"x"};
    const auto any = [&] {
        const std::size_t near = std::min<std::size_t>(values.size(), 6);
        return values[values.size() - 1 - random.below(random.chance(80) ? near : values.size())];
    };
    std::string body;
    for (int i = 0; i < n; ++i) {
        const std::string name = fmt::format("v{}", i);
        if (random.chance(5)) {
            body += fmt::format("({0}a, {0}b) = split({1}) {{sizes = [2, 2]}}\n", name, any());
            body += fmt::format("{0} = add({0}a, {0}b)\n{0}c = concat({0}, {0}b)\n", name);
            values.push_back(name + "c");
        } else if (random.chance(10)) {
            body += fmt::format("{} = {}({}, {})\n", name, random.chance(50) ? "add" : "mul", any(),
                                1 + random.below(2));
            values.push_back(name);
        } else if (random.chance(25)) {
            body += fmt::format("{} = add({}, {})\n", name, any(), any());
            values.push_back(name);
        } else {
            body += fmt::format("{} = {}({})\n", name, random.pick(unary), any());
            values.push_back(name);
        }
    }
    std::set<std::string> results = {values.back()};
    for (int i = 0; i < n / 10; ++i)
        results.insert(values[1 + random.below(values.size() - 1)]);
    return graphOf(
        fmt::format("graph g(x: f32[4, 4]) -> {} {{\n{}}}", fmt::join(results, ", "), body));
}

std::string found(const Rewritten& again) {
    const AppliedRule* first = nullptr;
    for (const AppliedRule& applied : again.trace.applied)
        if (applied.count > 0 && first == nullptr)
            first = &applied;
    return first == nullptr ? std::string() : first->rule;
}

} // namespace

class TestReach : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRuleFires();
    void nothingIsOverlooked_data();
    void nothingIsOverlooked();
};

void TestReach::everyRuleFires() {
    for (const Rule& rule : rules) {
        std::size_t count = 0;
        for (std::uint64_t seed = 1; seed <= 300 && count == 0; ++seed)
            count =
                applications(rewritten(randomGraph(seed, 60), bookOf(rule.text)).trace, rule.name);
        QVERIFY2(count > 0, rule.name);
    }
}

// Books of one to nine of the rules, in any order.
void TestReach::nothingIsOverlooked_data() {
    QTest::addColumn<int>("block");
    for (int block = 0; block < 8; ++block)
        QTest::addRow("block %d", block) << block;
}

void TestReach::nothingIsOverlooked() {
    QFETCH(int, block);
    int applications = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed * 100 + static_cast<std::uint64_t>(block));
        std::string book;
        std::set<std::size_t> chosen;
        for (std::size_t i = 0, count = 1 + random.below(9); i < count; ++i)
            if (const std::size_t rule = random.below(std::size(rules)); chosen.insert(rule).second)
                book += std::string(rules[rule].text) + "\n";
        const GraphPtr graph = randomGraph(random.next(), static_cast<int>(random.between(5, 90)));
        const Rewritten once = rewritten(graph, bookOf(book));
        if (once.trace.stopReason != "fixpoint") // rules that undo each other are left out
            continue;
        applications += static_cast<int>(once.trace.applications.size());
        // From the records come the same nodes in the same order, with the same origins.
        const auto behind =
            graphBehind(graph, once.trace.applications, once.trace.applications.size());
        QVERIFY2(behind.ok(), behind.ok() ? "" : behind.diag().text().c_str());
        QCOMPARE(QString::fromStdString(printGraph(**behind)),
                 QString::fromStdString(printGraph(*once.graph)));
        const std::string again = found(rewritten(once.graph, bookOf(book)));
        QVERIFY2(again.empty(), (again + " of\n" + book + printGraph(*graph)).c_str());
    }
    QVERIFY2(applications > 500, QByteArray::number(applications).constData());
}

FW_TEST(TestReach, QCoreApplication)
#include "test_reach.moc"
