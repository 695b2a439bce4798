#include "common/test.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "verdict/critical.h"

using namespace fw;

class TestCritical : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pairsAreFound_data();
    void pairsAreFound();
    void shippedOnes();
};

namespace {

std::shared_ptr<const RuleTree> ruleOf(const RuleBook& book, const std::string& name) {
    for (const auto& entry : book.entries)
        if (entry->name == name)
            return std::dynamic_pointer_cast<const RuleTree>(entry);
    return nullptr;
}

} // namespace

void TestCritical::pairsAreFound_data() {
    QTest::addColumn<QString>("rules");
    QTest::addColumn<bool>("found");
    const auto row = [](const char* name, const char* rules, bool found) {
        QTest::newRow(name) << QString::fromUtf8(rules) << found;
    };
    row("the same operators, other results",
        "rule a { match y = relu(neg(x)) emit y = sigmoid(x) }\n"
        "rule b { match y = relu(neg(x)) emit y = tanh(x) }",
        true);
    row("one inside of the other",
        "rule a { match y = exp(sin(cos(x))) emit y = sqrt(x) }\n"
        "rule b { match y = sin(cos(x)) emit y = abs(x) }",
        true);
    row("the end of one is the beginning of the other",
        "rule a { match y = exp(sin(x)) emit y = sqrt(x) }\n"
        "rule b { match y = sin(cos(x)) emit y = abs(x) }",
        true);
    row("they come together again",
        "rule a { match y = neg(neg(x)) emit y = x }\n"
        "rule b { match y = relu(neg(neg(x))) emit y = relu(x) }",
        false);
    row("a later rule brings them together",
        "rule c { match y = exp(abs(x)) emit y = sqrt(x) }\n"
        "rule a { match y = exp(sin(cos(x))) emit y = sqrt(x) }\n"
        "rule b { match y = sin(cos(x)) emit y = abs(x) }",
        false);
    row("nothing in common",
        "rule a { match y = relu(neg(x)) emit y = tanh(x) }\n"
        "rule b { match y = sin(cos(x)) emit y = abs(x) }",
        false);
    row("through a step and a kind",
        "rule a { match y = (conv2d(x, w) {*a} >> bias(^, b: const) {axis = 1}? >> relu(^)) "
        "emit y = sigmoid(conv2d(x, w) {*a}) }\n"
        "rule b { match y = kind elementwise(bias(c, b) {axis}) emit y = tanh(c) }",
        true);
    row("demands that no value meets",
        "rule a { match y = relu(neg(x: f32[2, ...])) emit y = sigmoid(x) }\n"
        "rule b { match y = relu(neg(x: f32[3, ...])) emit y = tanh(x) }",
        false);
    row("demands that some value meets",
        "rule a { match y = relu(neg(x: f32[2, ...])) emit y = sigmoid(x) }\n"
        "rule b { match y = relu(neg(x: f32[..., 3])) emit y = tanh(x) }",
        true);
    row("attributes that no operator has",
        "rule a { match y = leaky_relu(neg(x)) {alpha = 0.25} emit y = sigmoid(x) }\n"
        "rule b { match y = leaky_relu(neg(x)) {alpha = 0.5} emit y = tanh(x) }",
        false);
    row("other stages",
        "rule a { match y = relu(neg(x)) emit y = sigmoid(x) }\n"
        "rule b { stage before fusion match y = relu(neg(x)) emit y = tanh(x) }",
        false);
}

void TestCritical::pairsAreFound() {
    QFETCH(QString, rules);
    QFETCH(bool, found);
    const auto book = parseRules(rules.toStdString(), "book.fw");
    QVERIFY2(book.ok(), book.ok() ? "" : book.diag().text().c_str());
    const auto pair =
        CriticalPairs(*book, standardOperators()).of(ruleOf(*book, "a"), ruleOf(*book, "b"));
    QCOMPARE(pair.has_value(), found);
    QVERIFY(!pair || printGraph(*pair->first) != printGraph(*pair->second));
}

// What stands in resources/library one behind another for a reason.
void TestCritical::shippedOnes() {
    const RuleBook all = standardRules().value();
    CriticalPairs pairs(all, standardOperators());
    const auto matters = [&](const char* first, const char* second) {
        return pairs.of(ruleOf(all, first), ruleOf(all, second)).has_value();
    };
    QVERIFY(matters("layernorm_of_parts", "rms_norm_of_parts"));
    QVERIFY(matters("scale_behind_conv2d", "scale_before_conv2d"));
    QVERIFY(!matters("transposes", "transpose_to_itself"));
    QVERIFY(!matters("fold_batch_norm", "reshapes"));
}

FW_TEST(TestCritical, QCoreApplication)
#include "test_critical.moc"
