// The declaration at the caret as a graph: what it leaves, erases and creates, the box at the
// caret, and the way back from a box to the text.
#include "app/window/pattern_view.h"
#include "common/test.h"
#include "views/graph/graph_pane.h"
#include "window/story_fixture.h"

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
    // A box leads to its place.
    for (const auto& node : view().drawing()->nodes)
        if (node.mark == "created")
            Q_EMIT view().pane()->canvas()->activated(node.node, {});
    waitIdle();
    QCOMPARE(editor()->caret().line, lineOf(u"emit"_s));
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
