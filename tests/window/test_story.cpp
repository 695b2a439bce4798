// The story of authoring, from a block of a model to a rule that is shown to be right, with what it
// does to the plan and in the exported model; once more with the keys alone.
#include "app/window/counterexample_window.h"
#include "app/window/help_window.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/graph/graph_pane.h"
#include "views/profile/profile_view.h"
#include "window/story_fixture.h"

#include <QPointer>
#include <QProcess>
#include <QRegularExpression>
#include <QTreeView>
#include <QTreeWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QString shared = QStringLiteral(FW_SOURCE_DIR "/../shared/models/");
const QString mobilenet = u"mobilenet_v2_bn"_s;
const QStringList leftBlock = {u"Conv_left1"_s, u"BatchNormalization_left1_bn"_s,
                               u"Relu_left_relu"_s};
const QString asBefore = u"batch_norm(conv2d(x, w) {*a}, g, t, m, v) {*a2}"_s;
const QString madeRule = u"rule mine"_s;

QList<snapshot::NodeSet> placesOf(const std::vector<snapshot::MatchRecord>& matches) {
    QList<snapshot::NodeSet> out;
    for (const auto& match : matches)
        out << snapshot::NodeSet(match.nodeIds.begin(), match.nodeIds.end());
    return out;
}

} // namespace

class TestStory : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup() { end(); }
    void selectionBecomesAnExportedModel_data();
    void selectionBecomesAnExportedModel();
    void keysAreEnough();

private:
    // What a second window has to show again.
    struct Seen {
        QString text, note;
        QList<snapshot::NodeSet> places;
        Shared<snapshot::FuseDocument> plan;
    };
    Seen seen() const;
    QString note() const { return untimedNoteOf(madeRule); }
    void readCounterexample();
    void agrees(const QString& folder) const;
    void showsAgain(const Seen& before);
    // --- with the keys
    void goToPane(const QWidget* pane) {
        for (int i = 0; i < 20 && !pane->hasFocus(); ++i)
            press(u"F6"_s);
        QVERIFY2(pane->hasFocus(), qPrintable(pane->accessibleName()));
    }
    void tabTo(const QWidget* wanted, Qt::Key key = Qt::Key_Tab) {
        for (int i = 0; i < 30 && !wanted->hasFocus(); ++i)
            strike(key);
        QVERIFY2(wanted->hasFocus(), qPrintable(wanted->accessibleName()));
    }
    void writeLine(const QString& part, const QStringList& lines) {
        for (int i = 0; i < 100 && editor()->caret().line != lineOf(part); ++i)
            strike(editor()->caret().line < lineOf(part) ? Qt::Key_Down : Qt::Key_Up);
        strike(Qt::Key_End);
        strike(Qt::SHIFT | Qt::Key_Home);
        for (const QString& line : lines) {
            type(line);
            if (popup()->isVisible())
                strike(Qt::Key_Escape);
            if (line != lines.back())
                strike(Qt::Key_Return);
        }
        waitIdle();
    }
    int nodesOf(const std::string& op) const {
        const auto& nodes = m_window->document().imported()->nodes;
        return int(std::count_if(nodes.begin(), nodes.end(),
                                 [&](const auto& node) { return node.op == op; }));
    }
};

void TestStory::initTestCase() {
    begin({u"residual"_s});
    copyFiles(QStringLiteral(FW_SOURCE_DIR "/samples/residual/test_data_set_0"),
              u"residual/test_data_set_0"_s);
    if (QFileInfo::exists(shared + mobilenet)) {
        copyFiles(shared + mobilenet, mobilenet);
        copyFiles(shared + mobilenet + u"/test_data_set_0"_s, mobilenet + u"/test_data_set_0"_s);
    }
}

void TestStory::init() {
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->answerSaveName([](const QString& suggested) { return suggested; });
}

