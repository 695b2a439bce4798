// What `fw check` remarks on operators that it accepts.
#include "base/files.h"
#include "common/test.h"
#include "session/asked.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestOperatorRemarks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsThatAreNeverTaken_data();
    void callsThatAreNeverTaken();
    void clausesByDefault();

private:
    CheckDocument checked(const std::string& text) {
        const std::string file = m_folder.filePath(QStringLiteral("mine.fw")).toStdString();
        if (!writeFile(file, text))
            throw std::runtime_error("mine.fw cannot be written");
        Arguments arguments;
        arguments.rules = {file};
        return m_asked.get<CheckDocument>("check", arguments);
    }
    static QString said(const CheckItem& item) {
        QString out;
        for (const Diag& diag : item.diagnostics)
            out += QString::fromStdString(diag.message) + u'\n';
        return out;
    }

    QTemporaryDir m_folder;
    Asked m_asked;
};

void TestOperatorRemarks::callsThatAreNeverTaken_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("warning"); // empty: none
    const auto row = [](const char* name, const char* text, const char* warning) {
        QTest::newRow(name) << text << warning;
    };
    row("taken", "(x: T[N], k: T[N]) -> y { y = add(x, k) }", "");
    row("a condition on elements", "(x: T[N]) -> y { y = select(x > 0, x, neg(x)) }",
        "small calls is taken: 'x' is not known here");
    row("ranks", "(x: T[N]) -> y { y = transpose(x) {perm = [1, 0]} }",
        "the order is not a permutation of 1 axes");
    row("places of a list",
        "(x: T[A, B]) -> y { y = transpose(x) {perm = replaced(places([A, B]), [0, 5], [1, 0])} }",
        "the places are not some of 2");
    row("an operand that may be absent", "(x: T[N], b?: T[N]) -> y { y = add(x, b) }",
        "no call is taken where its optional operands are absent: add: operand b is missing");
    row("one that is asked for", "(x: T[N], b?: T[N]) -> y { y = given(b, add(x, b), x) }", "");
    row("operands of a list", "(x: T[S...]) -> y { y = reshape(x) {shape = [part(S, 0), 1]} }",
        "part() takes 3 operands, not 2");
    row("few types", "(x: u8[N], s: f32[], z: Z[]) -> y { y = dequantize(x, s, z) }", "");
    row("a branch that is taken for a size",
        "(x: T[N], attr k: int = 0) -> y { y = select(k == 3, relu(x), neg(x)) }", "");
    row("sizes that are computed", "(x: T[N], to: i64[K]) -> y { y = reshape(x) {shape = to} }",
        "");
    row("operators by name",
        "(x: T[N], attr f: text) -> y onnx \"com.me\" \"A\" {f = op relu} onnx \"com.me\" \"B\" {f "
        "= op "
        "neg} { y = f(x) }",
        "");
    row("operators by name that are refused",
        "(x: T[N], attr f: text) -> y onnx \"com.me\" \"A\" {f = op batch_matmul} { y = f(x, x) }",
        "small calls is taken: batch_matmul");
    row("inside another", "(x: T[N]) -> y { y = inner(x) }", "not a permutation of 1 axes");
}

void TestOperatorRemarks::callsThatAreNeverTaken() {
    QFETCH(QString, text);
    QFETCH(QString, warning);
    const CheckDocument document =
        checked("op inner (x: T[S...]) -> y { y = transpose(x) {perm = [1, 0]} }\nop mine " +
                text.toStdString() + "\n");
    const CheckItem& item = document.items.at(1);
    QCOMPARE(item.verdict, std::string("ok"));
    QVERIFY(item.trials.value_or(0) > 0);
    if (warning.isEmpty())
        QCOMPARE(said(item), QString());
    else
        QVERIFY2(said(item).contains(warning), qPrintable(said(item)));
    QCOMPARE(said(document.items.at(0)), QString()); // some ranks are taken
}

void TestOperatorRemarks::clausesByDefault() {
    const CheckDocument document = checked(
        "op one (x: T[S...]) -> y onnx \"com.me\" \"E\" {mode == \"a\"} { y = relu(x) }\n"
        "op two (x: T[S...]) -> y onnx \"com.me\" \"E\" {mode == \"b\"} { y = neg(x) }\n"
        "op three (x: T[S...]) -> y onnx \"com.me\" \"F\" {mode == \"b\"} { y = neg(x) }\n");
    QCOMPARE(said(document.items.at(0)), QString());
    QVERIFY2(
        said(document.items.at(1))
            .contains(QStringLiteral("a node E without 'mode' is read by this clause, as if it "
                                     "said \"b\"")),
        qPrintable(said(document.items.at(1))));
    QCOMPARE(said(document.items.at(2)), QString());
}

FW_TEST(TestOperatorRemarks, QCoreApplication)
#include "test_operator_remarks.moc"
