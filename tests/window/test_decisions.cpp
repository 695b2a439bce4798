// What a command tells of nodes and candidates stands in the views, too: with the real worker, how
// a model was read, a result that nobody reads, a tie among candidates, a refuted rule that acts.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "common/test.h"
#include "views/authoring/rules_view.h"
#include "views/common/pane.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/properties_view.h"
#include "views/problems/problems_view.h"
#include "window/window_fixture.h"

#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

class DecisionsWindow : public WindowFixture {
public:
    DecisionsWindow() : WindowFixture(QStringLiteral(FW_BINARY_DIR "/bin/fw")) {}

    bool openSample(const QString& model, const QString& book) {
        const QString samples = QStringLiteral(FW_SOURCE_DIR "/samples/");
        if (!open(samples + model))
            return false;
        window.document().edit(snapshot::AddBook{(samples + book).toStdString()});
        return waitIdle();
    }
    QString write(const QString& name, const QString& text) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0 ? file.fileName()
                                                                                : QString();
    }
    QStringList rows(const QString& name) { // of the properties
        QStringList out;
        for (const Property& one : window.view<PropertiesView>()->model().properties())
            if (one.name == name)
                out << one.value;
        return out;
    }

private:
    QTemporaryDir m_folder;
};

const QString model = u"graph g(x: f32[4, 8], z: f32[4, 8]) -> y {\n"
                      "  a = relu(x)\n  b = less(a, z)\n  y = where(b, a, z)\n}\n"_s;

} // namespace

class TestDecisions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void howAModelWasRead();
    void howANodeWasRead();
    void resultsThatNobodyReads();
    void ties();
    void pinIsKeptWithTheDocument();
    void refutedRuleThatActs();
    void whatAVerdictLeavesOutLeavesNamesTheirRoom();
};

void TestDecisions::howAModelWasRead() {
    DecisionsWindow f;
    QVERIFY(f.openSample(u"own-operator/custom"_s, u"own-operator/my_conv.fw"_s));
    QTRY_COMPARE(f.rows(u"read MyConv_found"_s).size(), 1);
    const QStringList read = f.rows(u"read MyConv_found"_s);
    QVERIFY2(read[0].startsWith(u"a clause of a book says what the node is: my_conv2d"_s) &&
                 read[0].endsWith(u"IMP12"_s),
             qPrintable(read[0]));
}

