// Commands and things by name, from the keyboard alone.
#include "app/window/palette.h"
#include "common/test.h"
#include "views/graph/graphs_view.h"
#include "window/books_fixture.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestPalette : public QObject, private BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m.reset(); }
    void modelFindsWords();
    void commandsAreRun();
    void everyCommandIsThere();
    void thingsAreFoundByName();
    void escapeGivesTheKeysBack();
    void commandsActWhereTheKeysWere();

private:
    Palette& palette() { return *window().palette(); }
    QString first() { return palette().model().index(0, 0).data().toString(); }
    void key(int key) { QTest::keyClick(palette().input(), Qt::Key(key)); }
};

void TestPalette::modelFindsWords() {
    PaletteModel model;
    const QAbstractItemModelTester tester(&model);
    model.setEntries(
        {{u"File: Save as"_s, {}, {}}, {u"Resave"_s, {}, {}}, {u"Book: Save"_s, u"Ctrl+S"_s, {}}});
    QCOMPARE(model.rowCount(), 3);
    model.setTyped(u"  SA "_s);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(2, 0).data().toString(), u"Resave"_s); // inside a word comes last
    model.setTyped(u"save book"_s);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, 1).data().toString(), u"Ctrl+S"_s);
    model.setTyped(u"nothing"_s);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.entry(0));
    std::vector<Choice> many(100'000, Choice{u"node"_s, {}, {}});
    model.setEntries(std::move(many));
    QCOMPARE(model.rowCount(), int(PaletteModel::shownLimit));
}

void TestPalette::commandsAreRun() {
    QVERIFY(open());
    QVERIFY(m->trigger("Commands"));
    QVERIFY(palette().isVisible() && palette().input()->hasFocus());
    QTest::keyClicks(palette().input(), u"new book"_s);
    QCOMPARE(first(), u"Book: New book"_s);
    key(Qt::Key_Return);
    QVERIFY(m->waitIdle());
    QVERIFY(!palette().isVisible());
    QVERIFY(!books().isEmpty());
}

void TestPalette::everyCommandIsThere() {
    QVERIFY(open());
    QVERIFY(m->trigger("Commands"));
    std::set<QString> offered;
    for (int row = 0; row < palette().model().rowCount(); ++row)
        offered.insert(palette().model().index(row, 0).data().toString());
    int known = 0;
    for (QAction* menu : window().menuBar()->actions())
        for (QAction* action : menu->menu()->actions())
            if (!action->isSeparator() && !action->menu() && action->isEnabled()) {
                ++known;
                const QString text =
                    menu->text().remove(u'&') + u": "_s + action->text().remove(u'&');
                QVERIFY2(offered.contains(text), qPrintable(text));
            }
    QVERIFY(known > 40);
}

void TestPalette::thingsAreFoundByName() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(m->waitIdle());
    m->pane(GraphSide::Fused)->canvas()->setFocus();
    QVERIFY(m->trigger("Quick open"));
    QTest::keyClicks(palette().input(), u"softmax"_s);
    QCOMPARE(first(), u"softmax_2"_s); // the group before the operator
    key(Qt::Key_Down);
    key(Qt::Key_Return);
    QVERIFY(m->waitIdle());
    QVERIFY(window().selection().fused == snapshot::NodeSet{29});
    QVERIFY(m->trigger("Quick open"));
    QTest::keyClicks(palette().input(), u"book-1"_s);
    key(Qt::Key_Return);
    QVERIFY(editor().hasFocus());
}

void TestPalette::escapeGivesTheKeysBack() {
    QVERIFY(open());
    GraphCanvas* canvas = m->pane(GraphSide::Imported)->canvas();
    canvas->setFocus();
    QVERIFY(m->trigger("Commands"));
    key(Qt::Key_Escape);
    QVERIFY(!palette().isVisible() && canvas->hasFocus());
    // Whoever takes the keys ends it.
    QVERIFY(m->trigger("Commands"));
    canvas->setFocus();
    QVERIFY(!palette().isVisible());
}

void TestPalette::commandsActWhereTheKeysWere() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule a {"_s));
    QVERIFY(m->trigger("Commands"));
    QTest::keyClicks(palette().input(), u"file: save"_s);
    QCOMPARE(first(), u"File: Save"_s);
    key(Qt::Key_Return);
    QVERIFY(QFileInfo::exists(books().currentPath())); // the book, not the document
}

FW_TEST(TestPalette, QApplication)
#include "test_palette.moc"
