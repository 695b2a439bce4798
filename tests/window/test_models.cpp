// The models behind the docks, judged by Qt's own tester and by their text.
#include "app/window/settings.h"
#include "app/window/shown_names.h"
#include "common/test.h"
#include "views/common/found_model.h"
#include "views/common/numbers.h"
#include "views/inspector/outline_model.h"
#include "views/inspector/properties_view.h"
#include "views/problems/problems_view.h"
#include "views/profile/profile_model.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QSortFilterProxyModel>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace fw;
using namespace fw::ui;
using namespace fw::snapshot;

class TestModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outlineShowsGroupsAndNodes();
    void outlineWithoutPlanIsFlat();
    void profileIsATreeOfGroupsAndShares();
    void estimatedSharesAreMarked();
    void expectedStandsBesideMeasured();
    void profileSortsByNumbers();
    void propertiesOfANode();
    void propertiesOfAGroup();
    void problemsAreListedOnce();
    void problemsBeginWithTheCause();
    void namesTellFilesApart();
    void findLooksAtOperatorNameAndShape();
    void whatIsFoundIsATreeOfBlocks();
    void namesAreNeverMarkup();
    void settingsTolerateForeignValues();
    void settingsThatAreNoFile_data();
    void settingsThatAreNoFile();

private:
    static std::shared_ptr<GraphDocument> graph();
    static std::shared_ptr<ProfileDocument> profile();
};

std::shared_ptr<GraphDocument> TestModels::graph() {
    auto out = std::make_shared<GraphDocument>();
    const auto add = [&](NodeId id, const char* op, const char* name, int group,
                         std::vector<InputRef> inputs) {
        NodeRecord node;
        node.id = id;
        node.op = op;
        node.name = name;
        node.group = group;
        node.inputs = std::move(inputs);
        node.outputs = {{"v" + std::to_string(id), "f32[1,64]"}};
        out->nodes.push_back(node);
    };
    add(1, "input", "x", -1, {});
    add(2, "constant", "w", -1, {});
    out->nodes.back().constant = true;
    add(3, "dense", "Gemm_0", 7, {{1, 0, "v1"}, {2, 0, "v2"}});
    add(4, "relu", "<b>Relu_1</b>", 7, {{3, 0, "v3"}});
    add(5, "softmax", "Softmax_2", 8, {{4, 0, "v4"}});
    out->groups = {{7, "dense_relu_0", "generated.dense", {snapshot::Maker::Generated, {}}, 10.0},
                   {8, "softmax_1", "onednn.softmax", {snapshot::Maker::Library, "onednn"}, {}}};
    return out;
}

std::shared_ptr<ProfileDocument> TestModels::profile() {
    auto out = std::make_shared<ProfileDocument>();
    ProfileRow dense;
    dense.groupId = 7;
    dense.group = "dense_relu_0";
    dense.implementation = "generated.dense";
    dense.nodes = {{3, "Gemm_0", 0.9, true}, {4, "Relu_1", 0.1, true}};
    dense.medianUs = 900;
    dense.share = 0.9;
    dense.gflops = 12.5;
    dense.estUs = 300;
    ProfileRow softmax;
    softmax.groupId = 8;
    softmax.group = "softmax_1";
    softmax.implementation = "onednn.softmax";
    softmax.nodes = {{5, "Softmax_2", 1.0, false}};
    softmax.medianUs = 100;
    softmax.share = 0.1;
    out->rows = {softmax, dense};
    return out;
}

