// For what a name without parentheses stands: what the declaration calls so, then what the book
// and the books that it includes declare. What other books declare is no matter of its values.
#include "book/book.h"
#include "book/include.h"
#include "common/test.h"

#include <QtTest>

using namespace fw;
using namespace Qt::StringLiterals;

class TestScopes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void otherBooksForbidNothing_data();
    void otherBooksForbidNothing();
    void chainsOfOtherBooksAreStepsOnly();
    void includedBooksAreSeen();
    void declarationsNameTheirOwn_data();
    void declarationsNameTheirOwn();
    void twiceDeclaredIsTold();
};

namespace {

QStringList said(const std::vector<BookText>& texts, const std::string& file) {
    QStringList out;
    const CheckedBook checked = checkBook(readBooks(texts), file).value();
    const auto add = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            out << QString::fromStdString(diag.text());
    };
    add(checked.diagnostics);
    for (const CheckedItem& item : checked.items)
        add(item.diagnostics);
    return out;
}

const std::string graph = "graph g(x: f32[2], w: f32[2]) -> y { a = exp(x)  b = add(a, w)  "
                          "y = tanh(b) }";

} // namespace

void TestScopes::otherBooksForbidNothing_data() {
    QTest::addColumn<QString>("own");
    for (const char* own :
         {"rule r { match y = tanh(add(a = exp(x), w)) emit y = tanh(add(a, w)) }",
          "rule r { match y = tanh(b = add(exp(a), w)) where used_once(b), rank(a) == 1 "
          "emit y = tanh(b) }",
          "rule r { match a = tanh(add(exp(x), w)) let b = exp(x) emit a = tanh(add(b, w)) }",
          "pattern p(a, b) = tanh(add(exp(a), b))", "chain p = exp(a) >> add(^, b) >> tanh(^)",
          "fuse f { match tanh(add(a = exp(x), b)) expose a as stacked }",
          "composite f for onednn { match tanh(add(exp(a), b)) }",
          "target t on x86-64 { requires exp(a) >> add(^, b) }"})
        QTest::newRow(own) << QString::fromLatin1(own);
}

// Whatever a and b are there: a pattern, a chain, an operator.
void TestScopes::otherBooksForbidNothing() {
    QFETCH(QString, own);
    std::string text = own.toStdString() + "\n";
    if (!own.startsWith(u"target"_s))
        text += "test \"t\" { " + graph + " expect match 1 }\n";
    for (const char* other :
         {"pattern a(x) = relu(x)\npattern b(x) = relu(x)\n",
          "chain a = relu(^)\nchain b = relu(^)\n",
          "op a (x: T[N]) -> y: T[N] { y[n] = x[n] }\nop b (x: T[N]) -> y: T[N] { y[n] = x[n] }\n"})
        for (const std::vector<BookText>& texts :
             {std::vector<BookText>{{"other.fw", other}, {"own.fw", text}},
              std::vector<BookText>{{"own.fw", text}, {"other.fw", other}}}) {
            const QStringList wrong = said(texts, "own.fw").filter(u": error "_s);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
        }
}

void TestScopes::chainsOfOtherBooksAreStepsOnly() {
    const BookText other{"other.fw", "chain tail = tanh(^)\n"};
    const std::string uses =
        "rule r { match y = add(exp(x), tail) >> tail emit y = add(exp(x), tail) }\n"
        "test \"t\" { " +
        graph + " expect match 1 }\n";
    const QStringList all = said({other, {"own.fw", uses}}, "own.fw");
    QVERIFY2(all.filter(u": error "_s).isEmpty(), qPrintable(all.join(u'\n')));
    QVERIFY(
        !said({{"own.fw", uses}}, "own.fw").filter(u"there is no chain named tail"_s).isEmpty());
}

void TestScopes::includedBooksAreSeen() {
    const auto open = [](const std::string& file) -> Result<std::string> {
        if (file == "parts.fw")
            return std::string("chain a = relu(^)\n");
        return makeDiag(DiagCode::FileMissing, "there is none", {file});
    };
    const std::vector<BookText> books = withIncluded(
        {{"own.fw", "include \"parts.fw\"\nrule r { match y = tanh(relu(a)) emit y = tanh(a) }\n"}},
        open);
    // A chain is no operand: it has nothing before it.
    const QStringList all = said(books, "own.fw");
    QVERIFY2(!all.filter(u": error "_s).isEmpty(), qPrintable(all.join(u'\n')));
}

void TestScopes::declarationsNameTheirOwn_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"chain a = relu(^)\npattern p(a) = tanh(add(exp(a), w))",
          "pattern a(x) = exp(x)\nrule r { match y = tanh(add(a = exp(x), w)) emit y = tanh(add(a, "
          "w)) }",
          "chain a = exp(^)\nrule r { match a = tanh(add(x, w)) emit a = tanh(add(w, x)) }",
          "chain a = tanh(^)\nrule r { match y = add(a = exp(x), w) >> a emit y = tanh(add(a, w)) "
          "}"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

void TestScopes::declarationsNameTheirOwn() {
    QFETCH(QString, text);
    const QStringList wrong =
        said({{"b.fw", text.toStdString() + "\ntest \"t\" { " + graph + " expect match 1 }\n"}},
             "b.fw")
            .filter(u": error "_s);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestScopes::twiceDeclaredIsTold() {
    const Books books =
        readBooks({{"a.fw", "chain tail = relu(^)\nrule r { match y = exp(x) >> tail "
                            "emit y = exp(x) }\n"},
                   {"b.fw", "chain tail = tanh(^)\n"}});
    QCOMPARE(books.diagnostics.size(), std::size_t(1));
    QCOMPARE(books.diagnostics[0].text(),
             std::string("b.fw:1:1: warning TXT02: chain tail takes the place of that in a.fw"));
    QCOMPARE(books.patterns.at("tail")->pattern.name, std::string("tanh")); // for a.fw, too
}

FW_TEST(TestScopes, QCoreApplication)
#include "test_scopes.moc"
