// What differs between two models, two targets, two sets of books.
#include "common/test.h"
#include "session/commands.h"
#include "snapshot/documents.h"
#include "snapshot/plan_changes.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;

class TestDiff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void booksSplitAGroup();
    void equalPlansHaveNoDifference();
    void targetsAreNamed();
    void modelsAreComparedByNode();
    void stagesOfTwoModels();
    void documentsOfOneModelAreTwoPlans();
    void refusals_data();
    void refusals();

private:
    static Result<std::string> ask(Arguments arguments) {
        Commands commands;
        Request request;
        request.id = 1;
        request.command = "diff";
        request.arguments = std::move(arguments);
        if (request.arguments.side.empty())
            request.arguments.side = "before";
        return commands.run(request, Context());
    }
    static DiffDocument get(Arguments arguments) {
        DiffSideDocument sides[2];
        for (const int i : {0, 1}) {
            arguments.side = i == 0 ? "before" : "after";
            sides[i] = fromJson<DiffSideDocument>(ask(arguments).value()).value();
        }
        return compareSides(sides[0], sides[1]);
    }
    std::string write(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }

    const std::string m_golden = FW_SOURCE_DIR "/tests/golden/cli/";
    QTemporaryDir m_folder;
};

void TestDiff::booksSplitAGroup() {
    Arguments arguments;
    arguments.model = m_golden + "before.fw";
    arguments.target = "x86-64 -libs=";
    arguments.versus = {m_golden + "apart.fw"};
    const DiffDocument diff = get(arguments);
    QCOMPARE(diff.before, std::string("no books"));
    QCOMPARE(diff.after, m_golden + "apart.fw");
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("split"));
    QCOMPARE(diff.changed[0].nodes.size(), std::size_t(3));
    // The other way round it is a merger.
    std::swap(arguments.rules, arguments.versus);
    arguments.versus = {write("nothing.fw", "# no rule\n")};
    QCOMPARE(get(arguments).changed.at(0).kind, std::string("merged"));
}

void TestDiff::equalPlansHaveNoDifference() {
    Arguments arguments;
    arguments.models = {m_golden + "before.fw"};
    arguments.targets = {"x86-64 -libs= -threads=1", "x86-64 -libs= -threads=2"};
    const DiffDocument diff = get(arguments);
    QVERIFY(isEmpty(diff));
    QVERIFY(diff.before.ends_with("-threads=1"));
    QVERIFY(diff.after.ends_with("-threads=2"));
}

void TestDiff::targetsAreNamed() {
    Arguments arguments;
    arguments.model = m_golden + "before.fw";
    arguments.rules = {write("by_target.fw", "implementations dense(...) on x86-64-v3 {\n"
                                             "  generated.* absorbs none\n}\n")};
    arguments.targets = {"x86-64 -mcpu=x86-64-v2 -libs=", "x86-64 -mcpu=x86-64-v3 -libs="};
    const DiffDocument diff = get(arguments);
    QVERIFY(diff.before.find("-mcpu=x86-64-v2") != std::string::npos);
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("split"));
}

void TestDiff::modelsAreComparedByNode() {
    Arguments arguments;
    arguments.models = {m_golden + "before.fw", m_golden + "after.fw"};
    const DiffDocument diff = get(arguments);
    QCOMPARE(diff.before, m_golden + "before.fw");
    QCOMPARE(diff.added.size(), std::size_t(1));
    QCOMPARE(diff.added[0].sentence.substr(0, 4), std::string("tanh"));
    QVERIFY(diff.removed.empty());
    QCOMPARE(diff.changed.size(), std::size_t(2)); // relu reads another, v has other elements
    arguments.models[1] = arguments.models[0];
    arguments.stage = "imported";
    QVERIFY(isEmpty(get(arguments)));
}

void TestDiff::stagesOfTwoModels() {
    Arguments arguments;
    arguments.models = {m_golden + "before.fw", m_golden + "after.fw"};
    arguments.stage = "fused";
    arguments.targets = {"x86-64 -libs="};
    const DiffDocument plans = get(arguments);
    QCOMPARE(plans.changed.size(), std::size_t(1));
    QCOMPARE(plans.changed[0].kind, std::string("nodes"));
    arguments.stage = "rewritten";
    QCOMPARE(get(arguments).added.size(), std::size_t(1));
}

void TestDiff::documentsOfOneModelAreTwoPlans() {
    const QByteArray model = QByteArray::fromStdString(m_golden + "before.fw");
    Arguments arguments;
    arguments.models = {
        write("one.fwdoc", R"({"fusewright_document": 1, "model": ")" + model +
                               R"(", "target": "x86-64", "libraries": []})"),
        write("two.fwdoc", R"({"fusewright_document": 1, "model": ")" + model +
                               R"(", "target": "x86-64", "libraries": [],)"
                               R"( "pins": [{"kind": "apart", "nodes": ["d", "b"]}]})")};
    const DiffDocument diff = get(arguments);
    QCOMPARE(diff.before, std::string("no pins"));
    QCOMPARE(diff.after, std::string("pins"));
    QCOMPARE(diff.changed.size(), std::size_t(1));
    QCOMPARE(diff.changed[0].kind, std::string("split"));
}

void TestDiff::refusals_data() {
    QTest::addColumn<int>("models");
    QTest::addColumn<int>("targets");
    QTest::addColumn<bool>("versus");
    QTest::addColumn<QString>("stage");
    QTest::newRow("nothing to compare with") << 1 << 0 << false << QString();
    QTest::newRow("one target") << 1 << 1 << false << QString();
    QTest::newRow("three targets") << 1 << 3 << false << QString();
    QTest::newRow("three models") << 3 << 0 << false << QString();
    QTest::newRow("two models, two targets") << 2 << 2 << false << QString();
    QTest::newRow("two models, other books") << 2 << 0 << true << QString();
    QTest::newRow("no such stage") << 2 << 0 << false << QStringLiteral("loops");
}

void TestDiff::refusals() {
    QFETCH(int, models);
    QFETCH(int, targets);
    QFETCH(bool, versus);
    QFETCH(QString, stage);
    Arguments arguments;
    arguments.models.assign(std::size_t(models), m_golden + "before.fw");
    arguments.targets.assign(std::size_t(targets), "x86-64");
    if (versus)
        arguments.versus = {m_golden + "apart.fw"};
    arguments.stage = stage.toStdString();
    const Result<std::string> answer = ask(arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(answer.diag().code, DiagCode::Usage);
}

FW_TEST(TestDiff, QCoreApplication)
#include "test_diff.moc"
