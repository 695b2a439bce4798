// Operators of a book under the names of shipped ones: rules about the shipped ones do not touch
// them, and it is told.
#include "book/book.h"
#include "common/test.h"
#include "ir/graph_text.h"
#include "rewrite/driver.h"
#include "tensor/evaluate_graph.h"

using namespace fw;

namespace {

const char* const more =
    "# mine\n"
    "op identity \"more\" (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + 1 }\n"
    "op mine (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }\n";

QStringList rulesOf(const Books& books) {
    QStringList out;
    for (const DeclarationPtr& rule : books.rules.entries)
        out << QString::fromStdString(rule->name);
    return out;
}

QStringList saidOf(const Books& books) {
    QStringList out;
    for (const Diag& diag : books.diagnostics)
        out << QString::fromStdString(diag.text());
    return out;
}

} // namespace

class TestReplaced : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesAboutThemAreLeftOut();
    void ownRulesStay();
    void numbersAreThoseOfTheBook();
    void emptyBookOfTheUserIsTold();
};

void TestReplaced::rulesAboutThemAreLeftOut() {
    const QStringList all = rulesOf(readBooks({}));
    const Books books = readBooks({{"mine.fw", more}});
    QStringList without = all;
    QVERIFY(without.removeOne(QStringLiteral("remove_identity")));
    const QStringList left = rulesOf(books);
    QVERIFY(!left.contains(QStringLiteral("remove_identity")));
    QVERIFY(left.contains(QStringLiteral("remove_dropout")));
    QCOMPARE(saidOf(books).filter(QStringLiteral("takes the place")).size(), 1);
    const QString said = saidOf(books).filter(QStringLiteral("takes the place")).first();
    QVERIFY2(
        said.startsWith(QStringLiteral("mine.fw:2:1: warning TXT02: op identity takes the "
                                       "place of the shipped one, whose rules are left out: ")),
        qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("remove_identity")), qPrintable(said));
}

void TestReplaced::ownRulesStay() {
    const Books books =
        readBooks({{"mine.fw", std::string(more) +
                                   "rule two { match y = identity(identity(x))  emit y = x }\n"}});
    QVERIFY(rulesOf(books).contains(QStringLiteral("two")));
}

// A shipped book that was switched off, which people did themselves, is not.
void TestReplaced::emptyBookOfTheUserIsTold() {
    const auto told = [](const std::string& file) {
        const Books books = readBooks({{file, {}}});
        return saidOf(books).filter(QStringLiteral("takes the place of the shipped views.fw"));
    };
    QCOMPARE(told("/books/views.fw").size(), 1);
    QCOMPARE(told("views.fw").size(), 0);
}

void TestReplaced::numbersAreThoseOfTheBook() {
    const Books books = readBooks({{"mine.fw", more}});
    const GraphPtr graph =
        parseGraph("graph g(x: f32[4]) -> y { a = identity(x)   y = relu(a) }\n", books.operators)
            .value();
    const GraphPtr rewritten = rewriteGraph(graph, books.rules, {}).value().graph;
    const std::vector<TensorData> inputs = {dataFromDoubles(DType::F32, {4}, {-3, 0, 1, 5})};
    const TensorData got = evaluateGraph(*rewritten, inputs).value().front();
    for (std::size_t i = 0; i < 4; ++i)
        QCOMPARE(got.at(i), std::max(0.0, inputs[0].at(i) + 1));
}

FW_TEST(TestReplaced, QCoreApplication)
#include "test_replaced.moc"
