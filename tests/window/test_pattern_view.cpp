// The declaration at the caret as a graph: what it leaves, erases and creates, the box at the
// caret, and the way back from a box to the text.
#include "app/window/clause_fields.h"
#include "app/window/pattern_view.h"
#include "common/test.h"
#include "views/graph/graph_pane.h"
#include "window/story_fixture.h"

#include <QLineEdit>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestPatternView : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void ruleIsDrawn();

private:
    PatternView& view() const { return *m_window->view<PatternView>(); }
    // The operators of a mark, or of the halos that look so.
    QStringList marked(const std::string& mark) const {
        QStringList out;
        for (const auto& node : view().drawing()->nodes)
            if (node.mark == mark)
                out << QString::fromStdString(
                    view().drawing()->graph.nodes[std::size_t(node.node)].op);
        out.sort();
        return out;
    }
    QStringList clauses() const {
        QStringList out;
        for (const QLineEdit* field : view().clauses()->fields())
            out << field->text();
        return out;
    }
    QString current() const {
        for (const Halo& halo : view().pane()->canvas()->halos())
            if (halo.look == Halo::Look::Current)
                return QString::fromStdString(
                    view().drawing()->graph.nodes[std::size_t(halo.ids.front())].op);
        return {};
    }
};

void TestPatternView::ruleIsDrawn() {
    begin({u"residual"_s});
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    open(u"residual"_s);
    m_window->newBook();
    press(u"Ctrl+Alt+T"_s);
    QVERIFY(!view().drawing() || view().drawing()->name.empty());
    editor()->setFocus();
    QTextCursor end = editor()->textCursor();
    end.movePosition(QTextCursor::End);
    end.insertText(
        u"rule swap {\n  match  y = relu(c = conv2d(x, w: const) {strides = [1, 1], *a})\n"
        u"  emit   y = clip(conv2d(x, w) {*a}) {min = 0.0}\n}\n"_s);
    waitIdle();
    editor()->goTo({lineOf(u"match"_s), 14});
    QTRY_VERIFY(view().drawing() && view().drawing()->name == "swap" && view().settled());
    QCOMPARE(marked("kept"), QStringList{u"conv2d"_s});
    QCOMPARE(marked("erased"), QStringList{u"relu"_s});
    QCOMPARE(marked("created"), QStringList{u"clip"_s});
    QCOMPARE(current(), u"relu"_s);
    // The caret goes on, and the frame with it.
    editor()->goTo({lineOf(u"match"_s), 25});
    QTRY_COMPARE(current(), u"conv2d"_s);
    picture(u"pattern"_s);
    // A field changes a clause, as one edit of the text, and the next one can be changed at once.
    QCOMPARE(clauses(), (QStringList{u"strides = [1, 1]"_s, u"*a"_s}));
    QLineEdit* field = view().clauses()->fields().front();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u"strides = [2, 2]"_s);
    QTest::keyClick(field, Qt::Key_Return);
    waitIdle();
    QVERIFY(editor()->lineText(lineOf(u"match"_s)).contains(u"{strides = [2, 2], *a}"_s));
    QTRY_COMPARE(clauses(), (QStringList{u"strides = [2, 2]"_s, u"*a"_s}));
    QCOMPARE(current(), u"conv2d"_s);
    QVERIFY(field->hasFocus());
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light})
        for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
            m_window->applyTheme(theme);
            m_window->resize(size);
            picture(u"pattern-fields-%1-%2"_s.arg(size.width())
                        .arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s));
        }
    editor()->setFocus();
    press(u"Ctrl+Z"_s);
    QVERIFY(editor()->lineText(lineOf(u"match"_s)).contains(u"{strides = [1, 1], *a}"_s));
    QTRY_COMPARE(clauses(), (QStringList{u"strides = [1, 1]"_s, u"*a"_s}));
    // A click leads to the place of a box and leaves the keys in the picture, two lead into it.
    GraphCanvas* canvas = view().pane()->canvas();
    for (const auto& node : view().drawing()->nodes)
        if (node.mark == "created") {
            canvas->setFocus();
            canvas->reveal(node.node);
            const QPoint at = canvas->nodeCenter(node.node);
            QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, at);
            QCOMPARE(editor()->caret().line, lineOf(u"emit"_s));
            QVERIFY(canvas->hasFocus());
            QTest::mouseDClick(canvas->viewport(), Qt::LeftButton, {}, at);
        }
    waitIdle();
    QVERIFY(editor()->hasFocus());
    QCOMPARE(editor()->caret().line, lineOf(u"emit"_s));
    QTRY_COMPARE(clauses(), QStringList{u"min = 0.0"_s});
    // Elsewhere there is none.
    editor()->goTo({1, 1});
    QTRY_VERIFY(!view().drawing() || view().drawing()->name.empty());
    end.movePosition(QTextCursor::End);
    end.insertText(u"pattern tail(x) = bias(^, b: const)? >> (relu(^) | tanh(^))\n"_s);
    editor()->goTo({lineOf(u"pattern tail"_s), 9});
    QTRY_VERIFY(view().drawing() && view().drawing()->name == "tail" && view().settled());
    QCOMPARE(marked("kept"), (QStringList{u"bias ?"_s, u"relu"_s, u"tanh"_s}));
    this->end();
}

FW_TEST(TestPatternView, QApplication)
#include "test_pattern_view.moc"