TestStory::Seen TestStory::seen() const {
    Seen out{editor()->wholeText(), note(), {}, m_window->document().plan()};
    const QString book = m_window->view<BooksView>()->area()->currentPath();
    if (const auto* matches = m_window->document().textMatchesOf(book))
        for (const auto& rule : matches->imported->rules)
            if (rule.name == "mine")
                out.places = placesOf(rule.matches);
    return out;
}

void TestStory::readCounterexample() {
    editor()->goTo({lineOf(madeRule), 1});
    press(u"Ctrl+Alt+X"_s);
    CounterexampleWindow* example = m_window->graphWindows().counterexample();
    QVERIFY(example != nullptr);
    QTRY_VERIFY(!example->busy());
    const auto values = QRegularExpression(u"^mine computes something else: "
                                           "y\\[[0-9, ]+\\] is (\\S+) instead of (\\S+)$"_s)
                            .match(example->sentence());
    QVERIFY2(values.hasMatch(), qPrintable(example->sentence()));
    QVERIFY(values.captured(1).toDouble() != values.captured(2).toDouble());
    QVERIFY(example->before()->canvas()->picture() && example->after()->canvas()->picture());
    example->close();
}

// With what the outputs of the model are known to be.
void TestStory::agrees(const QString& folder) const {
    QProcess fw;
    fw.start(QStringLiteral(FW_BINARY_DIR "/bin/fw"), {u"run"_s, folder});
    QVERIFY(fw.waitForFinished(60000));
    const QByteArray said = fw.readAllStandardOutput() + fw.readAllStandardError();
    QVERIFY2(fw.exitCode() == 0 && said.contains("test_data_set_0: passed"), said.constData());
}

void TestStory::showsAgain(const Seen& before) {
    const Seen now = seen();
    QCOMPARE(now.text, before.text);
    QCOMPARE(now.note, before.note);
    QCOMPARE(now.places, before.places);
    QVERIFY(*now.plan == *before.plan);
    QVERIFY(m_window->offerBar()->text().isEmpty() && m_window->messageBar()->text().isEmpty());
}

void TestStory::selectionBecomesAnExportedModel_data() {
    QTest::addColumn<QStringList>("block");
    QTest::addColumn<int>("everywhere");
    QTest::addColumn<QString>("mended");
    QTest::newRow("residual") << leftBlock << 2 << u"(b + abs(b)) * 0.5"_s;
    if (QFileInfo::exists(shared + mobilenet)) {
        const QString at = u"/features/features.0/features.0."_s;
        QTest::newRow("mobilenet_v2_bn")
            << QStringList{at + u"0/Conv"_s, at + u"1/BatchNormalization"_s, at + u"2/Clip"_s} << 35
            << u"(abs(b) - abs(b - 6.0) + 6.0) * 0.5"_s;
    }
}