void TestModels::outlineShowsGroupsAndNodes() {
    OutlineModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setGraph(graph());
    QSortFilterProxyModel filtered;
    QAbstractItemModelTester proxyTester(&filtered,
                                         QAbstractItemModelTester::FailureReportingMode::QtTest);
    filtered.setSourceModel(&model);
    filtered.setRecursiveFilteringEnabled(true);
    filtered.setFilterRole(OutlineModel::SearchRole);
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex top = model.index(row, 0);
        rows << top.data().toString();
        for (int child = 0; child < model.rowCount(top); ++child)
            rows << QStringLiteral("- ") + model.index(child, 0, top).data().toString();
    }
    QCOMPARE(rows, (QStringList{"input  v1", "dense_relu_0", "- dense  Gemm_0",
                                "- relu  <b>Relu_1</b>", "softmax_1", "- softmax  Softmax_2"}));
    QCOMPARE(model.operatorCount(), 3);
    QCOMPARE(model.indexOfNode(4).data().toString(), QStringLiteral("relu  <b>Relu_1</b>"));
    QCOMPARE(model.indexOfGroup(8).data(OutlineModel::GroupRole).toInt(), 8);
    QVERIFY(!model.indexOfNode(2).isValid());
    filtered.setFilterFixedString(QStringLiteral("gemm"));
    QCOMPARE(filtered.rowCount(), 1);
    model.setGraph(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestModels::outlineWithoutPlanIsFlat() {
    auto imported = graph();
    imported->groups.clear();
    OutlineModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setGraph(imported);
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.rowCount(model.index(1, 0)), 0);
}

