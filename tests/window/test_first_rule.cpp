// Follows resources/docs/first-rule.md as a newcomer would: types what stands there, presses the
// keys that stand there, finds what it says, and takes its pictures (target docs_pictures).
#include "app/window/books_view.h"
#include "app/window/counterexample_window.h"
#include "app/window/help_window.h"
#include "app/window/library_boxes.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "docs/page.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/sketch_view.h"
#include "views/common/combo_box.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/graph/graphs_view.h"
#include "window/story_fixture.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestFirstRule : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void pageIsTrue();
    void picturesAreThereAndSmall();

private:
    bool says(const QString& text) const { return m_part.simplified().contains(text); }
    void turnTo(int part);
    // Lines of the part that are code.
    QStringList code() const;
    QString codeBehind(const QString& words) const;
    void key(const QString& keys) {
        QVERIFY2(says(keys), qPrintable(keys));
        press(keys);
    }
    void typeBehindBlank() { // "a blank and `...`", the first that was not typed yet
        m_window->view<BooksView>()->area()->current()->setFocus();
        type(u' ' + codeBehind(u"a blank and "_s));
    }
    void pictureOfPage(const QString& name);

    QString m_page, m_part;
};

void TestFirstRule::initTestCase() {
    m_page = docs::textOf(u"resources/docs/first-rule.md"_s);
    QVERIFY(!m_page.isEmpty());
    begin({u"lenet"_s});
}

void TestFirstRule::turnTo(int part) {
    const qsizetype begin = m_page.indexOf(u"\n## %1. "_s.arg(part));
    QVERIFY2(begin > 0, qPrintable(QString::number(part)));
    m_part = m_page.mid(begin, m_page.indexOf(u"\n## "_s, begin + 1) - begin);
}

QStringList TestFirstRule::code() const {
    QStringList out;
    for (const docs::Block& block : docs::blocksOf(m_part))
        for (const QString& line : block.lines)
            out << line.trimmed();
    return out;
}

QString TestFirstRule::codeBehind(const QString& words) const {
    const QRegularExpression code(QRegularExpression::escape(words) + u"`([^`]+)`"_s);
    auto all = code.globalMatch(m_part.simplified());
    while (all.hasNext())
        if (const QString text = all.next().captured(1);
            !editor()->wholeText().contains(text) || !all.hasNext())
            return text;
    return {};
}

// The book and the graphs.
void TestFirstRule::pictureOfPage(const QString& name) {
    const QString file = u"first-rule-"_s + name;
    QVERIFY2(says(u"("_s + file + u".png)"_s), qPrintable(file));
    const QWidget* middle = m_window->centralWidget();
    picture(file, QRect(middle->mapTo(m_window.get(), QPoint()), middle->size()));
}

