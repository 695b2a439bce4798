// Declarations that earlier ones leave nothing (D14).
#include "common/test.h"
#include "library/library.h"
#include "syntax/declarations.h"
#include "syntax/fusion.h"
#include "verdict/hidden.h"

#include <chrono>

using namespace fw;

class TestHidden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data();
    void rules();
    void fusionRules_data();
    void fusionRules();
    void shippedRulesAreNot();
};

namespace {

std::optional<HiddenBy> lastOf(const RuleBook& book) {
    return hiddenBy(std::dynamic_pointer_cast<const RuleTree>(book.entries.back()), book,
                    standardOperators());
}

} // namespace

void TestHidden::rules_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("by");
    const auto row = [](const char* name, const char* text, const char* by) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(by);
    };
    row("the shorter first",
        "rule short { match y = relu(x) emit y = max(x, x) }\n"
        "rule long { match y = tanh(relu(x)) emit y = exp(x) }",
        "short");
    row("the longer first",
        "rule long { match y = tanh(relu(x)) emit y = exp(x) }\n"
        "rule short { match y = relu(x) emit y = max(x, x) }",
        "");
    row("others of the same operator",
        "rule rows { match y = softmax(x) {axis = 0} emit y = tanh(x) }\n"
        "rule columns { match y = softmax(x) {axis = 1} emit y = exp(x) }",
        "");
    row("what is left matches",
        "rule twice { match y = neg(neg(x)) emit y = x }\n"
        "rule rest { match y = relu(neg(x)) emit y = exp(x) }",
        "");
    row("a condition lets some through",
        "rule some { match y = relu(x) where rank(x) == 2 emit y = max(x, x) }\n"
        "rule long { match y = tanh(relu(x)) emit y = exp(x) }",
        "");
    row("a later stage",
        "rule late { match y = relu(x) emit y = max(x, x) stage before fusion }\n"
        "rule long { match y = tanh(relu(x)) emit y = exp(x) }",
        "");
    row("of three the one that acts",
        "rule other { match y = erf(x) emit y = sin(x) }\n"
        "rule inner { match y = mul(x, z) emit y = sub(x, z) }\n"
        "rule sum { match y = add(mul(x, z), v) emit y = sub(x, v) }",
        "inner");
    row("the same once more",
        "rule first { match y = sin(x) emit y = cos(x) }\n"
        "rule again { match y = sin(x) emit y = exp(x) }",
        "first");
}

void TestHidden::rules() {
    QFETCH(QString, text);
    QFETCH(QString, by);
    const auto book = parseRules(text.toStdString(), "book.fw");
    QVERIFY2(book.ok(), book ? "" : book.diag().text().c_str());
    const std::optional<HiddenBy> hidden = lastOf(*book);
    QCOMPARE(QString::fromStdString(hidden ? hidden->name : ""), by);
    QVERIFY(!hidden || hidden->graphs >= 6);
}

void TestHidden::fusionRules_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("by");
    const auto row = [](const char* name, const char* text, const char* by) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(by);
    };
    row("D14", "fuse short { match abs(add(x, z)) } fuse long { match relu(abs(add(x, z))) }",
        "short");
    row("the longer first",
        "fuse long { match relu(abs(add(x, z))) } fuse short { match abs(add(x, z)) }", "");
    row("one operator makes no group",
        "fuse one { match abs(x) } fuse long { match relu(abs(add(x, z))) }", "");
    row("a step that may be absent",
        "fuse first { match add(x, z) >> abs(^)? } fuse long { match relu(abs(add(x, z))) }",
        "first");
}

void TestHidden::fusionRules() {
    QFETCH(QString, text);
    QFETCH(QString, by);
    const FileTree file = parseFile(text.toStdString(), "book.fw");
    QVERIFY(file.errors.empty());
    std::vector<std::shared_ptr<const FuseTree>> all;
    std::vector<const RuleTree*> earlier;
    for (const DeclarationPtr& declaration : file.declarations) {
        all.push_back(declarationAs<FuseTree>(declaration));
        if (all.size() < file.declarations.size())
            earlier.push_back(&all.back()->rule);
    }
    const auto hidden = hiddenBy(all.back()->rule, earlier, {}, standardOperators());
    QCOMPARE(QString::fromStdString(hidden ? hidden->name : ""), by);
}

// Whatever stands before it, each acts somewhere.
void TestHidden::shippedRulesAreNot() {
    const RuleBook book = standardRules().value();
    const auto begin = std::chrono::steady_clock::now();
    QStringList hidden;
    const auto seeds = std::max(1, qEnvironmentVariableIntValue("FW_SEEDS")); // 20 by hand
    for (int seed = 1; seed <= seeds; ++seed)
        for (const auto& entry : book.entries)
            if (const auto rule = std::dynamic_pointer_cast<const RuleTree>(entry))
                if (const auto by =
                        hiddenBy(rule, book, standardOperators(), static_cast<std::uint64_t>(seed)))
                    hidden << QString::fromStdString(rule->name + " by " + by->name);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    qInfo("%zu entries in %.2f s", book.entries.size(), took.count());
    QCOMPARE(hidden.join(u'\n'), QString());
}

FW_TEST(TestHidden, QCoreApplication)
#include "test_hidden.moc"