// Of the node that is picked alone.
void TestDecisions::howANodeWasRead() {
    DecisionsWindow f;
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
    DecisionsWindow f;
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
    DecisionsWindow f;
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

// The last step of samples/strategy: pinned, saved, opened by another window, taken back.
void TestDecisions::pinIsKeptWithTheDocument() {
    QTemporaryDir folder;
    const QString file = folder.filePath(u"rows.fwdoc"_s);
    const auto group = [](DecisionsWindow& f) { return f.window.document().plan()->groups.at(0); };
    const auto choose = [](DecisionsWindow& f, const QString& name) {
        QTreeView* table = f.window.view<ImplementationsView>()->table();
        const QModelIndex of = table->model()->index(0, 0);
        for (int row = 0; row < table->model()->rowCount(of); ++row)
            if (const QModelIndex one = table->model()->index(row, 0, of);
                one.data(ImplementationsModel::NameRole).toString() == name) {
                table->setCurrentIndex(one);
                return true;
            }
        return false;
    };
    {
        DecisionsWindow f;
        QVERIFY(f.openSample(u"strategy/dense_m.fw"_s, u"strategy/choices.fw"_s));
        f.window.document().edit(snapshot::SetDims{{{"M", 64}}});
        QVERIFY(f.waitIdle());
        QCOMPARE(group(f).implementation.str(), std::string("dense.large_m"));
        QVERIFY(choose(f, u"dense.common"_s));
        QVERIFY(f.trigger("Pin the candidate"));
        QCOMPARE(group(f).implementation.str(), std::string("dense.common"));
        QVERIFY(f.window.saveTo(file));
    }
    DecisionsWindow f;
    QVERIFY(f.open(file));
    QCOMPARE(group(f).implementation.str(), std::string("dense.common"));
    QCOMPARE(group(f).source.str(), std::string("pin"));
    QVERIFY(choose(f, u"dense.common"_s));
    QVERIFY(f.trigger("Clear the pins of the group"));
    QCOMPARE(group(f).implementation.str(), std::string("dense.large_m"));
    QCOMPARE(group(f).source.str(), std::string("priority"));
}

// In the margin, in the dock and as a problem, with its place.
void TestDecisions::refutedRuleThatActs() {
    DecisionsWindow f;
    const QString book = f.write(u"bent.fw"_s, u"rule bent {\n  match y = relu(x)\n"
                                               "  emit  y = tanh(x)\n}\n"_s);
    QVERIFY(f.open(f.write(u"model.fw"_s, model)));
    f.window.editBook(book, 1);
    f.window.document().edit(snapshot::AddBook{book.toStdString()});
    QVERIFY(f.waitIdle());
    const ProblemsModel& problems = f.window.view<ProblemsView>()->model();
    const auto acting = [&] {
        for (int row = 0; row < problems.rowCount(); ++row)
            if (problems.at(row).message.find("RUL23 bent: the rule is refuted and acts") == 0)
                return row;
        return -1;
    };
    QTRY_VERIFY(acting() >= 0);
    QCOMPARE(problems.at(acting()).where.line, 1);
    QCOMPARE(QString::fromStdString(problems.at(acting()).where.file), book);
    RulesModel& rules = f.window.view<RulesView>()->model();
    const QModelIndex bent = rules.index(0, 0, rules.index(0, 0));
    QCOMPARE(bent.siblingAtColumn(RulesModel::Detail).data().toString(), u"1 applied"_s);
    QCOMPARE(bent.siblingAtColumn(RulesModel::Detail).data(ItemRole::ToneRole).toInt(),
             int(Tone::Bad));
    QVERIFY(bent.data(Qt::ToolTipRole).toString().contains(u"RUL23"_s));
    const auto& notes = f.window.view<BooksView>()->area()->current()->editor()->notes();
    QVERIFY2(notes.at(1).tip.contains(u"it acts all the same: 1 application (RUL23)"_s),
             qPrintable(notes.at(1).tip));
    // What it did is a change of the plan, though the node keeps its name.
    QVERIFY(f.window.document().changes());
    QCOMPARE(f.window.document().changes()->changed.size(), std::size_t(1));
    f.window.document().edit(snapshot::RemoveBook{book.toStdString()});
    QVERIFY(f.waitIdle());
    QTRY_COMPARE(acting(), -1);
}

void TestDecisions::whatAVerdictLeavesOutLeavesNamesTheirRoom() {
    DecisionsWindow f;
    const QString book =
        f.write(u"lesser.fw"_s, u"rule lesser {\n  match y = where(less(a, b), a, b)\n"
                                "  emit  y = min(a, b)\n}\n"_s);
    QVERIFY(f.open(f.write(u"model.fw"_s, model)));
    f.window.document().edit(snapshot::AddBook{book.toStdString()});
    QVERIFY(f.waitIdle());
    const RulesView* rules = f.window.view<RulesView>();
    RulesModel& all = f.window.view<RulesView>()->model();
    const QModelIndex lesser = all.index(0, 0, all.index(0, 0));
    QTRY_VERIFY(lesser.siblingAtColumn(RulesModel::Verdict).data().toString().contains(u"NaN"_s));
    const QModelIndex detail = lesser.siblingAtColumn(RulesModel::Detail);
    QTRY_COMPARE(detail.data().toString(), u"1 applied"_s);
    const QTreeView* tree = rules->tree();
    const int needs = static_cast<const QAbstractItemView*>(tree)->sizeHintForIndex(detail).width();
    for (const int width : {1280, 1600}) {
        f.window.resize(width, 900);
        QTRY_VERIFY(tree->visualRect(lesser).width() >= tree->width() / 4);
        QTRY_VERIFY(tree->visualRect(detail).width() >= needs);
    }
}

FW_TEST(TestDecisions, QApplication)
#include "test_decisions.moc"
