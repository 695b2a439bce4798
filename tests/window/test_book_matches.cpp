// What a book finds in the graph while it is typed, and what is known of its words.
#include "app/window/books_view.h"
#include "app/window/palette.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/graph/graphs_view.h"
#include "window/books_fixture.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QPushButton>
#include <QToolTip>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookMatches : public QObject, private BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m.reset(); }
    void modelTellsStepsAndMisses();
    void matchesAreShownWhileTyping();
    void declarationsThatFindNothingAreNamed();
    void matchesAreWalked();
    void captureAndNodeFindEachOther();
    void nearMissIsRelaxed();
    void matchesOfAWrongTextAreGrey();
    void wordsAreCompletedAndExplained();
    void definitionsAreOpened();
    void placesOfANameAreListed();
    void shippedBooksFindToo();
    void commentsChangeNoPlan();

private:
    bool typeRule();
    std::vector<Halo> halos(Halo::Look look);
};

// A rule in three lines below the first two of a new book: its head is line 3, `relu(x)` line 4.
bool TestBookMatches::typeRule() {
    editor().insertPlainText(u"rule mine {\n  match y = relu(x)\n  emit  y = x\n}\n"_s);
    editor().goTo({3, 2});
    return m->waitIdle();
}

std::vector<Halo> TestBookMatches::halos(Halo::Look look) {
    std::vector<Halo> out = m->pane(GraphSide::Imported)->canvas()->halos();
    std::erase_if(out, [&](const Halo& halo) { return halo.look != look; });
    return out;
}

void TestBookMatches::matchesAreShownWhileTyping() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    const auto found = halos(Halo::Look::Match);
    QCOMPARE(found.size(), std::size_t(2));
    QVERIFY(found[0].ids == Ids{5} && found[1].ids == Ids{9});
    QCOMPARE(found[0].badge, u"1"_s);
    QVERIFY(m->pane(GraphSide::Fused)->canvas()->halos().empty());
    const auto& notes = editor().notes();
    QCOMPARE(notes.size(), std::size_t(1));
    QCOMPARE(notes.begin()->first, 3);
    QVERIFY2(notes.begin()->second.text.startsWith(u"2 matches, 3.1"_s),
             qPrintable(notes.begin()->second.text));
    MatchPanel* panel = window().view<BooksView>()->matches();
    QVERIFY(panel->isVisible());
    QVERIFY(panel->title().startsWith(u"mine: 2 matches"_s));
    QCOMPARE(panel->model().rowCount(), 2); // a step and a near miss
    QCOMPARE(panel->model().index(1, MatchModel::Detail).data().toString(),
             u"expected relu, found softmax"_s);
    // Away from the declaration nothing is framed.
    editor().goTo({1, 1});
    QVERIFY(halos(Halo::Look::Match).empty());
    QCOMPARE(panel->title(), u"no declaration at the caret"_s);
    editor().goTo({4, 1});
    QCOMPARE(halos(Halo::Look::Match).size(), std::size_t(2));
    // Another model is asked anew.
    QVERIFY(m->open(path("other.onnx")));
    QVERIFY(QTest::qWaitFor([&] { return halos(Halo::Look::Match).size() == 2; }));
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(halos(Halo::Look::Match).empty());
}

// Of what finds nothing its name is said, indented as a pasted text may be.
void TestBookMatches::declarationsThatFindNothingAreNamed() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    editor().moveCursor(QTextCursor::End);
    editor().insertPlainText(u"\n    pin { use a for b }\n  grow elementwise -> window never\n"_s);
    QVERIFY(m->waitIdle());
    MatchPanel* panel = window().view<BooksView>()->matches();
    editor().goTo({8, 7});
    QTRY_COMPARE(panel->title(), u"pin: nothing is known of it"_s);
    editor().goTo({9, 7});
    QTRY_COMPARE(panel->title(), u"grow elementwise -> window never: nothing is known of it"_s);
    editor().goTo({4, 1});
    QVERIFY(panel->title().startsWith(u"mine: 2 matches"_s));
}

