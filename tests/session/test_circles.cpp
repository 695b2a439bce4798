// Declarations of a book that lead back to themselves: told with place and way, and the rest goes
// on.
#include "common/test.h"
#include "common/thread_time.h"
#include "session/asked.h"

#include <fmt/format.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

namespace {

CheckDocument checked(const std::string& text) {
    Arguments arguments;
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, text}};
    Asked asked;
    return asked.get<CheckDocument>("check", arguments);
}

QStringList errorsOf(const CheckDocument& document) {
    QStringList out;
    for (const Diag& diag : document.diagnostics)
        out << QString::fromStdString(
            fmt::format("{}:{} {}", diag.where.line, codeText(diag.code), diag.message));
    for (const CheckItem& item : document.items)
        for (const Diag& diag : item.diagnostics)
            out << QString::fromStdString(
                fmt::format("{}:{} {}", diag.where.line, codeText(diag.code), diag.message));
    return out;
}

} // namespace

class TestCircles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void patterns_data();
    void patterns();
    void entries_data();
    void entries();
    void names_data();
    void names();
    void plansGoOn();
    void manyAreTold_data();
    void manyAreTold();
};

void TestCircles::patterns_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    QTest::newRow("itself") << "chain a = relu(^) >> a"
                            << "1:RUL01 a is made of itself, with no operator between";
    QTest::newRow("two") << "pattern a(x) = relu(b(x))\npattern b(x) = tanh(a(x))"
                         << "2:RUL01 b is made of itself: b, a, b, with no way out";
    QTest::newRow("three, the first only leads there")
        << "pattern z(x) = a(x)\nchain a = relu(^) >> b\nchain b = (tanh(^) | c)\nchain c = a?"
        << "2:RUL01 a is made of itself: a, b, c, a, with no operator between";
    QTest::newRow("kept by an implementation")
        << "chain a = relu(^) >> b\nchain b = a >> tanh(^)\n"
           "implementations dense(...) on any { generated.tiled absorbs a }"
        << "1:RUL01 a is made of itself: a, b, a, with no way out";
}

void TestCircles::patterns() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    const QStringList errors = errorsOf(checked(text.toStdString()));
    QVERIFY2(errors.contains(error), qPrintable(errors.join(u'\n')));
}

void TestCircles::entries_data() {
    QTest::addColumn<QString>("entries");
    QTest::addColumn<QString>("error");
    QTest::newRow("two") << "one priority 50 by two\n two priority 50 by one"
                         << "3:RUL01 entries compute each other: two by one by two";
    QTest::newRow("itself") << "one by one"
                            << "2:RUL01 entries compute each other: one by one";
    QTest::newRow("into a circle")
        << "zero by one\n one by two\n two by one"
        << "2:TXT02 one is an entry, not an implementation: zero by one by two by one";
    QTest::newRow("by an entry") << "one by two\n two by generated.plain"
                                 << "2:TXT02 two is an entry, not an implementation: one by two by "
                                    "generated.plain";
    QTest::newRow("by nothing") << "one by two"
                                << "2:TXT02 there is no implementation two";
}

void TestCircles::entries() {
    QFETCH(QString, entries);
    QFETCH(QString, error);
    const QStringList errors = errorsOf(
        checked("implementations softmax(...) on any {\n " + entries.toStdString() + "\n}\n"));
    QVERIFY2(errors.contains(error), qPrintable(errors.join(u'\n')));
    // Names of implementations are no calls: these two change places.
    QVERIFY(errorsOf(checked("implementations relu(...) on any {\n"
                             " generated.map by generated.plain\n"
                             " generated.plain by generated.map }\n"))
                .isEmpty());
}

void TestCircles::names_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("dims")
        << "op odd (x: T[N]) -> y: T[M] where M = K + 1, K = M - 1 { y[i] = x[0] }";
    QTest::newRow("statements")
        << "op odd (x: T[N]) -> y: T[N] { let s[i] = t[i]  let t[i] = s[i]  "
           "y[i] = t[i] }";
    QTest::newRow("names of a block") << "implementations dense(x: f32[M, K], w: f32[N, K]) "
                                         "let A = B, B = A on any { generated.plain when A > 3 }";
    QTest::newRow("names of a rule") << "rule r { match y = add(x, z)  let p = mul(q, x)  "
                                        "let q = mul(p, z)  emit y = p }";
}

// A name stands for what was said before it, so these cannot go round.
void TestCircles::names() {
    QFETCH(QString, text);
    QVERIFY(errorsOf(checked(text.toStdString())).join(u' ').contains(u"1:TXT02"));
}

void TestCircles::plansGoOn() {
    Arguments arguments = on("attention");
    arguments.rules = {mineFile};
    arguments.texts = {{mineFile, "implementations softmax(...) on any {\n one priority 50 by two\n"
                                  " two priority 50 by one\n}\n"
                                  "pattern a(x) = b(x)\npattern b(x) = a(x)\n"}};
    Asked asked;
    const auto plan = asked.get<FuseDocument>("fuse", arguments);
    QVERIFY(!plan.groups.empty());
    for (const GroupRecord& group : plan.groups)
        QVERIFY(group.implementation != "one" && group.implementation != "two");
    for (const char* told : {"one by two by one", "a is made of itself: a, b, a"})
        QVERIFY2(std::any_of(plan.notices.begin(), plan.notices.end(),
                             [&](const std::string& notice) {
                                 return notice.find(told) != std::string::npos;
                             }),
                 told);
}

void TestCircles::manyAreTold_data() {
    QTest::addColumn<bool>("ring");
    QTest::newRow("a ring") << true;
    QTest::newRow("a long way") << false;
}

// Neither a long time nor a deep stack.
void TestCircles::manyAreTold() {
    QFETCH(bool, ring);
    const int count = 5000;
    std::string text;
    for (int i = 0; i < count; ++i)
        text += fmt::format("pattern p{}(x) = p{}(x)\n", i, ring ? (i + 1) % count : i + 1);
    if (!ring)
        text += fmt::format("pattern p{}(x) = relu(x)\n", count);
    const double begin = fw::test::threadSeconds();
    const QStringList errors = errorsOf(checked(text));
    QVERIFY(fw::test::threadSeconds() - begin < 20);
    QVERIFY2(errors.contains(QStringLiteral(
                 "1:RUL01 p0 names more than 200 others, one inside the other: p0, p1, p2, p3, "
                 "p4, p5, p6, p7, ... p200")),
             qPrintable(errors.mid(0, 5).join(u'\n')));
}

FW_TEST(TestCircles, QCoreApplication)
#include "test_circles.moc"
