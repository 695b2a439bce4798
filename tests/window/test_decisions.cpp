// What a command tells of nodes and candidates stands in the views, too: with the real worker, how
// a model was read, a result that nobody reads, a tie among candidates.
#include "views/common/pane.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/properties_view.h"
#include "window/window_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

class Fixture : public WindowFixture {
public:
    Fixture() : WindowFixture(QStringLiteral(FW_BINARY_DIR "/bin/fw")) {}

    bool openSample(const QString& model, const QString& book) {
        const QString samples = QStringLiteral(FW_SOURCE_DIR "/samples/");
        if (!open(samples + model))
            return false;
        window.document().edit(snapshot::AddBook{(samples + book).toStdString()});
        return waitIdle();
    }
    QStringList rows(const QString& name) { // of the properties
        QStringList out;
        for (const Property& one : window.view<PropertiesView>()->model().properties())
            if (one.name == name)
                out << one.value;
        return out;
    }
};

} // namespace

class TestDecisions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void howAModelWasRead();
    void howANodeWasRead();
    void resultsThatNobodyReads();
    void ties();
};

void TestDecisions::howAModelWasRead() {
    Fixture f;
    QVERIFY(f.openSample(u"own-operator/custom"_s, u"own-operator/my_conv.fw"_s));
    QTRY_COMPARE(f.rows(u"read MyConv_found"_s).size(), 1);
    const QStringList read = f.rows(u"read MyConv_found"_s);
    QVERIFY2(read[0].startsWith(u"a clause of a book says what the node is: my_conv2d"_s) &&
                 read[0].endsWith(u"IMP12"_s),
             qPrintable(read[0]));
}

// Of the node that is picked alone.
void TestDecisions::howANodeWasRead() {
    Fixture f;
    QVERIFY(f.openSample(u"own-operator/custom"_s, u"own-operator/my_conv.fw"_s));
    QTRY_COMPARE(f.rows(u"read MyConv_found"_s).size(), 1);
    for (const snapshot::NodeRecord& one : f.window.document().imported()->nodes) {
        if (one.op == "input" || one.constant)
            continue;
        f.click(GraphSide::Imported, one.id);
        QCOMPARE(f.rows(u"operator"_s), QStringList(QString::fromStdString(one.op)));
        QCOMPARE(f.rows(u"read"_s).size(), one.name == "MyConv_found" ? 1 : 0);
    }
}

// The mean and the deviation of a layer norm, in a model that wants neither.
void TestDecisions::resultsThatNobodyReads() {
    Fixture f;
    QVERIFY(f.open(QStringLiteral(FW_SOURCE_DIR "/samples/encoder")));
    const auto& nodes = f.window.document().fused()->nodes;
    const auto norm = std::find_if(nodes.begin(), nodes.end(),
                                   [](const auto& one) { return one.op == "layernorm"; });
    QVERIFY(norm != nodes.end());
    const snapshot::NodeId id = norm->id;
    const std::string name = norm->name;
    f.click(GraphSide::Fused, id);
    QVERIFY(f.trigger("Explain"));
    const auto explanation = f.window.document().explanation();
    QVERIFY(explanation != nullptr);
    const auto told = std::find_if(explanation->decisions.begin(), explanation->decisions.end(),
                                   [](const auto& one) { return one.code == "RES01"; });
    QVERIFY(told != explanation->decisions.end());
    QCOMPARE(told->from, name);
    QVERIFY2(told->sentence.starts_with("not computed, nobody reads it: ") &&
                 told->sentence.ends_with(" of layernorm"),
             told->sentence.c_str());
}

void TestDecisions::ties() {
    Fixture f;
    QVERIFY(f.openSample(u"strategy/dense_m.fw"_s, u"strategy/tie.fw"_s));
    const ImplementationsModel& model = f.window.view<ImplementationsView>()->model();
    using Model = ImplementationsModel;
    QCOMPARE(model.rowCount(), 1);
    const QModelIndex group = model.index(0, Model::Verdict);
    QVERIFY2(group.data().toString().endsWith(u" · a tie"_s), qPrintable(group.data().toString()));
    QCOMPARE(group.data(ToneRole).toInt(), int(Tone::Warning));
    const QModelIndex of = model.index(0, 0);
    int marked = 0;
    for (int row = 0; row < model.rowCount(of); ++row) {
        const QModelIndex verdict = model.index(row, Model::Verdict, of);
        if (verdict.data(ToneRole).toInt() != int(Tone::Warning))
            continue;
        ++marked;
        QCOMPARE(verdict.data(Model::NameRole).toString(), u"dense.left"_s);
        QVERIFY2(verdict.data().toString().contains(u"dense.left of 2 with priority 30"_s),
                 qPrintable(verdict.data().toString()));
    }
    QCOMPARE(marked, 1);
}

QTEST_MAIN(TestDecisions)
#include "test_decisions.moc"
