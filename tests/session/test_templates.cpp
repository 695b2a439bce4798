// The text with which a declaration begins is right as it is, and laid out as books are.
#include "common/test.h"

#include "book/book.h"
#include "book/declarations.h"
#include "session/templates.h"
#include "syntax/format.h"

using namespace fw;

class TestTemplates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindHasOne();
    void fieldsAreLeftOut();
    void isRight_data();
    void isRight();
};

void TestTemplates::everyKindHasOne() {
    // A library and an include are files, a built-in rewrite is of the program.
    const std::set<std::string_view> none = {"builtin", "include", "library"};
    for (const DeclarationKind& kind : declarationKinds())
        QVERIFY2((templateOf(kind.keyword) != nullptr) != none.contains(kind.keyword),
                 std::string(kind.keyword).c_str());
}

void TestTemplates::fieldsAreLeftOut() {
    QCOMPARE(withoutFields("rule ${1:r} { match ${2:y = relu(x)} }"),
             std::string("rule r { match y = relu(x) }"));
    QCOMPARE(withoutFields("plain {0..2}"), std::string("plain {0..2}"));
}

void TestTemplates::isRight_data() {
    QTest::addColumn<QString>("keyword");
    for (const Template& one : templates())
        QTest::newRow(std::string(one.keyword).c_str())
            << QString::fromUtf8(one.keyword.data(), qsizetype(one.keyword.size()));
}

void TestTemplates::isRight() {
    QFETCH(const QString, keyword);
    std::string text = withoutFields(templateOf(keyword.toStdString())->text);
    const auto laidOut = formatText(text, "t.fw");
    QCOMPARE(laidOut.text, text);
    if (keyword == u"test") // of what stands before it
        text = withoutFields(templateOf("chain")->text) + "\n" + text;
    const CheckedBook checked = checkBookText(text, "t.fw");
    for (const CheckedItem& item : checked.items)
        QVERIFY2(item.verdict == "ok" || item.kind == "test", item.verdict.c_str());
    for (const Diag& diag : checked.diagnostics)
        QVERIFY2(diag.severity != Severity::Error, diag.text().c_str());
}

FW_TEST(TestTemplates, QCoreApplication)
#include "test_templates.moc"
