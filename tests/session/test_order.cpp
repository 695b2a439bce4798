// The order in which everything that the books declare is asked, and what it did.
#include "common/test.h"
#include "session/asked.h"

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesOfTheUserComeFirst();
    void booksComeInTheirOrder();
    void countsAreThoseOfThePlan();
    void whatIsNeverAskedIsSaid();
    void unknownOperatorsLeaveAPlan();
    void whatBooksWonIsPriced();
    void booksThatSayNothing();
};

namespace {

const char* const other = "/nowhere/other.fw";

Arguments with(Arguments arguments, std::vector<BookSource> books) {
    for (const BookSource& book : books)
        arguments.rules.push_back(book.file);
    arguments.texts = std::move(books);
    return arguments;
}

const OrderRecord* find(const OrderDocument& order, const std::string& phase,
                        const std::string& name, const std::string& file) {
    for (const OrderRecord& entry : order.entries)
        if (entry.phase == phase && entry.name == name && entry.file == file)
            return &entry;
    return nullptr;
}

std::ptrdiff_t placeOf(const OrderDocument& order, const OrderRecord* entry) {
    return entry == nullptr ? -1 : entry - order.entries.data();
}

} // namespace

void TestOrder::rulesOfTheUserComeFirst() {
    Asked a;
    const auto order = a.get<OrderDocument>(
        "order", with(on("residual"), {{mineFile, "\nrule twice { match y = relu(relu(x)) "
                                                  "emit y = relu(x) }\n"}}));
    QCOMPARE(order.entries.front().phase, std::string("rewrite"));
    QCOMPARE(order.entries.front().file, std::string(mineFile));
    QCOMPARE(order.entries.front().line, 2);
    QCOMPARE(order.entries.front().count, std::int64_t(0));
    QVERIFY(order.entries.front().ms.has_value());
    const OrderRecord* shipped = find(order, "rewrite", "fold_batch_norm", "simplify.fw");
    QVERIFY(shipped);
    QVERIFY(shipped->count.value_or(0) > 0);
    QVERIFY(shipped->ms.value_or(0) > 0);
    QVERIFY(shipped->shadowed.empty());
    QCOMPARE(find(order, "rewrite", "cse", "simplify.fw")->kind, std::string("builtin"));
    // The engine rewrites, forms groups by rules, and lets them grow, in this order.
    const std::vector<std::string> phases = {"rewrite", "pin", "fuse", "grow", "implement", "name"};
    std::size_t at = 0;
    for (const OrderRecord& entry : order.entries) {
        while (at < phases.size() && phases[at] != entry.phase)
            ++at;
        QVERIFY2(at < phases.size(), entry.phase.str().c_str());
    }
    const auto rewrite = a.get<RewriteDocument>(
        "rewrite", with(on("residual"), {{mineFile, "\nrule twice { match y = relu(relu(x)) "
                                                    "emit y = relu(x) }\n"}}));
    for (const AppliedRecord& applied : rewrite.applied)
        QCOMPARE(find(order, "rewrite", applied.rule, "simplify.fw")->count, applied.count);
    // One that has the name of a shipped rule takes its place.
    const auto taken = a.get<OrderDocument>(
        "order", with(on("residual"), {{mineFile, "rule fold_batch_norm { match y = relu(relu(x)) "
                                                  "emit y = relu(x) }\n"}}));
    QVERIFY(find(taken, "rewrite", "fold_batch_norm", mineFile));
    QVERIFY(!find(taken, "rewrite", "fold_batch_norm", "simplify.fw"));
}

void TestOrder::booksComeInTheirOrder() {
    Asked a;
    const std::string grown = "grow contraction -> elementwise forward limit 2\n";
    const auto order = a.get<OrderDocument>(
        "order",
        with(on("mlp"), {{mineFile, "rule q { match y = exp(log(x)) emit y = x }\n" + grown},
                         {other, "rule r { match y = exp(log(x)) emit y = x }\n" + grown}}));
    const auto* first = find(order, "rewrite", "q", mineFile);
    const auto* second = find(order, "rewrite", "r", other);
    QVERIFY(first && second && placeOf(order, first) < placeOf(order, second));
    // What decides about groups: the later book is asked first.
    const std::string grow = "contraction -> elementwise forward";
    QVERIFY(placeOf(order, find(order, "grow", grow, other)) <
            placeOf(order, find(order, "grow", grow, mineFile)));
    QVERIFY(find(order, "grow", grow, other)->shadowed.empty());
    QCOMPARE(find(order, "grow", grow, mineFile)->shadowed,
             std::string("/nowhere/other.fw:2 is asked first"));
}