void TestStory::selectionBecomesAnExportedModel() {
    QFETCH(QStringList, block);
    QFETCH(int, everywhere);
    QFETCH(QString, mended);
    const QString model = QString::fromLatin1(QTest::currentDataTag());
    open(model);
    const std::size_t without = groups();
    makeOf(block);
    QVERIFY2(made().startsWith(u"pattern block(x, w: const"_s), qPrintable(made()));
    const QString all = u"matches at %1 places"_s.arg(everywhere);
    QVERIFY2(sketch().count() != all, qPrintable(sketch().count()));
    askForLess();
    QCOMPARE(sketch().count(), all);
    choose(u"rule"_s);
    QCOMPARE(sketch().count(), all);
    sketch().name()->setText(u"mine"_s);
    waitIdle();
    press(u"Ctrl+Alt+Return"_s);
    // As it was made it changes nothing, and says so.
    QVERIFY2(note().startsWith(u"no match, "_s) && note().endsWith(u"near misses, unknown"_s),
             qPrintable(note()));

    replaceLine(u"emit "_s, u"  emit   y = "_s + asBefore); // what was behind it is forgotten
    QCOMPARE(note(), u"refuted, %1 matches"_s.arg(everywhere));
    readCounterexample();
    replaceLine(u"emit "_s, u"  let    b = "_s + asBefore + u"\n  emit   y = "_s + mended);
    QVERIFY2(isRight(madeRule), qPrintable(note()));

    Document& document = m_window->document();
    QCOMPARE(document.state(Part::Plan), State::Ready);
    const auto& applied = document.rewrite()->applied;
    QVERIFY(std::any_of(applied.begin(), applied.end(), [&](const auto& rule) {
        return rule.rule == "mine" && rule.count == everywhere;
    }));
    press(u"Ctrl+F10"_s);
    QVERIFY2(document.state(Part::Profile) == State::Ready,
             qPrintable(m_window->messageBar()->text()));
    QVERIFY(m_window->view<ProfileView>()->table()->model()->rowCount() >= int(without) / 2);

    const QString exported = m_folder.filePath(model + u"/rewritten"_s);
    copyFiles(m_folder.filePath(model + u"/test_data_set_0"_s),
              model + u"/rewritten/test_data_set_0"_s);
    answerFileDialog(exported + u"/model.onnx"_s);
    press(u"Ctrl+Alt+F"_s);
    agrees(exported);

    const QString book = m_window->view<BooksView>()->area()->currentPath();
    const QString file = m_folder.filePath(model + u".fwdoc"_s);
    editor()->setFocus();
    press(u"Ctrl+S"_s);
    QVERIFY(m_window->view<BooksView>()->area()->changed().isEmpty());
    QVERIFY(m_window->saveTo(file));
    const Seen before = seen();
    QCOMPARE(int(before.places.size()), everywhere);
    end();
    init();
    m_window->openModel(file);
    waitIdle();
    m_window->editBook(book, 1);
    waitIdle();
    showsAgain(before);
    QCOMPARE(nodesOf("abs"), 0);

    // What other programs read is what the rules left.
    m_window->openModel(exported + u"/model.onnx"_s);
    waitIdle();
    QCOMPARE(m_window->document().path(), exported + u"/model.onnx"_s);
    QVERIFY(nodesOf("abs") >= everywhere);
}

