// What `fw match` says became of the matches of rules.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestOutcomes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takenByAnother();
    void whatIsTypedIsNotApplied();
    void shippedBesideOthers();
    void behindAndBeforeOthers();
    void pinsWithoutCodeAreRefused();
    void plansWithoutEdgesSayWhy();

private:
    MatchDocument matched(const std::string& rules, Arguments arguments = {});

    QTemporaryDir m_folder;
};

namespace {

const char* const chain = "graph g(x: f32[4]) -> y, z {\n"
                          "  a = relu(x) @node(\"first\")  y = tanh(a) @node(\"second\")\n"
                          "  z = sigmoid(x) @node(\"apart\")\n"
                          "}\n";

const RuleMatches& ruleNamed(const MatchDocument& document, const std::string& name) {
    for (const RuleMatches& rule : document.rules)
        if (rule.name == name)
            return rule;
    throw InternalError("no rule " + name);
}

} // namespace

MatchDocument TestOutcomes::matched(const std::string& rules, Arguments arguments) {
    arguments.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    if (!writeFile(arguments.model, chain))
        qFatal("the model cannot be written");
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, rules}};
    Asked asked;
    return asked.get<MatchDocument>("match", arguments);
}

// Both matches are listed, and the second says what came before it.
void TestOutcomes::takenByAnother() {
    const MatchDocument found = matched("rule one { match y = relu(x) emit y = neg(x) }\n"
                                        "rule pair { match y = tanh(relu(x)) emit y = exp(x) }\n"
                                        "rule refuses { match y = sigmoid(x) where rank(x) == 2 "
                                        "emit y = exp(x) }\n"
                                        "pattern sigmoids(x) = sigmoid(x)\n");
    const RuleMatches &one = ruleNamed(found, "one"), &pair = ruleNamed(found, "pair");
    QCOMPARE(one.matches.size(), std::size_t(1));
    QCOMPARE(one.matches[0].outcome, std::string("RUL11 a rule was applied: number 1"));
    QCOMPARE(pair.matches.size(), std::size_t(1));
    QCOMPARE(pair.matches[0].outcome,
             std::string("RUL20 an earlier application took a part of the match: number 1, one "
                         "(/nowhere/mine.fw:1), took first"));
    QVERIFY(ruleNamed(found, "refuses").matches.empty());
    QCOMPARE(ruleNamed(found, "sigmoids").matches.at(0).outcome, std::string());
    // The other way round nothing is left of the smaller one.
    const MatchDocument turned = matched("rule pair { match y = tanh(relu(x)) emit y = exp(x) }\n"
                                         "rule one { match y = relu(x) emit y = neg(x) }\n");
    QCOMPARE(ruleNamed(turned, "pair").matches.at(0).outcome,
             std::string("RUL11 a rule was applied: number 1"));
    QVERIFY(ruleNamed(turned, "one").matches.at(0).outcome.starts_with("RUL20 "));
}

// What a check says beside a declaration is what it says of it.
void TestOutcomes::pinsWithoutCodeAreRefused() {
    const auto verdicts = [&](const std::string& text) {
        Arguments arguments;
        arguments.rules = {mineFile};
        arguments.texts = {{mineFile, text}};
        Asked asked;
        const auto document = asked.get<CheckDocument>("check", arguments);
        QStringList out;
        for (const CheckItem& item : document.items)
            out << QString::fromStdString(item.verdict);
        return out;
    };
    QCOMPARE(verdicts("pin { avoid onednn for any }\n"
                      "pin { use generated.nothing for first }\n"
                      "fuse f { match y = tanh(relu(x)) }\n"
                      "pin { together first, second\n avoid generated.plan for first }\n"
                      "pin { use generated.map for first }\n"),
             QStringList({QStringLiteral("ok"), QStringLiteral("refused"), QStringLiteral("ok"),
                          QStringLiteral("refused"), QStringLiteral("ok")}));
}

