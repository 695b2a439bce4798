#include "common/test.h"
#include "library/library.h"
#include "verdict/verdict.h"

using namespace fw;

class TestProof : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesAreProved_data();
    void rulesAreProved();
    void onlyTheseOfTheLibraryAreNot();
    void cancelledTrialsEnd();
};

namespace {

QString nameOf(const RuleTrial& trial) {
    if (trial.wrong)
        return QStringLiteral("refuted");
    return trial.proof == Proof::Exact       ? QStringLiteral("exact")
           : trial.proof == Proof::OverReals ? QStringLiteral("reals")
           : trial.cases > 0                 ? QStringLiteral("tested")
                                             : QStringLiteral("unknown");
}

std::shared_ptr<const RuleTree> firstRule(const RuleBook& book) {
    return std::dynamic_pointer_cast<const RuleTree>(book.entries.front());
}

} // namespace

void TestProof::rulesAreProved_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("proof");
    const auto row = [](const char* name, const char* rule, const char* proof) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(proof);
    };
    row("the same element",
        "match y = transpose(transpose(x) {perm = [1, 0]}) {perm = [1, 0]} emit y = x", "exact");
    row("nothing in between", "match y = neg(neg(x)) emit y = x", "exact");
    row("a maximum of maxima", "match y = max(max(a, b), a) emit y = max(a, b)", "exact");
    row("polynomials", "match y = mul(a, add(b, c)) emit y = a * b + a * c", "reals");
    row("another order of a sum", "match y = add(add(a, b), c) emit y = a + (b + c)", "reals");
    row("through a product of matrices", "match y = dense(neg(x), w) emit y = neg(dense(x, w))",
        "reals");
    row("whatever the function is", "match y = tanh(sub(a, b)) emit y = tanh(a + neg(b))", "exact");
    row("exp of a sum", "match y = mul(exp(a), exp(b)) emit y = exp(a + b)", "reals");
    row("a difference of exponents", "match y = div(exp(a), exp(b)) emit y = exp(a - b)", "reals");
    row("the sigmoid of the opposite", "match y = sigmoid(neg(x)) emit y = 1 - sigmoid(x)",
        "reals");
    row("a minimum", "match y = neg(min(neg(a), neg(b))) emit y = max(a, b)", "reals");
    row("a choice", "match y = relu(relu(x)) emit y = relu(x)", "reals");
    row("a factor that is positive",
        "match y = relu(mul(x, k: const)) where all(k > 0) emit y = relu(x) * k", "reals");
    row("a magnitude", "match y = sqrt(mul(x, x)) emit y = abs(x)", "reals");
    row("a law nobody told",
        "match y = add(mul(sin(x), sin(x)), mul(cos(x), cos(x))) where finite(x) emit y = x * 0 + "
        "1",
        "tested");
    row("a rounded constant",
        "match y = div(x: f32[...], k: f32[] & const) where all(k == 3.0) emit y = x * 0.33333334",
        "tested");
    row("equal only of the first degree",
        "match y = mul(add(a, b), add(a, b)) emit y = a * a + b * b", "refuted");
    row("equal for positive ones", "match y = sqrt(mul(x, x)) emit y = x", "refuted");
    row("equal where it is no 0", "match y = div(x, x) emit y = x * 0 + 1", "refuted");
    row("never acts", "match y = call(x) {op_type = \"twice\"} emit y = x * 2", "unknown");
}

void TestProof::rulesAreProved() {
    QFETCH(QString, rule);
    QFETCH(QString, proof);
    const auto book = parseRules("rule r { " + rule.toStdString() + " }", "book.fw");
    QVERIFY2(book.ok(), book.ok() ? "" : book.diag().text().c_str());
    const RuleTrial trial = tryRule(firstRule(*book), *book, standardOperators());
    QVERIFY2(nameOf(trial) == proof,
             qPrintable(QStringLiteral("%1, %2 cases %3")
                            .arg(nameOf(trial))
                            .arg(trial.cases)
                            .arg(trial.wrong ? QString::fromStdString(trial.wrong->difference)
                                             : QString())));
    QCOMPARE(trial.proved > 0,
             proof == QStringLiteral("exact") || proof == QStringLiteral("reals"));
}

void TestProof::onlyTheseOfTheLibraryAreNot() {
    const RuleBook book = standardRules().value();
    QStringList tested, unknown;
    for (const auto& entry : book.entries)
        if (const auto rule = std::dynamic_pointer_cast<const RuleTree>(entry)) {
            const QString proof = nameOf(tryRule(rule, book, standardOperators()));
            const QString name = QString::fromStdString(rule->name);
            if (proof == QStringLiteral("tested"))
                tested << name;
            else if (proof == QStringLiteral("unknown"))
                unknown << name;
        }
    tested.sort();
    // They round a constant (sqrt(2), 1/6), keep a logarithm from overflowing or round once less.
    QCOMPARE(tested,
             QStringList({QStringLiteral("fold_narrow_batch_norm"),
                          QStringLiteral("fold_narrow_batch_norm_of_bias"),
                          QStringLiteral("gelu_of_erf"), QStringLiteral("hard_gate_by_itself"),
                          QStringLiteral("hard_swish_of_clip"), QStringLiteral("mish_of_parts"),
                          QStringLiteral("softplus_of_exp")}));
    QCOMPARE(unknown, QStringList({QStringLiteral("shuffle_channels")}));
}

void TestProof::cancelledTrialsEnd() {
    const RuleBook book =
        parseRules("rule r { match y = relu(relu(x)) emit y = relu(x) }", "book.fw").value();
    CancelToken cancel;
    cancel.cancel();
    QCOMPARE(tryRule(firstRule(book), book, standardOperators(), 1, cancel).cases, 0);
}

FW_TEST(TestProof, QCoreApplication)
#include "test_proof.moc"
