// Everything that is declared in its order, what is wrong with typed text as problems, and all of
// it undone and redone.
#include "app/window/books_view.h"
#include "app/window/palette.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
#include "views/problems/problems_view.h"
#include "window/books_fixture.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QMimeData>
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
    void whatIsDecidedAboutBooksIsUndone();
    void everythingIsReachedByKeys();
    void modelsAreSound();
};

// What is shipped, too, as the engine asks it.
void TestRulesDock::rulesStandInTheirOrder() {
    QVERIFY(open());
    RulesView* rules = window().view<RulesView>();
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
    QCOMPARE(cell(1, 0, OrderModel::Count), u"never"_s);
    QVERIFY(rules->orderTree()->columnWidth(OrderModel::Name) >= 140); // however narrow the dock is
    QVERIFY(model.index(0, 0, model.index(1, 0))
                .data(Qt::ToolTipRole)
                .toString()
                .contains(u"mine.fw:1 is asked first"_s));
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
    QCOMPARE(window().view<BooksView>()->area()->currentPath(), u"simplify.fw"_s);
    QVERIFY(m->trigger("All rules in order"));
    QVERIFY(!rules->orderShown());
}

void TestRulesDock::wrongTextIsAProblemWhileItStands() {
    ProblemsView* view = window().view<ProblemsView>();
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
    QCOMPARE(model.index(0, ProblemsModel::MenuPlace).data(), QVariant(file + u":2:3"_s));
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
    ProblemsModel& model = window().view<ProblemsView>()->model();
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

// Each step by its action, then back and forth again: the same inputs, and the same rows.
void TestRulesDock::whatIsDecidedAboutBooksIsUndone() {
    QVERIFY(open());
    RulesView* rules = window().view<RulesView>();
    const auto rows = [&] {
        QStringList out;
        for (int row = 0; row < rules->model().bookCount(); ++row) {
            const QModelIndex book = rules->model().index(row, 0);
            out << book.data().toString() + book.data(Qt::CheckStateRole).toString();
        }
        return out;
    };
    std::vector<snapshot::Inputs> inputs{window().document().inputs()};
    std::vector<QStringList> shown{rows()};
    const auto step = [&] {
        QCoreApplication::processEvents();
        QVERIFY(m->waitIdle());
        QVERIFY(!(window().document().inputs() == inputs.back()));
        inputs.push_back(window().document().inputs());
        shown.push_back(rows());
    };
    for (const char* name : {"a.fw", "b.fw"}) {
        write(name, "rule my_rule {\n}\n");
        window().openBook(path(name));
        step();
    }
    QVERIFY(m->trigger("New book"));
    step();
    rules->tree()->setCurrentIndex(rules->model().index(0, 0));
    QVERIFY(m->trigger("Switch the book on or off"));
    step();
    QVERIFY(m->trigger("Move the book down"));
    step();
    const std::unique_ptr<QMimeData> dragged(rules->model().mimeData({rules->model().index(1, 0)}));
    rules->model().dropMimeData(dragged.get(), Qt::MoveAction, 0, 0, {});
    step();
    QVERIFY(m->trigger("Takes part in the plan")); // the new one, whose tab is open
    step();
    rules->tree()->setCurrentIndex(rules->model().index(1, 0));
    QVERIFY(m->trigger("Close book"));
    step();
    for (std::size_t i = inputs.size() - 1; i-- > 0;) {
        QVERIFY(m->trigger("Undo"));
        QVERIFY(window().document().inputs() == inputs[i]);
        QCOMPARE(rows(), shown[i]);
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        QVERIFY(m->trigger("Redo"));
        QVERIFY(window().document().inputs() == inputs[i]);
        QCOMPARE(rows(), shown[i]);
    }
}

// Whatever the menus of books offer is in the palette of commands, with its keys.
void TestRulesDock::everythingIsReachedByKeys() {
    QVERIFY(open());
    write("a.fw", "# one\nrule first {\n}\nrule second {\n}\n");
    window().editBook(path("a.fw"), 1);
    QVERIFY(m->waitIdle());
    QVERIFY(m->trigger("Commands"));
    Palette* palette = window().palette();
    QStringList offered;
    for (int row = 0; row < palette->model().rowCount(); ++row)
        offered << palette->model().entry(row)->text;
    QTest::keyClick(palette->input(), Qt::Key_Escape);
    int actions = 0;
    for (const QString& menu : {u"Rules"_s, u"Book"_s})
        for (QAction* top : window().menuBar()->actions())
            if (top->text().remove(u'&') == menu)
                for (QAction* action : top->menu()->actions())
                    if (!action->isSeparator() && !action->menu() && action->isEnabled()) {
                        ++actions;
                        QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
                        QVERIFY2(offered.contains(menu + u": "_s + action->text().remove(u'&')),
                                 qPrintable(action->text()));
                    }
    QVERIFY(actions > 30);
    QVERIFY(m->trigger("Declarations"));
    QCOMPARE(palette->model().rowCount(), 2);
    QTest::keyClick(palette->input(), Qt::Key_Down);
    QTest::keyClick(palette->input(), Qt::Key_Return);
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().caret(), (Caret{4, 1}));
    QVERIFY(m->trigger("Quick open"));
    QTest::keyClicks(palette->input(), u"simplify"_s);
    QCOMPARE(palette->model().entry(0)->detail, u"shipped book"_s);
    QTest::keyClick(palette->input(), Qt::Key_Return);
    QTRY_COMPARE(books().currentPath(), u"simplify.fw"_s);
    QVERIFY(m->trigger("Close tab"));
    // A file that another program changed is answered by keys, too.
    QVERIFY(type(u"x"_s));
    write("a.fw", "# theirs\n");
    QTRY_COMPARE(books().current()->banner(), BookPage::Banner::ChangedOnDisk);
    QVERIFY(m->trigger("Keep what is here"));
    QCOMPARE(books().current()->banner(), BookPage::Banner::None);
    write("a.fw", "# theirs again\n");
    QTRY_COMPARE(books().current()->banner(), BookPage::Banner::ChangedOnDisk);
    QVERIFY(m->trigger("Take what is on disk"));
    QTRY_COMPARE(editor().wholeText(), u"# theirs again\n"_s);
}

void TestRulesDock::modelsAreSound() {
    using Tester = QAbstractItemModelTester;
    constexpr auto fatal = Tester::FailureReportingMode::Fatal;
    const Tester rules(&window().view<RulesView>()->model(), fatal);
    const Tester order(&window().view<RulesView>()->orderModel(), fatal);
    const Tester matches(&window().view<BooksView>()->matches()->model(), fatal);
    const Tester palette(&window().palette()->model(), fatal);
    const Tester problems(&window().view<ProblemsView>()->model(), fatal);
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

FW_TEST(TestRulesDock, QApplication)
#include "test_rules_dock.moc"