void TestBookMatches::matchesAreWalked() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    const Caret before = editor().caret();
    QVERIFY(m->trigger("Find next")); // F3, while the keys go to the book
    QCOMPARE(halos(Halo::Look::Current).size(), std::size_t(1));
    QCOMPARE(halos(Halo::Look::Current)[0].badge, u"1/2"_s);
    QVERIFY(window().selection().imported == snapshot::NodeSet{5});
    QCOMPARE(editor().caret(), before);
    QVERIFY(m->trigger("Next match"));
    QVERIFY(window().selection().imported == snapshot::NodeSet{9});
    QVERIFY(m->trigger("Next match"));
    QVERIFY(window().selection().imported == snapshot::NodeSet{5});
    QVERIFY(m->trigger("Previous match"));
    QCOMPARE(halos(Halo::Look::Current)[0].badge, u"2/2"_s);
    QVERIFY(editor().hasFocus());
}

void TestBookMatches::captureAndNodeFindEachOther() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    editor().goTo({4, 18}); // x
    const auto bound = halos(Halo::Look::Bound);
    QCOMPARE(bound.size(), std::size_t(1));
    QVERIFY(bound[0].ids == Ids{4}); // of the first match
    QCOMPARE(bound[0].badge, u"x"_s);
    QVERIFY(m->trigger("Next match"));
    QVERIFY(m->trigger("Next match"));
    QVERIFY(halos(Halo::Look::Bound)[0].ids == Ids{8});
    // A click on the operator of the first match: the caret goes to its name.
    m->click(GraphSide::Imported, 5);
    QCOMPARE(editor().caret(), (Caret{4, 13}));
    QCOMPARE(halos(Halo::Look::Current)[0].badge, u"1/2"_s);
    QVERIFY(halos(Halo::Look::Bound)[0].ids == Ids{5});
    m->click(GraphSide::Imported, 10); // in no match
    QCOMPARE(editor().caret(), (Caret{4, 13}));
}

void TestBookMatches::nearMissIsRelaxed() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    MatchPanel* panel = window().view<BooksView>()->matches();
    panel->table()->setCurrentIndex(panel->model().index(1, 0));
    panel->showCurrent();
    QVERIFY(halos(Halo::Look::NearMiss)[0].ids == Ids{10});
    QVERIFY(window().selection().imported == snapshot::NodeSet{10});
    QCOMPARE(editor().textCursor().selectedText(), u"relu"_s);
    QCOMPARE(panel->relaxButton()->text(), u"any elementwise operator"_s);
    panel->relaxButton()->click();
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().lineText(4), u"  match y = kind elementwise(x)"_s);
    QVERIFY(editor().hasFocus());
    editor().undo();
    QVERIFY(m->waitIdle());
    // Without a row that was chosen: the nearest one that can be relaxed.
    panel->table()->setCurrentIndex({});
    QCOMPARE(panel->relaxButton()->text(), u"any elementwise operator"_s);
    QVERIFY(panel->relaxButton()->isEnabled());
    QVERIFY(m->trigger("Relax the clause"));
    QCOMPARE(editor().lineText(4), u"  match y = kind elementwise(x)"_s);
}

void TestBookMatches::matchesOfAWrongTextAreGrey() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    editor().goTo({4, 20});
    QVERIFY(type(u" rellu"_s));
    QVERIFY(halos(Halo::Look::Match).empty());
    QCOMPARE(halos(Halo::Look::Stale).size(), std::size_t(2));
    QVERIFY(editor().notes().begin()->second.look == MarginNote::Look::Stale);
    QVERIFY(!window().view<BooksView>()->matches()->table()->isEnabled());
    // Until a graph was looked at again, what was found in it is of the earlier text.
    QStringList told;
    const QString file = window().view<BooksView>()->area()->currentPath();
    const auto listens = connect(&window().document(), &Document::changed, this, [&](Parts parts) {
        if (!parts.has(Part::TextMatches))
            return;
        const auto* now = window().document().textMatchesOf(file);
        told << (now->state == State::Ready ? u"ready"_s : u"busy"_s) +
                    (now->importedOld ? u" old"_s : u""_s) +
                    (now->rewrittenOld ? u" old"_s : u""_s);
    });
    for (int i = 0; i < 6; ++i)
        QTest::keyClick(&editor(), Qt::Key_Backspace);
    QVERIFY(m->waitIdle());
    disconnect(listens);
    QCOMPARE(told, (QStringList{u"busy old"_s, u"ready"_s}));
    QCOMPARE(halos(Halo::Look::Match).size(), std::size_t(2));
}

