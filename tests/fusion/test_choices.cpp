// What decides, by its code: pins, fusion rules, costs, names without code.
#include "common/test.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"

#include <atomic>
#include <cmath>
#include <fmt/format.h>

using namespace fw;

namespace {

const char* const chain = "graph g(x: f32[8, 16]) -> out {\n"
                          "  w = const random(1) : f32[16, 16]\n"
                          "  d = dense(x, w)    r = relu(d)    s = softmax(r)    out = tanh(s)\n"
                          "}\n";

class Costly : public Implementation {
public:
    Costly(std::string name, double us) : m_name(std::move(name)), m_us(us) {}
    const std::string& name() const override { return m_name; }
    Acceptance accepts(const Workload&, const Target&) const override {
        return {Verdict::Yes, ReasonCode::ScheduleDefault, m_name};
    }
    Acceptance absorbsEpilogue(const Growing&, const Workload& next) const override {
        return {Verdict::Yes, ReasonCode::FusedEpilogue, next.node->op};
    }
    Acceptance absorbsPrologue(const Workload& before, const Workload&) const override {
        return {Verdict::Yes, ReasonCode::FusedPrologue, before.node->op};
    }
    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        return lowerByTemplate(ScheduleTemplate::Plain, site, target);
    }
    double estimate(const Facts&, const Workload&, const Target&) const override { return m_us; }

private:
    std::string m_name;
    double m_us;
};

class Refusing final : public Costly {
public:
    Refusing() : Costly("costly.refusing", 1000) {}
    Result<Lowering> lower(const GroupSite&, const Target&) const override {
        return makeDiag(DiagCode::ScheduleIllegal, "it is left to others");
    }
};

// Whoever asked for the plan has had enough when the first loops are made.
class Interrupted final : public Costly {
public:
    explicit Interrupted(CancelToken token)
        : Costly("costly.interrupted", 1), m_token(std::move(token)) {}
    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        m_token.cancel();
        ++m_asked;
        return Costly::lower(site, target);
    }
    int asked() const { return m_asked; }

private:
    CancelToken m_token;
    mutable std::atomic<int> m_asked = 0;
};

struct PlannedChoices {
    GraphPtr graph;
    FusionPlan plan;

    std::string code(const std::string& from, const std::string& to) const {
        const EdgeDecision* edge =
            plan.edge(graph->findByName(from)->id, graph->findByName(to)->id);
        return edge ? std::string(codeText(edge->decision.code)) : "none";
    }
    const Group& group(const std::string& node) const {
        return plan.groupAt(graph->findByName(node)->id);
    }
    const Candidate& candidate(const std::string& node, const std::string& name) const {
        for (const Candidate& known : group(node).candidates)
            if (known.implementation == name)
                return known;
        throw InternalError("no candidate " + name);
    }
    std::set<std::string> noticed() const {
        std::set<std::string> out;
        for (const Decision& notice : plan.notices)
            out.insert(std::string(codeText(notice.code)));
        return out;
    }
};

// What the log says of the softmax of the chain: (implementation, microseconds).
using Times = std::vector<std::pair<std::string, double>>;

PlannedChoices planned(const std::string& book, const Times& times = {}) {
    const FileTree tree = parseFile(book, "my.fw");
    if (!tree.errors.empty())
        qFatal("%s", tree.errors.front().text().c_str());
    StrategyBook strategy = standardStrategy();
    strategy.add(tree.declarations, "my.fw");
    FusionBook fusion = standardFusion();
    fusion.add(tree.declarations, "my.fw");
    std::vector<std::shared_ptr<const Implementation>> all = generatedImplementations();
    all.push_back(std::make_shared<Costly>("costly.slow", 50));
    all.push_back(std::make_shared<Costly>("costly.quick", 5));
    all.push_back(std::make_shared<Costly>("costly.nan", NAN));
    all.push_back(std::make_shared<Costly>("costly.negative_nan", -NAN));
    all.push_back(std::make_shared<Costly>("costly.infinite", HUGE_VAL));
    all.push_back(std::make_shared<Refusing>());
    PlannedChoices out;
    out.graph = parseGraph(chain, standardOperators()).value();
    const Target target = parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=2").value();
    std::optional<Measurements> measured;
    if (!times.empty())
        measured.emplace();
    for (const auto& [name, us] : times)
        measured->add(workloadText(*out.graph, *out.graph->findByName("s"), target), name, us);
    const Catalog catalog(all, strategy, {}, measured);
    PlanOptions options;
    options.catalog = &catalog;
    options.book = &fusion;
    out.plan = planFusion(*out.graph, target, options).value();
    return out;
}

} // namespace

class TestChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pinsHold();
    void pinsThatCannot();
    void rulesComeBeforeGrowth();
    void costDecidesAmongEquals();
    void costsThatAreNoNumber_data();
    void costsThatAreNoNumber();
    void measurementsComeBeforePriorities();
    void logsThatKnowTooLittle();
    void refusalsAskTheLogAgain();
    void namesWithoutCode();
    void ownImplementationsTakePart();
    void loweringCanBeStopped();
};

void TestChoices::pinsHold() {
    const PlannedChoices held =
        planned("pin { together s, out   apart d, r   use generated.plain for s }");
    QCOMPARE(held.code("s", "out"), std::string("PIN01"));
    QCOMPARE(held.code("d", "r"), std::string("PIN02"));
    QCOMPARE(held.group("s").implementation, std::string("generated.plain"));
    QCOMPARE(held.group("s").source, std::string("pin"));
    QCOMPARE(held.candidate("s", "generated.plain").code, ReasonCode::ChosenPin);
    QVERIFY(held.group("s").stacked); // the plain one absorbs nothing
}

void TestChoices::pinsThatCannot() {
    const PlannedChoices refused = planned("pin { together d, out   use generated.window for s\n"
                                           "together x, s }");
    QVERIFY(refused.noticed().contains("CVX01"));
    QVERIFY(refused.noticed().contains("PIN03"));
    QCOMPARE(refused.plan.groups.size(), planned("").plan.groups.size());
}

void TestChoices::rulesComeBeforeGrowth() {
    const PlannedChoices ruled =
        planned("fuse all { match relu(dense(x, w)) >> softmax(^) as stacked }");
    QCOMPARE(ruled.code("d", "r"), std::string("FUR01"));
    QCOMPARE(ruled.code("r", "s"), std::string("FUR01"));
    QVERIFY(ruled.group("d").stacked);
    // Without `stacked`, all of it must be absorbed.
    const PlannedChoices refused = planned("fuse all { match relu(dense(x, w)) >> softmax(^) }");
    QVERIFY(refused.noticed().contains("FUR02"));
    QCOMPARE(refused.code("d", "r"), std::string("FUS02"));
    // Of another target: not even tried.
    QCOMPARE(planned("fuse all on x86-64-v4 { match relu(dense(x, w)) }").code("d", "r"),
             std::string("FUS02"));
}

void TestChoices::costDecidesAmongEquals() {
    const PlannedChoices costs =
        planned("implementations softmax(...) on any {\n"
                "  costly.slow priority 20\n  costly.quick priority 20\n}");
    QCOMPARE(costs.group("s").implementation, std::string("costly.quick"));
    QCOMPARE(costs.group("s").source, std::string("cost"));
    QCOMPARE(costs.candidate("s", "costly.quick").code, ReasonCode::ChosenCost);
    QCOMPARE(costs.candidate("s", "costly.slow").priority, 20);
    QCOMPARE(costs.candidate("s", "costly.slow").level, std::string("softmax on any"));
}

void TestChoices::costsThatAreNoNumber_data() {
    QTest::addColumn<QStringList>("entries");
    QTest::addColumn<QString>("chosen");
    const auto row = [](const QStringList& entries, const char* chosen) {
        QTest::addRow("%s", qPrintable(entries.join(QLatin1Char(' '))))
            << entries << QString::fromLatin1(chosen);
    };
    row({"nan", "quick"}, "quick");
    row({"quick", "nan"}, "quick");
    row({"nan", "slow", "negative_nan", "quick", "infinite"}, "quick");
    row({"infinite", "nan", "slow"}, "slow");
    // Nothing says which is better: the first of them.
    row({"nan"}, "nan");
    row({"nan", "negative_nan"}, "nan");
    row({"negative_nan", "nan", "infinite"}, "negative_nan");
}

void TestChoices::costsThatAreNoNumber() {
    QFETCH(const QStringList, entries);
    QFETCH(const QString, chosen);
    std::string book = "implementations softmax(...) on any {\n";
    for (const QString& entry : entries)
        book += "  costly." + entry.toStdString() + " priority 20\n";
    const PlannedChoices costs = planned(book + "}");
    QCOMPARE(costs.group("s").implementation, "costly." + chosen.toStdString());
    // A measurement is held against one that has no estimate.
    const PlannedChoices log =
        planned(book + "}", {{"costly.nan", 9}, {"costly.slow", 3}, {"costly.quick", 3}});
    QVERIFY(log.group("s").hasCode());
}