void TestOutcomes::plansWithoutEdgesSayWhy() {
    const auto notices = [&](const std::string& graph) {
        Arguments arguments;
        arguments.model = m_folder.filePath(QStringLiteral("plan.fw")).toStdString();
        arguments.target = "x86-64 -libs=";
        if (!writeFile(arguments.model, graph))
            qFatal("the model cannot be written");
        Asked asked;
        QStringList out;
        for (const std::string& one : asked.get<FuseDocument>("fuse", arguments).notices)
            if (one.starts_with("CON01"))
                out << QString::fromStdString(one);
        return out;
    };
    QCOMPARE(notices("graph g(x: f32[4]) -> y { y = relu(x) }"),
             QStringList(QStringLiteral(
                 "CON01 g: no value leads from one to the other: there is one operator")));
    QCOMPARE(notices("graph g(x: f32[4]) -> y, z { y = relu(x) z = tanh(x) }"),
             QStringList(QStringLiteral("CON01 g: no value leads from one to the other: none of "
                                        "the 2 operators reads another")));
    QCOMPARE(notices(chain), QStringList());
}

void TestOutcomes::whatIsTypedIsNotApplied() {
    Arguments typed;
    typed.book = mineFile;
    const MatchDocument found = matched("rule one { match y = relu(x) emit y = neg(x) }\n", typed);
    QCOMPARE(ruleNamed(found, "one").matches.size(), std::size_t(1));
    QCOMPARE(ruleNamed(found, "one").matches[0].outcome, std::string());
}

// A pattern of the user's may have the name of one that is shipped.
void TestOutcomes::shippedBesideOthers() {
    const std::string rule = "rule one { match y = relu(x) emit y = neg(x) }\n";
    const std::size_t alone = matched(rule).rules.size();
    Arguments both;
    both.shipped = true;
    const MatchDocument found = matched(rule, both);
    QCOMPARE(alone, std::size_t(1));
    QVERIFY(found.rules.size() > 10);
    QCOMPARE(found.rules.front().name, std::string("one"));
    QVERIFY(found.rules.back().file.ends_with(".fw") &&
            found.rules.back().file.find('/') == std::string::npos);
}

// What another rule makes, or takes away, is told where nothing matches.
void TestOutcomes::behindAndBeforeOthers() {
    const std::string acting = "rule one { match y = relu(x) emit y = neg(x) }\n";
    const MatchDocument pattern = matched(acting + "pattern made(x) = tanh(neg(x))\n");
    QCOMPARE(ruleNamed(pattern, "made").behindRules, std::optional<std::int64_t>(1));
    QCOMPARE(ruleNamed(pattern, "made").madeBy, (std::vector<std::string>{"one"}));
    Arguments behind;
    behind.book = mineFile;
    behind.stage = "rewritten";
    const MatchDocument gone =
        matched(acting + "fuse gone { match tanh(relu(x)) as stacked }\n", behind);
    QVERIFY(ruleNamed(gone, "gone").matches.empty());
    QCOMPARE(ruleNamed(gone, "gone").beforeRules, std::optional<std::int64_t>(1));
    QCOMPARE(ruleNamed(gone, "gone").takenBy, (std::vector<std::string>{"one"}));
    // A rule of a book that is typed, beside one that acts.
    Arguments beside;
    beside.book = mineFile;
    const MatchDocument rule =
        matched(acting + "rule after { match y = tanh(n = neg(x)) where rank(x) == 7, used_once(n) "
                         "emit y = x }\n",
                beside);
    QVERIFY(!ruleNamed(rule, "after").behindRules); // its condition holds nowhere
    // One that stands in a stage before the one that makes what it looks for.
    const MatchDocument early =
        matched("rule late { match y = relu(x) stage before fusion emit y = neg(x) }\n"
                "rule early { match y = tanh(neg(x)) emit y = x }\n",
                beside);
    QCOMPARE(ruleNamed(early, "early").behindRules, std::optional<std::int64_t>(1));
    QCOMPARE(ruleNamed(early, "early").madeBy, (std::vector<std::string>{"late"}));
}

FW_TEST(TestOutcomes, QCoreApplication)
#include "test_outcomes.moc"