void TestModels::profileIsATreeOfGroupsAndShares() {
    ProfileModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setProfile(profile());
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex dense = model.indexOfGroup(7);
    QCOMPARE(dense.data().toString(), QStringLiteral("dense_relu_0"));
    QCOMPARE(model.rowCount(dense), 2);
    QCOMPARE(dense.siblingAtColumn(ProfileModel::Median).data().toString(),
             QStringLiteral("900 µs"));
    QCOMPARE(dense.siblingAtColumn(ProfileModel::Share).data().toString(),
             QStringLiteral("90.0 %"));
    QCOMPARE(dense.siblingAtColumn(ProfileModel::Gflops).data().toString(), QStringLiteral("12.5"));
    QCOMPARE(dense.siblingAtColumn(ProfileModel::Gbps).data().toString(), QStringLiteral("–"));
    model.setProfile(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestModels::estimatedSharesAreMarked() {
    ProfileModel model;
    model.setProfile(profile());
    const QModelIndex gemm = model.index(0, ProfileModel::Median, model.indexOfGroup(7));
    QCOMPARE(gemm.data().toString(), QStringLiteral("≈ 810 µs"));
    QVERIFY(gemm.data(ProfileModel::EstimatedRole).toBool());
    const QModelIndex alone = model.index(0, ProfileModel::Median, model.indexOfGroup(8));
    QCOMPARE(alone.data().toString(), QStringLiteral("100 µs"));
    QVERIFY(!alone.data(ProfileModel::EstimatedRole).toBool());
}

void TestModels::expectedStandsBesideMeasured() {
    ProfileModel model;
    model.setProfile(profile());
    const QModelIndex dense = model.indexOfGroup(7).siblingAtColumn(ProfileModel::Estimate);
    QCOMPARE(dense.data().toString(), QStringLiteral("300 µs"));
    QVERIFY(dense.data(Qt::ToolTipRole).toString().contains(QStringLiteral("3 times")));
    QCOMPARE(model.indexOfGroup(8).siblingAtColumn(ProfileModel::Estimate).data().toString(),
             QStringLiteral("–"));
}

void TestModels::profileSortsByNumbers() {
    ProfileModel model;
    QSortFilterProxyModel sorted;
    QAbstractItemModelTester tester(&sorted,
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    sorted.setSourceModel(&model);
    sorted.setSortRole(ProfileModel::SortRole);
    model.setProfile(profile());
    sorted.sort(ProfileModel::Median, Qt::DescendingOrder);
    QCOMPARE(sorted.index(0, 0).data().toString(), QStringLiteral("dense_relu_0"));
    sorted.sort(ProfileModel::Median, Qt::AscendingOrder);
    QCOMPARE(sorted.index(0, 0).data().toString(), QStringLiteral("softmax_1"));
}

void TestModels::propertiesOfANode() {
    const auto document = graph();
    FuseDocument plan;
    plan.groups.resize(1);
    plan.groups[0].id = 7;
    plan.groups[0].name = "dense_relu_0";
    plan.groups[0].implementation = "generated.dense";
    NodeRecord node = document->nodes[3];
    node.attributes = {{"alpha", "0.1"}};
    node.origins = {11};
    const Properties properties = propertiesOf(node, document.get(), nullptr, &plan);
    const Properties expected = {{"operator", "relu"},
                                 {"name", "<b>Relu_1</b>"},
                                 {"alpha", "0.1"},
                                 {"input", "v3 : f32[1,64], from Gemm_0"},
                                 {"output", "v4 : f32[1,64]"},
                                 {"read by", "Softmax_2"},
                                 {"from", "#11"},
                                 {"group", "dense_relu_0 → generated.dense"}};
    QCOMPARE(properties.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(properties[i].name, expected[i].name);
        QCOMPARE(properties[i].value, expected[i].value);
    }
    PropertiesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setProperties(properties);
    QCOMPARE(model.rowCount(), int(expected.size()));
}

void TestModels::propertiesOfAGroup() {
    GroupRecord group;
    group.name = "g";
    group.implementation = "generated.conv2d";
    group.nodes = {"a", "b"};
    group.flops = 231e6;
    group.bytes = 1.8e6;
    group.warnings = {"slow"};
    QStringList text;
    for (const Property& property : propertiesOf(group))
        text << property.name + QStringLiteral(": ") + property.value;
    QVERIFY(text.contains(QStringLiteral("nodes: a, b")));
    QVERIFY(text.contains(QStringLiteral("work: 231.0 MFLOP")));
    QVERIFY(text.contains(QStringLiteral("traffic: 1.8 MB read and written")));
    QVERIFY(text.contains(QStringLiteral("warning: slow")));
    QCOMPARE(bytesText(999), QStringLiteral("999 B"));
    QCOMPARE(countText(25.6e6), QStringLiteral("25.6 M"));
}

void TestModels::problemsAreListedOnce() {
    ProblemsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const Diag diag = makeDiag(DiagCode::NotOnnx, "no\nmodel", Where{"m.onnx", "n", 0, 0}, "hint");
    model.add(diag);
    model.add(diag);
    model.add(makeWarning(DiagCode::LimitReached, "w"));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, ProblemsModel::Code).data().toString(), QStringLiteral("ONX01"));
    QCOMPARE(model.index(0, ProblemsModel::Message).data().toString(), QStringLiteral("no model"));
    QVERIFY(model.index(1, 0).data().toString().contains(QStringLiteral("warning")));
}

// Of very many the first ones stay, which the others follow from.
void TestModels::problemsBeginWithTheCause() {
    ProblemsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto add = [&](int from, int to) {
        for (int i = from; i < to; ++i)
            model.add(makeDiag(DiagCode::NotOnnx, "number " + std::to_string(i)));
    };
    const auto message = [&](int row) {
        return model.index(row, ProblemsModel::Message).data().toString();
    };
    add(0, 1500);
    QCOMPARE(model.rowCount(), 1000);
    QCOMPARE(message(0), QStringLiteral("number 0"));
    QCOMPARE(message(998), QStringLiteral("number 998"));
    QCOMPARE(message(999), QStringLiteral("and 501 more problems, which the log lists"));
    // Those of earlier inputs go first.
    model.setGeneration(2);
    add(2000, 2500);
    QCOMPARE(model.rowCount(), 1000);
    QCOMPARE(message(0), QStringLiteral("number 500"));
    QCOMPARE(message(999), QStringLiteral("number 2499"));
    add(3000, 4000);
    QCOMPARE(message(0), QStringLiteral("number 2000"));
    QCOMPARE(message(999), QStringLiteral("and 501 more problems, which the log lists"));
    model.clear();
    add(0, 2);
    QCOMPARE(model.rowCount(), 2);
}

void TestModels::namesTellFilesApart() {
    using List = QStringList;
    const auto s = [](const char* text) { return QString::fromLatin1(text); };
    QCOMPARE(shownNames({}), List());
    QCOMPARE(shownNames({s("/a/b/net.onnx")}), List{s("net.onnx")});
    QCOMPARE(shownNames({s("/a/b/model.onnx"), s("/a/c/model.onnx"), s("/a/c/other.onnx")}),
             (List{s("b/model.onnx"), s("c/model.onnx"), s("other.onnx")}));
    QCOMPARE(shownNames({s("/x/b/m.onnx"), s("/y/b/m.onnx")}),
             (List{s("x/b/m.onnx"), s("y/b/m.onnx")}));
    QCOMPARE(shownNames({s("m.onnx"), s("m.onnx")}), (List{s("m.onnx"), s("m.onnx")}));
}

namespace {

class GivenGraphs : public DocumentParts {
public:
    GivenGraphs(std::shared_ptr<const GraphDocument> imported,
                std::shared_ptr<const GraphDocument> fused) {
        m_kept.imported = std::move(imported);
        m_kept.fused = std::move(fused);
    }
};

} // namespace

void TestModels::findLooksAtOperatorNameAndShape() {
    const auto fused = graph();
    auto imported = graph();
    for (NodeRecord& node : imported->nodes)
        node.id += 100;
    for (NodeRecord& node : fused->nodes)
        node.origins = {node.id + 100};
    NodeRecord gone = imported->nodes[3];
    gone.id = 200;
    gone.name = "Dropout_9";
    gone.op = "dropout";
    imported->nodes.push_back(gone);
    const GivenGraphs document(imported, fused);
    Selection selection;
    selection.follow(Provenance(*fused));
    NodeFinder finder(document, selection);
    const auto find = [&](const char* text) {
        finder.look(QString::fromLatin1(text));
        return finder.hits();
    };
    QCOMPARE(find("relu"), (std::vector<Hit>{{GraphSide::Fused, 4}})); // not its origin again
    QCOMPARE(find("GEMM 1,64"), (std::vector<Hit>{{GraphSide::Fused, 3}}));
    QCOMPARE(find("dropout"), (std::vector<Hit>{{GraphSide::Imported, 200}}));
    QCOMPARE(find("#5"), (std::vector<Hit>{{GraphSide::Fused, 5}}));
    QVERIFY(find("").empty());
    QVERIFY(find("constant").empty());
    // A constant is found through who reads it.
    std::string weight;
    for (const NodeRecord& node : fused->nodes)
        if (node.constant)
            weight = node.name.empty() ? node.outputs[0].name : node.name;
    QVERIFY(!weight.empty());
    QVERIFY(!find(weight.c_str()).empty());
}

void TestModels::whatIsFoundIsATreeOfBlocks() {
    const auto fused = graph();
    for (NodeRecord& node : fused->nodes)
        if (!node.constant)
            node.name = (node.id < 4 ? "/a/n" : "/b/n") + std::to_string(node.id);
    const GivenGraphs document(nullptr, fused);
    Selection selection;
    selection.follow(Provenance(*fused));
    NodeFinder finder(document, selection);
    FoundModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    finder.look(QStringLiteral("shape:1x64"));
    QVERIFY(!finder.problem());
    const int found = int(finder.hits().size());
    QVERIFY(found > 2);
    model.show(finder, document, {}, 1000);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("a"));
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("b"));
    QCOMPARE(model.rowCount(model.index(0, 0)) + model.rowCount(model.index(1, 0)), found);
    for (int hit = 0; hit < found; ++hit)
        QCOMPARE(model.hitOf(model.indexOfHit(hit)), hit);
    model.show(finder, document, {}, 1);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("and %1 more").arg(found - 1));
    finder.look(QStringLiteral("nothing:1"));
    model.show(finder, document, {}, 1000);
    QCOMPARE(model.kindOf(model.index(0, 0)), FoundModel::Row::Note);
}

