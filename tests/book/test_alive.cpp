// An error in one declaration leaves the others alive: a declaration that uses a wrong one is told
// to depend on it, once, and everything else is used.
#include "book/book.h"
#include "common/test.h"

#include <QtTest>

using namespace fw;
using namespace Qt::StringLiterals;

class TestAlive : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatDependsIsTold_data();
    void whatDependsIsTold();
    void everythingElseIsUsed();
    void testsOfBrokenSubjects();
    void whatIsDeclaredElsewhereCounts();
};

namespace {

// "2:18 TXT02 brk is refused" of every declaration that is refused, in the order of the text.
QStringList told(const std::vector<BookText>& texts, const std::string& file) {
    QStringList out;
    const CheckedBook checked = checkBook(readBooks(texts), file).value();
    for (const CheckedItem& item : checked.items)
        for (const Diag& diag : item.diagnostics)
            if (diag.severity == Severity::Error)
                out << QString::fromStdString(
                    std::to_string(diag.where.line) + ":" + std::to_string(diag.where.column) +
                    " " + std::string(codeText(diag.code)) + " " + diag.message);
    return out;
}

} // namespace

void TestAlive::whatDependsIsTold_data() {
    QTest::addColumn<QString>("wrong");
    QTest::addColumn<QString>("user");
    QTest::addColumn<int>("column");
    const auto row = [](const char* wrong, const char* user, int column) {
        QTest::addRow("%s - %s", wrong, user) << wrong << user << column;
    };
    // The same of an operator that the grammar refuses and of one that its check refuses.
    for (const char* op : {"op brk (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + }",
                           "op brk (x: T[S...]) -> y: T[S...] { y[i...] = nosuch(x[i...]) }"}) {
        row(op, "rule u { match y = brk(x) emit y = x }", 20);
        row(op, "rule u { match y = relu(brk(x)) >> brk(^) emit y = x }", 25);
        row(op, "rule u { match y = relu(relu(x)) emit y = brk(x) }", 43);
        row(op, "pattern u(x) = brk(x)", 16);
        row(op, "fuse u { match brk(x) >> relu(^) }", 16);
        row(op, "composite u for onednn { match brk(x) >> relu(^) }", 32);
        row(op, "implementations brk(...) on any { a by generated.plain }", 17);
        row(op, "schedule u for brk { y.vectorize(i) }", 16);
        row(op, "op u (x: T[S...]) -> y { y = brk(x) }", 30);
        row(op, "graph u(x: f32[4]) -> y { y = brk(x) }", 31);
        row(op, "target u on x86-64 { requires brk(...) >> relu(^) }", 31);
    }
    for (const char* chain : {"chain brk = bias(^, b: const) >>", "chain brk = nosuch(^)"}) {
        row(chain, "rule u { match y = dense(x, w) >> brk >> brk emit y = dense(x, w) }", 35);
        row(chain, "implementations dense(...) on any { onednn.matmul absorbs brk }", 59);
        row(chain, "chain u = relu(^) >> brk", 22);
        row(chain, "target u on x86-64 { requires dense(...) >> brk }", 45);
    }
    for (const char* schedule : {"schedule brk for dense { anchor.split(k, k1, k0 }",
                                 "schedule brk for dense { nosuch.vectorize(i) }"})
        row(schedule, "implementations dense(...) on any { mine by schedule brk }", 54);
    row("pattern brk(x) = relu(x", "rule u { match y = brk(x) emit y = x }", 20);
    row("library brk lib.so", "composite u for brk.k { match dense(x, w: const) }", 17);
    for (const char* target : {"target brk on { }", "target brk on nosuch { }"}) {
        row(target, "fuse u on brk { match dense(x, w) >> relu(^) }", 11);
        row(target, "target u on brk { }", 13);
        row(target, "schedule u for dense on brk { epilogue.vectorize(n) }", 25);
        row(target, "grow contraction -> elementwise forward on brk", 44);
    }
}

