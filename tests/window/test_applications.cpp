// What every application of a rule does to the outputs, through the real window with the real
// worker.
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/authoring/rules_view.h"
#include "window/story_fixture.h"

#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestApplications : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void everyApplicationIsChecked();

private:
    void check();
};

void TestApplications::check() {
    press(u"Ctrl+Shift+F9"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->document().bisected(), 60000);
    waitIdle();
}

void TestApplications::everyApplicationIsChecked() {
    begin({u"residual"_s});
    QFile file(m_folder.filePath(u"bent.fw"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("rule bent { match y = relu(add(a, b)) emit y = a + b }\n");
    file.close();
    start();
    open(u"residual"_s);
    check();
    const RulesModel& model = m_window->view<RulesView>()->model();
    const auto verdictOf = [](const QModelIndex& row) {
        return row.siblingAtColumn(RulesModel::Verdict).data().toString();
    };
    const auto firstApplication = [&](const QModelIndex& rule) {
        int row = 0;
        while (model.index(row, 0, rule).data().toString() != u"applications")
            ++row;
        return model.index(0, 0, model.index(row, 0, rule));
    };
    // Those of the library keep the outputs: a number beside each.
    QVERIFY(!m_window->document().bisected()->first);
    const QModelIndex fold = model.index(0, 0, model.index(0, 0));
    QCOMPARE(fold.data().toString(), u"fold_batch_norm"_s);
    bool number = false;
    QVERIFY(verdictOf(firstApplication(fold)).toDouble(&number) < 1e-3);
    QVERIFY(number);
    QCOMPARE(verdictOf(fold), QString());
    // One that does not is named, beside the rule, too.
    m_window->openBook(file.fileName());
    waitIdle();
    QVERIFY(!m_window->document().bisected()); // it was another plan
    check();
    QVERIFY2(m_window->messageBar()->text().contains(u"of bent takes the outputs"_s),
             qPrintable(m_window->messageBar()->text()));
    const QModelIndex bent = model.index(0, 0, model.index(0, 0));
    QCOMPARE(bent.data().toString(), u"bent"_s);
    QCOMPARE(verdictOf(bent), u"breaks"_s);
    const QString tip = firstApplication(bent).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains(u"out of the tolerance"_s), qPrintable(tip));
    QTreeView* tree = m_window->view<RulesView>()->tree();
    tree->expand(model.index(0, 0));
    tree->expand(bent);
    tree->expand(firstApplication(bent).parent());
    m_window->view<RulesView>()->setFocus();
    // Beside the rule in its text, too: the largest error of its applications.
    m_window->editBook(file.fileName(), 1);
    waitIdle();
    QTRY_VERIFY(editor()->notes().contains(1));
    QTRY_VERIFY2(editor()->notes().at(1).text.startsWith(u"error "_s),
                 qPrintable(editor()->notes().at(1).text));
    QCOMPARE(editor()->notes().at(1).look, MarginNote::Look::Bad);
    QVERIFY2(editor()->notes().at(1).tip.contains(u"behind its application, with random inputs"_s),
             qPrintable(editor()->notes().at(1).tip));
    picture(u"applications"_s);
    end();
}

FW_TEST(TestApplications, QApplication)
#include "test_applications.moc"