void TestFirstRule::pageIsTrue() {
    start({}); // whatever the machine is
    m_window->resize(1380, 860);
    m_window->answerSaveName([](const QString& suggested) { return suggested; });

    turnTo(1);
    QVERIFY(says(u"`samples/lenet`"_s));
    open(u"lenet"_s);
    for (const auto& [library, name] : {std::pair{"onednn", "oneDNN"}, {"openblas", "OpenBLAS"}}) {
        QVERIFY(says(u"*%1*"_s.arg(QString::fromLatin1(name))));
        QCheckBox* box = m_window->libraries()->box(QString::fromLatin1(library));
        QVERIFY(box);
        if (box->isChecked())
            box->click();
        waitIdle();
        QVERIFY(!box->isChecked());
    }
    const auto saysGroups = [this] { return says(u"*%1 groups*"_s.arg(groups())); };
    QVERIFY2(saysGroups(), qPrintable(QString::number(groups())));

    turnTo(2);
    key(u"Ctrl+Shift+N"_s);
    const QStringList rule = code();
    QCOMPARE(rule.size(), 4);
    for (const QString& line : rule) {
        type(line);
        if (line != rule.back())
            strike(Qt::Key_Return);
    }
    waitIdle();
    // Every completion that was offered on the way left the text alone.
    for (qsizetype i = 0; i < rule.size(); ++i)
        QCOMPARE(editor()->lineText(int(i) + 3).trimmed(), rule[i]);
    QVERIFY2(editor()->lineText(4).startsWith(u"  match"_s), qPrintable(editor()->lineText(4)));
    QCOMPARE(editor()->lineText(6), u"}"_s);

    turnTo(3);
    QCOMPARE(m_window->document().state(Part::Plan), State::Stale);
    QVERIFY2(says(u'*' + m_window->document().staleReason() + u'*'),
             qPrintable(m_window->document().staleReason()));
    key(u"Ctrl+F8"_s);
    QCOMPARE(editor()->caret().line, lineOf(u"rellu"_s));
    QVERIFY(status().startsWith(u"✖ "_s));
    QVERIFY2(says(u'*' + status().mid(2) + u'*'), qPrintable(status()));
    const auto marks = editor()->marksOfLine(editor()->caret().line);
    QCOMPARE(marks.size(), std::size_t(1));
    QCOMPARE(marks[0]->fixes.size(), std::size_t(1));
    QVERIFY(says(u'*' + QString::fromStdString(marks[0]->fixes[0].label) + u'*'));
    pictureOfPage(u"mistake"_s);
    key(u"Ctrl+."_s);
    QCOMPARE(lineOf(u"rellu"_s), 0);

    turnTo(4);
    QVERIFY2(editor()->marks().empty(), qPrintable(status()));
    const QString note = editor()->notes().at(lineOf(u"fuse pooled"_s)).text;
    QVERIFY2(says(u'*' + note.section(u',', 0, 0) + u'*'), qPrintable(note));
    QVERIFY2(saysGroups(), qPrintable(QString::number(groups())));
    QCOMPARE(framed(GraphSide::Fused, Halo::Look::Match), std::size_t(2));
    const auto labels = m_window->view<ChangesView>()->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [this](const QLabel* label) {
        const QString sum = label->text().section(u" · "_s, 0, 0);
        return !sum.isEmpty() && says(u'*' + sum + u'*');
    }));
    key(u"F3"_s);
    QCOMPARE(framed(GraphSide::Fused, Halo::Look::Current), std::size_t(1));
    pictureOfPage(u"matches"_s);
    const auto& nodes = m_window->document().fused()->nodes;
    const auto pool = std::find_if(nodes.begin(), nodes.end(),
                                   [](const auto& node) { return node.name == "MaxPool_pool2"; });
    QVERIFY(pool != nodes.end());
    GraphCanvas* canvas = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas();
    canvas->centerOn(pool->id);
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, canvas->nodeCenter(pool->id));
    waitIdle();
    QVERIFY(says(u"a fusion rule puts them together: pooled"_s));
    const QString why = m_window->view<ExplainView>()->asText();
    QVERIFY2(why.contains(u"a fusion rule puts them together: pooled at "_s) &&
                 why.contains(u"book-1.fw:3"_s),
             qPrintable(why));
    const bool hidden = !m_window->view<ExplainView>()->isVisible();
    if (hidden)
        key(u"Alt+2"_s);
    QVERIFY(m_window->view<ExplainView>()->isVisible());
    if (hidden)
        key(u"Alt+2"_s);

    turnTo(5);
    const QString before = u"conv2d(x, w)"_s;
    QVERIFY(says(u"behind `%1`"_s.arg(before)));
    const int line = lineOf(before);
    QTextCursor cursor = editor()->textCursor();
    cursor.setPosition(editor()->positionOf(
        {line, int(editor()->lineText(line).indexOf(before) + before.size()) + 1}));
    QTest::mouseClick(editor()->viewport(), Qt::LeftButton, {},
                      editor()->cursorRect(cursor).center());
    QCOMPARE(editor()->textCursor().position(), cursor.position());
    typeBehindBlank();
    QTRY_VERIFY(popup()->isVisible());
    pictureOfPage(u"completion"_s);
    QCOMPARE(editor()->completer()->currentCompletion(), u"pads"_s);
    QVERIFY(says(u"Enter takes `pads`"_s));
    strike(Qt::Key_Return);
    QVERIFY(editor()->lineText(line).contains(u"{pads"_s));
    typeBehindBlank();
    QVERIFY2(editor()->marks().empty(), qPrintable(editor()->lineText(line) + status()));
    QVERIFY(says(u"*1 match*"_s));
    QCOMPARE(framed(GraphSide::Fused, Halo::Look::Match), std::size_t(1));
    QVERIFY2(saysGroups(), qPrintable(QString::number(groups())));

    turnTo(6);
    MatchPanel* panel = m_window->view<BooksView>()->matches();
    QCOMPARE(panel->model().rule()->nearMisses.size(), std::size_t(1));
    const int row = panel->model().rowCount() - 1;
    const auto& miss = panel->model().rule()->nearMisses[0];
    QVERIFY(says(u"`%1` got %2 steps of %3"_s.arg(QString::fromStdString(miss.root))
                     .arg(miss.matched)
                     .arg(miss.total)));
    const QString detail = panel->model().index(row, MatchModel::Detail).data().toString();
    QVERIFY2(says(u'*' + detail + u'*'), qPrintable(detail));
    QTreeView* table = panel->table();
    table->scrollTo(panel->model().index(row, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(panel->model().index(row, 0)).center());
    waitIdle();
    QCOMPARE(framed(GraphSide::Fused, Halo::Look::NearMiss), std::size_t(1));
    QVERIFY2(says(u'*' + panel->relaxButton()->text() + u'*'),
             qPrintable(panel->relaxButton()->text()));
    pictureOfPage(u"near-miss"_s);
    key(u"Ctrl+Shift+R"_s);
    QVERIFY(says(u"*2 matches*"_s));
    QCOMPARE(framed(GraphSide::Fused, Halo::Look::Match), std::size_t(2));
    QVERIFY2(saysGroups(), qPrintable(QString::number(groups())));

    turnTo(7);
    QVERIFY(says(u"`Relu_relu1`"_s) && says(u"`MaxPool_pool1`"_s));
    GraphCanvas* imported = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    for (const char* name : {"Relu_relu1", "MaxPool_pool1"}) {
        const auto& all = m_window->document().imported()->nodes;
        const auto node =
            std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
        QVERIFY(node != all.end());
        imported->centerOn(node->id);
        QTest::mouseClick(imported->viewport(), Qt::LeftButton,
                          *name == 'R' ? Qt::NoModifier : Qt::ControlModifier,
                          imported->nodeCenter(node->id));
        waitIdle();
    }
    SketchView* make = m_window->view<SketchView>();
    key(u"Ctrl+Shift+M"_s);
    QVERIFY2(says(u'*' + make->count() + u'*'), qPrintable(make->count()));
    make->kind()->setFocus();
    strike(Qt::Key_Down);
    waitIdle();
    QVERIFY(says(u'*' + make->kind()->currentText() + u"* in place of"_s));
    QVERIFY(says(u"in place of `%1`"_s.arg(make->name()->text())));
    make->name()->setFocus();
    make->name()->selectAll();
    type(codeBehind(u"call it "_s));
    QVERIFY(says(u"(first-rule-make.png)"_s));
    const auto rectOf = [this](const QWidget* widget) {
        return QRect(widget->mapTo(m_window.get(), QPoint()), widget->size());
    };
    picture(u"first-rule-make"_s, rectOf(m_window->centralWidget()) | rectOf(make));
    key(u"Ctrl+Alt+Return"_s);
    const QString made = u"rule swap"_s;
    QVERIFY2(lineOf(made) > lineOf(u"fuse pooled"_s), qPrintable(editor()->wholeText()));

    turnTo(8);
    const auto verdict = [&] { return editor()->notes().at(lineOf(made)).text; };
    QTRY_VERIFY2(verdict().contains(u"unknown"_s), qPrintable(verdict()));
    QCOMPARE(code().size(), 1);
    editor()->goTo({lineOf(u"  emit"_s), 3});
    QTextCursor emitted = editor()->textCursor();
    emitted.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    editor()->setTextCursor(emitted);
    editor()->setFocus();
    type(code().front());
    QTRY_VERIFY2(verdict().startsWith(u"refuted"_s), qPrintable(verdict()));
    QVERIFY(says(u"*refuted*"_s));
    key(u"Ctrl+Alt+X"_s);
    CounterexampleWindow* example = m_window->graphWindows().counterexample();
    QVERIFY(example);
    QTRY_VERIFY(!example->busy());
    QVERIFY2(example->sentence().endsWith(u"0 instead of -inf"_s) && says(u"*0 instead of -inf*"_s),
             qPrintable(example->sentence()));
    QVERIFY(says(u"(first-rule-refuted.png)"_s));
    picture(u"first-rule-refuted"_s,
            QRect(m_window->mapFromGlobal(example->pos()), example->size()));
    example->close();
    QCoreApplication::processEvents();
    const QString strides = u"strides = [2, 2],"_s;
    QVERIFY(says(u"behind `%1`"_s.arg(strides)));
    const int matched = lineOf(strides);
    editor()->goTo(
        {matched, int(editor()->lineText(matched).indexOf(strides) + strides.size()) + 1});
    typeBehindBlank();
    QTRY_VERIFY2(verdict().contains(u"proved"_s), qPrintable(verdict()));
    QVERIFY(says(u"*proved*"_s));
    waitIdle();
    const QString first = editor()->notes().at(lineOf(u"fuse pooled"_s)).text;
    QVERIFY2(says(u'*' + first.section(u',', 0, 0) + u'*'), qPrintable(first));

    turnTo(9);
    key(u"Ctrl+Shift+F9"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(verdict().contains(u"error 0"_s), qPrintable(verdict()), 60000);
    QVERIFY(says(u"*error 0* stands beside `swap`"_s));
    waitIdle();
    key(u"Ctrl+F10"_s);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->document().state(Part::Profile), State::Ready, 60000);
    waitIdle();
    const QString onnx = m_folder.filePath(u"swapped.onnx"_s);
    answerFileDialog(onnx);
    key(u"Ctrl+Alt+F"_s);
    QTRY_VERIFY(QFileInfo(onnx).size() > 1000);
    waitIdle();
    editor()->setFocus();

    turnTo(10);
    const QString book = m_window->view<BooksView>()->area()->currentPath();
    const QString text = editor()->wholeText();
    key(u"Ctrl+S"_s);
    QFile saved(book);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(saved.readAll()), text);
    key(u"F6"_s);
    QVERIFY(!m_window->view<BooksView>()->area()->isAncestorOf(QApplication::focusWidget()));
    const QString document = m_folder.filePath(u"lenet.fwdoc"_s);
    answerFileDialog(document);
    key(u"Ctrl+S"_s);
    QVERIFY(QFileInfo::exists(document));
    const auto plan = m_window->document().plan();
    end();
    start({});
    m_window->openModel(document);
    waitIdle();
    QVERIFY(*m_window->document().plan() == *plan);
    QVERIFY(m_window->offerBar()->text().isEmpty());
    end();
}

void TestFirstRule::picturesAreThereAndSmall() {
    const QRegularExpression link(uR"(!\[[^\]]+\]\(([^)]+)\))"_s);
    auto all = link.globalMatch(m_page);
    int count = 0;
    for (; all.hasNext(); ++count) {
        const QString name = all.next().captured(1);
        QVERIFY2(QFile::exists(u":/docs/"_s + name), qPrintable(name)); // F1 shows them
        const QFileInfo file(u"" FW_SOURCE_DIR "/resources/docs/"_s + name);
        QVERIFY2(file.exists() && file.size() < 150 * 1024, qPrintable(file.filePath()));
    }
    QCOMPARE(count, 6);
    QCOMPARE(HelpWindow::pages().front(), u"first-rule.md"_s);
}

FW_TEST(TestFirstRule, QApplication)
#include "test_first_rule.moc"
