// Rules as the driver takes them: made once for a book and a set of operators, none that is wrong.
#include "common/test.h"
#include "rewrite/rewriting.h"

#include "rewrite/rule_set.h"

using namespace fw;
using namespace rewriting;

class TestRuleSet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRuleIsMadeOnce();
    void otherPatternsMakeOtherRules();
    void aWrongRuleIsNotMade();
    void otherOperatorsMakeOtherRules();
};

namespace {

const char* const twoRules = "pattern p(x) = relu(x)\n"
                             "rule one {\n match y = p(p(x))\n emit y = relu(x)\n}\n"
                             "builtin cse\n"
                             "rule two {\n match y = tanh(x)\n emit y = sigmoid(x)\n}";

std::shared_ptr<const RuleSet> rulesOfBook(const RuleBook& book) {
    auto out = rulesOf(book, standardOperators());
    if (!out)
        qFatal("%s", out.diag().text().c_str());
    return *out;
}

} // namespace

void TestRuleSet::aRuleIsMadeOnce() {
    const RuleBook book = bookOf(twoRules);
    const auto first = rulesOfBook(book), again = rulesOfBook(book);
    QCOMPARE(first->rules.size(), std::size_t(3));
    QVERIFY(first->rules[0] && first->rules[2]);
    QVERIFY(!first->rules[1]); // built in
    QCOMPARE(first->rules, again->rules);
    QCOMPARE(first->rules[0]->patterns().operators(), std::size_t(2)); // with what p stands for
    RuleBook fewer = book;
    fewer.entries.erase(fewer.entries.begin());
    QCOMPARE(rulesOfBook(fewer)->rules[1], first->rules[2]);
}

void TestRuleSet::otherPatternsMakeOtherRules() {
    const RuleBook book = bookOf(twoRules);
    RuleBook other = book;
    other.patterns = bookOf("pattern p(x) = neg(relu(x))").patterns;
    const auto made = rulesOfBook(book), remade = rulesOfBook(other);
    QVERIFY(made->rules[0] != remade->rules[0]);
    QCOMPARE(remade->rules[0]->patterns().operators(), std::size_t(4));
}

void TestRuleSet::aWrongRuleIsNotMade() {
    const RuleBook book = bookOf("rule no {\n match y = relu(x)\n emit y = tanh(z)\n}");
    for (int i = 0; i < 2; ++i) {
        const auto made = rulesOf(book, standardOperators());
        QVERIFY(!made);
        QCOMPARE(made.diag().where.file, std::string("book.fw"));
        QCOMPARE(made.diag().where.line, 3);
    }
}

void TestRuleSet::otherOperatorsMakeOtherRules() {
    const RuleBook book = bookOf(twoRules);
    const auto others = std::make_shared<OperatorSet>(*standardOperators());
    const auto made = rulesOf(book, others);
    QVERIFY(made.ok());
    QVERIFY((*made)->rules[0] != rulesOfBook(book)->rules[0]);
}

FW_TEST(TestRuleSet, QCoreApplication)
#include "test_rule_set.moc"