void TestBookMatches::wordsAreCompletedAndExplained() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"  match y = re"_s));
    QCompleter* completer = editor().completer();
    QTRY_VERIFY(completer->popup()->isVisible());
    QCOMPARE(completer->completionCount(), 2); // relu, reduce_sum
    QTest::keyClicks(completer->popup(), u"l"_s);
    QCOMPARE(completer->completionCount(), 1);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().lineText(3), u"  match y = relu"_s);
    // Inside a word, by the key: all of the word is replaced.
    editor().goTo({3, 14});
    QVERIFY(m->trigger("Complete"));
    QTRY_VERIFY(completer->popup()->isVisible());
    QTest::keyClick(completer->popup(), Qt::Key_Down);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QCOMPARE(editor().lineText(3), u"  match y = reduce_sum"_s);
    QVERIFY(m->trigger("Tell about the word"));
    QTRY_COMPARE(QToolTip::text().contains(u"hover of reduce_sum"_s), true);
}

void TestBookMatches::definitionsAreOpened() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"mine"_s));
    QVERIFY(m->trigger("Go to the definition"));
    QVERIFY(m->waitIdle());
    QCOMPARE(books().currentPath(), u"simplify.fw"_s);
    QVERIFY(editor().isReadOnly());
    QCOMPARE(editor().caret().line, 1);
}

void TestBookMatches::modelTellsStepsAndMisses() {
    MatchModel model;
    const QAbstractItemModelTester tester(&model);
    snapshot::RuleMatches rule;
    rule.name = "r";
    rule.matches.resize(17);
    rule.ms = 3.1;
    rule.funnel = {{{2, 1, 2, 5}, "conv2d(x)", 53, false},
                   {{2, 6, 2, 9}, "bias(^)", 53, true},
                   {{2, 10, 2, 14}, "relu(^)", 17, false}};
    rule.funnel[2].before = 53;
    rule.nearMisses = {{"Add_1", 4, 2, 3, "relu(^)", "relu", "add"}};
    model.setRule(rule);
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row)
        lines << model.index(row, MatchModel::What).data().toString() + u'|' +
                     model.index(row, MatchModel::Count).data().toString() + u'|' +
                     model.index(row, MatchModel::Detail).data().toString();
    QCOMPARE(lines, (QStringList{u"conv2d(x)|53|"_s, u"→ bias(^) ?|53|may be absent"_s,
                                 u"→ relu(^)|17|36 of 53 end here"_s,
                                 u"Add_1|2/3|expected relu, found add"_s}));
    QVERIFY(model.stepAt(2) && !model.stepAt(3) && model.missAt(3) && !model.missAt(2));
    QVERIFY(!model.missAt(4) && !model.stepAt(-1));
    QCOMPARE(model.index(2, MatchModel::Share).data(ItemRole::ShareRole).toDouble(), 17 / 53.0);
    QVERIFY(matchesText(rule).startsWith(u"17 matches, 3.1"_s));
    rule.matches.clear();
    rule.nearMissCount = 12;
    rule.ms = 0;
    rule.stopped = "stopped after 2 s";
    QCOMPARE(matchesText(rule), u"no match, 12 near misses, not all"_s);
    rule.matches.resize(1);
    QCOMPARE(matchesText(rule), u"1 match, not all"_s);
    QCOMPARE(matchesText(rule, NearMisses::Always), u"1 match, 12 near misses, not all"_s);
    model.setRule({});
    QCOMPARE(model.rowCount(), 0);
}

