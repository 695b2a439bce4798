// `fw bisect`: the application that first broke the outputs.
#include "common/test.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

#include <fmt/format.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestBisect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstWrongApplicationIsFound_data();
    void theFirstWrongApplicationIsFound();
    void rulesThatAreRightBreakNothing();
    void insideOfANode();
    void everyApplicationHasAnError();

private:
    BisectDocument bisected(const std::string& graph, const std::string& rules,
                            const std::string& output = {}, bool each = false);

    QTemporaryDir m_folder;
};

BisectDocument TestBisect::bisected(const std::string& graph, const std::string& rules,
                                    const std::string& output, bool each) {
    const std::string book = "/nowhere/mine.fw";
    Arguments arguments = on("");
    arguments.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    if (!writeFile(arguments.model, graph))
        qFatal("the model cannot be written");
    arguments.rules = {book};
    arguments.texts = {{book, rules}};
    arguments.output = output;
    arguments.each = each;
    Asked asked;
    return asked.get<BisectDocument>("bisect", arguments);
}

const std::string book = "rule twice { match y = relu(relu(x)) emit y = relu(x) }\n"
                         "rule negated { match y = neg(neg(x)) emit y = x }\n"
                         "rule wrong { match y = abs(x) emit y = relu(x) }\n";

// A chain of pairs that right rules shorten, with one abs among them.
std::string pairs(int length, int at) {
    std::string out = "graph g(x: f32[N, 8]) -> y {\n v0 = sin(x)\n";
    for (int i = 1; i <= length; ++i)
        out +=
            i == at ? fmt::format(" a{0} = neg(v{1})  v{0} = abs(a{0}) @node(\"here\")\n", i, i - 1)
            : i % 3 == 0 ? fmt::format(" a{0} = neg(v{1})  v{0} = neg(a{0})\n", i, i - 1)
                         : fmt::format(" a{0} = cos(v{1})  b{0} = relu(a{0})  v{0} = relu(b{0})\n",
                                       i, i - 1);
    return out + fmt::format(" y = tanh(v{})\n}}", length);
}

void TestBisect::theFirstWrongApplicationIsFound_data() {
    QTest::addColumn<int>("at");
    for (const int at : {1, 8})
        QTest::addRow("%d", at) << at;
}

void TestBisect::theFirstWrongApplicationIsFound() {
    QFETCH(int, at);
    const QString folder = m_folder.filePath(QStringLiteral("part%1").arg(at));
    const BisectDocument out = bisected(pairs(8, at), book, folder.toStdString());
    QVERIFY(out.first);
    QCOMPARE(out.first->rule, std::string("wrong"));
    QCOMPARE(out.first->line, std::int64_t(3));
    QCOMPARE(out.first->matched.front().name, std::string("here"));
    QVERIFY(out.applications >= 8);
    QVERIFY2(out.states <= 5, qPrintable(QString::number(out.states)));
    QVERIFY(out.maxAbsBefore && *out.maxAbsBefore < 1e-5);
    QVERIFY(out.maxAbsAfter && *out.maxAbsAfter > 1e-3);
    QVERIFY2(out.before.find("abs(") != std::string::npos, out.before.c_str());
    QVERIFY2(out.after.find("relu(") != std::string::npos, out.after.c_str());
    QVERIFY(!out.alone.empty());
    QVERIFY(QFile::exists(QString::fromStdString(out.file)));
}

void TestBisect::rulesThatAreRightBreakNothing() {
    const BisectDocument out =
        bisected("graph g(x: f32[N, 8]) -> y { a = relu(x)  b = relu(a)  y = tanh(b) }", book);
    QVERIFY(!out.first);
    QCOMPARE(out.applications, std::int64_t(1));
    QVERIFY(out.maxAbs && *out.maxAbs < 1e-6);
}

void TestBisect::insideOfANode() {
    const BisectDocument out =
        bisected("graph g(x: f32[4]) -> y {\n"
                 " a = sin(x)  y = call(a) {domain = \"local\", op_type = \"f\"} @node(\"f\")\n"
                 "   body f(0) graph f(v: f32[4]) -> s { s = abs(v) }\n}",
                 book);
    QVERIFY(out.first);
    QCOMPARE(out.first->rule, std::string("wrong"));
}

void TestBisect::everyApplicationHasAnError() {
    const BisectDocument halved = bisected(pairs(8, 4), book);
    const BisectDocument out = bisected(pairs(8, 4), book, {}, true);
    QCOMPARE(std::int64_t(out.errors.size()), out.applications);
    QCOMPARE(out.states, out.applications);
    QVERIFY(out.first && halved.first);
    QVERIFY(*out.first == *halved.first);
    std::int64_t number = 0;
    for (const ApplicationError& one : out.errors) {
        QCOMPARE(one.number, ++number);
        QCOMPARE(one.within, one.number < out.first->number);
        QCOMPARE(one.within, one.maxAbs && *one.maxAbs < 1e-5);
    }
    QCOMPARE(out.errors[std::size_t(out.first->number) - 1].at, std::string("here"));
    QVERIFY(halved.errors.empty());
}

FW_TEST(TestBisect, QCoreApplication)
#include "test_bisect.moc"
