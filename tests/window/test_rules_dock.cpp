// Everything that is declared in its order, what is wrong with typed text as problems, and all of
// it undone and redone.
#include "app/window/palette.h"
#include "app/window/problems_view.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
#include "window/books_fixture.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QTableView>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestRulesDock : public QObject, private BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m.reset(); }
    void rulesStandInTheirOrder();
    void wrongTextIsAProblemWhileItStands();
    void booksOnDiskAreProblemsToo();
    void modelsAreSound();
};

// What is shipped, too, as the engine asks it.
void TestRulesDock::rulesStandInTheirOrder() {
    QVERIFY(open());
    RulesView* rules = window().rulesView();
    QVERIFY(!rules->orderShown());
    QVERIFY(m->trigger("All rules in order"));
    QVERIFY(rules->orderShown() && rules->orderTree()->isVisibleTo(rules));
    OrderModel& model = rules->orderModel();
    QCOMPARE(model.rowCount(), 2); // rules, growth
    const auto cell = [&](int phase, int row, int column) {
        return model.index(row, column, model.index(phase, 0)).data().toString();
    };
    QCOMPARE(cell(0, 0, OrderModel::Name), u"1  fold_batch_norm"_s);
    QVERIFY(rules->orderTree()->isExpanded(model.index(0, 0)));
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    QCOMPARE(cell(0, 0, OrderModel::Name), u"1  my_rule"_s);
    QCOMPARE(cell(0, 0, OrderModel::Count), u"3"_s);
    QCOMPARE(cell(0, 0, OrderModel::Time), u"200 µs"_s);
    QCOMPARE(cell(0, 0, OrderModel::Book), u"my.fw:1"_s);
    QCOMPARE(cell(0, 1, OrderModel::Name), u"2  fold_batch_norm"_s);
    QCOMPARE(cell(1, 0, OrderModel::Time), QString()); // nobody measures it
    QVERIFY(cell(1, 0, OrderModel::Name).endsWith(u"(never asked)"_s));
    QVERIFY(model.index(0, 0, model.index(1, 0))
                .data(Qt::ToolTipRole)
                .toString()
                .contains(u"mine.fw:1 is asked first"_s));
    // What acts on books takes the book of the row.
    rules->orderTree()->setCurrentIndex(model.index(0, 0, model.index(0, 0)));
    QVERIFY(m->trigger("Switch the book on or off"));
    QTRY_COMPARE(window().document().inputs().enabledBooks().size(), std::size_t(0));
    QVERIFY(m->waitIdle());
    QCOMPARE(cell(0, 0, OrderModel::Name), u"1  fold_batch_norm"_s);
    QVERIFY(m->trigger("Undo"));
    QCOMPARE(cell(0, 0, OrderModel::Name), u"1  my_rule"_s);
    rules->orderTree()->setCurrentIndex(model.index(1, 0, model.index(0, 0)));
    rules->editCurrent(); // of a shipped book: its text
    QVERIFY(m->waitIdle());
    QCOMPARE(window().books()->currentPath(), u"simplify.fw"_s);
    QVERIFY(m->trigger("All rules in order"));
    QVERIFY(!rules->orderShown());
}

void TestRulesDock::wrongTextIsAProblemWhileItStands() {
    ProblemsView* view = window().problemsView();
    ProblemsModel& model = view->model();
    QVERIFY(open());
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(m->trigger("New book"));
    const QString file = books().currentPath();
    editor().setPlainText(u"rule a {\n  rellu(x)\n}\n"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(model.isCurrent(0));
    QCOMPARE(model.count(Severity::Error), 1);
    QCOMPARE(model.index(0, ProblemsModel::Place).data(), QVariant(file + u":2:3"_s));
    // A double click goes to the place, also when the book is not the current one any more.
    QVERIFY(m->trigger("New book"));
    editor().setPlainText(u"rule b {\n}\n"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    auto* table = view->findChild<QTableView*>(u"problemsTable"_s);
    Q_EMIT table->activated(model.index(0, 0));
    QCOMPARE(books().currentPath(), file);
    QCOMPARE(editor().caret(), (Caret{2, 3}));
    QVERIFY(editor().hasFocus());
    // It stays whatever is planned meanwhile, and goes with the mistake.
    window().setTargetText(u"x86-64-v2"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(model.isCurrent(0));
    QVERIFY(m->trigger("Apply the fix"));
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 0);
    editor().undo();
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(m->trigger("Close tab")); // thrown away
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 0);
}

// Errors of a file, of one that breaks while it is used, and of one that takes no part.
void TestRulesDock::booksOnDiskAreProblemsToo() {
    ProblemsModel& model = window().problemsView()->model();
    QVERIFY(open());
    write("wrong.fw", "rule wrong {\n}\n");
    window().openBook(path("wrong.fw"));
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.at(0).where.line, 3);
    QVERIFY(m->trigger("Undo")); // the book is out of the document
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(m->trigger("Redo"));
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(m->trigger("Undo"));
    // Open as text alone.
    write("apart.fw", "rule apart {\n  rellu(x)\n}\n");
    window().editBook(path("apart.fw"), 1);
    QVERIFY(m->waitIdle());
    editor().insertPlainText(u"# mine\n"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.at(0).where.line, 3);
    window().setTargetText(u"x86-64-v2"_s); // another plan asks for the books that take part
    QVERIFY(m->waitIdle());
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(!editor().marks().empty());
    QVERIFY(m->trigger("Save book"));
    QVERIFY(m->trigger("Close tab"));
    QCOMPARE(model.rowCount(), 0);
}

void TestRulesDock::modelsAreSound() {
    using Tester = QAbstractItemModelTester;
    constexpr auto fatal = Tester::FailureReportingMode::Fatal;
    const Tester rules(&window().rulesView()->model(), fatal);
    const Tester order(&window().rulesView()->orderModel(), fatal);
    const Tester matches(&window().matchPanel()->model(), fatal);
    const Tester palette(&window().palette()->model(), fatal);
    const Tester problems(&window().problemsView()->model(), fatal);
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    editor().insertPlainText(u"rule one {\nmatch y = relu(x)"_s);
    QVERIFY(m->waitIdle());
    editor().insertPlainText(u"\nrellu"_s);
    QVERIFY(m->waitIdle());
    editor().undo();
    QVERIFY(m->waitIdle());
    QVERIFY(m->trigger("Switch the book on or off"));
    QVERIFY(m->trigger("Commands"));
    QTest::keyClicks(window().palette()->input(), u"book"_s);
    QVERIFY(window().palette()->model().rowCount() > 0);
    QTest::keyClick(window().palette()->input(), Qt::Key_Escape);
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(m->trigger("Undo"));
}

QTEST_MAIN(TestRulesDock)
#include "test_rules_dock.moc"