void TestOrder::countsAreThoseOfThePlan() {
    Asked a;
    const Arguments arguments =
        with(on("lenet"), {{mineFile, "fuse pair { match relu(bias(x, b)) as stacked }\n"
                                      "fuse nothing { match tanh(tanh(x)) as stacked }\n"}});
    const auto order = a.get<OrderDocument>("order", arguments);
    const auto plan = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(order.planned);
    std::int64_t pairs = 0, joined = 0, blocks = 0;
    const std::string byRule(codeText(ReasonCode::FuseRuleApplied));
    for (const DecisionRecord& edge : plan.decisions)
        if (edge.verdict == "yes" && !edge.to.empty())
            ++(edge.code == byRule ? pairs : joined);
    const OrderRecord* pair = find(order, "fuse", "pair", mineFile);
    QVERIFY(pair && pairs > 0);
    QCOMPARE(pair->count, pairs); // groups of two have one edge
    QVERIFY(pair->ms.value_or(0) > 0);
    QCOMPARE(find(order, "fuse", "nothing", mineFile)->count, std::int64_t(0));
    for (const OrderRecord& entry : order.entries) {
        if (entry.phase == "grow")
            joined -= entry.count.value();
        if (entry.phase == "implement")
            blocks += entry.count.value();
    }
    QCOMPARE(joined, std::int64_t(0));
    const auto computed = std::count_if(plan.groups.begin(), plan.groups.end(),
                                        [](const auto& g) { return g.implementation != "view"; });
    QVERIFY(blocks >= computed); // an entry of two blocks counts in both
}

void TestOrder::whatIsNeverAskedIsSaid() {
    Asked a;
    const auto order = a.get<OrderDocument>(
        "order", with(on("lenet"), {{mineFile, "grow contraction -> elementwise never\n"
                                               "chain onednn.tail = relu(^)*\n"
                                               "schedule tile { anchor.unroll(reduce) }\n"}}));
    QVERIFY(find(order, "name", "tile", mineFile));
    const auto* never = find(order, "grow", "contraction -> elementwise never", mineFile);
    QVERIFY(never && never->shadowed.empty());
    const auto* shipped = find(order, "grow", "contraction -> elementwise forward", "fusion.fw");
    QVERIFY(shipped);
    QCOMPARE(shipped->shadowed, std::string("/nowhere/mine.fw:1 is asked first"));
    QCOMPARE(shipped->count, std::int64_t(0));
    const auto* chain = find(order, "name", "onednn.tail", "post_ops.fw");
    QVERIFY(chain);
    QCOMPARE(chain->shadowed, std::string("/nowhere/mine.fw:2 takes its place"));
    QVERIFY(find(order, "name", "onednn.tail", mineFile)->shadowed.empty());
    QVERIFY(!chain->count.has_value());
}

void TestOrder::unknownOperatorsLeaveAPlan() {
    Asked a;
    const auto order = a.get<OrderDocument>("order", on("broken/unknown_op.onnx"));
    QVERIFY(order.planned);
    QVERIFY(find(order, "rewrite", "cse", "simplify.fw")->count.has_value());
    for (const OrderRecord& entry : order.entries)
        if (entry.phase == "grow")
            QVERIFY(entry.count.has_value());
}

void TestOrder::whatBooksWonIsPriced() {
    Asked a;
    Arguments arguments = on("mobilenet");
    QVERIFY(!a.get<OrderDocument>("order", arguments).estUs);
    arguments.each = true;
    const auto order = a.get<OrderDocument>("order", arguments);
    QVERIFY(order.estUs && *order.estUs > 0);
    const auto gain = [&](const std::string& file) -> const BookGain* {
        for (const BookGain& one : order.books)
            if (one.file == file)
                return &one;
        return nullptr;
    };
    const BookGain* shipped = gain("simplify.fw");
    QVERIFY(shipped != nullptr);
    QCOMPARE(shipped->applied, std::int64_t(27));
    QVERIFY(shipped->estUsWithout && *shipped->estUsWithout > *order.estUs);
    QVERIFY(gain("views.fw") == nullptr); // none of its rules acted
}

void TestOrder::booksThatSayNothing() {
    Asked a;
    Arguments arguments = on("mobilenet");
    arguments.without = {"simplify.fw"};
    const auto order = a.get<OrderDocument>("order", arguments);
    QVERIFY(!find(order, "rewrite", "fold_batch_norm", "simplify.fw"));
    QVERIFY(find(order, "rewrite", "reshapes", "views.fw"));
    arguments.without = {"simplfy.fw"};
    const auto refused = a.ask("order", arguments);
    QVERIFY(!refused);
    QVERIFY(refused.diag().hint.find("simplify.fw") != std::string::npos);
}

FW_TEST(TestOrder, QCoreApplication)
#include "test_order.moc"
