// Weights of operators show that rules end; where there are none it is said beside which rule.
#include "common/test.h"
#include "library/library.h"
#include "verdict/termination.h"

#include <chrono>

using namespace fw;

class TestTermination : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data();
    void rules();
    void shippedRules();
};

namespace {

QString openOf(const RuleBook& book) {
    std::vector<std::shared_ptr<const RuleTree>> rules;
    for (const auto& entry : book.entries)
        if (auto rule = std::dynamic_pointer_cast<const RuleTree>(entry))
            rules.push_back(std::move(rule));
    QStringList out;
    for (const NotShownToEnd& one : notShownToEnd(rules, book.table()))
        out << QString::fromStdString(rules[one.rule]->name + (one.alone ? " alone"
                                                               : one.beside.empty()
                                                                   ? " beside all"
                                                                   : " beside " + one.beside));
    return out.join(u", ");
}

} // namespace

void TestTermination::rules_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("open");
    const auto row = [](const char* name, const char* text, const char* open) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(open);
    };
    row("fewer operators", "rule r { match y = relu(relu(x)) emit y = relu(x) }", "");
    row("more of lighter ones", "rule r { match y = softmax(x) emit y = exp(x) / exp(x) }", "");
    row("in a chain of weights",
        "rule a { match y = tanh(x) emit y = exp(exp(x)) }\n"
        "rule b { match y = exp(x) emit y = sin(sin(sin(x))) }",
        "");
    row("in a circle",
        "rule a { match y = tanh(x) emit y = exp(x) }\n"
        "rule b { match y = exp(x) emit y = tanh(x) }",
        "b beside a");
    row("a circle of three",
        "rule a { match y = tanh(x) emit y = exp(x) }\n"
        "rule b { match y = exp(x) emit y = sin(x) }\n"
        "rule c { match y = sin(x) emit y = tanh(x) }",
        "c beside all");
    row("operands change places", "rule r { match y = add(x, z) emit y = add(z, x) }", "r alone");
    row("it grows", "rule r { match y = relu(x) emit y = relu(relu(x)) }", "r alone");
    row("once", "rule r { match y = relu(x) emit y = relu(relu(x)) strategy once }", "");
    row("in two stages",
        "rule a { match y = tanh(x) emit y = exp(x) }\n"
        "rule b { match y = exp(x) emit y = tanh(x) stage before fusion }",
        "");
    row("constants are folded",
        "rule r { match y = mul(dense(x, w: const), k: const) emit y = dense(x, mul(w, k)) }", "");
    row("not constants", "rule r { match y = mul(dense(x, w), k) emit y = dense(x, mul(w, k)) }",
        "r alone");
    row("what is read stays", "rule r { match y = neg(c = relu(x)) emit y = neg(neg(c)) }",
        "r alone");
    row("an alternative that takes less",
        "rule r { match y = (neg(relu(x)) | tanh(x)) emit y = tanh(exp(x)) }", "r alone");
    row("an optional step", "rule r { match y = relu(x) >> neg(^)? emit y = relu(x) }", "r alone");
    row("the operator of a kind", "rule r { match y = neg(e = kind elementwise(x)) emit y = e(x) }",
        "");
    row("it only moves", "rule r { match y = neg(e = kind elementwise(x)) emit y = e(neg(x)) }",
        "r alone");
    row("a value that let gives, read twice",
        "rule r { match y = softmax(x) let e = exp(x) emit y = e * e }", "");
    row("several results of one call",
        "rule r { match a = exp(x), b = exp(z) let (p, q) = split(exp(concat(x, z))) emit a = p, b "
        "= q "
        "}",
        "");
    row("duplicated", "rule r { duplicate match y = neg(relu(x)) emit y = tanh(x) }", "");
}

void TestTermination::rules() {
    QFETCH(QString, text);
    QFETCH(QString, open);
    const auto book = parseRules(text.toStdString(), "book.fw");
    QVERIFY2(book.ok(), book ? "" : book.diag().text().c_str());
    QCOMPARE(openOf(*book), open);
}

void TestTermination::shippedRules() {
    const RuleBook book = standardRules().value();
    const auto begin = std::chrono::steady_clock::now();
    const QString open = openOf(book);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    qInfo("%zu entries in %.1f ms", book.entries.size(), took.count());
    QCOMPARE(open, QString());
}

FW_TEST(TestTermination, QCoreApplication)
#include "test_termination.moc"
