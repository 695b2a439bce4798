// Shipped books in the rules dock: what each won, and off and on again.
#include "common/test.h"
#include "snapshot/document_file.h"
#include "views/authoring/rules_view.h"
#include "window/story_fixture.h"

#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestShippedBooks : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void bookIsWeighedAndSwitchedOff();
};

void TestShippedBooks::bookIsWeighedAndSwitchedOff() {
    begin({u"residual"_s});
    start();
    open(u"residual"_s);
    Document& document = m_window->document();
    RulesView* rules = m_window->view<RulesView>();
    const auto row = [&](const QString& name) {
        for (int i = 0; i < rules->model().rowCount(); ++i)
            if (rules->model().index(i, 0).data().toString() == name)
                return rules->model().index(i, 0);
        return QModelIndex();
    };
    const auto detail = [&](const QString& name) {
        return row(name).siblingAtColumn(RulesModel::Detail).data().toString();
    };
    QCOMPARE(row(u"simplify.fw"_s).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    press(u"Ctrl+Alt+V"_s);
    QTRY_VERIFY_WITH_TIMEOUT(detail(u"simplify.fw"_s).startsWith(u"won"_s), 60000);
    waitIdle();
    m_window->view<RulesView>()->setFocus();
    picture(u"shipped_books"_s);

    // Without it nothing of it acts, and no number of the plan before is shown.
    const auto acted = [&] {
        const auto& all = document.rewrite()->applied;
        return std::any_of(all.begin(), all.end(), [](const auto& applied) {
            return applied.file == "simplify.fw" && applied.count > 0;
        });
    };
    QVERIFY(acted());
    rules->tree()->setCurrentIndex(rules->model().index(0, 0, row(u"simplify.fw"_s)));
    press(u"Ctrl+Alt+K"_s);
    waitIdle();
    QCOMPARE(detail(u"simplify.fw"_s), u"off"_s);
    QVERIFY(!acted());
    QVERIFY(!document.order()->estUs);
    QVERIFY(document.order()->diagnostics.empty());

    // It is a decision like others: saved with the document, and undone.
    const auto read =
        snapshot::parseDocument(snapshot::documentText(document.inputs(), "/"), "/a.fwdoc");
    QVERIFY(read && read->without == std::vector<std::string>{"simplify.fw"});
    QVERIFY(document.unsaved());
    press(u"Ctrl+Z"_s);
    waitIdle();
    QVERIFY(acted());
    QCOMPARE(row(u"simplify.fw"_s).data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
    end();
}

FW_TEST(TestShippedBooks, QApplication)
#include "test_shipped_books.moc"
