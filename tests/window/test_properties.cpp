// Rows of Properties light what they name, and lead there.
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/inspector/properties_view.h"
#include "window/story_fixture.h"

#include <QTableView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestProperties : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() { start(); }
    void cleanup() { end(); }
    void aRowLightsAndLeads();
    void theTextSaysWhatItMeans();
    void tensorsAreComputedAndSaved();

private:
    PropertiesView& view() const { return *m_window->view<PropertiesView>(); }
    QTableView* table() const { return view().findChild<QTableView*>(u"properties"_s); }
    int rowOf(const QString& name) const {
        const Properties& rows = view().model().properties();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i].name == name)
                return int(i);
        return -1;
    }
    const snapshot::NodeRecord& nodeNamed(std::string_view op) const {
        const auto& nodes = m_window->document().fused()->nodes;
        return *std::find_if(nodes.begin(), nodes.end(),
                             [&](const auto& node) { return node.op == op; });
    }
};

void TestProperties::aRowLightsAndLeads() {
    open(u"residual"_s);
    const snapshot::NodeRecord& relu = nodeNamed("relu");
    view().selection().pick(view().selection().ofFused({relu.id}));
    waitIdle();
    const int row = rowOf(u"input"_s);
    QVERIFY(row >= 0);
    const QRect place = table()->visualRect(table()->model()->index(row, 1));
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, place.center());
    const auto& lit = view().selection().lit();
    QVERIFY(lit && lit->fused.contains(relu.inputs[0].node) && lit->fused.contains(relu.id));
    QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, place.center());
    waitIdle();
    QVERIFY(!view().selection().lit());
    QVERIFY(view().selection().picked().fused == snapshot::NodeSet{relu.inputs[0].node});
    // And back by the row of who reads it.
    const int readers = rowOf(u"read by"_s);
    QVERIFY(readers >= 0);
    table()->setCurrentIndex(table()->model()->index(readers, 1));
    QVERIFY(view().selection().lit()->fused.contains(relu.id));
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Return);
    waitIdle();
    QVERIFY(view().selection().picked().fused.contains(relu.id));
    // What a row lit goes with it.
    table()->setCurrentIndex(table()->model()->index(rowOf(u"input"_s), 1));
    QVERIFY(view().selection().lit().has_value());
    table()->setCurrentIndex(table()->model()->index(rowOf(u"operator"_s), 1));
    QVERIFY(!view().selection().lit().has_value());
}

void TestProperties::theTextSaysWhatItMeans() {
    open(u"residual"_s);
    view().selection().pick(view().selection().ofFused({nodeNamed("relu").id}));
    QTRY_VERIFY(rowOf(u"means"_s) == 1);
    QVERIFY(view().model().properties()[2].value.startsWith(u"y[i...] = "_s));
}

void TestProperties::tensorsAreComputedAndSaved() {
    open(u"residual"_s);
    view().selection().pick(view().selection().ofFused({nodeNamed("conv2d").id}));
    waitIdle();
    ValuePanel* values = view().values();
    const auto computed =
        std::find_if(values->choices().begin(), values->choices().end(),
                     [](const TensorChoice& one) { return one.kind == TensorKind::Computed; });
    QVERIFY(computed != values->choices().end());
    values->choose(int(computed - values->choices().begin()));
    QCOMPARE(values->overlay()->state(), ViewState::Empty);
    values->request(); // as its button does
    waitIdle();
    QTRY_VERIFY2(values->asText().contains(u"computed of "_s), qPrintable(values->asText()));
    const QString file = m_folder.filePath(u"made.npy"_s);
    answerFileDialog(file);
    press(u"Ctrl+Alt+Shift+V"_s);
    waitIdle();
    QFile written(file);
    QTRY_VERIFY(written.exists());
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray bytes = written.readAll();
    QVERIFY(bytes.startsWith("\x93NUMPY") && bytes.contains("'<f4'"));
    // Header and elements, as many as the type of the value has.
    const auto& value = m_window->document().value();
    QCOMPARE((bytes.size() - 128) / 4, qsizetype(value->count));
}

FW_TEST(TestProperties, QApplication)
#include "test_properties.moc"
