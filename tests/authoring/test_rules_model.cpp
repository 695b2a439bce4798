#include "views/authoring/rules_model.h"

#include <QtTest>

using namespace fw;
using namespace fw::ui;

class TestRulesModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void includedBooksAreListed();
};

void TestRulesModel::includedBooksAreListed() {
    const auto found = [](const char* name, const char* file) {
        snapshot::RuleMatches rule;
        rule.name = name;
        rule.kind = "rule";
        rule.file = file;
        rule.line = 3;
        return rule;
    };
    snapshot::MatchDocument matches;
    matches.stage = "imported";
    matches.rules = {found("tail", "/books/part.fw"), found("top", "/books/main.fw"),
                     found("merge_bias", "simplify.fw")};
    snapshot::RewriteDocument rewrite;
    rewrite.applied = {{"tail", "/books/part.fw", 2, 0.1}, {"merge_bias", "simplify.fw", 1, 0.1}};
    RulesContent content;
    content.books = {{"/books/main.fw"}};
    content.matches = {std::make_shared<snapshot::MatchDocument>(matches)};
    content.rewrite = std::make_shared<snapshot::RewriteDocument>(rewrite);
    RulesModel model;
    model.setContent(std::move(content));
    QCOMPARE(model.rowCount(), 3);
    const QModelIndex part = model.index(1, 0);
    QCOMPARE(part.data().toString(), QStringLiteral("part.fw"));
    QCOMPARE(part.siblingAtColumn(1).data().toString(), QStringLiteral("included"));
    QVERIFY(!part.data(Qt::CheckStateRole).isValid());
    QCOMPARE(part.data(RulesModel::FileRole).toString(), QStringLiteral("/books/part.fw"));
    QCOMPARE(model.rowCount(part), 1);
    QCOMPARE(model.index(0, 1, part).data().toString(), QStringLiteral("2 applied"));
    QCOMPARE(model.index(0, 0, part).data(RulesModel::LineRole).toInt(), 3);
    const QModelIndex library = model.index(2, 0);
    QCOMPARE(model.rowCount(library), 1);
}

QTEST_GUILESS_MAIN(TestRulesModel)
#include "test_rules_model.moc"
