// Small edits of the graph at the selected operator, by keys: rules in the document's own book.
#include "common/test.h"
#include "window/story_fixture.h"

#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "app/window/edit_dialog.h"
#include "app/window/message_bar.h"

#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QTimer>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestEdits : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        open(u"residual"_s);
    }
    void cleanup() { end(); }
    void keysEditUndoSaveAndExport();
    void refusalsAreTold();
    void theMenuOfANodeHasThem();

private:
    void pick(const QString& name) {
        QVERIFY2(m_window->selectByName(name), qPrintable(name));
        waitIdle();
    }
    // Ctrl+J and this key; what is written into the fields of the window that asks, from the first
    // one on.
    void edit(const QString& node, char key, const QStringList& fields = {}) {
        pick(node);
        QTimer asked;
        connect(&asked, &QTimer::timeout, this, [&asked, fields] {
            auto* dialog = qobject_cast<EditDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr)
                return;
            asked.stop();
            const QList<QLineEdit*> lines = dialog->findChildren<QLineEdit*>();
            for (int i = 0; i < std::min(fields.size(), lines.size()); ++i)
                if (!fields[i].isNull()) {
                    lines[i]->selectAll();
                    QTest::keyClicks(lines[i], fields[i]);
                }
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        asked.start(20);
        keysGoTo(); // the window, again, behind a dialog
        QTest::keyClick(m_window->windowHandle(), Qt::Key_J, Qt::ControlModifier);
        QTest::keyClick(m_window->windowHandle(), key);
        waitIdle();
    }
    QStringList operators() const {
        QStringList out;
        for (const snapshot::NodeRecord& node : m_window->document().fused()->nodes)
            if (node.op != "input" && node.op != "constant")
                out << QString::fromStdString(node.name) + u':' + QString::fromStdString(node.op);
        return out;
    }
    QString text() const {
        const auto* books = m_window->view<BooksView>();
        return books->area()->text(books->area()->currentPath());
    }
};

void TestEdits::keysEditUndoSaveAndExport() {
    const QStringList before = operators();
    // A key for each; the last relu has no name of its own in the plan before.
    edit(u"Relu_stem_relu"_s, 'i', {u"tanh"_s});
    QVERIFY2(text().contains(u"name     y = \"Relu_stem_relu_tanh\""_s), qPrintable(text()));
    QVERIFY(text().startsWith(u"# Edits"_s));
    QVERIFY2(operators().contains(u"Relu_stem_relu_tanh:tanh"_s),
             qPrintable(operators().join(u' ')));
    edit(u"Relu_stem_relu"_s, 'n', {u"first"_s});
    QVERIFY2(operators().contains(u"first:relu"_s), qPrintable(operators().join(u' ')));
    edit(u"Relu_left_relu"_s, 'd');
    const QStringList three = operators();
    // The keyboard is in the book: one undo takes the last edit back.
    QVERIFY(editor()->hasFocus());
    QTest::keyClick(editor(), Qt::Key_Z, Qt::ControlModifier);
    waitIdle();
    QVERIFY(!text().contains(u"delete"_s));
    QVERIFY(operators() != three);
    QTest::keyClick(editor(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    waitIdle();
    QCOMPARE(operators(), three);

    // Every rule is judged as what it says it is.
    const auto& checks = m_window->document().checks();
    QCOMPARE(checks.size(), std::size_t(1));
    QStringList verdicts;
    for (const snapshot::CheckItem& item : checks.begin()->second->items)
        verdicts << QString::fromStdString(item.verdict);
    QCOMPARE(verdicts,
             (QStringList{u"changes results"_s, u"proved exact"_s, u"changes results"_s}));

    // Saved with its book, and there again.
    const QString file = m_folder.filePath(u"edited.fwdoc"_s);
    QVERIFY(m_window->saveTo(file));
    const QString book = QString::fromStdString(m_window->document().inputs().books.at(0).path);
    QVERIFY2(QFileInfo(book).fileName() == u"edits.fw"_s && QFileInfo::exists(book),
             qPrintable(book));
    end();
    start();
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    m_window->openModel(file);
    waitIdle();
    QCOMPARE(operators(), three);

    // Written as ONNX, the change stands there.
    const QString onnx = m_folder.filePath(u"edited.onnx"_s);
    m_window->document().tasks().exportRewritten(onnx);
    waitIdle();
    QProcess fw;
    fw.start(QString::fromLocal8Bit(qgetenv("FW_BIN")) + u"/fw"_s,
             {u"stages"_s, onnx, u"--stage"_s, u"graph"_s});
    QVERIFY(fw.waitForFinished(30000));
    const QByteArray read = fw.readAllStandardOutput();
    QVERIFY2(read.contains("Relu_stem_relu_tanh") && read.contains("\"first\""),
             read.left(2000).constData());
}

void TestEdits::refusalsAreTold() {
    edit(u"Relu_stem_relu"_s, 'i', {u"nosuch"_s});
    QVERIFY2(m_window->messageBar()->text().contains(u"EDT06"_s),
             qPrintable(m_window->messageBar()->text()));
    QVERIFY(m_window->document().inputs().books.empty());
    edit(u"Relu_stem_relu"_s, 'n', {u"Relu_left_relu"_s});
    QVERIFY2(m_window->messageBar()->text().contains(u"EDT07"_s),
             qPrintable(m_window->messageBar()->text()));
}

void TestEdits::theMenuOfANodeHasThem() {
    const auto* menu = m_window->findChild<QMenu*>(u"nodeMenu"_s);
    QStringList titles;
    for (const QAction* action : menu->actions())
        if (action->menu())
            for (const QAction* one : action->menu()->actions())
                titles << one->text().remove(u'&');
    for (const QString& title : {u"Delete"_s, u"Insert behind…"_s, u"Rewire an operand…"_s,
                                 u"Change attributes…"_s, u"Rename…"_s})
        QVERIFY2(titles.contains(title), qPrintable(titles.join(u", "_s)));
}

FW_TEST(TestEdits, QApplication)
#include "test_edits.moc"
