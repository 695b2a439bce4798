#include "common/test.h"
#include "views/authoring/rules_model.h"

using namespace fw;
using namespace fw::ui;

class TestRulesModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void includedBooksAreListed();
    void applicationsAreListed();
    void shippedBooksAreListed();
};

void TestRulesModel::applicationsAreListed() {
    snapshot::RewriteDocument rewrite;
    rewrite.applied = {{"tail", "/books/part.fw", 500, 0.1}};
    for (int i = 1; i <= 400; ++i) {
        snapshot::ApplicationRecord one;
        one.number = i;
        one.rule = i % 4 == 0 ? "other" : "tail";
        one.file = "/books/part.fw";
        one.matched = {{"relu_" + std::to_string(i), "relu"}, {"neg", "neg"}};
        one.origins = {i, 7};
        one.created = {{"abs", "abs"}};
        one.results = {{"y", "f32[2]", "z", "f32[2]"}};
        one.flopsBefore = 4;
        rewrite.applications.push_back(one);
    }
    snapshot::CheckDocument check;
    snapshot::CheckItem rule;
    rule.name = "tail";
    rule.kind = "rule";
    rule.verdict = "proved but for NaN and rounding";
    rule.trials = 120;
    rule.proofs = 40;
    check.items = {rule};
    rule.name = "bent";
    rule.verdict = "refuted";
    rule.counterexample = "graph drawn() -> y {}";
    check.items.push_back(rule);
    RulesContent content;
    content.books = {{"/books/part.fw"}};
    content.checks["/books/part.fw"] = std::make_shared<snapshot::CheckDocument>(check);
    content.rewrite = std::make_shared<snapshot::RewriteDocument>(rewrite);
    RulesModel model;
    model.setContent(std::move(content));
    const QModelIndex tail = model.index(0, 0, model.index(0, 0));
    QCOMPARE(tail.siblingAtColumn(1).data().toString(), QStringLiteral("500 applied"));
    QCOMPARE(tail.siblingAtColumn(RulesModel::Verdict).data().toString(),
             QStringLiteral("proved but for NaN and rounding"));
    const QString tip = tail.data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains(QStringLiteral("at 40 small graphs")) &&
                 tip.contains(QStringLiteral("nothing differed at 120 small graphs")),
             qPrintable(tip));
    const QModelIndex bent = model.index(1, 0, model.index(0, 0));
    QCOMPARE(bent.siblingAtColumn(RulesModel::Verdict).data().toString(),
             QStringLiteral("refuted"));
    QVERIFY(bent.data(Qt::ToolTipRole).toString().contains(QStringLiteral("graph drawn()")));
    const QModelIndex group = model.index(0, 0, tail);
    QCOMPARE(group.data().toString(), QStringLiteral("applications"));
    QCOMPARE(model.rowCount(group), 301);
    const QModelIndex third = model.index(3, 0, group); // the fourth is of another rule
    QCOMPARE(third.data().toString(), QStringLiteral("5  relu_5"));
    QCOMPARE(third.siblingAtColumn(1).data().toString(), QStringLiteral("relu, neg → abs"));
    QCOMPARE(third.data(RulesModel::NodesRole).value<QList<qint64>>(), (QList<qint64>{5, 7}));
    QVERIFY(third.data(Qt::ToolTipRole).toString().contains(QStringLiteral("y: f32[2]")));
    QCOMPARE(model.index(300, 0, group).data().toString(), QStringLiteral("and 200 more"));
}

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

void TestRulesModel::shippedBooksAreListed() {
    snapshot::RewriteDocument rewrite;
    rewrite.applied = {{"merge_bias", "simplify.fw", 3, 0.1}, {"gelu", "recognise.fw", 0, 0.1}};
    snapshot::OrderDocument order;
    order.estUs = 40.0;
    order.books = {{"simplify.fw", 3, 12, 42.5}};
    RulesContent content;
    content.without = {"views.fw"};
    content.rewrite = std::make_shared<snapshot::RewriteDocument>(rewrite);
    content.order = std::make_shared<snapshot::OrderDocument>(order);
    RulesModel model;
    QSignalSpy switched(&model, &RulesModel::shippedSwitched);
    model.setContent(content);
    const auto rowOf = [&](int row) {
        const QModelIndex book = model.index(row, 0);
        return QStringList{book.data().toString(),
                           book.siblingAtColumn(RulesModel::Detail).data().toString(),
                           book.data(Qt::CheckStateRole).toInt() == Qt::Checked ? "on" : "off",
                           book.data(RulesModel::ClosedRole).toBool() ? "closed" : "open"};
    };
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(rowOf(0), (QStringList{"simplify.fw", QStringLiteral("won 2.5 µs"), "on", "open"}));
    QCOMPARE(rowOf(1), (QStringList{"recognise.fw", "0 applied", "on", "closed"}));
    QCOMPARE(rowOf(2), (QStringList{"views.fw", "off", "off", "closed"}));
    const QString tip = model.index(0, 0).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains(QStringLiteral("without it 12 operators")), qPrintable(tip));
    QVERIFY(model.setData(model.index(2, 0), Qt::Checked, Qt::CheckStateRole));
    QCOMPARE(switched.takeFirst(), (QVariantList{"views.fw", true}));
    order.books.front().estUsWithout = 39;
    content.order = std::make_shared<snapshot::OrderDocument>(order);
    model.setContent(content);
    QCOMPARE(rowOf(0)[1], QStringLiteral("lost 1.0 µs"));
}

FW_TEST(TestRulesModel, QCoreApplication)
#include "test_rules_model.moc"
