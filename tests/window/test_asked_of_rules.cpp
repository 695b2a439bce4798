// What one may ask of the declaration at the caret: how the selected operator fits it, who uses it,
// where it would match, and which type is missing.
#include "app/window/palette.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "window/story_fixture.h"

#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestAskedOfRules : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void cleanup() { end(); }
    void selectedOperatorIsHeldAgainstIt();
    void whoUsesItIsListed();
    void otherRulesInTheWayAreNamed();
    void missingTypeIsTold();

private:
    void write(const QString& text, int line) {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
        m_window->newBook();
        waitIdle();
        editor()->setFocus();
        editor()->selectAll();
        editor()->insertPlainText(text);
        waitIdle();
        editor()->goTo({line, 3});
        waitIdle();
    }
    MatchPanel* panel() const { return m_window->view<BooksView>()->matches(); }
    void select(const std::string& name) {
        for (const auto& node : m_window->document().imported()->nodes)
            if (node.name == name)
                m_window->select({{node.id}, {}, -1});
        waitIdle();
    }
    QStringList rows() const {
        QStringList out;
        const MatchModel& model = panel()->model();
        for (int row = 0; model.probe() && row <= int(model.probe()->rows.size()); ++row)
            out << model.index(row, MatchModel::Count).data().toString() +
                       model.index(row, MatchModel::What).data().toString().trimmed();
        return out;
    }
};

void TestAskedOfRules::selectedOperatorIsHeldAgainstIt() {
    write(u"rule r {\n  match y = relu(b = batch_norm(x, ...))\n  where used_once(b), dim(x, 1) == "
          u"7\n"
          "  emit y = b\n}\n"_s,
          2);
    QVERIFY(!panel()->model().probe());
    select("Relu_stem_relu");
    QTRY_VERIFY(panel()->model().probe());
    QCOMPARE(rows(), (QStringList{u"Relu_stem_relu"_s, u"✓relu(b = batch_norm(x, ...))"_s,
                                  u"✓b = batch_norm(x, ...)"_s, u"✖a match at Relu_stem_relu"_s,
                                  u"✓used_once(b)"_s, u"✖dim(x, 1) == 7"_s}));
    panel()->table()->setCurrentIndex(panel()->model().index(5, 0));
    panel()->showCurrent();
    QCOMPARE(editor()->textCursor().selectedText(), u"dim(x, 1) == 7"_s);
    picture(u"probe"_s);
    // It follows the text and the selection.
    editor()->textCursor().insertText(u"dim(x, 1) == 16"_s);
    waitIdle();
    QTRY_VERIFY(rows().contains(u"✓dim(x, 1) == 16"_s));
    select("Conv_stem");
    QTRY_COMPARE(rows(), (QStringList{u"Conv_stem"_s, u"✖no step takes it"_s}));
    editor()->goTo({1, 1});
    m_window->select({});
    waitIdle();
    QTRY_VERIFY(!panel()->model().probe());
}

void TestAskedOfRules::whoUsesItIsListed() {
    write(
        u"chain tail = relu(^)?\nfuse all { match conv2d(x, w) >> bias(^, b) >> tail as stacked }\n"_s,
        1);
    editor()->goTo({1, 8});
    press(u"Shift+F12"_s);
    Palette* palette = m_window->palette();
    QTRY_VERIFY(palette->isVisible());
    QStringList listed;
    for (int row = 0; row < palette->model().rowCount(); ++row)
        listed << palette->model().index(row, 0).data().toString() + u'|' +
                      palette->model().index(row, 1).data().toString();
    QVERIFY2(listed.contains(u"group conv2d_bias_relu_0|formed: through fuse all"_s),
             qPrintable(listed.join(u'\n')));
    picture(u"uses"_s);
    for (int row = 0; row < palette->model().rowCount(); ++row)
        if (palette->model().index(row, 0).data().toString() == u"group conv2d_bias_relu_0"_s)
            for (int i = 0; i < row; ++i)
                strike(Qt::Key_Down);
    strike(Qt::Key_Return);
    waitIdle();
    QCOMPARE(m_window->selection().imported.size(), std::size_t(3)); // with the batch norm
}

void TestAskedOfRules::otherRulesInTheWayAreNamed() {
    write(u"rule late { match y = bias(conv2d(x, w), b) emit y = x }\n"
          "fuse gone { match batch_norm(conv2d(x, w), ...) as stacked }\n"_s,
          1);
    QTRY_VERIFY2(panel()->title().contains(u"3 behind fold_batch_norm"_s),
                 qPrintable(panel()->title()));
    editor()->goTo({2, 3});
    waitIdle();
    QTRY_VERIFY2(panel()->title().contains(u"4 before fold_batch_norm"_s),
                 qPrintable(panel()->title()));
}

void TestAskedOfRules::missingTypeIsTold() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/own-operator/custom/model.onnx");
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->openModel(model);
    waitIdle();
    m_window->newBook();
    editor()->setFocus();
    editor()->selectAll();
    editor()->insertPlainText(u"rule r { match y = relu(x: f32[N, ...]) emit y = x }\n"_s);
    waitIdle();
    editor()->goTo({1, 3});
    waitIdle();
    QTRY_VERIFY2(panel()->title().contains(u"nothing infers the type of found: MyConv"_s),
                 qPrintable(panel()->title()));
}

FW_TEST(TestAskedOfRules, QApplication)
#include "test_asked_of_rules.moc"