void TestChoices::measurementsComeBeforePriorities() {
    const PlannedChoices measured = planned("", {{"generated.rowwise", 9}, {"costly.slow", 3}});
    QCOMPARE(measured.group("s").implementation, std::string("costly.slow"));
    QCOMPARE(measured.group("s").source, std::string("log"));
    QCOMPARE(measured.candidate("s", "costly.slow").code, ReasonCode::ChosenMeasured);
    QCOMPARE(measured.candidate("s", "generated.rowwise").measuredUs, std::optional<double>(9));
    QCOMPARE(measured.group("d").source, planned("").group("d").source);
    // Within the noise the one of the highest priority stays.
    const PlannedChoices close =
        planned("implementations softmax(...) on any { costly.slow priority 20 }",
                {{"generated.rowwise", 9.0}, {"costly.slow", 9.1}});
    QCOMPARE(close.group("s").implementation, std::string("costly.slow"));
    QCOMPARE(close.group("s").source, std::string("priority"));
    QCOMPARE(close.candidate("s", "costly.slow").code, ReasonCode::NotMeasured);
    // A pin comes before everything.
    const PlannedChoices pinned = planned("pin { use generated.plain for s }",
                                          {{"generated.rowwise", 9}, {"costly.slow", 3}});
    QCOMPARE(pinned.group("s").implementation, std::string("generated.plain"));
}

void TestChoices::logsThatKnowTooLittle() {
    const PlannedChoices open =
        planned("implementations softmax(...) on any { costly.slow priority 20 }",
                {{"generated.rowwise", 1}});
    QCOMPARE(open.group("s").implementation, std::string("costly.slow"));
    QCOMPARE(open.group("s").source, std::string("priority"));
    QVERIFY(open.noticed().contains("CHO07"));
    QVERIFY(!open.group("s").untuned && open.group("d").untuned);
    QVERIFY(open.noticed().contains("CHO08"));
    QVERIFY(!planned("").noticed().contains("CHO08"));
    QVERIFY(!planned("pin { use generated.plain for d }", {{"generated.rowwise", 1}})
                 .group("d")
                 .untuned);
}

void TestChoices::refusalsAskTheLogAgain() {
    const std::string book = "implementations softmax(...) on any { costly.refusing priority 30\n"
                             "generated.rowwise priority 20 }";
    const Times times = {{"costly.refusing", 1}, {"generated.rowwise", 9}, {"costly.slow", 3}};
    const PlannedChoices log = planned(book, times);
    QVERIFY(log.noticed().contains("IMP05"));
    QCOMPARE(log.candidate("s", "costly.refusing").code, ReasonCode::LoweringRefused);
    QCOMPARE(log.group("s").implementation, std::string("costly.slow"));
    QCOMPARE(log.group("s").source, std::string("log"));
    QCOMPARE(log.candidate("s", "costly.slow").code, ReasonCode::ChosenMeasured);
    QCOMPARE(planned(book).group("s").implementation, std::string("generated.rowwise"));
    QCOMPARE(planned(book).group("s").source, std::string("priority"));
}

void TestChoices::namesWithoutCode() {
    const PlannedChoices odd =
        planned("implementations softmax(...) on any { nowhere.fast priority 90 }");
    QCOMPARE(odd.group("s").implementation, std::string("generated.rowwise"));
    QCOMPARE(odd.candidate("s", "nowhere.fast").code, ReasonCode::NoSuchCode);
    QCOMPARE(odd.candidate("s", "nowhere.fast").place, std::string("my.fw:1"));
}

void TestChoices::loweringCanBeStopped() {
    constexpr int count = 200;
    std::string inputs, results, lines;
    for (int i = 0; i < count; ++i) {
        inputs += fmt::format("{}x{}: f32[{}, 3]", i == 0 ? "" : ", ", i, i + 2);
        results += fmt::format("{}y{}", i == 0 ? "" : ", ", i);
        lines += fmt::format("  y{0} = softmax(x{0})\n", i);
    }
    const GraphPtr graph =
        parseGraph(fmt::format("graph g({}) -> {} {{\n{}}}\n", inputs, results, lines),
                   standardOperators())
            .value();
    StrategyBook strategy = standardStrategy();
    strategy.add(
        parseFile("implementations softmax(...) on any { costly.interrupted priority 90 }", "my.fw")
            .declarations,
        "my.fw");
    PlanOptions options;
    std::vector<std::shared_ptr<const Implementation>> all = generatedImplementations();
    const auto interrupted = std::make_shared<Interrupted>(options.cancel);
    all.push_back(interrupted);
    const Catalog catalog(all, strategy);
    options.catalog = &catalog;
    const auto plan = planFusion(
        *graph, parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=2").value(), options);
    QVERIFY(!plan.ok());
    QCOMPARE(plan.diag().code, DiagCode::Cancelled);
    QVERIFY2(interrupted->asked() < count / 2, qPrintable(QString::number(interrupted->asked())));
}

void TestChoices::ownImplementationsTakePart() {
    // No entry names them: they take part with their own priority, and a tie goes by cost.
    const PlannedChoices own = planned("");
    QCOMPARE(own.group("s").implementation, std::string("generated.rowwise"));
    QCOMPARE(own.candidate("s", "costly.quick").verdict, Verdict::Yes);
}

FW_TEST(TestChoices, QCoreApplication)
#include "test_choices.moc"