void TestModels::namesAreNeverMarkup() {
    OutlineModel outline;
    outline.setGraph(graph());
    const QString tip = outline.indexOfNode(4).data(Qt::ToolTipRole).toString();
    QVERIFY(tip.contains(QStringLiteral("&lt;b&gt;Relu_1")));
    PropertiesModel properties;
    properties.setProperties({{"name", "<img src=x>"}});
    QVERIFY(
        !properties.index(0, 1).data(Qt::ToolTipRole).toString().contains(QStringLiteral("<img")));
}

void TestModels::settingsTolerateForeignValues() {
    QTemporaryDir folder;
    qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
    {
        QSettings raw(Settings::fileName(), QSettings::IniFormat);
        raw.setValue(QStringLiteral("recent"), 7);
        raw.setValue(QStringLiteral("window/theme"), QStringLiteral("purple"));
        raw.setValue(QStringLiteral("window/geometry"), QStringLiteral("nonsense"));
        raw.setValue(QStringLiteral("folder"), QStringLiteral("/nonexistent"));
    }
    Settings settings;
    QCOMPARE(settings.theme(), ThemeChoice::System);
    QVERIFY(settings.recent().size() <= 1);
    QVERIFY(QFileInfo(settings.folder()).isDir());
    for (int i = 0; i < 15; ++i)
        settings.addRecent(QStringLiteral("/m%1.onnx").arg(i % 12));
    QCOMPARE(settings.recent().size(), Settings::recentLimit);
    QCOMPARE(settings.recent().first(), QStringLiteral("/m2.onnx"));
    settings.setTheme(ThemeChoice::Dark);
    QCOMPARE(Settings().theme(), ThemeChoice::Dark);
}