void TestBookMatches::placesOfANameAreListed() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(typeRule());
    editor().goTo({4, 9}); // y
    QVERIFY(m->trigger("Who uses it"));
    Palette* palette = window().palette();
    QVERIFY(palette->isVisible());
    QCOMPARE(palette->model().rowCount(), 2);
    QVERIFY(palette->model().index(1, 0).data().toString().endsWith(u":5"_s));
    QCOMPARE(palette->model().index(1, 1).data().toString(), u"emit  y = x"_s);
    QTest::keyClick(palette->input(), Qt::Key_Down);
    QTest::keyClick(palette->input(), Qt::Key_Return);
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().caret(), (Caret{5, 9}));
    QVERIFY(editor().hasFocus());
    editor().goTo({1, 1}); // no name
    editor().insertPlainText(u"\n"_s);
    editor().goTo({1, 1});
    QVERIFY(m->waitIdle());
    QVERIFY(m->trigger("Who uses it"));
    QVERIFY(!palette->isVisible());
}

// What is read only shows its matches like a book of one's own, and stays as it is.
void TestBookMatches::shippedBooksFindToo() {
    QVERIFY(open());
    window().editBook(u"simplify.fw"_s, 2);
    QVERIFY(m->waitIdle());
    QVERIFY(editor().isReadOnly());
    QCOMPARE(halos(Halo::Look::Match).size(), std::size_t(2));
    QVERIFY(editor().notes().begin()->second.text.startsWith(u"2 matches"_s));
    MatchPanel* panel = window().view<BooksView>()->matches();
    QVERIFY(panel->isVisible());
    QVERIFY(m->trigger("Next match"));
    QCOMPARE(halos(Halo::Look::Current).size(), std::size_t(1));
    const QString before = editor().wholeText();
    panel->findChild<QTreeView*>(u"matchTable"_s)->setCurrentIndex(panel->model().index(1, 0));
    QVERIFY(!panel->relaxButton()->isEnabled());
    QVERIFY(m->trigger("Relax the clause"));
    QCOMPARE(editor().wholeText(), before);
    QVERIFY(window().document().checks().empty());
    // A copy can be relaxed.
    QVERIFY(m->trigger("Edit a copy"));
    QVERIFY(m->trigger("Relax the clause"));
    QVERIFY(editor().wholeText() != before);
}

// Typed or taken back: the plan is the one that is there, whatever is in the file.
void TestBookMatches::commentsChangeNoPlan() {
    write("my.fw", "rule mine {\n  match y = relu(x)\n}\n");
    QVERIFY(open());
    window().openBook(path("my.fw"));
    window().editBook(path("my.fw"), 3);
    QVERIFY(m->waitIdle());
    const auto plan = window().document().plan();
    const auto generation = window().document().generation();
    editor().moveCursor(QTextCursor::End);
    QVERIFY(type(u"  # what it is for"_s));
    QCOMPARE(window().document().generation(), generation);
    QCOMPARE(window().document().plan(), plan);
    QVERIFY(!window().document().books().actingText(path("my.fw")));
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
    editor().goTo({2, 8});
    QVERIFY(type(u" "_s)); // between words: what follows is at another place
    QVERIFY(window().document().generation() != generation);
    const auto moved = window().document().generation();
    const auto second = window().document().plan();
    editor().moveCursor(QTextCursor::End);
    QVERIFY(type(u", and what it is not for"_s));
    QCOMPARE(window().document().generation(), moved);
    QVERIFY(m->trigger("Save book"));
    QCOMPARE(window().document().plan(), second);
    // A line more, though it is empty, moves what a plan cites.
    editor().goTo({1, 1});
    editor().insertPlainText(u"\n"_s);
    QVERIFY(m->waitIdle());
    QVERIFY(window().document().generation() != moved);
}

FW_TEST(TestBookMatches, QApplication)
#include "test_book_matches.moc"