void TestStory::keysAreEnough() {
    MouseSeen mouse;
    qApp->installEventFilter(&mouse);
    openFromDialog(u"residual/model.onnx"_s);
    GraphCanvas* canvas = m_window->view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    goToPane(canvas);
    const auto& nodes = m_window->document().imported()->nodes;
    const auto named = [&](const QString& name) {
        return std::find_if(
                   nodes.begin(), nodes.end(),
                   [&](const auto& node) { return QString::fromStdString(node.name) == name; })
            ->id;
    };
    const auto picked = [&] { return m_window->selection().imported; };
    for (int i = 0; i < 50 && picked() != snapshot::NodeSet{named(leftBlock[0])}; ++i)
        press(u"Ctrl+]"_s);
    QCOMPARE(picked(), snapshot::NodeSet{named(leftBlock[0])});
    press(u"Shift+Down"_s);
    press(u"Shift+Down"_s);
    QCOMPARE(picked(),
             (snapshot::NodeSet{named(leftBlock[0]), named(leftBlock[1]), named(leftBlock[2])}));

    // A dock that lies behind another comes to the front, and one that was closed is shown.
    const auto inSight = [this](const QWidget* view) {
        return view->isAncestorOf(
            m_window->childAt(view->mapTo(m_window.get(), view->rect().center())));
    };
    QVERIFY(!inSight(&sketch()));
    press(u"Alt+Shift+2"_s);
    QVERIFY(inSight(&sketch()));
    press(u"Alt+Shift+2"_s);
    QVERIFY(!inSight(&sketch()));
    press(u"Ctrl+Shift+M"_s);
    QVERIFY(inSight(&sketch()));
    QVERIFY(sketch().facts()->hasFocus());
    QCOMPARE(sketch().count(), u"matches at 1 place"_s);
    tabTo(sketch().advice().front(), Qt::Key_Backtab);
    strike(Qt::Key_Space);
    QTRY_COMPARE(sketch().count(), u"matches at 2 places"_s);
    QVERIFY(sketch().facts()->hasFocus()); // nothing more is advised
    // What is asked of a fact, by its row: the rank of the weights, and taken back.
    const auto asked = [&] {
        const auto* levels = qobject_cast<ComboBox*>(keysGoTo());
        return levels ? levels->accessibleName() + u": "_s + levels->currentText() : QString();
    };
    for (int i = 0; i < 30 && sketch().facts()->currentItem()->text(0) != u"w.shape"_s; ++i)
        strike(Qt::Key_Down);
    strike(Qt::Key_Return);
    QTRY_VERIFY(QApplication::activePopupWidget());
    strike(Qt::Key_Up);
    strike(Qt::Key_Up);
    strike(Qt::Key_Return);
    QTRY_VERIFY2(made().contains(u"any[any"_s), qPrintable(made()));
    QTRY_COMPARE(asked(), u"shape of w: this rank"_s);
    strike(Qt::Key_Down);
    strike(Qt::Key_Down);
    QTRY_VERIFY2(!made().contains(u"any[any"_s), qPrintable(made()));
    QTRY_COMPARE(asked(), u"shape of w: not looked at"_s);
    tabTo(sketch().facts(), Qt::Key_Backtab);
    tabTo(sketch().kind(), Qt::Key_Backtab);
    press(u"Down"_s);
    QVERIFY(made().startsWith(u"rule block"_s));
    tabTo(sketch().name());
    press(u"Ctrl+A"_s);
    type(u"mine"_s);
    press(u"Ctrl+Alt+Return"_s);
    QVERIFY(editor()->hasFocus());

    writeLine(u"emit "_s, {u"  emit   y = "_s + asBefore});
    QCOMPARE(note(), u"refuted, 2 matches"_s);
    press(u"Ctrl+Alt+X"_s);
    CounterexampleWindow* example = m_window->graphWindows().counterexample();
    QVERIFY(example != nullptr);
    QTRY_VERIFY(!example->busy());
    QTRY_VERIFY(example->isAncestorOf(QApplication::focusWidget()));
    press(u"Esc"_s);
    QTRY_VERIFY(m_window->graphWindows().counterexample() == nullptr);
    press(u"F1"_s);
    const QPointer<HelpWindow> help = m_window->findChild<HelpWindow*>();
    QTRY_VERIFY(help && help->isAncestorOf(QApplication::focusWidget()));
    press(u"Esc"_s);
    QTRY_VERIFY(!help);
    goToPane(editor());
    writeLine(u"emit "_s, {u"  let    b = "_s + asBefore, u"emit   y = (b + abs(b)) * 0.5"_s});
    QVERIFY2(isRight(madeRule), qPrintable(note()));

    press(u"Ctrl+F10"_s);
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    const QString exported = m_folder.filePath(u"typed.onnx"_s);
    answerFileDialog(exported);
    press(u"Ctrl+Alt+F"_s);
    QVERIFY(QFileInfo(exported).size() > 1000);
    const QString book = m_window->view<BooksView>()->area()->currentPath();
    goToPane(editor());
    press(u"Ctrl+S"_s);
    QVERIFY(QFileInfo::exists(book));
    goToPane(canvas);
    answerFileDialog(m_folder.filePath(u"typed.fwdoc"_s));
    press(u"Ctrl+S"_s);
    goToPane(editor());
    const Seen before = seen();
    end();
    init();
    openFromDialog(u"typed.fwdoc"_s);
    press(u"Ctrl+P"_s);
    type(QFileInfo(book).fileName());
    press(u"Return"_s);
    showsAgain(before);
    QCOMPARE(mouse.count, 0);
}

FW_TEST(TestStory, QApplication)
#include "test_story.moc"