void TestModels::settingsThatAreNoFile_data() {
    QTest::addColumn<QString>("lies");
    QTest::addColumn<QString>("problem");
    QTest::newRow("pipe") << "pipe"
                          << "it is a device or a pipe";
    QTest::newRow("link to a pipe") << "link"
                                    << "it is a device or a pipe";
    QTest::newRow("folder") << "folder"
                            << "it is a folder";
    QTest::newRow("link to itself") << "loop"
                                    << "symbolic links";
    QTest::newRow("3 GB") << "huge"
                          << "it has 3072 MB";
}

// Neither read, which waits or grows, nor replaced.
void TestModels::settingsThatAreNoFile() {
    QFETCH(QString, lies);
    QFETCH(QString, problem);
    QTemporaryDir folder;
    qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
    const QString file = Settings::fileName(), other = folder.filePath(QStringLiteral("other"));
    const QByteArray name = QFile::encodeName(file);
    QVERIFY(QDir().mkpath(QFileInfo(file).path()));
    if (lies == u"pipe")
        QCOMPARE(mkfifo(name.constData(), 0600), 0);
    else if (lies == u"link") {
        QCOMPARE(mkfifo(QFile::encodeName(other).constData(), 0600), 0);
        QVERIFY(QFile::link(other, file));
    } else if (lies == u"folder")
        QVERIFY(QDir().mkdir(file));
    else if (lies == u"loop")
        QVERIFY(QFile::link(file, file));
    else {
        QFile huge(file);
        QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64(3) << 30));
    }
    struct stat before = {}, behind = {}, after = {};
    QCOMPARE(lstat(name.constData(), &before), 0);
    stat(name.constData(), &behind);
    {
        Settings settings;
        QVERIFY2(settings.problem().contains(problem), qPrintable(settings.problem()));
        QVERIFY(settings.problem().contains(file));
        QCOMPARE(settings.theme(), ThemeChoice::System);
        settings.setTheme(ThemeChoice::Dark);
        settings.addRecent(QStringLiteral("/m.onnx"));
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.recent(), QStringList{QStringLiteral("/m.onnx")});
        settings.clearRecent();
        QCOMPARE(settings.recent(), QStringList());
    }
    QCOMPARE(lstat(name.constData(), &after), 0);
    QCOMPARE(after.st_ino, before.st_ino);
    QCOMPARE(after.st_mode, before.st_mode);
    QCOMPARE(after.st_size, before.st_size);
    if (lies == u"link") {
        QCOMPARE(stat(name.constData(), &after), 0);
        QCOMPARE(after.st_ino, behind.st_ino);
        QVERIFY(S_ISFIFO(after.st_mode));
    }
}

FW_TEST(TestModels, QApplication)
#include "test_models.moc"