void TestAlive::whatDependsIsTold() {
    QFETCH(QString, wrong);
    QFETCH(QString, user);
    QFETCH(int, column);
    const std::string text = wrong.toStdString() + "\n" + user.toStdString() + "\n";
    QStringList all = told({{"b.fw", text}}, "b.fw");
    all.removeIf([](const QString& one) { return one.startsWith(u"1:"_s); });
    QCOMPARE(all, QStringList(u"2:%1 TXT02 brk is refused, so this cannot be used"_s.arg(column)));
    // So it is in another book, whatever the order.
    const std::vector<BookText> two = {{"wrong.fw", wrong.toStdString() + "\n"},
                                       {"user.fw", user.toStdString() + "\n"}};
    for (const auto& texts : {two, {two[1], two[0]}})
        QCOMPARE(told(texts, "user.fw"),
                 QStringList(u"1:%1 TXT02 brk is refused, so this cannot be used"_s.arg(column)));
}

void TestAlive::everythingElseIsUsed() {
    const std::string good = "rule good { match y = relu(relu(x)) emit y = relu(x) }\n"
                             "chain tail = relu(^)?\n"
                             "fuse held { match dense(x, w) >> tail }\n"
                             "grow contraction -> elementwise never\n"
                             "schedule rows for dense { epilogue.vectorize(n) }\n"
                             "op twice (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * 2 }\n";
    for (const char* wrong :
         {"rule r { match y = relu(x emit y = x }\n", "rule r {\n", "op f (x: T[N] -> y: T[N] {\n",
          "nonsense here\n", "graph g(x: f32[4]) -> y { y = relu( }\n", "chain c = >> relu(^)\n",
          "rule r { match y = rellu(x) emit y = x }\n", "pin { together a }\n",
          "target t on nowhere { }\n", "test \"t\" { expect none }\n", "grow a -> b forward\n",
          "implementations dense(...) { }\n", "\"text\"\n", "}}}}\n"})
        for (const std::string& text : {wrong + good, good + wrong}) {
            const Books books = readBooks({{"b.fw", text}});
            QVERIFY2(hasErrors(books.diagnostics), wrong);
            const ReadBook& book = books.read.back();
            QStringList used;
            for (const DeclarationPtr& one : book.declarations)
                used << QString::fromStdString(one->name);
            for (const QString& name : {u"good"_s, u"tail"_s, u"held"_s, u"rows"_s, u"twice"_s,
                                        u"contraction -> elementwise"_s})
                QVERIFY2(used.contains(name), wrong);
        }
}

void TestAlive::testsOfBrokenSubjects() {
    const std::string graph = "{ graph g(x: f32[4]) -> y { y = relu(x) } expect none }\n";
    const std::string before = "rule first { match y = relu(x) emit y = relu(neg(neg(x))) }\n";
    // It is about the broken rule, not about the one before it.
    QCOMPARE(
        told({{"b.fw", before + "rule r { match y = relu(x emit y = x }\ntest \"t\" " + graph}},
             "b.fw"),
        QStringList(u"3:1 TXT02 r is refused, so this cannot be used"_s));
    QCOMPARE(
        told({{"b.fw", "test \"t\" of r " + graph + "rule r { match y = relu(x emit y = x }\n"}},
             "b.fw"),
        QStringList(u"1:1 TXT02 r is refused, so this cannot be used"_s));
    QCOMPARE(told({{"b.fw", "rule r { match y = relu(x emit y = x }\n"
                            "pattern p(x) = tanh(x)\ntest \"t\" " +
                                graph}},
                  "b.fw"),
             QStringList());
}

// A shipped operator or chain of the name, or one of another book, is used in its place.
void TestAlive::whatIsDeclaredElsewhereCounts() {
    QCOMPARE(told({{"a.fw", "chain tail = relu(^)\n"},
                   {"b.fw", "chain tail = rellu(^)\n"
                            "rule r { match y = tanh(x) >> tail emit y = tanh(x) }\n"}},
                  "b.fw")
                 .size(),
             1);
    QCOMPARE(told({{"b.fw", "op relu (x: T[N] -> y: T[N] { }\n"
                            "rule r { match y = relu(relu(x)) emit y = relu(x) }\n"}},
                  "b.fw"),
             QStringList());
}

FW_TEST(TestAlive, QCoreApplication)
#include "test_alive.moc"
